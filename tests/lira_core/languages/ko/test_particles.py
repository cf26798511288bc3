"""Particles after any word, whatever script it ends in."""

from __future__ import annotations

import pytest

from lira_core.languages.ko.particles import called, honoured, is_, object_, subject, topic, toward, with_


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
    assert [object_("Kim"), object_("Minsu"), object_("RAG"), object_("60kg"), object_("170cm")] == ["Kim을", "Minsu를", "RAG를", "60kg을", "170cm를"]
    assert [with_("민수"), with_("수진"), with_("Tom")] == ["민수와", "수진과", "Tom과"]
    assert [topic("MBTI"), subject("10"), toward("서울"), toward("부산")] == ["MBTI는", "10이", "서울로", "부산으로"]


@pytest.mark.parametrize(
    ("word", "expected"), [("민수", "민수님"), ("엄마", "엄마"), ("팀장님", "팀장님"), ("고등학교 친구", "고등학교 친구"), ("Tom", "Tom님")]
)
def test_names_are_honoured_and_kin_is_not(word: str, expected: str) -> None:
    assert honoured(word) == expected
