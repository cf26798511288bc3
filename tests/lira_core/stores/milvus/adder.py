"""A process that adds memories of user `u` to a Milvus Lite folder, one at a time, and says the number of each that was acknowledged:
`python adder.py FOLDER COUNT DIMENSIONS`. It then holds the folder until it is ended."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import numpy as np

from lira_core.stores import Opening, StoreOptions
from lira_core.stores.milvus import open_vectors
from lira_core.stores.ports import EncoderId, IndexItem
from lira_core.types import Memory


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(folder: str, count: int, dimensions: int) -> None:
    vectors = await open_vectors(Opening("vectors", f"milvus:///{folder}", StoreOptions(EncoderId("small-1", dimensions))))
    noon = datetime(2026, 10, 3, 12, tzinfo=UTC)
    for n in range(count):
        drawn = np.random.default_rng(n).standard_normal(dimensions).astype(np.float32)
        item = IndexItem(Memory(f"m{n}", "u", f"m{n}라고 했어", noon + timedelta(minutes=n)), n, drawn / np.linalg.norm(drawn))
        await vectors.add("u", [item])
        say(str(n))
    say("done")
    await asyncio.sleep(600)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
