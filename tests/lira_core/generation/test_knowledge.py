"""What answers, and what of it is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from lira_core.generation.knowledge import known, to_list, to_tell, with_changes
from lira_core.generation.port import Prompt
from lira_core.memory.following import whole
from lira_core.memory.question import Question
from lira_core.types import USER, Before, Decision, Fact, Memory, Message, RecalledMemory

NOW = datetime.fromisoformat("2026-10-06T09:00:00+09:00")


def recalled(name: str, sure: float | None, *, days_ago: float = 1, certainty: float | None = None, key: str | None = None) -> RecalledMemory:
    facts = (Fact(USER, "name", name, "name", key=key),) if key else ()
    return RecalledMemory(Memory(name, "u", name, NOW - timedelta(days=days_ago), facts=facts), ("semantic",), 0.5, certainty, sure=sure)


def answers(*memories: RecalledMemory, about_memory: bool = True, history: tuple[Message, ...] = (), **more: object) -> list[str]:
    question = Question(about_memory, terms=("메모",), **more)  # type: ignore[arg-type]
    prompt = Prompt("메모?", NOW, question, (), None, Decision(False, "none"), memories, history)
    return [answer.memory.text for answer in known(prompt)]


def test_what_is_likelier_than_not_answers_the_surest_first() -> None:
    assert answers(recalled("a", 0.6), recalled("b", 0.9), recalled("c", 0.4)) == ["b", "a"]


def test_a_question_that_may_be_about_something_else_wants_more() -> None:
    assert answers(recalled("a", 0.7), recalled("b", 0.8), about_memory=False) == ["b"]


def test_while_the_reader_is_away_certainty_decides() -> None:
    assert answers(recalled("a", None, certainty=0.8), recalled("b", None, certainty=0.2), recalled("c", None)) == ["a"]


@pytest.mark.parametrize(("old", "told"), [(0.8, ["new"]), (0.99, ["old"])])
def test_of_one_key_the_newest_answers_unless_an_older_one_is_much_surer(old: float, told: list[str]) -> None:
    assert answers(recalled("new", 0.7, key="name:user"), recalled("old", old, days_ago=9, key="name:user")) == told


def test_yes_or_no_is_said_of_the_newest_of_one_key_however_sure_the_reader_is_of_an_older_one() -> None:
    prompt = Prompt(
        "?", NOW, Question(True), (), None, Decision(False, "none"),
        (recalled("new", 0.7, key="taste:커피"), recalled("old", 0.99, days_ago=9, key="taste:커피")), verdict="no",
    )  # fmt: skip
    assert [answer.memory.text for answer in known(prompt)] == ["new"]


def test_what_was_said_in_this_session_answers_a_question_about_just_now() -> None:
    history = (Message("user", "임시 메모 : 우유 사기"), Message("lira", "네"), Message("user", "나는 오늘 쉬어"))
    assert answers(history=history, just_now=True) == ["임시 메모 : 우유 사기"]
    assert answers(history=history) == []


def both(old: float, new: float) -> tuple[RecalledMemory, ...]:
    return recalled("old", old, days_ago=5), recalled("new", new)


@pytest.mark.parametrize(
    ("memories", "several", "told"),
    [
        (both(0.9, 0.85), False, ["old", "new"]),
        (both(0.9, 0.6), False, ["old"]),
        (both(0.6, 0.7), False, ["new"]),
        (both(0.6, 0.7), True, ["new", "old"]),
        (both(0.9, 0.6), True, ["old", "new"]),
        (both(0.9, 0.4), True, ["old"]),
        (both(0.3, 0.2), True, []),
    ],
)
def test_a_second_memory_is_told_where_it_is_newer_and_nearly_as_sure_or_several_are_asked_for(
    memories: tuple[RecalledMemory, ...], several: bool, told: list[str]
) -> None:
    prompt = Prompt("?", NOW, Question(True, terms=("가",)), (), None, Decision(False, "none"), memories)
    assert [a.memory.text for a in to_tell(known(prompt), several=several)] == told


def test_what_changes_the_surest_is_told_after_it_rather_than_what_is_merely_newer_and_nearly_as_sure() -> None:
    plan, newer = both(0.9, 0.85)
    plan, off = replace(plan, changed_by="off"), recalled("off", 0.55, days_ago=2)
    prompt = Prompt("?", NOW, Question(True, terms=("가",)), (), None, Decision(False, "none"), (plan, newer, off))
    assert [a.memory.text for a in to_tell(known(prompt), several=False)] == ["old", "off"]


def test_what_changes_memories_comes_with_them_newest_first() -> None:
    plan, off, other = replace(recalled("plan", 0.2, days_ago=5), changed_by="off"), recalled("off", 0.1), recalled("other", 0.9, days_ago=3)
    prompt = Prompt("?", NOW, Question(True), (), None, Decision(False, "none"), (plan, off, other))
    assert [m.id for m in with_changes([plan.memory], prompt)] == ["off", "plan"]
    assert [m.id for m in with_changes([off.memory, plan.memory], prompt)] == ["off", "plan"]
    assert [m.id for m in with_changes([other.memory], prompt)] == ["other"]


def test_what_another_says_again_is_not_told_twice() -> None:
    plan, off = both(0.9, 0.85)
    off = replace(off, memory=replace(off.memory, before=(Before(plan.memory.id, plan.memory.text),)))
    prompt = Prompt("?", NOW, Question(True, terms=("가",)), (), None, Decision(False, "none"), (plan, off))
    assert [a.memory.text for a in to_tell(known(prompt), several=False)] == ["new"]
    assert to_list([off.memory, plan.memory]) == (off.memory,)


def test_the_words_that_answer_are_of_what_was_said_before_too() -> None:
    off = replace(recalled("그거 취소됐어", 0.9), span=(0, 2))
    off = replace(off, memory=replace(off.memory, before=(Before("1", "치과 가기로 했어"),)))
    (answer,) = known(Prompt("?", NOW, Question(True, terms=("가",)), (), None, Decision(False, "none"), (off,)))
    assert answer.words == "치과"


@pytest.mark.parametrize(("sure", "changed", "right"), [(0.74, False, True), (0.9, True, True), (0.9, False, False)])
def test_a_line_that_is_set_right_is_told_with_what_sets_it_right(sure: float, changed: bool, right: bool) -> None:
    line = recalled("토요일에 민지랑 저녁 먹어", sure, days_ago=2)
    later = replace(recalled("아 미안 일요일", 0.91), span=(0, 4))
    later = replace(later, memory=replace(later.memory, before=(Before(line.memory.id, line.memory.text),)))
    found = (later, replace(line, changed_by=later.memory.id if changed else None))
    answers = known(Prompt("?", NOW, Question(True, terms=("민지",)), (), None, Decision(False, "none"), found))
    told = [whole(answer.memory) for answer in to_tell(answers, several=False)]
    assert told == [line.memory.text, later.memory.text] if right else told == [line.memory.text]


def test_an_earlier_line_that_two_memories_hold_is_told_once() -> None:
    late, third = Memory("1", "u", "민지가 또 늦음", NOW - timedelta(minutes=3)), "벌써 세번째임"
    lines = (Before("1", late.text), Before("2", third))
    held = [
        Memory("2", "u", third, NOW - timedelta(minutes=2), before=lines[:1]),
        Memory("3", "u", "속으로 빡침", NOW - timedelta(minutes=1), before=lines),
    ]
    end = len(f"{late.text}. {third}")
    found = tuple(RecalledMemory(m, ("semantic",), 0.5, None, sure=0.9, span=(end - len(third), end)) for m in held)
    prompt = Prompt("민지 몇 번 늦었지?", NOW, Question(True, terms=("민지",)), (), None, Decision(False, "none"), found, ())
    assert [whole(answer.memory) for answer in to_tell(known(prompt), several=True)] == [f"{late.text}. {third}"]


def test_what_is_told_again_within_what_is_told_first_is_left_out() -> None:
    whole_of, again = (
        recalled("And mum rang and called me by my dad's name.", 0.9, days_ago=2),
        recalled("mum rang and called me by my dad's name", 0.88),
    )
    prompt = Prompt("?", NOW, Question(True, terms=("mum",)), (), None, Decision(False, "none"), (whole_of, again))
    assert [a.memory.text for a in to_tell(known(prompt), several=False)] == [whole_of.memory.text]


def test_what_asks_for_nothing_told_is_answered_from_memory_by_the_reader_alone() -> None:
    alike = replace(recalled("여행 가고 싶다", 0.9), sure=None, certainty=0.95)
    for about_memory, told in ((True, 1), (False, 0)):
        assert len(known(Prompt("?", NOW, Question(about_memory), (), None, Decision(False, "none"), (alike,)))) == told
    assert len(known(Prompt("?", NOW, Question(False), (), None, Decision(False, "none"), (replace(alike, sure=0.9),)))) == 1
