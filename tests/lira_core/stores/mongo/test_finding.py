"""Finding: past the head as within it, against a plain model; and by an index, always."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pymongo import MongoClient, monitoring

from lira_core.stores import StoreRejected
from lira_core.stores.mongo.lists import HEAD
from lira_core.stores.mongo.record import MongoRecord
from lira_core.stores.ports import IndexPlan
from lira_core.types import Line, Memory, Summary

from ..conformance.engines import MongoPlace
from ..conformance.making import NOON, RECEIVED, fact, feels, ids, imported, memory, utterance
from .conftest import Open

MANY = 3 * HEAD


def varied(n: int, minutes: float, chance: random.Random) -> Memory:
    label = chance.choice(["joy", "anger"])
    facts = (fact("user", chance.choice(["like", "plan"]), key=f"k{n % 3}"),) if n % 2 else ()
    return memory(f"m{n}", "ada", minutes, terms=("늘", f"말{n % 40}"), emotion=feels((label, round(chance.random(), 3))), facts=facts)


@pytest.fixture
async def filled(record: MongoRecord) -> tuple[MongoRecord, list[Memory]]:
    """Memories that came in no order: some years apart, some hundreds in one minute; (the record, newest first)."""
    chance = random.Random(11)
    minutes = [chance.choice([0.0, chance.randrange(500), chance.randrange(2_000_000)]) for _ in range(MANY)]
    memories = [varied(n, at, chance) for n, at in enumerate(minutes)]
    for start in range(0, MANY, 64):
        await record.commit(imported(f"i{start}", "ada", memories[start : start + 64], RECEIVED + start))
    order = sorted(range(MANY), key=lambda n: (memories[n].timestamp, n), reverse=True)
    return record, [memories[n] for n in order]


async def test_every_list_is_newest_first_to_its_end_at_any_time(filled: tuple[MongoRecord, list[Memory]]) -> None:
    record, newest = filled
    moments = [None, *(newest[i].timestamp for i in (0, 20, HEAD, 2 * HEAD, MANY - 3)), newest[-1].timestamp - timedelta(microseconds=1)]
    for until in moments:
        known = [said for said in newest if until is None or said.timestamp <= until]
        for limit in (1, 20, HEAD + 1, MANY + 5):
            assert ids(await record.newest("ada", limit, until)) == ids(known)[:limit]
            happy = [said for said in known if said.emotion.label == "joy" and said.emotion.score >= 0.6]
            assert ids(await record.feeling("ada", "joy", 0.6, limit, until)) == ids(happy)[:limit]
            liked = [said for said in known if any(one.predicate == "like" for one in said.facts)]
            assert ids(await record.slots("ada", [(None, "like")], limit, until)) == ids(liked)[:limit]
        held = {f"k{k}": next((said for said in known if any(one.key == f"k{k}" for one in said.facts)), None) for k in range(3)}
        expected = {key: (said.timestamp, said.id) for key, said in held.items() if said is not None}
        assert await record.holders("ada", ["k0", "k1", "k2"], until) == expected


async def test_a_common_word_is_considered_as_far_back_as_asked(filled: tuple[MongoRecord, list[Memory]]) -> None:
    record, newest = filled
    assert ids(await record.lexical("ada", ["늘"], MANY)) == ids(newest), "equals are newest first"
    past = newest[2 * HEAD].timestamp
    known = [said for said in newest if said.timestamp <= past]
    assert ids(await record.lexical("ada", ["늘"], 30, past)) == ids(known)[:30]
    rare = [said for said in known if "말7" in said.terms]
    assert ids(await record.lexical("ada", ["말7", "늘"], len(rare), past)) == ids(rare)


@pytest.mark.parametrize("limit", [1, 7, HEAD, MANY])
async def test_pages_show_each_memory_once_however_long(filled: tuple[MongoRecord, list[Memory]], limit: int) -> None:
    record, newest = filled
    seen: list[Memory] = []
    page, cursor = await record.page("ada", limit, None)
    while True:
        seen += page
        if cursor is None or len(seen) > 60:
            break
        page, cursor = await record.page("ada", limit, cursor)
    assert seen == newest[: len(seen)]
    assert len(seen) >= 60


async def test_a_damaged_memory_is_named_and_the_others_are_found(record: MongoRecord, place: MongoPlace) -> None:
    for n in range(3):
        await record.commit(utterance(f"m{n}", "ada", RECEIVED + n, n))
    with MongoClient(place.url) as client:
        client.get_default_database()["memories"].update_one({"id": "m1"}, {"$set": {"body": "{"}})
    with pytest.raises(StoreRejected, match="memory m1 is damaged"):
        await record.get("ada", ["m0", "m1"])
    assert ids(await record.newest("ada", 5)) == ["m2", "m1", "m0"]
    assert ids(await record.get("ada", ["m0", "m2"])) == ["m0", "m2"]


# By an index


def stages(plan: Any) -> set[str]:
    """Every stage of a plan, wherever it is nested."""
    if isinstance(plan, list):
        return {stage for part in plan for stage in stages(part)}
    if not isinstance(plan, dict):
        return set()
    return {str(plan["stage"]) for _ in plan if "stage" in plan} | stages(list(plan.values()))


SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "a list past its head": ("memories", {"user_id": "ada", "g": 0, "lists": "word:늘", "place": {"$gte": "8", "$lt": "9"}}),
    "a page": ("memories", {"user_id": "ada", "g": 0, "lists": "all", "place": {"$gte": "8"}}),
    "heads": ("users", {"_id": {"$in": ["3:ada/", "3:ada/word:늘"]}}),
    "bodies": ("memories", {"_id": {"$in": ["3:ada/m1", "3:ada/m2"]}}),
    "tombstones of a write": ("tombstones", {"_id": {"$in": ["3:ada/x"]}}),
    "memories that older rules read": ("memories", {"derived": {"$in": [None, 0]}}),
    "a step of a sweep": ("memories", {"user_id": "ada", "n": {"$gte": 0, "$lt": 256}}),
    "a step over the events": ("events", {"user_id": "ada", "n": {"$gte": 0, "$lt": 256}}),
    "the newest events that hold a term": ("events", {"user_id": "ada", "g": 0, "terms": "커피"}),
    "those until a moment": ("events", {"user_id": "ada", "g": 0, "terms": "커피", "place": {"$lt": "9"}}),
    "what was said in a session": ("events", {"user_id": "ada", "g": 0, "session": "s"}),
    "what was said around an event": ("events", {"user_id": "ada", "g": 0, "session": "s", "place": {"$lt": "9"}}),
    "what was said, by its id": ("events", {"_id": {"$in": ["3:ada/x"]}}),
    "summaries": ("summaries", {"user_id": "ada", "g": 0, "scope": "day"}),
    "summaries since a time": ("summaries", {"user_id": "ada", "g": 0, "scope": "day", "ending": {"$gte": 0}}),
    "the summaries of a group": ("summaries", {"user_id": "ada", "scope": "day", "group": "2026-10-03"}),
    "the summaries that rest on an utterance": ("summaries", {"user_id": "ada", "turns": "m1"}),
    "the summaries that rest on something before a cut": ("summaries", {"user_id": "ada", "oldest": {"$lte": 1}}),
    "the summaries of an earlier generation": ("summaries", {"user_id": "ada", "g": {"$lt": 1}}),
    "the events about a memory": ("events", {"user_id": "ada", "about": "m1"}),
    "tombstones until a cut": ("tombstones", {"user_id": "ada", "received": {"$lte": RECEIVED}}),
    "lanes that are due": ("users", {"lane": "index/conformance", "due": {"$lte": 2**60}}),
    "entries of a lane": ("outbox", {"user_id": "ada", "queue": "index/conformance", "n": {"$gte": 0, "$lt": 128}}),
    "dead letters": ("outbox", {"queue": "index/conformance!"}),
}


@pytest.mark.parametrize("shape", SHAPES)
async def test_every_query_is_answered_by_an_index(filled: tuple[MongoRecord, list[Memory]], place: MongoPlace, shape: str) -> None:
    """Look-ups by `_id` also name the user, for the shard; SecantusDB's `explain` does not know that it then still looks by `_id`."""
    collection, filter = SHAPES[shape]
    with MongoClient(place.url) as client:
        plan = client.get_default_database().command("explain", {"find": collection, "filter": filter}, verbosity="queryPlanner")
    found = stages(plan["queryPlanner"]["winningPlan"])
    assert "COLLSCAN" not in found
    assert found & {"IXSCAN", "IDHACK", "CLUSTERED_IXSCAN", "EXPRESS_IXSCAN", "EXPRESS_CLUSTERED_IXSCAN"}


async def test_what_the_engine_asks_is_what_is_shown_to_use_an_index(opened: Open, place: MongoPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every filter that the engine sends has the fields of one of SHAPES, besides the user's name in a look-up by `_id`."""
    sent: list[tuple[str, frozenset[str]]] = []

    class Listener(monitoring.CommandListener):
        def started(self, event: Any) -> None:
            if event.database_name == place.url.rpartition("/")[2]:
                for filter in filters(event.command):
                    sent.append((event.command[event.command_name], frozenset(filter)))

        def succeeded(self, event: Any) -> None: ...

        def failed(self, event: Any) -> None: ...

    # `register` is for good; what it changes is put back when the test ends.
    monkeypatch.setattr(monitoring, "_LISTENERS", monitoring._LISTENERS)
    monitoring.register(Listener())
    record = await opened(place.url)
    await record.plan_index(IndexPlan(serving="conformance"), IndexPlan())
    chance = random.Random(3)
    await record.commit(imported("i", "ada", [varied(n, n, chance) for n in range(HEAD + 20)]))
    sent.clear()
    await record.commit(utterance("x", "ada", RECEIVED + 1, 1_000, terms=("늘",)))
    await record.newest("ada", HEAD + 5)
    await record.feeling("ada", "joy", 0.99, 5)
    await record.slots("ada", [("user", "like")], 5, NOON)
    await record.lexical("ada", ["늘"], HEAD + 5)
    await record.holders("ada", ["k1"], NOON)
    await record.page("ada", 5, (await record.page("ada", 5, None))[1])
    await record.get("ada", ["m1"])
    await record.said("ada", ["커피"], 5)
    await record.said("ada", ["커피"], 5, NOON)
    await record.scenes("ada", ["x"], 2)
    await record.utterances("ada", "s", 5)
    said = Line("x", "말", NOON, 0.5)
    await record.put_summaries("ada", "session", "s", [Summary("ada", "session", "s", NOON, NOON, "말", (said,))])
    await record.summaries("ada", "session", 5)
    await record.summaries("ada", "session", 5, NOON, NOON)
    await record.unindexed.claim(5, 60)
    await record.unindexed.dead(5)
    (some, cursor) = await record.outdated(1, 5)
    await record.outdated(1, 5, cursor)
    await record.rederive("ada", [replace(one, facts=(), terms=("늘", "새말"), derived=1) for one in some])
    assert await record.count(1) == HEAD + 16
    shown = {(collection, frozenset(filter)) for collection, filter in SHAPES.values()}
    asked = {(collection, fields if "_id" not in fields else frozenset({"_id"})) for collection, fields in sent}
    asked -= {("meta", frozenset({"_id"})), ("outbox", frozenset({"_id"}))}
    assert asked <= shown
    assert ("memories", frozenset({"user_id", "g", "lists", "place"})) in asked
    assert ("events", frozenset({"user_id", "g", "session", "place"})) in asked


def filters(command: Any) -> list[dict[str, Any]]:
    found = [command["filter"]] if "filter" in command else []
    found += [update["q"] for update in command.get("updates", ())]
    return found + [delete["q"] for delete in command.get("deletes", ())]


@pytest.mark.skipif(
    "LIRA_TEST_MONGODB_URL" not in os.environ, reason="needs a real MongoDB (LIRA_TEST_MONGODB_URL): SecantusDB always sorts by itself"
)
async def test_mongodb_stops_at_the_limit_without_sorting(opened: Open) -> None:
    url = os.environ["LIRA_TEST_MONGODB_URL"].rstrip("/") + "/lira_test_explain"
    record = await opened(url)
    with MongoClient(url) as client:
        database = client.get_default_database()
        try:
            await record.commit(imported("i", "ada", [varied(n, n, random.Random(3)) for n in range(MANY)]))
            asked = {"find": "memories", "filter": SHAPES["a page"][1], "sort": {"place": -1}, "limit": 5}
            plan = database.command("explain", asked, verbosity="executionStats")
            assert "SORT" not in stages(plan["queryPlanner"]["winningPlan"])
            assert plan["executionStats"]["totalKeysExamined"] <= 10
        finally:
            client.drop_database(database.name)
