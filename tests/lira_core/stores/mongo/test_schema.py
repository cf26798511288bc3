"""Versions: forward, never back, and nobody else's database."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pymongo import AsyncMongoClient, MongoClient

from lira_core.languages.terms import terms
from lira_core.stores import StoreRejected
from lira_core.stores.mongo.schema import MIGRATIONS, migrate
from lira_core.stores.ports import Erasure, Write

from ..conformance.engines import MongoPlace
from ..conformance.making import NOON, RECEIVED, event, ids, memory, reply, utterance
from .conftest import Open, documents

SETTING = "LIRA_RECORD_URL"


def mark(place: MongoPlace) -> Any:
    with MongoClient(place.url) as client:
        return client.get_default_database()["meta"].find_one({"_id": "schema"})


async def test_a_new_database_gets_the_version_of_this_lira(opened: Open, place: MongoPlace) -> None:
    await opened(place.url)
    assert mark(place) == {"_id": "schema", "application": "lira", "version": len(MIGRATIONS)}


async def test_an_older_database_is_brought_forward_step_by_step_and_keeps_what_it_holds(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    await record.commit(utterance("m", "ada"))
    ran: list[str] = []

    async def second(database: Any) -> None:
        ran.append("second")
        await database["memories"].update_many({}, {"$set": {"colour": "blue"}})

    async def third(database: Any) -> None:
        ran.append("third")
        await database["memories"].update_many({"colour": "blue"}, {"$set": {"colour": "green"}})

    async with AsyncMongoClient[Any](place.url) as client:
        database = client.get_default_database()
        await migrate(database, SETTING, [*MIGRATIONS, second])
        await migrate(database, SETTING, [*MIGRATIONS, second, third])
        await migrate(database, SETTING, [*MIGRATIONS, second, third])
        assert [memory["colour"] async for memory in database["memories"].find()] == ["green"]
    assert ran == ["second", "third"]
    assert mark(place)["version"] == len(MIGRATIONS) + 2
    assert [memory.id for memory in await record.get("ada", ["m"])] == ["m"]


async def test_a_step_that_fails_is_done_again_by_the_next_start(place: MongoPlace) -> None:
    async def breaks(database: Any) -> None:
        await database["memories"].insert_one({"_id": "half"})
        raise RuntimeError("the power fails")

    async def mends(database: Any) -> None:
        await database["memories"].update_one({"_id": "half"}, {"$set": {"whole": True}}, upsert=True)

    async with AsyncMongoClient[Any](place.url) as client:
        database = client.get_default_database()
        with pytest.raises(RuntimeError):
            await migrate(database, SETTING, [*MIGRATIONS, breaks])
        assert mark(place)["version"] == len(MIGRATIONS)
        await migrate(database, SETTING, [*MIGRATIONS, mends])
        assert await database["memories"].find().to_list() == [{"_id": "half", "whole": True}]


async def test_two_that_migrate_at_once_come_to_the_same(place: MongoPlace) -> None:
    async with AsyncMongoClient[Any](place.url) as one, AsyncMongoClient[Any](place.url) as two:
        await asyncio.gather(migrate(one.get_default_database(), SETTING), migrate(two.get_default_database(), SETTING))
    assert mark(place)["version"] == len(MIGRATIONS)


async def test_a_newer_lira_s_database_is_refused(opened: Open, place: MongoPlace) -> None:
    await opened(place.url)
    with MongoClient(place.url) as client:
        client.get_default_database()["meta"].update_one({"_id": "schema"}, {"$inc": {"version": 1}})
    with pytest.raises(StoreRejected, match=r"LIRA_RECORD_URL.*newer LIRA.*update LIRA"):
        await opened(place.url)
    assert mark(place)["version"] == len(MIGRATIONS) + 1


@pytest.mark.parametrize(
    ("collection", "document"), [("customers", {"name": "Ada"}), ("meta", {"_id": "schema", "version": 3}), ("memories", {"x": 1})]
)
async def test_another_program_s_database_is_refused_and_left_as_it_is(
    opened: Open, place: MongoPlace, collection: str, document: dict[str, Any]
) -> None:
    with MongoClient(place.url) as client:
        database = client.get_default_database()
        database[collection].insert_one(dict(document))
        with pytest.raises(StoreRejected, match=r"LIRA_RECORD_URL.*another program"):
            await opened(place.url)
        assert database.list_collection_names() == [collection]


def as_version_1(place: MongoPlace) -> None:
    """Takes away what version 2 brought."""
    with MongoClient(place.url) as client:
        database = client.get_default_database()
        database["meta"].update_one({"_id": "schema"}, {"$set": {"version": 1}})
        database["users"].update_many({}, {"$unset": {"events": "", "event_terms": ""}})
        for name in ("events_terms", "events_session"):
            database["events"].drop_index(name)
        for found in database["events"].find():
            old = {key: value for key, value in json.loads(found["body"]).items() if key != "terms"}
            gone = dict.fromkeys(("place", "session", "role", "terms", "counts", "length", "g"), "")
            database["events"].update_one({"_id": found["_id"]}, {"$set": {"body": json.dumps(old)}, "$unset": gone})


async def test_what_was_said_before_events_had_terms_is_found_and_deleted_by_them(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    texts = ["우리집 강아지 이름은 보리야", "보리가 산책을 했어", "비가 온다"]
    # Loads the morphemes: what opening may take is counted from then on.
    expected = {text: tuple(terms(text)) for text in (*texts, "보리라니 좋은 이름이네요")}
    for user in ("ada", "eve"):
        for n, text in enumerate(texts):
            said = event(f"e{n}", user, text=text, timestamp=NOON + timedelta(minutes=n))
            await record.commit(Write(f"e{n}", user, RECEIVED + n, said))
        await record.commit(Write("e0:reply", user, RECEIVED, reply("e0:reply", user, "e0", text="보리라니 좋은 이름이네요")))
    as_version_1(place)
    with MongoClient(place.url) as client:
        # As after a deletion whose sweep never came.
        client.get_default_database()["users"].update_one({"user_id": "eve", "user": True}, {"$set": {"cut": RECEIVED + 1}, "$inc": {"g": 1}})
        client.get_default_database()["events"].update_one({"user_id": "ada", "id": "e2"}, {"$set": {"body": "{"}})
    records = await asyncio.gather(opened(place.url), opened(place.url))
    assert mark(place)["version"] == len(MIGRATIONS)
    for one in records:
        assert ids(await one.said("ada", ["보리"], 9)) == ["e1", "e0:reply", "e0"]
        assert ids(await one.said("ada", ["산책"], 9, NOON)) == []
        (scene,) = await one.scenes("ada", ["e0"], 2)
        assert ids(scene.around) == ["e0:reply", "e1"]
        assert scene.event.terms == expected[texts[0]]
        assert ids(await one.said("eve", ["보리", "비"], 9)) == ["e2"]
    (user,) = [one for one in documents(place, "users") if one.get("user") and one["user_id"] == "ada"]
    assert (user["events"], user["event_terms"]) == (4, sum(len(expected[text]) for text in (*texts[:2], "보리라니 좋은 이름이네요")))
    await record.entomb("ada", "e0")
    assert await record.erase(Erasure("ada", "e0", RECEIVED + 9))
    assert ids(await record.said("ada", ["보리"], 9)) == ["e1"]
    for who in ("ada", "eve"):
        await record.erase(Erasure(who, None, RECEIVED + 9))
    assert documents(place, "events") == []


async def test_what_was_kept_before_rules_had_a_version_is_of_older_rules(opened: Open, place: MongoPlace) -> None:
    record = await opened(place.url)
    await record.commit(utterance("m", "ada", terms=("커피",)))
    with MongoClient(place.url) as client:
        database = client.get_default_database()
        database["meta"].update_one({"_id": "schema"}, {"$set": {"version": 3}})
        database["memories"].drop_index("memories_derived")
        for found in database["memories"].find():
            old = {key: value for key, value in json.loads(found["body"]).items() if key != "derived"}
            database["memories"].update_one({"_id": found["_id"]}, {"$set": {"body": json.dumps(old)}, "$unset": {"derived": ""}})
    record = await opened(place.url)
    assert mark(place)["version"] == len(MIGRATIONS)
    assert await record.count(1) == 1
    ((old,), _) = await record.outdated(1, 9)
    assert old == memory("m", "ada", terms=("커피",))
    assert await record.rederive("ada", [replace(old, terms=("차",), derived=1)]) == 1
    assert await record.count(1) == 0
    assert ids(await record.lexical("ada", ["커피", "차"], 9)) == ["m"]
