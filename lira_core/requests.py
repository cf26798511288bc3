"""What LIRA can be asked: one class per operation, the same in the library, between deployments and behind the HTTP surface.

`received` is when the request reached LIRA (`stamp()`), on the clock that deletions are compared with.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from lira_core.replies import Found, FoundEvents, Ids, Page, Readiness, Reply, SessionState, Summaries
from lira_core.types import Scope

A = TypeVar("A")


def stamp() -> int:
    """Now, in microseconds since 1970 UTC."""
    return time.time_ns() // 1_000


def new_id() -> str:
    return uuid.uuid4().hex


class InvalidRequest(ValueError):
    """A request that no LIRA can answer; `field` names what is wrong with it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(field, message)
        self.field, self.message = field, message


@dataclass(frozen=True, slots=True)
class Once:
    """A request that may come twice: its idempotency key, and the digest of what else it says."""

    key: str
    digest: str


def with_offset(at: datetime | None, field: str = "at") -> datetime | None:
    """The same moment; InvalidRequest, naming its field, for one without a UTC offset, it could be anywhere."""
    if at is not None and at.tzinfo is None:
        raise InvalidRequest(field, f"{at.isoformat()} has no UTC offset; write one such as +09:00")
    return at


class Request(Generic[A]):
    """Something that is answered with an `A`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Say(Request[Reply]):
    """One turn. `at` is when it was said (with an offset; the clock when None), `id` names the turn, its event and its memory."""

    user_id: str
    session_id: str
    text: str
    at: datetime | None = None
    id: str = field(default_factory=new_id)
    received: int = field(default_factory=stamp)
    once: Once | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to remember."""

    text: str
    timestamp: datetime | None = None
    session_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMemories(Request[Ids]):
    """Store items without asking the gate: all or none, durable when answered."""

    user_id: str
    items: tuple[Item, ...]
    id: str = field(default_factory=new_id)
    received: int = field(default_factory=stamp)
    once: Once | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search(Request[Found]):
    """The user's memories by meaning and words together, best first; with `at`, as known then. `rerank`: the best of them are read with the query,
    and ranked by how sure they are to answer it, too."""

    user_id: str
    query: str
    limit: int = 10
    at: datetime | None = None
    rerank: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEvents(Request[FoundEvents]):
    """What the user said and LIRA answered, kept as a memory or not, by words, best first; with `at`, as known then."""

    user_id: str
    query: str
    limit: int = 10
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMemories(Request[Page]):
    """A page, newest first. InvalidRequest for a cursor that no page gave."""

    user_id: str
    limit: int = 50
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSummaries(Request[Summaries]):
    """What was said, session by session, day by day, week by week or month by month, shortly; newest first."""

    user_id: str
    scope: Scope
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteMemory(Request[bool]):
    """True when it was this user's, also when it was deleted before."""

    user_id: str
    memory_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteUser(Request[bool]):
    """Everything of the user that reached LIRA before this is answered, in every store. Always True."""

    user_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSession(Request[SessionState]):
    """The session as it is now; an empty one when it is absent, expired or somebody else's."""

    user_id: str
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSession(Request[bool]):
    """The session is empty at once (log-out). Always True."""

    user_id: str
    session_id: str


Deletion = DeleteMemory | DeleteUser | DeleteSession


@dataclass(frozen=True, slots=True)
class CheckReady(Request[Readiness]):
    """Whether turns can be taken."""
