# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Whether a fact fills the slot that a question asks for: the right subject, the thing or kind named, the time or place wanted."""

from __future__ import annotations

import re
from typing import Final

from lira_core.korean.categories import kind_name, kinds_of, related
from lira_core.korean.morphemes import terms as terms_of
from lira_core.korean.people import KIN, PETS, canonical, same_person
from lira_core.memory.question import Question
from lira_core.memory.slots import topic_of
from lira_core.types import USER, Fact, Memory

FITS: Final = 0.5
"""From here on a fact fills the slot; below, it has the slot but not what was asked."""

_SLOT: Final = 0.75
_VALUE: Final = 0.2  # the thing or category named agrees
_UNTOLD: Final = 0.4
_ENCODER: Final = 0.14
"""Where the table of kinds knows nothing of a liked thing ("좋아하는 가수": 아이유), a certainty above 0.71 decides (0.4 + 0.14 x 0.72 > `FITS`)."""
OTHER: Final = 0.4
"""Below this the fact is of another thing or kind than the one asked about."""
_BELOW: Final = OTHER
# Slots that say precisely what is asked: without them a memory cannot answer, whatever words it shares.
EXACT: Final = frozenset(
    "name nickname age birthday blood_type mbti zodiac height weight hometown live_in nationality religion phone major grade job workplace school allergy medicine pet breed anniversary favorite like dislike hobby partner boss "
    "team condition injury diet own".split()
)
_TASTES: Final = frozenset(
    {
        "like",
        "dislike",
        "favorite",
        "hobby",
        "exercise",
        "ate",
        "allergy",
        "diet",
        "learning",
        "skill",
        "plan",
        "goal",
        "habit",
        "watched",
        "bought",
        "own",
        "visit",
        "travel",
        "condition",
        "medicine",
    }
)
_OF_KIND: Final = {"exercise": "운동", "hobby": "취미", "pet": "반려동물", "language": "언어"}
"""Slots that are a kind themselves: any exercise answers which exercise."""
_FACETS: Final = frozenset({"장소", "시간", "날짜", "언제", "요일", "여행", "다음", "이번", "주말", "친구"})
_PLANS: Final = frozenset("일정 약속 계획 스케줄 예정 할일 plan schedule appointment ".split())


def best_fit(question: Question, memory: Memory, certainty: float | None) -> float | None:
    """How well the best fitting fact of the memory fills a slot asked for, in [0, 1]; None when no fact has such a slot.

    Under `FITS` the fact has the slot but not what was asked: another person's plan, a plan without the time asked for.
    """
    fits = [_fact_fit(question, fact, rank, certainty) for fact in memory.facts for rank, slot in enumerate(question.slots) if fits_slot(slot, fact)]
    return max(fits, default=None)


def fits_slot(slot: tuple[str | None, str], fact: Fact) -> bool:
    subject, predicate = slot
    if fact.predicate != predicate:
        return False
    if subject is None or subject == fact.subject:
        return True
    if subject == USER or fact.subject == USER:
        # "내 강아지 이름" asks (강아지, name); a plan with 민수 answers what is asked of 민수.
        return subject != USER and (subject in fact.people or same_person(subject, fact.object))
    return same_person(subject, fact.subject)


def _fact_fit(question: Question, fact: Fact, rank: int, certainty: float | None) -> float:
    score = _SLOT - 0.02 * min(rank, 8)
    kin = {s for s, _ in question.slots if s not in {None, USER}}
    if kin and fact.predicate in {"pet", "family"} and next(p for _, p in question.slots) not in {"pet", "family"}:
        return _BELOW  # That there is a dog does not say what it is called.
    asked_first = next((p for _, p in question.slots), "")
    if question.wants not in {"yesno", "why", "when"} and fact.predicate in {"like", "dislike", "favorite"}:
        dislikes = asked_first in {"dislike", "allergy", "fear"}
        # What one likes does not answer what one cannot stand, and what was given up answers neither.
        if ((fact.predicate == "dislike") == fact.polarity and not dislikes) or ((fact.predicate != "dislike") == fact.polarity and dislikes):
            return _BELOW - 0.1
        if asked_first == "hobby" and question.value is None and kinds_of(fact.object) & {"음식", "음료"}:
            return _BELOW - 0.1
    if question.value is not None:
        agrees = _agrees(question.value, fact)
        if agrees is False:
            silent = fact.predicate in {"like", "favorite"} and not kinds_of(fact.object)
            return _UNTOLD + _ENCODER * (certainty or 0.0) if silent else _BELOW - 0.05
        score += _VALUE if agrees else 0.0
    if (
        question.wants == "when"
        and fact.when_text is None
        and fact.predicate in {"plan", "deadline", "anniversary", "birthday"}
        and not re.search(r"\d", fact.object)
    ):
        return _BELOW
    if question.wants == "where" and fact.place is None and fact.predicate in {"plan", "ate", "met", "bought", "watched", "did"}:
        return _BELOW
    if question.wants == "who" and fact.predicate in {"plan", "ate", "watched", "visit", "travel", "did"} and not fact.people:
        return _BELOW
    if fact.predicate in {"plan", "deadline", "attribute", "did", "anniversary"}:
        asked = {t for t in question.terms if t not in _PLANS and not t.isdigit()}
        topic = set(terms_of(" ".join([fact.object, topic_of(fact) or "", fact.place or "", *fact.people, fact.when_text or ""])))
        known = {t for t in asked if _plan_like(t)}
        if fact.predicate == "attribute":
            named = set(terms_of(topic_of(fact) or ""))
            if not (asked and (asked <= topic or named <= asked)):
                return _BELOW - 0.1  # Another thing's number is no answer.
        elif (_named(asked) and not any(_near(t, u) for t in _named(asked) for u in topic)) or (
            known and not any(t in topic or any(t in u or u in t for u in topic if len(u) > 1) for t in known)
        ):
            return _BELOW
    if question.emotions and fact.predicate != "felt" and rank > 0:
        score = min(score, 0.45)
    if question.emotions and fact.predicate == "felt":
        from lira_core.memory.question import EMOTION_WORDS

        felt = {label for start, labels in EMOTION_WORDS.items() if start in fact.object.lower() for label in labels}
        if felt and not felt & set(question.emotions):
            return _BELOW
    return score


def _named(asked: set[str]) -> set[str]:
    """The nouns among the terms that say which plan is meant; verb stems and general words do not."""
    return {t for t in asked if len(t) > 1 and not t.endswith(("하", "되", "나", "지", "가기", "리")) and t not in _FACETS}


def _near(asked: str, told: str) -> bool:
    return asked == told or (len(told) > 1 and (asked in told or told in asked)) or related(asked, told) or canonical(asked) == canonical(told)


def _plan_like(term: str) -> bool:
    return "일정" in kinds_of(term) and term not in {"약속", "병원"}


def _agrees(value: str, fact: Fact) -> bool | None:
    """Whether what the question names is what the fact is of; None when the name says nothing of this kind of fact."""
    if fact.predicate not in _TASTES | {"pet", "family", "partner", "friend"}:
        return None
    topic = topic_of(fact) or ""
    if fact.predicate == "favorite" and kind_name(topic) == kind_name(value):
        return True
    if kind_name(value) == _OF_KIND.get(fact.predicate):
        return True
    squashed, object = value.replace(" ", "").lower(), fact.object.replace(" ", "").lower()
    if squashed in object or object in squashed or related(value, fact.object):
        return True
    if kind_name(fact.object) in kinds_of(value):
        return True
    if value in KIN or value in PETS:
        return same_person(value, fact.object)
    if fact.predicate in {"plan", "goal", "habit", "visit", "travel", "watched", "learning", "skill", "exercise", "condition", "medicine"}:
        shared = set(terms_of(value)) & set(terms_of(fact.object))
        return True if shared else None if value.lower() in _PLANS or fact.predicate in {"condition", "medicine"} else False
    if fact.predicate in {"dislike", "allergy"} and kind_name(value) in {"음식", "음료"} and not kinds_of(fact.object):
        return None  # "매운 것" is no entry of the table, but what one cannot eat is food.
    return False


def coverage(question: Question, memory: Memory) -> float:
    if not question.terms:
        return 0.0
    have = set(memory.terms) or set(terms_of(memory.text))
    have |= {kind for term in list(have) for kind in kinds_of(term)} | {canonical(t) for t in have}
    asked = list(dict.fromkeys(question.terms))
    return sum(t in have or canonical(t) in have or kind_name(t) in have for t in asked) / len(asked)
