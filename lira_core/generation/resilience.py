"""A generator that keeps nobody waiting twice: deadlines, one safe retry, a circuit, and a bound on how many answers are written at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from lira_core.circuit import FAILURES, Circuit
from lira_core.generation.port import (
    Generator,
    GeneratorBusy,
    GeneratorError,
    GeneratorLate,
    GeneratorRejected,
    GeneratorUnavailable,
    Prompt,
    Usage,
    close,
)
from lira_core.observe import Observer
from lira_core.types import Decision

BACKOFF_S: Final = 0.2
"""A retry waits for a random part of this ("full jitter", AWS Architecture Blog 2015): long enough for a connection that a restart cut."""
PROBE_EVERY_S: Final = 0.5
PROBE_MOST_S: Final = 15.0
"""An open circuit tries the engine after 0.5 s, 1 s, 2 s, ... up to 15 s: an API that bills sees at most 240 greetings an hour."""
WAIT_S: Final = 1.0
WAIT_MOST_S: Final = 60.0
"""After a 429 nobody asks for as long as it says: a second where it says nothing, a minute at most (a quota of a day says a day)."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds, from when an answer is asked for: to its first piece, between two pieces, to its end. `ongoing`: answers at once.
    `failures` in a row open the circuit."""

    first_token_s: float
    idle_s: float
    total_s: float
    ongoing: int
    failures: int = FAILURES


class Guarded:
    """The same answers, bounded. GeneratorLate past a deadline, GeneratorBusy at once where no more may be asked now.

    An engine that was silent past a deadline, or failed `failures` times in a row, is not asked while a probe (the first piece of an answer
    to a greeting) fails in the background; GeneratorUnavailable at once. Nothing is asked twice of which a piece was seen. 429 and a refusal
    are answers: they open nothing. Each answer is counted as `lira_generator_calls_total{outcome}`.
    """

    def __init__(self, engine: Generator, bounds: Bounds, observer: Observer) -> None:
        self._engine, self._bounds, self._observer = engine, bounds, observer
        self._ongoing, self._asked_again_at = 0, 0.0
        self.circuit = Circuit(
            "generator",
            self._probe,
            observer,
            every_s=PROBE_EVERY_S,
            most_s=PROBE_MOST_S,
            within_s=bounds.first_token_s,
            failures=bounds.failures,
        )

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        outcome = "left"
        try:
            with self._place():
                async with aclosing(self._tried(prompt)) as pieces:
                    async for piece in pieces:
                        yield piece
            outcome = "answered"
        except GeneratorError as error:
            outcome = _outcome(error)
            raise
        finally:
            self._observer.count("lira_generator_calls_total", outcome=outcome)

    async def aclose(self) -> None:
        await self.circuit.close()
        await close(self._engine)

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Room for one more answer, if the engine may be asked now."""
        if self.circuit.open:
            raise Spared("the engine does not answer; it is asked again as soon as it does")
        if (wait := self._asked_again_at - asyncio.get_running_loop().time()) > 0:
            raise GeneratorBusy("the engine asked to be left alone for a while", wait)
        if self._ongoing >= self._bounds.ongoing:
            raise GeneratorBusy(f"{self._ongoing} answers are being written, as many as LIRA_GENERATOR_MAX_ONGOING allows")
        self._ongoing += 1
        try:
            yield
        finally:
            self._ongoing -= 1

    async def _tried(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """The answer, begun once more where the first try failed at once with nothing seen of it."""
        clock = Clock(self._bounds)
        for last in (False, True):
            try:
                async with aclosing(clock.bounded(self._engine.generate(prompt))) as pieces:
                    async for piece in pieces:
                        yield piece
                self.circuit.succeeded()
                return
            except (GeneratorBusy, GeneratorRejected) as error:
                self._answered_no(error)
                raise
            except GeneratorUnavailable as error:
                self.circuit.failed(error, late=isinstance(error, GeneratorLate))
                pause = random.uniform(0, BACKOFF_S)
                if last or clock.begun or not error.again or self.circuit.open or pause >= clock.left():
                    raise
            self._observer.count("lira_generator_retries_total", reason="failed")
            await asyncio.sleep(pause)

    def _answered_no(self, error: GeneratorBusy | GeneratorRejected) -> None:
        self.circuit.succeeded()
        if isinstance(error, GeneratorBusy):
            wait = WAIT_S if error.retry_after is None else min(error.retry_after, WAIT_MOST_S)
            self._asked_again_at = asyncio.get_running_loop().time() + wait

    async def _probe(self) -> None:
        try:
            async with aclosing(self._engine.generate(greeting())) as pieces:
                await anext(pieces)
        except GeneratorBusy:  # which an engine that is there says
            return


def greeting() -> Prompt:
    """What an engine is asked to find out whether it answers."""
    return Prompt("안녕", datetime.now(UTC), None, (), None, Decision(False, "none"), ())


class Spared(GeneratorUnavailable):
    """Not even asked."""


class Clock:
    """The deadlines of one answer, all its tries together; `begun` once a piece was seen."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds, now = bounds, asyncio.get_running_loop().time()
        self._due, self._ends = now + bounds.first_token_s, now + bounds.total_s
        self.begun = False

    def left(self) -> float:
        """Seconds to the next deadline."""
        return min(self._due, self._ends) - asyncio.get_running_loop().time()

    async def bounded(self, source: AsyncGenerator[str | Usage, None]) -> AsyncGenerator[str | Usage, None]:
        async with aclosing(source) as pieces:
            while True:
                try:
                    # Around each piece and not around all: whoever reads them may change tasks between two.
                    async with asyncio.timeout_at(min(self._due, self._ends)) as clock:
                        piece = await anext(pieces, None)
                except TimeoutError as error:
                    if not clock.expired():
                        raise
                    raise self._late() from error
                if piece is None:
                    return
                self.begun = True
                yield piece
                self._due = asyncio.get_running_loop().time() + self._bounds.idle_s

    def _late(self) -> GeneratorUnavailable:
        if not self.begun:
            return GeneratorLate(f"no first word within {min(self._bounds.first_token_s, self._bounds.total_s):g} s")
        if self._due <= self._ends:
            return GeneratorLate(f"no further word within {self._bounds.idle_s:g} s")
        # It wrote all the time: slow is not away, so this counts as one failure.
        return GeneratorUnavailable(f"not whole within {self._bounds.total_s:g} s")


def _outcome(error: GeneratorError) -> str:
    kinds = {GeneratorBusy: "busy", GeneratorLate: "late", GeneratorRejected: "rejected", Spared: "spared"}
    return kinds.get(type(error), "unavailable")
