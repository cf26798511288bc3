"""Stores are chosen by URL, role by role."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from lira_cli.ports import free_port
from lira_core.stores import ENGINES, FORMS, Opening, StoreError, StoreRejected, StoreUnavailable, open_stores
from lira_core.stores.ports import IndexPlan, Role

from .conformance.engines import open_role
from .conformance.making import ids, options, someone, turn, utterance

ROLES: tuple[Role, ...] = ("short_term", "record", "vectors")
SETTINGS = {"short_term": "LIRA_SHORT_TERM_URL", "record": "LIRA_RECORD_URL", "vectors": "LIRA_VECTORS_URL"}


def everywhere(url: str) -> dict[Role, str]:
    return dict.fromkeys(ROLES, url)


@pytest.mark.parametrize("files", [("lira.db",) * 3, ("short.db", "record.db", "vectors.db")], ids=["one file", "three files"])
async def test_each_role_keeps_what_it_is_given_in_one_file_or_several(tmp_path: Path, files: tuple[str, ...]) -> None:
    user = someone()
    urls = {role: f"sqlite:///{tmp_path}/{file}" for role, file in zip(ROLES, files, strict=True)}
    for _ in range(2):
        stores = await open_stores(urls, options())
        await stores.short_term.append(user, "s", turn("t"))
        await stores.deferred.put(utterance("later", user))
        await stores.record.commit(utterance("m", user, terms=("커피",)))
        assert ids(await stores.lexical.lexical(user, ["커피"], 5)) == ["m"]
        assert stores.lexical is stores.record
        for store in (stores.short_term, stores.deferred, stores.record, stores.vectors):
            await store.ping()
        await stores.close()
    assert {name for name in os.listdir(tmp_path) if name.endswith(".db")} == set(files)


async def test_a_url_with_three_slashes_is_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stores = await open_stores(everywhere("sqlite:///deep/er/기억.db"), options())
    await stores.record.ping()
    await stores.close()
    assert (tmp_path / "deep" / "er" / "기억.db").exists()


async def test_only_the_owner_may_read_a_new_file(tmp_path: Path) -> None:
    stores = await open_stores(everywhere(f"sqlite:///{tmp_path}/lira.db"), options())
    modes = {name: stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in os.listdir(tmp_path)}
    await stores.close()
    assert "lira.db" in modes
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("postgres://db/lira", "'postgres'"),
        ("lira.db", "no URL"),
        ("", "no URL"),
        ("sqlite:///", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite://lira.db", "names no file"),
    ],
)
async def test_a_url_that_cannot_be_opened_is_named_with_its_setting(tmp_path: Path, role: Role, wrong: str, said: str) -> None:
    urls = everywhere(f"sqlite:///{tmp_path}/lira.db") | {role: wrong}
    with pytest.raises(StoreRejected, match=said) as caught:
        await open_stores(urls, options())
    assert SETTINGS[role] in str(caught.value)
    assert "sqlite:///" in str(caught.value)


@pytest.mark.parametrize("role", ROLES)
async def test_a_scheme_of_another_role_is_refused_with_what_can_be_used(tmp_path: Path, role: Role) -> None:
    foreign = next(scheme for schemes in ENGINES.values() for scheme in schemes if scheme not in ENGINES[role])
    with pytest.raises(StoreRejected, match=SETTINGS[role]) as caught:
        await open_stores(everywhere(f"sqlite:///{tmp_path}/lira.db") | {role: f"{foreign}://127.0.0.1/0"}, options())
    assert all(FORMS[scheme] in str(caught.value) for scheme in ENGINES[role])


def test_every_scheme_has_a_form_to_show() -> None:
    assert {scheme for schemes in ENGINES.values() for scheme in schemes} == set(FORMS)
    assert all(form.startswith(f"{scheme}://") for scheme, form in FORMS.items())


async def test_an_engine_whose_package_is_not_installed_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    real = importlib.import_module

    def without(name: str, package: str | None = None) -> object:
        if name.endswith(".redis"):
            raise ModuleNotFoundError("No module named 'redis'", name="redis")
        return real(name, package)

    monkeypatch.setattr(importlib, "import_module", without)
    with pytest.raises(StoreRejected, match=r"LIRA_SHORT_TERM_URL.*package redis.*pip install"):
        await open_stores(everywhere(f"sqlite:///{tmp_path}/lira.db") | {"short_term": "redis://127.0.0.1/0"}, options())


async def test_a_file_that_cannot_be_opened_leaves_the_others_closed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    urls = everywhere(f"sqlite:///{tmp_path}/lira.db") | {"record": f"sqlite:///{tmp_path}/folder"}
    with pytest.raises(StoreRejected, match="LIRA_RECORD_URL"):
        await open_stores(urls, options())
    assert not (tmp_path / "lira.db-wal").exists()


async def test_words_can_be_found_only_by_an_index_that_finds_by_words(tmp_path: Path) -> None:
    with pytest.raises(StoreRejected, match="LIRA_WORDS"):
        await open_stores(everywhere(f"sqlite:///{tmp_path}/lira.db"), options(), words="vectors")
    assert not (tmp_path / "lira.db-wal").exists()


async def test_closing_twice_is_harmless_and_a_closed_store_says_so(tmp_path: Path) -> None:
    stores = await open_stores(everywhere(f"sqlite:///{tmp_path}/lira.db"), options())
    await stores.close()
    await stores.close()
    with pytest.raises(StoreError, match="is closed"):
        await stores.record.get("u", ["m"])
    with pytest.raises(StoreError, match="is closed"):
        await stores.record.commit(utterance("m", "u"))


AWAY: list[tuple[Role, str]] = [
    ("short_term", "redis://127.0.0.1:{port}/0"),
    ("record", "mongodb://127.0.0.1:{port}/lira"),
    ("vectors", "weaviate://127.0.0.1:{port}?grpc_port={other}"),
    ("vectors", "milvus://127.0.0.1:{port}"),
]


@pytest.mark.parametrize(("role", "form"), AWAY, ids=[form.partition(":")[0] for _, form in AWAY])
async def test_a_server_that_is_away_is_no_error_until_it_is_asked(role: Role, form: str) -> None:
    opened = await open_role(Opening(role, form.format(port=free_port(), other=free_port()), options()))
    stores = opened if role == "short_term" else (opened,)
    try:
        calls = {
            "short_term": lambda: [stores[0].read("u", "s"), stores[0].append("u", "s", turn("t")), stores[1].put(utterance("m", "u"))],
            "record": lambda: [stores[0].commit(utterance("m", "u")), stores[0].newest("u", 5), stores[0].plan_index(IndexPlan(), IndexPlan())],
            "vectors": lambda: [stores[0].get("u", ["m"]), stores[0].delete_user("u", 5)],
        }
        outcomes = await asyncio.gather(*[store.ping() for store in stores], *calls[role](), return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * len(outcomes)
    finally:
        for store in stores:
            await store.close()


PASSWORDS = [
    ("short_term", "redis://user:hunter2secret@127.0.0.1:{port}/zero"),
    ("record", "mongodb://user:hunter2secret@127.0.0.1:{port}/"),
    ("vectors", "weaviate://user:hunter2secret@127.0.0.1:{port}?grpc_port=none"),
    ("vectors", "milvus://user:hunter2secret@127.0.0.1:none"),
]


@pytest.mark.parametrize(("role", "form"), PASSWORDS, ids=[form.partition(":")[0] for _, form in PASSWORDS])
async def test_a_url_that_is_wrong_names_its_setting_and_keeps_its_password(role: Role, form: str) -> None:
    with pytest.raises(StoreRejected, match=SETTINGS[role]) as caught:
        await open_role(Opening(role, form.format(port=free_port()), options()))
    assert "hunter2secret" not in str(caught.value)
