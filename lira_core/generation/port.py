"""Answering: what a turn hands to a generator."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lira_core.memory.question import Question
from lira_core.reading.port import Verdict
from lira_core.types import Decision, EmotionReading, Fact, Message, RecalledMemory


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything an answer may rest on: what was said now, in this session, and what was recalled.

    `history` is the session before this turn, oldest first. `emotion` is None when the analyser was missed.
    `facts` are those of the utterance itself. `at` is when it was said, in the speaker's time zone. `verdict` is what was recalled says to a
    question of yes or no; `at_risk`: the speaker may think of harming themselves.
    """

    text: str
    at: datetime
    question: Question | None
    facts: tuple[Fact, ...]
    emotion: EmotionReading | None
    decision: Decision
    recalled: tuple[RecalledMemory, ...]
    history: Sequence[Message] = ()
    verdict: Verdict | None = None
    at_risk: bool = False


class Generator(Protocol):
    """Yields the answer in pieces; joined they are the reply."""

    def generate(self, prompt: Prompt) -> AsyncIterator[str]: ...
