"""The grounded responder: answers only what is known, takes up what was said, and cares before anything else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.embedding.aim import AIMS
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Prompt
from lira_core.languages.en.replies import TOLD, second_person
from lira_core.languages.ko.wordings import AFTER, SMALL, TONES
from lira_core.languages.terms import terms as terms_of
from lira_core.memory.asking import ask
from lira_core.memory.question import Question, from_now_on
from lira_core.reading.port import Verdict
from lira_core.responses import NO_RESPONSE, RESPONSES
from lira_core.types import (
    USER,
    Aim,
    Category,
    Decision,
    EmotionReading,
    EmotionScore,
    Fact,
    Manner,
    Memory,
    Message,
    RecalledMemory,
    Risk,
    Speech,
    Tone,
)

SEOUL = ZoneInfo("Asia/Seoul")
SAID = datetime(2026, 10, 3, 9, 0, tzinfo=SEOUL)
NOW = datetime(2026, 10, 6, 9, 0, tzinfo=SEOUL)
RESPONDER = GroundedResponder()


def feeling(label: str, score: float = 0.9) -> EmotionReading:
    return EmotionReading((EmotionScore(label, score),))


def recalled(text: str, *facts: Fact, at: datetime = SAID, tone: Tone = "neutral", certainty: float | None = 0.95) -> RecalledMemory:
    memory = Memory(f"{at.isoformat()}{text}", "u", text, at, facts=facts, tone=tone, terms=tuple(terms_of(text)))
    return RecalledMemory(memory, ("fact", "emotion"), 0.9, certainty)


def answer(
    text: str,
    *memories: RecalledMemory,
    question: Question | None = None,
    facts: tuple[Fact, ...] = (),
    emotion: EmotionReading | None = None,
    history: Sequence[Message] = (),
    keep: bool = False,
    verdict: Verdict | None = None,
    risk: Risk = "none",
    speech: Speech | None = None,
    manner: Manner = "none",
    tone: Tone | None = None,
    aim: Aim = "none",
    response: str = NO_RESPONSE,
) -> str:
    decision = Decision(keep, "fact" if keep else "none")
    prompt = Prompt(
        text, NOW, question, facts, emotion, decision, memories, history, verdict, risk,
        speech=speech, manner=manner, tone=tone, aim=aim, response=response,
    )  # fmt: skip
    return RESPONDER.compose(prompt)


def about(*slots: tuple[str | None, str], terms: tuple[str, ...] = (), emotions: tuple[str, ...] = ()) -> Question:
    return Question(True, slots, terms, emotions)


NAME = Fact(USER, "name", "B", "name", key="name:user")
STRAWBERRY = Fact(USER, "favorite", "딸기", "taste", key="favorite:과일")
GRAPE = Fact(USER, "favorite", "포도", "taste", key="favorite:과일")
COFFEE = Fact(USER, "like", "커피", "taste", key="taste:커피")
NO_COFFEE = Fact(USER, "like", "커피", "taste", polarity=False, key="taste:커피")
MEETING = Fact(
    USER,
    "plan",
    "미팅",
    "plan",
    key="plan:미팅",
    when=datetime(2026, 10, 10, 15, 0, tzinfo=SEOUL),
    when_text="10월 10일 토요일 오후 3시",
    place="강남",
    people=("민수",),
)


# Questions that a memory answers


def test_a_name_is_answered_with_the_right_copula() -> None:
    reply = answer("제 이름이 뭐였죠?", recalled("안녕하세요, 제 이름은 B입니다.", NAME), question=about((USER, "name")))
    assert reply in {"B님이에요.", "B님이시죠."}


def test_a_plan_is_answered_with_when_where_and_with_whom() -> None:
    memory = recalled("토요일 오후 3시 강남에서 민수랑 미팅 있어", MEETING)
    reply = answer("내 일정 뭐였지?", memory, question=about((USER, "plan")))
    assert all(word in reply for word in ("토요일", "오후 3시", "강남에서", "민수", "미팅"))


def test_of_two_that_conflict_only_the_newer_is_said() -> None:
    old = recalled("제일 좋아하는 과일은 딸기야", STRAWBERRY)
    new = recalled("제일 좋아하는 과일은 포도야", GRAPE, at=SAID + timedelta(days=1))
    reply = answer("내가 제일 좋아하는 과일이 뭐지?", new, old, question=about((USER, "favorite"), (USER, "like")))
    assert "포도" in reply
    assert "딸기" not in reply


@pytest.mark.parametrize(("verdict", "starts"), [("yes", "네, "), ("no", "아니요, "), (None, "커피")])
def test_yes_or_no_is_the_reader_s(verdict: Verdict | None, starts: str) -> None:
    reply = answer("내가 커피 좋아하나?", recalled("커피 이제 끊었어", NO_COFFEE), question=about(), verdict=verdict)
    assert reply.startswith(starts)
    assert "커피" in reply


def test_a_why_gives_the_cause_in_the_persons_words() -> None:
    text = "오늘 정말 너무 기뻤어. 드디어 오늘 나만의 RAG시스템이 완성됐어!!"
    felt = Fact(USER, "felt", "드디어 오늘 나만의 RAG시스템이 완성됐어", "event")
    reply = answer("내가 기쁜 이유가 뭐였지?", recalled(text, felt, tone="joy"), question=about((USER, "felt"), emotions=("joy",)))
    assert "나만의 RAG시스템이 완성됐다고" in reply
    assert "기뻤" in reply


def test_a_relative_day_is_said_absolutely_later() -> None:
    lost = Fact(USER, "lost", "지갑", "event")
    reply = answer("내가 뭘 잃어버렸지?", recalled("어제 지갑을 잃어버렸어", lost), question=about((USER, "lost")))
    assert "지갑" in reply
    assert "10월 2일" in reply
    assert "어제" not in reply


def test_what_was_just_said_is_known_from_the_session() -> None:
    history = [Message("user", "임시 메모 : 나는 커피를 좋아한다"), Message("lira", "커피를 좋아하시는군요.")]
    reply = answer("아까 내가 뭐라고 했지?", question=Question(True, just_now=True), history=history)
    assert reply.startswith("커피를 좋아한다고")


def test_all_that_is_known_is_summed_up_in_one_sentence() -> None:
    memories = [recalled("제 이름은 B입니다.", NAME), recalled("나 커피 좋아해", COFFEE)]
    reply = answer("나에 대해 뭐 알아?", *memories, question=Question(True, everything=True))
    assert "이름은 B라고" in reply
    assert "커피 좋아한다고" in reply
    assert reply.count(".") == 1


def test_what_the_person_asked_in_this_session_is_not_told_as_what_they_told() -> None:
    history = [Message("user", "is mia gonna be ok"), Message("lira", "…"), Message("user", "I live in Leeds"), Message("lira", "…")]
    reply = answer("what do you know about me?", question=Question(True, everything=True), history=history)
    assert "Leeds" in reply
    assert "mia" not in reply


def test_what_was_said_at_risk_is_remembered_gently_where_nothing_else_answers() -> None:
    dark, plain = recalled("그날은 정말 죽고 싶었어", certainty=0.99), recalled("그날 술집 앞까지 갔다가 안 들어갔어")
    question = about(terms=("그날",))
    assert answer("내가 그날 뭐 했지?", dark, question=question) == "많이 힘들다고 하셨어요. 지금은 마음이 좀 어떠세요?"
    assert "안 들어갔다고" in answer("내가 그날 뭐 했지?", dark, plain, question=question)


@pytest.mark.parametrize("text", ["그럼 준서는?", "until when do I stay there?"])
def test_what_asks_for_neither_yes_nor_no_is_told_neither(text: str) -> None:
    reply = answer(text, recalled("준서는 6월까지 있어"), question=about(terms=("준서",)), verdict="yes")
    assert not reply.startswith(("네", "Yes"))


@pytest.mark.parametrize(("text", "manner"), [("응", "thanks"), ("하하하", "hello"), ("배고파", "bye"), ("심심해", "thanks")])
def test_a_word_by_itself_is_met_by_what_it_says_whatever_greeting_it_sounds_like(text: str, manner: Manner) -> None:
    assert answer(text, manner=manner) == answer(text)


@pytest.mark.parametrize(("asked", "said"), [("오늘 비와?", "오늘 비 와"), ("오늘 추워?", "오늘 추워"), ("눈 와?", "눈 와")])
def test_who_asks_for_the_weather_is_not_met_as_if_they_had_told_it(asked: str, said: str) -> None:
    of_weather = {reply for kind in ("rain", "cold", "snow") for reply in SMALL[kind]}
    assert answer(asked, question=Question(False), aim="task") not in of_weather
    assert answer(said) in of_weather


# Questions that nothing answers


@pytest.mark.parametrize("text", ["내 혈액형 기억하니?", "내 혈액형이 뭐야?", "혹시 내 혈액형 알아?", "저 혈액형이 뭐였죠?"])
def test_what_was_never_told_is_not_known(text: str) -> None:
    reply = answer(text, recalled("제 이름은 B입니다.", NAME, certainty=0.2), question=about((USER, "blood_type"), terms=("혈액형",)))
    assert "모르겠어요" in reply
    assert "B" not in reply


def test_who_gives_it_away_in_asking_is_not_told_that_nobody_ever_told() -> None:
    question = about((USER, "allergy"), terms=("땅콩",))
    assert "모르겠어요" in answer("땅콩 알레르기 있는 거 잊지 않았지?", question=question)
    assert "모르" not in answer("땅콩 알레르기 있는 거 잊지 않았지?", question=question, keep=True)


def test_what_is_heard_as_a_question_about_the_person_is_never_mused_over() -> None:
    assert "모르겠어요" in answer("출국하는 비행기 언제지", question=Question(True, terms=("비행기",)))


def test_in_english_too() -> None:
    reply = answer("What is my blood type?", question=about((USER, "blood_type")))
    assert "know" in reply
    assert not re.search("[가-힣]", reply)


def test_the_world_is_honestly_not_known() -> None:
    assert "모르겠어요" in answer("프랑스 수도가 어디야?", question=Question(False))


@pytest.mark.parametrize("aim", AIMS[1:])
def test_what_is_wanted_of_lira_has_an_answer_of_its_own(aim: Aim) -> None:
    for text, other in (("그거 좀 해 봐", "task"), ("go on then", "advice")):
        reply = answer(text, question=Question(False), aim=aim)
        assert reply == answer(text, aim=aim)
        assert aim == other or reply != answer(text, question=Question(False), aim=other)


def test_asked_who_it_is_it_says_lira() -> None:
    assert "리라" in answer("너 누구야?", question=Question(False), aim="self")


def test_who_wants_an_opinion_is_told_no_yes_or_no_and_nothing_that_merely_comes_close() -> None:
    close = replace(recalled("행정법 모의고사 85점 나옴"), sure=0.6)
    reply = answer("시험 붙을 수 있겠지?", close, question=Question(False), verdict="no", aim="reassure")
    assert reply == answer("시험 붙을 수 있겠지?", question=Question(False), aim="reassure")
    surely = answer("시험 붙을 수 있겠지?", replace(close, sure=0.9), question=Question(False), verdict="no", aim="reassure")
    assert "85점" in surely
    assert "아니요" not in surely


def test_what_is_not_kept_is_not_promised_to_be_remembered() -> None:
    promises = re.compile("(?:기억할|기억해 둘|잊지 않을|적어 둘|담아 둘|새겨 둘|알고 있을)게요|I'll remember|Noted|I won't forget")
    for category in get_args(Category):
        for predicate in ("plan", "allergy", "dislike", "memo", "like"):
            for said in ("회식 장소를 예약했어", "회식", "I booked the team dinner", "the dinner"):
                for polarity in (True, False):
                    fact = Fact("동생", predicate, "회식", category, polarity)
                    assert not promises.search(answer(said, facts=(fact,)))
    for kind in RESPONSES:
        for text in ("팀 송년회 예약했어", "내일은 회식이야", "I booked the team dinner", "we are out tomorrow"):
            assert not promises.search(answer(text, response=kind))
    assert promises.search(answer("회식", facts=(Fact("동생", "memo", "회식", "profile"),), keep=True))
    assert any(promises.search(answer(text, response="note", keep=True)) for text in ("저녁 7시야", "305호야", "빨간색이야", "세 명이야"))


@pytest.mark.parametrize("kind", RESPONSES)
def test_a_kind_of_reply_that_fits_is_said_in_the_language_of_what_was_told(kind: str) -> None:
    assert answer("우리 팀 송년회 예약했어", response=kind, keep=True) in RESPONSES[kind].wordings["ko"]
    assert answer("I booked the team dinner", response=kind, keep=True) in RESPONSES[kind].wordings["en"]


def test_what_was_taken_for_a_question_and_nothing_answers_gets_the_reply_that_fits() -> None:
    asked = "누나 유학 감"
    assert answer(asked, question=Question(True), response="farewell") in RESPONSES["farewell"].wordings["ko"]
    told = replace(recalled("누나는 캐나다로 유학 갔어"), sure=3.0)
    assert "캐나다" in answer(asked, told, question=Question(True), response="farewell")


def test_of_the_replies_that_fit_one_that_was_not_just_said_is_chosen() -> None:
    said = [Message("lira", text) for text in RESPONSES["tired_self"].wordings["ko"][:-1]]
    for text in ("오늘 진짜 힘들었다", "피곤해 죽겠네", "하루가 참 길었다"):
        assert answer(text, response="tired_self", history=said) == RESPONSES["tired_self"].wordings["ko"][-1]


def test_who_is_angry_without_saying_why_is_not_told_that_their_spirits_are_low() -> None:
    for text, language in (("아 진짜 열받네", "ko"), ("am fuming", "en")):
        low = RESPONSES["bad_mood"].wordings[language]  # type: ignore[index]
        assert answer(text, response="bad_mood", tone="sadness") in low
        assert answer(text, response="bad_mood", tone="anger") not in low


def test_what_is_asked_to_be_kept_is_kept_whatever_reply_fits() -> None:
    kept = Prompt("엄마 병원 목요일인 거 기억해 줘", NOW, None, (), None, Decision(True, "trigger"), (), response="clinic_other")
    assert RESPONDER.compose(kept) not in RESPONSES["clinic_other"].wordings["ko"]


def test_a_question_that_nothing_told_answers_is_met_by_what_it_plainly_wants_of_lira() -> None:
    asked = "나 시험 붙을 수 있겠지?"
    assert "모르겠어요" in answer(asked, question=Question(True))
    assert answer(asked, question=Question(True), aim="reassure") == answer(asked, question=Question(False), aim="reassure")
    told = replace(recalled("나 시험 붙었어"), sure=3.0)
    assert answer(asked, told, question=Question(True), verdict="yes", aim="reassure").startswith("네, 시험 붙었다고")


@pytest.mark.parametrize(
    ("told", "words", "alone"),
    [
        ("오토바이는 중고 pcx 이름은 똘이", "똘이", "똘이예요. "),
        ("옆집 민지가 커피 사줌", "사줌", ""),
        ("Had a coffee with Debbie. She is a dental nurse", "Debbie", "Debbie. "),
        ("Met Anna at my sister's", "my sister's", ""),
    ],
)
def test_few_clear_words_that_answer_come_before_what_was_said(told: str, words: str, alone: str) -> None:
    start = told.index(words)
    asked, memory = about(terms=("x",)), replace(recalled(told), sure=0.9, span=(start, start + len(words)))
    question = "who was it?" if told.isascii() else "뭐였지?"
    plain = answer(question, memory, question=asked)
    assert answer(question, replace(memory, clear=True), question=asked) == alone + plain
    assert told in plain


def test_a_remark_put_as_a_question_is_met_by_what_is_felt_about_it() -> None:
    assert answer("왜 이렇게 버스가 안 오냐", tone="annoyance", aim="musing") == answer("왜 이렇게 버스가 안 오냐", tone="annoyance")
    assert answer("왜 이렇게 버스가 안 오냐", aim="musing") != answer("왜 이렇게 버스가 안 오냐")


# All there is


def test_two_facts_told_in_this_session_are_listed() -> None:
    history = [Message("user", "나는 부산에 살아"), Message("lira", "…"), Message("user", "나 커피 좋아해"), Message("lira", "…")]
    reply = answer("나에 대해 뭐 알고 있어?", question=Question(True, everything=True), history=history)
    assert "부산" in reply
    assert "커피" in reply


def test_of_a_fact_that_changed_only_the_newest_is_listed() -> None:
    old, new = recalled("딸기가 제일 좋아", STRAWBERRY), recalled("제일 좋아하는 과일은 포도야", GRAPE, at=SAID + timedelta(days=1))
    reply = answer("나에 대해 뭐 알아?", old, new, question=Question(True, everything=True))
    assert "포도" in reply
    assert "딸기" not in reply


def test_all_of_something_is_listed_newest_first_and_where_there_is_nothing_that_is_said() -> None:
    memories = [recalled("민수는 대전에서 일해"), recalled("민수랑 싸웠어", at=SAID + timedelta(days=1))]
    asked = Question(True, terms=("민수",), listing=True)
    assert answer("민수에 대해 뭐 알아?", *memories, question=asked) == "민수랑 싸웠다고, 민수는 대전에서 일한다고 하셨어요."
    assert "모르겠" in answer("민수에 대해 뭐 알아?", question=asked)


def test_a_title_ends_no_sentence() -> None:
    told = replace(recalled("Mrs. Ellwood has influenza, so Mr. Gooch will drive me to Cromer."), sure=0.9)
    assert "Mrs. Ellwood has influenza, so Mr. Gooch will" in answer("Who drives me to Cromer?", told, question=Question(True))


def test_a_week_asked_about_lists_what_was_told_of_it() -> None:
    days = (SAID - timedelta(days=5), SAID + timedelta(days=2))
    memories = [recalled("영화를 봤어"), recalled("이사했어", at=SAID - timedelta(days=30)), recalled("어제 도서관에 갔어")]
    reply = answer("지난주에 뭐 했지?", *memories, question=Question(True, when=days))
    assert "영화" in reply
    assert "10월 2일 금요일에 도서관" in reply
    assert "이사" not in reply


def test_what_is_ahead_is_told_in_the_order_of_its_days() -> None:
    memories = [
        recalled("다음 달 3일에 이사해"),
        recalled("이번 주 토요일에 동창회 있어", at=SAID - timedelta(hours=1)),
        recalled("점심에 라면 먹었어"),
    ]
    reply = answer("앞으로 뭐 있지?", *memories, question=Question(True, when=from_now_on(SAID), ahead=True))
    assert reply.index("동창회") < reply.index("이사")
    assert "라면" not in reply


def test_what_is_ahead_may_be_told_though_it_names_no_day() -> None:
    wish = replace(recalled("나중에 카페 차리고 싶어"), sure=0.9)
    reply = answer("앞으로 뭐 하고 싶다고 했지?", wish, question=Question(True, when=from_now_on(SAID), ahead=True))
    assert "카페" in reply


def test_in_english_too_all_there_is_is_listed() -> None:
    memories = [recalled("My name is Sam."), recalled("I love tea.", at=SAID + timedelta(days=1))]
    reply = answer("what do you know about me", *memories, question=Question(True, everything=True))
    assert reply == "You told me that you love tea. You also said that your name is Sam."


def test_no_list_holds_what_was_said_at_risk() -> None:
    assert "죽" not in answer(
        "나에 대해 뭐 알아?", recalled("죽고 싶어"), recalled("나 커피 좋아해", COFFEE), question=Question(True, everything=True)
    )


# How it is told


@pytest.mark.parametrize(
    ("earlier", "later", "told"),
    [
        ("28일에 제주도 가기로 했어", "제주도 취소됨", ": 제주도 취소됨."),
        ("수요일에 병원 가", "병원 금요일로 바뀌었어", "그 뒤에는 병원 10월 9일 금요일로 바뀌었다고"),
        ("I'm flying to Lisbon on the 3rd", "Lisbon is off", "Later you said that Lisbon is off."),
    ],
)
def test_what_changes_what_was_told_is_told_as_later(earlier: str, later: str, told: str) -> None:
    second = recalled(later, at=SAID + timedelta(days=1))
    first = replace(recalled(earlier), changed_by=second.memory.id)
    memories = (replace(second, sure=0.899), replace(first, sure=0.9))
    text = "나 28일에 뭐 하기로 했었지?" if "일" in earlier else "what was I doing?"
    reply = answer(text, *memories, question=Question(True))
    assert told in reply
    assert reply.index("병원" if "병원" in earlier else "Lisbon" if "Lisbon" in earlier else "제주도") < reply.index(told)


def test_what_is_only_newer_is_not_told_as_if_it_changed_anything() -> None:
    first, second = recalled("My mom is picking me up"), recalled("Jess is saving me a seat", at=SAID + timedelta(days=1))
    reply = answer("who's picking me up?", replace(second, sure=0.899), replace(first, sure=0.9), question=Question(True))
    assert reply == "You told me that your mom is picking you up. You also said that Jess is saving you a seat."


def test_of_a_day_what_was_called_off_is_told_as_such_and_among_several_beside_it() -> None:
    trip, off = recalled("28일에 제주도 가기로 했어"), recalled("제주도 취소됨", at=SAID + timedelta(days=1))
    dentist, trip = recalled("28일 아침에 치과 가야 돼"), replace(trip, changed_by=off.memory.id)
    asked = Question(True, when=(SAID.replace(day=28, hour=0), SAID.replace(day=29, hour=0)))
    assert answer("나 28일에 뭐 하기로 했었지?", trip, question=asked).endswith("가기로 했다고 하셨어요.")
    assert "제주도 가기로 했다고 하셨죠. 그 뒤에는" in answer("나 28일에 뭐 하기로 했었지?", trip, off, question=asked)
    several = answer("나 28일에 뭐 하기로 했었지?", trip, off, dentist, question=asked)
    assert all(words in several for words in ("제주도 가기로", "치과", "제주도 취소됨"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("나 커피 끊었다 이제 녹차 마셔ㅋㅋ 카페인 땜에", "나 커피 끊었다"),
        ("나 커피 끊었다 이제 녹차 마셔", "커피 끊었고 이제 녹차 마신다고"),
        ("친구가 6월에 캐나다로 이민 간대", ": 친구가 6월에 캐나다로 이민 간대."),
        ("걔가 저는 밥 안 먹는대 ㅋㅋ", ": 걔가 저는 밥 안 먹는대."),
        ("수술 날짜가 바뀌었어요. 5월 13일로요.", "5월 13일로요."),
        ("동생이랑 싸웠어. 기분이 너무 안 좋아", "동생이랑 싸웠고 기분이 너무 안 좋다고"),
        ("부모님은 목포에서 횟집 하세요", "부모님은 목포에서 횟집 하신다고"),
        ("내일 3시 치과 예약", ": 10월 4일 일요일 3시에 치과 예약."),
    ],
)
def test_plain_sentences_are_retold_and_others_quoted(said: str, told: str) -> None:
    assert told in answer("뭐라고 했지?", recalled(said), question=about(terms=("말",)))


def test_of_a_long_memory_the_sentence_that_answers_is_told() -> None:
    text = (
        "오늘 오랜만에 고등학교 친구들을 시청 앞에서 만나서 하루 종일 돌아다녔어. 성호는 작년에 큰 시험에 붙어서 변리사가 됐어. "
        "태민이는 제주도 애월에서 게스트하우스를 차렸어. 저녁에는 다 같이 오래된 분식집에 가서 떡볶이랑 튀김을 잔뜩 먹었어."
    )
    reply = answer("게스트하우스 차린 게 누구였지?", recalled(text), question=about(terms=("게스트하우스", "차리")))
    assert reply.startswith("태민이는 제주도 애월에서 게스트하우스를 차렸다고 ")


def test_a_text_at_risk_is_never_quoted_back() -> None:
    assert "죽" not in answer("내가 뭐라고 했지?", recalled("요즘 죽고 싶어"), question=about(terms=("말",)))


def test_a_yes_is_of_whom_was_asked() -> None:
    uncle = recalled("우리 이모부가 당뇨가 있으셔", Fact("이모부", "condition", "당뇨", "health"))
    assert not answer("나 당뇨 있어?", uncle, question=about(terms=("당뇨",)), verdict="yes").startswith("네")
    assert answer("이모부 당뇨 있으셔?", uncle, question=about(terms=("당뇨",)), verdict="yes").startswith("네, ")


@pytest.mark.parametrize("text", ["라떼아트 대회 며칠이야?", "우리가 어데서 만나기로 했제", "So when is my contest?"])
def test_no_yes_or_no_is_said_to_who_asks_what_or_when(text: str) -> None:
    contest = recalled("라떼아트 대회가 13일로 옮겨졌어")
    assert "13일" in (reply := answer(text, contest, question=about(terms=("대회",)), verdict="no"))
    assert not re.match("아니요|No", reply)


# What was just told


def test_who_gives_a_name_is_greeted_by_it() -> None:
    reply = answer("안녕하세요, 제 이름은 B입니다.", facts=(NAME,), emotion=feeling("joy", 0.4), keep=True)
    assert "B님" in reply
    assert "반가워요" in reply


def test_a_plan_is_repeated() -> None:
    assert "강남에서 민수랑 미팅 있으시군요" in answer("내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘.", facts=(MEETING,), keep=True)


def test_a_changed_taste_is_noticed_lightly() -> None:
    reply = answer("제일 좋아하는 과일은 포도야", recalled("딸기가 제일 좋아", STRAWBERRY), facts=(GRAPE,), keep=True)
    assert reply.startswith("제일 좋아하는 과일은 포도군요. ")
    assert re.search("이제부터|바뀐", reply)


# Feelings


@pytest.mark.parametrize("label", sorted(set(TONES) - {"neutral", "approval", "curiosity", "realization"}))
def test_every_feeling_gets_an_answer_of_its_own_that_repeats_nothing(label: str) -> None:
    reply = answer("동생이랑 같이 시장에 다녀왔어", emotion=feeling(label))
    assert any(reply.startswith(one) for one in TONES[label])
    assert "시장" not in reply


def test_there_is_a_tone_for_every_label() -> None:
    assert len(TONES) == 28


def test_the_same_feeling_is_not_always_answered_the_same() -> None:
    said = ["면접에서 떨어졌어", "지갑을 잃어버렸어", "시험을 망쳤어", "친구랑 싸웠어", "회사에서 혼났어", "길에서 넘어졌어"]
    assert len({answer(text, emotion=feeling("sadness")) for text in said}) >= 4


def test_a_cheerful_memory_never_meets_a_heavy_heart() -> None:
    cheerful = recalled("드디어 취직했어!!", tone="joy")
    assert "취직" not in answer("면접에서 떨어졌어", cheerful, emotion=feeling("sadness"))


def test_a_memory_of_the_same_feeling_may_be_mentioned() -> None:
    before = recalled("드디어 취직했어!!", tone="joy")
    assert "취직했다고 하셨" in answer("오늘 상을 받았어!", before, emotion=feeling("joy"))


def test_whoever_is_low_is_reminded_of_what_grieved_them_though_it_was_read_as_another_sorrow() -> None:
    before = recalled("할머니가 어제 돌아가셨어", tone="grief")
    assert "돌아가셨다고 하셨는데" in answer("나 지금 너무 힘들다", before, tone="sadness")
    assert "돌아가셨" not in answer("회사에서 또 혼나서 짜증나", before, tone="annoyance")


def test_a_memory_of_the_same_feeling_is_told_in_english_too() -> None:
    before = recalled("I lost my job", tone="sadness")
    assert "You told me that you lost your job too" in answer("I feel so low", before, tone="sadness")
    assert "job" not in answer("I feel so low", recalled("Lost my job, gutted", tone="sadness"), tone="sadness")


def test_what_was_surely_gladly_felt_answers_no_question_for_a_sorrow() -> None:
    praised = recalled("오늘 회사에서 칭찬받아서 기분 최고였어")
    glad = replace(praised, sure=0.9, memory=replace(praised.memory, emotion=feeling("joy")))
    asked = ask("나 우울했던 적 있어?", NOW)
    assert "칭찬" not in answer("나 우울했던 적 있어?", glad, question=asked, verdict="yes")
    assert "칭찬" in answer("나 기뻤던 적 있어?", glad, question=ask("나 기뻤던 적 있어?", NOW), verdict="yes")
    unsure = replace(glad, memory=replace(glad.memory, emotion=feeling("joy", 0.4)))
    assert "칭찬" in answer("나 우울했던 적 있어?", unsure, question=asked)


def test_asked_how_somebody_felt_what_they_felt_is_listed() -> None:
    sure = [replace(recalled(text), sure=0.9) for text in ("나 승진했어", "강아지가 아파서 걱정돼")]
    reply = answer("요즘 내 기분 어땠어?", *sure, question=Question(True, mood=True))
    assert "승진" in reply
    assert "걱정된다" in reply


def test_a_feeling_matters_more_than_a_fact_but_not_than_a_name() -> None:
    assert "미팅" not in answer("내일 강남에서 미팅 있는데 시험에 떨어졌어", facts=(MEETING,), tone="sadness")
    assert "B님" in answer("나 B야. 시험에 떨어졌어", facts=(NAME,), tone="sadness")


@pytest.mark.parametrize("text", ["드라마에서 주인공이 폐암 걸려서 죽었어", "영화에서 강아지가 죽었어", "the dog died in the film"])
def test_who_dies_in_a_story_is_not_mourned(text: str) -> None:
    assert not re.search("위로|상심|아프|무거|sorry", answer(text, emotion=feeling("sadness"), speech="fiction"))


def test_who_is_at_risk_hears_the_help_lines_and_no_memory() -> None:
    reply = answer("죽고 싶어", recalled("드디어 취직했어!!", tone="joy"), emotion=feeling("sadness"), risk="surely")
    assert "109" in reply
    assert "1577-0199" in reply
    assert "취직" not in reply


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("오늘 며칠이야?", "10월 6일 화요일이에요."),
        ("내일은 무슨 요일이지", "10월 7일 수요일이에요."),
        ("크리스마스가 무슨 요일이더라?", "12월 25일 금요일이에요."),
        ("지금 몇 시야?", "지금은 10월 6일 화요일 오전 9시예요."),
        ("what day is it today?", "It's Tuesday, October 6."),
        ("what date is next friday?", "It's Friday, October 16."),
        ("what time is it", "It's Tuesday, October 6 at 9 AM."),
    ],
)
def test_what_day_or_what_time_it_is_the_calendar_answers(text: str, reply: str) -> None:
    assert answer(text, question=Question(False)) == reply


@pytest.mark.parametrize(
    "text", ["내 생일 며칠이지?", "발표 무슨 요일이더라?", "며칠이야?", "what day is my exam?", "내일 뭐 있어?", "what's the time of my flight?"]
)
def test_the_day_of_something_told_is_not_on_the_calendar(text: str) -> None:
    assert not re.search("요일이에요|^It's", answer(text, question=Question(True)))


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("크리스마스까지 며칠 남았어?", "80일 남았어요. 12월 25일 금요일이에요."),
        ("how long until christmas?", "80 days to go. It's Friday, December 25."),
    ],
)
def test_how_long_it_is_to_a_day_of_the_calendar_is_counted(text: str, reply: str) -> None:
    assert answer(text, question=ask(text, NOW)) == reply


def test_a_day_that_is_over_is_not_counted_to() -> None:
    assert answer("어제까지 며칠 남았지?", question=ask("어제까지 며칠 남았지?", NOW)) == "10월 5일 월요일이에요."


def test_how_long_it_still_is_to_what_was_told_is_counted_beside_it() -> None:
    exam = replace(recalled("다음 시험은 10월 13일에 봐요"), sure=0.9)
    reply = answer("시험까지 며칠 남았지?", exam, question=ask("시험까지 며칠 남았지?", NOW))
    assert reply.startswith("7일 남았어요. 다음 시험은 10월 13일에 본다고 ")
    drawer = replace(recalled("시험 수험표는 서랍에 넣어 뒀어", at=SAID + timedelta(hours=1)), sure=0.9)
    assert "수험표" not in answer("시험까지 며칠 남았지?", exam, drawer, question=ask("시험까지 며칠 남았지?", NOW))
    flight = replace(recalled("my flight is on October 7th"), sure=0.9)
    assert answer("how long until my flight?", flight, question=ask("how long until my flight?", NOW)).startswith("It's tomorrow. You")
    over = replace(recalled("시험은 10월 4일이야"), sure=0.9)
    online = replace(recalled("시험은 온라인으로 바뀌었대", at=SAID + timedelta(hours=1)), sure=0.95)
    assert answer("시험까지 며칠 남았지?", replace(exam, sure=0.6), online, question=ask("시험까지 며칠 남았지?", NOW)).startswith("7일 남았어요.")
    assert "남았어요" not in answer("시험까지 며칠 남았지?", over, question=ask("시험까지 며칠 남았지?", NOW))


def test_nobody_is_said_to_be_away_on_a_day_in_the_middle_of_their_stay() -> None:
    stay = replace(recalled("엄마가 10월 12일부터 10월 19일까지 우리 집에 있어"), sure=0.9)
    assert "아니요" not in answer("15일에 엄마 있어?", stay, question=ask("15일에 엄마 있어?", NOW), verdict="no")
    assert answer("12일에 엄마 있어?", stay, question=ask("12일에 엄마 있어?", NOW), verdict="yes").startswith("네,")


# Small talk


@pytest.mark.parametrize(
    ("text", "manner", "expected"),
    [
        ("안녕하세요", "hello", "안녕|반가"),
        ("고마워!", "thanks", "고마|기뻐|별말"),
        ("굿밤", "night", "주무"),
        ("ㅂㅂ", "bye", "또|다음"),
        ("ㅋㅋㅋㅋ", "none", "웃|즐거"),
        ("응", "none", "네|그렇"),
        ("k bye x", "bye", "Goodbye|Take care"),
    ],
)
def test_small_talk_is_answered_as_such(text: str, manner: Manner, expected: str) -> None:
    assert re.search(expected, answer(text, manner=manner))


@pytest.mark.parametrize(
    ("text", "unknown", "offer"), [("통장 얘긴 잊어 줘", "기억 목록", "지울까요"), ("Forget that, please", "list of memories", "Shall I delete")]
)
def test_who_wants_something_forgotten_hears_what_it_would_be(text: str, unknown: str, offer: str) -> None:
    reply = answer(text, recalled("통장은 장롱에 있어"), manner="forget")
    assert "장롱" in reply
    assert offer in reply
    assert unknown in answer(text, manner="forget")


def test_what_was_said_at_risk_is_not_named_in_an_offer() -> None:
    assert "기억 목록" in answer("죽고 싶다고 한 거 잊어 줘", recalled("죽고 싶어"), manner="forget")


# Whatever is said


@given(st.text(max_size=200), st.sampled_from([None, *sorted(TONES)]))
@settings(max_examples=150, deadline=None)
def test_no_utterance_is_left_without_an_answer(text: str, label: str | None) -> None:
    reply = answer(text, emotion=feeling(label) if label else None)
    assert reply.strip()
    assert not set(reply) & set('"“”')


KOREAN = [
    "비가 오네",
    "나는 오늘 도서관에서 책을 세 권 읽었어",
    "배고프다",
    "주말에 뭐 하지",
    "그 영화 별로였어",
    "나 요즘 운동해",
    "몰라",
    "친구가 결혼한대",
]


@pytest.mark.parametrize("text", KOREAN)
@pytest.mark.parametrize("label", ["neutral", "joy", "sadness", "anger"])
def test_an_answer_is_short_polite_and_says_nothing_twice(text: str, label: str) -> None:
    reply = answer(text, emotion=feeling(label))
    sentences = [s for s in re.split(r"(?<=[.!?])\s+", reply.replace(" 😊", "")) if s]
    assert len(sentences) <= 2
    assert len(set(sentences)) == len(sentences)
    assert all(re.search(r"(?:요|죠)[.!?]?$", s) for s in sentences)


def test_the_same_prompt_always_gets_the_same_answer() -> None:
    assert answer("비가 와서 우울해", emotion=feeling("sadness")) == answer("비가 와서 우울해", emotion=feeling("sadness"))


async def test_the_pieces_are_the_answer_word_by_word() -> None:
    prompt = Prompt("면접에서 떨어졌어", NOW, None, (), feeling("sadness"), Decision(True, "emotion"), ())
    pieces = [piece async for piece in RESPONDER.generate(prompt)]
    assert "".join(pieces) == RESPONDER.compose(prompt)
    assert len(pieces) >= 3


def test_a_memory_with_the_words_of_the_question_is_repeated_where_no_slot_has_a_name() -> None:
    memory = recalled("오늘은 텃밭에 상추랑 고추 모종을 심었어요.")
    assert "상추" in answer("텃밭에 뭘 심었다고 했지요?", memory, question=about(terms=("텃밭", "심")))


def test_of_a_fact_that_is_not_the_one_asked_for_the_whole_memory_is_told() -> None:
    grade = Fact(USER, "grade", "2학년", "profile", key="grade:user")
    memory = recalled("부산대 컴공 2학년이야", grade)
    assert "부산대" in answer("나 어느 대학 다녀", memory, question=about((USER, "school"), (USER, "grade"), terms=("대학", "다니")))


def test_two_things_asked_for_are_told_from_two_memories() -> None:
    cat, sister = recalled("우리 고양이 이름은 두부야"), recalled("여동생 이름은 지은이야")
    question = about(("고양이", "name"), terms=("고양이", "이름", "여동생"))
    reply = answer("내 고양이 이름이랑 여동생 이름 둘 다 말해줘", cat, sister, question=question)
    assert "두부" in reply
    assert "지은" in reply


def test_english_is_retold_in_the_second_person_where_it_is_plain() -> None:
    memory = recalled("I gave up dark chocolate, it was giving me migraines.")
    reply = answer("what did I say of dark chocolate?", memory, question=about(terms=("dark", "chocol")))
    assert "that you gave up dark chocolate, it was giving you migraines" in reply


@pytest.mark.parametrize(
    "said",
    ["gave up dark chocolate, it was giving me migraines", "My boss said I am always late", "I PASSED my driving test", "Dentist in Leeds at 10"],
)
def test_english_that_is_not_plain_is_quoted_as_it_was_said(said: str) -> None:
    assert f": {said}" in answer("what did I tell you?", recalled(said), question=about(terms=("test",)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("At 10 am I have a piano lesson", "at 10 am you have a piano lesson"),
        ("I really wasn't happy about my job", "you really weren't happy about your job"),
        ("It was me who called", "it was you who called"),
        ("I was late and so was I yesterday", "you were late and so were you yesterday"),
        ("The mine is closed", None),
    ],
)
def test_who_speaks_is_changed_with_the_verb(said: str, told: str | None) -> None:
    assert second_person(said) == told


def test_in_english_the_reader_s_no_comes_first() -> None:
    question, memory = about(terms=("dark", "chocol")), recalled("I gave up dark chocolate last week")
    assert answer("Do I still eat dark chocolate?", memory, question=question, verdict="no").startswith("No, you")


def test_where_retelling_would_lose_the_words_that_answer_the_persons_own_sentence_stands() -> None:
    memory = recalled("나가 순천 웃장서 팥죽집 한 지 서른 해 됐당께")
    known = RecalledMemory(memory.memory, ("semantic",), 0.9, 0.9, {}, 0.95, (11, 14))
    assert "팥죽집" in answer("나 뭔 장사 한다고 했제", known, question=about(terms=("장사",)))


def test_what_the_reader_is_not_sure_of_is_not_told() -> None:
    doubtful = replace(recalled("우리 이모부가 당뇨가 있으셔"), sure=0.2)
    reply = answer("나 당뇨 있어?", doubtful, question=about(terms=("당뇨",)))
    assert "이모부" not in reply


@pytest.mark.parametrize(
    ("said", "never"),
    [
        ("여행 갈 때까지 어떻게 기다리지", "기다리시는군요"),
        ("요즘 일이 많아서 죽겠다", "죽"),
        ("아무한테도 말하지마", "말하지"),
        ("밴드 이름은 '새벽네시'고 난 베이스 침", "본인"),
        ("팀장이 저는 왜 맨날 지각이냬", "저는"),
        ("걔가 저는 밥 안 먹는대 ㅋㅋ", "저는"),
        ("엄마가 나 때문에 속상해서 우셨어", "때문"),
        ("키우는 애는 치즈냥이고 이름은 '나비', 지금 세 살이야", " ,"),
        ("친구가 6월에 캐나다로 이민 간대", "이민"),
        ("다이어트 포기", "포기"),
    ],
)
def test_what_should_not_be_repeated_is_not(said: str, never: str) -> None:
    assert never not in answer(said, emotion=feeling("anger", 0.71))


@pytest.mark.parametrize("text", ["팀장님 3층으로 옮기심", "비행기표 민호가 끊음", "8 of us", "vet again on the 12th"])
def test_a_plain_fact_that_is_kept_is_answered_as_one_and_what_is_not_kept_is_not(text: str) -> None:
    told = AFTER["told"] + TOLD
    assert answer(text, keep=True) in told
    assert answer(text, keep=False) not in told


def test_each_tone_has_words_of_its_own_in_english() -> None:
    felt: tuple[Tone, ...] = ("joy", "relief", "grief", "annoyance", "confusion")
    said = {label: answer("no way, what a day!!", tone=label) for label in felt}
    assert len(set(said.values())) == len(said), said


def test_what_is_told_back_of_another_time_is_a_sentence_of_lira_s() -> None:
    before = recalled("은지는 태영이를 데리고 온대요. 처음으로", tone="joy")
    reply = answer("오늘 첫눈이 왔어요", before, tone="joy")
    assert "처음으로라고" not in reply


def test_a_single_word_stays_with_what_it_was_said_after() -> None:
    reply = answer("what's the dog called?", recalled("We have a whippet. Bess."), question=Question(True))
    assert "We have a whippet. Bess" in reply or "you have a whippet. Bess" in reply


def test_what_only_opened_what_was_told_is_not_told_with_it() -> None:
    told = replace(recalled("lol ok. I major in biology at Ohio State"), span=(16, 23))
    assert answer("what do I study?", told, question=Question(True)) == "You told me that you major in biology at Ohio State."


def test_who_asks_what_lira_thinks_is_answered_from_memory_only_where_that_is_plain() -> None:
    near = replace(recalled("sorry, brain's mush today"), sure=0.6)
    text = "am i a bad dad?"
    assert "mush" not in answer(text, near, question=Question(True), aim="reassure")
    assert "mush" in answer(text, replace(near, sure=0.9), question=Question(True), aim="reassure")
