"""What `server` stores and how it answers: collections, tenants, objects, filters, cosine and BM25, and what Weaviate would refuse.

Errors are `Refused`, whose text is what Weaviate 1.3x says (its source: usecases/objects, usecases/schema, adapters/repos/db/inverted).
"""

from __future__ import annotations

import copy
import math
import re
import threading
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from weaviate.proto.v1 import base_pb2

Filters = base_pb2.Filters

TENANT = re.compile(r"[A-Za-z0-9_-]{1,64}")
CLASS = re.compile(r"[A-Z][_0-9A-Za-z]{0,254}")
ENGLISH = frozenset(("a", "an", "and", "are", "as", "at", "be", "for", "in", "is", "it", "no", "not", "of", "on", "or", "the", "this", "to", "was"))
"""The preset `en` of stop words, as far as it fits a line."""


class Refused(Exception):
    """What Weaviate answers with an error."""

    def __init__(self, text: str, status: int = 422) -> None:
        super().__init__(text)
        self.status = status


@dataclass
class Stored:
    id: str
    properties: dict[str, Any]
    vectors: dict[str, NDArray[np.float32]]


@dataclass
class TenantState:
    active: bool = True
    objects: dict[str, Stored] = field(default_factory=dict)


@dataclass
class Collection:
    definition: dict[str, Any]
    tenants: dict[str, TenantState] = field(default_factory=dict)
    left: dict[str, TenantState] = field(default_factory=dict)
    """The files of tenants that were removed while inactive, which come back with the name (issue 8889, up to 1.32)."""

    @property
    def properties(self) -> dict[str, dict[str, Any]]:
        return {prop["name"]: prop for prop in self.definition["properties"]}


class Engine:
    """All of it behind one lock, as the servers are threads."""

    def __init__(self, *, maximum: int = 10_000, auto_schema: bool = False) -> None:
        self.maximum = maximum
        self.auto_schema = auto_schema
        self.lock = threading.RLock()
        self.collections: dict[str, Collection] = {}

    # The schema.

    def create(self, wanted: dict[str, Any]) -> dict[str, Any]:
        name = wanted["class"]
        if not CLASS.fullmatch(name):
            raise Refused(f"'{name}' is not a valid class name")
        if any(there.lower() == name.lower() for there in self.collections):
            raise Refused(f"class name {name} already exists")
        for prop in wanted.get("properties", []):
            text = prop["dataType"] == ["text"]
            if prop.get("indexSearchable") and not text:
                raise Refused("`indexSearchable` is allowed only for text/text[] data types. For other data types set false or leave empty")
            if prop.get("indexRangeFilters") and prop["dataType"][0] not in ("int", "number", "date"):
                raise Refused("`indexRangeFilters` is allowed only for int/number/date data types. For other data types set false or leave empty")
            if prop.get("tokenization") and not text:
                raise Refused(f"tokenization is not allowed for data type '{prop['dataType'][0]}'")
        for vector in wanted.get("vectorConfig", {}).values():
            if vector["vectorIndexType"] == "dynamic":
                raise Refused("the dynamic index can only be created under async indexing environment (ASYNC_INDEXING=true)")
        self.collections[name] = Collection(_with_defaults(wanted))
        return self.collections[name].definition

    def named(self, name: str) -> Collection:
        if name not in self.collections:
            raise Refused(f"could not find class {name} in schema", 404)
        return self.collections[name]

    # Tenants.

    def create_tenant(self, collection: Collection, name: str, active: bool = True) -> None:
        if not TENANT.fullmatch(name):
            raise Refused(f" '{name}' is not a valid tenant name. should only contain alphanumeric characters (a-z, A-Z, 0-9), underscore (_)")
        collection.tenants.setdefault(name, collection.left.pop(name, TenantState())).active = active

    def remove_tenant(self, collection: Collection, name: str) -> None:
        state = collection.tenants.pop(name, None)
        if state is not None and not state.active:
            collection.left[name] = state

    def tenant(self, collection: Collection, name: str, *, opens: bool, creates: bool = False) -> TenantState:
        """`opens`: whether this way in honours autoTenantActivation; a batch deletion over gRPC does not (issue 12953)."""
        options = collection.definition["multiTenancyConfig"]
        if not options["enabled"]:
            if name:
                raise Refused("class has multi-tenancy disabled, but request was with tenant")
            return collection.tenants.setdefault("", TenantState())
        if not name:
            raise Refused("class has multi-tenancy enabled, but request was without tenant")
        if name not in collection.tenants:
            if not (creates and options["autoTenantCreation"]):
                raise Refused(f'tenant not found: "{name}"')
            self.create_tenant(collection, name)
        state = collection.tenants[name]
        if not state.active:
            if not (opens and options["autoTenantActivation"]):
                raise Refused(f'tenant not active: "{name}"')
            state.active = True
        return state

    # Objects.

    def put(self, collection_name: str, tenant: str, id: str, properties: dict[str, Any], vectors: dict[str, NDArray[np.float32]]) -> None:
        if collection_name not in self.collections and self.auto_schema:
            self.create(_guessed(collection_name, properties, bool(tenant)))
        collection = self.named(collection_name)
        uuid.UUID(id)
        state = self.tenant(collection, tenant, opens=True, creates=True)
        for name, value in properties.items():
            properties[name] = _validated(collection, name, value)
        for name, vector in vectors.items():
            if name not in collection.definition["vectorConfig"]:
                raise Refused(f"collection {collection_name} does not have configuration for vector {name}")
            others = (held.vectors[name] for held in state.objects.values() if name in held.vectors)
            length = len(next(others, vector))
            if len(vector) != length:
                raise Refused(f"new node has a vector with length {len(vector)}. Existing nodes have vectors with length {length}")
        state.objects[id] = Stored(id, properties, vectors)

    def matching(self, collection: Collection, state: TenantState, filters: Any) -> list[Stored]:
        found = list(state.objects.values()) if filters is None else [o for o in state.objects.values() if _passes(collection, filters, o)]
        # Weaviate promises no order; this one is not that of adding.
        return sorted(found, key=lambda o: o.id)

    def near(self, collection: Collection, found: list[Stored], target: str, vector: NDArray[np.float32]) -> list[tuple[Stored, float]]:
        if target not in collection.definition["vectorConfig"]:
            raise Refused(f"collection {collection.definition['class']} does not have named vector {target} configured")
        candidates = [o for o in found if target in o.vectors]
        for candidate in candidates[:1]:
            if len(candidate.vectors[target]) != len(vector):
                raise Refused(f"vector lengths don't match: {len(candidate.vectors[target])} vs {len(vector)}")
        scored = [(o, 1 - float(_unit(o.vectors[target]) @ _unit(vector))) for o in candidates]
        return sorted(scored, key=lambda pair: pair[1])

    def bm25(self, collection: Collection, state: TenantState, found: list[Stored], query: str, properties: list[str]) -> list[tuple[Stored, float]]:
        for name in properties:
            if not collection.properties[name]["indexSearchable"]:
                raise Refused(f"Searching by property '{name}' requires inverted index. Is `indexSearchable` option of property '{name}' enabled?")
        options = collection.definition["invertedIndexConfig"]
        b, k1 = options["bm25"]["b"], options["bm25"]["k1"]
        stopped = ENGLISH if options["stopwords"]["preset"] == "en" else frozenset()
        (name,) = properties
        words = {id: str(o.properties.get(name, "")).split() for id, o in state.objects.items()}
        mean = sum(map(len, words.values())) / max(len(words), 1)
        scores: Counter[str] = Counter()
        for term, boost in Counter(word for word in query.split() if word not in stopped).items():
            held = {id: count for id, tokens in words.items() if (count := tokens.count(term))}
            idf = math.log(1 + (len(words) - len(held) + 0.5) / (len(held) + 0.5))
            for id, count in held.items():
                scores[id] += boost * idf * count * (k1 + 1) / (count + k1 * (1 - b + b * len(words[id]) / mean))
        # float32, as it goes over the wire
        return sorted(((o, float(np.float32(scores[o.id]))) for o in found if o.id in scores), key=lambda pair: -pair[1])


def _passes(collection: Collection, filters: Any, stored: Stored) -> bool:
    if filters.operator in (Filters.OPERATOR_AND, Filters.OPERATOR_OR):
        results = [_passes(collection, one, stored) for one in filters.filters]
        return all(results) if filters.operator == Filters.OPERATOR_AND else any(results)
    name = filters.target.property
    if name == "_id":
        if filters.operator != Filters.OPERATOR_CONTAINS_ANY:
            raise Refused(f"operator {filters.operator} is not written in this server")
        return stored.id in filters.value_text_array.values
    prop = collection.properties.get(name)
    if prop is None:
        raise Refused(f"no such prop with name '{name}' found in class '{collection.definition['class']}' in the schema")
    if not (prop["indexFilterable"] or prop["indexSearchable"] or prop["indexRangeFilters"]):
        raise Refused(f"Filtering by property '{name}' requires inverted index. Is `indexFilterable` option of property '{name}' enabled?")
    if prop["dataType"] != ["int"] or filters.WhichOneof("test_value") != "value_int":
        raise Refused(f'data type filter cannot use "{filters.WhichOneof("test_value")}" on type "{prop["dataType"][0]}"')
    held, asked = stored.properties[name], filters.value_int
    compare = {
        Filters.OPERATOR_LESS_THAN_EQUAL: held <= asked,
        Filters.OPERATOR_GREATER_THAN: held > asked,
    }
    if filters.operator not in compare:
        raise Refused(f"operator {filters.operator} is not written in this server")
    return compare[filters.operator]


def _validated(collection: Collection, name: str, value: Any) -> Any:
    prop = collection.properties.get(name)
    if prop is None:
        raise Refused(f"invalid object: no such prop with name '{name}' found in class '{collection.definition['class']}' in the schema")
    if prop["dataType"] == ["int"]:
        if not isinstance(value, float) or not value.is_integer():
            raise Refused(f"invalid object: invalid integer property '{name}' on class '{collection.definition['class']}': not an integer")
        return int(value)
    if not isinstance(value, str):
        raise Refused(f"invalid object: invalid text property '{name}' on class '{collection.definition['class']}': not a string")
    return value


def _with_defaults(wanted: dict[str, Any]) -> dict[str, Any]:
    """As `GET /v1/schema/<class>` gives it back: what was left out is there."""
    whole = copy.deepcopy(wanted)
    for prop in whole.setdefault("properties", []):
        text = prop["dataType"] == ["text"]
        prop |= {"indexFilterable": True, "indexSearchable": text, "indexRangeFilters": False} | prop
        if text:
            prop.setdefault("tokenization", "word")
    inverted = whole.setdefault("invertedIndexConfig", {})
    inverted.setdefault("bm25", {"b": 0.75, "k1": 1.2})
    inverted.setdefault("cleanupIntervalSeconds", 60)
    inverted["stopwords"] = {"preset": "en", "additions": None, "removals": None} | inverted.get("stopwords", {})
    whole["multiTenancyConfig"] = {"enabled": False, "autoTenantCreation": False, "autoTenantActivation": False} | whole.get("multiTenancyConfig", {})
    whole["replicationConfig"] = {"factor": 1, "asyncEnabled": False, "deletionStrategy": "NoAutomatedResolution"}
    whole["shardingConfig"] = dict.fromkeys(("virtualPerPhysical", "desiredCount", "actualCount", "desiredVirtualCount", "actualVirtualCount"), 1) | {
        "key": "_id",
        "strategy": "hash",
        "function": "murmur3",
    }
    hnsw = {"cleanupIntervalSeconds": 300, "distance": "cosine", "dynamicEfMin": 100, "dynamicEfMax": 500, "dynamicEfFactor": 8, "ef": -1}
    hnsw |= {"efConstruction": 128, "filterStrategy": "sweeping", "flatSearchCutoff": 40_000, "maxConnections": 32, "skip": False}
    for vector in whole.setdefault("vectorConfig", {}).values():
        vector["vectorIndexConfig"] = hnsw | {"vectorCacheMaxObjects": 10**12} | vector["vectorIndexConfig"]
    return whole


def _guessed(name: str, properties: dict[str, Any], tenants: bool) -> dict[str, Any]:
    """What auto-schema makes of the first object of a collection that is not there."""
    kinds = {name: ["text"] if isinstance(value, str) else ["number"] for name, value in properties.items()}
    return {
        "class": name,
        "properties": [{"name": name, "dataType": kind} for name, kind in kinds.items()],
        "vectorConfig": {"meaning": {"vectorizer": {"none": {}}, "vectorIndexType": "hnsw", "vectorIndexConfig": {}}},
        "multiTenancyConfig": {"enabled": tenants, "autoTenantCreation": True},
    }


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / (np.linalg.norm(vector) or np.float32(1))
