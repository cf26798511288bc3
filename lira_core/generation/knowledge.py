"""What is known that answers a question: supporting memories, best first, and the facts in them that fill the slots asked for.

Memories are those that were recalled; what was said in this session counts too, kept or not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from lira_core.generation.port import Prompt
from lira_core.korean.categories import related
from lira_core.korean.morphemes import terms
from lira_core.memory.answerable import ANSWERS, support
from lira_core.memory.facts import extract
from lira_core.memory.fitting import fits_slot
from lira_core.memory.question import Question, ask
from lira_core.memory.slots import topic_of
from lira_core.types import USER, Fact, Memory

# Log odds of support by which a memory may trail the best and still be about the same thing; then the newest is the truth.
NEAR = 0.4
# A question that does not seem to be about the person is answered from memory only when a memory is this sure to answer it.
SURE = 0.75
# A plan or a habit that is no longer what it was.
CHANGED = re.compile(
    r"바[뀌꼈꿨]|미[루뤄뤘]|연기|변경|취소|옮[기겼겨]|앞당|당겨|대신|말고|접었|끊었|postpone|resched|moved to|cancel|instead|changed to", re.I
)
TASTES = frozenset({"like", "dislike", "favorite"})


@dataclass(frozen=True, slots=True)
class Known:
    """`memories` support the question, best first; `facts` answer it, newest first, of one key only the newest."""

    memories: tuple[Memory, ...] = ()
    facts: tuple[Fact, ...] = ()


def known(prompt: Prompt) -> Known:
    """What answers the prompt's question; empty when nothing does."""
    question = prompt.question
    if question is None:
        return Known()
    question = _both_ways(question)
    floor = ANSWERS if question.about_memory else SURE
    if question.about_memory and everything(question):
        newest = sorted([*(r.memory for r in prompt.recalled), *said_here(prompt)], key=lambda m: m.timestamp, reverse=True)
        return Known(tuple(newest), tuple(_newest_of_keys(newest)))
    if question.session_only and not question.terms and not question.slots:
        return Known(tuple(said_here(prompt)[-1:]))
    recalled = [(r.memory, r.certainty) for r in prompt.recalled]
    # What this session holds is read only when it is needed: it costs a millisecond per line.
    ranked = [] if question.session_only else _supporting(question, recalled, floor)
    ranked = ranked or _supporting(question, [(memory, None) for memory in said_here(prompt)], floor)
    if question.session_only:
        ranked = ranked or _supporting(question, recalled, floor)
    if not ranked:
        return Known()
    found = [memory for _, memory in ranked]
    truth = _newest_of_keys(sorted({m.id: m for m, _ in recalled}.values() or found, key=lambda m: m.timestamp, reverse=True))
    near = [memory for score, memory in ranked if score >= ranked[0][0] - NEAR]
    facts = tuple(f for f in answering(question, near) if f.key is None or all(t.key != f.key or t == f for t in truth))
    holders = sorted(found, key=lambda m: not any(f in facts for f in m.facts))
    return Known(tuple(holders), facts)


def _both_ways(question: Question) -> Question:
    """Whether somebody likes a thing is also answered by what they dislike."""
    if question.wants != "yesno" or not any(p in TASTES for _, p in question.slots):
        return question
    whose = question.slots[0][0]
    more = tuple((whose, p) for p in ("like", "dislike", "favorite") if (whose, p) not in question.slots)
    return replace(question, slots=(*question.slots, *more))


def everything(question: Question) -> bool:
    """ "나에 대해 뭐 알아?": a question that names nothing in particular."""
    if question.emotions or question.session_only or question.wants in {"why", "how", "when", "where", "yesno"}:
        return False
    return not (question.slots or question.terms or question.value) or {(USER, "name"), (USER, "job")} <= set(question.slots)


def said_here(prompt: Prompt) -> list[Memory]:
    """The person's statements of this session, oldest first, as memories a minute apart."""
    lines = [message.content for message in prompt.history if message.role == "user"]
    out = []
    for i, text in enumerate(lines):
        at = prompt.at - timedelta(minutes=len(lines) - i)
        if ask(text, at) is None:
            out.append(Memory(f"session:{i}", "", text, at, facts=extract(text, at), terms=tuple(terms(text))))
    return out


def _supporting(question: Question, memories: Iterable[tuple[Memory, float | None]], floor: float) -> list[tuple[float, Memory]]:
    """(log odds, memory) of the memories that may be said, best first; what is older than a change of plan is no answer any more."""
    scored = {memory.id: (odds(support(question, memory, certainty)), memory) for memory, certainty in memories}
    sure = [(score, memory) for score, memory in scored.values() if score >= odds(floor)]
    changed = [memory for score, memory in sure if CHANGED.search(memory.text)]
    if changed:
        newest = max(changed, key=lambda m: m.timestamp)
        sure = [(score, memory) for score, memory in sure if memory.timestamp >= newest.timestamp or not set(memory.terms) & set(newest.terms)]
    if not sure:
        return []
    enough = max(score for score, _ in sure) - NEAR
    return sorted(sure, key=lambda s: (s[0] >= enough, s[1].timestamp.timestamp() if s[0] >= enough else s[0]), reverse=True)


def odds(probability: float) -> float:
    """Log odds, within what a float holds."""
    p = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(p / (1 - p))


def answering(question: Question, memories: Sequence[Memory]) -> list[Fact]:
    """The facts that fill a slot asked for, newest first."""
    newest = sorted(memories, key=lambda m: m.timestamp, reverse=True)
    fits = [fact for fact in _newest_of_keys(newest) if any(fits_slot(slot, fact) for slot in question.slots)]
    asked = [predicate for _, predicate in question.slots]
    tastes = bool(asked) and asked[0] in TASTES
    if tastes and question.wants != "yesno":
        fits = [fact for fact in fits if fact.predicate not in TASTES or likes(fact) == (asked[0] != "dislike")]
    if not question.value:
        return fits if tastes else _one_slot(question, fits)
    value = question.value.lower()
    exact = [f for f in fits if value in f.object.lower() or f.object.lower() in value or value == (topic_of(f) or "").lower()]
    return exact or [f for f in fits if related(value, f.object)] or (fits if tastes else _one_slot(question, fits))


def likes(fact: Fact) -> bool:
    """Whether a taste is one of liking."""
    return fact.polarity == (fact.predicate != "dislike")


def _one_slot(question: Question, facts: Sequence[Fact]) -> list[Fact]:
    """The facts of the first slot that any fact fills; what somebody does is their job before their workplace, unless a place is asked for."""
    slots = list(question.slots)
    if question.wants != "where":
        slots.sort(key=lambda slot: slot[1] == "workplace")
    return next((found for slot in slots if (found := [f for f in facts if fits_slot(slot, f)])), [])


def _newest_of_keys(newest_first: Iterable[Memory]) -> list[Fact]:
    seen: set[str] = set()
    out = []
    for memory in newest_first:
        mine = [f for f in memory.facts if f.key is None or f.key not in seen]
        seen |= {f.key for f in mine if f.key is not None}
        out += mine
    return out
