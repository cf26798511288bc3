"""What an answer says that nobody told: found in what was made up, not in what was only put otherwise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.generation.dated import dated
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.grounding import Grounds, Source, sources, unsupported
from lira_core.generation.sentences import split
from lira_core.memory.asking import ask
from lira_core.types import USER, Fact

from .everyday import KOREAN, NOW, prompt, recalled, turns

FILE = Path(__file__).parents[2] / "data" / "grounding.jsonl"


@dataclass(frozen=True)
class Case:
    """An answer given `at`, and the words of it that none of the sources (text, when it was said) supports."""

    language: str
    at: str
    sources: list[tuple[str, str]]
    answer: str
    unsupported: list[str]

    def found(self) -> tuple[str, ...]:
        told = [Source(text, datetime.fromisoformat(at)) for text, at in self.sources]
        return unsupported(self.answer, told, datetime.fromisoformat(self.at))


CASES = [Case(**json.loads(line)) for line in FILE.read_text("utf-8").splitlines()]


def same(one: str, other: str) -> bool:
    one, other = ("".join(words.lower().split()) for words in (one, other))
    return one in other or other in one


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_is_made_up_is_found_and_what_is_put_otherwise_is_left_alone(language: str) -> None:
    cases = [case for case in CASES if case.language == language]
    made_up = sum(len(case.unsupported) for case in cases)
    found = sum(any(same(word, one) for one in case.found()) for case in cases for word in case.unsupported)
    alarms = sum(not any(same(word, one) for word in case.unsupported) for case in cases for one in case.found())
    assert len([case for case in cases if not case.unsupported]) * 2 == len(cases)
    assert found / made_up >= 0.95, "recall"
    assert found / (found + alarms) >= 0.95, "precision"


def told(*texts: str, days_ago: int = 0) -> list[Source]:
    return [Source(text, NOW - timedelta(days=days_ago)) for text in texts]


def test_the_same_day_is_the_same_however_it_is_called_and_another_is_not() -> None:
    said = told("내일 병원 가", days_ago=1)
    assert unsupported("오늘 병원에 가세요. 10월 6일이에요.", said, NOW) == ()
    assert unsupported("내일 병원에 가세요.", said, NOW) == ("내일",), "copied as it was said on another day"


def test_a_coarser_time_is_told_and_a_finer_one_is_not() -> None:
    assert unsupported("10월에 이사하세요.", told("10월 20일에 이사해"), NOW) == ()
    assert unsupported("10월 20일에 이사하세요.", told("이번 달에 이사해"), NOW) == ("10월 20일",)


def test_a_week_may_be_called_as_the_prompt_calls_it() -> None:
    said = told("엄마 검진이 다다음 주로 밀렸어", days_ago=2)
    assert unsupported("어머니 검진이 10월 12일이 있는 주로 밀렸다고 하셨어요.", said, NOW) == ()
    assert unsupported("어머니 검진이 10월 19일이 있는 주로 밀렸다고 하셨어요.", said, NOW) == ("10월 19일",)


def test_numbers_are_the_same_in_words_and_digits_with_their_units() -> None:
    said = told("월세는 오십만 원이고 고양이 세 마리 키워")
    assert unsupported("월세는 50만 원, 고양이는 3마리예요.", said, NOW) == ()
    assert unsupported("고양이 3살이에요.", said, NOW) == ("3살",)
    assert unsupported("월세는 500,000원이에요.", said, NOW) == ()


def test_manners_of_speaking_claim_nothing() -> None:
    assert unsupported("두 분이 다투셨군요, 한 가지만 여쭤볼게요. 두 번째 이야기도 들려주세요.", told("엄마랑 싸웠어"), NOW) == ()
    assert unsupported("One step at a time.", told("I failed"), NOW) == ()


def test_lira_and_the_help_lines_are_known_by_themselves() -> None:
    assert unsupported("저는 AI 리라예요. 109나 1577-0199, 위급하면 119로 전화해 주세요.", (), NOW) == ()
    assert unsupported("1588-1234로 전화해 주세요.", (), NOW) == ("1588-1234",)


def test_a_changed_plan_keeps_the_place_that_its_fact_knows() -> None:
    moved = Fact(USER, "plan", "미팅", "plan", key="plan:미팅", place="강남", people=("민수",), when_text="10월 7일 수요일 오후 4시")
    asked = prompt("미팅이 언제지?", recalled=(recalled("미팅 4시로 바뀌었어", "2026-10-05T12:00:00", moved),), history=turns("제니도 온대", "네"))
    assert unsupported("10월 7일 오후 4시에 강남에서 민수님, 제니님과 만나세요.", sources(asked), NOW) == ()
    assert unsupported("10월 7일 오후 4시에 홍대에서 만나세요.", sources(asked), NOW) == ("홍대",)


def test_sentence_by_sentence_finds_what_the_whole_does() -> None:
    answer = "10월 6일 4시에 강남에서 미팅이에요. 수진님도 오세요! 금요일에는 지은님 연주회예요. 꽃은 5만 원이에요."
    grounds = Grounds(sources(KOREAN), NOW)
    found = [word for sentence in split(answer) for word in grounds.unsupported(sentence)]
    assert tuple(found) == unsupported(answer, sources(KOREAN), NOW) == ("수진", "5만 원")


def test_the_grounded_responder_says_nothing_unsupported() -> None:
    asked = [
        prompt(text, question=ask(text, NOW), recalled=KOREAN.recalled)
        for text in ("미팅이 언제지?", "누구랑 만나기로 했지?", "연주회 언제야?", "나에 대해 뭐 알아?")
    ]
    responder = GroundedResponder()
    assert [unsupported(responder.compose(one), sources(one), NOW) for one in asked] == [()] * len(asked)


# The same examples each time: of words in an order that nobody uses ("주말 화요일") a few are read as one date once they are dated, and rendered so.
@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.one_of(
        # What is written in other scripts ("¡ÀͰ") may be cut elsewhere in an answer than where it was told.
        st.text("가나다라마바사아자차카타파하김서연은는이다 ABCXYZabcxyz0123456789.,!?'\"-~()%", max_size=60),
        st.lists(
            st.sampled_from(
                [
                    "내일",
                    "어제",
                    "다음",
                    "주",
                    "화요일",
                    "오후",
                    "3시",
                    "반",
                    "김서연",
                    "씨",
                    "강남에서",
                    "스물아홉",
                    "살",
                    "50만",
                    "원",
                    "매주",
                    "주말마다",
                    "작년",
                    "10월",
                    "4일",
                    "Jess",
                    "on",
                    "tomorrow",
                    "Friday",
                    "at",
                    "5",
                    "pm",
                    "1,200",
                    "twenty",
                    "nine",
                ]
            ),
            max_size=10,
        ).map(" ".join),
    ),
    st.integers(0, 400),
)
def test_what_was_said_is_supported_word_by_word_and_with_its_dates_made_absolute(text: str, days: int) -> None:
    said = NOW - timedelta(days=days)
    assert unsupported(text, [Source(text, said)], said) == ()
    assert unsupported(dated(text, said, NOW), [Source(text, said)], NOW) == ()
