"""Choosing among wordings: the same words always get the same answer, different words different ones."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from typing import TypeVar

from lira_core.generation.port import Prompt
from lira_core.types import Message

T = TypeVar("T")


def fitting(wordings: Sequence[str], promises: re.Pattern[str], prompt: Prompt, *seed: str, otherwise: Sequence[str] = ()) -> str:
    """Of the wordings one that LIRA has not just said; of those that promise to remember only where what was said is kept, and where all of them do
    and it is not, one of `otherwise`."""
    if not prompt.decision.keep:
        wordings = [one for one in wordings if not promises.search(one)] or otherwise
    return fresh(wordings, prompt.history, prompt.text, *seed)


def fresh(options: Sequence[str], history: Sequence[Message], *seed: str) -> str:
    """As `choose`, of those that LIRA has not said in `history`, where there are any."""
    said = [message.content for message in history if message.role != "user"]
    return choose([one for one in options if not any(one in text for text in said)] or options, *seed)


def choose(options: Sequence[T], *seed: str) -> T:
    """One of the options by a stable hash of the seed; `options` must not be empty."""
    return options[zlib.crc32("\x1f".join(seed).encode()) % len(options)]
