"""Lists: under every word, feeling, slot and fact key of a user, and under `all`, the memories that belong there, newest first.

The newest `HEAD` entries of a list are in one document (its head), which one look-up by id reads, however many memories there are; the
older ones are found by `memories.lists`. An entry is text that sorts as the memories do: its place, NUL, and what the finder needs.

MongoDB's own text index is not used: it would stem and split Korean by the rules of other languages.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pymongo import DeleteOne, UpdateOne

from lira_core.stores.codec import instant, moment
from lira_core.stores.words import Posting
from lira_core.types import Event, Memory

HEAD = 128
"""Entries in a head. Measured on SecantusDB: a head of 128 is read in 0.2 ms and one of 512 in 0.7 ms, at every question and every write;
what lies past it costs a second round trip, and a recall asks for 50 at most."""
ALL = "all"

_BIAS = 2**63
_ID = 16 + 16 + 6
"""Where the id begins in a place: after the timestamp and `received` (16 hexadecimal digits each) and the position (6)."""

Operation = UpdateOne | DeleteOne


def ident(user_id: str, id: str) -> str:
    """The `_id` of what belongs to a user; no two pairs give the same."""
    return f"{len(user_id)}:{user_id}/{id}"


def tombstone(user_id: str, memory_id: str) -> str:
    """The `_id` of a tombstone, which stays for good: it says nothing of the id, which a client may have chosen."""
    return ident(user_id, hashlib.blake2b(memory_id.encode(), digest_size=16).hexdigest())


def place(said: Memory | Event, received: int, position: int) -> str:
    """Text that sorts as "newest first" does, ascending; of two that are equal in all of it the greater id is the newer."""
    return f"{instant(said.timestamp)[0] + _BIAS:016x}{received + _BIAS:016x}{position:06x}{said.id}"


def bound(micros: int) -> str:
    """Text that is after every place until this moment, and before every later one."""
    return f"{micros + 1 + _BIAS:016x}"


def micros(place: str) -> int:
    return int(place[:16], 16) - _BIAS


def received(place: str) -> int:
    return int(place[16:32], 16) - _BIAS


def word(term: str) -> str:
    return f"word:{term}"


def feeling(label: str) -> str:
    return f"feeling:{label}"


def slot(subject: str | None, predicate: str) -> str:
    return f"slot:{predicate}" if subject is None else f"slot:{len(predicate)}:{predicate}:{subject}"


def key(key: str) -> str:
    return f"key:{key}"


def entries(memory: Memory, place: str) -> dict[str, str]:
    """List name → entry, for every list that the memory is on."""
    found = {ALL: f"{place}\0"}
    for term, frequency in Counter(memory.terms).items():
        found[word(term)] = f"{place}\0{frequency} {len(memory.terms)}"
    strongest = memory.emotion.real if memory.emotion is not None else None
    if strongest is not None:
        found[feeling(strongest.label)] = f"{place}\0{strongest.score!r}"
    for fact in memory.facts:
        found[slot(None, fact.predicate)] = found[slot(fact.subject, fact.predicate)] = f"{place}\0"
        if fact.key is not None:
            found[key(fact.key)] = f"{place}\0{instant(memory.timestamp)[1]}"
    return found


def place_of(entry: str) -> str:
    return entry.rpartition("\0")[0]


def id_of(entry: str) -> str:
    return entry[_ID:].rpartition("\0")[0]


def posting_of(entry: str) -> Posting:
    frequency, _, length = entry.rpartition("\0")[2].partition(" ")
    return Posting(id_of(entry), int(frequency), int(length))


def score_of(entry: str) -> float:
    return float(entry.rpartition("\0")[2])


def moment_of(entry: str) -> datetime:
    """The timestamp of the memory with its own UTC offset; only entries under a fact key hold that."""
    return moment(micros(entry), int(entry.rpartition("\0")[2]))


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as its document has it: the newest of the `held` entries, all of them when they are few."""

    name: str
    held: int
    oldest: int
    """Microseconds; nothing on the list is older, deleted or not."""
    head: tuple[str, ...]

    @property
    def whole(self) -> bool:
        return len(self.head) >= self.held


def read(document: Mapping[str, Any] | None, name: str, generation: int) -> Listing:
    """A list of an earlier generation is as good as empty: everything on it was deleted with the user's other memories."""
    if document is None or document["g"] != generation:
        return Listing(name, 0, 0, ())
    # Below its floor a head has gaps: an old entry may have come in where a deleted one made room.
    floor = document.get("floor", "")
    return Listing(name, document["held"], document["oldest"], tuple(entry for entry in reversed(document["head"]) if entry >= floor))


def added(user_id: str, generation: int, drafts: Iterable[Mapping[str, str]], *, latest: str, stale: bool) -> list[Operation]:
    """What puts the `entries` of new memories on their lists.

    `latest` is after every place that the user has: what is newer goes to the end of each head, which costs no sorting. `stale`: lists of an
    earlier generation may still be there.
    """
    grouped: dict[str, list[str]] = defaultdict(list)
    for draft in drafts:
        for name, entry in draft.items():
            grouped[name].append(entry)
    operations: list[Operation] = []
    for name, new in grouped.items():
        filter = {"_id": ident(user_id, name), "user_id": user_id}
        if stale:
            operations.append(DeleteOne({**filter, "g": {"$lt": generation}}))
        new.sort()
        push: dict[str, Any] = {"$each": new[-HEAD:], "$slice": -HEAD}
        if new[0] <= latest:
            push["$sort"] = 1
        change = {
            "$setOnInsert": {"g": generation},
            "$inc": {"held": len(new)},
            "$min": {"oldest": micros(new[0])},
            "$push": {"head": push},
        }
        operations.append(UpdateOne(filter, change, upsert=True))
    return operations


def without(
    listing: Listing, user_id: str, gone: Collection[str], refill: Sequence[str] | None, changed: Mapping[str, str] | None = None
) -> Operation:
    """What takes the memories `gone` off a list, and gives others (by their ids) the entries `changed`. `refill`: what the head shall be, where
    too little of it would be left."""
    filter = {"_id": ident(user_id, listing.name), "user_id": user_id}
    left = listing.held - len(gone)
    if left <= 0:
        return DeleteOne(filter)
    other = changed or {}
    head = [other.get(id_of(entry), entry) for entry in (listing.head if refill is None else refill) if id_of(entry) not in gone]
    change: dict[str, Any] = {"$inc": {"held": -len(gone)}, "$set": {"head": head[::-1]}}
    if len(head) < left:
        change["$set"]["floor"] = place_of(head[-1]) if head else "~"
    else:
        change["$unset"] = {"floor": ""}
    return UpdateOne(filter, change)
