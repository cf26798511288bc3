"""Who may begin a turn: so many at once, the people who wait one after the other, and a queue that stands is not joined.

A queue that forms when many speak at once is good and empties by itself; one that stands makes everybody wait and nobody faster (Nichols and
Jacobson, "Controlling queue delay", ACM Queue 2012). So a burst is admitted and served late, and where the queue has stood for a while who
would wait long is refused at once.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from typing import Final, Literal, Self

from lira_core.observe import Observer
from lira_core.settings import Settings

STANDS_S: Final = 5.0
"""A queue that has not been empty for so long is no burst. With 2 s some of two hundred turns sent at once were refused on two cores that others
used too: the last of them arrive when the first have long been answered."""
CALM_S: Final = 1.0
"""Only a queue that has been empty for so long has ended. One that who may wait keeps short empties for an instant now and then under the same load;
when that let everybody in for another STANDS_S, twice the capacity made those admitted wait 4 s where 0.1 s was allowed."""
SMOOTHING: Final = 0.1
"""Weight of the newest interval between two admissions in their mean: some twenty count, a third of a second at sixty turns a second."""


class Refused(Exception):
    """The turn did not begin and nothing of it was kept. `reason`: `user`, whose own turns are too many, or `queue`, everybody's together."""

    def __init__(self, reason: Literal["user", "queue"]) -> None:
        super().__init__(reason)
        self.reason = reason


class Admission:
    """At most `running` turns at once; at most `waiting` wait, of one user `of_one` together with those that run.

    While a queue stands, who would wait longer than `patience` seconds for others is refused at once.

    Users who wait take turns (round robin), each in the order of arrival, so that one who sends a hundred at once delays another by one.
    For one event loop.
    """

    def __init__(self, running: int, waiting: int, of_one: int, patience: float, observer: Observer) -> None:
        self._most, self._room, self._of_one, self._patience, self._observer = running, waiting, of_one, patience, observer
        self._running = 0
        self._of: dict[str, int] = {}
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._waiting = 0
        self._stands_since, self._emptied_at = 0.0, -inf
        self._admitted_at = 0.0
        self._interval = 0.0

    @classmethod
    def of(cls, settings: Settings, observer: Observer) -> Self:
        return cls(settings.ongoing_turns, settings.max_queued_requests, settings.max_turns_per_user, settings.queue_patience_ms / 1000, observer)

    @asynccontextmanager
    async def turn(self, user_id: str) -> AsyncIterator[None]:
        """Within, the turn may run. Refused at once, never after it has waited, unless one who sends less takes its place."""
        if self._of.get(user_id, 0) >= self._of_one:
            self._refuse("user")
        self._of[user_id] = self._of.get(user_id, 0) + 1
        try:
            await self._enter(user_id)
            try:
                yield
            finally:
                self._running -= 1
                self._admit()
        finally:
            self._of[user_id] -= 1
            if not self._of[user_id]:
                del self._of[user_id]

    async def _enter(self, user_id: str) -> None:
        if self._running < self._most:
            self._running += 1
            return
        now = asyncio.get_running_loop().time()
        if self._queues and now - self._stands_since > STANDS_S and self._would_wait(user_id) > self._patience:
            self._refuse("queue")
        if self._waiting >= self._room:
            self._make_room(user_id)
        if not self._queues:
            if now - self._emptied_at > CALM_S:
                self._stands_since = now
            self._admitted_at = now
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(user_id, deque()).append(place)
        self._waiting += 1
        try:
            await place
            self._observer.observe("lira_turn_seconds", asyncio.get_running_loop().time() - now, stage="queue")
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self._running -= 1
                self._admit()
            elif place in self._queues.get(user_id, ()):
                self._leave(user_id, place)
            raise

    def _admit(self) -> None:
        while self._running < self._most and self._queues:
            user_id, queue = next(iter(self._queues.items()))
            self._queues.move_to_end(user_id)
            place = queue[0]
            self._leave(user_id, place)
            place.set_result(None)
            self._running += 1
            now = asyncio.get_running_loop().time()
            self._interval += SMOOTHING * (now - self._admitted_at - self._interval)
            self._admitted_at = now

    def _leave(self, user_id: str, place: asyncio.Future[None]) -> None:
        queue = self._queues[user_id]
        queue.remove(place)
        self._waiting -= 1
        if not queue:
            del self._queues[user_id]
        if not self._queues:
            self._emptied_at = asyncio.get_running_loop().time()

    def _would_wait(self, user_id: str) -> float:
        """Seconds for others, by the mean interval: they go before as often as the user waits already, and once more. What somebody waits for
        their own turns is their own doing, and bounded by `of_one`."""
        rounds = len(self._queues.get(user_id, ())) + 1
        return self._interval * sum(min(len(queue), rounds) for other, queue in self._queues.items() if other != user_id)

    def _make_room(self, user_id: str) -> None:
        """The newest turn of who has the most waiting goes; where that is who asks now, or nobody has more, this one."""
        longest = max(self._queues, key=lambda one: len(self._queues[one]), default=user_id)
        if len(self._queues.get(longest, ())) <= len(self._queues.get(user_id, ())) + 1:
            self._refuse("queue")
        place = self._queues[longest][-1]
        self._leave(longest, place)
        self._observer.count("lira_refused_total", reason="queue")
        place.set_exception(Refused("queue"))

    def _refuse(self, reason: Literal["user", "queue"]) -> None:
        self._observer.count("lira_refused_total", reason=reason)
        raise Refused(reason)
