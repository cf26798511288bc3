from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

pytest.importorskip("matplotlib", reason="the report needs the extra `loadtest`")
pytest.importorskip("gevent", reason="the report needs the extra `loadtest`")

from loadtests.report import Run, write
from loadtests.scrape import Sample
from loadtests.verdict import LIMITS, Outcome
from loadtests.watch import Moment

OUTCOME = Outcome(turns=40, refused=1, failed=0, degraded=0, p95_ms=90, first_token_p50_ms=20)
SAMPLES = [
    Sample(at, {"recall": (at / 10, at), "emotion": (at / 20, at)}, {"keep: fact": at, "skip: none": 2 * at}, {"ChatIngress": 1}, 1e8)
    for at in (0.0, 5.0, 10.0)
]
RUN = Run("steady", 4, 10, OUTCOME, LIMITS["steady"], [], SAMPLES, [Moment(5, 4, 2.0, 50, 90, None), Moment(10, 4, 2.1, 51, 92, 20)])


def test_the_page_shows_every_plot_and_each_is_a_drawing(tmp_path: Path) -> None:
    write(tmp_path / "page.html", RUN)
    page = (tmp_path / "page.html").read_text("utf-8")
    drawings = [f"<svg{part.partition('</svg>')[0]}</svg>" for part in page.split("<svg")[1:]]
    for title in ("Throughput", "Latency", "Latency by stage", "Replicas", "Gate", "Memory"):
        assert f"<h2>{title}</h2>" in page
    assert len(drawings) == 6
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    assert 'class="passed"' in page
    assert "<script" not in page


def test_what_was_broken_stands_at_the_top_and_is_escaped(tmp_path: Path) -> None:
    write(tmp_path / "page.html", replace(RUN, broken=["p95 <b>too long</b>"]))
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "p95 &lt;b&gt;too long" in page
    assert 'class="passed"' not in page


def test_a_run_that_saw_nothing_still_has_a_page(tmp_path: Path) -> None:
    write(tmp_path / "page.html", replace(RUN, samples=[], moments=[]))
    assert (tmp_path / "page.html").stat().st_size > 1_000
