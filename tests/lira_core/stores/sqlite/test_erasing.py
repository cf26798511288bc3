"""Deletion from the record: at once out of sight, then out of the file, while others write."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lira_core.stores.ports import Erasure, IndexPlan, Write
from lira_core.stores.sqlite import Database, SqliteRecord, erasing, postings

from ..conformance.making import RECEIVED, event, fact, feels, ids, imported, memory, options, reply, utterance

ENCODER = options().encoder
LATER = RECEIVED + 1_000_000


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[SqliteRecord]:
    opened = SqliteRecord(Database(tmp_path / "lira.db"), ENCODER)
    await opened.plan_index(IndexPlan(serving=ENCODER.name), IndexPlan())
    yield opened
    await opened.close()


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(postings, "POSTINGS_AT_ONCE", 11)


def bytes_under(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def fill(record: SqliteRecord, user: str, count: int, received: int = RECEIVED, name: str = "m") -> None:
    secret = f"SECRET-OF-{user}"
    for n in range(count):
        id = f"{name}{n}"
        kept = memory(id, user, text=f"{secret} {n} " * 40, facts=(fact(secret, "like", key=secret),), terms=(secret, f"{secret}{n % 9}", "커피"),
                      emotion=feels(("joy", 0.9)))  # fmt: skip
        await record.commit(Write(id, user, received, event(id, user, text=secret, terms=(secret, f"{secret}{n % 9}", "커피")), (kept,)))
    await record.commit(Write(f"{name}r", user, received, reply(f"{name}r", user, f"{name}0", f"{name}1", text=secret, terms=(secret, "커피"))))


async def test_a_deleted_user_leaves_no_row_and_no_byte_but_the_cut(record: SqliteRecord, small_steps: None, tmp_path: Path) -> None:
    for user in "uv":
        await fill(record, user, 40)
    await record.erase(Erasure("u", "m3", LATER))
    assert await record.erase(Erasure("u", None, LATER))
    with sqlite3.connect(tmp_path / "lira.db") as look:
        for table in (
            "events", "quotes", "event_terms", "event_vocabulary", "event_tallies", "memories", "facts", "terms", "vocabulary", "tallies", "rotation",
        ):  # fmt: skip
            users = look.execute(f"SELECT DISTINCT user_id FROM {table} WHERE user_id <> 'v'").fetchall()
            assert users == ([("u",)] if table == "rotation" else []), table
        assert look.execute("SELECT queue, id FROM outbox WHERE user_id = 'u'").fetchall() == [("erasures", "*")]
        assert look.execute("SELECT * FROM tombstones").fetchall() == []
    look.close()
    assert b"SECRET-OF-v" in bytes_under(tmp_path)
    assert b"SECRET-OF-u" not in bytes_under(tmp_path)


async def see(record: SqliteRecord, user: str) -> list[list[str]]:
    secret = f"SECRET-OF-{user}"
    return [
        ids((await record.page(user, 99, None))[0]),
        ids(await record.newest(user, 99)),
        ids(await record.lexical(user, [secret, "커피"], 99)),
        ids(await record.slots(user, [(None, "like")], 99)),
        ids(await record.feeling(user, "joy", 0.1, 99)),
        [id for _, id in (await record.holders(user, [secret])).values()],
        ids(await record.said(user, [secret, "커피"], 99)),
        [scene.event.id for scene in await record.scenes(user, ["m0", "m5", "new0"], 2)],
        ids(await record.get(user, ["m0", "m5", "new0"])),
        [entry.id for entry in await record.unindexed.claim(99, 0)],
    ]


async def test_a_user_is_out_of_sight_after_the_first_step_and_the_rest_may_be_done_another_day(
    record: SqliteRecord, small_steps: None, tmp_path: Path
) -> None:
    await fill(record, "u", 30)
    await fill(record, "u", 2, LATER + 1, "new")
    expected = await see(record, "u")
    assert len(expected[0]) == 32

    # What a process that dies after the first write leaves behind.
    await record._database.write(lambda c: erasing._cut(c, Erasure("u", None, LATER)))
    after = await see(record, "u")
    assert [sorted(found) for found in after] == [sorted(id for id in found if id.startswith("new")) for found in expected[:5]] + [
        ["new1"], ["new0", "new1", "newr"], ["new0"], ["new0"], ["new0", "new1"],
    ]  # fmt: skip
    assert await record.count() == 2
    # One that comes again under an id which still lies behind the cut is a new one.
    await record.commit(Write("m0", "u", LATER + 2, event("m0", "u", terms=("커피", "또")), (memory("m0", "u", terms=("커피",)),)))
    assert ids(await record.get("u", ["m0"])) == ["m0"]
    assert await record.erase(Erasure("u", None, LATER))
    assert sorted(ids((await record.page("u", 99, None))[0])) == ["m0", "new0", "new1"]
    with sqlite3.connect(tmp_path / "lira.db") as look:
        assert look.execute("SELECT memories FROM tallies").fetchall() == [(3,)]
        assert look.execute("SELECT term, held FROM vocabulary WHERE term = '커피'").fetchall() == [("커피", 3)]
        assert (
            look.execute("SELECT term, count(*) FROM terms GROUP BY term").fetchall()
            == look.execute("SELECT term, held FROM vocabulary ORDER BY term").fetchall()
        )
        assert look.execute("SELECT events FROM event_tallies").fetchall() == [(4,)]
        assert look.execute("SELECT held FROM event_vocabulary WHERE term IN ('또', '커피') ORDER BY term").fetchall() == [(1,), (4,)]
        assert (
            look.execute("SELECT term, count(*) FROM event_terms GROUP BY term").fetchall()
            == look.execute("SELECT term, held FROM event_vocabulary ORDER BY term").fetchall()
        )


async def test_others_write_while_a_large_user_goes(record: SqliteRecord, small_steps: None) -> None:
    await record.commit(imported("i", "u", [memory(f"m{n}", "u", terms=(f"말{n}", "커피")) for n in range(300)]))
    order: list[str] = []

    async def erase() -> None:
        await record.erase(Erasure("u", None, LATER))
        order.append("erased")

    async def write() -> None:
        for n in range(20):
            await record.commit(utterance(f"w{n}", "v"))
            order.append("written")

    await asyncio.gather(erase(), write())
    assert order == ["written"] * 20 + ["erased"]
    assert await record.count() == 20


async def test_a_deletion_that_was_taken_back_half_way_is_finished_by_the_next(record: SqliteRecord, small_steps: None, tmp_path: Path) -> None:
    await fill(record, "u", 60)
    task = asyncio.create_task(record.erase(Erasure("u", None, LATER)))
    while not await record._database.read(lambda c: c.execute("SELECT 1 FROM cuts").fetchall()):  # noqa: ASYNC110  nobody tells
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ids(await record.newest("u", 9)) == []
    assert await record.erase(Erasure("u", None, LATER - 5))
    assert b"SECRET-OF-u" not in bytes_under(tmp_path)


async def test_a_later_cut_renews_a_sweep_that_somebody_holds(record: SqliteRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing, "SWEEP_SECONDS", 0.0)
    await record.erase(Erasure("u", None, RECEIVED))
    (held,) = await record.erasures.claim(1, 60)
    assert held.payload == Erasure("u", None, RECEIVED)
    await record.erase(Erasure("u", None, LATER))
    await record.erasures.done("u", ["*"])
    (again,) = await record.erasures.claim(1, 60)
    assert again.payload == Erasure("u", None, LATER)
    await record.erasures.done("u", ["*"])
    assert (await record.erasures.backlog()).waiting == 0
