"""Stores that say how long each operation took."""

from pathlib import Path

import pytest

from lira_core.stores import StoreError, open_stores
from lira_core.stores.observed import observed


class Seen:
    def __init__(self) -> None:
        self.operations: list[tuple[str, str]] = []

    def observe(self, name: str, value: float, **tags: str) -> None:
        assert name == "lira_store_seconds"
        assert value > 0
        self.operations.append((tags["store"], tags["op"]))

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        raise AssertionError("a store is timed, not counted")


async def test_every_operation_is_reported_also_one_that_fails(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lira.db"
    seen = Seen()
    stores = observed(open_stores(url, url, url, ttl_seconds=60, max_messages=10), seen)
    await stores.short_term.read("u", "s")
    await stores.memories.page("u", 1, None)
    await stores.close()
    with pytest.raises(StoreError):
        await stores.vectors.ping()
    assert seen.operations == [
        ("short_term", "read"),
        ("record", "page"),
        *[(role, "close") for role in ("short_term", "record", "vectors")],
        ("vectors", "ping"),
    ]
