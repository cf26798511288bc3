"""Sessions and kept answers in Redis.

A deletion first notes what nobody may write any more, in one atomic step that also tells what there is; then it clears one session after
another. So no script is long, and each touches only keys that it names.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import orjson

from lira_core.stores.codec import dump, instant, load_buffer, moment
from lira_core.stores.ports import Answer, Forgotten, SessionTurn, StoreRejected
from lira_core.stores.redis import keys, session_lua
from lira_core.stores.redis.arguments import batches, counted, milliseconds
from lira_core.stores.redis.keys import REMEMBERED_SECONDS, SessionKeys
from lira_core.stores.redis.server import Server
from lira_core.types import BufferEntry, Message, Session

TURNS = 10_000
"""Of one session so many turn ids are remembered, the newest: a retry comes within minutes, and nobody says that much meanwhile."""
ANSWERS_AT_ONCE = 200
"""Kept answers that one script of a deletion goes over: some 2 ms of the server's time."""


class RedisShortTerm:
    """`ShortTerm` on Redis, whose clock is the wall clock. Ids are remembered for a day, or `ttl_seconds` where that is longer."""

    def __init__(self, server: Server, *, ttl_seconds: float, max_messages: int, answers_ttl_seconds: float) -> None:
        self._server = server
        self._ttl = milliseconds(ttl_seconds)
        self._answers_ttl = milliseconds(answers_ttl_seconds)
        self._max_messages = max_messages
        self._keep = milliseconds(max(REMEMBERED_SECONDS, ttl_seconds))

    async def append(self, user_id: str, session_id: str, turn: SessionTurn) -> None:
        own = SessionKeys(user_id, session_id)
        with _rejecting():
            ts, offset = instant(turn.at)
            lines = [_line(turn, message) for message in turn.messages]
            entries = [_entry(entry) for entry in turn.recalled]
        appended = await self._server.run(
            session_lua.APPEND,
            [own.head, own.log, own.buffer, own.turns, own.cut, keys.cut(user_id), keys.tombstones(user_id), keys.sessions(user_id)],
            [
                *(session_id, turn.id, turn.received, ts, offset),
                *(self._ttl, self._max_messages, TURNS, self._keep),
                *counted([turn.id, *turn.quotes]),
                *counted([entry.memory_id or "" for entry in turn.recalled]),
                *counted(entries),
                *counted(lines),
            ],
        )
        if not appended:
            raise Forgotten(f"the user, the session or a memory of turn {turn.id} was deleted after it was received")

    async def read(self, user_id: str, session_id: str, at: datetime | None = None, last: int | None = None) -> Session:
        own = SessionKeys(user_id, session_id)
        with _rejecting():
            asked = None if at is None else instant(at)[0]
        found = await self._server.run(session_lua.READ, [own.head, own.log, own.buffer, keys.cut(user_id)], [-1 if last is None else max(last, 0)])
        if not found:
            return Session()
        ts, offset, left, received, buffered, *_ = map(_whole, found[:5])
        cut = None if found[5] is None else int(found[5])
        if (cut is not None and received <= cut) or (asked is not None and asked - ts >= self._ttl * 1000):
            return Session()
        with _rejecting():
            return Session(
                messages=tuple(message for line in found[6] if (message := _message(line, cut)) is not None),
                recalled=() if cut is not None and buffered <= cut else tuple(_load_entry(entry) for entry in found[7]),
                last_updated=moment(ts, offset),
                expires_in=max(-(-left // 1000), 0),
            )

    # Deleting

    async def delete(self, user_id: str, session_id: str, cut: int) -> None:
        await self._server.run(session_lua.DELETE_SESSION, _parts(user_id, session_id), [session_id, cut, self._keep])

    async def forget(self, user_id: str, memory_id: str) -> None:
        indexes = [keys.tombstones(user_id), keys.sessions(user_id), keys.answers(user_id)]
        sessions, answers = await self._server.run(session_lua.ENTOMB, indexes, [memory_id, self._keep])
        for session_id in map(bytes.decode, sessions):
            own = SessionKeys(user_id, session_id)
            await self._server.run(session_lua.FORGET_IN_SESSION, [own.log, own.buffer], [memory_id])
        await self._clear_answers(user_id, answers, "", memory_id)

    async def delete_user(self, user_id: str, cut: int) -> None:
        indexes = [keys.cut(user_id), keys.tombstones(user_id), keys.sessions(user_id), keys.answers(user_id)]
        reached, sessions, answers = await self._server.run(session_lua.CUT, indexes, [cut, self._keep])
        for session_id in map(bytes.decode, sessions):
            await self._server.run(session_lua.CLEAR_SESSION, _parts(user_id, session_id), [session_id, reached])
        await self._clear_answers(user_id, answers, reached, "")

    async def _clear_answers(self, user_id: str, answers: Sequence[bytes], cut: bytes | str, memory_id: str) -> None:
        for some in batches([key.decode() for key in answers], ANSWERS_AT_ONCE):
            named = [keys.answers(user_id), *(keys.answer(user_id, key) for key in some)]
            await self._server.run(session_lua.CLEAR_ANSWERS, named, [cut, memory_id, *some])

    # Answers to requests that may come twice

    async def begin(self, user_id: str, key: str, digest: str, received: int, seconds: float) -> Answer | None:
        # By the token a call that the client makes a second time, its connection having failed, knows that the key is its own already.
        found = await self._server.run(
            session_lua.BEGIN,
            [keys.answer(user_id, key), keys.answers(user_id), keys.cut(user_id)],
            [key, digest, received, secrets.token_hex(8), milliseconds(seconds), self._keep],
        )
        if found[0] == 0:
            raise Forgotten(f"the user was deleted after the request was received at {received}")
        return None if found[0] == 1 else Answer(found[1].decode(), found[2])

    async def keep(self, user_id: str, key: str, digest: str, received: int, body: bytes, quotes: Sequence[str]) -> None:
        await self._server.run(
            session_lua.KEEP,
            [keys.answer(user_id, key), keys.answers(user_id), keys.cut(user_id), keys.tombstones(user_id)],
            [key, digest, received, body, self._answers_ttl, self._keep, *counted(quotes)],
        )

    async def release(self, user_id: str, key: str) -> None:
        await self._server.run(session_lua.RELEASE, [keys.answer(user_id, key), keys.answers(user_id)], [key])

    async def ping(self) -> None:
        await self._server.ping()

    async def close(self) -> None:
        """Closes the client, for both roles that share it."""
        await self._server.close()


def _parts(user_id: str, session_id: str) -> list[str]:
    own = SessionKeys(user_id, session_id)
    return [own.head, own.log, own.buffer, own.turns, own.cut, keys.sessions(user_id)]


def _line(turn: SessionTurn, message: Message) -> bytes:
    header: dict[str, Any] = {"t": turn.id, "r": message.role, "n": turn.received}
    if message.role == "lira" and turn.quotes:
        header["q"] = turn.quotes
    return orjson.dumps(header) + b"\n" + message.content.encode()


def _message(line: bytes, cut: int | None) -> Message | None:
    """None for what was received until the cut: it is about to be cleared away."""
    header, _, content = line.partition(b"\n")
    said = orjson.loads(header)
    return None if cut is not None and said["n"] <= cut else Message(said["r"], content.decode(), said["t"])


def _entry(entry: BufferEntry) -> bytes:
    return orjson.dumps({} if entry.memory_id is None else {"m": entry.memory_id}) + b"\n" + dump([entry]).encode()


def _load_entry(text: bytes) -> BufferEntry:
    (entry,) = load_buffer(text.partition(b"\n")[2])
    return entry


def _whole(value: bytes | int) -> int:
    return int(value)


@contextmanager
def _rejecting() -> Iterator[None]:
    """Text or times that cannot be stored, and stored text that is not ours."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise StoreRejected(f"a session cannot be kept or read: {type(error).__name__}: {error}") from error
