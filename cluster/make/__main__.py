"""`python -m cluster.make`: writes what is made of something else, which is checked in beside it.

cluster/grafana/dashboards/*.json of `dashboards.py`, and k8s/base/alerts.yaml of cluster/prometheus/alerts.yml.
"""

from __future__ import annotations

from pathlib import Path

import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder

from cluster.make.dashboards import all_dashboards

CLUSTER = Path(__file__).resolve().parents[1]
ALERTS = CLUSTER / "prometheus" / "alerts.yml"


def files() -> dict[Path, str]:
    """What each file must hold."""
    encoder = JSONEncoder(sort_keys=True, indent=1, ensure_ascii=False)
    boards = {CLUSTER / "grafana" / "dashboards" / f"{name}.json": encoder.encode(board.build()) + "\n" for name, board in all_dashboards().items()}
    return boards | {CLUSTER.parent / "k8s" / "base" / "alerts.yaml": prometheus_rule(ALERTS.read_text("utf-8"))}


def prometheus_rule(alerts: str) -> str:
    """The alerts as an object of the Prometheus operator."""
    rule = {"apiVersion": "monitoring.coreos.com/v1", "kind": "PrometheusRule", "metadata": {"name": "lira"}, "spec": yaml.safe_load(alerts)}
    said = "# Made of cluster/prometheus/alerts.yml by `python -m cluster.make`; docs/operations.md says what to do.\n"
    return said + yaml.safe_dump(rule, sort_keys=False, allow_unicode=True, width=150)


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, "utf-8")
