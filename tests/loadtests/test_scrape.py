from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from loadtests.scrape import Sample, gate_shares, memory_growth, read, stage_ms

MB = 1_000_000


def exposed(turns: dict[str, list[float]], gate: dict[tuple[str, str], int], replicas: dict[str, int]) -> str:
    """As Ray exposes it: each replica its own series."""
    registry = CollectorRegistry()
    seconds = Histogram("ray_lira_turn_seconds", "", ["stage", "replica"], registry=registry)
    decided = Counter("ray_lira_gate_total", "", ["decision", "reason", "replica"], registry=registry)
    busy = Gauge("ray_serve_replica_processing_queries", "", ["deployment", "replica"], registry=registry)
    memory = Gauge("ray_component_uss_bytes", "", ["Component", "ip"], registry=registry)
    for stage, took in turns.items():
        for number, value in enumerate(took):
            seconds.labels(stage, f"r{number % 2}").observe(value)
    for (decision, reason), count in gate.items():
        decided.labels(decision, reason, "r0").inc(count)
    for deployment, count in replicas.items():
        memory.labels(f"ray::ServeReplica:lira:{deployment}", "127.0.0.1").set(100 * MB)
        for number in range(count):
            busy.labels(deployment, f"r{number}").set(0)
    memory.labels("gcs", "127.0.0.1").set(999 * MB)
    return generate_latest(registry).decode()


def test_series_of_several_replicas_are_added_up() -> None:
    sample = read(exposed({"recall": [0.1, 0.3, 0.2]}, {("keep", "fact"): 3}, {"ChatIngress": 1, "RecallOrchestrator": 2}), 5.0)
    assert sample.stages["recall"] == (pytest.approx(0.6), 3.0)
    assert sample.gate == {"keep: fact": 3.0}
    assert sample.replicas == {"ChatIngress": 1, "RecallOrchestrator": 2}
    assert sample.memory == 200 * MB


def test_what_happened_between_two_scrapes_is_told_by_stage_and_decision() -> None:
    before = read(exposed({"recall": [0.1]}, {("keep", "fact"): 8}, {}), 0.0)
    after = read(exposed({"recall": [0.1, 0.2, 0.4], "reading": [0.05]}, {("keep", "fact"): 9, ("skip", "none"): 3}, {}), 5.0)
    assert stage_ms(before, after) == {"recall": pytest.approx(300), "reading": pytest.approx(50)}
    assert gate_shares(before, after) == {"keep: fact": 0.25, "skip: none": 0.75}


def test_a_server_that_began_anew_between_two_scrapes_gives_no_negative_times() -> None:
    long, short = read(exposed({"recall": [0.5] * 9}, {}, {}), 0.0), read(exposed({"recall": [0.1]}, {}, {}), 5.0)
    assert stage_ms(long, short) == {}


def test_metrics_of_something_else_give_an_empty_sample() -> None:
    assert read("# TYPE other gauge\nother 1\n", 1.0) == Sample(1.0)


@given(st.floats(1e6, 1e9), st.integers(8, 60))
def test_memory_that_stays_has_not_grown(memory: float, scrapes: int) -> None:
    assert memory_growth([Sample(float(at), memory=memory) for at in range(scrapes)]) == pytest.approx(0)


def test_memory_that_leaks_has_grown_and_warming_up_is_not_leaking() -> None:
    leaking = [Sample(float(at), memory=100 * MB + at * MB) for at in range(40)]
    warming = [Sample(float(at), memory=MB * (min(at, 9) * 10 + 10)) for at in range(40)]
    assert memory_growth(leaking) == pytest.approx(20 / 114.5, rel=1e-6)
    assert memory_growth(warming) == 0
    assert memory_growth(leaking[:7]) is None
