from __future__ import annotations

import asyncio
import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import grpc
import numpy as np
import pytest
from weaviate.proto.v1 import base_pb2

from lira_core.stores.ports import EncoderId, IndexItem, StoreRejected, StoreUnavailable
from lira_core.stores.weaviate import WeaviateVectors
from lira_core.stores.weaviate.schema import EXACT, object_id, tenant_name
from lira_core.stores.weaviate.vectors import BATCH, MOST
from lira_core.stores.words import POSTINGS

from .conftest import NOON, Open
from .engine import TenantState
from .server import WeaviateServer, running

Item = Callable[..., IndexItem]

QUORUM = base_pb2.CONSISTENCY_LEVEL_QUORUM
NOON_MICROS = 1_791_028_800_000_000


def tenants(server: WeaviateServer, collection: str = "Lira_tiny_3") -> dict[str, TenantState]:
    return server.engine.collections[collection].tenants


def at(*values: float) -> Any:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


async def test_what_is_added_travels_to_the_tenant_of_its_user_under_an_id_of_its_own(
    vectors: WeaviateVectors, server: WeaviateServer, item: Item
) -> None:
    await vectors.add("me:1.a", [item("m", 3, 4, 0, user="me:1.a", received=NOON_MICROS + 1, minutes=1, terms=("커피", "a b", "커피"))])
    (request,) = server.said("BatchObjects")
    (sent,) = request.objects
    assert request.consistency_level == QUORUM
    assert (sent.collection, sent.tenant) == ("Lira_tiny_3", tenant_name("me:1.a"))
    assert sent.uuid == str(object_id("me:1.a", "m"))
    assert [(v.name, np.frombuffer(v.vector_bytes, "<f4").tolist()) for v in sent.vectors] == [("meaning", at(3, 4, 0).tolist())]
    properties = dict(sent.properties.non_ref_properties.items())
    assert set(properties) == {"memory_id", "user_id", "timestamp", "received", "terms", "body"}
    assert (properties["memory_id"], properties["user_id"], properties["terms"]) == ("m", "me:1.a", "커피 a%20b 커피")
    assert (properties["timestamp"], properties["received"]) == (NOON_MICROS + 60_000_000, NOON_MICROS + 1)


async def test_a_thousand_memories_travel_in_batches_and_one_that_is_named_twice_once(
    vectors: WeaviateVectors, server: WeaviateServer, item: Item
) -> None:
    await vectors.add("u", [item(f"m{n}") for n in range(1_000)] + [item("m0", 0, 1, 0, text="zuletzt")])
    assert [len(request.objects) for request in server.said("BatchObjects")] == [BATCH] * 10
    assert [memory.text for memory in await vectors.get("u", ["m0"])] == ["zuletzt"]
    assert [hit.id for hit in await vectors.search("u", at(0, 1, 0), 1)] == ["m0"]


async def test_long_memories_travel_in_smaller_batches(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    items = [item(f"m{n}", text="가" * 600_000) for n in range(5)]
    await vectors.add("u", items)
    assert [len(request.objects) for request in server.said("BatchObjects")] == [2, 2, 1]
    assert await vectors.get("u", ["m4"]) == [items[4].memory]


async def test_a_search_asks_one_tenant_for_ids_and_distances_and_the_server_for_the_time(
    vectors: WeaviateVectors, server: WeaviateServer, item: Item
) -> None:
    await vectors.add("u", [item("old", 1, 0, 0), item("new", 0.9, 0.1, 0, minutes=10)])
    hits = await vectors.search("u", at(0, 1, 0), 7, until=NOON + timedelta(minutes=9))
    assert [(hit.id, hit.score) for hit in hits] == [("old", pytest.approx(0.0, abs=1e-6))]
    request = server.said("Search")[-1]
    assert (request.collection, request.tenant, request.limit, request.consistency_level) == ("Lira_tiny_3", tenant_name("u"), 7, QUORUM)
    assert list(request.properties.non_ref_properties) == ["memory_id"]
    assert (request.metadata.distance, request.metadata.certainty) == (True, False)
    assert request.filters.operator == base_pb2.Filters.OPERATOR_LESS_THAN_EQUAL
    assert (request.filters.target.property, request.filters.value_int) == ("timestamp", NOON_MICROS + 9 * 60_000_000)


async def test_the_score_is_the_cosine_and_not_the_certainty(vectors: WeaviateVectors, item: Item) -> None:
    await vectors.add("u", [item("same", 1, 0, 0), item("half", 1, 3**0.5, 0), item("across", 0, 1, 0), item("opposite", -1, 0, 0)])
    hits = await vectors.search("u", at(1, 0, 0), 10)
    assert [hit.id for hit in hits] == ["same", "half", "across", "opposite"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5, 0.0, -1.0], abs=1e-6)
    assert all(-1 <= hit.score <= 1 for hit in hits)


async def test_a_search_without_a_time_sends_no_filter(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m")])
    await vectors.search("u", at(1, 0, 0), 1)
    assert not server.said("Search")[-1].HasField("filters")


@pytest.mark.parametrize("limit", [0, -1])
async def test_nothing_is_asked_for_nothing(vectors: WeaviateVectors, server: WeaviateServer, item: Item, limit: int) -> None:
    assert await vectors.search("u", at(1, 0, 0), limit) == []
    assert await vectors.lexical("u", ["커피"], limit) == []
    assert await vectors.lexical("u", ["", "\ud800"], 5) == []
    assert await vectors.get("u", []) == []
    await vectors.delete("u", [])
    await vectors.add("u", [])
    assert not {"Search", "BatchObjects", "BatchDelete"} & {name for name, _ in server.calls}


async def test_no_more_is_asked_for_than_weaviate_answers(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m", terms=("커피",))])
    assert len(await vectors.search("u", at(1, 0, 0), 10**9)) == 1
    assert len(await vectors.lexical("u", ["커피"], 10**9)) == 1
    assert [request.limit for request in server.said("Search")] == [MOST, MOST]


@pytest.mark.parametrize("year", [1, 1600, 9999])
async def test_times_that_weaviate_cannot_hold_are_before_or_after_all_that_it_can(vectors: WeaviateVectors, item: Item, year: int) -> None:
    far = item("far", timestamp=NOON.replace(year=year))
    await vectors.add("u", [far, item("now")])
    early = await vectors.search("u", at(1, 0, 0), 5, until=NOON)
    assert {hit.id for hit in early} == ({"far", "now"} if year < 2026 else {"now"})
    assert {hit.id for hit in await vectors.search("u", at(1, 0, 0), 5, until=NOON.replace(year=9999))} == {"far", "now"}
    assert (await vectors.get("u", ["far"])) == [far.memory]


async def test_words_are_asked_of_the_terms_alone(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m", text="커피 마셨어", terms=("마시",)), item("n", terms=("커피", "the", "A")), item("o", terms=("a b",))])
    assert [hit.id for hit in await vectors.lexical("u", ["커피"], 5)] == ["n"]
    assert [hit.id for hit in await vectors.lexical("u", ["the"], 5)] == ["n"]
    assert await vectors.lexical("u", ["a"], 5) == []
    assert [hit.id for hit in await vectors.lexical("u", ["a b"], 5)] == ["o"]
    request = server.said("Search")[-1]
    assert (request.bm25_search.query, list(request.bm25_search.properties)) == ("a%20b", ["terms"])
    assert (request.tenant, request.consistency_level, request.metadata.score) == (tenant_name("u"), QUORUM, True)


async def test_a_word_that_is_asked_twice_counts_once(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m", terms=("커피",))])
    await vectors.lexical("u", ["커피", "부산", "커피"], 5)
    assert server.said("Search")[-1].bm25_search.query == "커피 부산"


async def test_words_are_found_as_they_stood_at_a_time(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item(f"m{n}", minutes=n, terms=("커피",)) for n in range(10)])
    assert [hit.id for hit in await vectors.lexical("u", ["커피"], 2, until=NOON + timedelta(minutes=5))] == ["m5", "m4"]
    assert server.said("Search")[-1].filters.value_int == NOON_MICROS + 5 * 60_000_000


async def test_of_many_that_score_alike_the_newest_come_first_by_time_and_then_by_when_they_were_received(
    vectors: WeaviateVectors, item: Item
) -> None:
    await vectors.add("u", [item(f"m{n}", minutes=n // 2, received=n, terms=("커피",)) for n in range(300)])
    assert [hit.id for hit in await vectors.lexical("u", ["커피"], 4)] == ["m299", "m298", "m297", "m296"]


async def test_better_matches_come_before_newer_ones(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("both", terms=("커피", "부산")), *[item(f"m{n}", minutes=n + 1, terms=("커피", "집")) for n in range(20)]])
    assert [hit.id for hit in await vectors.lexical("u", ["커피", "부산"], 2)] == ["both", "m19"]
    assert max(request.limit for request in server.said("Search")) <= POSTINGS


async def test_bodies_come_back_whole_in_the_order_asked(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    items = [item(f"m{n}", text=f"{n}\x00 \\ ☕", metadata={"n": [n, 2**63 - 1, 0.1]}) for n in range(5)]
    await vectors.add("u", items)
    assert await vectors.get("u", ["m3", "gone", "m1", "m3"]) == [items[3].memory, items[1].memory]
    request = server.said("Search")[-1]
    assert request.filters.operator == base_pb2.Filters.OPERATOR_CONTAINS_ANY
    assert list(request.filters.value_text_array.values) == [str(object_id("u", id)) for id in ("m3", "gone", "m1")]


async def test_a_memory_in_the_tenant_of_another_user_is_never_shown(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m")])
    (stored,) = tenants(server)[tenant_name("u")].objects.values()
    stored.properties["user_id"] = "v"
    with pytest.raises(StoreRejected, match="another user"):
        await vectors.get("u", ["m"])


async def test_deleting_names_the_ids_in_the_tenant_of_the_user(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m"), item("n")])
    await vectors.add("v", [item("m", user="v")])
    await vectors.delete("u", ["m", "gone"])
    (request,) = server.said("BatchDelete")
    assert (request.collection, request.tenant, request.consistency_level) == ("Lira_tiny_3", tenant_name("u"), QUORUM)
    assert list(request.filters.value_text_array.values) == [str(object_id("u", id)) for id in ("m", "gone")]
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["n"]
    assert [hit.id for hit in await vectors.search("v", at(1, 0, 0), 5)] == ["m"]


async def test_a_user_whom_nobody_knows_has_nothing_and_is_not_made(vectors: WeaviateVectors, server: WeaviateServer) -> None:
    assert await vectors.search("who", at(1, 0, 0), 5) == []
    assert await vectors.lexical("who", ["커피"], 5) == []
    assert await vectors.get("who", ["m"]) == []
    await vectors.delete("who", ["m"])
    await vectors.delete_user("who", EXACT)
    assert tenants(server) == {}


async def test_a_tenant_goes_with_the_last_of_its_memories(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m", received=5), item("n", received=6)])
    await vectors.delete_user("u", 6)
    assert tenants(server) == {}
    assert not server.said("BatchDelete")
    assert [asked for name, asked in server.calls if name.startswith("DELETE")] == [[tenant_name("u")]]


async def test_what_was_received_after_the_cut_stays_and_the_rest_goes_however_much(opened: Open, item: Item) -> None:
    with running(maximum=1_000) as server:
        vectors = await opened(server.url)
        await vectors.add("u", [item(f"m{n}", received=n) for n in range(2_500)])
        await vectors.delete_user("u", 2_497)
        assert set(tenants(server)[tenant_name("u")].objects) == {str(object_id("u", f"m{n}")) for n in (2_498, 2_499)}


async def test_what_is_added_while_its_user_is_deleted_is_there_afterwards(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    loop = asyncio.get_running_loop()
    adding: list[asyncio.Future[None]] = []
    added = threading.Event()

    def start_adding() -> None:
        adding.append(asyncio.ensure_future(vectors.add("u", [item("after", received=9)])))
        adding[0].add_done_callback(lambda done: added.set())

    def late(name: str, request: Any) -> None:
        # The tenant was seen to hold nothing newer; before it is removed, there is time to add something.
        if name == "DELETE /v1/schema/Lira_tiny_3/tenants":
            loop.call_soon_threadsafe(start_adding)
            added.wait(0.5)

    await vectors.add("u", [item("before", received=5)])
    server.fault = late
    await vectors.delete_user("u", 5)
    await adding[0]
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["after"]


async def test_a_tenant_that_was_put_to_sleep_is_opened_by_whatever_is_asked_of_it(
    vectors: WeaviateVectors, server: WeaviateServer, item: Item
) -> None:
    async def asleep(work: Any) -> Any:
        tenants(server)[tenant_name("u")].active = False
        return await work

    await vectors.add("u", [item("m"), item("n", terms=("커피",))])
    assert len(await asleep(vectors.search("u", at(1, 0, 0), 5))) == 2
    assert len(await asleep(vectors.lexical("u", ["커피"], 5))) == 1
    await asleep(vectors.add("u", [item("o")]))
    await asleep(vectors.delete("u", ["m"]))
    assert [memory.id for memory in await asleep(vectors.get("u", ["m", "n", "o"]))] == ["n", "o"]


async def test_a_tenant_that_does_not_open_by_itself_is_opened(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m")])
    server.engine.collections["Lira_tiny_3"].definition["multiTenancyConfig"]["autoTenantActivation"] = False
    for work in (vectors.search("u", at(1, 0, 0), 5), vectors.add("u", [item("n")])):
        tenants(server)[tenant_name("u")].active = False
        await work
        assert tenants(server)[tenant_name("u")].active
    assert len(server.said("PUT /v1/schema/Lira_tiny_3/tenants")) == 2


async def test_a_tenant_that_stays_asleep_is_opened_before_it_is_removed(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    def asleep(name: str, request: Any) -> None:
        # A search is answered by another node, and the tenant is closed all the same (issue 8651).
        if name.endswith(tenant_name("u")):
            tenants(server)[tenant_name("u")].active = False

    await vectors.add("u", [item("secret", received=1)])
    server.fault = asleep
    await vectors.delete_user("u", 5)
    await vectors.add("u", [item("new", received=9)])
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["new"]


async def test_a_sleeping_user_who_is_deleted_and_comes_back_finds_nothing(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("secret", received=1)])
    tenants(server)[tenant_name("u")].active = False
    await vectors.delete_user("u", 5)
    await vectors.add("u", [item("new", received=9)])
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["new"]


async def test_where_tenants_are_not_made_by_themselves_they_are_made(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    server.engine.collections["Lira_tiny_3"].definition["multiTenancyConfig"]["autoTenantCreation"] = False
    await vectors.add("u", [item("m")])
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["m"]


async def test_two_encoders_lie_side_by_side(server: WeaviateServer, opened: Open, item: Item) -> None:
    small, large = await opened(server.url, EncoderId("lira-small", 3)), await opened(server.url, EncoderId("lira-small", 4))
    await small.add("u", [item("m", 1, 0, 0)])
    await large.add("u", [item("m", 0, 0, 0, 1), item("n", 1, 0, 0, 0)])
    assert [hit.id for hit in await small.search("u", at(1, 0, 0), 5)] == ["m"]
    assert [hit.id for hit in await large.search("u", at(1, 0, 0, 0), 5)] == ["n", "m"]
    await large.clear()
    assert await large.search("u", at(1, 0, 0, 0), 5) == []
    assert [hit.id for hit in await small.search("u", at(1, 0, 0), 5)] == ["m"]


async def test_clearing_leaves_an_empty_collection_as_it_should_be(
    vectors: WeaviateVectors, server: WeaviateServer, opened: Open, item: Item
) -> None:
    other = await opened(server.url)
    await vectors.add("u", [item("m")])
    await other.clear()
    assert tenants(server) == {}
    assert await vectors.search("u", at(1, 0, 0), 5) == []
    await vectors.add("u", [item("n")])
    assert [hit.id for hit in await other.search("u", at(1, 0, 0), 5)] == ["n"]


async def test_a_collection_that_auto_schema_makes_while_it_is_cleared_is_made_anew(opened: Open, item: Item) -> None:
    with running(auto_schema=True) as server:
        vectors = await opened(server.url)
        await vectors.add("u", [item("m")])
        late = {"memory_id": "late"}

        def between(name: str, request: Any) -> None:
            if name == "POST /v1/schema" and len(server.said(name)) == 2:
                server.engine.put("Lira_tiny_3", "t", str(uuid.uuid4()), dict(late), {})

        server.fault = between
        await vectors.clear()
        assert "invertedIndexConfig" in server.engine.collections["Lira_tiny_3"].definition
        await (await opened(server.url)).ping()
        assert tenants(server) == {}


async def test_clearing_what_is_not_there_makes_it(vectors: WeaviateVectors, server: WeaviateServer) -> None:
    del server.engine.collections["Lira_tiny_3"]
    await vectors.clear()
    assert tenants(server) == {}


async def test_a_collection_that_somebody_dropped_is_made_again_by_the_next_write(
    vectors: WeaviateVectors, server: WeaviateServer, item: Item
) -> None:
    await vectors.add("u", [item("m")])
    del server.engine.collections["Lira_tiny_3"]
    assert await vectors.search("u", at(1, 0, 0), 5) == []
    await vectors.add("u", [item("n")])
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["n"]


async def test_a_batch_of_which_one_object_fails_is_an_error(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("m")])
    (stored,) = tenants(server)[tenant_name("u")].objects.values()
    stored.vectors["meaning"] = at(1, 0)
    with pytest.raises(StoreRejected, match="length"):
        await vectors.add("u", [item("n")])


async def test_a_deletion_that_weaviate_could_not_finish_is_made_again_later(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    await vectors.add("u", [item("old", received=1), item("new", received=9)])
    server.fault = lambda name, request: (grpc.StatusCode.UNKNOWN, "context deadline exceeded") if name == "BatchDelete" else None
    with pytest.raises(StoreUnavailable):
        await vectors.delete_user("u", 5)
    server.fault = lambda name, request: None
    await vectors.delete_user("u", 5)
    assert [hit.id for hit in await vectors.search("u", at(1, 0, 0), 5)] == ["new"]


async def test_many_users_at_once_keep_to_themselves(vectors: WeaviateVectors, server: WeaviateServer, item: Item) -> None:
    async def live(n: int) -> None:
        user = f"u{n}"
        await vectors.add(user, [item(f"secret-{n}", user=user, terms=("커피",))])
        assert [hit.id for hit in await vectors.search(user, at(1, 0, 0), 100)] == [f"secret-{n}"]
        assert [hit.id for hit in await vectors.lexical(user, ["커피"], 100)] == [f"secret-{n}"]
        assert await vectors.get(user, [f"secret-{(n + 1) % 64}"]) == []

    await asyncio.gather(*map(live, range(64)))
    assert len(tenants(server)) == 64
