"""The names of metrics that PromQL asks for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

CLUSTER = Path(__file__).resolve().parents[2] / "cluster"
NAMES = re.compile(r"\b(?:ray_\w+|up)\b")


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((CLUSTER / "prometheus" / "alerts.yml").read_text("utf-8"))["groups"]
    return list(group["rules"])


def queries(dashboard: Path) -> list[str]:
    """Every query of a dashboard that is checked in."""
    panels = json.loads(dashboard.read_text("utf-8"))["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", ())]


DASHBOARDS = sorted((CLUSTER / "grafana" / "dashboards").glob("*.json"))
