"""What is made by code and checked in: the dashboards, and the alerts as Kubernetes wants them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from cluster.make import kubernetes
from deployments.metrics import COUNTERS, GAUGES, HISTOGRAMS

sys.path.insert(0, str(Path(__file__).parent))

from series import CLUSTER, DASHBOARDS, NAMES, alerts, queries

SOURCES_OF_RAY = (
    "dashboard/modules/reporter/reporter_agent.py",
    "dashboard/modules/metrics/dashboards/data_llm_dashboard_panels.py",
    "dashboard/modules/metrics/dashboards/serve_llm_dashboard_panels.py",
)
every_dashboard = pytest.mark.parametrize("dashboard", DASHBOARDS, ids=[path.stem for path in DASHBOARDS])


def test_the_dashboards_that_are_checked_in_are_those_that_the_code_makes() -> None:
    pytest.importorskip("grafana_foundation_sdk", reason="the dashboards are made with the extra `dashboards`")
    from cluster.make.__main__ import files

    made = {path: text for path, text in files().items() if path.suffix == ".json"}
    assert {path.stem for path in DASHBOARDS} == {path.stem for path in made}
    for path, text in made.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run `python -m cluster.make`"


@pytest.mark.parametrize(("path", "text"), kubernetes.files().items(), ids=[f"{path.parent.name}-{path.name}" for path in kubernetes.files()])
def test_what_kubernetes_takes_from_elsewhere_is_what_stands_there(path: Path, text: str) -> None:
    assert path.read_text("utf-8") == text, "run `python -m cluster.make`"


def test_the_alerts_of_kubernetes_are_those_of_the_cluster_room() -> None:
    rule = yaml.safe_load(kubernetes.prometheus_rule(kubernetes.ALERTS.read_text("utf-8")))
    assert rule["spec"]["groups"][0]["rules"] == alerts()


@every_dashboard
def test_every_query_is_promql(dashboard: Path, tmp_path: Path) -> None:
    if (promtool := shutil.which("promtool")) is None:
        pytest.skip("promtool is not installed (Debian: prometheus): whether the queries are PromQL was not checked")
    asked = [query.replace("$__rate_interval", "1m") for query in queries(dashboard)]
    rules = [{"record": f"panel:{number}", "expr": query} for number, query in enumerate(asked)]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}))
    checked = subprocess.run([promtool, "check", "rules", str(tmp_path / "rules.yml")], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@every_dashboard
def test_lira_s_series_are_asked_for_by_labels_that_they_have(dashboard: Path) -> None:
    declared = {name: set(labels) for name, (_, labels) in (COUNTERS | GAUGES).items()} | {n: set(d[2]) for n, d in HISTOGRAMS.items()}
    for query in queries(dashboard):
        for labels, name, only in re.findall(
            r"by \(([\w, ]+)\) \((?:rate\(|increase\()?ray_(lira_\w+?)(?:_bucket|_sum|_count)?(\{.*?\})?[\[)]", query
        ):
            asked = {*labels.split(", "), *re.findall(r"(\w+)=", only)}
            assert asked - {"le"} <= declared[name], query


def test_every_metric_of_lira_is_on_a_dashboard() -> None:
    shown = " ".join(query for path in DASHBOARDS for query in queries(path))
    assert [name for name in (*COUNTERS, *GAUGES, *HISTOGRAMS) if f"ray_{name}" not in shown] == []


def test_the_series_of_gpus_are_those_that_ray_and_vllm_export() -> None:
    """No machine of the tests has a GPU: their names stand in Ray's own source, and in the dashboards that it brings."""
    import ray

    known = "".join((Path(ray.__file__).parent / source).read_text("utf-8") for source in SOURCES_OF_RAY)
    for query in queries(CLUSTER / "grafana" / "dashboards" / "gpu.json"):
        for name in NAMES.findall(query):
            assert re.search(rf"\b(?:ray_)?{name.removeprefix('ray_')}\b", known), name
