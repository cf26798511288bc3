"""What a turn tells while it runs: one `Recalled`, then `Token`s, then one `Done`."""

from __future__ import annotations

from dataclasses import dataclass

from lira_core.replies import Opening, Reply


@dataclass(frozen=True, slots=True)
class Recalled:
    """Everything but the answer is known. Of `opening.memory` the last word is in `Done`: the answer does not wait for the disk."""

    opening: Opening


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The turn, whole. `quotes` are the ids of the memories and turns that the reply rests on: with any of them it is forgotten."""

    reply: Reply
    quotes: tuple[str, ...]


TurnEvent = Recalled | Token | Done
