"""`lira reindex`, as a person runs it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lira_core.lira import Lira as Core
from lira_core.model_folder import encoder_id
from lira_core.requests import AddMemories, Item
from lira_core.settings import Settings

Lira = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def other(tmp_path: Path, model_copy: Callable[..., Path]) -> Path:
    """The folder of another encoder: the bundled one, centred a little otherwise."""

    def otherwise(calibration: dict[str, Any]) -> dict[str, Any]:
        calibration["centre"]["passage"]["ko"][0] += 0.001
        return calibration

    return model_copy(Settings().embedding_model_dir, tmp_path / "e5-other", otherwise)


def test_an_index_is_changed_to_another_encoder_and_the_old_one_dropped(lira: Lira, tmp_path: Path, other: Path) -> None:
    async def fill() -> None:
        async with Core.local(tmp_path / "data") as core:
            await core.ask(AddMemories(user_id="u", items=tuple(Item(text=f"{i}번째 기억") for i in range(12))))

    asyncio.run(fill())
    old, new = encoder_id(Settings().embedding_model_dir).name, encoder_id(other).name
    environment = {"LIRA_DATA_DIR": str(tmp_path / "data"), "LIRA_EMBEDDING_MODEL_DIR": str(other)}

    refused = lira("chat", LIRA_DATA_DIR=environment["LIRA_DATA_DIR"], LIRA_EMBEDDING_MODEL_DIR=str(other))
    assert refused.returncode == 2
    assert "run `lira reindex`" in refused.stderr

    done = lira("reindex", **environment)
    assert done.returncode == 0, done.stderr
    assert f"12 memories are indexed by {new}, which is in use from now on" in done.stdout.replace("\n", " ")
    assert lira("chat", **environment).returncode == 0

    kept = lira("reindex", "--drop", new, **environment)
    assert (kept.returncode, "is in use" in kept.stderr) == (2, True)
    dropped = lira("reindex", "--drop", old, **environment)
    assert (dropped.returncode, dropped.stdout) == (0, f"The index of {old} is gone.\n")


def test_an_empty_name_drops_nothing_and_builds_nothing(lira: Lira, tmp_path: Path) -> None:
    done = lira("reindex", "--drop", "", LIRA_DATA_DIR=str(tmp_path))
    assert done.returncode == 2
    assert "no encoder's name" in done.stderr
