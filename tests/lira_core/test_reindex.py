"""The index by meaning made anew: beside the old one, in pieces, and switched to when it is whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lira_core import compose, indexing
from lira_core import reindex as module
from lira_core.embedding.local import LocalEmbedder
from lira_core.emotion.local import LocalEmotion
from lira_core.lira import Lira
from lira_core.model_folder import encoder_id
from lira_core.reading.local import LocalReader
from lira_core.reindex import Progress, drop, reindex
from lira_core.requests import AddMemories, Item, Search, stamp
from lira_core.settings import Settings, load_settings
from lira_core.stores import StoreRejected, Stores, StoreUnavailable
from lira_core.stores.ports import Erasure, IndexPlan

TEXTS = [f"{i}번째 날에는 바닷가를 {i}시간 걸었다" for i in range(20)]


class Stopped(Exception):
    """Somebody pressed Ctrl-C."""


class Counting:
    """An embedder that counts what it embeds, and fails as it is told."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.passages: list[str] = []
        self.fails: Callable[[str], Exception | None] = lambda text: None

    async def embed(self, texts: Sequence[tuple[Any, str]]) -> Any:
        for _, text in texts:
            if error := self.fails(text):
                raise error
        self.passages += [text for kind, text in texts if kind == "passage"]
        return await self._inner.embed(texts)


@dataclass
class Encoder:
    """One encoder with settings that name it, over the one file of the test."""

    settings: Settings
    embedder: Counting

    @property
    def name(self) -> str:
        return encoder_id(self.settings.embedding_model_dir).name

    @asynccontextmanager
    async def stores(self) -> AsyncIterator[Stores]:
        opened = await compose.open_settled_stores(self.settings)
        yield opened
        await opened.close()

    async def reindex(self, tell: Callable[[Progress], None] = lambda now: None, *, clear: bool = False) -> Progress:
        async with self.stores() as stores:
            return await reindex(self.settings, stores, self.embedder, tell, clear=clear)

    async def plan(self) -> IndexPlan:
        async with self.stores() as stores:
            return await stores.record.index_plan()

    async def indexed(self) -> set[str]:
        """The texts in this encoder's index."""
        vector = (await self.embedder.embed([("query", "바다")]))[0]
        async with self.stores() as stores:
            hits = await stores.vectors.search("u", vector, 1_000)
            return {memory.text for memory in await stores.vectors.get("u", [hit.id for hit in hits])}


@pytest.fixture(autouse=True)
def _soon_and_a_few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.01)
    monkeypatch.setattr(module, "BATCHES", 1)
    monkeypatch.setattr(indexing, "BACKOFF_SECONDS", 0.001)


@pytest.fixture
async def old(settings: Settings, engines: Any) -> AsyncIterator[Encoder]:
    inner = LocalEmbedder(engines.encoder)
    yield Encoder(settings, Counting(inner))
    await inner.close()


@pytest.fixture
async def new(tmp_path: Path, other_model: Path, other_encoder: Any) -> AsyncIterator[Encoder]:
    inner = LocalEmbedder(other_encoder)
    yield Encoder(load_settings(data_dir=tmp_path, embedding_model_dir=other_model, index_batch=4), Counting(inner))
    await inner.close()


@pytest.fixture
def serving(engines: Any) -> Callable[[Encoder], AbstractAsyncContextManager[Lira]]:
    """A LIRA that serves with an encoder."""

    @asynccontextmanager
    async def serve(encoder: Encoder) -> AsyncIterator[Lira]:
        emotion, reader = LocalEmotion(engines.emotion), LocalReader(engines.reader)
        stores = await compose.open_settled_stores(encoder.settings)
        lira = Lira(encoder.settings, emotion=emotion, embedder=encoder.embedder, reader=reader, stores=stores)
        try:
            await lira.start()
            yield lira
        finally:
            await lira.close()
            await emotion.close()
            await reader.close()

    return serve


@pytest.fixture
async def filled(old: Encoder, serving: Any) -> None:
    """The memories of one user, indexed by the old encoder."""
    async with serving(old) as lira:
        await add(lira, *TEXTS)
    old.embedder.passages.clear()


async def add(lira: Lira, *texts: str) -> None:
    await lira.ask(AddMemories(user_id="u", items=tuple(Item(text=text) for text in texts)))


def stop_after(times: int) -> Callable[[Progress], None]:
    told: list[Progress] = []

    def tell(now: Progress) -> None:
        told.append(now)
        if len(told) > times:
            raise Stopped

    return tell


@pytest.mark.usefixtures("filled")
async def test_a_new_index_is_built_beside_the_old_one_which_serves_meanwhile(old: Encoder, new: Encoder, serving: Any) -> None:
    told: list[Progress] = []
    async with serving(old) as lira:

        async def build() -> Progress:
            async with new.stores() as stores:
                return await reindex(new.settings, stores, new.embedder, told.append)

        building = asyncio.create_task(build())
        async with asyncio.timeout(30):
            while not told:  # noqa: ASYNC110 progress is told to a list
                await asyncio.sleep(0.001)
        assert await old.plan() == IndexPlan(old.name, new.name)
        (found, *_) = (await lira.ask(Search(user_id="u", query=TEXTS[7], limit=1))).results
        assert (found.text, found.paths) == (TEXTS[7], ("semantic", "fact"))
        await add(lira, "그동안 저녁에는 김치찌개를 끓였다")
        done = await building
    assert (done.total, done.waiting, done.dead) == (21, 0, 0)
    assert [now.waiting for now in told] == sorted((now.waiting for now in told), reverse=True)
    assert await new.plan() == IndexPlan(new.name, None)
    assert await new.indexed() == {*TEXTS, "그동안 저녁에는 김치찌개를 끓였다"}
    assert await old.indexed() >= set(TEXTS), "the old index is there until it is dropped"


@pytest.mark.usefixtures("filled")
async def test_after_the_switch_the_new_encoder_serves_and_the_old_one_is_refused(old: Encoder, new: Encoder, serving: Any) -> None:
    await new.reindex()
    async with serving(new) as lira:
        (found, *_) = (await lira.ask(Search(user_id="u", query=TEXTS[3], limit=1))).results
        assert (found.text, found.paths) == (TEXTS[3], ("semantic", "fact"))
    with pytest.raises(StoreRejected, match="run `lira reindex`"):
        async with serving(old):
            raise AssertionError("it must not start")


@pytest.mark.usefixtures("filled")
async def test_lira_does_not_start_with_another_encoder_than_the_indexs_and_says_what_to_do(old: Encoder, new: Encoder, serving: Any) -> None:
    with pytest.raises(StoreRejected) as told:
        async with serving(new):
            raise AssertionError("it must not start")
    assert all(part in str(told.value) for part in (old.name, new.name, "LIRA_EMBEDDING_MODEL_DIR", "lira reindex"))
    assert await old.plan() == IndexPlan(old.name, None)


@pytest.mark.usefixtures("filled")
async def test_what_was_stopped_in_the_middle_goes_on_where_it_was(old: Encoder, new: Encoder) -> None:
    with pytest.raises(Stopped):
        await new.reindex(stop_after(2))
    assert len(new.embedder.passages) == 8
    assert await new.plan() == IndexPlan(old.name, new.name)
    done = await new.reindex()
    assert sorted(new.embedder.passages) == sorted(TEXTS), "nothing is embedded twice"
    assert (done.total, done.waiting) == (20, 0)
    assert await new.indexed() == set(TEXTS)
    assert await new.plan() == IndexPlan(new.name, None)


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("step", ["plan_index", "requeue"])
async def test_what_was_stopped_before_everything_waited_misses_nothing(
    old: Encoder, new: Encoder, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with new.stores() as stores:
        goes_on = getattr(stores.record, step)

        async def stopped(*arguments: Any) -> Any:
            if step == "plan_index":
                await goes_on(*arguments)
            raise StoreUnavailable("the record went away")

        with monkeypatch.context() as patched:
            patched.setattr(stores.record, step, stopped)
            with pytest.raises(StoreUnavailable):
                await reindex(new.settings, stores, new.embedder, lambda now: None)
    assert await new.plan() == IndexPlan(old.name, new.name)
    await new.reindex()
    assert await new.indexed() == set(TEXTS)


@pytest.mark.usefixtures("filled")
async def test_a_lost_index_is_rebuilt_by_the_same_command_while_it_serves(old: Encoder, serving: Any) -> None:
    async with old.stores() as stores:
        await stores.vectors.clear()
    assert await old.indexed() == set()
    async with serving(old) as lira:
        await old.reindex()
        (found, *_) = (await lira.ask(Search(user_id="u", query=TEXTS[11], limit=1))).results
        assert (found.text, found.paths) == (TEXTS[11], ("semantic", "fact"))
    assert await old.indexed() == set(TEXTS)
    assert await old.plan() == IndexPlan(old.name, None)


async def forget_the_newest(encoder: Encoder) -> None:
    """Deletes it from the record alone, as a restored backup would lack it."""
    async with encoder.stores() as stores:
        (hit,) = await stores.record.newest("u", 1)
        await stores.record.erase(Erasure("u", hit.id, stamp()))


@pytest.mark.usefixtures("filled")
async def test_what_only_the_index_still_has_goes_when_it_is_emptied_first(old: Encoder) -> None:
    await forget_the_newest(old)
    await old.reindex()
    assert await old.indexed() == set(TEXTS), "it is not emptied unasked"
    await old.reindex(clear=True)
    assert await old.indexed() == set(TEXTS[:-1])


@pytest.mark.usefixtures("filled")
async def test_what_was_stopped_after_it_was_emptied_misses_nothing(old: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Stopped):
        await old.reindex(stop_after(3))
    async with old.stores() as stores:

        async def stopped(*_: Any) -> Any:
            raise StoreUnavailable("the record went away")

        monkeypatch.setattr(stores.record, "index_plan", stopped)
        with pytest.raises(StoreUnavailable):
            await reindex(old.settings, stores, old.embedder, lambda now: None, clear=True)
    await old.reindex()
    assert await old.indexed() == set(TEXTS)


async def test_an_empty_record_is_switched_at_once(new: Encoder) -> None:
    told: list[Progress] = []
    assert await new.reindex(told.append) == Progress(0, 0, 0)
    assert told == [Progress(0, 0, 0)]
    assert await new.plan() == IndexPlan(new.name, None)


@pytest.mark.usefixtures("filled")
async def test_an_encoder_that_is_away_for_a_while_is_waited_for(new: Encoder) -> None:
    missed: list[str] = []

    def away(text: str) -> Exception | None:
        missed.append(text)
        return ConnectionError("restarting") if len(missed) < 6 else None

    new.embedder.fails = away
    assert (await new.reindex()).dead == 0
    assert await new.indexed() == set(TEXTS)


@pytest.mark.usefixtures("filled")
async def test_a_memory_that_cannot_be_indexed_keeps_the_old_index_in_use_until_somebody_looks(old: Encoder, new: Encoder) -> None:
    new.embedder.fails = lambda text: ValueError("too odd") if text == TEXTS[5] else None
    with pytest.raises(StoreRejected, match=r"1 memories could not be indexed \(`lira doctor` lists them\)"):
        await new.reindex()
    assert await new.plan() == IndexPlan(old.name, new.name)
    async with new.stores() as stores:
        (letter,) = await stores.record.unindexed.dead(10)
        assert "too odd" in letter.reason
        assert await stores.record.unindexed.revive() == 1
    new.embedder.fails = lambda text: None
    assert await new.reindex() == Progress(20, 0, 0)
    assert await new.indexed() == set(TEXTS)


@pytest.mark.usefixtures("filled")
async def test_the_old_index_is_dropped_when_asked_for_by_name(old: Encoder, new: Encoder) -> None:
    await new.reindex()
    await drop(new.settings, old.name)
    assert await old.indexed() == set()
    assert await new.indexed() == set(TEXTS)


@pytest.mark.usefixtures("filled")
async def test_an_index_in_use_or_in_the_making_is_not_dropped(old: Encoder, new: Encoder) -> None:
    with pytest.raises(StoreRejected, match="is in use"):
        await drop(old.settings, old.name)
    with pytest.raises(Stopped):
        await new.reindex(stop_after(1))
    for name in (old.name, new.name):
        with pytest.raises(StoreRejected, match="is in use"):
            await drop(new.settings, name)
    assert await old.indexed() == set(TEXTS)


@pytest.mark.parametrize("name", ["", "e5", "e5-12345678-", "e5-12345678-x"])
async def test_what_is_no_encoders_name_is_told_where_the_names_are(old: Encoder, name: str) -> None:
    with pytest.raises(StoreRejected, match="`lira doctor` tells the names"):
        await drop(old.settings, name)
