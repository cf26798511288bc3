"""What of Ray is changed, against the Ray that is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from ray._private.ray_constants import WORKER_PROCESS_SETUP_HOOK_ENV_VAR
from served import Server

from deployments.ray_patches import without_pandas


def test_serve_comes_without_pandas_which_is_still_there_for_who_wants_it() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed, so nothing is to be left out")
    said = "import sys; from deployments.ray_patches.without_pandas import import_serve; import_serve(); "
    said += "assert 'pandas' not in sys.modules; from ray.serve._private.utils import serve_encoders; import pandas; pandas.DataFrame({'a': [1]})"
    assert subprocess.run([sys.executable, "-c", said], check=False).returncode == 0


def test_a_worker_reads_the_variable_that_names_what_it_runs_first() -> None:
    assert without_pandas.HOOK_VARIABLE == WORKER_PROCESS_SETUP_HOOK_ENV_VAR


def test_no_process_of_a_server_has_pandas(server: Server) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed, so nothing is to be left out")
    replicas = [process for name in ("ChatIngress", "RecallOrchestrator", "UtteranceAnalyzer") for process in server.replicas(name)]
    loaded = {process.pid: {mapped.path for mapped in process.memory_maps()} for process in server.processes()}
    assert all(any("ray/_raylet" in path for path in loaded[process.pid]) for process in replicas), "one does see what a process has loaded"
    assert [pid for pid, paths in loaded.items() if any("/pandas/" in path for path in paths)] == []
