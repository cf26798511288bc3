"""A changed config while people talk: every replica is replaced, and no turn is lost, failed or made twice.

LIRA_TEST_LOAD_SECONDS and LIRA_TEST_LOAD_RATE make it longer and heavier, LIRA_TEST_REPLICAS=1,2 tries it with two of each as well.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml
from load import SECONDS, Load, memories, people
from served import ROOT, Server, serving

DEPLOYMENTS = ("ChatIngress", "RecallOrchestrator", "UtteranceAnalyzer")
ROLLED_WITHIN_S = 240.0
"""A bound for what hangs. Six replicas took 49 s on two cores on which eleven processes waited for their turn."""

pytestmark = pytest.mark.served


def write(config: Path, replicas: int, **settings: str) -> None:
    """The local config with so many replicas of each deployment, and settings for all of them: other ones are another version."""
    whole = yaml.safe_load((ROOT / "cluster" / "local.yaml").read_text())
    (application,) = whole["applications"]
    application["runtime_env"] = {"env_vars": settings}
    application["deployments"] = [{"name": name, "num_replicas": replicas} for name in DEPLOYMENTS]
    config.write_text(yaml.safe_dump(whole))


def ids(server: Server) -> set[int]:
    return {process.pid for name in DEPLOYMENTS for process in server.replicas(name)}


def wait_until(holds: Callable[[], bool], within_s: float = ROLLED_WITHIN_S) -> None:
    ends = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < ends, f"not within {within_s} s"
        time.sleep(0.5)


@dataclass(frozen=True)
class Served:
    """A server, and the config that it reads again."""

    server: Server
    config: Path
    replicas: int


@pytest.fixture(scope="module", params=[int(n) for n in os.environ.get("LIRA_TEST_REPLICAS", "1").split(",")])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("rolling")
    config = folder / "changing.yaml"
    write(config, request.param)
    with serving(folder / "data", config=config) as server:
        yield Served(server, config, request.param)


async def test_while_every_replica_is_replaced_every_turn_is_answered_and_none_is_lost_or_made_twice(served: Served) -> None:
    server = served.server
    old = await asyncio.to_thread(ids, server)
    load = Load(server.url, people(8), seconds=SECONDS / 3 + ROLLED_WITHIN_S)
    talking = asyncio.create_task(load.run())
    await asyncio.sleep(SECONDS / 3)
    began = time.monotonic()
    write(served.config, served.replicas, LIRA_HISTORY_MESSAGES="19")
    server.process.send_signal(signal.SIGHUP)
    assert "is being deployed" in await asyncio.to_thread(told, server)
    await asyncio.to_thread(wait_until, lambda: not old & ids(server))
    ended = time.monotonic()
    assert "is deployed" in await asyncio.to_thread(told, server)
    await asyncio.sleep(SECONDS / 3)
    load.seconds = 0
    await talking
    sys.stderr.write(json.dumps({"replicas": len(old), "rolled_s": round(ended - began, 1), **load.figures(began, ended)}) + "\n")
    assert len(old) == 3 * served.replicas
    assert [turn for turn in load.turns if turn.status != 200] == []
    await account(server, load)


async def account(server: Server, load: Load) -> None:
    """What was acknowledged is there, once."""
    said = sorted((turn.user, turn.text) for turn in load.turns)
    assert sorted(load.acknowledged()) == said
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        kept = sorted([(user, text) for user in load.users for text in await memories(client, user)])
    assert kept == said


async def test_a_config_that_cannot_be_used_is_one_sentence_and_what_was_served_goes_on(served: Served) -> None:
    server, config = served.server, served.config
    await asyncio.to_thread(wait_until, lambda: len(ids(server)) == 3 * served.replicas)
    old = await asyncio.to_thread(ids, server)

    async def changed() -> str:
        server.process.send_signal(signal.SIGHUP)
        return await asyncio.to_thread(told, server)

    good = config.read_text()
    config.write_text(good.replace("num_replicas", "num_replica", 1))
    assert "did you mean num_replicas?" in await changed()
    config.write_text(good.replace("keep_alive_timeout_s: 90", "keep_alive_timeout_s: 80"))
    assert "http_options cannot change while LIRA serves" in await changed()
    write(config, served.replicas, LIRA_EMOTON_GATE="0.5")
    assert "is being deployed" in await changed()
    refused = await asyncio.to_thread(told, server)
    assert "what was served before goes on" in refused
    assert "did you mean LIRA_EMOTION_GATE" in refused
    config.write_text(good)
    assert "is being deployed" in await changed()
    assert "is deployed" in await asyncio.to_thread(told, server)
    await asyncio.to_thread(wait_until, lambda: ids(server) == old)  # what could not start is gone in a moment
    said = {"user_id": "u", "session_id": "s", "text": "오늘 정말 기뻤어"}
    async with httpx.AsyncClient(base_url=server.url, timeout=60) as client:
        assert (await client.post("/v1/chat", json=said)).status_code == 200


def told(server: Server) -> str:
    """The next sentence of LIRA's own in the log."""
    assert server.process.stderr is not None
    return next(line for line in server.process.stderr if line.startswith(("WARNING lira:", "ERROR lira:")))
