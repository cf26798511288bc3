"""What `ShortTerm` promises of deleting: a session, a user, a memory; and that nothing of it comes back later."""

from __future__ import annotations

import asyncio

import pytest

from lira_core.stores.ports import Answer, Forgotten, SessionTurn, ShortTerm
from lira_core.types import BufferEntry, Message, Session

from .engines import Opener
from .making import NOON, RECEIVED, entry, of, said, someone, turn, vanished


async def test_a_deleted_session_is_empty_and_takes_no_turn_received_until_the_cut(short_term: ShortTerm, user: str) -> None:
    await short_term.append(user, "s", turn("t0", RECEIVED, recalled=(entry("m"),)))
    await short_term.append(user, "other", turn("t0", RECEIVED))
    await short_term.delete(user, "s", RECEIVED + 10)
    assert await short_term.read(user, "s") == Session()
    for received in (RECEIVED, RECEIVED + 10):
        with pytest.raises(Forgotten):
            await short_term.append(user, "s", turn(f"late{received}", received))
    await short_term.append(user, "s", turn("t1", RECEIVED + 11))
    assert said(await short_term.read(user, "s")) == of("t1")
    await short_term.append(user, "other", turn("t1", RECEIVED))
    assert said(await short_term.read(user, "other")) == of("t0", "t1")


async def test_an_earlier_deletion_that_comes_late_does_not_lower_the_cut(short_term: ShortTerm, user: str) -> None:
    await short_term.delete(user, "s", RECEIVED + 10)
    await short_term.delete(user, "s", RECEIVED + 5)
    with pytest.raises(Forgotten):
        await short_term.append(user, "s", turn("t", RECEIVED + 7))
    await short_term.delete_user(user, RECEIVED + 20)
    await short_term.delete_user(user, RECEIVED + 15)
    with pytest.raises(Forgotten):
        await short_term.append(user, "elsewhere", turn("t", RECEIVED + 17))


async def test_a_deleted_turn_may_not_come_back_under_the_same_id(short_term: ShortTerm, user: str) -> None:
    await short_term.append(user, "s", turn("t0", RECEIVED))
    await short_term.delete(user, "s", RECEIVED + 10)
    with pytest.raises(Forgotten):
        await short_term.append(user, "s", turn("t0", RECEIVED))
    assert await short_term.read(user, "s") == Session()


async def test_deleting_a_user_takes_every_session_and_answer(short_term: ShortTerm, user: str) -> None:
    other = someone()
    for who in (user, other):
        await short_term.append(who, "s1", turn("t0", recalled=(entry("m"),)))
        await short_term.append(who, "s2", turn("t1"))
        await short_term.begin(who, "kept", "d", RECEIVED, 60)
        await short_term.keep(who, "kept", "d", RECEIVED, b"answer", [])
        await short_term.begin(who, "begun", "d", RECEIVED, 60)
    await short_term.delete_user(user, RECEIVED)
    for session in ("s1", "s2"):
        assert await short_term.read(user, session) == Session()
        assert (await short_term.read(other, session)).messages
    assert await short_term.begin(other, "kept", "d", RECEIVED + 1, 60) == Answer("d", b"answer")
    assert await short_term.begin(user, "kept", "d", RECEIVED + 1, 60) is None
    assert await short_term.begin(user, "begun", "d", RECEIVED + 1, 60) is None


async def test_nothing_of_a_deleted_user_that_was_received_until_the_cut_comes_later(short_term: ShortTerm, user: str) -> None:
    await short_term.delete_user(user, RECEIVED + 10)
    for received in (RECEIVED, RECEIVED + 10):
        with pytest.raises(Forgotten):
            await short_term.append(user, "new", turn("t0", received))
        with pytest.raises(Forgotten):
            await short_term.begin(user, "k", "d", received, 60)
    assert await short_term.read(user, "new") == Session()
    await short_term.append(user, "new", turn("t1", RECEIVED + 11))
    assert said(await short_term.read(user, "new")) == of("t1")
    assert await short_term.begin(user, "k", "d", RECEIVED + 11, 60) is None


async def test_forgetting_takes_the_turn_that_said_it_and_the_replies_that_quoted_it(short_term: ShortTerm, user: str) -> None:
    await short_term.append(user, "s1", turn("m", recalled=(entry("k"),)))
    await short_term.append(user, "s1", turn("t1", seconds=1, quotes=("k", "m"), recalled=(entry("k"), entry("m"), entry(None))))
    await short_term.append(user, "s2", turn("t2", quotes=("m",), recalled=(entry("m", "꼭 m"),)))
    await short_term.append(user, "s2", turn("t3", seconds=1, quotes=("k",), recalled=(entry("m", "다시 m"), entry("mm"))))
    await short_term.forget(user, "m")
    first, second = await short_term.read(user, "s1"), await short_term.read(user, "s2")
    assert (said(first), first.recalled) == (["t1/user"], (entry("k"), entry(None)))
    assert (said(second), second.recalled) == (["t2/user", *of("t3")], (entry("mm"),))


async def test_forgetting_for_one_user_leaves_the_same_ids_of_others(short_term: ShortTerm, user: str) -> None:
    others = [f"{user}x", user[:-1], f"{user}:m"]
    for who in [user, *others]:
        await short_term.append(who, "s", turn("m", recalled=(entry("m"),)))
    await short_term.forget(user, "m")
    assert await short_term.read(user, "s", last=5) == await short_term.read(user, "s")
    assert said(await short_term.read(user, "s")) == []
    for who in others:
        assert said(await short_term.read(who, "s")) == of("m")
        await short_term.append(who, "s", turn("t", quotes=("m",)))


async def test_nothing_that_is_or_quotes_a_forgotten_memory_comes_later(short_term: ShortTerm, user: str) -> None:
    await short_term.forget(user, "m")
    for forbidden in (turn("m", RECEIVED + 10**9), turn("t1", RECEIVED + 10**9, quotes=("k", "m"))):
        with pytest.raises(Forgotten):
            await short_term.append(user, "s", forbidden)
    assert await short_term.read(user, "s") == Session()
    await short_term.append(user, "s", turn("t2", quotes=("k",)))
    assert said(await short_term.read(user, "s")) == of("t2")


async def test_a_forgotten_memory_comes_into_no_buffer_any_more(short_term: ShortTerm, user: str) -> None:
    await short_term.append(user, "s", turn("t0"))
    await short_term.forget(user, "m")
    try:
        await short_term.append(user, "s", turn("t1", recalled=(entry("m"), entry("k"))))
    except Forgotten:
        assert said(await short_term.read(user, "s")) == of("t0")
    assert "m" not in [held.memory_id for held in (await short_term.read(user, "s")).recalled]


async def test_a_turn_that_races_a_deletion_leaves_nothing(short_term: ShortTerm) -> None:
    for round in range(10):
        user = someone()
        deletion = [
            lambda user: short_term.delete_user(user, RECEIVED),
            lambda user: short_term.delete(user, "s", RECEIVED),
            lambda user: short_term.forget(user, "m"),
        ][round % 3]
        turns = [short_term.append(user, "s", turn(f"t{n}", quotes=("m",))) for n in range(8)]
        outcomes = await asyncio.gather(*turns[:4], deletion(user), *turns[4:], return_exceptions=True)
        assert all(outcome is None or isinstance(outcome, Forgotten) for outcome in outcomes)
        assert [line for line in said(await short_term.read(user, "s")) if round % 3 != 2 or line.endswith("lira")] == []


async def test_a_deletion_is_remembered_longer_than_what_it_deleted(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=0.2, answers_ttl_seconds=0.2)
    other = someone()
    await short_term.append(user, "s", turn("t0", quotes=("m",)))
    await short_term.delete(user, "s", RECEIVED)
    await short_term.forget(user, "m")
    await short_term.delete_user(other, RECEIVED)
    await asyncio.sleep(0.5)
    with pytest.raises(Forgotten):
        await short_term.append(user, "s", turn("t0", RECEIVED))
    with pytest.raises(Forgotten):
        await short_term.append(user, "s2", turn("t1", RECEIVED + 10**9, quotes=("m",)))
    with pytest.raises(Forgotten):
        await short_term.append(other, "s", turn("t0", RECEIVED))
    with pytest.raises(Forgotten):
        await short_term.begin(other, "k", "d", RECEIVED, 60)


async def test_what_is_deleted_is_in_no_raw_storage(open_own_short_term: Opener, user: str) -> None:
    short_term, _ = await open_own_short_term()
    place = open_own_short_term.place

    async def fill(who: str, word: str) -> None:
        recalled = (BufferEntry(f"버퍼{word}", NOON, memory_id=f"mem{word}"),)
        messages = (Message("user", f"질문{word}"), Message("lira", f"대답{word}"))
        await short_term.append(who, f"session{word}", SessionTurn(f"turn{word}", RECEIVED, NOON, messages, recalled, (f"mem{word}",)))
        await short_term.begin(who, f"key{word}", f"digest{word}", RECEIVED, 60)
        await short_term.keep(who, f"key{word}", f"digest{word}", RECEIVED, f"본문{word}".encode(), [f"mem{word}"])

    await fill(user, "kakao")
    await fill(other := someone(), "naver")
    assert all(f"{what}kakao".encode() in place.raw() for what in ("버퍼", "질문", "대답", "본문", "session"))
    await short_term.delete_user(user, RECEIVED)
    await vanished(place, "kakao")
    await short_term.forget(other, "memnaver")
    await vanished(place, "버퍼naver", "대답naver", "본문naver")
    assert "질문naver".encode() in place.raw()
    await short_term.delete(other, "sessionnaver", RECEIVED)
    await vanished(place, "질문naver")
