"""The alerts: PromQL that finds what LIRA exports, fires at what it is for, and is explained."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from deployments.metrics import COUNTERS, GAUGES, HISTOGRAMS
from lira_core.reconcile import outboxes

sys.path.insert(0, str(Path(__file__).parent))

from series import CLUSTER, alerts

RULES = CLUSTER / "prometheus" / "alerts.yml"
UNITS = CLUSTER / "prometheus" / "alerts.test.yml"


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    binary = shutil.which("promtool")
    if binary is None:
        pytest.skip("promtool is not installed (Debian: prometheus): when the alerts fire was not checked")
    return subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_each_alert_fires_at_what_it_is_for_and_not_before() -> None:
    tested = promtool("test", "rules", str(UNITS))
    assert tested.returncode == 0, tested.stdout + tested.stderr


def test_no_alert_is_without_a_moment_at_which_it_fires() -> None:
    tests = yaml.safe_load(UNITS.read_text("utf-8"))["tests"]
    fired = {one["alertname"] for test in tests for one in test["alert_rule_test"] if one.get("exp_alerts")}
    assert fired == {rule["alert"] for rule in alerts()}


def test_the_configuration_of_prometheus_is_one_that_it_takes(tmp_path: Path) -> None:
    text = (CLUSTER / "prometheus" / "prometheus.yml").read_text("utf-8")
    (tmp_path / "prometheus.yml").write_text(text.replace("/etc/prometheus/alerts.yml", str(RULES)))
    checked = promtool("check", "config", str(tmp_path / "prometheus.yml"))
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_alerts_ask_for_series_that_lira_has_and_are_explained() -> None:
    declared = {name: set(labels) for name, (_, labels) in (COUNTERS | GAUGES).items()} | {n: set(d[2]) for n, d in HISTOGRAMS.items()}
    manual = (CLUSTER.parent / "docs" / "operations.md").read_text("utf-8")
    for rule in alerts():
        for name, series in re.findall(r"ray_(lira_\w+?)(?:_bucket|_sum|_count)?(\{.*?\}|[\[)/ ])", rule["expr"]):
            labels = set(re.findall(r"by \((\w+)\)", rule["expr"])) | set(re.findall(r"(\w+)=", series))
            assert labels - {"le"} <= declared[name], rule["alert"]
        assert f"`{rule['alert']}`" in manual


def test_alerts_name_outboxes_that_there_are() -> None:
    record = SimpleNamespace(erasures=None, unindexed=None, unsummarised=None)
    known = set(outboxes(SimpleNamespace(deferred=None, record=record)))  # type: ignore[arg-type]
    text = RULES.read_text("utf-8")
    named = {name for group in re.findall(r'outbox=~?"([\w|]+)"', text) for name in group.split("|")}
    assert named == known - {"summaries"}, "there a session waits for as long as somebody talks in it"
