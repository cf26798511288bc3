"""Whether something is asked, by the model and by the rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from lira_core.memory.asking import Asking, asked, of_the_last, unread
from lira_core.memory.question import Question
from lira_core.types import Speech, SpeechReading

RULED = Question(False, terms=("생신",))


def heard(memory: float = 0.0, other: float = 0.0, kind: Speech = "chat") -> SpeechReading:
    return SpeechReading(kind, memory, other, 0.1)


def test_the_model_makes_a_question_about_the_person_of_what_the_rules_took_for_another() -> None:
    assert asked(RULED, (), heard(memory=0.9)) == Asking(Question(True, terms=("생신",)), True)


def test_what_the_rules_did_not_see_is_asked_with_its_terms() -> None:
    assert asked(None, ("엄마", "생신"), heard(memory=0.9)) == Asking(Question(True, terms=("엄마", "생신")), True)


def test_a_statement_asks_nothing_though_the_rules_read_a_question() -> None:
    assert asked(Question(True), (), heard(0.05, 0.05)) == Asking(None, False)


def test_where_nothing_is_asked_no_reader_is_troubled_however_near_a_question_it_sounds() -> None:
    assert asked(None, (), heard(0.3, 0.1, "question")) == Asking(None, False)


def test_another_question_is_answered_from_memory_only_where_it_may_be_one_about_the_person() -> None:
    assert asked(None, ("날씨",), heard(0.05, 0.9)) == Asking(Question(False, terms=("날씨",)), False)
    assert asked(None, ("카페",), heard(0.4, 0.6)).reads
    assert not asked(None, ("카페",), heard(0.05, 0.9, "question")).reads


def test_the_days_that_are_named_count_only_where_what_was_told_may_be_asked_for() -> None:
    days = (datetime(2026, 10, 7, tzinfo=UTC), datetime(2026, 10, 8, tzinfo=UTC))
    named = Question(True, slots=((None, "plan"),), when=days)
    assert asked(named, (), heard(0.16, 0.84)) == Asking(Question(False, when=days), True)
    assert asked(named, (), heard(0.07, 0.93)) == Asking(Question(False), False)


def test_what_likelier_asks_than_not_is_read_though_nobody_knows_of_what() -> None:
    assert asked(None, ("표",), heard(0.3, 0.3)) == Asking(Question(False, terms=("표",)), True)


def test_what_only_the_model_hears_as_a_question_perhaps_of_memory_is_read_as_one() -> None:
    assert unread(None, heard(memory=0.9))
    assert unread(None, heard(0.16, 0.84))
    assert not unread(None, heard(0.05, 0.9))
    assert not unread(None, heard(0.3, 0.1))
    assert not unread(RULED, heard(memory=0.9))
    assert not unread(None, None)


def test_of_what_is_asked_after_another_question_the_feelings_are_its_own() -> None:
    before = Question(True, terms=("화나",), emotions=("anger",))
    assert of_the_last(before, Question(False, emotions=("joy",))) == Question(True, terms=("화나",), emotions=("joy",))
    assert of_the_last(before, Question(True, mood=True)) == Question(True, terms=("화나",), mood=True)
    assert of_the_last(before, Question(False)) == of_the_last(before, None) == before
    assert of_the_last(None, Question(True, emotions=("joy",))) is None


@pytest.mark.parametrize("question", [None, RULED, Question(True)])
def test_without_the_model_the_rules_decide(question: Question | None) -> None:
    assert asked(question, (), None) == Asking(question, question is not None and question.about_memory)
