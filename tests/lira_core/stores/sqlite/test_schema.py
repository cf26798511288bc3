"""A file of an older schema, as the LIRA of its time wrote it, becomes a current one and loses nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from lira_core.languages.terms import terms
from lira_core.stores.codec import dump
from lira_core.stores.ports import EncoderId, Erasure, IndexPlan, Write
from lira_core.stores.sqlite import Database, SqliteDeferred, SqliteRecord, SqliteShortTerm, SqliteVectors
from lira_core.stores.sqlite.schema import APPLICATION_ID, MIGRATIONS
from lira_core.stores.sqlite.schema_1 import TABLES
from lira_core.stores.sqlite.schema_2 import V1_DIMENSIONS, V1_ENCODER
from lira_core.types import Event, Fact, Memory

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
TS = 1_791_028_800_000_000
ENCODER = EncoderId(V1_ENCODER, V1_DIMENSIONS)


def unit(n: int, dimensions: int = V1_DIMENSIONS) -> np.ndarray:
    return np.eye(dimensions, dtype=np.float32)[n]


def memory(n: int) -> Memory:
    return Memory(f"m{n}", "u", f"기억 {n}", NOON, facts=(Fact("user", "like", "커피", "taste", key="taste:커피"),), terms=("커피", f"말{n}", "커피"))


def v1_file(path: Path, dimensions: int = V1_DIMENSIONS) -> None:
    """Four memories of one user at one moment: the first two have vectors; a session, a turn and its reply, and a write that waits."""
    old = sqlite3.connect(path, isolation_level=None)
    for statement in TABLES:
        old.execute(statement)
    for n in range(4):
        row = ("u", f"m{n}", TS, 0, "joy", 0.75, 3, int(n < 2), dump(memory(n)))
        seq = old.execute(
            "INSERT INTO memories (user_id, id, ts, utc_offset, feeling, feeling_score, length, indexed, body) VALUES (?,?,?,?,?,?,?,?,?)", row
        ).lastrowid
        old.execute("INSERT INTO facts VALUES (?, 0, 'u', 'user', 'like', 'taste:커피', ?)", (seq, TS))
        old.executemany("INSERT INTO terms VALUES ('u', ?, ?, ?, 3)", [("커피", f"m{n}", 2), (f"말{n}", f"m{n}", 1)])
        if n < 2:
            old.execute("INSERT INTO vectors (user_id, memory_id, vector) VALUES ('u', ?, ?)", (f"m{n}", unit(n, dimensions).tobytes()))
    old.execute("INSERT INTO tallies VALUES ('u', 4, 12)")
    old.execute("INSERT INTO vector_users VALUES ('u', 5, 2, ?)", (dimensions,))
    for id, role in (("m0", "user"), ("m0:reply", "lira")):
        old.execute("INSERT INTO events (user_id, id, session_id, role, text, ts, utc_offset) VALUES ('u', ?, 's', ?, 'x', ?, 0)", (id, role, TS))
    old.execute(
        "INSERT INTO sessions VALUES ('u', 's', ?, 0, ?, 2, ?)",
        (TS, TS, '[{"text":"옛","timestamp":"2026-10-03T12:00:00+00:00","source":"LTM_Recall"}]'),
    )
    old.executemany("INSERT INTO messages VALUES ('u', 's', ?, ?, ?)", [(0, "user", "안녕"), (1, "lira", "응")])
    old.execute("INSERT INTO turns VALUES ('u', 's', 't0', ?)", (TS,))
    event = {"id": "d", "user_id": "u", "session_id": "s", "role": "user", "text": "나중", "timestamp": NOON.isoformat()}
    waiting = json.dumps({"event": event, "memory": json.loads(dump(memory(9)))})
    old.execute("INSERT INTO deferred (user_id, event_id, payload) VALUES ('u', 'd', ?)", (waiting,))
    old.execute("INSERT INTO deferred (user_id, event_id, payload) VALUES ('u', 'broken', '{')")
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute("PRAGMA user_version = 1")
    old.close()


@pytest.fixture
async def migrated(tmp_path: Path) -> AsyncIterator[Database]:
    v1_file(tmp_path / "lira.db")
    opened = Database(tmp_path / "lira.db")
    yield opened
    await opened.close()


async def test_the_record_of_schema_1_is_found_by_everything_in_its_old_order(migrated: Database) -> None:
    record = SqliteRecord(migrated, ENCODER)
    newest_first = ["m3", "m2", "m1", "m0"]
    assert (await record.page("u", 9, None))[0] == [memory(n) for n in (3, 2, 1, 0)]
    for found in (
        await record.newest("u", 9),
        await record.lexical("u", ["커피"], 9),
        await record.slots("u", [("user", "like")], 9),
        await record.feeling("u", "joy", 0.75, 9),
    ):
        assert [hit.id for hit in found] == newest_first
    assert await record.holders("u", ["taste:커피"]) == {"taste:커피": (NOON, "m3")}
    assert [hit.id for hit in await record.lexical("u", ["말2"], 9)] == ["m2"]
    assert await record.count() == 4


async def test_what_had_no_vector_still_waits_and_what_had_one_is_found(migrated: Database) -> None:
    record, vectors = SqliteRecord(migrated, ENCODER), SqliteVectors(migrated, ENCODER)
    assert await record.index_plan() == IndexPlan(serving=V1_ENCODER)
    assert [entry.payload.memory for entry in await record.unindexed.claim(9, 5)] == [memory(2), memory(3)]
    assert [(hit.id, hit.score) for hit in await vectors.search("u", unit(1), 9, until=NOON)] == [("m1", 1.0), ("m0", 0.0)]
    assert await vectors.search("u", unit(1), 9, until=NOON - timedelta(microseconds=1)) == []
    assert await vectors.get("u", ["m0"]) == [memory(0)]


async def test_vectors_of_another_length_are_made_again(tmp_path: Path) -> None:
    v1_file(tmp_path / "lira.db", dimensions=8)
    database = Database(tmp_path / "lira.db")
    record = SqliteRecord(database, ENCODER)
    assert [entry.id for entry in await record.unindexed.claim(9, 5)] == ["m0", "m1", "m2", "m3"]
    assert await SqliteVectors(database, EncoderId(V1_ENCODER, 8)).search("u", unit(0, 8), 9) == []
    await database.close()


async def test_what_waited_for_the_record_still_does_and_what_is_broken_is_shown(migrated: Database) -> None:
    deferred = SqliteDeferred(migrated)
    (entry,) = await deferred.claim(9, 5)
    assert entry.payload == Write("d", "u", 0, Event("d", "u", "s", "user", "나중", NOON, "d"), (memory(9),))
    assert [(letter.id, letter.user_id) for letter in await deferred.dead(9)] == [("broken", "u")]
    assert await deferred.forget("u", "m9")
    assert (await deferred.backlog()).waiting == 0


async def test_sessions_go_on_where_they_were(migrated: Database) -> None:
    sessions = SqliteShortTerm(migrated, ttl_seconds=3600, max_messages=9, answers_ttl_seconds=60)
    session = await sessions.read("u", "s", at=NOON)
    assert [message.content for message in session.messages] == ["안녕", "응"]
    assert [entry.text for entry in session.recalled] == ["옛"]
    assert session.last_updated == NOON


async def test_what_is_from_schema_1_is_deleted_by_any_cut(migrated: Database, tmp_path: Path) -> None:
    record, deferred = SqliteRecord(migrated, ENCODER), SqliteDeferred(migrated)
    assert await record.erase(Erasure("u", "m0", 5))
    assert await migrated.read(lambda c: c.execute("SELECT id FROM events").fetchall()) == []
    await record.erase(Erasure("u", None, 5))
    await deferred.delete_user("u", 5)
    await SqliteVectors(migrated, ENCODER).delete_user("u", 5)
    await SqliteShortTerm(migrated, ttl_seconds=60, max_messages=9, answers_ttl_seconds=60).delete_user("u", 5)
    left = {table: await migrated.read(lambda c, t=table: c.execute(f"SELECT count(*) FROM {t}").fetchone()[0]) for table in (
        "memories", "events", "terms", "facts", "vectors", "vector_codes", "vector_bodies", "sessions", "messages", "turns", "vocabulary",
        "event_terms", "event_vocabulary", "event_tallies",
    )}  # fmt: skip
    assert set(left.values()) == {0}, left
    on_disk = b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: ASYNC240  a small file
    assert "기억 1".encode() not in on_disk
    assert "나중".encode() not in on_disk


async def test_no_table_of_schema_1_is_left(migrated: Database) -> None:
    names = [name for (name,) in await migrated.read(lambda c: c.execute("SELECT name FROM sqlite_master").fetchall())]
    assert not [name for name in names if name.endswith("_1") and not name.startswith("sqlite_autoindex")]
    assert await migrated.read(lambda c: c.execute("PRAGMA foreign_key_check").fetchall()) == []
    assert await migrated.read(lambda c: c.execute("PRAGMA integrity_check").fetchall()) == [("ok",)]


# Schema 2


def v2_file(path: Path) -> None:
    """Two turns of one session and a turn of another, as they were written before events had terms; the second user was deleted half-way."""
    old = sqlite3.connect(path, isolation_level=None)
    for step in MIGRATIONS[:2]:
        for statement in step:
            old.execute(statement) if isinstance(statement, str) else statement(old)
    texts = ["우리집 강아지 이름은 보리야", "보리라니 좋은 이름이네요", "보리가 오늘 산책을 했어", "산책이 즐거웠겠네요", "비가 온다"]
    for n, text in enumerate(texts):
        id, role, session = f"t{n // 2}" + (":reply" if n % 2 else ""), ("user", "lira")[n % 2], "s" if n < 4 else "s2"
        for user in ("u", "gone"):
            row = (user, id, TS + n // 2, f"t{n // 2}", session, role, text, TS + 1_000_000 * (n // 2), 0)
            old.execute("INSERT INTO events (user_id, id, received, turn_id, session_id, role, text, ts, utc_offset) VALUES (?,?,?,?,?,?,?,?,?)", row)
    old.execute("INSERT INTO cuts VALUES ('record', 'gone', ?, 0)", (TS + 1,))
    old.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    old.execute("PRAGMA user_version = 2")
    old.close()


async def test_what_was_said_under_schema_2_is_found_by_its_words_with_its_session_around_it(tmp_path: Path) -> None:
    v2_file(tmp_path / "lira.db")
    database = Database(tmp_path / "lira.db")
    record = SqliteRecord(database, ENCODER)
    assert [hit.id for hit in await record.said("u", ["보리"], 9)] == ["t1", "t0:reply", "t0"]
    assert [hit.id for hit in await record.said("u", ["산책"], 9, NOON)] == []
    (scene,) = await record.scenes("u", ["t0:reply"], 2)
    assert (scene.event.terms, scene.event.turn_id) == (tuple(terms("보리라니 좋은 이름이네요")), "t0")
    assert [event.id for event in scene.around] == ["t0", "t1", "t1:reply"]
    assert [hit.id for hit in await record.said("gone", ["보리", "비"], 9)] == ["t2"], "what lies behind a cut is not brought back"
    await database.close()


async def test_what_is_from_schema_2_is_deleted_with_its_terms(tmp_path: Path) -> None:
    v2_file(tmp_path / "lira.db")
    database = Database(tmp_path / "lira.db")
    record = SqliteRecord(database, ENCODER)
    await record.entomb("u", "t0")
    assert await record.erase(Erasure("u", "t0", TS + 9))
    assert [hit.id for hit in await record.said("u", ["보리"], 9)] == ["t1"]
    for user in ("u", "gone"):
        await record.erase(Erasure(user, None, TS + 9))
    for table in ("events", "event_terms", "event_vocabulary", "event_tallies"):
        assert await database.read(lambda c, t=table: c.execute(f"SELECT * FROM {t}").fetchall()) == []
    await database.close()
    assert "보리".encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())  # noqa: ASYNC240  a small file


# Schema 4


async def test_what_was_kept_before_rules_had_a_version_is_of_older_rules(migrated: Database) -> None:
    record = SqliteRecord(migrated, ENCODER)
    assert await record.count(1) == 4
    assert sorted((await record.outdated(1, 9))[0], key=lambda one: one.id) == [memory(n) for n in range(4)]
    read = replace(memory(1), facts=(), terms=("새말",), derived=1)
    assert await record.rederive("u", [read]) == 1
    assert await record.get("u", ["m1"]) == [read]
    assert [hit.id for hit in await record.lexical("u", ["커피"], 9)] == ["m3", "m2", "m0"]
    assert await record.lexical("u", ["말1"], 9) == []
    assert await record.count(1) == 3
