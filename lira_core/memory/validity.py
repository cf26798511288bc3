"""What replaced what: of two facts with the same key, the newer is the truth.

Validity is derived when memories are read, never written into them. So an old fact that is imported late does not
overrule a newer one, deleting the newer one brings the older back, and two writers cannot race.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from lira_core.types import Memory


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
