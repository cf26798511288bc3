"""The OpenAPI document against a served LIRA: generated requests, valid and not, are answered as the document says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from served import Server, serving

pytest.importorskip("schemathesis", reason="schemathesis is of the test extra: pip install -e '.[test]'")

CONFORMANCE = [
    "status_code_conformance",  # an undocumented status, 500 among them, fails
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "missing_required_header",
    "allow_header_conformance",
]
EXAMPLES = 20
"""Of each operation and kind; with every boundary that the document names some 500 requests, about 20 s on two cores."""


def disagreements(server: Server, checks: list[str], folder: Path) -> str:
    """What schemathesis found against the document: empty when nothing."""
    arguments = ["--phases", "examples,coverage,fuzzing", "--checks", ",".join(checks), "--max-examples", str(EXAMPLES), "--seed", "1"]
    # One worker: Python 3.11 cannot parse sources in two threads at once ("AST constructor recursion depth mismatch"), which Hypothesis does.
    bounds = ["--request-timeout", "60", "--workers", "1", "--continue-on-failure", "--no-color", "--warnings", "off"]
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json", *arguments, *bounds]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert "17 selected / 17 total" in done.stdout, done.stdout + done.stderr
    return "" if done.returncode == 0 else done.stdout[-8_000:] + done.stderr[-2_000:]


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose stores went away under it: the file was deleted, which each of them refuses to write past."""
    folder = tmp_path_factory.mktemp("broken")
    with serving(folder) as running:
        for file in folder.glob("lira.db*"):
            file.unlink()
        yield running


def test_every_answer_is_one_that_the_document_promises_and_none_is_an_error_of_the_server(server: Server, tmp_path: Path) -> None:
    assert disagreements(server, ["not_a_server_error", *CONFORMANCE], tmp_path) == ""


def test_with_the_stores_down_every_answer_is_still_one_that_the_document_promises(broken: Server, tmp_path: Path) -> None:
    said = {"user_id": "u", "items": [{"text": "나는 딸기를 좋아해"}]}
    assert httpx.post(f"{broken.url}/v1/memories", json=said, timeout=60).status_code == 503, "the stores are meant to be down"
    assert disagreements(broken, CONFORMANCE, tmp_path) == ""
    assert httpx.get(f"{broken.url}/readyz", timeout=60).status_code == 503
