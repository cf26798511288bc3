"""How long what recall asks of the stores takes, by how many memories one user has: one JSON line per figure.

    python benchmarks/stores.py sqlite:////tmp/lira-bench.db
    python benchmarks/stores.py mongodb://HOST/lira_bench --vectors milvus:///tmp/lira-bench-milvus.db --sizes 100 10000

Each size is a user of their own, written first and then asked; nothing is deleted, so give it a database of its own. Memories are made up: 8
terms each of a vocabulary of 20,000 words in which the n-th is said 1/n as often as the first (Zipf), a fact on every third, a minute between
two. A question has 4 terms of the same distribution. Vectors are random and of length 1, or rows of `--embeddings FILE.npy`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lira_core.stores import Opening, StoreOptions
from lira_core.stores import open_role as opened
from lira_core.stores.ports import EncoderId, IndexItem, IndexPlan, Record, Vectors, Write
from lira_core.types import EmotionReading, EmotionScore, Fact, Memory

DIMENSIONS = 384
WORDS = 20_000
TERMS_OF_A_MEMORY, TERMS_OF_A_QUESTION = 8, 4
SLOTS = ("like", "plan", "live_in", "name", "work_at", "feel")
BATCH = 500
LIMIT = 40
"""What one path of recall asks for."""
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


class People:
    """Memories, questions and vectors, the same in every run."""

    def __init__(self, embeddings: NDArray[np.float32] | None) -> None:
        self._chance = np.random.default_rng(7)
        shares = 1 / np.arange(1, WORDS + 1)
        self._shares = shares / shares.sum()
        self._embeddings = embeddings

    def terms(self, count: int) -> tuple[str, ...]:
        return tuple(f"말{n}" for n in self._chance.choice(WORDS, count, p=self._shares))

    def memory(self, user_id: str, n: int) -> Memory:
        terms = self.terms(TERMS_OF_A_MEMORY)
        predicate = SLOTS[n % len(SLOTS)]
        facts = (Fact("user", predicate, terms[0], "taste", key=f"{predicate}:{terms[0]}"),) if n % 3 == 0 else ()
        emotion = EmotionReading((EmotionScore("joy", float(self._chance.random())),))
        return Memory(f"{user_id}-{n}", user_id, " ".join(terms), BEGIN + timedelta(minutes=n), "s", "fact", emotion, facts, terms)

    def vectors(self, count: int) -> NDArray[np.float32]:
        if self._embeddings is not None:
            return self._embeddings[self._chance.integers(0, len(self._embeddings), count)]
        rows = self._chance.normal(size=(count, DIMENSIONS)).astype(np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


async def fill(people: People, record: Record, vectors: Vectors, user_id: str, size: int) -> None:
    for start in range(0, size, BATCH):
        memories = [people.memory(user_id, n) for n in range(start, min(start + BATCH, size))]
        received = 1 + start
        await record.commit(Write(f"{user_id} {start}", user_id, received, memories=tuple(memories)))
        rows = people.vectors(len(memories))
        await vectors.add(user_id, [IndexItem(memory, received, row) for memory, row in zip(memories, rows, strict=True)])


async def measured(ask: Callable[[], Awaitable[object]], times: int) -> list[float]:
    """Milliseconds of each call, one after the other."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        await ask()
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def say(figure: str, size: int, milliseconds: Sequence[float]) -> None:
    p50, p95 = np.percentile(milliseconds, [50, 95])
    line = {"figure": figure, "memories": size, "p50_ms": round(float(p50), 3), "p95_ms": round(float(p95), 3), "calls": len(milliseconds)}
    print(json.dumps(line), flush=True)  # noqa: T201  what it is for


async def one_size(people: People, record: Record, vectors: Vectors, size: int, times: int) -> None:
    user_id = f"bench-{size}-{time.time_ns()}"
    began = time.perf_counter()
    await fill(people, record, vectors, user_id, size)
    say("fill, per memory", size, [(time.perf_counter() - began) * 1000 / size])
    middle = BEGIN + timedelta(minutes=size / 2)
    queries = iter(people.vectors(3 * (times + 20)))
    say("vectors.search, cold", size, await measured(lambda: vectors.search(user_id, next(queries), LIMIT), 1))
    operations: dict[str, Callable[[], Awaitable[object]]] = {
        "lexical": lambda: record.lexical(user_id, people.terms(TERMS_OF_A_QUESTION), LIMIT),
        "lexical, until": lambda: record.lexical(user_id, people.terms(TERMS_OF_A_QUESTION), LIMIT, middle),
        "slots": lambda: record.slots(user_id, [("user", "like"), (None, "plan")], LIMIT),
        "feeling": lambda: record.feeling(user_id, "joy", 0.6, LIMIT),
        "newest": lambda: record.newest(user_id, LIMIT),
        "get": lambda: record.get(user_id, [f"{user_id}-{n}" for n in range(0, size, max(size // 10, 1))]),
        "vectors.search": lambda: vectors.search(user_id, next(queries), LIMIT),
        "vectors.search, until": lambda: vectors.search(user_id, next(queries), LIMIT, middle),
    }
    for figure, ask in operations.items():
        await measured(ask, 10)
        say(figure, size, await measured(ask, times))


async def main(arguments: argparse.Namespace) -> None:
    embeddings = None if arguments.embeddings is None else np.load(arguments.embeddings).astype(np.float32)
    dimensions = DIMENSIONS if embeddings is None else embeddings.shape[1]
    options, shared = StoreOptions(EncoderId("bench", dimensions)), {}
    record: Record = await opened(Opening("record", arguments.url, options, shared))
    vectors: Vectors = await opened(Opening("vectors", arguments.vectors or arguments.url, options, shared))
    try:
        await record.plan_index(IndexPlan(serving="bench"), await record.index_plan())
        for size in arguments.sizes:
            await one_size(People(embeddings), record, vectors, size, arguments.times)
    finally:
        await vectors.close()
        await record.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="of the record, and of the vectors unless --vectors is given")
    parser.add_argument("--vectors", help="the URL of the vectors, where it is another")
    parser.add_argument("--embeddings", type=Path, help="a .npy of float32 rows to draw vectors from, instead of random ones")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--times", type=int, default=300, help="calls of each figure")
    sys.exit(asyncio.run(main(parser.parse_args())))
