"""Old talk: events found by their words, and by their session.

An event is one document that holds its terms, so that one index over them finds it. There are no heads here as in `lists`: two events are
written at every turn, and old talk is searched now and then. Of an earlier generation (`erasing`) none is found; those that outlive a deletion
are taken into the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from datetime import datetime

from lira_core.stores.codec import instant
from lira_core.stores.mongo import lists
from lira_core.stores.mongo.event_documents import body
from lira_core.stores.mongo.finding import Finder
from lira_core.stores.mongo.lists import ident
from lira_core.stores.mongo.server import Document, Server
from lira_core.stores.ports import Hit, Scene
from lira_core.stores.words import POSTINGS, Posting, Postings, bm25

AT_ONCE = 8
"""Terms or scenes that one search reads in parallel: an eighth of the pool."""


class Talk:
    def __init__(self, server: Server, finder: Finder) -> None:
        self._server = server
        self._finder = finder

    async def said(self, user_id: str, terms: Sequence[str], limit: int, until: datetime | None) -> list[Hit]:
        asked = list(dict.fromkeys(terms))
        if not asked or limit <= 0:
            return []
        person = await self._finder.person(user_id)
        held: dict[str, int] = {}
        found: dict[str, Document] = {}
        for start in range(0, len(asked), AT_ONCE):
            some = asked[start : start + AT_ONCE]
            read = await asyncio.gather(*(self._newest(user_id, person.generation, term, until) for term in some))
            held |= {term: count for term, (count, _) in zip(some, read, strict=True)}
            found |= {event["id"]: event for _, events in read for event in events}
        postings = {term: Postings(held[term], _postings(term, found.values())) for term in asked}
        scores = bm25(postings, memories=person.events, mean_length=person.event_terms / max(person.events, 1))
        # Sums of the same gains in another order differ in their last digits.
        best = sorted(scores, key=lambda id: (round(scores[id], 12), found[id]["place"]), reverse=True)[:limit]
        return [Hit(id, scores[id]) for id in best]

    async def scenes(self, user_id: str, ids: Sequence[str], reach: int, until: datetime | None) -> list[Scene]:
        asked = list(dict.fromkeys(ids))
        if not asked:
            return []
        person = await self._finder.person(user_id)
        mine = {"_id": {"$in": [ident(user_id, id) for id in asked]}, "user_id": user_id}
        found = {one["id"]: one for one in await self._server.database["events"].find(mine).to_list() if one["received"] > person.cut}
        there = [found[id] for id in asked if id in found]
        scenes: list[Scene] = []
        for start in range(0, len(there), AT_ONCE):
            some = there[start : start + AT_ONCE]
            around = await asyncio.gather(*(self._around(user_id, person.generation, event, reach, until) for event in some))
            scenes += [Scene(body(event), tuple(map(body, beside))) for event, beside in zip(some, around, strict=True)]
        return scenes

    async def _newest(self, user_id: str, generation: int, term: str, until: datetime | None) -> tuple[int, list[Document]]:
        """How many events hold a term, counted up to POSTINGS, and the newest of them, without their bodies."""
        events = self._server.database["events"]
        holding: Document = {"user_id": user_id, "g": generation, "terms": term}
        known = holding if until is None else {**holding, "place": {"$lt": lists.bound(instant(until)[0])}}
        fields = {"id": 1, "place": 1, "terms": 1, "counts": 1, "length": 1}
        found = await events.find(known, fields).sort("place", -1).limit(POSTINGS).to_list()
        return len(found) if until is None else await events.count_documents(holding, limit=POSTINGS), found

    async def _around(self, user_id: str, generation: int, event: Document, reach: int, until: datetime | None) -> list[Document]:
        """What was said beside it, oldest first."""
        if reach <= 0:
            return []
        end = "~" if until is None else lists.bound(instant(until)[0])
        before, after = {"$lt": min(event["place"], end)}, {"$gt": event["place"], "$lt": end}
        beside = []
        for place, order in ((before, -1), (after, 1)):
            filter = {"user_id": user_id, "g": generation, "session": event["session"], "place": place}
            beside.append(await self._server.database["events"].find(filter, {"id": 1, "body": 1}).sort("place", order).limit(reach).to_list())
        return [*reversed(beside[0]), *beside[1]]


def _postings(term: str, events: Iterable[Document]) -> list[Posting]:
    return [Posting(event["id"], event["counts"][event["terms"].index(term)], event["length"]) for event in events if term in event["terms"]]
