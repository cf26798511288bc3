"""What k8s/ takes from elsewhere: its Serve configs of cluster/gpu.yaml, and the alerts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

CLUSTER = Path(__file__).resolve().parents[1]
BASE, OVERLAYS = CLUSTER.parent / "k8s" / "base", CLUSTER.parent / "k8s" / "overlays"
ALERTS = CLUSTER / "prometheus" / "alerts.yml"
SERVE = CLUSTER / "gpu.yaml"

# HAProxy stands in front and is put on every address of the pod by HAPROXY_FRONT_HOST (rayservice.yaml).
LISTENS = {"host": "127.0.0.1", "port": 8000}
TURNS_WITHOUT_A_MODEL = 16
"""At work or waiting, per orchestrator: at 15 ms of CPU a turn (docs/performance.md) they fill a core and wait a quarter of a second."""

Config = dict[str, Any]


def files() -> dict[Path, str]:
    """What each file must hold."""
    return {
        BASE / "alerts.yaml": prometheus_rule(ALERTS.read_text("utf-8")),
        BASE / "serve.yaml": _written(without_model(), "the stages of cluster/gpu.yaml without a language model"),
        OVERLAYS / "api" / "serve.yaml": _written(with_api(), "the stages of cluster/gpu.yaml; an API writes the answers"),
        OVERLAYS / "gpu" / "serve.yaml": _written(with_gpus(), "cluster/gpu.yaml in pods"),
    }


def prometheus_rule(alerts: str) -> str:
    """The alerts as an object of the Prometheus operator."""
    rule = {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": {"name": "lira"}, "spec": yaml.safe_load(alerts)}
    said = "# Made of cluster/prometheus/alerts.yml by `python -m cluster.make`; docs/operations.md says what to do.\n"
    return said + yaml.safe_dump(rule, sort_keys=False, allow_unicode=True, width=150)


def with_gpus() -> Config:
    """cluster/gpu.yaml, listening where the pods say, with one door per node: what ends with a node is one of them."""
    config: Config = yaml.safe_load(SERVE.read_text("utf-8"))
    config["http_options"] = LISTENS | config["http_options"]
    config["logging_config"] |= {"encoding": "JSON"}
    _stage(config, "ChatIngress")["max_replicas_per_node"] = 1
    return config


def with_api() -> Config:
    """Answers are waited for inside the orchestrator: a deployment would only add a hop."""
    config = with_gpus()
    application = config["applications"][0]
    application["deployments"].remove(_stage(config, "Generator"))
    del application["args"]["llm"]
    application["args"]["generator"] = "inline"
    return config


def without_model() -> Config:
    config = with_api()
    _stage(config, "RecallOrchestrator")["autoscaling_config"]["target_ongoing_requests"] = TURNS_WITHOUT_A_MODEL
    return config


def _stage(config: Config, name: str) -> Config:
    found: Config
    (found,) = [one for one in config["applications"][0]["deployments"] if one["name"] == name]
    return found


def _written(config: Config, what: str) -> str:
    said = f"# Made by `python -m cluster.make`: {what}. Why each stage scales as it does stands there.\n"
    return said + yaml.safe_dump(config, sort_keys=False, allow_unicode=True, width=150)
