"""Particles after any word, whatever script it ends in."""

from __future__ import annotations

import pytest

from lira_core.languages.ko.particles import called, honoured, is_, topic


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("딸기", "딸기예요"),
        ("떡", "떡이에요"),
        ("A", "A예요"),
        ("B님", "B님이에요"),
        ("Kim", "Kim이에요"),
        ("R", "R이에요"),
        ("3", "3이에요"),
        ("1234", "1234예요"),
    ],
)
def test_the_polite_copula_follows_the_sound(word: str, expected: str) -> None:
    assert is_(word) == expected


def test_latin_and_digits_take_the_particle_of_their_sound() -> None:
    assert [called("B님"), called("A"), called("초콜릿")] == ["B님이라고", "A라고", "초콜릿이라고"]
    words = ("Kim", "Minsu", "RAG", "60kg", "170cm", "MBTI", "10")
    assert [topic(word) for word in words] == ["Kim은", "Minsu는", "RAG는", "60kg은", "170cm는", "MBTI는", "10은"]


@pytest.mark.parametrize(
    ("word", "expected"), [("민수", "민수님"), ("엄마", "엄마"), ("팀장님", "팀장님"), ("고등학교 친구", "고등학교 친구"), ("Tom", "Tom님")]
)
def test_names_are_honoured_and_kin_is_not(word: str, expected: str) -> None:
    assert honoured(word) == expected
