"""What was acknowledged is there after a crash of the server, when it syncs its append-only file before it answers.

With `everysec` the server answers before it has even written, for up to 2 seconds while a sync is under way: a kill then takes that along.
"""

from __future__ import annotations

import asyncio

from lira_core.stores.ports import Backlog, Forgotten, StoreUnavailable

from ..conformance.making import RECEIVED, eventually, someone, turn, utterance
from .conftest import Open, Start

AOF = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")


async def test_a_server_that_is_killed_under_load_loses_nothing_that_was_acknowledged(start: Start, opened: Open) -> None:
    server = start(*AOF)
    short_term, deferred = await opened(server.url)
    users = [someone() for _ in range(4)]
    put: list[tuple[str, str]] = []
    appended: list[tuple[str, str]] = []
    refused = 0

    async def work(who: str, worker: int) -> None:
        nonlocal refused
        for n in range(10_000):
            id = f"m{worker}-{n}"
            try:
                await deferred.put(utterance(id, who))
                put.append((who, id))
                await short_term.append(who, "s", turn(id))
                appended.append((who, id))
            except StoreUnavailable:
                refused += 1
                return

    working = [asyncio.create_task(work(who, worker)) for who in users for worker in range(2)]

    async def under_load() -> bool:
        return len(appended) >= 100

    await eventually(under_load, 60)
    server.kill()
    await asyncio.gather(*working)
    assert refused == len(working)
    server.start()
    backlog = await deferred.backlog()
    held: list[tuple[str, str]] = []
    while entries := await deferred.claim(200, 60):
        held += [(entry.user_id, entry.id) for entry in entries]
    assert len(held) == len(set(held)), "each waits once"
    assert set(put) <= set(held)
    assert len(held) <= len(put) + len(working), "at most what was under way came beside it"
    assert backlog.waiting <= len(held)
    assert await deferred.backlog() == Backlog(len(held), 0), "what the crash left uncounted is counted when it is claimed"
    for who in users:
        said = {message.turn_id for message in (await short_term.read(who, "s")).messages}
        assert {id for owner, id in appended if owner == who} <= said


async def test_deletions_are_remembered_after_a_crash(start: Start, opened: Open, user: str) -> None:
    server = start(*AOF)
    short_term, deferred = await opened(server.url)
    await short_term.forget(user, "m")
    await deferred.forget(user, "m")
    await short_term.delete(user, "s", RECEIVED + 5)
    await deferred.delete_user(user, RECEIVED + 5)
    server.kill()
    server.start()
    late = RECEIVED + 9
    for write in (
        short_term.append(user, "s2", turn("m", late)),
        short_term.append(user, "s", turn("t", RECEIVED + 5)),
        deferred.put(utterance("m", user, late)),
        deferred.put(utterance("k", user, RECEIVED + 5)),
    ):
        outcome = (await asyncio.gather(write, return_exceptions=True))[0]
        assert isinstance(outcome, Forgotten), outcome


async def test_leases_and_dead_letters_outlive_a_crash(start: Start, opened: Open, user: str) -> None:
    server = start(*AOF)
    _, deferred = await opened(server.url)
    for id in ("a", "b", "c"):
        await deferred.put(utterance(id, user))
    assert [entry.id for entry in await deferred.claim(2, 60)] == ["a", "b"]
    await deferred.bury(user, ["b"], "hopeless")
    server.kill()
    server.start()
    assert [entry.id for entry in await deferred.claim(5, 60)] == ["c"]
    assert [(letter.id, letter.attempts, letter.reason) for letter in await deferred.dead(5)] == [("b", 1, "hopeless")]
    assert await deferred.backlog() == Backlog(2, 1)
