from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.stores.ports import EncoderId, IndexItem, StoreRejected
from lira_core.stores.weaviate import WeaviateVectors
from lira_core.stores.weaviate.schema import collection_name, object_id, tenant_name, token, whole

from .conftest import ENCODER, Open
from .server import WeaviateServer

NAMES = st.text("abABzZ019_-", min_size=1, max_size=300)


@given(NAMES, st.integers(1, 4_096))
def test_every_encoder_has_a_collection_name_that_weaviate_takes(name: str, dimensions: int) -> None:
    assert re.fullmatch(r"Lira_[a-z0-9_]{1,209}_[0-9]+", collection_name(EncoderId(name, dimensions)))


@given(st.sets(NAMES, min_size=2, max_size=2))
def test_two_encoders_never_have_names_that_weaviate_takes_for_the_same(names: set[str]) -> None:
    one, other = (collection_name(EncoderId(name, 3)).lower() for name in names)
    assert one != other


def test_an_encoder_with_a_plain_name_has_a_plain_collection() -> None:
    assert collection_name(EncoderId("lira_small", 384)) == "Lira_lira_small_384"


@pytest.mark.parametrize("user", ["u", "a.b:c_d-e" * 14, "A", "a", "6382b3cc881412b77bfcaeed026001c00d9e3025e66c20f6e7e92f079851462a"])
def test_a_tenant_is_named_as_weaviate_takes_it_and_nobody_can_be_called_like_anothers(user: str) -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", tenant_name(user))
    assert tenant_name(user) != user
    assert len({tenant_name(other) for other in ("A", "a", "a.b", "a:b", user)}) >= 4


def test_an_object_has_the_same_id_whoever_makes_it_and_another_for_another_user() -> None:
    assert str(object_id("u", "m")) == "9ac15b0e-6c36-54a8-9439-326db8155fe6"
    assert object_id("v", "m") != object_id("u", "m")


@pytest.mark.parametrize(
    ("term", "word"), [("커피", "커피"), ("C++", "C++"), ("a b", "a%20b"), ("50%", "50%25"), ("\u3000", "%3000"), ("\x00", "%00")]
)
def test_a_term_is_one_word_whatever_it_holds(term: str, word: str) -> None:
    assert token(term) == word
    assert len(token(term).split()) == 1


def test_numbers_that_a_double_cannot_hold_become_the_nearest_that_it_can() -> None:
    assert [whole(n) for n in (2**63, -(2**63), 1_791_028_800_123_456)] == [2**53 - 1, 1 - 2**53, 1_791_028_800_123_456]


def test_the_collection_is_made_with_tenants_and_with_indexes_for_what_is_asked(vectors: WeaviateVectors, server: WeaviateServer) -> None:
    (made,) = server.said("POST /v1/schema")
    assert made["class"] == "Lira_tiny_3"
    assert made["multiTenancyConfig"] == {"enabled": True, "autoTenantCreation": True, "autoTenantActivation": True}
    assert made["invertedIndexConfig"] == {"bm25": {"b": 0.75, "k1": 1.2}, "stopwords": {"preset": "none"}}
    (vector,) = made["vectorConfig"].values()
    assert vector["vectorizer"] == {"none": {}}
    assert vector["vectorIndexType"] == "hnsw"
    assert vector["vectorIndexConfig"] == {"distance": "cosine", "skipDefaultQuantization": True}
    indexed = {
        p["name"]: (*p["dataType"], p["indexFilterable"], p["indexSearchable"], p.get("indexRangeFilters", False), p.get("tokenization"))
        for p in made["properties"]
    }
    assert indexed == {
        "memory_id": ("text", False, False, False, "field"),
        "user_id": ("text", False, False, False, "field"),
        "timestamp": ("int", False, False, True, None),
        "received": ("int", False, False, True, None),
        "terms": ("text", False, True, False, "whitespace"),
        "body": ("text", False, False, False, "field"),
    }


async def test_the_index_is_what_the_url_says(server: WeaviateServer, opened: Open) -> None:
    await opened(f"{server.url}&index=flat")
    (made,) = server.said("POST /v1/schema")
    assert made["vectorConfig"]["meaning"]["vectorIndexType"] == "flat"


async def test_a_server_that_cannot_make_the_index_says_why(server: WeaviateServer, opened: Open) -> None:
    with pytest.raises(StoreRejected, match="ASYNC_INDEXING"):
        await opened(f"{server.url}&index=dynamic")


async def test_a_collection_that_is_there_is_used_as_it_is(server: WeaviateServer, vectors: WeaviateVectors, opened: Open) -> None:
    await opened(server.url)
    assert len(server.said("POST /v1/schema")) == 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda made: made["multiTenancyConfig"].update(enabled=False), "multi-tenancy"),
        (lambda made: made["vectorConfig"]["meaning"]["vectorIndexConfig"].update(distance="dot"), "vector meaning"),
        (lambda made: made["vectorConfig"].pop("meaning"), "vector meaning"),
        (lambda made: made["invertedIndexConfig"]["stopwords"].update(preset="en"), "inverted index"),
        (lambda made: made["properties"][2].update(indexRangeFilters=False), "property timestamp"),
        (lambda made: made["properties"][3].update(dataType=["number"]), "property received"),
        (lambda made: made["properties"][4].update(tokenization="word"), "property terms"),
        (lambda made: made["properties"].pop(), "property body"),
        (lambda made: made.update(description="somebody else's"), "description"),
        (lambda made: made["invertedIndexConfig"].pop("bm25"), "not as LIRA makes it"),
        (lambda made: made.update(description="LIRA's memories by meaning; schema 2, encoder tiny, 3 dimensions"), "newer LIRA"),
    ],
)
async def test_a_collection_of_another_shape_is_refused_by_the_name_of_the_setting(
    server: WeaviateServer, vectors: WeaviateVectors, opened: Open, change: Callable[[dict[str, Any]], Any], complaint: str
) -> None:
    change(server.engine.collections["Lira_tiny_3"].definition)
    with pytest.raises(StoreRejected, match="LIRA_VECTORS_URL") as refused:
        await opened(server.url)
    assert complaint in str(refused.value)


async def test_a_memory_that_is_no_json_is_refused(vectors: WeaviateVectors, item: Callable[..., IndexItem]) -> None:
    with pytest.raises(StoreRejected, match="m cannot be indexed"):
        await vectors.add("u", [item("m", metadata={"what": object()})])


async def test_a_memory_of_another_user_is_refused(vectors: WeaviateVectors, server: WeaviateServer, item: Callable[..., IndexItem]) -> None:
    with pytest.raises(StoreRejected, match="another user"):
        await vectors.add("u", [item("m", user="v")])
    assert not server.said("BatchObjects")


@pytest.mark.parametrize("vector", [np.ones(2, np.float32), np.ones((1, 3), np.float32), np.array([1, np.nan, 0], np.float32)])
async def test_a_vector_of_another_shape_is_refused_before_anything_is_sent(
    vectors: WeaviateVectors, server: WeaviateServer, item: Callable[..., IndexItem], vector: Any
) -> None:
    good = item("good")
    with pytest.raises(StoreRejected, match="vector"):
        await vectors.add("u", [good, IndexItem(item("bad").memory, 1, vector)])
    with pytest.raises(StoreRejected, match="vector"):
        await vectors.search("u", vector, 1)
    assert not server.said("BatchObjects")
    assert not server.said("Search")
    assert ENCODER.dimensions == 3
