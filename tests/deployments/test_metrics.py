from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from deployments.metrics import COUNTERS, HISTOGRAMS, ServeObserver

CORE = Path(__file__).resolve().parents[2] / "lira_core"


def test_every_metric_of_the_core_is_declared() -> None:
    named = {name for file in CORE.rglob("*.py") for name in re.findall(r'(?:observe|count)\(\s*"(lira_\w+)"', file.read_text())}
    assert named
    assert named <= HISTOGRAMS.keys() | COUNTERS.keys()


def test_an_undeclared_metric_is_dropped_with_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    observer = ServeObserver()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            observer.count("lira_unheard_of_total")
            observer.observe("lira_turn_seconds", 0.1, stag="emotion")
    assert len(caplog.records) == 2
