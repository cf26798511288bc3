"""Old talk: what is counted stays exact, and the work is bounded."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest
from pymongo import MongoClient

from lira_core.stores import StoreRejected
from lira_core.stores.mongo import talk
from lira_core.stores.mongo.record import MongoRecord
from lira_core.stores.ports import Erasure, Hit, Write

from ..conformance.engines import MongoPlace
from ..conformance.making import NOON, RECEIVED, event, ids, memory, reply
from .conftest import Open, again, documents


def spoken(n: int, *terms: str, received: int = RECEIVED, kept: bool = False) -> Write:
    id = f"e{n}"
    said = event(id, "ada", timestamp=NOON + timedelta(minutes=n), terms=terms)
    return Write(id, "ada", received + n, said, (memory(id, "ada", n),) if kept else ())


async def test_of_a_word_that_very_many_events_hold_the_newest_are_found_and_a_rare_one_finds_them_all(
    record: MongoRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "POSTINGS", 10)
    for n in range(30):
        await record.commit(spoken(n, "흔한", "딴말") if n else spoken(0, "흔한", "드문"))
    assert ids(await record.said("ada", ["흔한"], 5)) == ["e29", "e28", "e27", "e26", "e25"]
    assert ids(await record.said("ada", ["흔한"], 3, NOON + timedelta(minutes=12))) == ["e12", "e11", "e10"]
    (first, *_) = await record.said("ada", ["흔한", "드문"], 5)
    assert first == Hit("e0", pytest.approx(1.0)), "it is scored for the common word too"


async def test_more_terms_and_scenes_than_are_read_at_once_are_all_answered(record: MongoRecord) -> None:
    many = 2 * talk.AT_ONCE + 1
    for n in range(many):
        await record.commit(spoken(n, f"말{n}"))
    assert ids(await record.said("ada", [f"말{n}" for n in range(many)], 99)) == [f"e{n}" for n in reversed(range(many))]
    scenes = await record.scenes("ada", [f"e{n}" for n in range(many)], 1)
    assert [scene.event.id for scene in scenes] == [f"e{n}" for n in range(many)]
    assert [len(scene.around) for scene in scenes] == [1, *[2] * (many - 2), 1]


async def test_what_was_said_is_counted_exactly_while_some_of_it_is_deleted(opened: Open, place: MongoPlace) -> None:
    one, two = await opened(place.url), await opened(place.url)
    for n in range(10):
        await one.commit(spoken(n, "커피", "말", kept=True))
        await one.commit(Write(f"e{n}:reply", "ada", RECEIVED + n, reply(f"e{n}:reply", "ada", f"e{n}", terms=("그래",))))
    await asyncio.gather(
        *(again(lambda n=n: two.erase(Erasure("ada", f"e{n}", RECEIVED + 100))) for n in range(5)),
        *(again(lambda n=n: one.commit(spoken(n, "커피"))) for n in range(20, 25)),
    )
    await two.erase(Erasure("ada", "e0", RECEIVED + 200))
    (account,) = [found for found in documents(place, "users") if found.get("user")]
    assert (account["events"], account["event_terms"]) == (15, 20)
    assert await one.erase(Erasure("ada", None, RECEIVED + 7))
    (account,) = [found for found in documents(place, "users") if found.get("user")]
    assert (account["events"], account["event_terms"]) == (9, 11)
    assert {found["g"] for found in documents(place, "events")} == {account["g"]}
    assert ids(await two.said("ada", ["커피"], 99)) == ["e24", "e23", "e22", "e21", "e20", "e9", "e8"]


async def test_a_damaged_event_is_named_and_the_others_are_found(record: MongoRecord, place: MongoPlace) -> None:
    for n in range(3):
        await record.commit(spoken(n, "커피"))
    with MongoClient(place.url) as client:
        client.get_default_database()["events"].update_one({"id": "e1"}, {"$set": {"body": "{"}})
    with pytest.raises(StoreRejected, match="event e1 is damaged"):
        await record.scenes("ada", ["e1"], 0)
    assert ids(await record.said("ada", ["커피"], 5)) == ["e2", "e1", "e0"]
    assert [scene.event.id for scene in await record.scenes("ada", ["e0", "e2"], 0)] == ["e0", "e2"]
