from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from deployments.config import checked, read_config
from deployments.resources import lacking

CLUSTER = Path(__file__).resolve().parents[2] / "cluster"
TWO_CORES = {"CPU": 2.0, "memory": 1e9}


def local(**options: Any) -> Any:
    raw = yaml.safe_load((CLUSTER / "local.yaml").read_text())
    raw["applications"][0]["deployments"][2] = {"name": "UtteranceAnalyzer"} | options
    return checked(raw, "local.yaml")


def test_the_local_config_fits_on_one_core() -> None:
    assert lacking(local(), {"CPU": 1.0}) is None


def test_a_gpu_where_none_is_stops_the_start_and_is_named() -> None:
    said = lacking(local(ray_actor_options={"num_gpus": 0.5}), TWO_CORES)
    assert said is not None
    assert "0.5 GPU" in said
    assert "UtteranceAnalyzer 0.5" in said
    assert "num_gpus under ray_actor_options" in said
    assert lacking(local(ray_actor_options={"num_gpus": 0.5}), TWO_CORES | {"GPU": 1.0}) is None


def test_the_gpu_of_a_language_model_counts() -> None:
    _, schema = read_config(CLUSTER / "gpu.yaml")
    assert "args.llm 1" in str(lacking(schema, {"CPU": 64.0}))
    assert lacking(schema, {"CPU": 64.0, "GPU": 1.0}) is None


@pytest.mark.parametrize("replicas", [{"num_replicas": 3}, {"autoscaling_config": {"min_replicas": 3, "max_replicas": 9}}])
def test_every_replica_that_a_config_starts_with_counts(replicas: dict[str, Any]) -> None:
    said = lacking(local(**replicas, ray_actor_options={"num_cpus": 1}), TWO_CORES)
    assert said is not None
    assert "UtteranceAnalyzer 3" in said
