"""What becomes of calls while the server is away, hung, full or not ours, and after it is back."""

from __future__ import annotations

import asyncio
import logging
import shutil
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from lira_core.stores.ports import Backlog, Deferred, Erasure, ShortTerm, StoreRejected, StoreUnavailable

from ..conformance.making import RECEIVED, eventually, ids, turn, utterance
from .conftest import Open, Start

EVERY_CALL: dict[str, Callable[[ShortTerm, Deferred], Awaitable[Any]]] = {
    "append": lambda s, d: s.append("u", "s", turn("t")),
    "read": lambda s, d: s.read("u", "s"),
    "delete": lambda s, d: s.delete("u", "s", RECEIVED),
    "forget": lambda s, d: s.forget("u", "m"),
    "delete_user": lambda s, d: s.delete_user("u", RECEIVED),
    "begin": lambda s, d: s.begin("u", "k", "d", RECEIVED, 1),
    "keep": lambda s, d: s.keep("u", "k", "d", RECEIVED, b"a", []),
    "release": lambda s, d: s.release("u", "k"),
    "put": lambda s, d: d.put(utterance("w", "u")),
    "claim": lambda s, d: d.claim(5, 1),
    "done": lambda s, d: d.done("u", ["w"]),
    "retry": lambda s, d: d.retry("u", ["w"], "r", after=1, blame=True),
    "bury": lambda s, d: d.bury("u", ["w"], "r"),
    "revive": lambda s, d: d.revive(),
    "backlog": lambda s, d: d.backlog(),
    "dead": lambda s, d: d.dead(5),
    "forget what waits": lambda s, d: d.forget("u", "m"),
    "delete what waits": lambda s, d: d.delete_user("u", RECEIVED),
    "ping": lambda s, d: s.ping(),
}


DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


async def fails_everywhere(stores: tuple[ShortTerm, Deferred]) -> None:
    outcomes = await asyncio.gather(*(call(*stores) for call in EVERY_CALL.values()), return_exceptions=True)
    assert {name: type(outcome) for name, outcome in zip(EVERY_CALL, outcomes, strict=True)} == dict.fromkeys(EVERY_CALL, StoreUnavailable)


async def works(stores: tuple[ShortTerm, Deferred], user: str) -> None:
    short_term, deferred = stores
    await short_term.append(user, "s", turn("t"))
    assert len((await short_term.read(user, "s")).messages) == 2
    await deferred.put(utterance("w", user))
    assert "w" in ids(await deferred.claim(100, 60))
    await deferred.done(user, ["w"])


async def test_a_server_that_is_not_there_yet_is_waited_for(start: Start, opened: Open, user: str, caplog: pytest.LogCaptureFixture) -> None:
    server = start(listening=False)
    with caplog.at_level(logging.WARNING):
        stores = await opened(server.url)
    assert [record.getMessage().startswith("LIRA_SHORT_TERM_URL: ") for record in caplog.records] == [True]
    await fails_everywhere(stores)
    server.start()
    await works(stores, user)


async def test_a_server_that_was_killed_and_started_again_needs_no_restart_of_ours(start: Start, opened: Open, user: str) -> None:
    server = start()
    stores = await opened(server.url)
    await asyncio.gather(*(stores[0].append(user, "s", turn(f"t{n}")) for n in range(40)))
    server.kill()
    await fails_everywhere(stores)
    server.start()
    await works(stores, user)
    server.kill()
    server.start()
    # Every connection in the pool is stale now, and the server knows no script.
    await asyncio.gather(*(stores[0].append(f"{user}2", "s", turn(f"t{n}")) for n in range(40)))
    assert len((await stores[0].read(f"{user}2", "s")).messages) == 80


async def test_a_hung_server_is_unavailable_and_usable_when_it_goes_on(start: Start, opened: Open, user: str) -> None:
    server = start()
    stores = await opened(server.url)
    await works(stores, user)
    server.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):
            await fails_everywhere(stores)
    finally:
        server.signal(signal.SIGCONT)
    await works(stores, f"{user}2")


async def test_a_server_that_hangs_while_it_is_opened_is_waited_for(start: Start, opened: Open, user: str) -> None:
    server = start()
    server.signal(signal.SIGSTOP)
    try:
        async with asyncio.timeout(30):
            stores = await opened(server.url)
    finally:
        server.signal(signal.SIGCONT)
    await works(stores, user)


async def test_scripts_that_the_server_has_forgotten_are_given_to_it_again(start: Start, opened: Open, user: str) -> None:
    server = start()
    stores = await opened(server.url)
    await works(stores, user)
    with server.client() as client:
        client.script_flush()
    await works(stores, f"{user}2")


async def test_a_full_server_is_unavailable_and_lets_things_go(start: Start, opened: Open, user: str) -> None:
    server = start("--maxmemory-policy", "noeviction")
    short_term, deferred = await opened(server.url)
    await short_term.append(user, "s", turn("t0", recalled=()))
    await deferred.put(utterance("w", user))
    before = await short_term.read(user, "s")
    with server.client() as client:
        client.config_set("maxmemory", "1")
        for call in (
            short_term.append(user, "s", turn("t1")),
            short_term.append(user, "s", turn("t2", seconds=10**6)),  # one that begins the session anew
            deferred.put(utterance("w2", user)),
        ):
            with pytest.raises(StoreUnavailable, match="maxmemory"):
                await call
        assert (await short_term.read(user, "s")).messages == before.messages, "nothing of a refused turn is left, nothing else is gone"
        client.config_set("maxmemory", "0")
    assert await deferred.backlog() == Backlog(1, 0)
    await works((short_term, deferred), f"{user}2")


async def test_a_server_that_cannot_save_is_unavailable(start: Start, opened: Open, user: str) -> None:
    server = start("--save", "3600 1")
    stores = await opened(server.url)
    shutil.rmtree(server.folder)
    with server.client() as client:
        client.bgsave()

        async def failed() -> bool:
            return client.info("persistence")["rdb_last_bgsave_status"] == "err"

        await eventually(failed)
        with pytest.raises(StoreUnavailable, match="disk"):
            await stores[0].append(user, "s", turn("t"))
        server.folder.mkdir()
        client.config_set("save", "")
    await works(stores, user)


async def test_a_replica_is_unavailable_until_it_is_promoted(start: Start, opened: Open, user: str) -> None:
    server = start()
    stores = await opened(server.url)
    with server.client() as client:
        client.replicaof("127.0.0.1", 1)
        with pytest.raises(StoreUnavailable, match="replica"):
            await stores[0].append(user, "s", turn("t"))
        client.replicaof("NO", "ONE")
    await works(stores, user)


# What no waiting mends


@pytest.mark.parametrize("credentials", ["", ":wr0ng@", "nobody:wr0ng@"])
async def test_a_refused_password_stops_the_start(start: Start, opened: Open, credentials: str) -> None:
    server = start("--requirepass", "s3cret")
    with pytest.raises(StoreRejected, match=r"^LIRA_SHORT_TERM_URL: .*password") as refused:
        await opened(server.url.replace("://", f"://{credentials}"))
    assert "wr0ng" not in str(refused.value)


async def test_the_right_password_opens(start: Start, opened: Open, user: str) -> None:
    server = start("--requirepass", "s3cret/ä")
    await works(await opened(server.url.replace("://", "://:s3cret%2F%C3%A4@")), user)


@pytest.mark.parametrize("held", [{"value": "2"}, {"value": "zwei"}, {"hash": "of another program"}])
async def test_keys_of_a_newer_lira_or_another_program_stop_the_start(start: Start, opened: Open, held: dict[str, str]) -> None:
    server = start()
    with server.client() as client:
        if "value" in held:
            client.set("lira:schema", held["value"])
        else:
            client.hset("lira:schema", mapping=held)
    with pytest.raises(StoreRejected, match=r"^LIRA_SHORT_TERM_URL: "):
        await opened(server.url)


async def test_a_database_that_the_server_does_not_have_stops_the_start(start: Start, opened: Open) -> None:
    server = start("--databases", "2")
    with pytest.raises(StoreRejected, match=r"^LIRA_SHORT_TERM_URL: .*DB index"):
        await opened(server.url.removesuffix("0") + "2")


async def test_a_certificate_that_is_not_there_stops_the_start(start: Start, opened: Open) -> None:
    server = start()
    with pytest.raises(StoreRejected, match=r"^LIRA_SHORT_TERM_URL: .*TLS"):
        await opened(server.url.replace("redis://", "rediss://") + "?ssl_ca_certs=/no/such/file.pem")


async def test_what_is_no_redis_stops_the_start(opened: Open) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(StoreRejected, match=r"^LIRA_SHORT_TERM_URL: .*no Redis"):
            await opened(f"redis://127.0.0.1:{port}/1")


async def test_a_key_of_another_kind_is_rejected(start: Start, opened: Open, user: str) -> None:
    server = start()
    short_term, _ = await opened(server.url)
    with server.client() as client:
        client.set(f"lira:{{{user}}}:log:s", "no list")
    with pytest.raises(StoreRejected, match="WRONGTYPE"):
        await short_term.append(user, "s", turn("t"))


async def test_a_closed_store_says_so(start: Start, opened: Open) -> None:
    short_term, deferred = await opened(start().url)
    await short_term.close()
    await deferred.close()
    with pytest.raises(StoreRejected, match="closed"):
        await deferred.put(Erasure("u", None, 1))


# Warnings


@pytest.mark.parametrize(
    ("settings", "warned"),
    [
        (["--appendonly", "no"], ["appendonly yes"]),
        (["--appendonly", "yes"], ["appendfsync always"]),
        ([*DURABLE], []),
        ([*DURABLE, "--maxmemory-policy", "allkeys-lru"], ["noeviction"]),
        ([*DURABLE, "--maxmemory-policy", "volatile-ttl"], ["noeviction"]),
    ],
)
async def test_settings_that_may_lose_something_are_warned_of_once(
    start: Start, opened: Open, caplog: pytest.LogCaptureFixture, user: str, settings: list[str], warned: list[str]
) -> None:
    with caplog.at_level(logging.WARNING):
        stores = await opened(start(*settings).url)
        await works(stores, user)
    assert [record.getMessage().endswith(text) for record, text in zip(caplog.records, warned, strict=True)] == [True] * len(warned)


async def test_a_server_that_lets_nobody_see_its_settings_is_used_all_the_same(
    start: Start, opened: Open, caplog: pytest.LogCaptureFixture, user: str
) -> None:
    server = start()
    with server.client() as client:
        client.acl_setuser("lira", enabled=True, passwords=["+p"], keys=["lira:*"], categories=["+@all", "-@admin"])
    with caplog.at_level(logging.WARNING):
        stores = await opened(server.url.replace("://", "://lira:p@"))
        await works(stores, user)
    assert caplog.records == []


async def test_a_user_who_may_not_run_scripts_is_rejected(start: Start, opened: Open, user: str) -> None:
    server = start()
    with server.client() as client:
        client.acl_setuser("lira", enabled=True, passwords=["+p"], keys=["lira:*"], categories=["+@all", "-@scripting"])
    short_term, _ = await opened(server.url.replace("://", "://lira:p@"))
    with pytest.raises(StoreRejected, match=r"^LIRA_SHORT_TERM_URL: "):
        await short_term.append(user, "s", turn("t"))
