"""A stage grows by its own signal, in a real Serve."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import httpx
import psutil
import pytest
import yaml
from served import ROOT, Server, named, serving

pytestmark = pytest.mark.skipif("LIRA_TEST_LONG" not in os.environ, reason="LIRA_TEST_LONG=1 runs it: a minute and more")

SCALED = {
    "name": "UtteranceAnalyzer",
    "ray_actor_options": {"num_cpus": 0.1},
    "autoscaling_config": {
        "min_replicas": 1,
        "max_replicas": 2,
        "upscale_delay_s": 0,
        "downscale_delay_s": 600,
        "look_back_period_s": 2,
        "metrics_interval_s": 1,
        "policy": {"policy_function": "deployments.autoscaling:TokensAtWork", "policy_kwargs": {"target": 1}},
    },
}


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose model stage may have two replicas."""
    folder = tmp_path_factory.mktemp("scaled")
    raw = yaml.safe_load((ROOT / "cluster" / "local.yaml").read_text())
    raw["applications"][0]["deployments"][2] = SCALED
    (folder / "scaled.yaml").write_text(yaml.safe_dump(raw))
    with serving(folder, config=folder / "scaled.yaml") as running:
        yield running


def replicas(server: Server) -> int:
    found = 0
    for process in server.processes():
        try:
            found += named(process).startswith("ray::ServeReplica:lira:UtteranceAnalyzer")
        except psutil.Error:
            continue
    return found


def test_a_model_stage_grows_by_the_tokens_at_work(second: Server) -> None:
    assert replicas(second) == 1
    stop = threading.Event()

    def talk(number: int) -> None:
        with second.client() as client:
            while not stop.is_set():
                client.post("/v1/chat", json={"user_id": f"u{number}", "session_id": "s", "text": "오늘은 날씨가 참 좋아서 기분이 좋다"})

    talking = [threading.Thread(target=talk, args=(number,)) for number in range(4)]
    for thread in talking:
        thread.start()
    try:
        ends = time.monotonic() + 90
        while replicas(second) < 2 and time.monotonic() < ends:
            time.sleep(0.5)
        assert replicas(second) == 2
    finally:
        stop.set()
        for thread in talking:
            thread.join()
    assert httpx.get(f"{second.url}/readyz", timeout=20).status_code == 200
