"""A stage of a turn: it has a deadline, is timed, and when it fails the turn goes on without it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

from opentelemetry import trace

from lira_core.generation.port import GeneratorError
from lira_core.observe import Observer
from lira_core.stores.ports import StoreUnavailable

log = logging.getLogger("lira")
# Does nothing until somebody installs an SDK: deployments/tracing.py, or whoever uses the library.
tracer = trace.get_tracer("lira")
T = TypeVar("T")

AWAY = (StoreUnavailable, GeneratorError, TimeoutError, ConnectionError)
"""What happens to parts that are elsewhere; anything else is a fault of ours and is logged with its traceback."""


class Stages:
    """The clock and the conscience of one turn.

    `timings` are milliseconds per stage; `degraded` names what was missed: `emotion`, `embedding`, `short_term`, `vectors`,
    `record`, `generator`, `understanding`; a stage that failed by a fault of ours is named itself. No stage runs past `ends`, the turn's own
    end on the event loop's clock. Each stage is a span below the span `turn`, which carries the turn's id and what was missed, never what was said.
    """

    def __init__(self, observer: Observer, *, ends: float, turn_id: str = "") -> None:
        self._observer, self._ends = observer, ends
        self._began = time.perf_counter()
        self._span = tracer.start_span("turn", attributes={"lira.request_id": turn_id})
        self._context = trace.set_span_in_context(self._span)
        self.timings: dict[str, float] = {}
        self.degraded: list[str] = []

    async def run(self, stage: str, work: Awaitable[T], *, deadline_ms: int, blame: str, spare_s: float = 0.0) -> T | None:
        """The result of `work`, or None when it failed or took longer than its deadline; then `blame` is degraded.

        `spare_s` is left of the turn's time for what comes after.
        """
        began = time.perf_counter()
        now = asyncio.get_running_loop().time()
        try:
            with self._span_of(stage):
                async with asyncio.timeout_at(min(now + deadline_ms / 1000, max(self._ends - spare_s, now))):
                    return await work
        except Exception as error:  # noqa: BLE001 a stage may fail in any way, and the turn must not
            self.miss(blame, stage, error)
            return None
        finally:
            self.took(stage, time.perf_counter() - began)

    def _span_of(self, stage: str) -> AbstractContextManager[object]:
        """Nothing where nobody traces this turn: a span costs some 10 µs even then. Without an error's words, which may be a person's."""
        if not self._span.is_recording():
            return nullcontext()
        return tracer.start_as_current_span(stage, self._context, record_exception=False, set_status_on_exception=False)

    def miss(self, blame: str, stage: str, error: BaseException) -> None:
        """Names what the person did not get."""
        away = isinstance(error, AWAY)
        if away:
            log.warning("%s was left out of a turn: %s: %s", stage, type(error).__name__, str(error) or "deadline passed")
        else:
            log.error("%s failed", stage, exc_info=error)
        missed = blame if away or blame not in ("short_term", "record", "vectors") else stage
        if missed not in self.degraded:
            self.degraded.append(missed)
            self._observer.count("lira_degraded_total", stage=missed)

    def took(self, stage: str, seconds: float) -> None:
        """Adds to a stage's time; stages that run side by side add up to more than the total."""
        self.timings[stage] = round(self.timings.get(stage, 0.0) + 1000 * seconds, 2)

    def finish(self) -> dict[str, float]:
        """All timings, the total among them; reported once per stage, since a sample costs a tenth of a millisecond on Ray."""
        self.took("total", time.perf_counter() - self._began)
        for stage, milliseconds in self.timings.items():
            self._observer.observe("lira_turn_seconds", milliseconds / 1000, stage=stage)
        return dict(self.timings)

    def end(self) -> None:
        """The turn is over, however: its span is told."""
        self._span.set_attribute("lira.degraded", self.degraded)
        self._span.end()
