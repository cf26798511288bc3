"""The record: how it lies in the file. That it keeps its contract is the conformance suite's to say."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from lira_core.stores.ports import Erasure, IndexItem, IndexPlan, StoreRejected, Write
from lira_core.stores.sqlite import Database, SqliteDeferred, SqliteRecord, SqliteShortTerm, SqliteVectors
from lira_core.types import Fact, Line, Summary

from ..conformance.making import NOON, RECEIVED, entry, event, fact, feels, ids, imported, memory, options, reply, turn, utterance

ENCODER = options().encoder


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[SqliteRecord]:
    opened = SqliteRecord(Database(tmp_path / "lira.db"), ENCODER)
    await opened.plan_index(IndexPlan(serving=ENCODER.name), IndexPlan())
    yield opened
    await opened.close()


def rows(path: Path, table: str) -> int:
    with sqlite3.connect(path) as look:
        return int(look.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def coffee(id: str, **fields: object):
    return utterance(id, "u", facts=(fact("user", "like", "커피", "taste:커피"),), terms=("커피", "커피", id), emotion=feels(("joy", 0.9)), **fields)


async def test_writing_the_same_again_adds_no_row_anywhere(record: SqliteRecord, tmp_path: Path) -> None:
    tables = ("events", "memories", "facts", "terms", "vocabulary", "outbox")
    await record.commit(coffee("m"))
    first = [rows(tmp_path / "lira.db", table) for table in tables]
    await record.commit(coffee("m"))
    assert [rows(tmp_path / "lira.db", table) for table in tables] == first == [1, 1, 1, 2, 2, 1]


async def test_a_write_that_the_schema_refuses_leaves_nothing(record: SqliteRecord, tmp_path: Path) -> None:
    broken = Fact(None, "like", "커피", "taste")  # type: ignore[arg-type]
    with pytest.raises(StoreRejected, match="NOT NULL"):
        await record.commit(imported("i", "u", [memory("a", "u"), memory("b", "u", facts=(broken,))]))
    for table in ("events", "event_terms", "event_tallies", "memories", "facts", "terms", "vocabulary", "tallies", "outbox"):
        assert rows(tmp_path / "lira.db", table) == 0


async def test_erasing_a_memory_takes_every_row_that_it_had_and_no_other(record: SqliteRecord, tmp_path: Path) -> None:
    await record.commit(coffee("a"))
    before = [rows(tmp_path / "lira.db", table) for table in ("events", "quotes", "memories", "facts", "terms", "vocabulary", "tallies")]
    await record.commit(coffee("b"))
    await record.commit(Write("r", "u", RECEIVED, reply("r", "u", "c", "b")))
    assert await record.erase(Erasure("u", "b", RECEIVED + 1))
    after = [rows(tmp_path / "lira.db", table) for table in ("events", "quotes", "memories", "facts", "terms", "vocabulary", "tallies")]
    assert after == before
    assert await record._database.read(lambda c: c.execute("SELECT held FROM vocabulary ORDER BY term").fetchall()) == [(1,), (1,)]
    assert await record._database.read(lambda c: c.execute("SELECT memories, terms FROM tallies").fetchall()) == [(1, 3)]


async def test_erasing_a_damaged_memory_takes_every_row_that_it_had_too(record: SqliteRecord, tmp_path: Path) -> None:
    tables = ("events", "memories", "facts", "terms", "vocabulary", "tallies")
    await record.commit(coffee("a"))
    before = [rows(tmp_path / "lira.db", table) for table in tables]
    await record.commit(coffee("b"))
    await record._database.write(lambda c: c.execute("UPDATE memories SET body = '{' WHERE id = 'b'").rowcount)
    assert await record.erase(Erasure("u", "b", RECEIVED + 1))
    assert [rows(tmp_path / "lira.db", table) for table in tables] == before
    assert await record._database.read(lambda c: c.execute("SELECT held FROM vocabulary ORDER BY term").fetchall()) == [(1,), (1,)]
    assert await record._database.read(lambda c: c.execute("SELECT memories, terms FROM tallies").fetchall()) == [(1, 3)]
    assert [entry.id for entry in await record.unindexed.claim(5, 0)] == ["a"]


async def test_nothing_is_found_by_scanning_a_table(tmp_path: Path) -> None:
    database = Database(tmp_path / "plans.db", readers=1)
    statements: list[str] = []
    await database.write(lambda c: c.set_trace_callback(statements.append))
    await database.read(lambda c: c.set_trace_callback(statements.append))
    await use_everything(database)
    await database.close()
    looked_up = [s for s in statements if s.startswith(("SELECT", "WITH", "DELETE", "UPDATE", "INSERT"))]
    assert len(looked_up) > 100
    with sqlite3.connect(tmp_path / "plans.db") as planner:
        # As for a large file, whose statistics nobody has taken.
        steps = {(step[3], s) for s in looked_up for step in planner.execute(f"EXPLAIN QUERY PLAN {s}")}
    # What is asked, what was read already, one row, one row per queue, and one row per user where all are counted.
    few = ("SCAN asked", "SCAN gone", "SCAN places", "SCAN (subquery", "SCAN index_plan", "SCAN queues", "SCAN tallies")
    assert {step: s for step, s in steps if step.startswith("SCAN") and not step.startswith(few) and "CONSTANT ROW" not in step} == {}
    used = " ".join(step for step, _ in steps)
    for index in ("memories_newest", "memories_feeling", "memories_received", "facts_slot", "facts_predicate", "facts_key", "outbox_oldest",
                  "outbox_due", "rotation_due", "rotation_served", "events_turn", "events_received", "events_session",
                  "summaries_newest", "summaries_group", "messages_turn"):  # fmt: skip
        assert f"INDEX {index} " in used
    sorted_by_hand = {step: s for step, s in steps if "TEMP B-TREE" in step and not s.startswith("SELECT DISTINCT")}
    assert sorted_by_hand == {}
    by_received = [s for step, s in steps if "_received (user_id=? AND received>?" in step]
    assert all("sum(length)" in s for s in by_received), by_received


async def use_everything(database: Database) -> None:
    record, sessions, waiting = SqliteRecord(database, ENCODER), short_term(database), SqliteDeferred(database)
    vectors = SqliteVectors(database, ENCODER)
    await record.plan_index(IndexPlan(serving=ENCODER.name), IndexPlan())
    for n in range(3):
        await record.commit(coffee(f"m{n}", minutes=n))
    await record.commit(Write("r", "u", RECEIVED, reply("r", "u", "m0", "m1")))
    for until in (None, NOON):
        await record.slots("u", [("user", "like"), (None, "like")], 5, until)
        await record.lexical("u", ["커피", "강남"], 5, until)
        await record.feeling("u", "joy", 0.6, 5, until)
        await record.holders("u", ["taste:커피", "name:user"], until)
        await record.newest("u", 5, until)
        await record.said("u", ["커피", "강남"], 5, until)
        await record.scenes("u", ["m0", "r"], 2, until)
        await record.summaries("u", "session", 5, until, until)
    await record.get("u", ["m0", "m1"])
    for group, turn_id in (("s", "m0"), ("s", "m1"), ("s2", "m2")):
        line = Line(turn_id, "말", NOON, 0.5)
        await record.put_summaries("u", "session", group, [Summary("u", "session", group, NOON, NOON, "말", (line,))])
    await record.utterances("u", "s", 5)
    await record.resummarise("u", "s", RECEIVED, 0)
    _, cursor = await record.page("u", 1, None)
    await record.page("u", 1, cursor)
    for outbox in (record.unindexed, record.erasures, waiting):
        await waiting.put(utterance("later", "u"))
        for entry_ in await outbox.claim(2, 0):
            await outbox.retry(entry_.user_id, [entry_.id], "weil", after=0, blame=True)
            await outbox.bury(entry_.user_id, [entry_.id], "weil")
        await outbox.dead(5)
        await outbox.revive()
        await outbox.backlog()
        for entry_ in await outbox.claim(2, 0):
            await outbox.done(entry_.user_id, [entry_.id])
    await record.requeue()
    await record.requeue("u")
    for n in range(5):
        await sessions.append("u", "s", turn(f"t{n}", recalled=(entry("m0"),), quotes=("m1",)))
    await sessions.read("u", "s", last=2)
    await sessions.begin("u", "k", "d", RECEIVED, 5)
    await sessions.keep("u", "k", "d", RECEIVED, b"{}", ["m1"])
    await sessions.release("u", "k")
    await vectors.add("u", [IndexItem(memory(f"m{n}", "u"), RECEIVED, np.eye(ENCODER.dimensions, dtype=np.float32)[n]) for n in range(3)])
    await vectors.search("u", np.eye(ENCODER.dimensions, dtype=np.float32)[0], 2)
    await vectors.get("u", ["m0"])
    await vectors.delete("u", ["m0"])
    assert await record.erase(Erasure("u", "m1", RECEIVED))
    await waiting.forget("u", "m1")
    await sessions.forget("u", "m1")
    await sessions.delete("u", "s", RECEIVED)
    await record.erase(Erasure("u", None, RECEIVED))
    for store in (sessions, waiting, vectors):
        await store.delete_user("u", RECEIVED)
    await record.lease("reconciler", "me", 5)
    await record.count()


def short_term(database: Database) -> SqliteShortTerm:
    return SqliteShortTerm(database, ttl_seconds=60, max_messages=4, answers_ttl_seconds=60)


async def test_get_is_found_by_id_however_many_memories_there_are(record: SqliteRecord) -> None:
    await record.commit(imported("i", "u", [memory(str(n), "u") for n in range(300)]))
    assert ids(await record.get("u", ["7", "200", "none"])) == ["7", "200"]


async def test_a_turns_own_event_and_memory_may_come_one_after_the_other(record: SqliteRecord, tmp_path: Path) -> None:
    await record.commit(Write("m", "u", RECEIVED, event("m", "u")))
    await record.commit(utterance("m", "u"))
    assert ids(await record.get("u", ["m"])) == ["m"]
    assert rows(tmp_path / "lira.db", "events") == 1
