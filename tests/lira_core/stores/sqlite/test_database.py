"""The file: group commit, errors as sentences, and a loop that is never blocked."""

import asyncio
import os
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from lira_core.stores.ports import StoreRejected, StoreUnavailable
from lira_core.stores.sqlite.connection import explained
from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.schema import MIGRATIONS


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = Database(tmp_path / "lira.db", busy_seconds=0.2)
    await opened.write(lambda c: c.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"))
    yield opened
    await opened.close()


def insert(n: int):
    return lambda c: c.execute("INSERT INTO notes (id, text) VALUES (?, ?)", (n, "x" * 100)).rowcount


async def ids(database: Database) -> list[int]:
    return [n for (n,) in await database.read(lambda c: c.execute("SELECT id FROM notes ORDER BY id").fetchall())]


def bytes_under(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def hold_writer(database: Database) -> threading.Event:
    """Keep the writer inside a write until the event is set, so that what follows becomes one group."""
    entered, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work(_: sqlite3.Connection) -> None:
        loop.call_soon_threadsafe(entered.set)
        release.wait(10)

    holder = asyncio.create_task(database.write(work))
    await entered.wait()
    holder.add_done_callback(lambda task: task.exception())
    return release


async def commits(database: Database, *works) -> list:
    """The outcomes of a group of writes, after how many commits they came: both in one list."""
    seen: list[str] = []
    release = await hold_writer(database)
    database._writer.set_trace_callback(seen.append)
    waiting = asyncio.gather(*(database.write(work) for work in works), return_exceptions=True)
    await asyncio.sleep(0)
    release.set()
    outcomes = await waiting
    database._writer.set_trace_callback(None)
    return [outcomes, seen.count("COMMIT")]


async def test_writes_that_wait_together_are_committed_together(database: Database) -> None:
    outcomes, count = await commits(database, *map(insert, range(100)))
    assert outcomes == [1] * 100
    assert count == 2  # the holder's and the group's
    assert await ids(database) == list(range(100))


async def test_one_failing_write_of_a_group_fails_alone_and_undone(database: Database) -> None:
    def half(c: sqlite3.Connection) -> None:
        insert(50)(c)
        raise LookupError("둘째 절반에서")

    (first, duplicate, broken, last), _ = await commits(database, insert(1), insert(1), half, insert(2))
    assert (first, last) == (1, 1)
    assert isinstance(duplicate, StoreRejected)
    assert isinstance(broken, LookupError)
    assert await ids(database) == [1, 2]


async def test_a_write_that_loses_the_whole_transaction_does_not_take_the_others_with_it(database: Database) -> None:
    def lose(c: sqlite3.Connection) -> None:
        c.execute("ROLLBACK")
        c.execute("SELECT * FROM nothing")

    (first, lost, last), _ = await commits(database, insert(1), lose, insert(2))
    assert (first, last) == (1, 1)
    assert isinstance(lost, StoreRejected)
    assert await ids(database) == [1, 2]


async def test_a_write_whose_caller_gave_up_before_it_began_is_not_made(database: Database) -> None:
    release = await hold_writer(database)
    tasks = [asyncio.create_task(database.write(insert(n))) for n in range(20)]
    await asyncio.sleep(0)
    for task in tasks[::2]:
        task.cancel()
    await asyncio.sleep(0)
    release.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(o, asyncio.CancelledError) for o in outcomes] == [n % 2 == 0 for n in range(20)]
    assert await ids(database) == list(range(1, 20, 2))


async def test_a_write_whose_caller_gave_up_after_it_began_is_whole(database: Database) -> None:
    entered, release = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def work(c: sqlite3.Connection) -> None:
        insert(1)(c)
        loop.call_soon_threadsafe(entered.set)
        release.wait(10)
        insert(2)(c)

    task = asyncio.create_task(database.write(work))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    release.set()
    assert await database.write(insert(3)) == 1
    assert await ids(database) == [1, 2, 3]


def refuse_to_roll_back(c: sqlite3.Connection) -> None:
    """From now on this connection cannot undo a transaction; nor can it finish this one."""

    def authorize(action: int, word: str | None, *_: str | None) -> int:
        return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_TRANSACTION and word in ("ROLLBACK", "COMMIT") else sqlite3.SQLITE_OK

    c.set_authorizer(authorize)


@pytest.mark.parametrize("breaks", [refuse_to_roll_back, sqlite3.Connection.close], ids=["no rollback", "connection closed"])
@pytest.mark.parametrize("read_before", [True, False])
async def test_a_writer_that_cannot_even_undo_is_replaced_and_its_callers_told(database: Database, breaks, read_before: bool) -> None:
    await database.write(insert(1))
    if read_before:
        assert await ids(database) == [1]
    (first, broken, last), _ = await outcomes_of(database, insert(2), breaks, insert(3))
    assert isinstance(broken, StoreRejected)
    assert await asyncio.wait_for(database.write(insert(4)), 5) == 1
    kept = await ids(database)
    # Each of the others was written and said so, or was not and said so.
    assert kept == [1, *(n for n, outcome in ((2, first), (3, last)) if outcome == 1), 4]
    await database.ping()


async def test_while_no_other_connection_can_be_had_the_store_is_unavailable_and_then_comes_back(database: Database, tmp_path: Path) -> None:
    os.rename(tmp_path / "lira.db", tmp_path / "away.db")
    with pytest.raises(StoreRejected):
        await database.write(sqlite3.Connection.close)
    with pytest.raises(StoreUnavailable, match="no other can be had"):
        await asyncio.wait_for(database.write(insert(1)), 5)
    os.rename(tmp_path / "away.db", tmp_path / "lira.db")
    with pytest.raises(StoreUnavailable):
        await asyncio.wait_for(database.write(insert(2)), 5)
    assert await asyncio.wait_for(database.write(insert(3)), 5) == 1
    assert await ids(database) == [3]


async def outcomes_of(database: Database, *works) -> tuple[list, None]:
    release = await hold_writer(database)
    waiting = asyncio.gather(*(database.write(work) for work in works), return_exceptions=True)
    await asyncio.sleep(0)
    release.set()
    return await asyncio.wait_for(waiting, 5), None


async def test_deletions_that_wait_together_are_scrubbed_together_and_hold_no_other_write(database: Database, tmp_path: Path) -> None:
    await database.write(lambda c: c.executemany("INSERT INTO notes VALUES (?, 'SECRET')", [(n,) for n in range(40)]))
    seen: list[str] = []
    await database.write(lambda c: c.set_trace_callback(seen.append))
    release = await hold_writer(database)
    waiting = [
        asyncio.create_task(database.write(lambda c, n=n: c.execute("DELETE FROM notes WHERE id = ?", (n,)).rowcount, scrub=True)) for n in range(40)
    ]
    await asyncio.sleep(0)
    release.set()
    assert await asyncio.gather(*waiting) == [1] * 40
    await database.write(lambda c: c.set_trace_callback(None))
    assert sum("wal_checkpoint" in statement for statement in seen) == 1
    assert b"SECRET" not in bytes_under(tmp_path)


async def test_closing_finishes_what_was_asked_before(database: Database, tmp_path: Path) -> None:
    tasks = [asyncio.create_task(database.write(insert(n))) for n in range(50)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*tasks)
    again = Database(tmp_path / "lira.db")
    assert await ids(again) == list(range(50))
    await again.close()


async def test_the_loop_runs_on_while_another_process_holds_the_lock(database: Database, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "lira.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waiting = asyncio.create_task(database.write(insert(1)))
    ticks = 0
    while not waiting.done():
        await asyncio.sleep(0.005)
        ticks += 1
        assert await ids(database) == []
    assert ticks > 5
    with pytest.raises(StoreUnavailable, match=r"another process has held the lock of .*lira\.db"):
        await waiting
    other.execute("COMMIT")
    assert await database.write(insert(1)) == 1
    other.close()


async def test_two_loops_in_two_threads_may_share_a_database(database: Database) -> None:
    def elsewhere() -> None:
        async def many() -> None:
            await asyncio.gather(*(database.write(insert(n)) for n in range(100, 150)))

        asyncio.run(many())

    await asyncio.gather(asyncio.to_thread(elsewhere), *(database.write(insert(n)) for n in range(50)))
    assert await ids(database) == [*range(50), *range(100, 150)]


async def test_a_full_disk_is_a_sentence_and_what_was_stored_stays(database: Database) -> None:
    await database.write(insert(1))
    await database.write(lambda c: c.execute(f"PRAGMA max_page_count = {c.execute('PRAGMA page_count').fetchone()[0]}").fetchone())
    big = "x" * 1_000_000
    with pytest.raises(StoreUnavailable, match=r"the disk is full, .*free some space"):
        await database.write(lambda c: c.execute("INSERT INTO notes (text) VALUES (?)", (big,)))
    assert await ids(database) == [1]
    await database.write(lambda c: c.execute("PRAGMA max_page_count = 1000000").fetchone())
    assert await database.write(insert(2)) == 1


async def test_a_file_that_was_deleted_or_replaced_stops_the_promise(database: Database, tmp_path: Path) -> None:
    os.rename(tmp_path / "lira.db", tmp_path / "gone.db")
    for attempt in (database.write(insert(1)), database.ping()):
        with pytest.raises(StoreUnavailable, match="deleted or replaced"):
            await attempt
    assert not (tmp_path / "lira.db").exists()
    sqlite3.connect(tmp_path / "lira.db").close()
    (tmp_path / "lira.db").touch()
    with pytest.raises(StoreUnavailable, match="deleted or replaced"):
        await database.write(insert(2))


async def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StoreUnavailable, match="read-only"):
        await database.read(insert(1))


@pytest.mark.parametrize(("opening", "kind"), [(True, StoreRejected), (False, StoreUnavailable)])
def test_a_read_only_file_is_a_wrong_setting_at_the_start_and_a_lost_disk_later(tmp_path: Path, opening: bool, kind: type[Exception]) -> None:
    sqlite3.connect(tmp_path / "x.db", isolation_level=None).execute("CREATE TABLE t (a)")
    with pytest.raises(sqlite3.OperationalError) as caught:
        sqlite3.connect(f"file:{tmp_path}/x.db?mode=ro", uri=True).execute("INSERT INTO t VALUES (1)")
    said = explained(caught.value, "x.db", 5, opening=opening)
    assert "is read-only; make the file" in str(said)
    assert type(said) is kind


async def test_a_value_that_no_column_holds_is_refused(database: Database) -> None:
    for wrong in (2**63, "\ud800", object()):
        with pytest.raises(StoreRejected):
            await database.write(lambda c, wrong=wrong: c.execute("INSERT INTO notes (text) VALUES (?)", (wrong,)))
        with pytest.raises(StoreRejected):
            await database.read(lambda c, wrong=wrong: c.execute("SELECT ?", (wrong,)).fetchone())
    assert await ids(database) == []


def test_what_is_no_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("오늘 할 일 " * 500)
    before = path.read_bytes()
    with pytest.raises(StoreRejected, match="is not a SQLite database"):
        Database(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db", isolation_level=None)
    other.execute("CREATE TABLE bookmarks (url)")
    other.close()
    with pytest.raises(StoreRejected, match="another program's"):
        Database(tmp_path / "other.db")


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "lira.db"
    Database(path).shut()
    newer = sqlite3.connect(path, isolation_level=None)
    newer.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    newer.close()
    with pytest.raises(StoreRejected, match=f"newer LIRA .schema {len(MIGRATIONS) + 1}, this one knows {len(MIGRATIONS)}"):
        Database(path)


async def test_a_file_that_another_process_locks_while_it_is_opened_is_waited_for(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "lira.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    opening = asyncio.create_task(asyncio.to_thread(Database, tmp_path / "lira.db", busy_seconds=0.1))
    await asyncio.sleep(0.3)
    assert not opening.done()
    other.execute("COMMIT")
    other.close()
    await (await opening).close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lira.db"
    Database(path).shut()
    step = ("CREATE TABLE half (a)", "CREATE TABLE half (a)")
    monkeypatch.setattr("lira_core.stores.sqlite.schema.MIGRATIONS", (*MIGRATIONS, step))
    with pytest.raises(StoreRejected, match="already exists"):
        Database(path)
    monkeypatch.setattr("lira_core.stores.sqlite.schema.MIGRATIONS", (*MIGRATIONS, step[:1]))
    Database(path).shut()
    with sqlite3.connect(path) as look:
        assert look.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS) + 1,)
        assert look.execute("SELECT count(*) FROM half").fetchone() == (0,)


async def test_a_new_file_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    opened = await asyncio.gather(*(asyncio.to_thread(Database, tmp_path / "new.db") for _ in range(6)))
    await asyncio.gather(*(database.ping() for database in opened))
    for database in opened:
        await database.close()


async def test_no_thread_is_left_after_closing(tmp_path: Path) -> None:
    database = Database(tmp_path / "lira.db")
    await database.ping()
    assert any(thread.name.startswith("lira-sqlite") for thread in threading.enumerate())
    await database.close()
    assert not any(thread.name.startswith("lira-sqlite") for thread in threading.enumerate())


async def test_a_commit_waits_for_the_disk(database: Database) -> None:
    pragmas = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
    assert await database.write(lambda c: [c.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]) == ["wal", 2, 1, 1]
