"""An event as its document: what it is deleted by, what it is found by, and itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from lira_core.stores.codec import dump, load_event
from lira_core.stores.mongo import lists
from lira_core.stores.ports import StoreRejected
from lira_core.types import Event


def document(event: Event, received: int) -> dict[str, Any]:
    """The event without what a commit gives it: its `n`, its user's generation `g`. ValueError for a time without a zone."""
    return {
        "_id": lists.ident(event.user_id, event.id),
        "user_id": event.user_id,
        "id": event.id,
        "received": received,
        "about": list(dict.fromkeys((event.turn_id, *event.quotes))),
        **found_by(event, received),
        "body": dump(event),
    }


def found_by(event: Event, received: int) -> dict[str, Any]:
    """Its place in time (a reply has the time of what it answers, and comes after it), where and by whom it was said, and its terms, with how
    often each is there."""
    frequencies = Counter(event.terms)
    return {
        "place": lists.place(event, received, int(event.role == "lira")),
        "session": event.session_id,
        "role": event.role,
        "terms": list(frequencies),
        "counts": list(frequencies.values()),
        "length": len(event.terms),
    }


def body(document: Mapping[str, Any]) -> Event:
    """StoreRejected for one that was damaged; nothing else is: it was written by `codec.dump`."""
    try:
        return load_event(document["body"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreRejected(f"event {document.get('id')} is damaged in the database: {type(error).__name__}; restore it or delete it") from error
