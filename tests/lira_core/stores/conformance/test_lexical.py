"""`Lexical`: an index by meaning that finds by words too. Its scale is its own; what it finds is what `Record.lexical` finds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest

from .engines import Opener, Server, engines
from .making import NOON, RECEIVED, ids, item, memory, options, someone, unit
from .places import Place

ONE = unit(1)


@pytest.fixture(scope="session", params=[name for name in engines("vectors") if name == "weaviate"])
def words_place(request: pytest.FixtureRequest, running: Callable[[str], Server]) -> Place:
    return running(request.param).place()


@pytest.fixture
async def index(words_place: Place) -> AsyncIterator[Any]:
    """Vectors that are Lexical."""
    opener = Opener("vectors", words_place, options)
    yield await opener()
    await opener.close()


async def test_memories_that_hold_any_of_the_terms_are_found_best_first(index: Any, user: str) -> None:
    held = {"m0": ("커피", "부산"), "m1": ("커피", "말", "길"), "m2": ("책",), "m3": ("비",), "m4": ()}
    await index.add(user, [item(memory(id, user, terms=terms), ONE) for id, terms in held.items()])
    hits = await index.lexical(user, ["커피", "부산"], 10)
    assert ids(hits) == ["m0", "m1"]
    assert hits[0].score > hits[1].score > 0
    assert ids(await index.lexical(user, ["커피", "부산"], 1)) == ["m0"]
    assert await index.lexical(user, ["없는말"], 10) == []
    assert await index.lexical(user, [], 10) == []
    assert await index.lexical(someone(), ["커피"], 10) == []


async def test_words_are_matched_as_they_are(index: Any, user: str) -> None:
    words = ["커피", "커피숍", "\u00e9", "e\u0301", "C++", "c++", "3.5", "$", "a:b", "a", "the", "%", "*", '"', "☕"]
    await index.add(user, [item(memory(f"m{n}", user, terms=(word, "말")), ONE) for n, word in enumerate(words)])
    assert [ids(await index.lexical(user, [word], 100)) for word in words] == [[f"m{n}"] for n in range(len(words))]


async def test_the_limit_counts_only_what_was_said_by_then(index: Any, user: str) -> None:
    often = [item(memory(f"new{n}", user, 100 + n, terms=("커피",) * 3), ONE) for n in range(60)]
    await index.add(user, [*often, *[item(memory(f"old{n}", user, n, terms=("커피", "말")), ONE) for n in range(3)]])
    assert sorted(ids(await index.lexical(user, ["커피"], 3, NOON + timedelta(minutes=50)))) == ["old0", "old1", "old2"]
    assert sorted(ids(await index.lexical(user, ["커피"], 9, NOON + timedelta(minutes=1)))) == ["old0", "old1"]


async def test_only_ones_own_and_what_is_not_deleted_is_found(index: Any, user: str) -> None:
    users = [user, f"{user}x", f"{user}:", f"{user}."]
    for who in users:
        await index.add(who, [item(memory(f"m{n}", who, terms=("커피", f"말{n}")), ONE, RECEIVED + n) for n in range(3)])
    await index.delete(user, ["m1"])
    await index.delete_user(users[1], RECEIVED + 1)
    assert sorted(ids(await index.lexical(user, ["커피"], 10))) == ["m0", "m2"]
    assert ids(await index.lexical(users[1], ["커피"], 10)) == ["m2"]
    assert len(await index.lexical(users[2], ["커피"], 10)) == 3
    await index.add(user, [item(memory("m0", user, terms=("차",)), ONE)])
    assert ids(await index.lexical(user, ["커피"], 10)) == ["m2"]
