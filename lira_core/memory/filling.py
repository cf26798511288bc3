"""What keys and names know exactly: which memory holds the very slot that a question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from lira_core.languages.categories import related
from lira_core.languages.people import same_person
from lira_core.memory.question import Question
from lira_core.memory.slots import topic_of
from lira_core.types import USER, Fact, Memory

EXACT: Final = frozenset(
    {
        *("name", "nickname", "age", "birthday", "blood_type", "mbti", "zodiac", "height", "weight", "hometown", "live_in", "nationality"),
        *("religion", "phone", "major", "grade", "job", "workplace", "school", "allergy", "medicine", "pet", "anniversary", "attribute"),
        *("favorite", "like", "dislike", "hobby", "partner", "relation"),
    }
)
"""Slots that say precisely what is asked; a plan or an event has too many names."""
_TASTES: Final = frozenset({"like", "dislike", "favorite"})


def filling(question: Question | None, memories: Sequence[Memory]) -> frozenset[str]:
    """Ids of the memories, in any order, with a fact that fills the slot asked for, and none of whose keys a newer one of them holds.

    A why, a how and a yes or no are no slots.
    """
    if question is None or question.wants in {"why", "how", "yesno"}:
        return frozenset()
    newest: dict[str, str] = {}
    for memory in sorted(memories, key=lambda m: (m.timestamp, m.id)):
        newest.update((fact.key, memory.id) for fact in memory.facts if fact.key is not None)
    return frozenset(
        memory.id
        for memory in memories
        if all(fact.key is None or newest[fact.key] == memory.id for fact in memory.facts) and any(_fills(question, fact) for fact in memory.facts)
    )


def _fills(question: Question, fact: Fact) -> bool:
    slot = next((s for s in question.slots if (s[1] in EXACT or s[1] == "plan") and fits_slot(s, fact)), None)
    if slot is None:
        return False
    if slot[1] in _TASTES and (fact.polarity == (fact.predicate != "dislike")) != (slot[1] != "dislike"):
        return False
    if slot[1] == "plan" and (question.value or not _within(question.when, fact)):
        return False
    if not question.value:
        # "내 일정 뭐였지?", "내가 뭘 좋아한다고 했지?": where nothing narrower is named, each of many fills.
        return slot[1] not in _TASTES | {"plan"} or not question.terms
    value, topic = question.value.lower(), (topic_of(fact) or "").lower()
    return value in fact.object.lower() or value == topic or related(value, fact.object)


def _within(days: tuple[datetime, datetime] | None, fact: Fact) -> bool:
    return days is None or (fact.when is not None and days[0] <= fact.when < days[1])


def fits_slot(slot: tuple[str | None, str], fact: Fact) -> bool:
    """Whether the fact has the slot, of that person or of whoever."""
    subject, predicate = slot
    if fact.predicate != predicate:
        return False
    if subject is None or subject == fact.subject:
        return True
    if subject == USER or fact.subject == USER:
        return subject != USER and (subject in fact.people or same_person(subject, fact.object))
    return same_person(subject, fact.subject)
