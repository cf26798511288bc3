"""Finding: heads first, one look-up by id; past them the index `memories_lists`, in windows of time.

A window: MongoDB stops at the limit by itself, other servers that speak its protocol read everything that the bounds let in, so the bounds
let in about twice what is wanted, and grow until there is enough.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pymongo.asynchronous.client_session import AsyncClientSession

from lira_core.stores.codec import instant, load_memory
from lira_core.stores.mongo import lists
from lira_core.stores.mongo.lists import ALL, HEAD, Listing, ident
from lira_core.stores.mongo.server import Document, Server
from lira_core.stores.ports import Hit, StoreRejected
from lira_core.stores.words import POSTINGS, Postings, bm25
from lira_core.types import Memory

SLACK = 2.0
"""A first window holds this many times what is wanted, if memories came evenly."""
WIDEN = 4

Accept = Callable[[str], bool]

_CHECK = 4
_LAST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Person:
    """A user's own document: what was received until `cut` is gone, whatever is still to be swept away."""

    generation: int = 0
    cut: int = -1
    memories: int = 0
    terms: int = 0
    events: int = 0
    event_terms: int = 0


class Finder:
    def __init__(self, server: Server) -> None:
        self._server = server

    async def person(self, user_id: str, session: AsyncClientSession | None = None) -> Person:
        return (await self.listings(user_id, (), session))[0]

    async def listings(self, user_id: str, names: Sequence[str], session: AsyncClientSession | None = None) -> tuple[Person, dict[str, Listing]]:
        """The user and their lists of these names, as they were at one moment for each."""
        filter = {"_id": {"$in": [ident(user_id, ""), *(ident(user_id, name) for name in names)]}, "user_id": user_id}
        fields = dict.fromkeys(("g", "cut", "memories", "terms", "events", "event_terms", "held", "oldest", "head", "floor"), 1)
        found = {one["_id"]: one async for one in self._server.database["users"].find(filter, fields, session=session)}
        user = found.get(ident(user_id, ""))
        person = Person() if user is None else _person(user)
        return person, {name: lists.read(found.get(ident(user_id, name)), name, person.generation) for name in names}

    async def entries(
        self, user_id: str, person: Person, listing: Listing, wanted: int, until: datetime | None, accept: Accept | None = None
    ) -> list[str]:
        """The newest entries of one list that `accept` lets pass: at least as many as `wanted`, if there are, and what else the head has."""
        before = None if until is None else lists.bound(instant(until)[0])
        found = [entry for entry in listing.head if (before is None or entry < before) and (accept is None or accept(entry))]
        if len(found) >= wanted or listing.whole:
            return found
        if listing.head:
            last = lists.place_of(listing.head[-1])
            before = last if before is None else min(before, last)
        async for document in self.walk(user_id, person, listing, wanted - len(found), before):
            entry = lists.entries(body(document), document["place"])[listing.name]
            if accept is None or accept(entry):
                found.append(entry)
                if len(found) == wanted:
                    break
        return found

    async def walk(
        self, user_id: str, person: Person, listing: Listing, wanted: int, before: str | None, session: AsyncClientSession | None = None
    ) -> AsyncIterator[Document]:
        """The memories of a list as documents (`id`, `place`, `body`), newest first, those whose place is below `before`.

        Goes on for as long as it is asked; `wanted` is how many the caller expects to take.
        """
        memories = self._server.database["memories"]
        newest = lists.micros(listing.head[0]) if listing.head else instant(_LAST)[0]
        width = int(SLACK * wanted * (newest - listing.oldest) / max(listing.held, 1)) + 1
        high = newest if before is None else min(newest, lists.micros(before))
        while True:
            low = max(high - width, listing.oldest)
            place: Document = {"$gte": lists.bound(low - 1)}
            if before is not None:
                place["$lt"] = before
            filter = {"user_id": user_id, "g": person.generation, "lists": listing.name, "place": place}
            asked = memories.find(filter, {"id": 1, "place": 1, "body": 1}, session=session).sort("place", -1)
            found = await asked.limit(wanted).batch_size(wanted).to_list()
            for document in found:
                yield document
            if len(found) == wanted:
                before = found[-1]["place"]
                high = lists.micros(before)
            elif low <= listing.oldest:
                return
            else:
                before, high, width = place["$gte"], low, width * WIDEN

    # What the record promises.

    async def lexical(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None) -> list[Hit]:
        asked = list(dict.fromkeys(terms))
        if not asked or limit <= 0:
            return []
        person, found = await self.listings(user_id, [lists.word(term) for term in asked])
        wanted = max(HEAD // 2, min(limit, POSTINGS))
        places: dict[str, str] = {}
        postings: dict[str, Postings] = {}
        for term in asked:
            listing = found[lists.word(term)]
            read = await self.entries(user_id, person, listing, wanted, until)
            postings[term] = Postings(listing.held, [lists.posting_of(entry) for entry in read])
            places.update((lists.id_of(entry), lists.place_of(entry)) for entry in read)
        scores = bm25(postings, memories=person.memories, mean_length=person.terms / max(person.memories, 1))
        best = sorted(scores, key=lambda id: (scores[id], places[id]), reverse=True)[:limit]
        return [Hit(id, scores[id]) for id in best]

    async def slots(self, user_id: str, slots: Sequence[tuple[str | None, str]], limit: int, until: datetime | None) -> list[Hit]:
        names = list(dict.fromkeys(lists.slot(subject, predicate) for subject, predicate in slots))
        if not names or limit <= 0:
            return []
        person, found = await self.listings(user_id, names)
        merged = {entry for name in names for entry in await self.entries(user_id, person, found[name], limit, until)}
        return [Hit(lists.id_of(entry), 1.0) for entry in sorted(merged, reverse=True)[:limit]]

    async def feeling(self, user_id: str, label: str, minimum: float, limit: int, until: datetime | None) -> list[Hit]:
        if limit <= 0:
            return []
        name = lists.feeling(label)
        person, found = await self.listings(user_id, [name])
        entries = await self.entries(user_id, person, found[name], limit, until, lambda entry: lists.score_of(entry) >= minimum)
        return [Hit(lists.id_of(entry), lists.score_of(entry)) for entry in entries[:limit]]

    async def newest(self, user_id: str, limit: int, until: datetime | None) -> list[Hit]:
        if limit <= 0:
            return []
        person, found = await self.listings(user_id, [ALL])
        return [Hit(lists.id_of(entry), 1.0) for entry in (await self.entries(user_id, person, found[ALL], limit, until))[:limit]]

    async def holders(self, user_id: str, keys: Sequence[str], until: datetime | None) -> dict[str, tuple[datetime, str]]:
        asked = list(dict.fromkeys(keys))
        if not asked:
            return {}
        person, found = await self.listings(user_id, [lists.key(key) for key in asked])
        holders = {}
        for key in asked:
            for entry in (await self.entries(user_id, person, found[lists.key(key)], 1, until))[:1]:
                holders[key] = (lists.moment_of(entry), lists.id_of(entry))
        return holders

    async def page(self, user_id: str, limit: int, cursor: str | None) -> tuple[list[Memory], str | None]:
        before = None if cursor is None else _read_cursor(cursor)
        if limit <= 0:
            return [], cursor
        person, found = await self.listings(user_id, [ALL])
        documents: list[Document] = []
        if found[ALL].held:
            async for document in self.walk(user_id, person, found[ALL], limit + 1, before):
                documents.append(document)
                if len(documents) > limit:
                    break
        following = _write_cursor(documents[limit - 1]["place"]) if len(documents) > limit else None
        return [memory for document in documents[:limit] if (memory := readable(document)) is not None], following


def _person(user: Mapping[str, Any]) -> Person:
    return Person(user["g"], user.get("cut", -1), user["memories"], user["terms"], user.get("events", 0), user.get("event_terms", 0))


def body(document: Mapping[str, Any]) -> Memory:
    """StoreRejected for one that was damaged; nothing else is: it was written by `codec.dump`."""
    try:
        return load_memory(document["body"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreRejected(f"memory {document.get('id')} is damaged in the database: {type(error).__name__}; restore it or delete it") from error


def readable(document: Mapping[str, Any]) -> Memory | None:
    """None for one that was damaged."""
    try:
        return body(document)
    except StoreRejected:
        return None


def _write_cursor(place: str) -> str:
    raw = place.encode()
    return base64.urlsafe_b64encode(zlib.crc32(raw).to_bytes(_CHECK, "big") + raw).decode().rstrip("=")


def _read_cursor(cursor: str) -> str:
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        place = raw[_CHECK:].decode()
        if zlib.crc32(raw[_CHECK:]).to_bytes(_CHECK, "big") != raw[:_CHECK]:
            raise ValueError("its check does not match")
        lists.micros(place)
    except (ValueError, binascii.Error) as error:
        raise ValueError(f"the cursor is broken: {error}") from error
    return place
