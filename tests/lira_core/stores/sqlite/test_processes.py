"""Real processes on one file: nothing is lost between them, and what was reported as stored outlives a kill."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np

from lira_core.stores import StoreOptions, Stores, open_stores
from lira_core.stores.ports import EncoderId

WRITER = """
import asyncio, itertools, sys
from datetime import UTC, datetime
import numpy as np
from lira_core.stores import StoreOptions, open_stores
from lira_core.stores.ports import EncoderId, IndexItem, SessionTurn, Write
from lira_core.types import Event, Memory, Message

url, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
at = datetime(2026, 10, 3, tzinfo=UTC)

async def one(stores, n):
    id = f"{name}-{n}"
    memory = Memory(id, "u", id, at, terms=("커피",))
    await stores.record.commit(Write(id, "u", 1, Event(id, "u", "s", "user", id, at, id), (memory,)))
    await stores.vectors.add("u", [IndexItem(memory, 1, np.eye(8, dtype=np.float32)[n % 8])])
    await stores.short_term.append("u", "s", SessionTurn(id, 1, at, (Message("user", id), Message("lira", id))))
    print(id, flush=True)

async def main():
    options = StoreOptions(EncoderId("test", 8), session_max_messages=100000)
    stores = await open_stores({"short_term": url, "record": url, "vectors": url}, options)
    numbers = itertools.count() if count == 0 else range(count)
    for start in numbers:
        await asyncio.gather(*(one(stores, start * 4 + k) for k in range(4)))
    await stores.close()

asyncio.run(main())
"""


async def opened(url: str) -> Stores:
    options = StoreOptions(EncoderId("test", 8), session_max_messages=100_000)
    return await open_stores({"short_term": url, "record": url, "vectors": url}, options)


def start(url: str, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, url, name, str(count)], stdout=subprocess.PIPE, text=True)


async def check_all_there(stores: Stores, ids: set[str]) -> None:
    stored: set[str] = set()
    cursor: str | None = None
    while True:
        page, cursor = await stores.record.page("u", 256, cursor)
        stored |= {memory.id for memory in page}
        if cursor is None:
            break
    assert ids <= stored
    assert await stores.record.count() == len(stored)
    assert {hit.id for hit in await stores.record.lexical("u", ["커피"], 10**6)} <= stored
    query = np.eye(8, dtype=np.float32)[0]
    assert ids <= {hit.id for hit in await stores.vectors.search("u", query, 10**6)}
    said = [message.content for message in (await stores.short_term.read("u", "s")).messages]
    assert said[::2] == said[1::2]
    assert len(set(said)) * 2 == len(said)
    assert ids <= set(said)


async def test_two_processes_that_write_at_once_lose_nothing(url: str) -> None:
    writers = [start(url, name, 50) for name in ("a", "b")]
    printed = set()
    for writer in writers:
        out, _ = writer.communicate(timeout=60)
        assert writer.returncode == 0
        printed |= set(out.split())
    assert len(printed) == 400
    stores = await opened(url)
    await check_all_there(stores, printed)
    await stores.close()


async def test_everything_reported_as_stored_is_there_after_a_kill(url: str, tmp_path: Path) -> None:
    writer = start(url, "k", 0)
    assert writer.stdout is not None
    printed = {writer.stdout.readline().strip() for _ in range(150)}
    writer.send_signal(signal.SIGKILL)
    printed |= {line.strip() for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")}
    writer.wait()
    writer.stdout.close()
    stores = await opened(url)
    await check_all_there(stores, printed)
    await stores.close()
