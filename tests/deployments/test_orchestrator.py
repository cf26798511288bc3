"""The orchestrator's constructor, in this process."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from deployments.orchestrator import RecallOrchestrator
from lira_core.settings import SettingsError, load_settings


async def test_where_a_part_cannot_be_made_no_store_stays_open(tmp_path: Path) -> None:
    settings, encoder = load_settings(data_dir=tmp_path, generator="vllm"), SimpleNamespace(ask=None)  # a real handle starts Ray
    before = set(threading.enumerate())
    with pytest.raises(SettingsError, match="LIRA_GENERATOR=vllm"):
        await RecallOrchestrator.func_or_class.__init__(SimpleNamespace(), settings, encoder)
    assert not [thread for thread in set(threading.enumerate()) - before if thread.name == "lira-sqlite-write"]
    assert not (tmp_path / "lira.db-wal").exists()
