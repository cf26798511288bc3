"""Which users have something in their box, whose turn it is, and how much waits in all.

A cluster has no script over two users, so a box and its lane are written one after the other. Every state of a box has a revision, and the lane
keeps the newest, in whichever order they arrive. Whatever stops between the two leaves a lane that is looked at anyway: before something is put,
the lane is told to look in `LOOK_SECONDS`, and what was claimed is looked at when its lease ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from lira_core.stores.ports import Backlog
from lira_core.stores.redis import keys, outbox_lua
from lira_core.stores.redis.arguments import Argument
from lira_core.stores.redis.server import OPERATION_SECONDS, Server
from lira_core.stores.redis.together import Together

T = TypeVar("T")
R = TypeVar("R")

SECOND = 1_000_000
LOOK_SECONDS = 3 * OPERATION_SECONDS
"""Longer than putting something can take."""
EMPTIED_SECONDS = 2 * OPERATION_SECONDS
"""So long the revision of an empty box is kept: a state that is older may still be on its way. Its user is named no longer than that."""
AHEAD_SECONDS = 60.0
"""Who is new comes before those who were served so long ago, and after all others: so nobody waits for ever behind new users."""
CLOCK_SECONDS = 60.0
"""A revision further in the future than that was made by a clock that has been set back since."""
AT_ONCE = 8
"""Boxes that are worked on in parallel: half of the pool."""


@dataclass(frozen=True, slots=True)
class State:
    """Of a user's box: when that was (`revision`), how many wait and are dead, microseconds until the next is due (-1 for none)."""

    revision: int
    waiting: int
    dead: int
    delay: int


class Lanes:
    """The lists of all shards."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._looks = [Together(partial(self._look, shard)) for shard in range(keys.SHARDS)]
        self._tells = [Together(partial(self._tell, shard)) for shard in range(keys.SHARDS)]

    async def due(self, limit: int) -> list[str]:
        """At most `limit` users who have something due, whoever was served longest ago first."""
        args = [limit, int(EMPTIED_SECONDS * SECOND), int(AHEAD_SECONDS * SECOND)]
        found = await asyncio.gather(*(self._server.run(outbox_lua.PEEK, keys.lanes(shard), args) for shard in range(keys.SHARDS)))
        turns = [(float(turns[i + 1]), turns[i].decode()) for turns in found for i in range(0, len(turns), 2)]
        return [user_id for _, user_id in sorted(turns)[:limit]]

    async def look(self, user_id: str) -> None:
        """Whoever claims later looks into the user's box."""
        await self._looks[keys.shard(user_id)](user_id)

    async def tell(self, user_id: str, state: State, *, served: bool = False) -> None:
        """What has become of a user's box, and whether the user was just served."""
        await self._tells[keys.shard(user_id)]((user_id, state, served))

    async def _look(self, shard: int, users: Sequence[str]) -> None:
        await self._server.run(outbox_lua.LOOK, keys.lanes(shard), [int(LOOK_SECONDS * SECOND), *dict.fromkeys(users)])

    async def _tell(self, shard: int, told: Sequence[tuple[str, State, bool]]) -> None:
        args: list[Argument] = [int(AHEAD_SECONDS * SECOND), int(CLOCK_SECONDS * SECOND)]
        for user_id, state, served in told:
            args += [user_id, state.revision, state.waiting, state.dead, state.delay, int(served)]
        await self._server.run(outbox_lua.TELL, keys.lanes(shard), args)

    async def backlog(self) -> Backlog:
        counts = await asyncio.gather(*(self._server.run(outbox_lua.COUNT, keys.lanes(shard)) for shard in range(keys.SHARDS)))
        return Backlog(sum(waiting for waiting, _ in counts), sum(dead for _, dead in counts))

    async def with_dead(self) -> list[str]:
        """The users who have dead letters."""
        users = []
        for shard in range(keys.SHARDS):
            async for user_id, counts in self._server.scan(keys.lanes(shard)[3]):
                if not counts.endswith(b" 0"):
                    users.append(user_id.decode())
        return list(dict.fromkeys(users))


async def at_once(work: Callable[[T], Awaitable[R]], items: Sequence[T]) -> list[R]:
    """`work` on each item, AT_ONCE of them in parallel; the answers in order."""
    answers: list[R] = []
    for start in range(0, len(items), AT_ONCE):
        answers += await asyncio.gather(*(work(item) for item in items[start : start + AT_ONCE]))
    return answers
