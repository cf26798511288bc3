"""What a Korean noun phrase is (a person, an illness, a plan, a job), and how a fact is put together from phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from lira_core.dates import Span
from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.attributes import ATTRIBUTES
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.ko.facts.words import ILLNESS, JOB_END, PLAN_END, TOO_PLAIN
from lira_core.languages.people import FAMILY, KIN, PARTNER, PETS
from lira_core.memory.slots import PREDICATES, key_of
from lira_core.types import USER, Fact


def make_fact(
    subject: str, predicate: str, object: str, *, polarity: bool = True, of: str | None = None, when: Span | None = None, until: Span | None = None,
    now: datetime | None = None, place: str | None = None, people: Sequence[str] = (),
) -> Fact:  # fmt: skip
    """A fact with its category and key; `of` as in `key_of`, the date in words where both `when` and `now` are given."""
    moment, words = None, None
    if when is not None and now is not None:
        moment, words = when.when, when.say("ko", now)
        if predicate in {"birthday", "anniversary"}:
            words = date_words(when)
        elif until is not None:
            words = f"{words}부터 {until.say('ko', now)}까지"
    key = key_of(subject, predicate, object, of=of, people=people)
    return Fact(subject, predicate, object, PREDICATES[predicate], polarity, key, moment, words, place, tuple(people))


def of_the_speaker(kin: str) -> list[Fact]:
    """That the speaker has whom they speak of ("제 여동생"): a sister, a dog, a boyfriend."""
    predicate = "pet" if kin in PETS else "partner" if kin in PARTNER else "family" if kin in FAMILY - {"가족"} else None
    return [make_fact(USER, predicate, kin)] if predicate else []


def things_in(rest: Sequence[Phrase], *cases: str) -> list[Phrase]:
    """The phrases of these cases that name something."""
    return [p for p in rest if p.case in cases and not p.wh and p.text not in TOO_PLAIN]


def objects_of(rest: Sequence[Phrase], *, listed: bool = False) -> list[Phrase]:
    """What a transitive verb is about; `listed` takes "사과랑 딸기를" as two."""
    found, loose = things_in(rest, "object"), things_in(rest, "bare")
    chosen = found or loose or things_in(rest, "topic") or [p for p in things_in(rest, "subject") if not is_person_word(p)]
    if not listed or not chosen:
        return chosen
    joined = [p for p in things_in(rest, "with") if not is_person_word(p)]
    return [*joined, *([*loose, *found] if found and loose else chosen)]


def full_text(phrase: Phrase) -> str:
    """The phrase with a short describing modifier: "매운 음식", "단 것"."""
    return f"{phrase.modifier} {phrase.text}" if phrase.modifier and len(phrase.modifier) <= 12 else phrase.text


def listed_in(value: str) -> list[str]:
    """The members of a list in words ("딸기랑 포도")."""
    parts = re.split(r"\s*(?:,|그리고|랑|이랑|하고|및)\s+|(?<=[가-힣])(?:와|과)\s+", value)
    return [p.strip() for p in parts if p.strip()]


def date_words(when: Span) -> str:
    """The day without year and weekday, as birthdays are told."""
    if when.granularity == "year":
        return f"{when.when.year}년"
    return f"{when.when.month}월" if when.granularity == "month" else f"{when.when.month}월 {when.when.day}일"


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
    """Whether somebody may be called so."""
    return bool(phrase.text) and len(phrase.text) <= 20 and not phrase.wh and phrase.text not in TOO_PLAIN and phrase.tags[-1:] != ("NNB",)


def is_person_word(phrase: Phrase) -> bool:
    """Whether the phrase speaks of somebody by kinship, title or name."""
    last = phrase.text.split()[-1] if phrase.text.split() else ""
    return phrase.text in KIN or last in KIN or last.endswith(("씨", "님", "쌤")) or (phrase.case == "person" and "NNP" in phrase.tags)


def is_illness(text: str) -> bool:
    """Whether the words name an illness; a server's 장애 is none."""
    if re.search(r"(?:서버|통신|시스템|네트워크|전산|접속)\s*장애$", text):
        return False
    return "병" in kinds_of(text) or bool(ILLNESS.search(text.replace(" ", "")))


def plan_noun(text: str) -> str | None:
    """The plan that a phrase names ("치과 예약", "팀 회의"), None when it names none."""
    words = text.split()
    if not words:
        return None
    if len(words) > 1 and words[-1] in {"날짜", "시간", "장소", "일정", "계획", "일자", "건"}:
        return text if plan_noun(" ".join(words[:-1])) else None
    known = any(ATTRIBUTES.get(noun) == "plan" or "일정" in kinds_of(noun) for noun in (text.replace(" ", ""), words[-1]))
    return text if known or PLAN_END.search(words[-1]) else None


def without_facet(noun: str) -> str:
    """The plan of "무릎 수술 날짜", "팀 회식 장소", "휴가 계획"."""
    return re.sub(r"\s+(?:날짜|시간|장소|일정|계획|일자|건)$", "", noun)


def is_job(text: str) -> bool:
    """Whether the words say what somebody does for a living."""
    return "직업" in kinds_of(text) or text.replace(" ", "").endswith(JOB_END)
