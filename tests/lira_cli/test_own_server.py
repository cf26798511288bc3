"""A server that is measured from outside says why it could not start."""

from __future__ import annotations

from pathlib import Path

import pytest

from lira_cli.own_server import own_server


def test_a_server_that_cannot_start_is_told_with_what_it_said(tmp_path: Path) -> None:
    config = tmp_path / "wrong.yaml"
    config.write_text("applications: 3\n")
    with pytest.raises(RuntimeError, match=r"(?s)ended with 2 before it was ready: .*applications"), own_server(tmp_path / "data", config):
        pass
