"""What Prometheus is told: the pods to ask, and the alerts."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from deployments.metrics import COUNTERS, GAUGES, HISTOGRAMS

from .kustomize import K8S
from .objects import every_kustomization, of_kind

ALERTS = K8S.parent / "cluster" / "prometheus" / "alerts.yml"


@every_kustomization
def test_the_alerts_are_those_of_the_cluster_room(name: str) -> None:
    (rule,) = of_kind(name, "PrometheusRule")
    assert rule["spec"] == yaml.safe_load(ALERTS.read_text("utf-8")), "run `python -m cluster.make`"


@every_kustomization
def test_promtool_takes_the_alerts(name: str, tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed (Debian: prometheus): whether the alerts are PromQL was not checked")
    (rule,) = of_kind(name, "PrometheusRule")
    file = tmp_path / "alerts.yml"
    file.write_text(yaml.safe_dump(rule["spec"]))
    checked = subprocess.run([promtool, "check", "rules", "--lint-fatal", str(file)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@every_kustomization
def test_the_alerts_find_the_job_and_every_series_of_lira_is_kept(name: str) -> None:
    (monitor,) = of_kind(name, "PodMonitor")
    told = ALERTS.read_text("utf-8")
    for endpoint in monitor["spec"]["podMetricsEndpoints"]:
        (job,) = [one["replacement"] for one in endpoint["relabelings"] if one["targetLabel"] == "job"]
        assert f'up{{job="{job}"}}' in told
        for rule in endpoint.get("metricRelabelings", ()):
            assert (rule["sourceLabels"], rule["action"]) == (["__name__"], "keep")
            assert all(re.fullmatch(rule["regex"], f"ray_{series}") for series in [*COUNTERS, *GAUGES, *HISTOGRAMS])
