"""Short-term memory, kept answers and the outbox on Redis 6.2 or newer, or Valkey: `redis://`, `rediss://`, `?cluster=true` for a cluster.

Every change is one Lua script over keys of one user, whose id is their hash tag, so that each is atomic and a cluster needs nothing more.

What the outbox survives is what the server survives. For "queued" to be true whatever happens the server must run with `appendonly yes` and
`appendfsync always`: then it answers when a change is on the disk. With `everysec` (its default) it may answer before it has written anything,
for as long as a sync takes, so a kill or a power failure takes up to the last 2 seconds (aof.c, `flushAppendOnlyFile`). `maxmemory-policy` has
to be `noeviction`: every other policy may throw away what waits, or the note that something was deleted. LIRA looks at all three once, and warns.
"""

from __future__ import annotations

from lira_core.stores import Opening
from lira_core.stores.redis.deferred import RedisDeferred
from lira_core.stores.redis.server import Server
from lira_core.stores.redis.short_term import RedisShortTerm

__all__ = ["open_short_term"]


async def open_short_term(opening: Opening) -> tuple[RedisShortTerm, RedisDeferred]:
    """StoreRejected, naming the setting, for a wrong URL, a refused password, another program's or a newer LIRA's keys.

    A server that is away is waited for: the first call that reaches it looks whose keys are there.
    """
    server = Server(opening.url, opening.setting)
    try:
        await server.begin()
    except BaseException:
        await server.close()
        raise
    options = opening.options
    short_term = RedisShortTerm(
        server,
        ttl_seconds=options.session_ttl_seconds,
        max_messages=options.session_max_messages,
        answers_ttl_seconds=options.answers_ttl_seconds,
    )
    return short_term, RedisDeferred(server)
