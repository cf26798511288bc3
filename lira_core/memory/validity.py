"""What replaced what: of two facts with the same key, the newer is the truth.

Validity is derived when memories are read, never written into them. So an old fact that is imported late does not
overrule a newer one, deleting the newer one brings the older back, and two writers cannot race.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from lira_core.types import Fact, Memory


def keys_of(memories: Iterable[Memory]) -> list[str]:
    """The fact keys whose newest holder decides which of these memories still hold."""
    return sorted({fact.key for memory in memories for fact in memory.facts if fact.key is not None})


def still_true(memory: Memory, newest: Mapping[str, tuple[datetime, str]]) -> Memory | None:
    """The memory with only the facts that nothing newer replaced; None when nothing of it holds any more.

    `newest` is `Record.holders`: (timestamp, memory id) per key. A memory that was kept for its feeling stays,
    without its replaced facts: what one felt then remains true.
    """
    if not memory.facts:
        return memory
    facts = tuple(f for f in memory.facts if f.key is None or f.key not in newest or newest[f.key][1] == memory.id)
    if len(facts) == len(memory.facts):
        return memory
    return replace(memory, facts=facts) if facts or memory.reason == "emotion" else None


Plans = Mapping[str, Sequence[tuple[Memory, Fact]]]
"""Who told of each planned thing, by fact key, newest first."""


def plans_of(memories: Iterable[Memory]) -> Plans:
    plans: dict[str, list[tuple[Memory, Fact]]] = {}
    for memory in memories:
        for fact in memory.facts:
            if fact.key is not None and fact.category == "plan":
                plans.setdefault(fact.key, []).append((memory, fact))
    for told in plans.values():
        told.sort(key=lambda pair: pair[0].timestamp, reverse=True)
    return plans


def completed(memory: Memory, plans: Plans) -> Memory:
    """The memory with what a changed plan did not say again ("미팅 4시로 바뀌었어" has no place) taken from the ones it replaced."""

    def earlier(fact: Fact) -> list[Fact]:
        told = plans.get(fact.key or "", ())
        return [old for other, old in told if other.timestamp <= memory.timestamp and other.id != memory.id]

    facts = tuple(_completed(fact, earlier(fact)) for fact in memory.facts)
    return memory if facts == memory.facts else replace(memory, facts=facts)


def _completed(fact: Fact, earlier: list[Fact]) -> Fact:
    if fact.category != "plan" or fact.key is None or not fact.polarity:
        return fact
    for old in earlier:
        if not old.polarity:
            break
        dated = fact.when is not None or old.when is None
        fact = replace(
            fact,
            place=fact.place or old.place,
            people=fact.people or old.people,
            when=fact.when if dated else old.when,
            when_text=fact.when_text if dated else old.when_text,
        )
    return fact
