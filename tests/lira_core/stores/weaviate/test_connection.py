from __future__ import annotations

import asyncio
import gc
import logging
import warnings
from collections.abc import Callable
from typing import Any

import grpc
import pytest

from lira_core.stores.ports import IndexItem, StoreRejected, StoreUnavailable
from lira_core.stores.weaviate import WeaviateVectors
from lira_core.stores.weaviate.connection import OPERATION_SECONDS

from .conftest import Open
from .server import WeaviateServer, running, slow

Item = Callable[..., IndexItem]


async def _recovered(vectors: WeaviateVectors, item: IndexItem) -> None:
    """Waits until the vectors can be written again: gRPC looks once a second whether the server is back."""
    async with asyncio.timeout(20):
        while True:
            try:
                return await vectors.add("u", [item])
            except StoreUnavailable:
                await asyncio.sleep(0.05)


async def test_opening_while_the_server_is_away_is_one_warning_and_its_calls_say_so(
    server: WeaviateServer, opened: Open, item: Item, caplog: pytest.LogCaptureFixture
) -> None:
    server.stop()
    try:
        vectors = await opened(server.url)
        assert [record.levelno for record in caplog.records if record.name.startswith("lira_core")] == [logging.WARNING]
        for call in (vectors.ping(), vectors.add("u", [item("m")]), vectors.search("u", item("m").vector, 1), vectors.clear()):
            with pytest.raises(StoreUnavailable):
                await call
    finally:
        server.start()
    await vectors.add("u", [item("m")])
    assert [hit.id for hit in await vectors.search("u", item("m").vector, 1)] == ["m"]


async def test_attempts_to_connect_that_fail_leave_nothing_open(server: WeaviateServer, opened: Open) -> None:
    server.stop()
    # What a test before left in a cycle, the collection below would find as well.
    gc.collect()
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            vectors = await opened(server.url)
            with pytest.raises(StoreUnavailable):
                await vectors.ping()
            gc.collect()
        assert [str(one.message) for one in warned if "closed" in str(one.message)] == []
    finally:
        server.start()


async def test_first_calls_at_the_same_time_make_the_collection_once(server: WeaviateServer, opened: Open, item: Item) -> None:
    server.stop()
    try:
        vectors = await opened(server.url)
    finally:
        server.start()
    await asyncio.gather(*[vectors.add(f"u{n}", [item("m", user=f"u{n}")]) for n in range(20)])
    assert len(server.said("POST /v1/schema")) == 1
    assert len(server.said("GET /v1/meta")) == 2


async def test_two_processes_that_make_the_collection_at_the_same_time_both_have_it(server: WeaviateServer, opened: Open) -> None:
    def other_first(name: str, request: Any) -> None:
        if name == "POST /v1/schema" and not server.engine.collections:
            server.engine.create(request)

    server.fault = other_first
    vectors = await opened(server.url)
    await vectors.ping()


async def test_after_an_outage_it_goes_on_with_what_it_had(server: WeaviateServer, vectors: WeaviateVectors, item: Item) -> None:
    await vectors.add("u", [item("before")])
    server.stop()
    try:
        for call in (vectors.search("u", item("x").vector, 5), vectors.add("u", [item("lost")]), vectors.delete("u", ["x"]), vectors.ping()):
            with pytest.raises(StoreUnavailable):
                await call
    finally:
        server.start()
    await _recovered(vectors, item("after"))
    assert {hit.id for hit in await vectors.search("u", item("x").vector, 5)} >= {"before", "after"}


async def test_a_server_that_does_not_answer_is_given_up_on(server: WeaviateServer, vectors: WeaviateVectors, item: Item) -> None:
    await vectors.add("u", [item("m")])
    server.fault = slow(OPERATION_SECONDS + 1)
    with pytest.raises(StoreUnavailable, match=r"did not answer|cannot be reached"):
        await vectors.search("u", item("m").vector, 5)


async def test_a_call_that_is_cancelled_leaves_the_connection_usable(server: WeaviateServer, opened: Open, item: Item) -> None:
    server.fault = slow(0.3)
    vectors = None
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            vectors = await opened(server.url)
    assert vectors is None
    vectors = await opened(server.url)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await vectors.search("u", item("m").vector, 5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await vectors.add("u", [item("m")])
    server.fault = lambda name, request: None
    await vectors.add("u", [item("m")])
    assert [hit.id for hit in await vectors.search("u", item("m").vector, 5)] == ["m"]


async def test_a_cancelled_first_call_does_not_keep_the_others_from_connecting(server: WeaviateServer, opened: Open, item: Item) -> None:
    server.stop()
    try:
        vectors = await opened(server.url)
    finally:
        server.start()
    server.fault = slow(0.2)
    first = asyncio.create_task(vectors.add("u", [item("first")]))
    second = asyncio.create_task(vectors.add("u", [item("second")]))
    await asyncio.sleep(0.1)
    first.cancel()
    await second
    assert [memory.id for memory in await vectors.get("u", ["first", "second"])] == ["second"]


async def test_closing_twice_is_harmless_and_calls_afterwards_are_refused_as_unavailable(vectors: WeaviateVectors) -> None:
    await vectors.close()
    await vectors.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await vectors.ping()


async def test_the_key_opens_both_ways_and_is_in_no_log(opened: Open, item: Item, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with running(key="hush-hush") as server:
        vectors = await opened(server.url)
        await vectors.add("u", [item("m")])
        assert [hit.id for hit in await vectors.search("u", item("m").vector, 1)] == ["m"]
    assert "hush" not in caplog.text


@pytest.mark.parametrize("password", ["", ":hush-wrong@"])
async def test_a_wrong_or_missing_key_is_refused_by_the_name_of_the_setting(opened: Open, password: str, caplog: pytest.LogCaptureFixture) -> None:
    with running(key="hush-hush") as server, pytest.raises(StoreRejected, match="LIRA_VECTORS_URL") as refused:
        await opened(server.url.replace(":hush-hush@", password))
    assert "hush" not in f"{refused.value} {refused.value.__cause__} {caplog.text}"


@pytest.mark.parametrize("version", ["1.29.9", "1.26.0", "0.99"])
async def test_an_old_server_is_refused_with_what_it_is_and_what_is_needed(opened: Open, version: str) -> None:
    with running(version=version) as server, pytest.raises(StoreRejected, match=f"{version}.*LIRA_VECTORS_URL"):
        await opened(server.url)


@pytest.mark.parametrize("version", ["1.30.0", "1.39.0-rc.1", "2.0.0"])
async def test_a_server_that_is_new_enough_is_used(opened: Open, version: str) -> None:
    with running(version=version) as server:
        await (await opened(server.url)).ping()


async def test_a_port_behind_which_is_no_grpc_is_refused_by_the_name_of_the_setting(server: WeaviateServer, opened: Open) -> None:
    with pytest.raises(StoreRejected, match=r"grpc_port.*LIRA_VECTORS_URL"):
        await opened(server.url.replace(f"grpc_port={server.grpc_port}", f"grpc_port={server.port}"))


async def test_a_server_that_is_no_weaviate_is_refused_by_the_name_of_the_setting(server: WeaviateServer, opened: Open) -> None:
    server.version = None  # type: ignore[assignment]
    with pytest.raises(StoreRejected, match="LIRA_VECTORS_URL"):
        await opened(server.url)


async def test_a_server_that_speaks_no_tls_is_refused_by_the_name_of_the_setting(server: WeaviateServer, opened: Open) -> None:
    with pytest.raises(StoreRejected, match=r"TLS.*LIRA_VECTORS_URL"):
        await opened(server.url.replace("weaviate://", "weaviates://"))


async def test_what_people_said_is_in_no_log_when_a_batch_fails_in_part(
    server: WeaviateServer, vectors: WeaviateVectors, item: Item, caplog: pytest.LogCaptureFixture
) -> None:
    def spoil(name: str, request: Any) -> None:
        if name == "BatchObjects":
            request.objects[1].properties.non_ref_properties["timestamp"] = "today"

    caplog.set_level(logging.DEBUG)
    server.fault = spoil
    with pytest.raises(StoreRejected, match="timestamp"):
        await vectors.add("u", [item("m", text="비밀이야"), item("n", text="비밀이야")])
    assert "비밀" not in caplog.text


async def test_while_it_is_away_only_whether_it_is_back_is_asked(server: WeaviateServer, vectors: WeaviateVectors, item: Item) -> None:
    away = (grpc.StatusCode.DEADLINE_EXCEEDED, "away")
    server.fault = lambda name, request: None if name.startswith("GET") else away
    with pytest.raises(StoreUnavailable):
        await vectors.search("u", item("m").vector, 5)
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="does not serve"):
            await vectors.search("u", item("m").vector, 5)
    assert len(server.said("Search")) == 1
    server.fault = lambda name, request: None
    assert await vectors.search("u", item("m").vector, 5) == []


async def test_a_full_disk_is_waited_for(server: WeaviateServer, vectors: WeaviateVectors, item: Item) -> None:
    server.fault = lambda name, request: (
        (grpc.StatusCode.UNKNOWN, "store is read-only due to: disk usage too high") if name == "BatchObjects" else None
    )
    with pytest.raises(StoreUnavailable, match="disk"):
        await vectors.add("u", [item("m")])
