"""Where a text names somebody."""

from __future__ import annotations

import pytest

from lira_core.languages.ko.names import full_name, is_place, looks_like_name, name_spans, only_a_word


def named(text: str) -> list[str]:
    return [text[start:end] for start, end in name_spans(text)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("와이프는 하은이고 약사야", ["하은"]),
        ("내이름 이하늘ㅋㅋ 남자임", ["이하늘"]),
        ("언니 다정이는 승무원이라 바빠", ["다정"]),
        ("전 팀장이던 동훈 선배는 미국으로 갔어", ["동훈"]),
        ("아내는 은영이라고, 초등학교 교사입니다.", ["은영"]),
        ("알바는 지훈 씨, 소라 씨가 나와요", ["지훈"]),
        ("오늘 회사에서 회의했어", []),
        ("친구랑 경주 다녀왔어", []),
        ("우리는 아주 친해", []),
    ],
)
def test_names_are_found_where_speakers_put_them(text: str, names: list[str]) -> None:
    assert named(text)[: len(names) or None] == names


def test_words_of_the_dictionary_and_towns_are_no_names() -> None:
    assert not any(looks_like_name(word) for word in ("주말", "회사", "여수", "진주", "엄마", "하루"))
    assert full_name("이하늘")
    assert is_place("태백산")
    assert not is_place("김서연")


def test_an_ordinary_word_is_no_name_unless_it_is_said_to_be_one() -> None:
    assert only_a_word("추석", "그려, 추석이여")
    assert only_a_word("운다", "팬싸 당첨됨!!! 나 운다ㅠㅠ")
    assert only_a_word("간호사", "이름이 수진 씨래요. 간호사라네요.")
    assert only_a_word("딸", "딸이래요, 아들이래요 물었더니 딸이라고 하네요.")
    assert only_a_word("민호만", "민호만 와요.")
    assert not only_a_word("강재만", "강재만입니다")
    assert not only_a_word("보리", "보리라고 불러 줘")
    assert not only_a_word("하늘", "내 이름은 하늘이야")
    assert not only_a_word("서윤", "나 서윤이야")
    assert not only_a_word("Rose", "I'm Rose")
