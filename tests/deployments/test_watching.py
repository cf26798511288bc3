"""Dashboards and alerts against a server that runs: they ask for nothing that is not there."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from deployments.metrics import COUNTERS, GAUGES, HISTOGRAMS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cluster"))

from series import DASHBOARDS, NAMES, alerts, queries

IN_TROUBLE = {"ray_lira_circuit_state"}
"""What is told only while a store does not answer, and a minute after it."""
SAID = ("제 이름은 서연이에요", "오늘 정말 기뻤어", "내 이름이 뭐였지?", "땅콩 알레르기가 있어. 기억해줘")


def asked_for() -> set[str]:
    """Every series of the alerts and of all dashboards but the GPUs'."""
    texts = [rule["expr"] for rule in alerts()] + [query for path in DASHBOARDS if path.stem != "gpu" for query in queries(path)]
    return {name for text in texts for name in NAMES.findall(text)} - {"up"} - IN_TROUBLE


def exposed(text: str) -> set[str]:
    return set(re.findall(r"^(\w+)[{ ]", text, re.MULTILINE))


@pytest.fixture
def everything(http: httpx.Client, say: Callable[..., dict]) -> set[str]:
    """What `/metrics?all=true` shows of a server that has taken turns, when all of it has arrived, or after 40 s."""
    for text in SAID:
        say(text)
    ends, shown = time.monotonic() + 40, set[str]()
    while not asked_for() <= shown and time.monotonic() < ends:
        shown |= exposed(http.get("/metrics", params={"all": "true"}).text)
        time.sleep(1)
    return shown


def test_every_series_of_a_dashboard_or_an_alert_is_exposed(everything: set[str]) -> None:
    assert asked_for() - everything == set()


def test_every_metric_that_is_declared_is_exposed(everything: set[str]) -> None:
    expected = {*COUNTERS, *GAUGES, *(f"{name}_bucket" for name in HISTOGRAMS)}
    assert {f"ray_{name}" for name in expected} - everything - IN_TROUBLE == set()


def test_a_scrape_of_lira_s_own_is_cheap(http: httpx.Client, everything: set[str]) -> None:
    own, all_of_it = (len(http.get("/metrics", params=params).content) for params in ({}, {"all": "true"}))
    assert own < all_of_it / 2
    assert not {name for name in exposed(http.get("/metrics").text) if "lira_" not in name}
