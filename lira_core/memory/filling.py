"""What keys and names know exactly: which memory holds the very slot that a question asks for, and which one a newer has replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from lira_core.korean.categories import related
from lira_core.korean.people import same_person
from lira_core.memory.question import Question
from lira_core.memory.slots import topic_of
from lira_core.types import USER, Fact, Memory

EXACT: Final = frozenset(
    {
        *("name", "nickname", "age", "birthday", "blood_type", "mbti", "zodiac", "height", "weight", "hometown", "live_in", "nationality"),
        *("religion", "phone", "major", "grade", "job", "workplace", "school", "allergy", "medicine", "pet", "breed", "anniversary"),
        *("favorite", "like", "dislike", "hobby", "partner", "boss", "team", "relation"),
    }
)
"""Slots that say precisely what is asked; a plan or an event has too many names."""
_TASTES: Final = frozenset({"like", "dislike", "favorite"})


@dataclass(frozen=True, slots=True)
class Filling:
    """Ids of memories. `fills`: a fact fills the slot asked for, and no newer one of its key is there. `replaced`: a newer fact of one of its
    keys is among the memories."""

    fills: frozenset[str]
    replaced: frozenset[str]


def filling(question: Question | None, memories: Sequence[Memory]) -> Filling:
    """`memories` in any order."""
    newest: dict[str, Memory] = {}
    for memory in sorted(memories, key=lambda m: (m.timestamp, m.id)):
        newest.update((fact.key, memory) for fact in memory.facts if fact.key is not None)
    replaced = frozenset(m.id for m in memories for f in m.facts if f.key is not None and newest[f.key].id != m.id)
    if question is None or question.wants in {"why", "how", "yesno"}:
        return Filling(frozenset(), replaced)
    fills = frozenset(m.id for m in memories if m.id not in replaced and any(_fills(question, fact) for fact in m.facts))
    return Filling(fills, replaced)


def _fills(question: Question, fact: Fact) -> bool:
    slot = next((s for s in question.slots if s[1] in EXACT and fits_slot(s, fact)), None)
    if slot is None:
        return False
    if slot[1] in _TASTES and (fact.polarity == (fact.predicate != "dislike")) != (slot[1] != "dislike"):
        return False
    if not question.value:
        return slot[1] not in _TASTES  # of all that somebody likes a bare "what do I like" names none
    value, topic = question.value.lower(), (topic_of(fact) or "").lower()
    return value in fact.object.lower() or value == topic or related(value, fact.object)


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
