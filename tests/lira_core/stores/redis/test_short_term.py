"""What sessions do in Redis alone; what every short-term memory does is in the conformance suite."""

from __future__ import annotations

import asyncio

import pytest

from lira_core.stores.ports import Answer, Forgotten, StoreRejected
from lira_core.stores.redis import keys, session_lua
from lira_core.stores.redis import short_term as module
from lira_core.types import Message

from ..conformance.making import NOON, RECEIVED, entry, turn
from .conftest import Open, Start
from .everything import defer, end_deferring, end_talk, talk


async def test_nothing_of_a_deleted_user_is_in_any_key(start: Start, opened: Open, user: str) -> None:
    server = start()
    short_term, deferred = await opened(server.url)
    await talk(short_term, user)
    await defer(deferred, user)
    assert any("뭐였지" in held for held in server.dump().values())
    await end_talk(short_term, user)
    await end_deferring(deferred, user)
    left = {key: held for key, held in server.dump().items() if user in key}
    # That they were deleted, and the ids of the two that were forgotten after the cut (which in this test is weeks ago).
    assert set(left) == {keys.cut(user), keys.tombstones(user), *keys.box(user)[-3:]}
    assert set(" ".join(left.values()).split()) == {str(RECEIVED), "m", "k"}
    await short_term.delete_user(user, 2**53)
    await deferred.delete_user(user, 2**53)
    left = {key: held for key, held in server.dump().items() if user in key}
    assert left == {keys.cut(user): str(2**53), keys.box(user)[-3]: str(2**53)}


async def test_what_was_said_after_the_cut_stays_when_the_deletion_is_gone_over_again(start: Start, opened: Open, user: str) -> None:
    server = start()
    short_term, _ = await opened(server.url)
    for received in (RECEIVED, RECEIVED + 9):
        await short_term.append(user, "s", turn(f"t{received}", received, recalled=(entry("m"),), quotes=("m",)))
        await short_term.begin(user, f"k{received}", "d", received, 60)
        await short_term.keep(user, f"k{received}", "d", received, b"body", [])
    for _ in range(2):
        await short_term.delete_user(user, RECEIVED + 5)
        session = await short_term.read(user, "s")
        assert {message.turn_id for message in session.messages} == {f"t{RECEIVED + 9}"}
        assert session.recalled == (entry("m"),)
    assert f"t{RECEIVED} " not in " ".join(f"{held} " for held in server.dump().values())
    assert await short_term.begin(user, f"k{RECEIVED}", "d", RECEIVED + 10, 60) is None
    assert await short_term.begin(user, f"k{RECEIVED + 9}", "d", RECEIVED + 10, 60) == Answer("d", b"body")
    await short_term.delete(user, "s", RECEIVED + 9)
    assert (await short_term.read(user, "s")).messages == ()


async def test_what_is_behind_the_cut_is_not_seen_before_it_is_cleared_away(start: Start, opened: Open, user: str) -> None:
    server = start()
    short_term, _ = await opened(server.url)
    await short_term.append(user, "s", turn("t0", recalled=(entry("m"),)))
    await short_term.append(user, "s2", turn("t0", recalled=(entry("m"),)))
    await short_term.append(user, "s2", turn("t1", RECEIVED + 9))
    await short_term.begin(user, "k", "d", RECEIVED, 60)
    # A deletion that ends after its first step, as when its process is killed.
    indexes = [keys.cut(user), keys.tombstones(user), keys.sessions(user), keys.answers(user)]
    await short_term._server.run(session_lua.CUT, indexes, [RECEIVED + 5, 60_000])
    assert (await short_term.read(user, "s")).last_updated is None
    assert [message.turn_id for message in (await short_term.read(user, "s2")).messages] == ["t1", "t1"]
    assert await short_term.begin(user, "k", "d2", RECEIVED + 9, 60) is None
    await short_term.append(user, "s", turn("t0", RECEIVED + 9))
    assert len((await short_term.read(user, "s")).messages) == 2
    assert server.dump()[keys.SessionKeys(user, "s").log].count("뭐였지") == 1, "the session began anew"


async def test_a_turn_is_known_again_after_its_session_began_anew(start: Start, opened: Open, user: str) -> None:
    short_term, _ = await opened(start().url, session_ttl_seconds=100)
    for id, seconds in (("t0", 0), ("t1", 500), ("t0", 0)):
        await short_term.append(user, "s", turn(id, seconds=seconds))
    assert {message.turn_id for message in (await short_term.read(user, "s")).messages} == {"t1"}


async def test_only_so_many_turn_ids_are_remembered(start: Start, opened: Open, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TURNS", 3)
    server = start()
    short_term, _ = await opened(server.url)
    for n in range(6):
        await short_term.append(user, "s", turn(f"t{n}", RECEIVED + n))
    assert server.dump()[keys.SessionKeys(user, "s").turns].split() == ["t3", "t4", "t5"]


async def test_a_turn_without_messages_begins_a_session_anew_too(start: Start, opened: Open, user: str) -> None:
    short_term, _ = await opened(start().url, session_ttl_seconds=100)
    await short_term.append(user, "s", turn("t0"))
    await short_term.append(user, "s", turn("t1", seconds=500, messages=(), recalled=(entry("m"),)))
    session = await short_term.read(user, "s")
    assert (session.messages, session.recalled) == ((), (entry("m"),))


async def test_text_or_times_that_cannot_be_stored_are_rejected(start: Start, opened: Open, user: str) -> None:
    short_term, _ = await opened(start().url)
    for bad in (
        turn("t", messages=(Message("user", "\ud800"),)),
        turn("t", at=NOON.replace(tzinfo=None)),
        turn("\ud800"),
    ):
        with pytest.raises(StoreRejected):
            await short_term.append(user, "s", bad)
    with pytest.raises(StoreRejected):
        await short_term.read(user, "s", NOON.replace(tzinfo=None))


async def test_an_answer_that_may_not_be_kept_frees_its_key(start: Start, opened: Open, user: str) -> None:
    short_term, _ = await opened(start().url)
    await short_term.begin(user, "k", "d", RECEIVED, 60)
    await short_term.forget(user, "m")
    await short_term.keep(user, "k", "d", RECEIVED, b"body", ["m"])
    assert await short_term.begin(user, "k", "d", RECEIVED, 60) is None


async def test_many_sessions_and_answers_are_deleted_whole(start: Start, opened: Open, user: str) -> None:
    server = start()
    short_term, _ = await opened(server.url)
    await asyncio.gather(*(short_term.append(user, f"s{n}", turn("t")) for n in range(50)))
    for group in range(9):  # all at once, the last would wait for the others longer than a call may, where the machine is busy
        await asyncio.gather(*(short_term.begin(user, f"k{group}-{n}", "d", RECEIVED, 60) for n in range(50)))
    await short_term.delete_user(user, RECEIVED)
    assert [key for key in server.dump() if user in key] == [keys.cut(user)]
    with pytest.raises(Forgotten):
        await short_term.begin(user, "k", "d", RECEIVED, 60)
