"""Sessions in the file: what is swept, what a deletion leaves, and that none holds the others up. The contract is the conformance suite's."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lira_core.stores.ports import Forgotten
from lira_core.stores.sqlite import Database, SqliteShortTerm, answers, short_term
from lira_core.types import Message, Session

from ..conformance.making import NOON, RECEIVED, entry, turn

HOUR = timedelta(hours=1)
LATER = RECEIVED + 1_000_000


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
    database = Database(tmp_path / "lira.db")
    opened = SqliteShortTerm(database, ttl_seconds=3600, max_messages=6, answers_ttl_seconds=600, now=clock)
    yield opened
    await opened.close()


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(short_term, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(answers, "ANSWERS_AT_ONCE", 3)


def contents(session: Session) -> list[str]:
    return [message.content for message in session.messages]


def bytes_under(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def rows(folder: Path, *tables: str) -> dict[str, list[str]]:
    with sqlite3.connect(folder / "lira.db") as look:
        return {table: [user for (user,) in look.execute(f"SELECT DISTINCT user_id FROM {table} ORDER BY 1")] for table in tables}


async def test_a_look_from_outside_counts_expiry_by_the_wall_clock(store: SqliteShortTerm, clock: Clock) -> None:
    await store.append("u", "s", turn("t", at=NOON - 300 * 24 * HOUR))
    clock.time += HOUR - timedelta(seconds=1.5)
    session = await store.read("u", "s")
    assert (len(session.messages), session.expires_in) == (2, 2)
    clock.time += timedelta(seconds=1.5)
    assert await store.read("u", "s") == Session()


async def test_what_expired_is_swept_from_the_file(store: SqliteShortTerm, clock: Clock, tmp_path: Path) -> None:
    for n in range(200):
        await store.append(f"u{n}", "s", turn("t", recalled=(entry("m"),), quotes=("m",)))
        await store.begin(f"u{n}", "k", "d", RECEIVED, 60)
        await store.keep(f"u{n}", "k", "d", RECEIVED, b"{}", ["m"])
    await store.forget("u0", "m")
    await store.delete_user("u0", RECEIVED)
    await store.delete("u1", "s", RECEIVED)
    clock.time += HOUR
    for n in range(200):
        await store.append("now", "s", turn(f"t{n}", LATER))
    assert rows(tmp_path, "sessions", "messages", "session_quotes", "answers", "answer_quotes") == {
        "sessions": ["now"], "messages": ["now"], "session_quotes": [], "answers": [], "answer_quotes": [],
    }  # fmt: skip
    assert "u5" in rows(tmp_path, "turns")["turns"]
    # The cut is stamped by the machine's clock, which the store's own is far behind or ahead of.
    clock.time = datetime.now(clock.time.tzinfo) + timedelta(days=3)
    for n in range(200, 440):
        await store.append("now", "s", turn(f"t{n}", LATER, at=clock.time))
    assert rows(tmp_path, "turns", "session_cuts", "tombstones", "cuts") == {"turns": ["now"], "session_cuts": [], "tombstones": [], "cuts": []}


async def test_a_session_that_was_thinned_out_still_keeps_its_newest_messages(store: SqliteShortTerm) -> None:
    for n in range(3):
        await store.append("u", "s", turn(f"t{n}", messages=(Message("user", f"{n}"), Message("lira", f"{n}?"))))
    await store.forget("u", "t1")
    await store.append("u", "s", turn("t3", messages=(Message("user", "3"), Message("lira", "3?"))))
    assert contents(await store.read("u", "s")) == ["0", "0?", "2", "2?", "3", "3?"]


async def test_a_turn_is_known_after_its_session_is_over(store: SqliteShortTerm) -> None:
    await store.append("u", "s", turn("t1", at=NOON - 2 * HOUR))
    await store.append("u", "s", turn("t2", at=NOON))
    await store.append("u", "s", turn("t1", at=NOON - 2 * HOUR))
    assert [message.turn_id for message in (await store.read("u", "s", at=NOON)).messages] == ["t2", "t2"]


async def test_a_deleted_user_leaves_no_row_and_no_byte_but_the_cut(store: SqliteShortTerm, small_steps: None, tmp_path: Path) -> None:
    for user in "uv":
        for n in range(20):
            said = (Message("user", f"SECRET-OF-{user}" * 20), Message("lira", f"SECRET-OF-{user}"))
            await store.append(user, f"s{n % 4}", turn(f"t{n}", messages=said, recalled=(entry("m", f"SECRET-OF-{user}"),), quotes=("m",)))
            await store.begin(user, f"k{n}", "d", RECEIVED, 60)
            await store.keep(user, f"k{n}", "d", RECEIVED, f"SECRET-OF-{user}".encode(), ["m"])
    await store.delete_user("u", LATER)
    tables = ("sessions", "messages", "session_quotes", "turns", "answers", "answer_quotes")
    assert rows(tmp_path, *tables) == {table: ["v"] for table in tables}
    assert b"SECRET-OF-v" in bytes_under(tmp_path)
    assert b"SECRET-OF-u" not in bytes_under(tmp_path)


async def test_a_user_is_out_of_sight_after_the_first_step(store: SqliteShortTerm, small_steps: None) -> None:
    for n in range(3):
        await store.append("u", "old", turn(f"o{n}"))
        await store.append("u", "both", turn(f"b{n}", recalled=(entry("m"),)))
        await store.begin("u", f"k{n}", "d", RECEIVED, 60)
    await store.append("u", "both", turn("new", LATER + 1))
    task = asyncio.create_task(store.delete_user("u", LATER))
    while not await store._database.read(lambda c: c.execute("SELECT 1 FROM cuts").fetchall()):  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await store.read("u", "old") == Session()
    assert {message.turn_id for message in (await store.read("u", "both")).messages} == {"new"}
    assert await store.begin("u", "k1", "other", LATER + 1, 60) is None
    with pytest.raises(Forgotten):
        await store.append("u", "old", turn("o9"))
    await store.append("u", "old", turn("o1", LATER + 2))
    assert {message.turn_id for message in (await store.read("u", "old")).messages} == {"o1"}
    await store.delete_user("u", LATER)
    assert {message.turn_id for message in (await store.read("u", "both")).messages} == {"new"}
    assert {message.turn_id for message in (await store.read("u", "old")).messages} == {"o1"}


async def test_a_forgotten_memory_is_in_no_byte_of_the_file(store: SqliteShortTerm, tmp_path: Path) -> None:
    said = (Message("user", "SECRET-SAID"), Message("lira", "SECRET-SAID?"))
    odd = 'm"\\한글'
    await store.append("u", "s", turn(odd, messages=said))
    answer = (Message("user", "뭐였지?"), Message("lira", "SECRET-QUOTED"))
    await store.append("u", "t", turn("q", messages=answer, recalled=(entry(odd, "SECRET-SHOWN"), entry("other", "남는 것")), quotes=(odd,)))
    await store.keep("u", "k", "d", RECEIVED, b"SECRET-KEPT", [odd])
    await store.forget("u", odd)
    assert contents(await store.read("u", "s")) == []
    session = await store.read("u", "t")
    assert (contents(session), [one.memory_id for one in session.recalled]) == (["뭐였지?"], ["other"])
    assert b"SECRET" not in bytes_under(tmp_path)
