from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from lira_core.conduct import DISCLOSURE, Standing, conduct
from lira_core.generation.port import Prompt
from lira_core.memory.question import Question
from lira_core.safety import care
from lira_core.types import Decision, Message

AT = datetime.fromisoformat("2026-10-03T09:00:00+09:00")
SAID = Prompt("오늘 파스타 먹었어", AT, None, (), None, Decision(False, "none"), ())
ASKED = replace(SAID, text="너 사람이야?", question=Question(False))
EVERY = timedelta(hours=3)


@pytest.mark.parametrize(("text", "language"), [("이제 다 그만두고 싶어", "ko"), ("I can't go on", "en")])
def test_who_sounds_at_risk_hears_care_and_nothing_of_an_engine(text: str, language: str) -> None:
    found = conduct(replace(SAID, text=text, at_risk=True), Standing(new=True), every=EVERY)
    assert (found.kind, found.instead, found.before) == ("care", care(language), "")  # type: ignore[arg-type]


def test_who_asks_what_lira_is_hears_that_it_is_an_ai() -> None:
    assert "AI" in (conduct(ASKED, Standing(), every=EVERY).instead or "")
    english = conduct(replace(ASKED, text="Are you a real person?"), Standing(), every=EVERY)
    assert "I'm an AI" in (english.instead or "")


def test_a_new_person_is_told_unasked_and_a_known_one_is_not() -> None:
    assert conduct(SAID, Standing(new=True), every=EVERY).before == DISCLOSURE["ko"]
    assert conduct(replace(SAID, text="I had pasta"), Standing(new=True), every=EVERY).before == DISCLOSURE["en"]
    assert conduct(SAID, Standing(), every=EVERY).before == ""


def test_whoever_talks_on_is_told_again_within_the_hours_of_the_setting_and_not_more_often() -> None:
    told, last = [AT], AT
    for minute in range(20, 12 * 60, 20):
        now = AT + timedelta(minutes=minute)
        if conduct(replace(SAID, at=now), Standing(last=last), every=EVERY).before:
            told.append(now)
        last = now
    gaps = [later - earlier for earlier, later in pairwise(told)]
    assert len(told) == 4
    assert max(gaps) <= EVERY + timedelta(minutes=20)
    assert not conduct(replace(SAID, at=AT + timedelta(days=9)), Standing(last=AT), every=timedelta(0)).before


def test_after_risk_the_engine_is_told_to_be_gentle() -> None:
    before = (Message("user", "죽고 싶어"), Message("lira", care("ko")))
    found = conduct(replace(SAID, history=before), Standing(last=AT), every=EVERY)
    assert found.kind == "aftercare"
    assert found.guidance
