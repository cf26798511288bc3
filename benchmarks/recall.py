"""How long a question's recall takes by how many memories the person has: two paths at once, the shortlist, one fetch; one JSON line per figure.

    python -m benchmarks.recall sqlite:////tmp/lira-bench-recall.db
    python -m benchmarks.recall mongodb://HOST/lira_bench --vectors milvus:///tmp/lira-bench-milvus.db

`recall` is what the stores and the shortlist take; `recall, embedded` begins with the embedding of the question, as a turn does. The reader is not
in it: it sees the same few candidates however many memories there are. Memories are those of `benchmarks/stores.py`. Sizes are asked
in turns, and the ratio is of the medians of `--runs` runs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from datetime import timedelta

import numpy as np

from benchmarks.stores import BEGIN, TERMS_OF_A_QUESTION, People, fill
from lira_core import compose, engines
from lira_core.embedding.port import Embedder
from lira_core.encoder import certainty_of, encoder_of
from lira_core.memory.recall import Cue, Recall, in_order_of_time, shortlist
from lira_core.settings import load_settings
from lira_core.stores import Stores
from lira_core.stores.ports import IndexPlan
from lira_core.types import Fact


async def one(recall: Recall, people: People, user_id: str, size: int, embed: bool, embedder: Embedder) -> float:
    """Milliseconds of one recall."""
    vector = people.vectors(1)[0]
    facts = (Fact("user", "like", "커피", "taste", key="like:커피"),)
    cue = Cue(BEGIN + timedelta(minutes=size), people.terms(TERMS_OF_A_QUESTION), facts)
    began = time.perf_counter()

    async def by_meaning() -> object:
        if embed:
            await embedder.hear("내가 좋아하는 커피가 뭐였지?")
        return await recall.semantic(user_id, cue, vector)

    found = await asyncio.gather(by_meaning(), recall.fact(user_id, cue))
    in_order_of_time(await recall.bodies(user_id, shortlist(cue, found)))  # type: ignore[arg-type]
    return 1000 * (time.perf_counter() - began)


async def main(arguments: argparse.Namespace) -> None:
    url = arguments.url
    settings = load_settings(short_term_url="sqlite:////tmp/lira-bench-short.db", record_url=url, vectors_url=arguments.vectors or url)
    stores: Stores = await compose.open_settled_stores(settings)
    embedder = engines.open_embedder(settings)
    try:
        plan = await stores.record.index_plan()
        await stores.record.plan_index(IndexPlan(encoder_of(settings).name), plan)
        recall = Recall(stores, certainty_of(settings), floor=settings.certainty_floor)
        people = People(None)
        users = {size: f"recall-{size}-{time.time_ns()}" for size in arguments.sizes}
        for size, user_id in users.items():
            await fill(people, stores.record, stores.vectors, user_id, size)
        for embed in (False, True):
            taken: dict[int, list[list[float]]] = {size: [] for size in users}
            for _ in range(arguments.runs):
                for size, user_id in users.items():
                    for _ in range(10):
                        await one(recall, people, user_id, size, embed, embedder)
                    taken[size].append([await one(recall, people, user_id, size, embed, embedder) for _ in range(arguments.times)])
            tell("recall, embedded" if embed else "recall", taken)
    finally:
        await embedder.close()
        await stores.close()


def tell(figure: str, taken: dict[int, list[list[float]]]) -> None:
    p95 = {size: statistics.median(float(np.percentile(run, 95)) for run in runs) for size, runs in taken.items()}
    least = p95[min(p95)]
    for size, runs in taken.items():
        p50 = statistics.median(float(np.percentile(run, 50)) for run in runs)
        line = {"figure": figure, "memories": size, "p50_ms": round(p50, 2), "p95_ms": round(p95[size], 2), "p95_ratio": round(p95[size] / least, 2)}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="of the record, and of the vectors unless --vectors is given")
    parser.add_argument("--vectors", help="the URL of the vectors, where it is another")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--times", type=int, default=200, help="recalls of each run")
    parser.add_argument("--runs", type=int, default=3)
    asyncio.run(main(parser.parse_args()))
