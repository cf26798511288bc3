"""One Milvus Lite folder: who may open it, what a crash or a full disk leaves."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from lira_core.stores import StoreRejected, StoreUnavailable
from lira_core.stores.milvus import lite, rows

from .making import DIMENSIONS, ENCODER, items, memory, opened, vectors_of

HERE = Path(__file__).parent
[ASKED] = vectors_of(1, 99)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors.db"


@pytest.fixture
def adder() -> Iterator[Callable[[Path, int], subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []

    def start(folder: Path, count: int) -> subprocess.Popen[str]:
        command = [sys.executable, str(HERE / "adder.py"), str(folder), str(count), str(DIMENSIONS)]
        # From the repository's root, so that the process finds what these tests found.
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parents[3]))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


def spoil(folder: Path) -> None:
    for manifest in folder.rglob("manifest.json*"):
        manifest.write_text("{")


async def test_a_folder_that_another_process_has_open_is_refused_until_it_is_let_go(
    folder: Path, adder: Callable[[Path, int], subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lite, "LOCK_SECONDS", 0.1)
    other = adder(folder, 1)
    assert other.stdout is not None
    assert [other.stdout.readline(), other.stdout.readline()] == ["0\n", "done\n"]
    with pytest.raises(StoreRejected, match=r"LIRA_VECTORS_URL: .* another process"):
        await opened(f"milvus:///{folder}")
    other.kill()
    other.wait()
    vectors = await opened(f"milvus:///{folder}")
    assert [hit.id for hit in await vectors.search("u", ASKED, 5)] == ["m0"]
    await vectors.close()


async def test_openings_in_one_process_share_the_folder_until_the_last_is_closed(folder: Path) -> None:
    first, second = await opened(f"milvus:///{folder}"), await opened(f"milvus:///{folder.parent}/./{folder.name}")
    await first.add("u", items("u", 3))
    await first.close()
    await first.close()
    assert len(await second.search("u", ASKED, 5)) == 3
    with pytest.raises(StoreUnavailable, match="closed"):
        await first.search("u", ASKED, 5)
    await second.close()
    third = await opened(f"milvus:///{folder}")
    assert len(await third.search("u", ASKED, 5)) == 3
    await third.close()


async def test_closing_leaves_no_thread_no_process_no_port_and_no_lock(folder: Path) -> None:
    process = psutil.Process()
    before = {one.laddr for one in process.net_connections("tcp") if one.status == psutil.CONN_LISTEN}
    children, threads = set(process.children(recursive=True)), set(threading.enumerate())
    vectors = await opened(f"milvus:///{folder}")
    await vectors.add("u", items("u", 40))
    assert {one.laddr for one in process.net_connections("tcp") if one.status == psutil.CONN_LISTEN} <= before
    assert set(process.children(recursive=True)) <= children
    mine = [one for one in threading.enumerate() if one not in threads and "milvus" in one.name]
    assert mine
    await vectors.close()
    for thread in mine:
        thread.join(5)
        assert not thread.is_alive()
    assert not [file for file in process.open_files() if str(folder) in file.path]
    moved = folder.with_name("moved.db")
    shutil.move(folder, moved)
    vectors = await opened(f"milvus:///{moved}")
    assert len(await vectors.search("u", ASKED, 100)) == 40
    await vectors.close()


async def test_what_is_no_milvus_lite_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "old.db").write_bytes(b"SQLite format 3\0")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("mine")
    for name, why in (("old.db", "is a file"), ("notes", "other things"), ("old.db/inside.db", "cannot use")):
        with pytest.raises(StoreRejected, match=f"LIRA_VECTORS_URL: .*{why}"):
            await opened(f"milvus:///{tmp_path}/{name}")
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine.txt"]


async def test_a_folder_that_cannot_be_read_is_refused(folder: Path) -> None:
    vectors = await opened(f"milvus:///{folder}")
    await vectors.add("u", items("u", 3))
    await vectors.close()
    spoil(folder)
    with pytest.raises(StoreRejected):
        await opened(f"milvus:///{folder}")


@pytest.mark.parametrize("after", [1, 15, 16, 17, 70])
async def test_what_was_acknowledged_before_a_kill_is_there_afterwards(
    folder: Path, adder: Callable[[Path, int], subprocess.Popen[str]], after: int
) -> None:
    """Before, at, and after a flush, and after Milvus Lite's own compaction."""
    process = adder(folder, 100_000)
    assert process.stdout is not None
    acknowledged = [int(process.stdout.readline()) for _ in range(after)]
    process.kill()
    process.wait()
    acknowledged += [int(line) for line in process.stdout.read().split()]
    vectors = await opened(f"milvus:///{folder}")
    found = {hit.id for hit in await vectors.search("u", ASKED, 100_000)}
    assert found >= {f"m{n}" for n in acknowledged}
    assert len(found) <= len(acknowledged) + 1
    assert await vectors.get("u", [f"m{n}" for n in acknowledged]) == [memory(f"m{n}", minutes=n) for n in acknowledged]
    await vectors.add("u", items("u", 2, 100_000))
    assert len(await vectors.search("u", ASKED, 100_010)) == len(found) + 2
    await vectors.close()


async def test_a_flush_that_fails_loses_nothing_that_was_acknowledged(folder: Path) -> None:
    vectors = await opened(f"milvus:///{folder}")
    await vectors.add("u", items("u", 10))
    in_the_way = folder / "collections" / rows.collection_name(ENCODER) / "partitions" / rows.owner("u") / "data"
    in_the_way.parent.mkdir(parents=True, exist_ok=True)
    in_the_way.write_text("no folder can be made here")
    with pytest.raises(StoreUnavailable, match="cannot write"):
        await vectors.add("u", items("u", 20, 10))
    in_the_way.unlink()
    await vectors.add("u", items("u", 1, 10))
    assert {hit.id for hit in await vectors.search("u", ASKED, 100)} >= {f"m{n}" for n in range(11)}
    await vectors.add("u", items("u", 40, 100))
    await vectors.close()
    vectors = await opened(f"milvus:///{folder}")
    assert {hit.id for hit in await vectors.search("u", ASKED, 100)} >= {f"m{n}" for n in [*range(11), *range(100, 140)]}
    await vectors.close()


FULL = """
import asyncio, json, resource, sys
from lira_core.stores import StoreUnavailable
sys.path.insert(0, {parent!r})
from milvus_making import items, opened

async def main():
    vectors = await opened("milvus:///{folder}")
    acknowledged, refused = [], 0
    for n in range(60):
        if n == 10:
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        if n == 40:
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        try:
            await vectors.add("u", items("u", 1, n, text="가" * 4_000))
            acknowledged.append(n)
        except StoreUnavailable:
            refused += 1
    print(json.dumps([acknowledged, refused]))

asyncio.run(main())
"""


def output(code: str) -> Any:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HERE.parents[3], timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


async def test_a_full_disk_is_waited_for_and_loses_nothing_that_was_acknowledged(folder: Path, tmp_path: Path) -> None:
    """The kernel refuses files beyond 100 kB for a while: each memory takes 12 kB of the log."""
    shutil.copy(HERE / "making.py", tmp_path / "milvus_making.py")
    code = FULL.format(parent=str(tmp_path), folder=str(folder))
    acknowledged, refused = output(code)
    assert refused > 0
    assert acknowledged[-20:] == list(range(40, 60))
    vectors = await opened(f"milvus:///{folder}")
    assert {hit.id for hit in await vectors.search("u", ASKED, 100)} >= {f"m{n}" for n in acknowledged}
    assert len(await vectors.get("u", [f"m{n}" for n in acknowledged])) == len(acknowledged)
    await vectors.close()
