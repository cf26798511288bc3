"""What the server says of itself while it is loaded: one scrape of `/metrics`, and what happened between two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client.parser import text_string_to_metric_families

MEMORY = "ray_component_uss_bytes"
"""What a process has for itself alone, which can be added up. Of each process of Ray's there is one series."""
REPLICA = "ray_serve_replica_processing_queries"
"""One series for each replica that lives."""


@dataclass(slots=True)
class Sample:
    """One scrape. `at` in seconds since the run began; sums and counts grow for as long as the server lives, memory is in bytes."""

    at: float
    stages: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Of each stage the seconds and the turns so far."""
    gate: dict[str, float] = field(default_factory=dict)
    """Decisions so far, by `decision: reason`."""
    replicas: dict[str, int] = field(default_factory=dict)
    memory: float = 0.0


def read(text: str, at: float) -> Sample:
    """A sample of `/metrics?all=true`; series of several replicas are added up. Text without LIRA's metrics gives an empty one."""
    seconds: dict[str, float] = defaultdict(float)
    turns: dict[str, float] = defaultdict(float)
    gate: dict[str, float] = defaultdict(float)
    replicas: dict[str, set[str]] = defaultdict(set)
    memory: dict[tuple[str, ...], float] = {}
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            if one.name == "ray_lira_turn_seconds_sum":
                seconds[one.labels["stage"]] += one.value
            elif one.name == "ray_lira_turn_seconds_count":
                turns[one.labels["stage"]] += one.value
            elif one.name == "ray_lira_gate_total":
                gate[f"{one.labels['decision']}: {one.labels['reason']}"] += one.value
            elif one.name == REPLICA:
                replicas[one.labels["deployment"]].add(one.labels["replica"])
            elif one.name == MEMORY and one.labels["Component"].startswith("ray::ServeReplica"):
                # By component, not by process: Ray adds up those of one name.
                memory[one.labels["Component"], one.labels.get("ip", "")] = one.value
    stages = {stage: (seconds[stage], turns[stage]) for stage in seconds}
    return Sample(at, stages, dict(gate), {name: len(ids) for name, ids in replicas.items()}, sum(memory.values()))


def stage_ms(before: Sample, after: Sample) -> dict[str, float]:
    """The mean milliseconds of each stage over the turns between two samples; a stage that nothing passed is left out.

    To the width of a bucket: Ray hands a sample of a histogram on as the middle of its bucket, so that its sums are sums of these.
    """
    means = {}
    for stage, (seconds, turns) in after.stages.items():
        old_seconds, old_turns = before.stages.get(stage, (0.0, 0.0))
        if turns > old_turns and seconds >= old_seconds:
            means[stage] = 1000 * (seconds - old_seconds) / (turns - old_turns)
    return means


def gate_shares(before: Sample, after: Sample) -> dict[str, float]:
    """The share of each decision of the gate in those made between two samples."""
    made = {kind: max(0.0, count - before.gate.get(kind, 0.0)) for kind, count in after.gate.items()}
    total = sum(made.values())
    return {kind: count / total for kind, count in made.items()} if total else {}


def memory_growth(samples: Sequence[Sample]) -> float | None:
    """How much more memory the last quarter of the run took than the second, as a share; the first quarter warms up. None below eight samples."""
    if len(known := [one.memory for one in samples if one.memory]) < 8:
        return None
    quarter = len(known) // 4
    before, after = known[quarter : 2 * quarter], known[-quarter:]
    return (sum(after) / sum(before)) - 1


def series(measure: Mapping[float, Mapping[str, float]]) -> dict[str, tuple[list[float], list[float]]]:
    """Of measurements by time, one line per name: (times, values)."""
    lines: dict[str, tuple[list[float], list[float]]] = {}
    for at, values in measure.items():
        for name, value in values.items():
            times, heights = lines.setdefault(name, ([], []))
            times.append(at)
            heights.append(value)
    return lines
