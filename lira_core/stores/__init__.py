"""Where LIRA keeps things: which engine serves a role is chosen by the scheme of its URL, nothing else differs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lira_core.stores.ports import (
    Deferred,
    EncoderId,
    Forgotten,
    Lexical,
    Record,
    Role,
    ShortTerm,
    StoreError,
    StoreRejected,
    StoreUnavailable,
    Unfinished,
    Vectors,
)

__all__ = [
    "Forgotten",
    "Opening",
    "StoreError",
    "StoreOptions",
    "StoreRejected",
    "StoreUnavailable",
    "Stores",
    "Unfinished",
    "open_role",
    "open_stores",
]

ENGINES: Final[Mapping[Role, Mapping[str, str]]] = {
    "short_term": {"sqlite": "sqlite", "redis": "redis", "rediss": "redis"},
    "record": {"sqlite": "sqlite", "mongodb": "mongo", "mongodb+srv": "mongo"},
    "vectors": {"sqlite": "sqlite", "weaviate": "weaviate", "weaviates": "weaviate", "milvus": "milvus"},
}
"""Role → scheme → module below this package, which has `async def open_<role>(opening: Opening)`."""

FORMS: Final[Mapping[str, str]] = {
    "sqlite": "sqlite:///PATH",
    "redis": "redis://HOST:6379/0",
    "rediss": "rediss://HOST:6379/0",
    "mongodb": "mongodb://HOST/DATABASE",
    "mongodb+srv": "mongodb+srv://HOST/DATABASE",
    "weaviate": "weaviate://HOST:8080?grpc_port=50051",
    "weaviates": "weaviates://HOST:443?grpc_port=443",
    "milvus": "milvus://HOST:19530 or milvus:///PATH.db",
}


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What every engine is told, whatever its URL."""

    encoder: EncoderId
    session_ttl_seconds: float = 86_400
    session_max_messages: int = 1_000
    answers_ttl_seconds: float = 86_400


@dataclass(frozen=True, slots=True)
class Opening:
    """One role to be opened. `setting` names it in errors; `shared` lets the roles of one engine share a file or a client."""

    role: Role
    url: str
    options: StoreOptions
    shared: dict[str, Any] = field(default_factory=dict)

    @property
    def setting(self) -> str:
        return f"LIRA_{self.role.upper()}_URL"


@dataclass(frozen=True, slots=True)
class Stores:
    """The roles; `close` waits for the writes under way. `lexical` finds by words: the record, or a search engine that can."""

    short_term: ShortTerm
    deferred: Deferred
    record: Record
    vectors: Vectors
    lexical: Record | Lexical

    async def close(self) -> None:
        for store in (self.short_term, self.deferred, self.record, self.vectors):
            await store.close()


async def open_stores(urls: Mapping[Role, str], options: StoreOptions, *, words: Role = "record") -> Stores:
    """Open what the URLs name. A server that is away is no error: its store raises StoreUnavailable until it is back.

    StoreRejected, naming the setting, for a URL that names nothing LIRA can open, a client that is not installed, a password that is
    refused, a schema that is not ours. `words` says which role finds by words.
    """
    shared: dict[str, Any] = {}
    opened: list[Any] = []
    try:
        short_term, deferred = await open_role(Opening("short_term", urls["short_term"], options, shared))
        opened += [short_term, deferred]
        record: Record = await open_role(Opening("record", urls["record"], options, shared))
        opened.append(record)
        vectors = await open_role(Opening("vectors", urls["vectors"], options, shared))
        opened.append(vectors)
        if words == "vectors" and not hasattr(vectors, "lexical"):
            raise StoreRejected("LIRA_WORDS=vectors needs an index that finds by words, such as weaviate://; leave it at record")
        return Stores(short_term, deferred, record, vectors, vectors if words == "vectors" else record)
    except BaseException:
        for store in opened:
            await store.close()
        raise


async def open_role(opening: Opening) -> Any:
    """What the URL of one role names: (ShortTerm, Deferred), a Record or Vectors. StoreRejected as for `open_stores`."""
    scheme, separator, _ = opening.url.partition("://")
    engines = ENGINES[opening.role]
    if not separator or scheme not in engines:
        what = f"has the scheme {scheme!r}" if separator else f"is no URL: {opening.url!r}"
        raise StoreRejected(f"{opening.setting} {what}; what can be used: {', '.join(FORMS[name] for name in engines)}")
    try:
        engine = importlib.import_module(f"{__name__}.{engines[scheme]}")
    except ModuleNotFoundError as error:
        raise StoreRejected(
            f"{opening.setting}={scheme}://... needs the package {error.name}: pip install 'lira[cluster]', or EXTRAS=cluster make serve"
        ) from error
    return await getattr(engine, f"open_{opening.role}")(opening)
