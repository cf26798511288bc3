""" "My X is Y" in Korean, where X names a slot."""

from __future__ import annotations

import re

from lira_core.korean.clauses import Phrase
from lira_core.korean.people import PARTNER
from lira_core.memory.facts.korean_phrases import bare_name, listed_in, make_fact, nameable, of_the_speaker
from lira_core.memory.facts.korean_reader import Reader, Said
from lira_core.memory.facts.korean_words import AGE, MBTI, PHONE
from lira_core.types import USER, Fact

_SEVERAL = frozenset({"hobby", "pet", "medicine", "condition", "allergy"})


def attribute(r: Reader, said: Said, slot: tuple[str, str], topic: Phrase, comp: Phrase | None, value: str, positive: bool) -> list[Fact]:
    """What the slot of (subject, predicate) is said to be."""
    subject, predicate = slot
    if predicate == "plan":
        return _plan(r, said, topic, comp, value, positive=positive)
    if not value or comp is None:
        return []
    of_whom = of_the_speaker(subject) if subject not in PARTNER or predicate in {"name", "nickname"} else []
    if predicate in {"name", "nickname"}:
        return _name(subject, predicate, topic, comp, value, positive=positive, of_whom=of_whom)
    if predicate == "attribute":
        return [make_fact(subject, predicate, value, of=topic.text, polarity=positive)]
    if predicate == "age" and (m := AGE.search(said.clause.text)):
        return [make_fact(subject, "age", m.group().strip()), *of_whom]
    if predicate == "mbti" and (m := MBTI.search(value)):
        return [make_fact(subject, "mbti", m.group().upper())]
    if predicate == "blood_type":
        return [make_fact(subject, "blood_type", value if value.endswith("형") else f"{value}형", polarity=positive)]
    if predicate in _SEVERAL:
        return [make_fact(subject, predicate, t, polarity=positive) for t in listed_in(value)]
    if predicate == "live_in" and topic.text == "집" and comp.tags[-1:] == ("NNG",) and not re.search(r"[시군구동역]$", value):
        return []  # "집은 난장판이야"
    if predicate == "phone":
        return [make_fact(subject, "phone", m.group())] if (m := PHONE.search(value)) else []
    if predicate in {"partner", "friend"}:
        return [make_fact(subject, predicate, bare_name(value))]
    return [make_fact(subject, predicate, value, polarity=positive), *of_whom]


def _plan(r: Reader, said: Said, topic: Phrase, comp: Phrase | None, value: str, *, positive: bool) -> list[Fact]:
    if said.clause.dates or r.dates_of(said.clause)[0] is not None:
        return [r.planned(said, topic.text, [p for p in said.rest if p is not topic], polarity=positive)]
    if comp is None or not value:
        return []
    if value in {"취소", "연기"}:
        return [make_fact(said.subject, "plan", topic.text, polarity=value != "취소")]
    return [make_fact(said.subject, "plan", topic.text, place=value)] if said.clause.verb == "이" and comp.tags[-1:] == ("NNP",) else []


def _name(subject: str, predicate: str, topic: Phrase, comp: Phrase, value: str, *, positive: bool, of_whom: list[Fact]) -> list[Fact]:
    if topic.text.replace(" ", "") in {"회사이름", "직장이름", "가게이름"}:
        return [make_fact(USER, "workplace", value)]
    if not nameable(comp):
        return []
    several = re.search(r"(?:이랑|랑|와|과|하고|,)\s", value)
    return [make_fact(subject, predicate, value if several else bare_name(value), polarity=positive), *of_whom]
