"""`lira reindex`, as a person runs it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from lira_core import compose
from lira_core.lira import Lira as Core
from lira_core.memory.facts import VERSION
from lira_core.model_folder import encoder_id
from lira_core.requests import AddMemories, Item, stamp
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores
from lira_core.stores.ports import IndexPlan, Write
from lira_core.types import Memory

from ..lira_core.generation import faulty
from ..lira_core.memory.answering import stated, states

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


# Facts


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


@pytest.fixture
def serving(tmp_path: Path, runner: asyncio.Runner) -> Iterator[Stores]:
    """The stores of a LIRA that serves, in whose record older rules read three memories and found nothing in them."""

    async def fill() -> Stores:
        settings = load_settings(data_dir=tmp_path)
        stores = await compose.open_settled_stores(settings)
        await stores.record.plan_index(IndexPlan(encoder_id(settings.embedding_model_dir).name, None), IndexPlan())
        texts = ("나는 딸기를 좋아해", "나는 부산에 살아", "그렇구나")
        said = tuple(Memory(f"m{n}", "u", text, datetime(2026, 10, 3, tzinfo=UTC)) for n, text in enumerate(texts))
        await stores.record.commit(Write("w", "u", stamp(), None, said))
        await stores.record.unindexed.done("u", [memory.id for memory in said])
        return stores

    stores = runner.run(fill())
    yield stores
    runner.run(stores.close())


def test_facts_are_derived_anew_while_lira_serves_and_the_doctor_says_when(
    lira: Lira, tmp_path: Path, serving: Stores, runner: asyncio.Runner
) -> None:
    folder = {"LIRA_DATA_DIR": str(tmp_path)}
    before = lira("doctor", **folder)
    assert before.returncode == 0
    assert "note  facts        3 memories were read by older rules" in before.stdout
    assert "`lira reindex --facts`" in before.stdout

    done = lira("reindex", "--facts", **folder)
    assert (done.returncode, done.stderr) == (0, "")
    told = " ".join(done.stdout.split())
    assert "Deriving facts" in told
    assert "3/3" in told
    assert f"3 of 3 memories hold the facts of version {VERSION} of the rules." in told
    assert "have other facts or terms than before; LIRA makes their vectors anew while it serves." in told
    assert [hit.id for hit in runner.run(serving.record.slots("u", [("user", "live_in")], 9))] == ["m1"]
    assert [hit.id for hit in runner.run(serving.record.lexical("u", ["딸기"], 9))] == ["m0"]
    assert runner.run(serving.record.unindexed.backlog()).waiting >= 2

    assert f"ok    facts        of version {VERSION} of the rules" in lira("doctor", **folder).stdout
    again = lira("reindex", "--facts", **folder)
    assert (again.returncode, "than before" in again.stdout) == (0, False)


@pytest.mark.parametrize("other", [["--clear"], ["--drop", "x"]])
def test_facts_and_the_index_are_two_things_to_ask_for(lira: Lira, tmp_path: Path, other: list[str]) -> None:
    refused = lira("reindex", "--facts", *other, LIRA_DATA_DIR=str(tmp_path))
    assert refused.returncode == 2
    assert "neither --drop nor --clear" in " ".join(refused.stderr.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_a_record_that_cannot_be_opened_is_named(lira: Lira, tmp_path: Path) -> None:
    refused = lira("reindex", "--facts", LIRA_DATA_DIR=str(tmp_path), LIRA_RECORD_URL="oracle://127.0.0.1")
    assert refused.returncode == 2
    assert refused.stderr.startswith("lira: LIRA_RECORD_URL")


async def test_a_model_reads_what_was_kept_before_and_is_told_of_where_it_is_away(lira: Lira, tmp_path: Path) -> None:
    async with faulty.serving() as api, Core.local(tmp_path) as core:
        await core.ask(AddMemories(user_id="u", items=(Item(text="토요일마다 보드게임 모임 열어"), Item(text="그렇구나"))))
        folder = {"LIRA_DATA_DIR": str(tmp_path), "LIRA_UNDERSTANDER": "openai", "LIRA_UNDERSTANDER_URL": api.url, "LIRA_UNDERSTANDER_MODEL": "m"}
        api.does = faulty.refuses(401)
        away = await asyncio.to_thread(lira, "reindex", "--facts", **folder)
        assert away.returncode == 2
        assert f"lira: {api.url} answers 401; run this again when it answers" in " ".join(away.stderr.split())
        api.does = states(stated(predicate="hobby", object="보드게임"))
        done = await asyncio.to_thread(lira, "reindex", "--facts", **folder)
        assert (done.returncode, done.stderr) == (0, "")
        assert f"2 of 2 memories hold the facts of version {VERSION} of the rules and of m." in " ".join(done.stdout.split())
        assert len(await core._stores.record.slots("u", [("user", "hobby")], 9)) == 1
