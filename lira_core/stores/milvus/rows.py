"""What a row of the index is, the same on a server and in a folder.

No text of a person is ever part of an expression, of a key, or of a tombstone: users and memories are named in them by hashes of their
ids, which are 64 hexadecimal digits whatever the ids hold.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np

from lira_core.stores import codec
from lira_core.stores.ports import EncoderId, Hit, IndexItem, StoreRejected, Vector
from lira_core.types import Memory

HASH_LENGTH: Final = 64
ID_BYTES: Final = 512
"""The most bytes of a memory's id: 128 characters, and room for any script."""

BODY_BYTES: Final = 65_535
"""The most bytes of one VARCHAR or JSON field of Milvus (https://milvus.io/docs/limitations.md); it counts bytes, not characters."""
BODY_FIELDS: Final = tuple(f"body_{part}" for part in range(8))
"""A body is cut into these: 512 KiB. A memory of 4,000 Hangul with its terms and ten facts measures 40 KB, before its metadata."""


COLLECTIONS: Final = "lira_1_"
"""What the names of our collections begin with."""


def collection_name(encoder: EncoderId) -> str:
    """Letters, digits and `_`, which is all that Milvus takes; the hash keeps `a-b` and `a_b` apart."""
    digest = hashlib.sha256(encoder.name.encode()).hexdigest()[:8]
    return f"{COLLECTIONS}{encoder.name.replace('-', '_')[:100]}_{encoder.dimensions}_{digest}"


def owner(user_id: str) -> str:
    return hashlib.sha256(user_id.encode()).hexdigest()


def key(user_id: str, memory_id: str) -> str:
    """The primary key. The length keeps user `a` with memory `b:c` and user `a:b` with memory `c` apart."""
    return hashlib.sha256(f"{len(user_id)}:{user_id}:{memory_id}".encode()).hexdigest()


def row(user_id: str, item: IndexItem, encoder: EncoderId) -> dict[str, Any]:
    """StoreRejected for another's memory, a vector that is none of the encoder's, or a body that no row holds."""
    memory = item.memory
    if memory.user_id != user_id:
        raise StoreRejected(f"memory {memory.id} belongs to another user than the one whose index it was given to")
    try:
        timestamp, _ = codec.instant(memory.timestamp)
        body = split(codec.dump(memory))
    except ValueError as error:
        raise StoreRejected(f"memory {memory.id} cannot be indexed: {error}") from error
    return {
        "id": key(user_id, memory.id),
        "owner": owner(user_id),
        "memory_id": memory.id,
        "timestamp": timestamp,
        "received": item.received,
        "vector": checked(item.vector, encoder),
        **dict(zip(BODY_FIELDS, body, strict=True)),
    }


def checked(vector: Vector, encoder: EncoderId) -> list[float]:
    """StoreRejected for a vector of another length than the encoder's, or not finite."""
    if vector.shape != (encoder.dimensions,):
        shape = "x".join(map(str, vector.shape))
        raise StoreRejected(f"a vector of {encoder.name} has {encoder.dimensions} dimensions, not {shape}: two encoders never share an index")
    if not np.isfinite(vector).all():
        raise StoreRejected(f"a vector of {encoder.name} is not finite: the encoder that made it is broken")
    numbers: list[float] = vector.astype(np.float32).tolist()
    return numbers


def split(body: str) -> list[str]:
    """The body in as many parts as there are fields, the last ones empty, each cut between two characters."""
    data = body.encode()
    parts = []
    for _ in BODY_FIELDS:
        end = min(BODY_BYTES, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:  # in the middle of a character
            end -= 1
        parts.append(data[:end].decode())
        data = data[end:]
    if data:
        raise ValueError(f"it takes more than {len(BODY_FIELDS) * BODY_BYTES:,} bytes; shorten its metadata")
    return parts


def bodies(found: Sequence[Mapping[str, Any]], ids: Sequence[str]) -> list[Memory]:
    """The memories of the rows, in the order of `ids`, each once."""
    by_id = {entry["memory_id"]: "".join(entry[part] for part in BODY_FIELDS) for entry in found}
    return [codec.load_memory(by_id[id]) for id in dict.fromkeys(ids) if id in by_id]


def until_filter(until: datetime | None) -> str:
    """The expression for `Vectors.search`'s `until`, empty for None."""
    return "" if until is None else f"timestamp <= {codec.instant(until)[0]}"


def hit(memory_id: str, cosine: float) -> Hit:
    # Rounding may put the cosine of a vector with itself a little above 1.
    return Hit(memory_id, min(max(cosine, -1.0), 1.0))
