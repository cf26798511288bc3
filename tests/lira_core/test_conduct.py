from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest

from lira_core.conduct import Standing, conduct
from lira_core.generation.port import Prompt
from lira_core.memory.question import Question
from lira_core.safety import care
from lira_core.safety.wording import WORDING
from lira_core.types import Aim, Decision, EmotionReading, EmotionScore, Manner, Memory, Message, RecalledMemory, SafetyReading, Tone

AT = datetime.fromisoformat("2026-10-03T09:00:00+09:00")
SAID = Prompt("오늘 파스타 먹었어", AT, None, (), None, Decision(False, "none"), ())
ASKED = replace(SAID, text="너 사람이야?", question=Question(False))
EVERY = timedelta(hours=3)
LEANS = SafetyReading(0.1, 0.9, 0.0)
SAD = EmotionReading((EmotionScore("sadness", 0.9),))


@pytest.mark.parametrize(("text", "language"), [("이제 다 그만두고 싶어", "ko"), ("I can't go on", "en")])
def test_who_sounds_at_risk_hears_care_and_nothing_of_an_engine(text: str, language: str) -> None:
    found = conduct(replace(SAID, text=text, risk="surely"), Standing(new=True), every=EVERY)
    assert (found.kind, found.instead, found.before) == ("care", care(language), "")  # type: ignore[arg-type]


@pytest.mark.parametrize(("manner", "ko", "en"), [("emergency", "119", "emergency number"), ("violence", "112", "safe")])
def test_who_needs_help_at_once_or_is_hurt_hears_where_to_turn(manner: Manner, ko: str, en: str) -> None:
    found = conduct(replace(SAID, manner=manner), Standing(), every=EVERY)
    assert found.kind == manner
    assert ko in (found.instead or "")
    assert en in (conduct(replace(SAID, text="Help", manner=manner), Standing(), every=EVERY).instead or "")
    assert conduct(replace(SAID, manner=manner, risk="surely"), Standing(), every=EVERY).kind == "care"


def test_who_asks_what_lira_is_hears_that_it_is_an_ai() -> None:
    assert "AI" in (conduct(ASKED, Standing(), every=EVERY).instead or "")
    english = conduct(replace(ASKED, text="Are you a real person?"), Standing(), every=EVERY)
    assert "I'm an AI" in (english.instead or "")


def test_an_unusual_wording_is_heard_by_the_head() -> None:
    asked = replace(SAID, text="숨은 쉬고 사는 거지?")
    assert conduct(asked, Standing(), SafetyReading(0.9, 0.0, 0.0), every=EVERY).kind == "identity"
    assert conduct(asked, Standing(), SafetyReading(0.4, 0.0, 0.0), every=EVERY).kind == "none"


def test_who_thanks_or_takes_leave_and_nothing_else_is_not_told_that_lira_takes_nobodys_place() -> None:
    thanks = replace(SAID, text="고마워 너한테 말하니까 좀 낫다", manner="thanks")
    assert conduct(thanks, Standing(), LEANS, every=EVERY).kind == "none"
    assert conduct(replace(thanks, text="고마워 너밖에 없어", manner="none"), Standing(), LEANS, every=EVERY).kind == "attachment"
    assert conduct(replace(thanks, text="그냥 들어만 줘", manner="none", aim="style"), Standing(), LEANS, every=EVERY).kind == "none"


@pytest.mark.parametrize(("text", "aim"), [("자네가 헐 줄 아는 것이 뭐뭐여", "able"), ("could you keep your answers shorter?", "style")])
def test_what_lira_can_do_and_how_it_is_to_talk_is_answered_as_such_unless_it_plainly_asks_what_it_is(text: str, aim: Aim) -> None:
    asked = replace(SAID, text=text, question=Question(False), aim=aim)
    assert conduct(asked, Standing(), SafetyReading(0.7, 0.0, 0.0), every=EVERY).kind == "none"
    assert conduct(asked, Standing(), SafetyReading(0.95, 0.0, 0.0), every=EVERY).kind == "identity"


def test_a_question_that_what_was_told_answers_is_not_taken_for_one_about_lira_unless_it_plainly_is() -> None:
    told = RecalledMemory(Memory("m", "u", "가게는 2층에 있어", AT - timedelta(days=1)), ("semantic",), 1.0, sure=0.9)
    asked = replace(SAID, text="가게가 2층이여?", question=Question(True), recalled=(told,))
    heard = SafetyReading(0.7, 0.0, 0.0)
    assert conduct(asked, Standing(), heard, every=EVERY).kind == "none"
    assert conduct(replace(asked, recalled=(replace(told, sure=0.1),)), Standing(), heard, every=EVERY).kind == "identity"
    assert conduct(asked, Standing(), SafetyReading(0.95, 0.0, 0.0), every=EVERY).kind == "identity"
    assert conduct(replace(asked, text="너 사람이야?"), Standing(), heard, every=EVERY).kind == "identity"


def test_care_comes_before_what_lira_is_and_that_before_leaning() -> None:
    everything = SafetyReading(0.9, 0.9, 0.9)
    assert conduct(replace(SAID, risk="surely"), Standing(), everything, every=EVERY).kind == "care"
    assert conduct(SAID, Standing(), everything, every=EVERY).kind == "identity"
    assert conduct(SAID, Standing(new=True), LEANS, every=EVERY).kind == "attachment"


@pytest.mark.parametrize(("text", "people"), [("나한텐 너밖에 없어", "분"), ("I only need you, not people", "some")])
def test_who_leans_on_it_alone_is_thanked_told_that_it_is_an_ai_and_turned_to_people(text: str, people: str) -> None:
    found = conduct(replace(SAID, text=text), Standing(), LEANS, every=EVERY)
    assert found.instead is not None
    assert "AI" in found.instead
    assert people in found.instead


def test_what_was_asked_beside_leaning_is_answered_after_it_and_the_engine_is_told() -> None:
    both = replace(SAID, text="너밖에 없어. 내 생일이 언제라고 했지?", question=Question(True))
    found = conduct(both, Standing(), LEANS, every=EVERY)
    assert found.instead is None
    assert "AI" in found.before
    assert found.guidance == (WORDING["ko"].after_attachment,)


def test_a_later_turn_does_not_feed_the_leaning() -> None:
    kindly = conduct(replace(SAID, text="나한텐 너밖에 없어"), Standing(), LEANS, every=EVERY).instead
    later = replace(SAID, history=(Message("user", "나한텐 너밖에 없어"), Message("lira", kindly or "")))
    assert conduct(later, Standing(last=AT), every=EVERY).guidance == (WORDING["ko"].after_attachment,)


def told(text: str, days: int, tone: Tone = "sadness") -> RecalledMemory:
    return RecalledMemory(Memory(f"m{days}", "u", text, AT - timedelta(days=days), tone=tone), ("emotion",), 0.8)


def test_sorrow_told_over_days_is_noticed_whatever_writes_the_answer() -> None:
    again = replace(SAID, text="오늘도 너무 힘들었어", emotion=SAD, recalled=(told("팀장님한테 또 혼났어", 2), told("회사 가기가 무서워", 5)))
    found = conduct(again, Standing(last=AT), every=EVERY)
    assert found.kind == "sorrow"
    assert "힘들다고" in (found.instead or "")
    assert "전문가" in (found.instead or "")
    once = replace(again, recalled=again.recalled[:1])
    assert conduct(once, Standing(last=AT), every=EVERY).kind == "none"
    long_ago = replace(again, recalled=(told("팀장님한테 또 혼났어", 2), told("회사 가기가 무서워", 50)))
    assert conduct(long_ago, Standing(last=AT), every=EVERY).kind == "none"


def test_sorrow_of_one_session_is_noticed_too_in_either_language() -> None:
    before = [Message("user", "요즘 너무 힘들어"), Message("lira", "…"), Message("user", "오늘도 너무 지쳤어"), Message("lira", "…")]
    found = conduct(replace(SAID, text="너무 힘들고 지쳤어...", emotion=SAD, history=before), Standing(last=AT), every=EVERY)
    assert (found.instead or "").startswith("요즘 계속 힘들다고 말씀해 주셨네요")
    english = [Message("user", "I'm so exhausted"), Message("user", "I feel lonely and sad")]
    assert "professional" in (conduct(replace(SAID, text="I cried again", emotion=SAD, history=english), Standing(), every=EVERY).instead or "")


def test_sorrow_is_noticed_once_and_the_engine_stays_gentle() -> None:
    before = [Message("user", "요즘 너무 힘들어"), Message("user", "오늘도 너무 지쳤어"), Message("lira", WORDING["ko"].sorrow)]
    found = conduct(replace(SAID, text="그래도 힘들어", emotion=SAD, history=before), Standing(last=AT), every=EVERY)
    assert (found.kind, found.instead, found.guidance) == ("sorrow", None, (WORDING["ko"].after_sorrow,))


def test_a_known_person_who_begins_anew_is_told_again_once_a_day() -> None:
    evening = replace(SAID, at=AT.replace(hour=21))
    assert conduct(evening, Standing(last=AT.replace(hour=21) - timedelta(days=1), opens=True), every=EVERY).after == WORDING["ko"].reminder
    assert not conduct(evening, Standing(last=AT.replace(hour=8), opens=True), every=EVERY).after
    assert conduct(evening, Standing(last=AT.replace(hour=8)), every=EVERY).after  # in one session that went on
    assert conduct(evening, Standing(last=AT.replace(hour=20, minute=50), opens=True), every=EVERY).after  # across sessions that follow at once
    assert not conduct(evening, Standing(last=AT.replace(hour=8) - timedelta(days=9), opens=True), every=timedelta(0)).after


def test_whoever_goes_on_within_the_hours_is_not_told_again() -> None:
    at_noon = replace(SAID, at=AT.replace(hour=13))
    assert not conduct(at_noon, Standing(last=AT.replace(hour=12, minute=30)), every=EVERY).after


def test_a_new_person_is_told_unasked_and_a_known_one_is_not() -> None:
    assert conduct(SAID, Standing(new=True), every=EVERY).before == WORDING["ko"].disclosure
    assert conduct(replace(SAID, text="I had pasta"), Standing(new=True), every=EVERY).before == WORDING["en"].disclosure
    assert conduct(SAID, Standing(), every=EVERY).before == ""


def test_whoever_talks_on_is_told_again_within_the_hours_of_the_setting_and_not_more_often() -> None:
    told, last = [AT], AT
    for minute in range(20, 12 * 60, 20):
        now = AT + timedelta(minutes=minute)
        if conduct(replace(SAID, at=now), Standing(last=last), every=EVERY).after:
            told.append(now)
        last = now
    gaps = [later - earlier for earlier, later in pairwise(told)]
    assert len(told) == 4
    assert max(gaps) <= EVERY + timedelta(minutes=20)
    assert not conduct(replace(SAID, at=AT + timedelta(days=9)), Standing(last=AT), every=timedelta(0)).after


def test_who_is_perhaps_at_risk_is_answered_and_then_told_where_to_turn() -> None:
    found = conduct(replace(SAID, risk="maybe"), Standing(last=AT), every=EVERY)
    assert (found.kind, found.instead) == ("concern", None)
    assert "109" in found.after
    assert found.guidance == (WORDING["ko"].with_concern,)


def test_after_care_a_later_turn_is_met_gently_whatever_words_were_said() -> None:
    before = (Message("user", "다 놓아 버릴까 봐"), Message("lira", care("ko")))
    assert conduct(replace(SAID, history=before), Standing(last=AT), every=EVERY).kind == "aftercare"


def test_after_risk_the_engine_is_told_to_be_gentle() -> None:
    before = (Message("user", "죽고 싶어"), Message("lira", care("ko")))
    found = conduct(replace(SAID, history=before), Standing(last=AT), every=EVERY)
    assert found.kind == "aftercare"
    assert found.guidance
