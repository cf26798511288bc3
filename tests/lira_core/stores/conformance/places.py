"""A look into the raw storage of each engine: one empty database each.

`Place.rows()` gives all that it holds, row by row; `Place.raw()` the bytes a thief would find; `Place.poison(mark)` breaks every stored
value that holds `mark`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

BROKEN = "{"
"""What a poisoned value becomes: JSON that ends too early."""


class Place(Protocol):
    """One empty database (or file) of one engine."""

    @property
    def url(self) -> str: ...

    def rows(self) -> list[str]:
        """Every row, key and document, each as text."""
        ...

    def raw(self) -> bytes:
        """All bytes that the engine keeps, as far as it lets one look."""
        ...


class Poisonable(Place, Protocol):
    """Where something waits in an outbox; nothing does in an index by meaning."""

    def poison(self, mark: str) -> int:
        """Breaks every stored value that holds `mark`; how many."""
        ...


# SQLite


@dataclass(frozen=True)
class SqlitePlace:
    """One file, with its journal beside it."""

    path: Path

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"

    def rows(self) -> list[str]:
        with closing(sqlite3.connect(self.path, timeout=10)) as connection:
            return [
                " ".join(value.decode(errors="replace") if isinstance(value, bytes) else str(value) for value in row)
                for table in self._tables(connection)
                for row in connection.execute(f'SELECT * FROM "{table}"')
            ]

    def raw(self) -> bytes:
        return b"".join(file.read_bytes() for file in sorted(self.path.parent.glob(f"{self.path.name}*")))

    def poison(self, mark: str) -> int:
        broken = 0
        with closing(sqlite3.connect(self.path, timeout=10)) as connection, connection:
            for table in self._tables(connection):
                for column in [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]:
                    broken += connection.execute(
                        f'UPDATE "{table}" SET "{column}" = CASE typeof("{column}") WHEN \'blob\' THEN CAST(? AS BLOB) ELSE ? END'
                        f" WHERE typeof(\"{column}\") IN ('text', 'blob') AND instr(CAST(\"{column}\" AS TEXT), ?) > 0",
                        (BROKEN, BROKEN, mark),
                    ).rowcount
        return broken

    def _tables(self, connection: sqlite3.Connection) -> list[str]:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]


# Redis and Valkey


@dataclass(frozen=True)
class RedisPlace:
    """One numbered database of a Redis or Valkey server."""

    url: str

    def rows(self) -> list[str]:
        with closing(self._client()) as client:
            return [f"{key.decode()} {_plain(self._value(client, key))}" for key in client.scan_iter(count=1_000)]

    def raw(self) -> bytes:
        return "\n".join(self.rows()).encode()

    def poison(self, mark: str) -> int:
        sought = mark.encode()
        broken = 0
        with closing(self._client()) as client:
            for key in client.scan_iter(count=1_000):
                value = self._value(client, key)
                if isinstance(value, bytes) and sought in value:
                    client.set(key, BROKEN, keepttl=True)
                    broken += 1
                elif isinstance(value, dict):
                    for name in [name for name, held in value.items() if sought in held]:
                        client.hset(key, name, BROKEN)
                        broken += 1
                elif isinstance(value, list) and value and isinstance(value[0], tuple):
                    for member, score in [(member, score) for member, score in value if sought in member]:
                        client.zrem(key, member)
                        client.zadd(key, {BROKEN: score})
                        broken += 1
        return broken

    def _client(self) -> Any:
        from redis import Redis

        return Redis.from_url(self.url)

    def _value(self, client: Any, key: bytes) -> Any:
        """bytes, a dict of bytes, a list or set of bytes, or a list of (member, score); what `DUMP` gives of any other type."""
        kind = client.type(key).decode()
        reads = {
            "string": client.get,
            "hash": client.hgetall,
            "list": lambda key: client.lrange(key, 0, -1),
            "set": client.smembers,
            "zset": lambda key: client.zrange(key, 0, -1, withscores=True),
            "stream": client.xrange,
        }
        return reads.get(kind, client.dump)(key)


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, dict):
        return " ".join(f"{_plain(k)}={_plain(v)}" for k, v in value.items())
    if isinstance(value, list | tuple | set):
        return " ".join(map(_plain, value))
    return str(value)


# MongoDB


@dataclass(frozen=True)
class MongoPlace:
    """One database of a server that speaks MongoDB's wire protocol."""

    url: str

    def rows(self) -> list[str]:
        return [repr(document) for _, document in self._documents()]

    def raw(self) -> bytes:
        import bson

        return b"\n".join(bson.encode(document) for _, document in self._documents())

    def poison(self, mark: str) -> int:
        from pymongo import MongoClient

        broken = 0
        with MongoClient(self.url) as client:
            for name, document in self._documents():
                changed = {key: _poisoned(value, mark) for key, value in document.items() if key != "_id"}
                changed = {key: value for key, value in changed.items() if value != document[key]}
                if changed:
                    client.get_default_database()[name].update_one({"_id": document["_id"]}, {"$set": changed})
                    broken += len(changed)
        return broken

    def drop(self) -> None:
        from pymongo import MongoClient

        with MongoClient(self.url) as client:
            client.drop_database(client.get_default_database().name)

    def _documents(self) -> Iterator[tuple[str, dict[str, Any]]]:
        from pymongo import MongoClient

        with MongoClient(self.url) as client:
            database = client.get_default_database()
            for name in database.list_collection_names():
                for document in database[name].find():
                    yield name, document


def _poisoned(value: Any, mark: str) -> Any:
    if isinstance(value, str):
        return BROKEN if mark in value else value
    if isinstance(value, bytes):
        return BROKEN.encode() if mark.encode() in value else value
    if isinstance(value, dict):
        return {key: _poisoned(held, mark) for key, held in value.items()}
    return [_poisoned(held, mark) for held in value] if isinstance(value, list) else value


# Milvus


@dataclass(frozen=True)
class MilvusPlace:
    """One Milvus server. Tests are kept apart by the names of their encoders."""

    url: str

    def rows(self) -> list[str]:
        from pymilvus import MilvusClient

        parts = urlsplit(self.url)
        token = f"{parts.username}:{parts.password}" if parts.username else parts.password or ""
        with closing(MilvusClient(f"http://{parts.hostname}:{parts.port}", token=token)) as client:
            return [
                str(dict(row))
                for name in client.list_collections()
                for row in client.query(name, filter="", limit=16_384, output_fields=["*"], consistency_level="Strong")
            ]

    def raw(self) -> bytes:
        return "\n".join(self.rows()).encode()


@dataclass(frozen=True)
class MilvusLitePlace(MilvusPlace):
    """One folder of Milvus Lite. It belongs to the process that has it open, so what is looked at is its files, unpacked."""

    def rows(self) -> list[str]:
        return self.raw().decode(errors="replace").splitlines()

    def raw(self) -> bytes:
        from ..milvus.storage import raw

        return raw(Path(urlsplit(self.url).path[1:]))


# Weaviate


@dataclass(frozen=True)
class WeaviatePlace:
    """A server that speaks Weaviate's REST and gRPC. Tests are kept apart by the names of their encoders."""

    url: str

    def rows(self) -> list[str]:
        import httpx

        parts = urlsplit(self.url)
        base = f"{'https' if parts.scheme == 'weaviates' else 'http'}://{parts.hostname}:{parts.port}/v1"
        headers = {"Authorization": f"Bearer {parts.password}"} if parts.password else {}
        found: list[str] = []
        with httpx.Client(headers=headers, timeout=10) as client:
            for kind in [held["class"] for held in client.get(f"{base}/schema").raise_for_status().json()["classes"]]:
                for tenant in [held["name"] for held in client.get(f"{base}/schema/{kind}/tenants").raise_for_status().json()]:
                    answer = client.get(f"{base}/objects", params={"class": kind, "tenant": tenant, "limit": 10_000}).raise_for_status()
                    found += [f"{kind} {tenant} {held}" for held in answer.json()["objects"]]
        return found

    def raw(self) -> bytes:
        return "\n".join(self.rows()).encode()
