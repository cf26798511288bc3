from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Lira = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def lira() -> Lira:
    """Runs the `lira` command to its end, with the given standard input and LIRA_ variables and no others."""

    def run(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("LIRA_")}
        command = [sys.executable, "-c", "from lira_cli.main import main; main()", *arguments]
        return subprocess.run(command, input=stdin, env=inherited | environment, capture_output=True, text=True, timeout=120, check=False)

    return run
