"""The same person's calls reach the same replica, where the config of the stage asks for it; with Ray's own router and two real replicas."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ray.serve.config import RequestRouterConfig

from deployments.affinity import PARTS, part_of, work_for

GPU = Path(__file__).resolve().parents[2] / "cluster" / "gpu.yaml"
PATIENT = {"RAY_SERVE_QUEUE_LENGTH_RESPONSE_DEADLINE_S": "60", "RAY_SERVE_MAX_QUEUE_LENGTH_RESPONSE_DEADLINE_S": "60"}
"""By default a replica that does not say within 0.1 s how much it has to do is passed over for the next on the ring, as it should be; on a busy
machine that may be any of them, and it is the ring that is looked at here."""
ASKED = """
import asyncio, json, logging, os, sys
import ray
from ray import serve
from deployments.affinity import ByUser, work_for

@serve.deployment(num_replicas=2, max_ongoing_requests=256, ray_actor_options={"num_cpus": 0.1}, request_router_config=json.loads(sys.argv[2]))
class Stage:
    async def ask(self):
        return os.getpid()

async def of(asked, user):
    if user:
        work_for(user)
    return await asyncio.create_task(later(asked))

async def later(asked):
    return await asked().remote()

async def main():
    asked = ByUser(await asyncio.to_thread(lambda: serve.run(Stage.bind(), name="alone", route_prefix=None).ask))
    turns = [(user, asyncio.create_task(of(asked, user))) for _ in range(5) for user in map(str, range(20))]
    nobodys = [asyncio.create_task(of(asked, "")) for _ in range(40)]
    replicas = {}
    for user, turn in turns:
        replicas.setdefault(user, set()).add(await turn)
    return {"of each": [sorted(pids) for pids in replicas.values()], "nobody's": sorted(set(await asyncio.gather(*nobodys)))}

ray.init(address="local", num_cpus=1, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False, logging_level=logging.ERROR,
         namespace="serve", _temp_dir=sys.argv[1], _node_ip_address="127.0.0.1")
serve.start(proxy_location="Disabled")
try:
    told = asyncio.run(main())
finally:
    ray.shutdown()
print(json.dumps(told))
"""


@given(st.text())
def test_who_works_for_somebody_is_of_one_part_and_nobody_of_none(user: str) -> None:
    part = part_of(user)
    assert part == part_of(user)
    assert part.isdigit() and int(part) < PARTS if user else not part


async def test_a_task_works_for_one_person_and_says_nothing_to_another() -> None:
    from deployments.affinity import _part

    async def turn(user: str) -> str:
        work_for(user)
        await asyncio.sleep(0)
        return await asyncio.create_task(part())

    async def part() -> str:
        return _part.get()

    users = [str(n) for n in range(30)]
    assert await asyncio.gather(*map(turn, users)) == [part_of(user) for user in users]


def test_the_stage_that_remembers_what_it_read_is_asked_by_user() -> None:
    deployments = yaml.safe_load(GPU.read_text("utf-8"))["applications"][0]["deployments"]
    router = RequestRouterConfig(**next(one for one in deployments if one["name"] == "Generator")["request_router_config"])
    assert router.get_request_router_class().__name__ == "ConsistentHashRouter"


@pytest.fixture
def short_folder() -> Iterator[str]:
    """pytest's own are too long for Ray's sockets."""
    folder = tempfile.mkdtemp(prefix="ray")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def test_a_persons_calls_reach_one_replica_and_those_of_all_reach_both(short_folder: str) -> None:
    deployments = yaml.safe_load(GPU.read_text("utf-8"))["applications"][0]["deployments"]
    router = next(one for one in deployments if one["name"] == "Generator")["request_router_config"]
    done = subprocess.run(
        [sys.executable, "-c", ASKED, short_folder, json.dumps(router)],
        env=os.environ | PATIENT,
        capture_output=True,
        text=True,
        timeout=240,
        cwd=GPU.parents[1],
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert all(len(replicas) == 1 for replicas in told["of each"])
    assert len({replicas[0] for replicas in told["of each"]}) == 2
    assert len(told["nobody's"]) == 2
