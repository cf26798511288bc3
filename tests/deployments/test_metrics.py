from __future__ import annotations

import logging
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest

from deployments.metrics import COUNTERS, GAUGES, HISTOGRAMS, KNOWN, ServeObserver
from lira_core.conduct import Kind

CORE = Path(__file__).resolve().parents[2] / "lira_core"

# A Ray of its own with a metrics agent; the process is the observer, and prints what a scrape then shows.
IN_RAY = """
import asyncio, logging, sys, time
import ray
ray.init(address="local", num_cpus=1, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False, logging_level=logging.ERROR,
         _temp_dir=sys.argv[1], _node_ip_address="127.0.0.1")
from deployments.metrics import ServeObserver
from deployments.node_metrics import node_metrics
from deployments.problems import Problem
observer = ServeObserver(announce=True)
observer.gauge("lira_outbox_waiting", 3, outbox="deferred")
observer.count("lira_generate_tokens_total", 12, kind="out")
def scraped(word):
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        try:
            text = asyncio.run(node_metrics())
            if word in text:
                return text
        except Problem:
            pass
        time.sleep(0.5)
    return "nothing came"
scraped('kind="out"')
scraped("lira_outbox_waiting{")
time.sleep(6)  # three times what Ray keeps of a gauge that nobody repeats (two report intervals of a second)
print(asyncio.run(node_metrics()))
print(len(asyncio.run(node_metrics(everything=True))))
ray.shutdown()
"""


def named(method: str) -> set[str]:
    return {name for file in CORE.rglob("*.py") for name in re.findall(rf'\b{method}\(\s*"(lira_\w+)"', file.read_text("utf-8"))}


@pytest.mark.parametrize(("method", "declared"), [("observe", HISTOGRAMS), ("count", COUNTERS), ("gauge", GAUGES)])
def test_every_metric_of_the_core_is_declared(method: str, declared: dict[str, object]) -> None:
    assert named(method) <= declared.keys()


def test_the_core_counts_and_observes() -> None:
    assert named("observe")
    assert named("count")


SURFACE = {
    "lira_turn_seconds": {"stage"},
    "lira_recall_seconds": {"path"},
    "lira_recalled_total": {"path"},
    "lira_gate_total": {"decision", "reason"},
    "lira_emotion_total": {"label"},
    "lira_batch_size": {"stage"},
    "lira_queue_seconds": {"stage"},
    "lira_degraded_total": {"stage"},
    "lira_store_seconds": {"store", "op"},
    "lira_generate_first_token_seconds": set(),
    "lira_generate_tokens_total": {"kind"},
    "lira_safety_total": {"kind"},
    "lira_ungrounded_total": set(),
    "lira_outbox_waiting": {"outbox"},
    "lira_dead_letters_total": {"outbox"},
}
"""What dashboards outside of this project may stand on."""


@pytest.mark.parametrize("name", SURFACE)
def test_a_metric_of_the_surface_keeps_its_name_and_its_labels(name: str) -> None:
    declared = {key: set(value[-1]) for key, value in [*HISTOGRAMS.items(), *COUNTERS.items(), *GAUGES.items()]}
    assert declared[name] == SURFACE[name]
    assert name in named("observe") | named("count") | named("gauge"), "nothing measures it"


def test_every_series_that_is_announced_has_the_labels_that_are_declared() -> None:
    assert KNOWN.keys() <= COUNTERS.keys()
    for name, series in KNOWN.items():
        assert {tuple(sorted(tags)) for tags in series} == {tuple(sorted(COUNTERS[name][1]))}


def test_every_way_in_which_an_answer_is_conducted_is_announced() -> None:
    kinds = {tags["kind"] for tags in KNOWN["lira_safety_total"]}
    assert kinds == {*get_args(Kind), "output"} - {"none"}


def test_an_undeclared_metric_is_dropped_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    observer = ServeObserver()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            observer.count("lira_unheard_of_total")
            observer.observe("lira_turn_seconds", 0.1, stag="emotion")
            observer.gauge("lira_outbox_waiting", 1)
    assert len(caplog.records) == 3


def test_what_ray_refuses_is_said_once_with_its_traceback_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    observer = ServeObserver()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            observer.count("lira_gate_total", decision="keep", reason=None)  # type: ignore[arg-type]
            observer.count("lira_emotion_total", label="joy")
            observer.flush()
            observer.observe("lira_turn_seconds", 0.1, stage=None)  # type: ignore[arg-type]
    assert [bool(record.exc_info) for record in caplog.records] == [True, True]
    assert {name for name in ("lira_gate_total", "lira_turn_seconds") if any(name in r.getMessage() for r in caplog.records)} == {
        "lira_gate_total",
        "lira_turn_seconds",
    }


def test_the_thread_that_hands_the_counts_on_survives_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deployments.metrics.FLUSH_SECONDS", 0.01)
    flushed, tries = threading.Event(), []

    class Failing(ServeObserver):
        def flush(self) -> None:
            tries.append(len(tries))
            if len(tries) < 3:
                raise RuntimeError("broken")
            flushed.set()

    Failing()
    assert flushed.wait(10)


def test_prometheus_sees_counters_at_0_from_the_start_and_gauges_for_as_long_as_they_hold() -> None:
    environment = {"RAY_metrics_report_interval_ms": "1000", "RAY_USAGE_STATS_ENABLED": "0", "PATH": "/usr/bin:/bin"}
    with tempfile.TemporaryDirectory(prefix="lira-", dir="/tmp") as folder:  # short, for the sockets in it
        command = [sys.executable, "-c", IN_RAY, folder]
        done = subprocess.run(command, cwd=CORE.parent, env=environment, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-3_000:]
    *lines, everything = done.stdout.strip().splitlines()

    def samples(name: str, tags: Mapping[str, str]) -> list[str]:
        return [line for line in lines if line.startswith(f"ray_{name}{{") and all(f'{key}="{value}"' in line for key, value in tags.items())]

    for name, series in KNOWN.items():
        for tags in series:
            (sample,) = samples(name, tags)
            assert float(sample.rpartition(" ")[2]) == (12 if tags == {"kind": "out"} else 0)
    (waiting,) = samples("lira_outbox_waiting", {"outbox": "deferred"})
    assert waiting.endswith(" 3.0")
    assert all("lira_" in line for line in lines if line)
    assert int(everything) > 2 * sum(map(len, lines))
