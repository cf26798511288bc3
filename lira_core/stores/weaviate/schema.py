"""How memories lie in Weaviate: one collection per encoder, one tenant per user, one object per memory."""

from __future__ import annotations

import hashlib
import re
from math import isclose
from typing import Any, Final
from uuid import UUID, uuid5

from weaviate.classes.config import Configure, DataType, Property, StopwordsPreset, Tokenization, VectorDistances
from weaviate.classes.data import DataObject

from lira_core.stores.codec import dump, instant
from lira_core.stores.ports import EncoderId, IndexItem, StoreRejected
from lira_core.stores.weaviate.address import Index
from lira_core.stores.words import K1, B

VERSION: Final = 1
VECTOR: Final = "meaning"
"""The name of each object's one vector."""

NAMESPACE: Final = UUID("1c9f3a0e-6f0b-5d0e-9c55-2f6f6e1d7b11")
"""Drawn once; object ids are made in it, so that the same memory always has the same id."""

EXACT: Final = 2**53 - 1
"""Integers reach Weaviate as doubles, exact up to here: as microseconds, times between 1684 and 2255. Those beyond count as the last."""

_NAME_LENGTH: Final = 200
"""Weaviate allows 256 characters (https://docs.weaviate.io/weaviate/config-refs/collections); the rest is for what is added."""


COLLECTIONS: Final = "Lira_"
"""What the names of our collections begin with."""


def collection_name(encoder: EncoderId) -> str:
    """`Lira_<name>_<dimensions>`, with a digest where the name cannot be written as it is: two encoders never share a collection.

    Weaviate takes names that differ in case alone for the same, and allows no `-`.
    """
    name = re.sub(r"[^a-z0-9_]", "_", encoder.name.lower())[:_NAME_LENGTH]
    if name != encoder.name:
        name += "_" + hashlib.sha256(encoder.name.encode()).hexdigest()[:8]
    return f"{COLLECTIONS}{name}_{encoder.dimensions}"


def tenant_name(user_id: str) -> str:
    """Always a digest: Weaviate allows 64 letters, digits, `_` and `-`, less than a user id may have; and nobody can choose a user id
    that is another's tenant. The user id itself is a property of each object."""
    return hashlib.sha256(user_id.encode()).hexdigest()


def object_id(user_id: str, memory_id: str) -> UUID:
    return uuid5(NAMESPACE, f"{user_id}\n{memory_id}")


def whole(number: int) -> int:
    """The number as Weaviate can hold it (see EXACT)."""
    return max(-EXACT, min(EXACT, number))


def token(term: str) -> str:
    """A term as one word for Weaviate's whitespace tokenisation, which leaves letters, case and punctuation as they are."""
    return re.sub(r"[\s%\x00-\x1f\x7f]", lambda odd: f"%{ord(odd[0]):02X}", term)


def data_object(user_id: str, item: IndexItem) -> DataObject[Any, None]:
    """StoreRejected for a memory of another user, or one that is no JSON."""
    memory = item.memory
    if memory.user_id != user_id:
        raise StoreRejected(f"memory {memory.id} belongs to another user than the one it is to be indexed for")
    try:
        body = dump(memory)
    except ValueError as error:
        raise StoreRejected(f"memory {memory.id} cannot be indexed: {error}") from error
    return DataObject(
        uuid=object_id(user_id, memory.id),
        properties={
            "memory_id": memory.id,
            "user_id": user_id,
            "timestamp": whole(instant(memory.timestamp)[0]),
            "received": whole(item.received),
            "terms": " ".join(token(term) for term in memory.terms if term),
            "body": body,
        },
        vector={VECTOR: item.vector.tolist()},
    )


def definition(encoder: EncoderId, index: Index) -> dict[str, Any]:
    """The arguments of `collections.create`.

    Weaviate recommends `dynamic` for tenants (flat below 10,000 vectors, HNSW above), but refuses it unless the server runs with
    ASYNC_INDEXING, which is off by default and lets a search miss what was just added. `flat` reads every vector of the user from the disk at
    each question. So HNSW, which is exact below its `flat_search_cutoff` under a filter, is the default; its vectors are held in memory while
    the tenant is active: 4 bytes a dimension, 1.5 KB each for 384. Never compressed, so that distances are exact whatever the server's
    DEFAULT_QUANTIZATION.
    """
    indexes = Configure.VectorIndex
    cosine = VectorDistances.COSINE
    if index == "flat":
        chosen: Any = indexes.flat(distance_metric=cosine, quantizer=indexes.Quantizer.none())
    else:
        chosen = indexes.hnsw(distance_metric=cosine, quantizer=indexes.Quantizer.none())
        if index == "dynamic":
            flat = indexes.flat(distance_metric=cosine, quantizer=indexes.Quantizer.none())
            chosen = indexes.dynamic(distance_metric=cosine, hnsw=chosen, flat=flat)
    return {
        "name": collection_name(encoder),
        "description": describe(encoder),
        "properties": [
            _text("memory_id", Tokenization.FIELD),
            _text("user_id", Tokenization.FIELD),
            _number("timestamp"),
            _number("received"),
            _text("terms", Tokenization.WHITESPACE, searchable=True),
            _text("body", Tokenization.FIELD),
        ],
        # English stems and Korean morphemes are chosen already: none of them is a stop word.
        "inverted_index_config": Configure.inverted_index(bm25_b=B, bm25_k1=K1, stopwords_preset=StopwordsPreset.NONE),
        "multi_tenancy_config": Configure.multi_tenancy(enabled=True, auto_tenant_creation=True, auto_tenant_activation=True),
        "vector_config": Configure.Vectors.self_provided(name=VECTOR, vector_index_config=chosen),
    }


def describe(encoder: EncoderId) -> str:
    return f"LIRA's memories by meaning; schema {VERSION}, encoder {encoder.name}, {encoder.dimensions} dimensions"


def check(config: Any, encoder: EncoderId, setting: str) -> None:
    """StoreRejected, naming the setting, for a collection (`collection.config.get()`) that cannot hold these memories."""
    name = collection_name(encoder)
    stated = re.fullmatch(r"LIRA's memories by meaning; schema (\d+), .*", config.description or "")
    if stated and int(stated[1]) > VERSION:
        raise StoreRejected(
            f"the collection {name} was made by a newer LIRA (schema {stated[1]}, this one knows {VERSION}); update LIRA, or change {setting}"
        )
    wrong = _differences(config, encoder)
    if wrong:
        raise StoreRejected(
            f"the collection {name} is not as LIRA makes it ({', '.join(wrong)}); delete or rename it, or let {setting} name another Weaviate"
        )


def _differences(config: Any, encoder: EncoderId) -> list[str]:
    wrong = [] if config.description == describe(encoder) else ["description"]
    if not config.multi_tenancy_config.enabled:
        wrong.append("multi-tenancy")
    vector = (config.vector_config or {}).get(VECTOR)
    if vector is None or vector.vector_index_config.distance_metric != VectorDistances.COSINE or vector.vectorizer.vectorizer != "none":
        wrong.append(f"vector {VECTOR}")
    inverted = config.inverted_index_config
    if inverted.stopwords.preset != StopwordsPreset.NONE or not (
        isclose(inverted.bm25.b, B, rel_tol=1e-6) and isclose(inverted.bm25.k1, K1, rel_tol=1e-6)
    ):
        wrong.append("inverted index")
    found = {prop.name: prop for prop in config.properties}
    for wanted in definition(encoder, "hnsw")["properties"]:
        there = found.get(wanted.name)
        if there is None or any(_traits(there)[key] != value for key, value in _asked(wanted).items()):
            wrong.append(f"property {wanted.name}")
    return wrong


def _traits(prop: Any) -> dict[str, Any]:
    return {
        "type": prop.data_type,
        "filterable": prop.index_filterable,
        "searchable": prop.index_searchable,
        "range": prop.index_range_filters,
        "tokenization": prop.tokenization,
    }


def _asked(prop: Property) -> dict[str, Any]:
    return {
        "type": prop.dataType,
        "filterable": prop.indexFilterable,
        "searchable": prop.indexSearchable,
        "range": bool(prop.indexRangeFilters),
        "tokenization": prop.tokenization,
    }


def _text(name: str, tokenization: Tokenization, searchable: bool = False) -> Property:
    return Property(
        name=name,
        data_type=DataType.TEXT,
        tokenization=tokenization,
        index_filterable=False,
        index_searchable=searchable,
        skip_vectorization=True,
        vectorize_property_name=False,
    )


def _number(name: str) -> Property:
    return Property(
        name=name,
        data_type=DataType.INT,
        index_filterable=False,
        index_searchable=False,
        index_range_filters=True,
        skip_vectorization=True,
        vectorize_property_name=False,
    )
