"""What a person is told of a LIRA."""

from __future__ import annotations

import asyncio
import socket
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from lira_core import doctor
from lira_core.doctor import Finding, examine
from lira_core.memory.derivation import MISREAD, READ, RULES, STEP, WAITING
from lira_core.model_folder import encoder_id
from lira_core.requests import stamp
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores
from lira_core.stores.ports import IndexPlan, Write
from lira_core.types import Event, Memory

from .generation.faulty import Behaviour, a_page, nobody, refuses, serving, silent
from .memory.answering import completes, states

NOW = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
SECRET = "제 비밀번호는 딸기예요"


def told(findings: list[Finding], what: str) -> list[Finding]:
    return [finding for finding in findings if finding.what == what]


def wrong(findings: list[Finding]) -> set[str]:
    return {finding.what for finding in findings if finding.state == "wrong"}


async def hangs(self: Any) -> None:
    """A store's ping that has no end."""
    await asyncio.sleep(60)


async def remember(stores: Stores, settings: Settings, *ids: str) -> None:
    """Memories that wait for their vector."""
    await stores.record.plan_index(IndexPlan(encoder_id(settings.embedding_model_dir).name, None), IndexPlan())
    for id in ids:
        now = stamp()
        event = Event(id, "u", "s", "user", SECRET, NOW, id)
        await stores.record.commit(Write(id, "u", now, event, (Memory(id, "u", SECRET, NOW),)))


async def test_where_all_is_well_it_says_so_of_each_part(opened: Stores, settings: Settings) -> None:
    findings = await examine(settings)
    assert {finding.state for finding in findings} == {"ok"}
    assert [finding.what for finding in findings] == [
        "models",
        "generator",
        "understander",
        "short-term",
        "record",
        "vectors",
        "index",
        "facts",
        "deferred",
        "erasures",
        "unindexed",
        "summaries",
    ]
    name = encoder_id(settings.embedding_model_dir).name
    assert name in told(findings, "models")[0].told
    assert "0 memories" in told(findings, "index")[0].told


async def test_it_counts_what_is_remembered_and_what_waits(opened: Stores, settings: Settings) -> None:
    await remember(opened, settings, "m1", "m2")
    findings = await examine(settings)
    assert "2 memories" in told(findings, "index")[0].told
    assert told(findings, "unindexed") == [Finding("notice", "unindexed", "2 waiting")]
    assert wrong(findings) == set()


async def test_what_was_given_up_on_is_listed_without_what_was_said(opened: Stores, settings: Settings) -> None:
    await remember(opened, settings, "m1", "m2", "m3")
    await opened.record.unindexed.claim(10, 60)
    await opened.record.unindexed.bury("u", ["m1", "m3"], "ValueError: too odd")
    findings = await examine(settings)
    waiting, dead, *letters = told(findings, "unindexed")
    assert waiting == Finding("notice", "unindexed", "1 waiting")
    assert dead.state == "wrong"
    assert "2 given up on; `lira doctor --revive`" in dead.told
    assert [(letter.state, letter.told) for letter in letters] == [("wrong", f"{id} of u, 1 attempts: ValueError: too odd") for id in ("m1", "m3")]
    assert SECRET not in str(findings)


async def test_what_was_given_up_on_is_tried_again_when_asked(opened: Stores, settings: Settings) -> None:
    await remember(opened, settings, "m1")
    await opened.record.unindexed.claim(10, 60)
    await opened.record.unindexed.bury("u", ["m1"], "ValueError: too odd")
    findings = await examine(settings, revive=True)
    assert wrong(findings) == set()
    assert [entry.id for entry in await opened.record.unindexed.claim(10, 60)] == ["m1"]


async def test_what_was_given_up_on_is_tried_again_although_models_and_the_index_are_away(
    opened: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "PING_WITHIN_S", 0.05)
    await remember(opened, settings, "m1")
    await opened.record.unindexed.claim(10, 60)
    await opened.record.unindexed.bury("u", ["m1"], "ValueError: too odd")
    monkeypatch.setattr(type(opened.vectors), "ping", hangs)
    findings = await examine(reading(asking(settings, nobody()), nobody()), revive=True)
    assert wrong(findings) == {"generator", "understander", "vectors"}
    assert told(findings, "unindexed") == [Finding("notice", "unindexed", "1 waiting")]
    assert "1 memories" in told(findings, "index")[0].told
    assert told(findings, "facts")


@pytest.mark.parametrize("role", ["short_term", "record"])
async def test_where_it_cannot_be_tried_again_it_says_so(opened: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch, role: str) -> None:
    monkeypatch.setattr(doctor, "PING_WITHIN_S", 0.05)
    monkeypatch.setattr(type(getattr(opened, role)), "ping", hangs)
    (finding,) = told(await examine(settings, revive=True), "revive")
    assert finding.state == "wrong"
    assert told(await examine(settings), "revive") == []


async def test_it_says_so_too_where_no_store_can_be_opened(tmp_path: Path) -> None:
    for broken in ({"record_url": "lira.db"}, {"embedding_model_dir": tmp_path}):
        (finding,) = told(await examine(load_settings(data_dir=tmp_path / "data", **broken), revive=True), "revive")
        assert finding.state == "wrong"


async def test_of_very_many_the_oldest_are_listed_and_all_are_counted(opened: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "SHOWN", 2)
    ids = [f"m{i}" for i in range(5)]
    await remember(opened, settings, *ids)
    await opened.record.unindexed.claim(10, 60)
    await opened.record.unindexed.bury("u", ids, "ValueError")
    _, dead, *letters = told(await examine(settings), "unindexed")
    assert "5 given up on" in dead.told
    assert len(letters) == 2


async def test_an_index_of_another_encoder_needs_a_person(opened: Stores, settings: Settings) -> None:
    await opened.record.plan_index(IndexPlan("older-00000000-3", None), IndexPlan())
    (index,) = told(await examine(settings), "index")
    assert (index.state, index.told) == ("wrong", "was made by older-00000000-3; run `lira reindex`")


async def test_an_index_in_the_making_is_worth_knowing(opened: Stores, settings: Settings) -> None:
    mine = encoder_id(settings.embedding_model_dir).name
    await opened.record.plan_index(IndexPlan(mine, "newer-00000000-3"), IndexPlan())
    (index,) = told(await examine(settings), "index")
    assert index.state == "notice"
    assert "newer-00000000-3 is being built" in index.told


async def test_a_folder_that_is_no_encoder_is_named_and_nothing_else_is_looked_at(tmp_path: Path) -> None:
    (finding,) = await examine(load_settings(data_dir=tmp_path / "data", embedding_model_dir=tmp_path))
    assert (finding.state, finding.what) == ("wrong", "models")
    assert "LIRA_EMBEDDING_MODEL_DIR" in finding.told
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("model", ["emotion", "reader"])
async def test_a_model_s_folder_that_is_not_there_is_named(tmp_path: Path, model: str) -> None:
    (finding,) = await examine(load_settings(data_dir=tmp_path / "data", **{f"{model}_model_dir": tmp_path / "none"}))
    assert (finding.state, finding.what) == ("wrong", "models")
    assert f"LIRA_{model.upper()}_MODEL_DIR" in finding.told


@pytest.mark.parametrize("url", ["oracle://127.0.0.1/lira", "lira.db", "sqlite:///"])
async def test_a_url_that_names_no_store_is_told_with_its_setting(tmp_path: Path, url: str) -> None:
    findings = await examine(load_settings(data_dir=tmp_path, record_url=url))
    (finding,) = told(findings, "stores")
    assert finding.state == "wrong"
    assert "LIRA_RECORD_URL" in finding.told


@pytest.fixture
def letter(tmp_path: Path) -> Path:
    """A file where LIRA's should be."""
    (tmp_path / "lira.db").write_bytes(b"a letter to my aunt" * 1_000)
    return tmp_path / "lira.db"


async def test_a_file_that_is_no_database_of_lira_s_is_told(letter: Path, settings: Settings) -> None:
    findings = await examine(settings)
    assert wrong(findings)
    assert any("lira.db" in finding.told for finding in findings if finding.state == "wrong")


async def test_a_server_that_is_away_is_named_and_the_others_are_looked_at(tmp_path: Path) -> None:
    pytest.importorskip("pymongo")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: whoever connects is refused
        findings = await examine(load_settings(data_dir=tmp_path, record_url=f"mongodb://127.0.0.1:{taken.getsockname()[1]}/lira"))
    assert wrong(findings) == {"record"}
    assert [finding.state for what in ("short-term", "vectors") for finding in told(findings, what)] == ["ok", "ok"]
    assert told(findings, "unindexed") == []


async def test_a_store_that_does_not_answer_is_not_waited_for_long(opened: Stores, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PING_WITHIN_S", 0.05)

    monkeypatch.setattr(type(opened.vectors), "ping", hangs)
    findings = await examine(settings)
    assert told(findings, "vectors") == [Finding("wrong", "vectors", "no answer within 0.05 s")]


async def test_looking_changes_nothing(opened: Stores, settings: Settings) -> None:
    await remember(opened, settings, "m1")
    before = await opened.record.index_plan(), await opened.record.unindexed.backlog()
    await examine(settings)
    assert (await opened.record.index_plan(), await opened.record.unindexed.backlog()) == before


KEY = "sk-lira-0123456789"


def asking(settings: Settings, url: str, **fields: Any) -> Settings:
    named = {"generator": "openai", "generator_url": url, "generator_model": "small", "generator_api_key": KEY}
    return load_settings(**(named | {"data_dir": settings.data_dir, "generate_deadline_ms": 20_000} | fields))


async def test_a_generator_that_answers_is_named_with_its_model(opened: Stores, settings: Settings) -> None:
    async with serving() as api:
        findings = await examine(asking(settings, api.url))
        assert told(findings, "generator") == [Finding("ok", "generator", f"small of {api.url} answers")]
        await api.until(lambda: api.open == 0)


@pytest.mark.parametrize(
    ("does", "state", "says"),
    [
        (refuses(401, f"wrong key {KEY}"), "wrong", "set LIRA_GENERATOR_API_KEY"),
        (refuses(404), "wrong", "LIRA_GENERATOR_MODEL=small is no model of it"),
        (refuses(404), "wrong", "it lists solar-mini, solar-pro"),
        (refuses(429), "notice", "takes no more just now"),
        (refuses(500), "wrong", "answers 500"),
        (a_page, "wrong", "no end"),
        (silent, "wrong", "within LIRA_GENERATE_DEADLINE_MS=100"),
    ],
)
async def test_what_keeps_a_generator_from_answering_is_told_without_the_key(
    opened: Stores, settings: Settings, does: Behaviour, state: str, says: str
) -> None:
    async with serving() as api:
        api.does, api.models = does, ("solar-mini", "solar-pro")
        findings = await examine(asking(settings, api.url, **({"generate_deadline_ms": 100} if does is silent else {})))
    (finding,) = told(findings, "generator")
    assert finding.state == state
    assert says in finding.told
    assert KEY not in str(findings)


async def test_a_generator_that_is_away_does_not_keep_the_stores_from_being_looked_at(opened: Stores, settings: Settings) -> None:
    findings = await examine(asking(settings, nobody()))
    assert wrong(findings) == {"generator"}
    assert "cannot be reached" in told(findings, "generator")[0].told
    assert told(findings, "record") == [Finding("ok", "record", "answers")]


async def test_a_model_in_the_graph_is_not_looked_for_in_this_process(opened: Stores, settings: Settings) -> None:
    (finding,) = told(await examine(load_settings(data_dir=settings.data_dir, generator="vllm")), "generator")
    assert finding.state == "ok"
    assert "/readyz" in finding.told


# Facts by a model


def reading(settings: Settings, url: str) -> Settings:
    return settings.model_copy(update={"understander": "openai", "understander_url": url, "understander_model": "small"})


async def test_it_counts_whose_facts_are_whose(opened: Stores, settings: Settings) -> None:
    await opened.record.plan_index(IndexPlan(encoder_id(settings.embedding_model_dir).name, None), IndexPlan())
    numbers = (0, RULES - STEP, RULES, RULES, WAITING, MISREAD, MISREAD, READ)
    kept = tuple(Memory(f"m{n}", "u", SECRET, NOW, derived=derived) for n, derived in enumerate(numbers))
    await opened.record.commit(Write("w", "u", stamp(), memories=kept))
    by_rules = [finding.told for finding in told(await examine(settings), "facts")]
    assert [line.split(",")[0].split(";")[0] for line in by_rules] == [
        "2 memories were read by older rules",
        "1 memories wait to be read by a model",
        "2 memories keep the rules' facts",
    ]
    assert "LIRA_UNDERSTANDER=rules asks none" in by_rules[1]
    async with serving() as api:
        api.does = states()
        findings = await examine(reading(settings, api.url))
    assert told(findings, "understander") == [Finding("ok", "understander", f"small of {api.url} answers")]
    assert "2 memories were read by the rules alone" in told(findings, "facts")[1].told
    assert "asks again" in told(findings, "facts")[3].told


@pytest.mark.parametrize("does", [refuses(401), refuses(400), completes("no"), silent])
async def test_a_model_that_cannot_be_asked_for_facts_needs_a_person(settings: Settings, does: Behaviour) -> None:
    async with serving() as api:
        api.does = does
        findings = await examine(reading(settings, api.url).model_copy(update={"understander_deadline_ms": 300}))
    assert wrong(findings) == {"understander"}
    assert api.url in told(findings, "understander")[0].told
