"""What LIRA's keys are called. What stands in braces decides in which slot of a cluster a key is: a user's keys are all in one."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from lira_core.stores.ports import StoreRejected

SCHEMA = "lira:schema"
SHARDS = 4
"""Into so many parts the list of users with something in the outbox is cut: enough to spread over the primaries of a usual cluster (three to
six), few enough that each claim asks them all."""

REMEMBERED_SECONDS = 90_000
"""How long deletions and turn ids are remembered: the day that the ports ask for, and an hour for whoever comes late."""


def of(user_id: str, *parts: str) -> str:
    """A key of one user."""
    if not user_id or "{" in user_id or "}" in user_id:
        raise StoreRejected(f"a user id must have a character, and no braces: {user_id!r}")
    return f"lira:{{{user_id}}}:{':'.join(parts)}"


def shard(user_id: str) -> int:
    return crc32(user_id.encode()) % SHARDS


@dataclass(frozen=True, slots=True)
class SessionKeys:
    """One session: `head` (hash), `log` (list, a message each), `buffer` (list, an entry each), `turns` (sorted set of ids, by `received`),
    `cut` (of this session alone)."""

    user_id: str
    session_id: str

    @property
    def head(self) -> str:
        return of(self.user_id, "head", self.session_id)

    @property
    def log(self) -> str:
        return of(self.user_id, "log", self.session_id)

    @property
    def buffer(self) -> str:
        return of(self.user_id, "buffer", self.session_id)

    @property
    def turns(self) -> str:
        return of(self.user_id, "turns", self.session_id)

    @property
    def cut(self) -> str:
        return of(self.user_id, "session-cut", self.session_id)


def cut(user_id: str) -> str:
    return of(user_id, "cut")


def tombstones(user_id: str) -> str:
    return of(user_id, "tombstones")


def sessions(user_id: str) -> str:
    """Sorted set of session ids, by when nothing of them is left (milliseconds since 1970)."""
    return of(user_id, "sessions")


def answer(user_id: str, key: str) -> str:
    return of(user_id, "answer", key)


def answers(user_id: str) -> str:
    """Sorted set of idempotency keys, by when they end (milliseconds since 1970)."""
    return of(user_id, "answers")


BOX = ("order", "heads", "payloads", "attempts", "claims", "reasons", "ready", "later", "dead")
"""What waits for one user, by entry id: `order` (sorted set, by when it was put), `heads`, `payloads`, `attempts`, `claims`, `reasons`
(hashes), and in one of three sorted sets each: `ready` (by when it was put), `later` (by when it is due), `dead` (by when it was buried)."""


def box(user_id: str) -> list[str]:
    """The keys of BOX, then the user's cut, the tombstones, and those of them whose memory waited here."""
    return [of(user_id, "box", name) for name in (*BOX, "cut", "tombstones", "carried")]


def lanes(shard: int) -> list[str]:
    """Which users have something in their box: `ready` and `later` (sorted sets, by turn and by when it is due), `served` (by when that
    was), `counts` (hash), `revisions` (by what is known of each), `emptied` (by when that was)."""
    return [f"lira:{{#{shard}}}:lanes:{name}" for name in ("ready", "later", "served", "counts", "revisions", "emptied")]
