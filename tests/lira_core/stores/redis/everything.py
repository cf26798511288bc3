"""Every operation of both roles, once or more, for tests that look at what it does to keys."""

from __future__ import annotations

import asyncio

from lira_core.stores.ports import Answer, Backlog, Deferred, Erasure, Forgotten, ShortTerm, Write

from ..conformance.making import NOON, RECEIVED, entry, ids, memory, reply, turn, utterance


async def talk(short_term: ShortTerm, user: str) -> None:
    for session in ("s", "s:2"):
        await short_term.append(user, session, turn("m", recalled=(entry("k"),)))
        await short_term.append(user, session, turn("t", quotes=("m",), recalled=(entry("m"), entry(None))))
    assert len((await short_term.read(user, "s", NOON, 3)).messages) == 3
    assert await short_term.begin(user, "a:b", "d", RECEIVED, 60) is None
    await short_term.keep(user, "a:b", "d", RECEIVED, b"body", ["m"])
    assert await short_term.begin(user, "a:b", "d", RECEIVED, 60) == Answer("d", b"body")
    assert await short_term.begin(user, "let go", "d", RECEIVED, 60) is None
    await short_term.release(user, "let go")


async def end_talk(short_term: ShortTerm, user: str) -> None:
    await short_term.forget(user, "m")
    assert [message.role for message in (await short_term.read(user, "s")).messages] == ["user"]
    assert await short_term.begin(user, "a:b", "d", RECEIVED, 60) is None
    await short_term.delete(user, "s", RECEIVED)
    await short_term.delete_user(user, RECEIVED)
    for session in ("s", "s:2"):
        assert (await short_term.read(user, session)).messages == ()
        await _forbidden(short_term, user, session)


async def defer(deferred: Deferred, user: str) -> None:
    await deferred.put(utterance("m", user))
    await deferred.put(Write("m-reply", user, RECEIVED, reply("m-reply", user, "m", "k")))
    await deferred.put(Write("import", user, RECEIVED, memories=(memory("k", user), memory("l", user))))
    await deferred.put(Erasure(user, "x", RECEIVED))
    assert ids(await deferred.claim(2, 60)) == ["m", "m-reply"]
    await deferred.retry(user, ["m"], "again", after=0, blame=True)
    await deferred.bury(user, ["m-reply"], "hopeless")
    assert [letter.id for letter in await deferred.dead(10) if letter.user_id == user] == ["m-reply"]
    assert await deferred.revive() >= 1


async def end_deferring(deferred: Deferred, user: str) -> None:
    assert await deferred.forget(user, "m")
    assert await deferred.forget(user, "k")
    await deferred.delete_user(user, RECEIVED)
    await deferred.done(user, ["x"])
    await deferred.ping()


async def everything(short_term: ShortTerm, deferred: Deferred, users: list[str]) -> None:
    for user in users:
        await talk(short_term, user)
        await end_talk(short_term, user)
        await defer(deferred, user)
        await end_deferring(deferred, user)
    assert await deferred.backlog() == Backlog(0, 0)
    for user in users:
        await deferred.put(utterance("later", user, RECEIVED + 1))
    claimed = [(e.user_id, e.id) for _ in users for e in await deferred.claim(len(users), 60)]
    assert sorted(claimed) == sorted((user, "later") for user in users)
    await asyncio.gather(*(deferred.done(user, ["later"]) for user in users))
    assert await deferred.backlog() == Backlog(0, 0)


async def _forbidden(short_term: ShortTerm, user: str, session: str) -> None:
    try:
        await short_term.append(user, session, turn("late"))
    except Forgotten:
        return
    raise AssertionError("a turn that was received before the cut was appended")
