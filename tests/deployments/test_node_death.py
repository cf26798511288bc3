"""A node of two dies while people talk: each turn is answered, or refused with 503 and when to come again, and what was acknowledged is there.

LIRA_TEST_NODES=1 runs it: two nodes and three servers want more than two cores. docs/reliability.md says what it found.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
import yaml
from boxes import milvus, running, secantus, valkey
from load import Load, memories, people
from served import ROOT, Server, named, serving

pytestmark = pytest.mark.skipif("LIRA_TEST_NODES" not in os.environ, reason="LIRA_TEST_NODES=1 runs it")

DEPLOYMENTS = ("ChatIngress", "RecallOrchestrator", "UtteranceAnalyzer")
TWO_NODES = Path(__file__).with_name("two_nodes.py")
BEFORE_S, AFTER_S = 6.0, 20.0
ABANDONED_S = 70.0
"""As in test_reliability.py: a user whose transaction the node left open is queued until the server ends it."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Two nodes with a replica of each deployment on each, over servers that both can reach."""
    folder = tmp_path_factory.mktemp("nodes")
    whole = yaml.safe_load((ROOT / "cluster" / "local.yaml").read_text())
    whole["applications"][0]["deployments"] = [{"name": name, "num_replicas": 2, "max_replicas_per_node": 1} for name in DEPLOYMENTS]
    config = folder / "spread.yaml"
    config.write_text(yaml.safe_dump(whole))
    with running(valkey(folder / "valkey")) as short, running(secantus(folder / "secantus")) as record, running(milvus(folder / "milvus")) as vectors:
        environment = {"LIRA_SHORT_TERM_URL": short.url, "LIRA_RECORD_URL": record.url, "LIRA_VECTORS_URL": vectors.url}
        with serving(folder / "data", config=config, environment=environment, command=(str(TWO_NODES),)) as two:
            yield two


def raylets(server: Server) -> list[psutil.Process]:
    return [process for process in server.processes() if Path(named(process)).name == "raylet"]


def on_node(server: Server, raylet: psutil.Process) -> set[int]:
    """The replicas on a node: its raylet begins them."""
    below = {process.pid for process in raylet.children(recursive=True)}
    return below & {process.pid for name in DEPLOYMENTS for process in server.replicas(name)}


async def test_a_node_that_dies_takes_no_acknowledged_turn_with_it_and_the_other_goes_on(server: Server) -> None:
    head, second = sorted(raylets(server), key=lambda raylet: "--head" not in raylet.cmdline())
    assert [len(on_node(server, node)) for node in (head, second)] == [3, 3]
    load = Load(server.url, people(8), seconds=BEFORE_S + AFTER_S)
    talking = asyncio.create_task(load.run())
    await asyncio.sleep(BEFORE_S)
    began = time.monotonic()
    second.kill()
    await talking
    figures = load.figures(began, time.monotonic())
    sys.stderr.write(json.dumps(figures) + "\n")
    assert {turn.status for turn in load.turns} <= {200, 503}
    assert all(turn.retry_after for turn in load.turns if turn.status == 503)
    assert [turn.status for turn in load.turns[-10:]] == [200] * 10, "the other node goes on"
    await account(server, load)


async def account(server: Server, load: Load) -> None:
    acknowledged, began = load.acknowledged(), time.monotonic()
    assert len(acknowledged) > len(load.turns) / 2
    async with httpx.AsyncClient(base_url=server.url, timeout=30) as client:
        while True:
            kept = [(user, text) for user in load.users for text in await memories(client, user)]
            if acknowledged <= set(kept) or time.monotonic() > began + ABANDONED_S:
                break
            await asyncio.sleep(1)
    sys.stderr.write(json.dumps({"settled_s": round(time.monotonic() - began, 1), "missing": len(acknowledged - set(kept))}) + "\n")
    stored = {(turn.user, turn.text) for turn in load.turns if turn.kept == "stored"}
    assert stored <= set(kept), "what was called stored is lost"
    assert acknowledged <= set(kept), f"{len(acknowledged - set(kept))} of {len(acknowledged)} acknowledged turns are lost"
    assert len(kept) == len(set(kept)), "nothing is kept twice"
