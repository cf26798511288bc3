"""`open_record`: what is refused with a sentence, and what is waited for."""

from __future__ import annotations

import asyncio
import logging
import time

import pytest
from pymongo import MongoClient

from lira_cli.ports import free_port
from lira_core.stores import StoreRejected, StoreUnavailable
from lira_core.stores.mongo.server import OPERATION_SECONDS

from ..conformance.engines import MongoPlace
from ..conformance.making import RECEIVED, someone, utterance
from .conftest import Open, Secantus, again, documents


@pytest.mark.parametrize(
    "url",
    ["mongodb://127.0.0.1:27017", "mongodb://127.0.0.1:27017/", "mongodb://127.0.0.1:27017/?w=1", "mongodb:///lira", "mongodb://user:word@/lira"],
)
async def test_a_url_without_host_or_database_is_refused_and_says_what_to_write(opened: Open, url: str) -> None:
    with pytest.raises(StoreRejected, match=r"LIRA_RECORD_URL.*/DATABASE"):
        await opened(url)


@pytest.mark.parametrize("url", ["mongodb://127.0.0.1:none/lira", "mongodb://127.0.0.1:1/li ra", "mongodb://a:b:c@127.0.0.1:1/lira"])
async def test_a_url_that_the_driver_cannot_read_is_refused_by_the_setting_s_name(opened: Open, url: str) -> None:
    with pytest.raises(StoreRejected, match=r"LIRA_RECORD_URL"):
        await opened(url)


async def test_the_password_is_in_no_message(opened: Open, secantus: Secantus) -> None:
    with pytest.raises(StoreRejected) as refused:
        await opened(f"mongodb://ada:geheim@127.0.0.1:{secantus.port}/lira_auth")
    assert "geheim" not in str(refused.value)
    assert "LIRA_RECORD_URL" in str(refused.value)


async def test_a_wrong_password_is_refused_and_the_right_one_opens(opened: Open, own: Secantus) -> None:
    with MongoClient(own.url("admin")) as client:
        client["admin"].command("createUser", "ada", pwd="right", roles=["root"])
    own.stop()
    own.start("--auth")
    source = "?authSource=admin"
    with pytest.raises(StoreRejected, match=r"LIRA_RECORD_URL.*password"):
        await opened(own.url("lira", "ada:wrong@") + source)
    with pytest.raises(StoreRejected, match=r"LIRA_RECORD_URL.*password"):
        await opened(own.url("lira"))
    record = await opened(own.url("lira", "ada:right@") + source)
    await record.commit(utterance("m", "ada"))
    assert [memory.id for memory in await record.get("ada", ["m"])] == ["m"]


async def test_a_server_that_is_away_is_no_error_and_is_used_once_it_is_there(opened: Open, own: Secantus, caplog: pytest.LogCaptureFixture) -> None:
    own.stop()
    with caplog.at_level(logging.WARNING, logger="lira_core.stores.mongo.server"):
        record = await opened(own.url("lira"))
    assert [entry.levelname for entry in caplog.records] == ["WARNING"]
    assert "LIRA_RECORD_URL" in caplog.text
    with pytest.raises(StoreUnavailable):
        await record.commit(utterance("m", "ada"))
    await asyncio.to_thread(own.start)
    await again(lambda: record.commit(utterance("m", "ada")))
    assert [memory.id for memory in await record.get("ada", ["m"])] == ["m"]


async def test_many_first_calls_while_the_server_is_away_all_fail_in_the_time_of_one(opened: Open) -> None:
    record = await opened(f"mongodb://127.0.0.1:{free_port()}/lira")
    start = time.monotonic()
    answers = await asyncio.gather(*(record.newest(someone(), 5) for _ in range(20)), return_exceptions=True)
    assert all(isinstance(answer, StoreUnavailable) for answer in answers)
    assert time.monotonic() - start < 5 * OPERATION_SECONDS, "one after the other they would take twenty times as long"


async def test_first_calls_at_once_of_two_replicas_make_the_collections_once(opened: Open, own: Secantus) -> None:
    own.stop()
    first, second = await opened(own.url("lira")), await opened(own.url("lira"))
    await asyncio.to_thread(own.start)
    users = [someone() for _ in range(8)]
    await asyncio.gather(*(record.commit(utterance("m", user)) for record in (first, second) for user in users))
    for user in users:
        assert [hit.id for hit in await first.newest(user, 5)] == ["m"]
    with MongoClient(own.url("lira")) as client:
        assert client["lira"]["meta"].find_one({"_id": "schema"})["version"] >= 1


async def test_a_first_call_that_is_cancelled_leaves_the_others_theirs(opened: Open, own: Secantus) -> None:
    own.stop()
    record = await opened(own.url("lira"))
    await asyncio.to_thread(own.start)
    calls = [asyncio.create_task(record.commit(utterance("m", f"u{n}", RECEIVED))) for n in range(4)]
    await asyncio.sleep(0)
    calls[0].cancel()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert answers[1:] == [None, None, None]
    await record.commit(utterance("m", "u0", RECEIVED))


async def test_opening_what_is_there_changes_nothing_in_it(opened: Open, own: Secantus) -> None:
    url = own.url("lira")
    record = await opened(url)
    await record.commit(utterance("m", "ada"))
    second = await opened(url)
    assert [memory.id for memory in (await second.page("ada", 5, None))[0]] == ["m"]
    assert len(documents(MongoPlace(url), "memories")) == 1
