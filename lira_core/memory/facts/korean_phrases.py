"""What a noun phrase is (a person, an illness, a plan, a job), and how a fact is put together from phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from lira_core.dates import Span
from lira_core.korean.attributes import ATTRIBUTES
from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Clause, Phrase, nominal
from lira_core.korean.people import KIN
from lira_core.memory.facts.korean_words import HABIT_WORDS, ILLNESS, JOB_END, PLACE_OF_GOODS, TOO_PLAIN
from lira_core.memory.slots import PREDICATES, key_of
from lira_core.types import Fact


def make_fact(
    subject: str, predicate: str, object: str, *, polarity: bool = True, of: str | None = None, when: Span | None = None, until: Span | None = None,
    now: datetime | None = None, place: str | None = None, people: Sequence[str] = (),
) -> Fact:  # fmt: skip
    moment, words = None, None
    if when is not None and now is not None:
        moment, words = when.when, when.say("ko", now)
        if predicate in {"birthday", "anniversary"}:
            words = re.sub(r"^\d{4}년 |\s*[월화수목금토일]요일.*$", "", words)
        elif until is not None:
            words = f"{words}부터 {until.say('ko', now)}까지"
    return Fact(
        subject,
        predicate,
        object,
        PREDICATES[predicate],
        polarity,
        key_of(subject, predicate, object, of=of, people=people),
        moment,
        words,
        place,
        tuple(people),
    )


def things_in(rest: Sequence[Phrase], *cases: str) -> list[Phrase]:
    return [p for p in rest if p.case in cases and not p.wh and p.text not in TOO_PLAIN]


def objects_of(rest: Sequence[Phrase], *, listed: bool = False) -> list[Phrase]:
    """What a transitive verb is about; `listed` takes "사과랑 딸기를" as two."""
    found = things_in(rest, "object")
    loose = things_in(rest, "bare")
    topics = things_in(rest, "topic")
    joined = [p for p in things_in(rest, "with") if not is_person_word(p) and p.particle in {"랑", "이랑", "와", "과", "하고"}] if listed else []
    chosen = found or loose or topics or [p for p in things_in(rest, "subject") if not is_person_word(p)]
    if listed and found and loose:
        chosen = [*loose, *found]
    return [*joined, *chosen] if chosen else []


def full_text(phrase: Phrase) -> str:
    """The phrase with a short describing modifier: "매운 음식", "단 것"."""
    return f"{phrase.modifier} {phrase.text}" if phrase.modifier and len(phrase.modifier) <= 12 else phrase.text


def listed_in(value: str) -> list[str]:
    parts = re.split(r"\s*(?:,|그리고|랑|이랑|하고|및)\s+|(?<=[가-힣])(?:와|과)\s+", value)
    return [p.strip() for p in parts if p.strip()]


def date_words(when: Span) -> str:
    return (
        f"{when.when.month}월 {when.when.day}일"
        if when.granularity not in {"month", "year"}
        else f"{when.when.year}년"
        if when.granularity == "year"
        else f"{when.when.month}월"
    )


def bare_name(text: str) -> str:
    """A name without the 이 that follows a consonant in speech ("지민이" is 지민, "민수씨" 민수)."""
    text = re.sub(r"(?<=[가-힣]{2})(?:입니|이에|예)$|\s*(?:씨|군|양)$", "", text.strip())
    words = text.split()
    if len(words) > 1 and words[0] in KIN and words[-1] not in KIN:
        text = words[-1]
    if re.fullmatch(r"[가-힣]{3}", text) and text.endswith("이") and (ord(text[1]) - 0xAC00) % 28 and text not in KIN:
        return text[:-1]
    return text


def nameable(phrase: Phrase) -> bool:
    text = phrase.text
    return (
        bool(text)
        and len(text) <= 20
        and not phrase.wh
        and text not in TOO_PLAIN
        and text not in {"비밀", "것", "저", "내", "바보", "사람"}
        and phrase.tags[-1:] != ("NNB",)
    )


def is_person_word(phrase: Phrase) -> bool:
    text = phrase.text
    last = text.split()[-1] if text.split() else ""
    return text in KIN or last in KIN or last.endswith(("씨", "님", "쌤")) or (phrase.case == "person" and "NNP" in phrase.tags)


def is_illness(text: str) -> bool:
    squashed = text.replace(" ", "")
    if re.search(r"(?:서버|통신|시스템|네트워크|전산|접속)\s*장애$", text):
        return False
    return "병" in kinds_of(text) or bool(
        ILLNESS.search(squashed)
        and len(squashed) > 1
        and squashed
        not in {
            "보통",
            "교통",
            "전통",
            "소통",
            "유통",
            "고통",
            "암",
            "화병",
            "꽃병",
            "물병",
            "검증",
            "인증",
            "영수증",
            "신분증",
            "자격증",
            "면허증",
            "소염",
            "궁금증",
            "증",
            "병",
            "통",
            "염",
        }
    )


def plan_noun(text: str) -> str | None:
    """The plan that a phrase names ("치과 예약", "팀 회의"), None when it names none."""
    if not text:
        return None
    last = text.split()[-1]
    squashed = text.replace(" ", "")
    for noun in (squashed, last):
        if ATTRIBUTES.get(noun) == "plan" or ("일정" in kinds_of(noun) and noun not in {"병원", "이사님"}):
            return text
    if last in {"날짜", "시간", "장소", "일정", "계획", "일자"} and " " in text:
        return text if plan_noun(text.rsplit(" ", 1)[0]) else None
    return (
        text
        if last.endswith(
            (
                "휴가",
                "제사",
                "계약",
                "마라톤",
                "회식",
                "공연",
                "특강",
                "집결",
                "상담",
                "진료",
                "수술",
                "촬영",
                "출장",
                "돌잔치",
                "상견례",
                "출근",
                "개강",
                "예정일",
                "출국",
                "티켓팅",
                "워크숍",
                "엠티",
                "MT",
                "시험",
                "면접",
                "회의",
                "미팅",
                "약속",
                "예약",
                "여행",
                "모임",
                "결혼식",
                "발표회",
                "검진",
                "콘서트",
                "세미나",
                "고사",
                "평가",
                "수업",
                "대회",
            )
        )
        else None
    )


def without_facet(noun: str) -> str:
    """The plan of "무릎 수술 날짜", "팀 회식 장소", "휴가 계획"."""
    return re.sub(r"\s+(?:날짜|시간|장소|일정|계획|일자)$", "", noun)


def is_job(squashed: str, phrase: Phrase) -> bool:
    return "직업" in kinds_of(phrase.text) or squashed.endswith(JOB_END)


def known_goods(text: str) -> bool:
    return any(text.replace(" ", "").startswith(g) for g in PLACE_OF_GOODS | {"갤럭시", "아이폰", "맥북", "안드로이드"})


def nominalised(clause: Clause) -> str:
    """The clause as a thing one does: "매일 아침 6시에 일어나기", "마라톤 완주"."""
    words = [p for p in clause.phrases if p.text != "나" and p.tags]
    text = clause.text
    verb_end = clause.noun if clause.noun and clause.verb.endswith("하") else nominal(clause.verb)
    head = " ".join(_with_particle(p) for p in words)
    repeats = f"{clause.repeats} " if clause.repeats and clause.repeats in text else ""
    if repeats and f"{clause.repeats}에" in text:
        repeats = f"{clause.repeats}에 "
    adverbs = " ".join(a for a in clause.adverbs if a in HABIT_WORDS | {"같이", "혼자"})
    return re.sub(r"\s+", " ", f"{repeats}{adverbs} {head} {verb_end}").strip()


def _with_particle(phrase: Phrase) -> str:
    keep = phrase.particle if phrase.case in {"from", "at", "to", "with", "person"} else ""
    return f"{full_text(phrase)}{keep}"
