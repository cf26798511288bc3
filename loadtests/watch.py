"""Looks at the server and at the load while they meet."""

from __future__ import annotations

import logging
import time
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gevent

from loadtests.scrape import Sample, read

if TYPE_CHECKING:
    from locust.env import Environment  # which patches the sockets of whoever imports it

log = logging.getLogger("loadtest")

EVERY_S = 5.0
"""A scrape with Ray's own metrics is a megabyte, 0.1 s of one core; LIRA's counts reach it within 3 s."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the users saw in the last EVERY_S: `at` in seconds since the run began, turns answered a second, milliseconds."""

    at: float
    users: int
    turns_per_second: float
    p50_ms: float | None
    p95_ms: float | None
    first_token_p50_ms: float | None


class Watch:
    """Of a run: `samples` from the server, `moments` from the users, and how many answers were `degraded`."""

    def __init__(self, host: str, environment: Environment) -> None:
        self._url, self._environment = f"{host.rstrip('/')}/metrics?all=true", environment
        self.samples: list[Sample] = []
        self.moments: list[Moment] = []
        self.degraded = 0
        self._took: list[float] = []
        self._first: list[float] = []
        self._running = True

    def count(self, request_type: str, name: str, response_time: float, exception: Any, context: dict[str, Any], **_: Any) -> None:
        """A listener of locust's `request` event."""
        if exception is None and name != "refused":
            (self._first if request_type == "SSE" else self._took).append(response_time)
        self.degraded += "degraded" in context

    def run(self) -> None:
        """Until `stop`."""
        self._began = time.perf_counter()
        self._scrape()
        while self._running:
            gevent.sleep(EVERY_S)
            if self._running:
                self._look()
                self._scrape()

    def stop(self) -> None:
        """With the last scrape; what the users saw since the last look is too short a time for a rate."""
        if self._running and hasattr(self, "_began"):
            self._running = False
            self._scrape()

    def _look(self) -> None:
        took, self._took = sorted(self._took), []
        first, self._first = sorted(self._first), []
        at = time.perf_counter() - self._began
        since = at - (self.moments[-1].at if self.moments else 0.0)
        users = self._environment.runner.user_count if self._environment.runner else 0
        self.moments.append(Moment(at, users, len(took) / since, _share(took, 0.5), _share(took, 0.95), _share(first, 0.5)))

    def _scrape(self) -> None:
        try:
            with urllib.request.urlopen(self._url, timeout=10) as answer:
                self.samples.append(read(answer.read().decode("utf-8"), time.perf_counter() - self._began))
        except OSError as error:
            log.warning("no metrics from %s: %s", self._url, error)


def _share(values: list[float], share: float) -> float | None:
    return values[min(int(len(values) * share), len(values) - 1)] if values else None
