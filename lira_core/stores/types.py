"""What goes into stores and comes out of them, and how they fail; `lira_core.stores.ports` says who promises what about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from lira_core.types import BufferEntry, Event, Memory, Message

Vector = NDArray[np.float32]
Role = Literal["short_term", "record", "vectors"]


class StoreError(Exception):
    """Whatever a store could not do; raised as one of its three kinds. The message says which store and what to do."""


class StoreUnavailable(StoreError):
    """Down, full, locked, or too slow: wait, go on without it, try again."""


class Unfinished(StoreUnavailable):
    """A deletion met a store that is away, and is noted where it will be finished without being asked for again. No store raises it itself."""


class StoreRejected(StoreError):
    """Bad data, a wrong address, password or schema, or a bug of ours: trying again is no use."""


class Forgotten(StoreError):
    """The write was made for something that has been deleted since. Nothing was written, and nothing shall be."""


@dataclass(frozen=True, slots=True)
class EncoderId:
    """Which encoder made a vector: two encoders never mix. `name` is letters, digits, `_` and `-` (it is part of an index's name)."""

    name: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One memory that a finder found. Each finder says on which scale its score is."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Write:
    """What one step of a turn, or an import, adds to the record: all of it, or nothing.

    `id` is that of its event, or of the import. Memories carry ids of their own; one that is kept from an utterance has its event's id.
    """

    id: str
    user_id: str
    received: int
    event: Event | None = None
    memories: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """An event, and what was said before and after it in its session, oldest first, without itself."""

    event: Event
    around: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Erasure:
    """A deletion, of one memory or (`memory_id` None) of everything of a user that was received until `cut`.

    `id` is the memory's, or `*`.
    """

    user_id: str
    memory_id: str | None
    cut: int

    @property
    def id(self) -> str:
        return self.memory_id or "*"


@dataclass(frozen=True, slots=True)
class Unindexed:
    """A memory that has no vector yet."""

    memory: Memory
    received: int


P_co = TypeVar("P_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Entry(Generic[P_co]):
    """Something that waits to be done, held by whoever claimed it. `attempts` counts this claim too: 1 at the first."""

    user_id: str
    id: str
    payload: P_co
    attempts: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Something that was given up on, for a person to look at. Never what was said, only whose and which."""

    user_id: str
    id: str
    attempts: int
    reason: str


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many entries wait (claimed ones among them), and how many were given up on."""

    waiting: int
    dead: int


@dataclass(frozen=True, slots=True)
class SessionTurn:
    """What one turn adds to its session. `quotes` are the ids of the memories that its reply rests on; `recalled` replaces the buffer,
    whose entries name theirs."""

    id: str
    received: int
    at: datetime
    messages: tuple[Message, ...]
    recalled: tuple[BufferEntry, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What is kept under an idempotency key: which request it was (`digest`), and the answer, None while it is being made."""

    digest: str
    body: bytes | None


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """Which encoders have an index: `serving` is asked, `building` is being made (anew, where both are the same). New memories wait for a
    vector of each."""

    serving: str | None = None
    building: str | None = None


@dataclass(frozen=True, slots=True)
class IndexItem:
    """What the index holds of a memory: enough to find it, and to show it while the record is away."""

    memory: Memory
    received: int
    vector: Vector
