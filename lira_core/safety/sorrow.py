"""Sorrow that is told again and again over days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from lira_core.generation.feelings import SORROW, feeling
from lira_core.generation.plan import Talk, first_kind, squash
from lira_core.generation.port import Prompt

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
    if feeling(prompt) not in SORROW:
        return None
    feels = first_kind(talk.sorrowful, prompt.text)
    here = [m.content for m in prompt.history if m.role == "user" and first_kind(talk.sorrowful, m.content)]
    lately = [r.memory for r in prompt.recalled if prompt.at - r.memory.timestamp <= LATELY]
    before = {squash(text) for text in here} | {squash(m.text) for m in lately if m.tone in SORROW}
    if max(len(before), len(here)) < REPEATED:
        return None
    return Sorrow(feels, any(talk.noticed in m.content for m in prompt.history if m.role == "lira"))
