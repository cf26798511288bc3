"""Sessions: atomic, capped, and gone when their time is over."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lira_core.stores.ports import Deferred
from lira_core.stores.sqlite import Database, SqliteShortTerm
from lira_core.types import BufferEntry, Event, Message, Session

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Clock:
    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def store(tmp_path: Path, clock: Clock) -> AsyncIterator[SqliteShortTerm]:
    opened = SqliteShortTerm(Database(tmp_path / "lira.db"), ttl_seconds=3600, max_messages=6, now=clock)
    yield opened
    await opened.close()


def turn(said: str) -> list[Message]:
    return [Message("user", said), Message("lira", f"{said}?")]


def contents(session: Session) -> list[str]:
    return [message.content for message in session.messages]


async def say(store: SqliteShortTerm, said: str, at: datetime = NOON, user: str = "u", session: str = "s", recalled=()) -> None:
    await store.append(user, session, turn(said), recalled, at, f"turn {said}")


async def test_a_session_that_was_never_begun_is_empty(store: SqliteShortTerm) -> None:
    assert await store.read("u", "s") == Session()


async def test_a_session_holds_its_messages_in_order_and_what_the_last_turn_recalled(store: SqliteShortTerm) -> None:
    seoul = datetime.fromisoformat("2026-10-03T21:00:00+09:00")
    await say(store, "안녕", seoul, recalled=[BufferEntry("커피를 좋아해", seoul)])
    assert (await store.read("u", "s")).recalled == (BufferEntry("커피를 좋아해", seoul),)
    await say(store, "잘 지내", seoul + HOUR / 2)
    session = await store.read("u", "s")
    assert contents(session) == ["안녕", "안녕?", "잘 지내", "잘 지내?"]
    assert session.recalled == ()
    assert session.last_updated is not None
    assert session.last_updated.isoformat() == "2026-10-03T21:30:00+09:00"
    assert session.expires_in == 3600


async def test_only_the_last_messages_are_kept_and_fewer_given_when_asked(store: SqliteShortTerm) -> None:
    for n in range(5):
        await say(store, str(n))
    assert contents(await store.read("u", "s")) == ["2", "2?", "3", "3?", "4", "4?"]
    assert contents(await store.read("u", "s", last=3)) == ["3?", "4", "4?"]
    assert contents(await store.read("u", "s", last=0)) == []


async def test_a_turn_that_is_appended_again_changes_nothing_even_after_it_fell_out_of_the_cap(store: SqliteShortTerm) -> None:
    for n in (0, 1, 1, 2, 3, 4, 0):
        await say(store, str(n))
    assert contents(await store.read("u", "s")) == ["2", "2?", "3", "3?", "4", "4?"]


async def test_two_hundred_turns_at_once_lose_none_and_part_no_pair(tmp_path: Path) -> None:
    store = SqliteShortTerm(Database(tmp_path / "many.db"), ttl_seconds=3600, max_messages=1000)
    await asyncio.gather(*(say(store, str(n)) for n in range(200)))
    said = contents(await store.read("u", "s"))
    await store.close()
    assert sorted(said[::2], key=int) == [str(n) for n in range(200)]
    assert said[1::2] == [f"{n}?" for n in said[::2]]


async def test_a_turn_counts_expiry_by_its_own_time(store: SqliteShortTerm, clock: Clock) -> None:
    long_ago = NOON - 300 * 24 * HOUR
    await say(store, "가", long_ago)
    assert contents(await store.read("u", "s", at=long_ago + HOUR - timedelta(microseconds=1))) == ["가", "가?"]
    assert await store.read("u", "s", at=long_ago + HOUR) == Session()
    clock.time += 300 * 24 * HOUR
    assert contents(await store.read("u", "s", at=long_ago)) == ["가", "가?"]


async def test_a_look_from_outside_counts_expiry_by_the_wall_clock(store: SqliteShortTerm, clock: Clock) -> None:
    await say(store, "가", NOON - 300 * 24 * HOUR)
    clock.time += HOUR - timedelta(seconds=1.5)
    session = await store.read("u", "s")
    assert (contents(session), session.expires_in) == (["가", "가?"], 2)
    clock.time += timedelta(seconds=1.5)
    assert await store.read("u", "s") == Session()


async def test_each_turn_renews_the_expiry(store: SqliteShortTerm, clock: Clock) -> None:
    for n in range(3):
        await say(store, str(n), clock.time)
        clock.time += HOUR * 0.9
    assert contents(await store.read("u", "s", at=clock.time)) == ["0", "0?", "1", "1?", "2", "2?"]


async def test_a_turn_from_before_the_last_one_is_not_expired_and_does_not_turn_time_back(store: SqliteShortTerm) -> None:
    await say(store, "나중", NOON)
    await say(store, "먼저", NOON - 10 * HOUR)
    session = await store.read("u", "s", at=NOON + HOUR / 2)
    assert contents(session) == ["나중", "나중?", "먼저", "먼저?"]
    assert session.last_updated == NOON


async def test_a_turn_after_the_expiry_begins_afresh(store: SqliteShortTerm) -> None:
    await say(store, "옛날", NOON - HOUR, recalled=[BufferEntry("옛 기억", NOON)])
    await say(store, "지금", NOON)
    session = await store.read("u", "s", at=NOON)
    assert (contents(session), session.recalled) == (["지금", "지금?"], ())


async def test_a_session_of_one_second_is_gone_after_it(tmp_path: Path) -> None:
    store = SqliteShortTerm(Database(tmp_path / "short.db"), ttl_seconds=1, max_messages=10)
    await say(store, "임시 메모", datetime.now(UTC))
    assert contents(await store.read("u", "s", at=datetime.now(UTC))) == ["임시 메모", "임시 메모?"]
    await asyncio.sleep(1.01)
    assert await store.read("u", "s", at=datetime.now(UTC)) == Session()
    assert await store.read("u", "s") == Session()
    await store.close()


async def test_what_expired_is_swept_from_the_file(store: SqliteShortTerm, clock: Clock, tmp_path: Path) -> None:
    for n in range(20):
        await say(store, "가", session=f"s{n}")
    clock.time += HOUR
    for n in range(240):
        await say(store, str(n), clock.time, session="now")
    with sqlite3.connect(tmp_path / "lira.db") as look:
        for table in ("sessions", "messages", "turns"):
            assert look.execute(f"SELECT DISTINCT session_id FROM {table}").fetchall() == [("now",)]


async def test_a_deleted_session_is_empty_at_once_and_others_stay(store: SqliteShortTerm) -> None:
    for user, session in (("u", "s"), ("u", "t"), ("v", "s")):
        await say(store, "가", user=user, session=session)
    await store.delete("u", "s")
    assert await store.read("u", "s") == Session()
    assert contents(await store.read("u", "t")) == contents(await store.read("v", "s")) == ["가", "가?"]


def deferred(id: str, user: str = "u") -> Deferred:
    return Deferred(Event(id, user, "s", "user", f"{user}의 {id}", NOON), None)


async def test_deferred_writes_wait_oldest_first_until_they_are_settled(store: SqliteShortTerm) -> None:
    for n in range(4):
        await store.defer("u", deferred(f"e{n}"))
        await store.defer("u", deferred(f"e{n}"))
    assert [d.event.id for d in await store.deferred(3)] == ["e0", "e1", "e2"]
    await store.settle(["e0", "e2", "never there"])
    assert [d.event.id for d in await store.deferred(10)] == ["e1", "e3"]


async def test_deleting_a_user_takes_their_sessions_and_deferred_writes_only(store: SqliteShortTerm) -> None:
    for user in ("u", "v"):
        await say(store, "가", user=user)
        await store.defer(user, deferred("e", user))
    await store.delete_user("u")
    assert await store.read("u", "s") == Session()
    assert contents(await store.read("v", "s")) == ["가", "가?"]
    assert await store.deferred(10) == [deferred("e", "v")]


async def test_a_write_of_somebody_else_cannot_be_deferred(store: SqliteShortTerm) -> None:
    with pytest.raises(ValueError, match="another user"):
        await store.defer("v", deferred("e", "u"))
