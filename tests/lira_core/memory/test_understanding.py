"""Any text that is allowed is understood and answered, however long and of whatever kind."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Prompt
from lira_core.languages.ko.clauses import Clause, clauses
from lira_core.languages.ko.predicates import DEEPEST
from lira_core.memory.gate import decide
from lira_core.memory.quoting import quoted
from lira_core.memory.understanding import understand
from lira_core.safety import sounds_at_risk
from lira_core.types import Decision, EmotionReading, EmotionScore, Message

NOW = datetime(2026, 10, 6, 9, 0, tzinfo=ZoneInfo("Asia/Seoul"))
LONGEST = 4000
FELT = EmotionReading((EmotionScore("joy", 0.9), EmotionScore("neutral", 0.05)))
RESPONDER = GroundedResponder()
# What has sent a rule over everything that was said, again for each word.
PIECES = (
    "뭐야? ", "은 는 이 가 ", "내가 산 책을 읽은 친구가 만난 ", "나는 예쁜 ", "사과 ", "사과, ", "아", "ㅋㅋ", "ㅠ", "~", "…", "👩‍👩‍👧",
    "내일 오후 3시 ", "10월 4일에 ", "매주 토요일 ", "서연이랑 ", "김서연", "엄마의 ", "우리 ", "좋아하고 ", "했는데 ", "먹으면 ",
    "것 같은 ", "다고 했지 ", "기억해줘 ", "기억나? ", "죽고 싶지 ", "살기 싫", "'봄날'이라는 카페 ", "다. ",
    "0", "010-1234-5678 ", "a", "I ", "my sister Anna ", "What? ", "at 3 on May 5 ", "and ", "\n", " ", "\u3000", "\t", "?", "(", '"', "漢", "\x00",
)  # fmt: skip
texts = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=40).map("".join),
    st.tuples(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join), st.integers(1, LONGEST)).map(
        lambda piece: (piece[0] * (LONGEST // len(piece[0]) + 1))[: piece[1]]
    ),
)


def deepest(found: tuple[Clause, ...]) -> int:
    """How many relative clauses stand within one another."""
    levels, here = 0, list(found)
    while here := [p.clause for clause in here for p in clause.phrases if p.clause is not None]:
        levels += 1
    return levels


@settings(max_examples=40, deadline=None)
@given(text=texts)
@example(text=("은 는 이 가 " * 500)[:LONGEST])
def test_any_text_is_understood_and_answered(text: str) -> None:
    understood = understand(text, NOW)
    decision = decide(text, FELT, understood.facts, understood.question, None, threshold=0.6)
    sounds_at_risk(text, None)
    prompt = Prompt(text, NOW, understood.question, understood.facts, FELT, decision, ())
    for asked in (prompt, replace(prompt, question=None, facts=(), decision=Decision(False, "none"))):
        reply = RESPONDER.compose(asked)
        assert reply
        assert set(quoted(reply, [Message("user", text, "t")])) <= {"t"}


@pytest.mark.parametrize("piece", ["은 는 이 가 ", "내가 산 책을 읽은 친구가 만난 "])
def test_relative_clauses_do_not_nest_without_end(piece: str) -> None:
    found = clauses((piece * LONGEST)[:LONGEST], NOW)
    assert deepest(found) <= DEEPEST
    assert hash(found) == hash(found)


def test_of_many_questions_the_last_about_the_person_counts() -> None:
    asked = understand("내 생일이 언제였지? " + "오늘 날씨 어때? " * 20, NOW).question
    assert asked is not None
    assert asked.slots[:1] == (("user", "birthday"),)


@pytest.mark.parametrize(
    ("text", "name"),
    [("What does Anna do?", "Anna"), ("Anna is who? Where does Anna live?", "Anna")],
)
def test_whom_an_english_question_names(text: str, name: str) -> None:
    asked = understand(text, NOW).question
    assert asked is not None
    assert asked.slots[0][0] == name
