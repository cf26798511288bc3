""" "My X is Y" in Korean, where X names a slot."""

from __future__ import annotations

import re

from lira_core.dates import Span
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import FAMILY, OTHERS, PARTNER, PETS
from lira_core.memory.facts.korean_phrases import bare_name, date_words, listed_in, make_fact, nameable
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import AGE, MBTI, PHONE
from lira_core.types import USER, Fact


def attribute(
    r: Reader,
    clause: Clause,
    slot: tuple[str, str],
    topic: Phrase,
    comp: Phrase | None,
    value: str,
    when: Span | None,
    until: Span | None,
    positive: bool,
    rest: list[Phrase],
) -> list[Fact]:
    subject, predicate = slot
    extra: list[Fact] = []
    kin = subject.split()[-1] if subject != USER else ""
    if kin in FAMILY - {"가족"}:
        extra = [make_fact(USER, "family", kin)]
    elif kin in PETS:
        extra = [make_fact(USER, "pet", kin)]
    if predicate in {"birthday", "anniversary", "deadline", "plan"}:
        if when is not None:
            if predicate == "plan":
                return [r.dated(clause, subject, "plan", topic.text, rest=[p for p in rest if p is not topic], polarity=positive)]
            of = topic.text if predicate != "birthday" else None
            object = date_words(when) if predicate == "birthday" else topic.text
            return [make_fact(subject, predicate, object, of=of, when=when, now=r.at), *extra]
        if predicate == "plan" and comp is not None and topic.text in {"계획", "일정", "예정"}:
            return [r.dated(clause, subject, "plan", value)]
        if predicate == "plan" and comp is not None and value:
            if value in {"취소", "연기"}:
                return [make_fact(subject, "plan", topic.text, polarity=value != "취소")]
            return [make_fact(subject, "plan", topic.text, place=value)] if clause.verb == "이" and comp.tags[-1:] == ("NNP",) else []
        if predicate == "birthday" and value:
            return [make_fact(subject, predicate, value), *extra]
        return []
    if not value or comp is None:
        return []
    if predicate in {"name", "nickname"}:
        if topic.text.replace(" ", "") in {"회사이름", "직장이름", "가게이름"}:
            return [make_fact(USER, "workplace", value)]
        if not nameable(comp) and predicate == "name":
            return []
        name = bare_name(value)
        if joined := re.search(r"(?:이랑|랑|와|과|하고|,)\s", value):
            name = value if joined else name
        facts = [make_fact(subject, predicate, name, polarity=positive), *extra]
        if kin in {"팀장님", "부장님", "사장님", "상사", "대표님", "팀장", "과장님"}:
            facts.append(make_fact(USER, "boss", name))
        if kin in PARTNER:
            facts.append(make_fact(USER, "partner", kin))
        return facts
    if predicate == "age" and (m := AGE.search(clause.text)):
        return [make_fact(subject, "age", m.group().strip()), *extra]
    if predicate == "mbti" and (m := MBTI.search(value)):
        return [make_fact(subject, "mbti", m.group().upper())]
    if predicate == "blood_type":
        return [make_fact(subject, "blood_type", value if value.endswith("형") else f"{value}형", polarity=positive)]
    if predicate in {"hobby", "goal", "pet", "skill", "medicine", "condition", "exercise", "allergy", "habit"}:
        things = listed_in(value) if predicate != "goal" else [value]
        return [make_fact(subject, predicate, t, polarity=positive) for t in things]
    if predicate == "own":
        return [make_fact(subject, "own", value, of=topic.text, polarity=positive)]
    if (
        predicate == "live_in"
        and topic.text == "집"
        and clause.verb == "이"
        and comp.tags[-1:] == ("NNG",)
        and not re.search(r"[시군구동역]$", value)
    ):
        return []
    if predicate in {"phone"} and (m := PHONE.search(value)):
        return [make_fact(subject, "phone", m.group())]
    if predicate in {"partner", "friend"} or topic.text in OTHERS:
        return [make_fact(subject, predicate, bare_name(value))]
    if predicate == "memo":
        return [make_fact(subject, predicate, value)]
    return [make_fact(subject, predicate, value, polarity=positive), *extra]
