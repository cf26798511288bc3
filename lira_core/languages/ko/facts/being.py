""" "I am Y", "my sister is Y", "Y!" in Korean: what somebody is."""

from __future__ import annotations

import re

from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.ko.facts.phrases import bare_name, is_illness, is_job, make_fact, nameable, of_the_speaker
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.ko.facts.words import AGE, ALLERGY, BLOOD, COUNTED, FRIENDS, GRADE, MBTI, SCHOOL
from lira_core.languages.people import FAMILY, KIN, PARTNER, PETS
from lira_core.types import USER, Fact

_NUMBER = re.compile(r"(?:하나|둘|셋|넷|다섯|(?:한|두|세|네|다섯|\d+)\s*(?:마리|명))")
_NATION = re.compile(r"(한국|일본|중국|미국|영국|프랑스|독일|베트남|캐나다|호주|대만|태국)\s*(?:사람|인)$")


def is_a(r: Reader, said: Said, comp: Phrase, value: str, topic: Phrase | None, *, positive: bool) -> list[Fact]:
    """ "나는 Y야", "여동생은 Y야", "Y야"."""
    if topic is not None and topic.text in PETS | FAMILY and _NUMBER.fullmatch(value):
        r.carry_noun = topic.text
        return of_the_speaker(topic.text)
    about_a_thing = not said.explicit and topic is not None and topic.text not in {"지금", "여기", "저기"}
    if about_a_thing or re.search(r"차이$", value):
        return []
    found, value = _age(said.subject, comp, value)
    if not value:
        return found
    more = _profile(said.subject, value, positive=positive) or _standing(said, comp, value, positive=positive)
    return [*found, *more]


def _age(subject: str, comp: Phrase, value: str) -> tuple[list[Fact], str]:
    """The age that the value begins with, and what is left of it ("27살 간호사")."""
    if set(comp.tags) == {"NR"} and COUNTED.match(value.replace(" ", "")):
        return [make_fact(subject, "age", value)], ""
    m = AGE.search(value)
    if m is None or not m.group().strip(" 살"):
        return [], value
    rest = value.replace(m.group(), "").strip()
    return [make_fact(subject, "age", m.group().strip())], "" if rest in {"초반", "중반", "후반"} else rest


def _profile(subject: str, value: str, *, positive: bool) -> list[Fact]:
    """What the form of the value alone says: a type, a grade, where somebody is from."""
    squashed = value.replace(" ", "")
    if MBTI.fullmatch(squashed):
        return [make_fact(subject, "mbti", squashed.upper())]
    if BLOOD.fullmatch(squashed):
        return [make_fact(subject, "blood_type", squashed)]
    if m := GRADE.search(value):
        return [make_fact(subject, "grade", m.group().strip()), *_studies(subject, value[: m.start()].split())]
    if value.endswith("출신") and (place := value.removesuffix("출신").strip()):
        return [make_fact(subject, "school" if SCHOOL.search(place) else "hometown", place)]
    if m := ALLERGY.match(value):
        return [make_fact(subject, "allergy", m.group(1).strip(), polarity=positive)]
    if m := _NATION.search(value):
        return [make_fact(subject, "nationality", m.group())]
    return [make_fact(subject, "condition", value, polarity=positive)] if is_illness(value) else []


def _studies(subject: str, words: list[str]) -> list[Fact]:
    """ "충남대 기계과" before a grade."""
    school = [make_fact(subject, "school", w) for w in words if SCHOOL.search(w)]
    return [*school, *(make_fact(subject, "major", w) for w in words if w.endswith(("과", "학부", "공학", "학")) and not SCHOOL.search(w))]


def _standing(said: Said, comp: Phrase, value: str, *, positive: bool) -> list[Fact]:
    """Who somebody is to the speaker ("민수는 내 친구야"), what they do, what they are called ("동생은 지은이야")."""
    subject, last = said.subject, value.split()[-1]
    other = said.explicit and subject != USER
    if comp.owner == "나" or (other and last in KIN):
        if not other or last not in KIN | FRIENDS:
            return []
        predicate = "friend" if last in FRIENDS else "partner" if last in PARTNER else "family" if last in FAMILY else None
        return [make_fact(subject, "relation", value), *([make_fact(USER, predicate, subject)] if predicate else [])]
    if is_job(value):
        return [make_fact(subject, "job", value, polarity=positive)]
    personal = "NNP" in comp.tags or (len(comp.tags) >= len(value) and re.fullmatch(r"[가-힣]{2,3}", value))
    if other and subject.split()[-1] in KIN and personal and nameable(comp) and said.clause.verb == "이":
        return [make_fact(subject, "name", bare_name(value)), *of_the_speaker(subject)]
    if said.explicit and subject == USER and said.clause.verb == "이" and set(comp.tags) <= {"NNP", "SL"} and nameable(comp) and not kinds_of(value):
        return [make_fact(USER, "name", bare_name(value), polarity=positive)]
    return []
