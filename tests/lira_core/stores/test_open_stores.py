"""Stores are chosen by URL, role by role."""

import os
import stat
from pathlib import Path

import pytest

from lira_core.stores import StoreError, open_stores

LIMITS = {"ttl_seconds": 60, "max_messages": 10}


async def test_equal_urls_share_one_database_and_others_do_not(tmp_path: Path) -> None:
    one, other = f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/other.db"
    same = open_stores(one, one, other, **LIMITS)
    assert same.short_term._database is same.memories._database
    assert same.vectors._database is not same.memories._database
    await same.close()


async def test_a_url_with_three_slashes_is_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    stores = open_stores(*["sqlite:///deep/er/기억.db"] * 3, **LIMITS)
    await stores.memories.ping()
    await stores.close()
    assert (tmp_path / "deep" / "er" / "기억.db").exists()


async def test_only_the_owner_may_read_a_new_file(tmp_path: Path) -> None:
    stores = open_stores(*[f"sqlite:///{tmp_path}/lira.db"] * 3, **LIMITS)
    modes = {name: stat.S_IMODE(os.stat(tmp_path / name).st_mode) for name in os.listdir(tmp_path)}
    await stores.close()
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("postgres://db/lira", "'postgres'"),
        ("lira.db", "no URL"),
        ("sqlite:///", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite://lira.db", "names no file"),
    ],
)
def test_a_url_that_cannot_be_opened_is_named_with_its_setting(tmp_path: Path, position: int, wrong: str, said: str) -> None:
    urls = [f"sqlite:///{tmp_path}/lira.db"] * 3
    urls[position] = wrong
    with pytest.raises(ValueError, match=said) as caught:
        open_stores(*urls, **LIMITS)
    assert ["LIRA_SHORT_TERM_URL", "LIRA_RECORD_URL", "LIRA_VECTORS_URL"][position] in str(caught.value)
    assert "sqlite:///" in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_second_file_that_cannot_be_opened_leaves_the_first_closed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="folder cannot be opened"):
        open_stores(f"sqlite:///{tmp_path}/lira.db", f"sqlite:///{tmp_path}/folder", f"sqlite:///{tmp_path}/lira.db", **LIMITS)
    assert not (tmp_path / "lira.db-wal").exists()


async def test_closing_twice_is_harmless_and_a_closed_store_says_so(tmp_path: Path, memory) -> None:
    stores = open_stores(*[f"sqlite:///{tmp_path}/lira.db"] * 3, **LIMITS)
    await stores.close()
    await stores.close()
    with pytest.raises(StoreError, match="is closed"):
        await stores.memories.get("u", ["m"])
    with pytest.raises(StoreError, match="is closed"):
        await stores.memories.write("u", None, memory("m"))
