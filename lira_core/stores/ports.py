"""What LIRA asks of a store, by role. `user_id` is the first argument of every method that touches a person's data.

One engine per file implements one or more of these. A method that cannot do its work raises `StoreError`;
it never answers with a part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lira_core.types import BufferEntry, Event, Memory, Message, Session

Vector = NDArray[np.float32]


class StoreError(Exception):
    """A store that is down, full or broken; the message says which and what to do."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One memory that holds a term: how often, and how many terms the memory has in all."""

    memory_id: str
    frequency: int
    length: int


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What BM25 needs of one user: how many memories there are, their mean length in terms, and who holds which term."""

    memories: int
    mean_length: float
    postings: Mapping[str, Sequence[Posting]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A write that waits because the record was down: the event and, if the gate kept it, the memory."""

    event: Event
    memory: Memory | None


class ShortTerm(Protocol):
    """The session: appended atomically, capped, gone `ttl` after the last turn. A session belongs to (user_id, session_id)."""

    async def append(
        self, user_id: str, session_id: str, messages: Sequence[Message], recalled: Sequence[BufferEntry], at: datetime, turn_id: str
    ) -> None:
        """Append one turn's messages, all or none, once per `turn_id`; `recalled` replaces the buffer; expiry counts from `at`."""
        ...

    async def read(self, user_id: str, session_id: str, at: datetime | None = None, last: int | None = None) -> Session:
        """The session as of `at` (the wall clock when None), with its `last` messages (all when None); empty when absent or expired."""
        ...

    async def delete(self, user_id: str, session_id: str) -> None: ...

    async def delete_user(self, user_id: str) -> None:
        """Every session of the user and every deferred write."""
        ...

    async def defer(self, user_id: str, write: Deferred) -> None:
        """Keep a write for when the record is back. Durable as far as this store is."""
        ...

    async def deferred(self, limit: int) -> list[Deferred]:
        """The oldest deferred writes of all users (for the reconciler)."""
        ...

    async def settle(self, event_ids: Sequence[str]) -> None:
        """Forget deferred writes that the record has now taken."""
        ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class Memories(Protocol):
    """The record: events are append-only, memories are derived from them. A write that returned is durable."""

    async def write(self, user_id: str, event: Event | None, memory: Memory | None) -> None:
        """One atomic, durable, idempotent (by their ids) write; the memory starts out unindexed."""
        ...

    async def write_many(self, user_id: str, memories: Sequence[Memory]) -> None:
        """Import: all or none."""
        ...

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        """Those that exist and are this user's, in the order asked."""
        ...

    async def by_slots(self, user_id: str, slots: Sequence[tuple[str | None, str]], limit: int) -> list[Memory]:
        """Memories with a fact of any (subject, predicate), newest first; subject None means whoever."""
        ...

    async def by_terms(self, user_id: str, terms: Sequence[str]) -> TermMatches: ...

    async def by_emotion(self, user_id: str, label: str, minimum: float, limit: int) -> list[Memory]:
        """Memories whose strongest real emotion is `label` with at least `minimum`, newest first."""
        ...

    async def newest_of_keys(self, user_id: str, keys: Sequence[str], at: datetime | None = None) -> dict[str, tuple[datetime, str]]:
        """For each fact key: (timestamp, memory id) of the newest memory that holds it, not after `at` when given."""
        ...

    async def page(self, user_id: str, limit: int, cursor: str | None) -> tuple[list[Memory], str | None]:
        """Newest first; the cursor is opaque, and stays valid while memories are added. A broken cursor raises ValueError."""
        ...

    async def delete(self, user_id: str, memory_id: str) -> bool:
        """True when it was this user's. The event it was derived from goes with it."""
        ...

    async def delete_user(self, user_id: str) -> None: ...

    async def unindexed(self, limit: int) -> list[Memory]:
        """The oldest memories of all users whose vector has not been confirmed (for the reconciler)."""
        ...

    async def mark_indexed(self, user_id: str, ids: Sequence[str]) -> None: ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class Vectors(Protocol):
    """The index by meaning, derived from memories. Vectors are L2-normalised float32."""

    async def add(self, user_id: str, items: Sequence[tuple[str, Vector]]) -> None:
        """(memory id, vector) pairs; an id that is there is overwritten."""
        ...

    async def search(self, user_id: str, vector: Vector, limit: int) -> list[tuple[str, float]]:
        """(memory id, cosine), best first."""
        ...

    async def delete(self, user_id: str, ids: Sequence[str]) -> None: ...

    async def delete_user(self, user_id: str) -> None: ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...
