"""`lira doctor`, as a person runs it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lira_core import compose
from lira_core.model_folder import encoder_id
from lira_core.requests import stamp
from lira_core.settings import load_settings
from lira_core.stores.ports import IndexPlan, Write
from lira_core.types import Memory

Lira = Callable[..., subprocess.CompletedProcess[str]]
SECRET = "제 비밀번호는 딸기예요"


@pytest.fixture
def given_up(tmp_path: Path) -> Path:
    """A folder in whose record one memory could not be indexed."""

    async def fill() -> None:
        settings = load_settings(data_dir=tmp_path)
        stores = await compose.open_settled_stores(settings)
        await stores.record.plan_index(IndexPlan(encoder_id(settings.embedding_model_dir).name, None), IndexPlan())
        await stores.record.commit(Write("w1", "u", stamp(), None, (Memory("m1", "u", SECRET, datetime(2026, 10, 3, tzinfo=UTC)),)))
        await stores.record.unindexed.claim(1, 60)
        await stores.record.unindexed.bury("u", ["m1"], "ValueError: too odd")
        await stores.close()

    asyncio.run(fill())
    return tmp_path


def test_where_all_is_well_each_part_is_a_line_and_the_exit_code_is_0(lira: Lira, tmp_path: Path) -> None:
    done = lira("doctor", LIRA_DATA_DIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 12
    assert all(line.startswith("ok ") for line in lines)


def test_what_was_given_up_on_is_exit_code_1_and_named_without_what_was_said(lira: Lira, given_up: Path) -> None:
    done = lira("doctor", LIRA_DATA_DIR=str(given_up))
    assert done.returncode == 1
    assert "WRONG unindexed    1 given up on" in done.stdout
    assert "m1 of u, 1 attempts: ValueError: too odd" in done.stdout
    assert SECRET not in done.stdout + done.stderr


def test_what_was_given_up_on_is_tried_again_when_asked(lira: Lira, given_up: Path) -> None:
    done = lira("doctor", "--revive", LIRA_DATA_DIR=str(given_up))
    assert done.returncode == 0
    assert "note  unindexed    1 waiting" in done.stdout


def test_a_store_that_cannot_be_opened_is_exit_code_1_and_names_the_setting(lira: Lira, tmp_path: Path) -> None:
    done = lira("doctor", LIRA_DATA_DIR=str(tmp_path), LIRA_VECTORS_URL="oracle://127.0.0.1")
    assert done.returncode == 1
    assert "WRONG stores       LIRA_VECTORS_URL" in done.stdout
    assert "Traceback" not in done.stderr
