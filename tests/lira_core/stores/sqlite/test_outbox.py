"""The outbox: what the conformance suite cannot see of it. A claim is cheap however much waits."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lira_core.stores.codec import dump
from lira_core.stores.ports import Erasure, Forgotten
from lira_core.stores.sqlite import Database, SqliteDeferred
from lira_core.stores.sqlite.outbox import put

from ..conformance.making import RECEIVED, memory, utterance


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(tmp_path / "lira.db")
    yield opened
    await opened.close()


async def steps_of(database: Database, deferred: SqliteDeferred) -> int:
    """Thousands of instructions that SQLite's machine takes for one claim."""
    count = 0

    def tick() -> int:
        nonlocal count
        count += 1
        return 0

    await database.write(lambda c: c.set_progress_handler(tick, 1000))
    await deferred.claim(8, 60)
    await database.write(lambda c: c.set_progress_handler(None, 0))
    return count


@pytest.mark.parametrize("users", [1, 5_000])
async def test_a_claim_takes_as_many_steps_among_ten_thousand_as_among_few(database: Database, users: int) -> None:
    deferred = SqliteDeferred(database)

    payload = dump(utterance("m", "u"))

    def fill(count: int):
        def work(c: sqlite3.Connection) -> None:
            for n in range(count):
                put(c, "deferred", f"u{n % users}", [(f"e{n}", RECEIVED, payload)], 0)

        return work

    await database.write(fill(16))
    few = await steps_of(database, deferred)
    await database.write(fill(10_000))
    assert await steps_of(database, deferred) <= 2 * few + 2


async def test_an_erasure_takes_the_place_of_the_write_it_forbids_also_while_that_is_held(database: Database) -> None:
    deferred = SqliteDeferred(database)
    await deferred.put(utterance("m", "u"))
    (held,) = await deferred.claim(1, 60)
    assert held.payload == utterance("m", "u")
    await deferred.put(Erasure("u", "m", RECEIVED + 1))
    with pytest.raises(Forgotten):
        await deferred.put(utterance("m", "u"))
    await deferred.done("u", ["m"])
    (erasure,) = await deferred.claim(1, 60)
    assert erasure.payload == Erasure("u", "m", RECEIVED + 1)
    await deferred.done("u", ["m"])
    assert (await deferred.backlog()).waiting == 0


async def test_who_has_nothing_left_is_forgotten_by_the_rotation_two_claims_later(database: Database) -> None:
    deferred = SqliteDeferred(database)
    for user in "abc":
        await deferred.put(utterance("m", user))
    for _ in range(3):
        (one,) = await deferred.claim(1, 60)
        await deferred.done(one.user_id, [one.id])
    await deferred.put(utterance("n", "d"))
    await deferred.claim(1, 60)
    assert await database.read(lambda c: c.execute("SELECT user_id FROM rotation").fetchall()) == [("d",)]


async def test_the_names_of_what_waited_go_with_it(database: Database, tmp_path: Path) -> None:
    deferred = SqliteDeferred(database)
    await deferred.put(utterance("m", "u", metadata={"x": "SECRET"}, terms=("SECRET",)))
    assert memory("m", "u").id == "m"
    assert await deferred.forget("u", "m")
    assert await database.read(lambda c: c.execute("SELECT * FROM outbox_names").fetchall()) == []
    assert b"SECRET" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: ASYNC240  a few small files


async def test_unreadable_entries_are_buried_together_and_the_first_readable_one_is_given(database: Database) -> None:
    deferred = SqliteDeferred(database)
    await database.write(lambda c: put(c, "deferred", "u", [(f"broken{n}", RECEIVED, "{") for n in range(30)], 0))
    await deferred.put(utterance("m", "u"))
    commits: list[str] = []
    await database.write(lambda c: c.set_trace_callback(commits.append))
    assert [entry.id for entry in await deferred.claim(10, 60)] == ["m"]
    assert commits.count("COMMIT") <= 1 + 2 * 4
    assert {letter.reason for letter in await deferred.dead(99)} == {"its payload cannot be read (JSONDecodeError)"}
    assert (await deferred.backlog()).dead == 30
