"""Sorrow that is told again and again over days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from lira_core.generation.feelings import SORROW, SPOKEN, WARM
from lira_core.generation.plan import Talk, first_kind, squash
from lira_core.generation.port import Prompt
from lira_core.types import Memory

REPEATED: Final = 2
"""Sorrow said this often before is noticed (seed 000: "2-3회 반복 발화")."""
LATELY: Final = timedelta(days=14)
"""What "요즘" covers: two weeks, over which the usual screening for depression asks (PHQ-9)."""


@dataclass(frozen=True, slots=True)
class Sorrow:
    """Sorrow said again and again; `feels` is the feeling as it was named, `noticed`: LIRA has said so in this session."""

    feels: str | None
    noticed: bool


def repeated_sorrow(prompt: Prompt, talk: Talk) -> Sorrow | None:
    """Sorrow that was said before, REPEATED times or more, in this session or in what was recalled of the last two weeks."""
    feels = first_kind(talk.sorrowful, prompt.text)
    real = prompt.emotion.real if prompt.emotion else None
    if (feels is None and (real is None or real.label not in SORROW or real.score < SPOKEN)) or (real is not None and real.label in WARM):
        return None
    here = [m.content for m in prompt.history if m.role == "user" and first_kind(talk.sorrowful, m.content)]
    lately = [r.memory for r in prompt.recalled if prompt.at - r.memory.timestamp <= LATELY]
    before = {squash(text) for text in here} | {squash(m.text) for m in lately if first_kind(talk.sorrowful, m.text) or _sad(m)}
    if max(len(before), len(here)) < REPEATED:
        return None
    return Sorrow(feels, any(talk.noticed in m.content for m in prompt.history if m.role == "lira"))


def _sad(memory: Memory) -> bool:
    return memory.emotion is not None and memory.emotion.real is not None and memory.emotion.real.label in SORROW
