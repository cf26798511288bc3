import unicodedata

from lira_core.language import composed, language_of


def test_hangul_that_came_as_its_letters_is_korean_once_it_is_composed() -> None:
    said = unicodedata.normalize("NFD", "안녕하세요")
    assert composed(said) == "안녕하세요"
    assert language_of(composed(said)) == "ko"
