"""Taking memories off their lists: heads are made anew, and filled again from the memories themselves where little of them is left."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pymongo.asynchronous.client_session import AsyncClientSession

from lira_core.stores.mongo import lists
from lira_core.stores.mongo.finding import Finder, Person, body
from lira_core.stores.mongo.lists import HEAD, Listing, Operation
from lira_core.stores.mongo.server import Server
from lira_core.stores.mongo.writing import batches
from lira_core.stores.ports import StoreRejected

REFILL = HEAD // 4
"""A head that has come down to this is filled again."""


async def unlist(
    server: Server,
    finder: Finder,
    user_id: str,
    person: Person,
    gone: Mapping[str, Collection[str]],
    changed: Mapping[str, Mapping[str, str]],
    session: AsyncClientSession,
) -> None:
    """By the names of lists: the ids of memories that are on them no more, and the new entries of others, by their ids.

    Those that are gone may still be found by `memories.lists`, or not any more.
    """
    names = list(dict.fromkeys([*gone, *changed]))
    _, listings = await finder.listings(user_id, names, session)
    operations: list[Operation] = []
    for listing in listings.values():
        ids = gone.get(listing.name, ())
        left = [entry for entry in listing.head if lists.id_of(entry) not in ids]
        short = len(left) < REFILL and not listing.whole
        refill = await _refill(finder, user_id, person, listing, HEAD + len(ids), session) if short else None
        operations.append(lists.without(listing, user_id, ids, refill, changed.get(listing.name)))
    for batch in batches(operations):
        await server.database["users"].bulk_write(batch, session=session)


async def _refill(finder: Finder, user_id: str, person: Person, listing: Listing, wanted: int, session: AsyncClientSession) -> list[str]:
    """The newest entries of a list, read from the memories themselves: as many as a head, and more for those that go."""
    found: list[str] = []
    async for document in finder.walk(user_id, person, listing, wanted, None, session):
        try:
            found.append(lists.entries(body(document), document["place"])[listing.name])
        except StoreRejected:
            continue
        if len(found) >= wanted:
            break
    return found
