"""What LIRA asks of a store, by role. `user_id` is the first argument of every method that touches a person's data.

One engine implements one or more roles; `tests/lira_core/stores/conformance` is the definition of each, run against every engine.

Rules that hold for every role:

- **Errors.** `StoreUnavailable`: the store cannot be reached, is full, or too slow now; nothing is known of what became of a write, and
  the same call may be made again. `StoreRejected`: the call itself is wrong, or what is stored is not ours; the same call would fail again.
  `Forgotten`: a deletion forbids the write. A method never answers with a part of what was asked.
- **Idempotent.** Every write names its id; the same write made twice, at the same time or a day later, changes nothing the second time.
- **Deleting wins.** Everything that writes for a person carries `received`: when the request it belongs to reached LIRA, in microseconds
  since 1970 UTC on the clock of the ingress (not `at`, which is when something was said). A deletion has a `cut` on the same clock. What was
  received at or before the cut is never written after the deletion, checked in the same atomic step as the write; what was received
  after it is kept. A single memory that is deleted leaves a tombstone, which forbids whatever carries or quotes it.
- **Order.** "Newest first" is by (timestamp, received, position in its write), descending.
- **Time travel.** `until` keeps what was said at that moment or before it (`timestamp <= until`), None keeps all; it is part of
  the query, so that `limit` counts only what it lets pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, TypeVar

from lira_core.stores.summaries import Summaries
from lira_core.stores.types import (
    Answer,
    Backlog,
    DeadLetter,
    EncoderId,
    Entry,
    Erasure,
    Forgotten,
    Hit,
    IndexItem,
    IndexPlan,
    Role,
    Scene,
    SessionTurn,
    StoreError,
    StoreRejected,
    StoreUnavailable,
    Unfinished,
    Unindexed,
    Vector,
    Write,
)
from lira_core.types import Memory, Session

__all__ = [
    "SWEEP_SECONDS",
    "Answer",
    "Backlog",
    "DeadLetter",
    "Deferred",
    "EncoderId",
    "Entry",
    "Erasure",
    "Forgotten",
    "Hit",
    "IndexItem",
    "IndexPlan",
    "Lexical",
    "Outbox",
    "Record",
    "Role",
    "Scene",
    "SessionTurn",
    "ShortTerm",
    "StoreError",
    "StoreRejected",
    "StoreUnavailable",
    "Unfinished",
    "Unindexed",
    "Vector",
    "Vectors",
    "Write",
]

P = TypeVar("P")

SWEEP_SECONDS = 5.0
"""How long after a deletion the reconciler goes over it once more: for a crash between its steps, and a vector that was on its way."""


class Outbox(Protocol[P]):
    """Work that outlives the process that meant to do it.

    An entry is due, claimed until its lease ends, or dead. (user_id, id) names it.
    """

    async def claim(self, limit: int, seconds: float) -> list[Entry[P]]:
        """At most `limit` due entries, leased for `seconds`: nobody else gets them before that, and then anybody may.

        Users take turns: while several have entries due, no call gives one of them more than its equal share (rounded up), and a user
        whose entries were just claimed comes last in the next. Of one user the oldest entries come first. An entry whose payload cannot be
        read any more becomes dead, and does not stop the others.
        """
        ...

    async def done(self, user_id: str, ids: Sequence[str]) -> None:
        """These are finished; an id that is not there is passed over."""
        ...

    async def retry(self, user_id: str, ids: Sequence[str], reason: str, *, after: float, blame: bool) -> None:
        """Due again in `after` seconds. With `blame` False (a store was away) this attempt does not count.

        Passed over for what is done or dead.
        """
        ...

    async def bury(self, user_id: str, ids: Sequence[str], reason: str) -> None:
        """Given up on: kept, never claimed again, until somebody revives it."""
        ...

    async def revive(self) -> int:
        """Makes everything dead due again, with no attempts on its account; how many."""
        ...

    async def backlog(self) -> Backlog: ...

    async def dead(self, limit: int) -> list[DeadLetter]:
        """The oldest dead letters."""
        ...


class Deferred(Outbox[Write | Erasure], Protocol):
    """What waits because the record was away. Lives beside the session, not in the record. As durable as its store is."""

    async def put(self, item: Write | Erasure) -> None:
        """Due at once. The same id again changes nothing, except that an Erasure takes the place of what waits under its id with a lower cut;
        Forgotten for a Write that a deletion forbids."""
        ...

    async def forget(self, user_id: str, memory_id: str) -> bool:
        """Every waiting Write that carries or quotes the memory goes, dead ones too, and none comes later (the tombstone stays for at least
        a day). True when one of them carried it. Erasures stay."""
        ...

    async def delete_user(self, user_id: str, cut: int) -> None:
        """Every Write of the user that was received until `cut` goes, and none comes later (the cut stays for at least a day)."""
        ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class ShortTerm(Protocol):
    """The session, which belongs to (user_id, session_id), and the first answers to requests that may come twice.

    Expiry has two clocks. A turn brings its own time: the session is over when `at` is `ttl` past its latest turn's, so that an import of
    last year's talk behaves as it did then. Looked at from outside (`at` None), the wall clock counts from the last append.
    """

    async def append(self, user_id: str, session_id: str, turn: SessionTurn) -> None:
        """Append one turn's messages, all or none, once per turn id; the session keeps its newest `max_messages`.

        Forgotten when the user, the session or a memory that the turn is or quotes was deleted since it was received. A session that is over
        by `turn.at` begins anew. A turn that comes late by `at` does not set the session's clock back.
        """
        ...

    async def read(self, user_id: str, session_id: str, at: datetime | None = None, last: int | None = None) -> Session:
        """The session as of `at` (the wall clock when None), with its `last` messages (all when None); empty when absent or expired.

        `Message.turn_id` names the turn of each message.
        """
        ...

    async def delete(self, user_id: str, session_id: str, cut: int) -> None:
        """The session is empty, and no turn that was received until `cut` adds to it any more (remembered for at least a day)."""
        ...

    async def forget(self, user_id: str, memory_id: str) -> None:
        """In every session of the user: both messages of the turn that said it, the `lira` message of each turn that quoted it, and its
        entry in each buffer go, and nothing that carries it comes later; so do kept answers that quote it. Remembered for at least a day."""
        ...

    async def delete_user(self, user_id: str, cut: int) -> None:
        """Every session and kept answer of the user, and nothing received until `cut` comes later. What was received after it may stay."""
        ...

    async def begin(self, user_id: str, key: str, digest: str, received: int, seconds: float) -> Answer | None:
        """None: the key is new, or whoever took it has let `seconds` pass; now it is the caller's for `seconds`, who will `keep` or
        `release` it. Else what is there. Atomic: of many callers at once, one gets None. Forgotten as for `append`."""
        ...

    async def keep(self, user_id: str, key: str, digest: str, received: int, body: bytes, quotes: Sequence[str]) -> None:
        """The answer, for `answers_ttl` seconds. `quotes` are the ids of the memories it shows or carries. The first one kept stays.

        Passed over in silence when a deletion forbids it; the key is free again then.
        """
        ...

    async def release(self, user_id: str, key: str) -> None:
        """The request failed: the key is free again, unless an answer is kept."""
        ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class Record(Summaries, Protocol):
    """The record: events are append-only, memories and summaries are derived from them. A write that returned is durable."""

    async def commit(self, write: Write, hold: float = 0.0) -> None:
        """One atomic, durable write, idempotent by the ids of its event and memories.

        Each new memory also waits, in the same step, for its vector of every encoder of the index plan; `unindexed` (of this record's
        encoder) gives it to nobody for `hold` seconds, in which whoever commits means to index it (as if claimed once; 0: due at once).
        Forgotten, with nothing written, when it was received at or before the user's cut, or when a tombstone names one of its memories, the
        turn of its event (`Event.turn_id`) or a memory that its event quotes. StoreRejected for an owner other than `write.user_id`.
        """
        ...

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        """Those that exist and are this user's, in the order asked, each once. StoreRejected, naming it, for one that is damaged."""
        ...

    # Finders: ids and scores; `get` gives the bodies.

    async def lexical(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        """Memories that hold any of the terms, best first (equals newest first).

        The score is BM25 over the user's memories divided by the summed idf of the asked terms: 0 for none, 1 for a memory of mean length
        that holds each once, somewhat more for a short one. Work is bounded: of a term that very many memories hold, an engine may
        consider only the newest (`lira_core.stores.words.POSTINGS`).
        """
        ...

    async def slots(self, user_id: str, slots: Sequence[tuple[str | None, str]], limit: int, until: datetime | None = None) -> list[Hit]:
        """Memories with a fact of any (subject, predicate), newest first, each once, score 1; subject None means whoever."""
        ...

    async def feeling(self, user_id: str, label: str, minimum: float, limit: int, until: datetime | None = None) -> list[Hit]:
        """Memories whose strongest real emotion is `label` with at least `minimum`, newest first; the score is that emotion's."""
        ...

    async def newest(self, user_id: str, limit: int, until: datetime | None = None) -> list[Hit]:
        """The newest memories, score 1."""
        ...

    async def holders(self, user_id: str, keys: Sequence[str], until: datetime | None = None) -> dict[str, tuple[datetime, str]]:
        """For each fact key that any memory holds: (timestamp, memory id) of the newest such memory."""
        ...

    async def page(self, user_id: str, limit: int, cursor: str | None) -> tuple[list[Memory], str | None]:
        """Newest first; the cursor is opaque, and stays valid while memories are added. A broken cursor raises ValueError. A memory that is
        damaged is passed over."""
        ...

    # What was said: every event, whether a memory was kept of it or not. A reply comes after what it answers, which has the same timestamp
    # and was received at the same moment; of two that are equal in that too, which is the newer is up to the engine, and always the same.

    async def said(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        """Events that hold any of the terms (`Event.terms`), the user's and LIRA's, best first (equals newest first); `scenes` gives the bodies.

        The score and the bound on the work are those of `lexical`, over the user's events; an engine may also take a term that more than
        POSTINGS events hold for one that POSTINGS hold.
        """
        ...

    async def scenes(self, user_id: str, ids: Sequence[str], reach: int, until: datetime | None = None) -> list[Scene]:
        """Those events that exist and are this user's, in the order asked, each once; around each at most the `reach` nearest events before it
        and as many after it of the same session, of which none was said after `until` (the event itself may have been).

        Events come back exactly, but for the order of their quotes.
        """
        ...

    # Deleting

    async def erase(self, erasure: Erasure) -> bool:
        """The atomic half of a deletion; `erasures` holds the rest of it, due `SWEEP_SECONDS` later, until somebody calls it done.

        Of a memory: it, its postings and facts, the event of its turn and of that turn's reply, every other event that quotes it, with the
        postings of each; a tombstone stays for good. True when it was this user's, or was deleted as theirs before. Where neither is so,
        nothing is changed and False is answered.
        Of a user: every event, memory, tombstone and waiting work that was received until the cut; the cut stays for good (a lower one than
        is there changes nothing). Always True.
        A user of a hundred thousand memories may take several steps, after the first of which nothing can be written or found any more.
        """
        ...

    async def entomb(self, user_id: str, memory_id: str) -> None:
        """A tombstone for a memory that never reached the record (it waited, and was deleted there)."""
        ...

    @property
    def erasures(self) -> Outbox[Erasure]:
        """Deletions whose other half may not be done."""
        ...

    # The index by meaning, as far as the record knows it

    @property
    def unindexed(self) -> Outbox[Unindexed]:
        """Memories that wait for a vector of the encoder that this record was opened with."""
        ...

    async def index_plan(self) -> IndexPlan: ...

    async def plan_index(self, plan: IndexPlan, expected: IndexPlan) -> bool:
        """Puts the plan, if it still is the expected one. What waited for an encoder that is in it no more is dropped."""
        ...

    async def requeue(self, user_id: str | None = None) -> int:
        """Lets every memory (of one user, or of all) wait for a vector of this record's encoder again; how many wait then."""
        ...

    async def count(self, before: int | None = None) -> int:
        """How many memories there are, of all users; may be some seconds old. With `before` those that `outdated` goes or passes over."""
        ...

    # What rules derived from the texts of memories (`Memory.derived` says which), and derive anew when they have changed

    async def outdated(self, before: int, limit: int, cursor: str | None = None, *, since: int = 0) -> tuple[list[Memory], str | None]:
        """Memories of all users whose facts and terms are of a version from `since` on and before this one, those of a user together; and the
        cursor of those that follow, None at the end.

        Opaque, and valid whatever is written meanwhile; what is written meanwhile may be missed. A memory that is damaged is passed over.
        """
        ...

    async def rederive(self, user_id: str, memories: Sequence[Memory]) -> int:
        """Puts the facts, terms and `derived` of each of these in the place of those that are kept, and nothing else of it; how many of them
        hold other facts or terms now. They wait, in the same step, for their vector again, so that the index shows what the record does.

        Passed over for a memory that is deleted, whose kept text or time is another, or whose kept facts are of these rules or newer ones: of
        two that derive at once the newer rules win, and what was done is done once. Each memory is changed whole or not at all.
        StoreRejected for another user's.
        """
        ...

    async def lease(self, name: str, holder: str, seconds: float) -> bool:
        """True when `holder` has the named lease for the next `seconds`: it was free, had run out, or was the holder's already.

        `seconds` of 0 gives it back.
        """
        ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class Vectors(Protocol):
    """The index by meaning of one encoder, derived from memories. Vectors are L2-normalised float32.

    Nothing in it is the truth: whoever adds checks afterwards that the memory still is in the record.
    """

    async def add(self, user_id: str, items: Sequence[IndexItem]) -> None:
        """An id that is there is overwritten. StoreRejected for a vector of another length than the encoder's, or not finite."""
        ...

    async def search(self, user_id: str, vector: Vector, limit: int, until: datetime | None = None) -> list[Hit]:
        """Best first; the score is the cosine in [-1, 1], exact to 0.001 for every id that is given."""
        ...

    async def get(self, user_id: str, ids: Sequence[str]) -> list[Memory]:
        """The bodies as they were indexed, in the order asked; for when the record is away."""
        ...

    async def delete(self, user_id: str, ids: Sequence[str]) -> None:
        """From this index and from that of every other encoder beside it: one that is being built, one that nobody dropped yet."""
        ...

    async def delete_user(self, user_id: str, cut: int) -> None:
        """Every vector of the user whose memory was received until `cut`, of every encoder; one that was received after it is kept."""
        ...

    async def clear(self) -> None:
        """Drops this encoder's whole index, of all users."""
        ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class Lexical(Protocol):
    """An index by meaning that also finds by words (a search engine)."""

    async def lexical(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None = None) -> list[Hit]:
        """As `Record.lexical`, but the scale is the engine's own: comparable within one answer only."""
        ...
