"""What Ray is told by its environment: that it reads the names, and that what `lira serve` chose gives way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import ray
from ray.serve._private import constants

from deployments import ray_environment
from lira_cli import serve as lira_serve

RAY = Path(ray.__file__).parent


@pytest.mark.parametrize("name", [name for name in ray_environment.everywhere() if name.startswith("RAY_SERVE_")])
def test_serve_reads_what_it_is_told(name: str) -> None:
    assert name in "".join(path.read_text("utf-8") for path in (RAY / "serve" / "_private").glob("constants*.py"))


def test_a_proxy_is_given_the_time_that_it_gives_its_haproxy() -> None:
    assert ray_environment.PROXY_READY_WITHIN_S >= constants.RAY_SERVE_HAPROXY_STARTUP_TIMEOUT_S


@pytest.mark.parametrize("name", ray_environment.DEFAULTS)
def test_somebody_s_own_choice_stands(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {name: "7"})
    lira_serve._environment(tmp_path, None)
    assert os.environ[name] == "7"
    assert {key: os.environ[key] for key in ray_environment.DEFAULTS if key != name} == {
        key: value for key, value in ray_environment.DEFAULTS.items() if key != name
    }
