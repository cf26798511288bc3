"""The served graph on a cluster's servers, two orchestrators at once, under load, while its parts are killed and frozen.

After each: what was answered `stored` or `queued` is in the record exactly once, every turn was answered or refused with 503, what was missing
was named, and recall is whole again; how soon is printed (`whole_s`). LIRA_TEST_LOAD_SECONDS and LIRA_TEST_LOAD_RATE make it longer and heavier.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from boxes import Box, running, secantus, valkey
from load import SECONDS, Load, memories, people, secret
from served import Server, serving

CONFIG = Path(__file__).resolve().parents[2] / "cluster" / "local.yaml"
FROZEN_S = 5.0
GONE_AFTER_S = 10.0
"""What was on its way when a user was deleted has arrived by then, or been dropped."""
HANGS_AFTER_S = 180.0
"""A bound for what hangs, on a machine that others use too. A store that comes back is whole after some seconds; a process that is killed within a
transaction leaves the user's document locked until the server ends it (60 s in SecantusDB as in MongoDB, where `transactionLifetimeLimitSeconds`
sets it), and what the user says meanwhile is queued."""


@dataclass(frozen=True)
class Cluster:
    """LIRA with two orchestrators over servers of its own."""

    server: Server
    short_term: Box
    record: Box
    folder: Path


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    config = folder / "two.yaml"
    config.write_text(
        CONFIG.read_text().replace("name: RecallOrchestrator\n        num_replicas: 1", "name: RecallOrchestrator\n        num_replicas: 2")
    )
    assert "num_replicas: 2" in config.read_text()
    with running(valkey(folder / "valkey")) as short_term, running(secantus(folder / "secantus")) as record:
        environment = {"LIRA_SHORT_TERM_URL": short_term.url, "LIRA_RECORD_URL": record.url}
        with serving(folder / "data", config=config, environment=environment) as server:
            yield Cluster(server, short_term, record, folder)


async def under_load(cluster: Cluster, fault: Callable[[], None], users: list[str] | None = None) -> Load:
    """A third of the time undisturbed, then the fault (which ends by itself), then the rest."""
    load = Load(cluster.server.url, users or people(8))
    running = asyncio.create_task(load.run())
    await asyncio.sleep(SECONDS / 3)
    began = time.monotonic()
    await asyncio.to_thread(fault)
    ended = time.monotonic()
    await running
    sys.stderr.write(json.dumps({"fault_s": round(ended - began, 1), **load.figures(began, ended)}) + "\n")
    return load


async def account(cluster: Cluster, load: Load) -> None:
    """Every promise of this load is kept, and the server is whole again."""
    assert {turn.status for turn in load.turns} <= {200, 503}
    acknowledged = load.acknowledged()
    assert len(acknowledged) > len(load.turns) / 4
    began = time.monotonic()
    async with asyncio.timeout(2 * HANGS_AFTER_S), httpx.AsyncClient(base_url=cluster.server.url, timeout=30) as client:
        while True:
            kept = [(user, text) for user in load.users for text in await memories(client, user)]
            if acknowledged <= set(kept) or time.monotonic() - began > HANGS_AFTER_S:
                break
            await asyncio.sleep(0.5)
        assert acknowledged <= set(kept), f"{len(acknowledged - set(kept))} of {len(acknowledged)} acknowledged turns are lost"
        assert len(kept) == len(set(kept)), "nothing is kept twice"
        assert all(secret(user) in text for user, text in kept), "nobody has anything of somebody else"
        user, text = max(acknowledged)
        while True:
            asked = (await client.post("/v1/memories/search", json={"user_id": user, "query": text, "limit": 1})).json()
            if asked.get("results") and asked["results"][0]["text"] == text and "semantic" in asked["results"][0]["paths"]:
                break
            assert time.monotonic() - began < HANGS_AFTER_S, f"recall is not whole: {asked}"
            await asyncio.sleep(0.5)
    sys.stderr.write(json.dumps({"whole_s": round(time.monotonic() - began, 1)}) + "\n")


def named(load: Load, what: str) -> int:
    return sum(what in turn.degraded for turn in load.turns)


@pytest.mark.parametrize("role", ["short_term", "record"])
async def test_a_store_that_is_killed_and_comes_back_loses_nothing(cluster: Cluster, role: str) -> None:
    box: Box = getattr(cluster, role)

    def fault() -> None:
        box.kill()
        time.sleep(3)
        box.start()

    load = await under_load(cluster, fault)
    assert named(load, role)
    await account(cluster, load)


@pytest.mark.parametrize("role", ["short_term", "record"])
async def test_a_store_that_hangs_for_five_seconds_loses_nothing_and_holds_nobody_up_for_long(cluster: Cluster, role: str) -> None:
    box: Box = getattr(cluster, role)

    def fault() -> None:
        box.freeze()
        time.sleep(FROZEN_S)
        box.thaw()

    load = await under_load(cluster, fault)
    assert named(load, role)
    await account(cluster, load)


async def test_an_orchestrator_that_is_killed_is_replaced_and_the_other_goes_on(cluster: Cluster) -> None:
    def fault() -> None:
        cluster.server.replica("RecallOrchestrator").kill()
        time.sleep(1)

    load = await under_load(cluster, fault)
    await account(cluster, load)


async def test_a_user_who_is_deleted_under_load_is_in_no_store_ten_seconds_later(cluster: Cluster) -> None:
    leaving, staying = people(2), people(4)
    load = Load(cluster.server.url, leaving + staying)
    running = asyncio.create_task(load.run())
    async with httpx.AsyncClient(base_url=cluster.server.url, timeout=30) as client:
        await asyncio.sleep(SECONDS / 2)
        for user in leaving:
            load.users = [one for one in load.users if one != user]  # they say nothing more, but what they said is on its way
            items = [{"text": f"{secret(user)} {number}"} for number in range(64)]
            importing = asyncio.create_task(client.post("/v1/memories", json={"user_id": user, "items": items}))
            await asyncio.sleep(0.1)
            # Where the import keeps the record busy for too long the answer is 503: it is noted, and asked again it is done.
            async with asyncio.timeout(HANGS_AFTER_S):
                while (answer := await client.delete("/v1/memories", params={"user_id": user})).status_code == 503:  # noqa: ASYNC110 it is to be asked
                    await asyncio.sleep(float(answer.headers["retry-after"]))
            assert answer.status_code == 204
            await importing
        await running
        await asyncio.sleep(GONE_AFTER_S)
        for user in leaving:
            assert await memories(client, user) == []
            shown = (await client.get(f"/v1/sessions/{user}-s", params={"user_id": user})).json()
            assert shown["chat_history"] == []
    raw = raw_stores(cluster)
    for user in leaving:
        assert secret(user).encode() not in raw
    for user in staying:
        assert secret(user).encode() in raw, "one does look into the stores"
    load.users = staying
    load.turns = [turn for turn in load.turns if turn.user in staying]
    await account(cluster, load)


def raw_stores(cluster: Cluster) -> bytes:
    """Everything that the three stores hold."""
    import bson
    from pymongo import MongoClient
    from redis import Redis

    parts: list[bytes] = []
    with Redis.from_url(cluster.short_term.url) as redis:
        reads = {b"list": lambda key: redis.lrange(key, 0, -1), b"hash": redis.hgetall, b"zset": lambda key: redis.zrange(key, 0, -1)}
        for key in redis.scan_iter(count=1_000):
            parts += [key, flat(reads.get(redis.type(key), redis.get)(key) if redis.type(key) != b"set" else redis.smembers(key))]
    with MongoClient(cluster.record.url) as mongo:
        database = mongo.get_default_database()
        parts += [bson.encode(document) for name in database.list_collection_names() for document in database[name].find()]
    parts += [file.read_bytes() for file in (cluster.folder / "data").glob("lira.db*")]
    return b"\n".join(parts)


def flat(value: object) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        return b" ".join(flat(part) for pair in value.items() for part in pair)
    return b" ".join(map(flat, value)) if isinstance(value, list | set | tuple) else str(value).encode()
