"""The whole of it: locust's users against a real server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from lira_cli.own_server import own_server

ROOT = Path(__file__).resolve().parents[2]
# Not imported: locust patches the sockets of whoever does.
pytestmark = pytest.mark.skipif(find_spec("locust") is None, reason="the load tests need the extra `loadtest`")


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with own_server(tmp_path_factory.mktemp("lira")) as (port, _, _):
        yield f"http://127.0.0.1:{port}"


def load(url: str, report: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "loadtests.run", "--host", url, "--users", "2", "--duration", "12s", "--report", str(report), *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.served
def test_people_talk_to_a_real_server_and_the_report_shows_its_stages(address: str, tmp_path: Path) -> None:
    done = load(address, tmp_path / "report.html", "--p95-ms", "20000")
    broken = [line for line in done.stderr.splitlines() if "at most" in line]
    assert all("first token" in line for line in broken), done.stderr[-3_000:]  # a slow machine may miss that one; nothing was lost
    page = (tmp_path / "report.html").read_text("utf-8")
    # The names in the plots' legends are drawn as text in comments of the SVG.
    assert all(word in page for word in ("<!-- embedding -->", "<!-- ChatIngress -->", "<!-- keep: fact -->"))


@pytest.mark.served
def test_a_limit_that_is_broken_fails_the_run_and_is_named(address: str, tmp_path: Path) -> None:
    done = load(address, tmp_path / "report.html", "--p95-ms", "0.001")
    assert done.returncode == 1
    assert "p95 ms:" in done.stderr
    assert 'class="broken"' in (tmp_path / "report.html").read_text("utf-8")


def test_a_run_against_nobody_fails(tmp_path: Path) -> None:
    done = load("http://127.0.0.1:9", tmp_path / "report.html", "--duration", "3s")
    assert done.returncode == 1
    assert "failed: 1, at most 0" in done.stderr


@pytest.mark.parametrize("options", [("--shape", "sawtooth"), ("--duration", "soon"), ("--users", "0")])
def test_an_option_that_is_wrong_says_so(options: tuple[str, str], tmp_path: Path) -> None:
    done = load("http://127.0.0.1:9", tmp_path / "report.html", *options)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr
