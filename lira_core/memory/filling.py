"""What keys and names know exactly: which memory holds the very slot that a question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lira_core.languages.categories import related
from lira_core.languages.people import same_person
from lira_core.memory.question import Question
from lira_core.types import USER, Fact, Memory

_TASTES: Final = frozenset({"like", "dislike", "favorite"})


def filling(question: Question | None, memories: Sequence[Memory]) -> frozenset[str]:
    """Ids of the memories, in any order, with a fact that fills the slot asked for, and none of whose keys a newer one of them holds."""
    if question is None or not question.slots:
        return frozenset()
    newest: dict[str, str] = {}
    for memory in sorted(memories, key=lambda m: (m.timestamp, m.id)):
        newest.update((fact.key, memory.id) for fact in memory.facts if fact.key is not None)
    holding = [m for m in memories if all(fact.key is None or newest[fact.key] == m.id for fact in m.facts)]
    filled = frozenset(m.id for m in holding if any(_fills(question, fact) for fact in m.facts))
    if question.ahead and not filled:  # "내 일정 뭐였지?": whose plans are all over asks for those
        return filling(replace(question, when=None, ahead=False), memories)
    return filled


def _fills(question: Question, fact: Fact) -> bool:
    slot = next((s for s in question.slots if fits_slot(s, fact)), None)
    if slot is None:
        return False
    if slot[1] not in _TASTES | {"plan"}:
        return True
    days = question.when
    within = slot[1] != "plan" or days is None or (fact.when is not None and days[0] <= fact.when < days[1])
    # "내가 뭘 좋아한다고 했지?": where nothing narrower is named, each of many fills.
    return within and fact.polarity and all(_speaks_of(term, fact) for term in question.terms)


def _speaks_of(term: str, fact: Fact) -> bool:
    return term in f"{fact.object} {fact.place} {' '.join(fact.people)}".lower() or related(term, fact.object)


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
