"""Answering: what a turn hands to a generator, what comes back, and how it may fail."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from lira_core.memory.question import Question
from lira_core.reading.port import Verdict
from lira_core.responses import NO_RESPONSE
from lira_core.types import Aim, Decision, EmotionReading, Fact, Manner, Message, RecalledMemory, Risk, Speech, Tone


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything an answer may rest on: what was said now, in this session, and what was recalled.

    `history` is the session before this turn, oldest first. `emotion` is None when the analyser was missed.
    `facts` are those of the utterance itself. `at` is when it was said, in the speaker's time zone. `verdict` is what was recalled says to a
    question of yes or no; `risk`: whether the speaker may think of harming themselves. `summary` is of what was said in this session before
    `history`, empty where there is none. `guidance` says how to answer just now, a sentence each. `unsupported` are words of a first answer that
    nothing here supports: this is the second try. `speech` is the kind of what was said, None when the encoder was missed; `manner` its manner,
    `tone` the tone that it wants to be answered in, None when that was missed; `aim` what it wants of LIRA, where that is nothing that was told;
    `response` which of `lira_core.responses` fits what it tells.
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
    risk: Risk = "none"
    summary: str = ""
    guidance: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    speech: Speech | None = None
    manner: Manner = "none"
    tone: Tone | None = None
    aim: Aim = "none"
    response: str = NO_RESPONSE


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer, as its engine counts them. `cached` are those of `read` that prefix caching spared."""

    read: int
    written: int
    cached: int = 0


class GeneratorError(Exception):
    """There is no answer, or no more of it."""


class GeneratorUnavailable(GeneratorError):
    """The engine cannot be reached, broke off, or was too slow. Another try may succeed.

    `again`: it failed at once and did no work, so that the same may be asked again before anybody notices.
    """

    def __init__(self, message: str, *, again: bool = False) -> None:
        super().__init__(message)
        self.again = again


class GeneratorLate(GeneratorUnavailable):
    """The engine was silent for longer than a deadline. Another try would cost as long."""


class GeneratorBusy(GeneratorUnavailable):
    """The engine takes no more just now (429): no outage, and no reason to ask it less often than it says. `retry_after` in seconds."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class GeneratorRejected(GeneratorError):
    """The engine refuses what is asked, and will again: a wrong key, an unknown model, a prompt too long. The message says what to change."""


class Generator(Protocol):
    """Yields the answer in pieces, joined they are the reply, and at most one `Usage`, last.

    GeneratorError where there is no answer or it breaks off. Closing the iterator ends the work: an engine elsewhere is told.
    """

    def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]: ...


async def close(generator: Generator) -> None:
    """Ends what a generator holds (connections, a probe), by its `aclose`; one that holds nothing needs none."""
    if (aclose := getattr(generator, "aclose", None)) is not None:
        await aclose()
