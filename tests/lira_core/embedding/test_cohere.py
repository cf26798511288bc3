"""Cohere's wire format, on a local server that speaks it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from lira_core import engines
from lira_core.embedding import cohere
from lira_core.embedding.cohere import CohereEmbedder, EmbeddingUnavailable
from lira_core.encoder import certainty_of, encoder_of
from lira_core.health import Health
from lira_core.indexing import Indexer
from lira_core.model_folder import ModelError
from lira_core.pools import Pools
from lira_core.requests import Search
from lira_core.searching import Searching
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores
from lira_core.stores.ports import IndexPlan, Write
from lira_core.types import Memory

from .cohere_api import KEY, CohereApi, serving, vector

AT = datetime(2026, 10, 3, tzinfo=UTC)
PAST = "Sun, 01 Nov 2026 00:00:00 GMT"
MEASURED = {"lira_batch_size", "lira_queue_seconds", "lira_inference_seconds"}
TWO = {"embeddings": {"float": [[1.0], [2.0]]}}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[CohereApi]:
    monkeypatch.setattr(cohere, "FIRST_PAUSE_S", 0.001)
    with serving() as running:
        yield running


@pytest.fixture
async def embedder(api: CohereApi, seen: Any) -> AsyncIterator[CohereEmbedder]:
    opened = CohereEmbedder(url=api.url, model="embed-v4.0", key=KEY, dimensions=256, observer=seen)
    yield opened
    await opened.close()


def unit(text: str, kind: str, dimensions: int = 256) -> np.ndarray:
    raw = np.array(vector(text, kind, dimensions))
    return raw / np.linalg.norm(raw)


async def test_a_question_is_a_search_query_and_what_is_kept_a_search_document(api: CohereApi, embedder: CohereEmbedder) -> None:
    found = await embedder.embed([("query", "내 이름이 뭐야?"), ("passage", "나는 민수야"), ("query", "  ")])
    assert found == pytest.approx(
        np.stack([unit("내 이름이 뭐야?", "search_query"), unit("나는 민수야", "search_document"), unit(".", "search_query")]), abs=1e-5
    )
    asked = {body["input_type"]: body for body in api.asked}
    assert asked["search_document"] == {
        "model": "embed-v4.0",
        "texts": ["나는 민수야"],
        "input_type": "search_document",
        "embedding_types": ["float"],
        "truncate": "END",
        "output_dimension": 256,
    }
    assert (await embedder.hear("나는 민수야")).vector == pytest.approx(unit("나는 민수야", "search_query"), abs=1e-5)


async def test_more_texts_than_a_call_takes_are_several_calls_in_order(api: CohereApi, embedder: CohereEmbedder) -> None:
    texts = [f"{number}번 기억" for number in range(200)]
    found = await embedder.embed([("passage", text) for text in texts])
    assert sorted(len(body["texts"]) for body in api.asked) == [8, 96, 96]
    assert found[137] == pytest.approx(unit(texts[137], "search_document"), abs=1e-5)
    assert embedder.tokens == 0


async def test_a_model_of_the_third_generation_is_not_asked_for_a_length(api: CohereApi) -> None:
    embedder = CohereEmbedder(url=api.url, model="embed-multilingual-v3.0", key=KEY, dimensions=1024)
    assert (await embedder.embed([("query", "안녕")])).shape == (1, 1024)
    await embedder.close()


@pytest.mark.parametrize(
    "passing",
    [(429, {"retry-after": "0"}, {"message": "too many"}), (500, {}, b"oops"), (503, {"retry-after": PAST}, {}), None],
)
async def test_what_passes_is_tried_again(api: CohereApi, embedder: CohereEmbedder, passing: Any) -> None:
    api.script = [passing, passing]
    assert (await embedder.embed([("query", "안녕")])).shape == (1, 256)
    assert len(api.asked) == 3


async def test_it_is_given_up_after_some_attempts_with_what_the_api_said(api: CohereApi, embedder: CohereEmbedder) -> None:
    api.script = [(429, {}, {"message": "trial key limit"})] * cohere.ATTEMPTS
    with pytest.raises(EmbeddingUnavailable, match=f"after {cohere.ATTEMPTS} attempts: it answers 429: trial key limit"):
        await embedder.embed([("query", "안녕")])
    assert len(api.asked) == cohere.ATTEMPTS


async def test_a_refused_key_is_named_and_not_shown_and_not_tried_again(api: CohereApi) -> None:
    embedder = CohereEmbedder(url=api.url, model="embed-v4.0", key="wrong-key", dimensions=256)
    with pytest.raises(ModelError, match="LIRA_EMBEDDING_API_KEY is refused") as told:
        await embedder.hear("안녕")
    assert "wrong-key" not in str(told.value)
    assert len(api.asked) == 1
    await embedder.close()


async def test_vectors_of_another_dimension_are_refused(api: CohereApi) -> None:
    embedder = CohereEmbedder(url=api.url, model="embed-multilingual-v3.0", key=KEY, dimensions=384)
    with pytest.raises(ModelError, match=r"LIRA_EMBEDDING_DIMENSIONS=384, and the vectors of embed-multilingual-v3\.0 have 1024"):
        await embedder.hear("안녕")
    await embedder.close()


@pytest.mark.parametrize(
    "body",
    [b"<html>", {"embeddings": {}}, {"embeddings": {"float": []}}, {"embeddings": {"float": [["a"]]}}, TWO],
)
async def test_an_answer_that_cannot_be_read_is_unavailable(api: CohereApi, embedder: CohereEmbedder, body: Any) -> None:
    api.script = [(200, {}, body)]
    with pytest.raises(EmbeddingUnavailable):
        await embedder.hear("안녕")


async def test_waiting_asking_and_the_number_of_texts_are_measured_apart(embedder: CohereEmbedder, seen: Any) -> None:
    await embedder.hear("안녕")
    assert {name for name, tags in seen.observed if tags == {"stage": "embedding"}} == {
        "lira_batch_size",
        "lira_queue_seconds",
        "lira_inference_seconds",
    }


async def test_the_settings_open_it_and_say_which_index_is_its(api: CohereApi) -> None:
    chosen = {"embedding_engine": "cohere", "embedding_model": "embed-v4.0", "embedding_dimensions": 512, "embedding_url": api.url}
    settings = load_settings(**chosen, embedding_api_key=KEY, embedding_certainty={"slope": 10, "intercept": -5})
    assert certainty_of(settings)(0.5) == pytest.approx(0.5)
    encoder = encoder_of(settings)
    assert (encoder.dimensions, encoder.name.startswith("embed-v4-0-"), encoder.name.endswith("-512")) == (512, True, True)
    async with engines.closing(engines.open_embedder(settings)) as embedder:
        assert (await embedder.hear("안녕")).vector.shape == (512,)


async def test_while_it_is_away_a_search_goes_on_by_words_and_what_is_to_be_indexed_waits_together(
    api: CohereApi, embedder: CohereEmbedder, opened: Stores, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    await opened.record.plan_index(IndexPlan(encoder_of(settings).name), IndexPlan())
    memories = tuple(Memory(f"m{n}", "ada", "제주도에서 말을 탔어", AT, terms=("제주도", "말")) for n in range(2))
    await opened.record.commit(Write("w", "ada", 1_000, None, memories))
    api.script = [None] * 2 * cohere.ATTEMPTS
    async with engines.closing(engines.open_reader(settings)) as reader:
        searching = Searching(opened, embedder, reader, certainty_of(settings), Pools(), Health(), settings)
        found = await searching.memories(Search(user_id="ada", query="제주도"))
    assert ({hit.id for hit in found.results}, found.degraded) == ({"m0", "m1"}, ("vectors",))
    assert await Indexer(opened, embedder, batch=8).claimed(8) == 2
    assert [record for record in caplog.records if record.exc_info] == []
    assert len(api.asked) == 2 * cohere.ATTEMPTS
    assert (await opened.record.unindexed.backlog()).waiting == 2
