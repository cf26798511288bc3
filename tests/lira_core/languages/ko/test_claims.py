"""Names and numbers of a Korean text, as an answer is checked by them."""

from __future__ import annotations

import pytest

from lira_core.languages.ko.claims import names, numbers, value_of


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("스물아홉", 29),
        ("열두", 12),
        ("삼십오", 35),
        ("백이십만", 1_200_000),
        ("5만", 50_000),
        ("1,200만", 12_000_000),
        ("1억 2천만", 120_000_000),
        ("오만", 50_000),
        ("천", 1_000),
        ("3.5", 3.5),
        ("두세", None),
    ],
)
def test_a_number_in_words_is(words: str, value: float | None) -> None:
    assert value_of(words) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("나이는 스물아홉이세요", [(29, None)]),
        ("고양이 세 마리", [(3, "마리")]),
        ("쉰다섯 세", [(55, "살")]),
        ("172cm에 60키로", [(172, "cm"), (60, "kg")]),
        ("월세 50만 원", [(500_000, "원")]),
        ("이 카페 그 사람", []),
        ("109나 119", [(109, "나"), (119, None)]),
    ],
)
def test_numbers_with_their_units(text: str, found: list[tuple[float, str | None]]) -> None:
    got = [(one.value, one.unit) for one in numbers(text)]
    assert [value for value, _ in got] == [value for value, _ in found]
    assert all(unit is None or unit == have for (_, unit), (_, have) in zip(found, got, strict=True) if unit != "나")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("여동생 지은이가 부산에서 올라온다고 하셨죠.", ["지은", "부산"]),
        ("박서연님이세요.", ["박서연"]),
        ("달무리라는 카페예요.", ["달무리"]),
        ("BTS 콘서트 5km", ["BTS"]),
        ("고객님, 선생님, 형님", []),
        ("010-2345-6789예요", ["010-2345-6789"]),
    ],
)
def test_proper_nouns_and_whom_or_what_somebody_calls_by_name(text: str, found: list[str]) -> None:
    assert [text[name.start : name.end] for name in names(text)] == found


def test_a_place_is_supported_with_its_division_and_without() -> None:
    assert names("제주도에 가세요")[0].forms == ("제주도", "제주")
