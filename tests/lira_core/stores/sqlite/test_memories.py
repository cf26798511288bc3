"""The record: what is written is found by slot, term, feeling, key and page, and by nothing slower than an index."""

import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lira_core.stores.ports import Deferred, StoreError, TermMatches
from lira_core.stores.sqlite import Database, SqliteMemories, SqliteShortTerm, SqliteVectors
from lira_core.types import EmotionReading, EmotionScore, Event, Fact, Memory, Message

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
Make = Callable[..., Memory]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteMemories]:
    opened = SqliteMemories(Database(tmp_path / "lira.db"))
    yield opened
    await opened.close()


def fact(subject: str, predicate: str, key: str | None = None) -> Fact:
    return Fact(subject, predicate, "커피", "taste", key=key)


def feeling(*top: tuple[str, float]) -> EmotionReading:
    return EmotionReading(tuple(EmotionScore(label, score) for label, score in top))


def event_of(memory: Memory) -> Event:
    return Event(memory.id, memory.user_id, "s", "user", memory.text, memory.timestamp)


def ids(memories: list[Memory]) -> list[str]:
    return [memory.id for memory in memories]


def rows(path: Path, table: str) -> int:
    with sqlite3.connect(path) as look:
        return int(look.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def bytes_under(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_get_gives_those_that_exist_in_the_order_asked(store: SqliteMemories, memory: Make) -> None:
    await store.write_many("u", [memory(id) for id in "abc"])
    assert ids(await store.get("u", ["c", "없음", "a", "c"])) == ["c", "a"]
    assert await store.get("u", []) == []


async def test_writing_the_same_again_keeps_one(store: SqliteMemories, memory: Make, tmp_path: Path) -> None:
    kept = memory("m", facts=(fact("user", "like", "taste:커피"),), terms=("커피", "커피"))
    for _ in range(2):
        await store.write("u", event_of(kept), kept)
    await store.write_many("u", [kept, kept])
    assert [rows(tmp_path / "lira.db", table) for table in ("events", "memories", "facts", "terms")] == [1, 1, 1, 1]
    assert (await store.by_terms("u", ["커피"])).memories == 1


async def test_a_memory_may_follow_its_event_later(store: SqliteMemories, memory: Make, tmp_path: Path) -> None:
    kept = memory("m")
    await store.write("u", event_of(kept), None)
    assert await store.get("u", ["m"]) == []
    await store.write("u", event_of(kept), kept)
    assert await store.get("u", ["m"]) == [kept]
    assert rows(tmp_path / "lira.db", "events") == 1


async def test_an_import_is_all_or_nothing(store: SqliteMemories, memory: Make) -> None:
    with pytest.raises(ValueError, match="another user"):
        await store.write_many("u", [memory("a"), memory("b", user_id="v")])
    broken = Fact(None, "like", "커피", "taste")  # type: ignore[arg-type]
    with pytest.raises(StoreError, match="NOT NULL"):
        await store.write_many("u", [memory("a"), memory("b", facts=(broken,))])
    assert (await store.page("u", 10, None))[0] == []


async def test_another_users_event_or_memory_is_refused(store: SqliteMemories, memory: Make) -> None:
    for event, kept in ((event_of(memory("m")), None), (None, memory("m"))):
        with pytest.raises(ValueError, match="another user"):
            await store.write("v", event, kept)


async def test_slots_find_newest_first_whoever_the_subject(store: SqliteMemories, memory: Make) -> None:
    await store.write_many(
        "u",
        [
            memory("old", minutes=-9, facts=(fact("user", "like"), fact("user", "like"))),
            memory("new", minutes=5, facts=(fact("user", "like"), fact("user", "live_in"))),
            memory("민수", minutes=7, facts=(fact("민수", "like"),)),
            memory("other", minutes=8, facts=(fact("user", "plan"),)),
        ],
    )
    assert ids(await store.by_slots("u", [("user", "like")], 9)) == ["new", "old"]
    assert ids(await store.by_slots("u", [(None, "like")], 9)) == ["민수", "new", "old"]
    assert ids(await store.by_slots("u", [("user", "like"), ("user", "live_in"), ("민수", "like")], 2)) == ["민수", "new"]
    assert await store.by_slots("u", [], 9) == await store.by_slots("u", [("user", "like")], 0) == []


async def test_terms_bring_what_bm25_needs(store: SqliteMemories, memory: Make) -> None:
    await store.write_many("u", [memory("a", terms=("커피", "커피", "강남")), memory("b", terms=("커피",)), memory("c")])
    found = await store.by_terms("u", ["커피", "강남", "없음"])
    assert (found.memories, found.mean_length) == (3, 4 / 3)
    assert {t: {(p.memory_id, p.frequency, p.length) for p in held} for t, held in found.postings.items()} == {
        "커피": {("a", 2, 3), ("b", 1, 1)},
        "강남": {("a", 1, 3)},
        "없음": set(),
    }
    assert await store.by_terms("nobody", []) == TermMatches(0, 0.0, {})


async def test_a_feeling_is_the_strongest_real_one(store: SqliteMemories, memory: Make) -> None:
    await store.write_many(
        "u",
        [
            memory("weak", minutes=1, emotion=feeling(("joy", 0.59))),
            memory("old", minutes=2, emotion=feeling(("joy", 0.6))),
            memory("behind neutral", minutes=3, emotion=feeling(("neutral", 0.9), ("joy", 0.7))),
            memory("second", minutes=4, emotion=feeling(("love", 0.9), ("joy", 0.8))),
            memory("neutral", minutes=5, emotion=feeling(("neutral", 0.9))),
            memory("none", minutes=6),
        ],
    )
    assert ids(await store.by_emotion("u", "joy", 0.6, 9)) == ["behind neutral", "old"]
    assert ids(await store.by_emotion("u", "joy", 0.6, 1)) == ["behind neutral"]
    assert await store.by_emotion("u", "neutral", 0.1, 9) == []


async def test_the_newest_of_a_key_may_be_asked_as_of_a_time(store: SqliteMemories, memory: Make) -> None:
    seoul = datetime.fromisoformat("2026-10-03T21:05:00+09:00")
    await store.write_many(
        "u",
        [
            memory("later", timestamp=seoul, facts=(fact("user", "like", "taste:커피"),)),
            memory("first", facts=(fact("user", "like", "taste:커피"), fact("user", "name", "name:user"))),
        ],
    )
    newest = await store.newest_of_keys("u", ["taste:커피", "name:user", "없음"])
    assert newest == {"taste:커피": (seoul, "later"), "name:user": (NOON, "first")}
    assert newest["taste:커피"][0].isoformat() == seoul.isoformat()
    assert await store.newest_of_keys("u", ["taste:커피"], at=NOON) == {"taste:커피": (NOON, "first")}
    assert await store.newest_of_keys("u", ["taste:커피"], at=NOON - timedelta(microseconds=1)) == {}
    assert await store.newest_of_keys("u", []) == {}


async def test_of_equal_times_the_one_written_later_is_newer(store: SqliteMemories, memory: Make) -> None:
    for id in "zamb":
        await store.write("u", None, memory(id, facts=(fact("user", "like", "taste:커피"),), emotion=feeling(("joy", 0.9))))
    assert ids((await store.page("u", 9, None))[0]) == ["b", "m", "a", "z"]
    assert ids(await store.by_slots("u", [("user", "like")], 9)) == ["b", "m", "a", "z"]
    assert ids(await store.by_emotion("u", "joy", 0.5, 9)) == ["b", "m", "a", "z"]
    assert (await store.newest_of_keys("u", ["taste:커피"]))["taste:커피"][1] == "b"


async def test_paging_meets_each_memory_once_while_others_are_added(store: SqliteMemories, memory: Make) -> None:
    chance = random.Random(7)
    there = [memory(f"m{n}", minutes=chance.randrange(20)) for n in range(50)]
    await store.write_many("u", there)
    seen: list[str] = []
    cursor: str | None = None
    for n in range(100):
        page, cursor = await store.page("u", 7, cursor)
        seen += ids(page)
        await store.write_many("u", [memory(f"later {n} {k}", minutes=chance.randrange(-5, 30)) for k in range(3)])
        if cursor is None:
            break
    met = [id for id in seen if not id.startswith("later")]
    in_order = sorted(range(50), key=lambda n: (there[n].timestamp, n), reverse=True)
    assert met == [f"m{n}" for n in in_order]
    assert len(set(seen)) == len(seen)


async def test_the_last_page_has_no_cursor(store: SqliteMemories, memory: Make) -> None:
    await store.write_many("u", [memory(f"m{n}", minutes=n) for n in range(4)])
    first, cursor = await store.page("u", 2, None)
    second, end = await store.page("u", 2, cursor)
    assert (ids(first), ids(second), end) == (["m3", "m2"], ["m1", "m0"], None)


@pytest.mark.parametrize("broken", ["", "x", "한글", "AAAA", "A" * 27, "../../etc", "=" * 28])
async def test_a_broken_cursor_is_refused(store: SqliteMemories, broken: str) -> None:
    with pytest.raises(ValueError, match="cursor is broken"):
        await store.page("u", 5, broken)


async def test_a_changed_cursor_is_refused(store: SqliteMemories, memory: Make) -> None:
    await store.write_many("u", [memory("a"), memory("b")])
    _, cursor = await store.page("u", 1, None)
    assert cursor is not None
    for place in range(len(cursor) - 1):
        changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(ValueError, match="cursor is broken"):
            await store.page("u", 1, changed)


async def test_deleting_a_memory_takes_its_event_facts_and_terms(store: SqliteMemories, memory: Make, tmp_path: Path) -> None:
    for id in "ab":
        kept = memory(id, facts=(fact("user", "like", "taste:커피"),), terms=("커피", "커피", id), emotion=feeling(("joy", 0.9)))
        await store.write("u", event_of(kept), kept)
    assert await store.delete("u", "b") is True
    assert await store.delete("u", "b") is False
    assert await store.delete("v", "a") is False
    assert [rows(tmp_path / "lira.db", table) for table in ("events", "memories", "facts", "terms")] == [1, 1, 1, 2]
    assert (await store.newest_of_keys("u", ["taste:커피"]))["taste:커피"][1] == "a"
    assert ids(await store.by_emotion("u", "joy", 0.5, 9)) == ids((await store.page("u", 9, None))[0]) == ["a"]
    found = await store.by_terms("u", ["커피", "b"])
    assert (found.memories, found.mean_length, len(found.postings["커피"]), len(found.postings["b"])) == (1, 3.0, 1, 0)


async def test_deleting_a_user_leaves_no_row_and_no_byte_of_them(store: SqliteMemories, memory: Make, tmp_path: Path) -> None:
    for user, secret in (("u", "SECRET-OF-U"), ("v", "SECRET-OF-V")):
        for n in range(30):
            kept = memory(f"m{n}", user_id=user, text=f"{secret} {n} " * 50, facts=(fact(secret, "like"),), terms=(secret, str(n)))
            await store.write(user, event_of(kept), kept)
    await store.delete_user("u")
    tables = ("events", "memories", "facts", "terms", "tallies")
    with sqlite3.connect(tmp_path / "lira.db") as look:
        for table in tables:
            assert look.execute(f"SELECT DISTINCT user_id FROM {table}").fetchall() == [("v",)]
    look.close()
    on_disk = bytes_under(tmp_path)
    assert b"SECRET-OF-V" in on_disk
    assert b"SECRET-OF-U" not in on_disk


async def test_the_unindexed_wait_oldest_first_until_they_are_marked(store: SqliteMemories, memory: Make) -> None:
    for n in range(3):
        for user in ("u", "v"):
            await store.write(user, None, memory(f"m{n}", user_id=user))
    await store.mark_indexed("u", ["m0", "m2", "없음"])
    await store.mark_indexed("u", [])
    assert [(m.user_id, m.id) for m in await store.unindexed(3)] == [("v", "m0"), ("u", "m1"), ("v", "m1")]
    await store.write("u", None, memory("m0"))
    assert [(m.user_id, m.id) for m in await store.unindexed(9)] == [("v", "m0"), ("u", "m1"), ("v", "m1"), ("v", "m2")]


async def test_nothing_is_found_by_scanning_a_table(tmp_path: Path, memory: Make) -> None:
    database = Database(tmp_path / "plans.db", readers=1)
    record, sessions, vectors = SqliteMemories(database), SqliteShortTerm(database, ttl_seconds=60, max_messages=4), SqliteVectors(database)
    statements: list[str] = []
    await database.write(lambda c: c.set_trace_callback(statements.append))
    await database.read(lambda c: c.set_trace_callback(statements.append))

    kept = memory("m", facts=(fact("user", "like", "taste:커피"),), terms=("커피",), emotion=feeling(("joy", 0.9)))
    await record.write("u", event_of(kept), kept)
    await record.write_many("u", [memory("n"), memory("o")])
    await record.get("u", ["m", "n"])
    await record.by_slots("u", [("user", "like"), (None, "like")], 5)
    await record.by_terms("u", ["커피", "강남"])
    await record.by_emotion("u", "joy", 0.6, 5)
    await record.newest_of_keys("u", ["taste:커피", "name:user"])
    await record.newest_of_keys("u", ["taste:커피"], at=NOON)
    _, cursor = await record.page("u", 1, None)
    assert cursor is not None
    await record.page("u", 1, cursor)
    await record.unindexed(5)
    await record.mark_indexed("u", ["m"])
    for turn in "abc":
        await sessions.append("u", "s", [Message("user", turn), Message("lira", turn)], [], NOON, turn)
    await sessions.read("u", "s", last=2)
    await sessions.defer("u", Deferred(event_of(kept), kept))
    await sessions.settle(["m"])
    await vectors.add("u", [("m", [1.0, 0.0]), ("n", [0.0, 1.0])])
    await vectors.search("u", [1.0, 0.0], 1)
    await vectors.delete("u", ["m"])
    await sessions.delete("u", "s")
    await record.delete("u", "m")
    for store in (record, sessions, vectors):
        await store.delete_user("u")
    await database.close()

    looked_up = [s for s in statements if s.startswith(("SELECT", "WITH", "DELETE", "UPDATE"))]
    assert len(looked_up) > 30
    with sqlite3.connect(tmp_path / "plans.db") as planner:
        steps = {step[3]: s for s in looked_up for step in planner.execute(f"EXPLAIN QUERY PLAN {s}")}
    slow = {step: s for step, s in steps.items() if step.startswith("SCAN") and "CONSTANT ROW" not in step and step != "SCAN asked"}
    used = " ".join(steps)
    for index in ("memories_newest", "memories_feeling", "facts_slot", "facts_predicate", "facts_key", "vectors_newest", "deferred_event"):
        assert f"INDEX {index} " in used
    # The reconciler's queue is read through its partial index, which holds only what waits.
    assert {step: s for step, s in slow.items() if "memories_unindexed" not in step} == {}
    assert not [step for step in steps if "TEMP B-TREE" in step]
