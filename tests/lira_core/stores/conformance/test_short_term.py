"""`ShortTerm`: the session, and the first answers to requests that may come twice."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import Forgotten, SessionTurn, ShortTerm
from lira_core.types import BufferEntry, Message, Session

from . import strategies
from .engines import Opener
from .making import HANGUL, MIXED, NOON, RECEIVED, entry, of, said, someone, turn

# Appending and reading


async def test_a_session_nobody_spoke_in_is_empty(short_term: ShortTerm, user: str) -> None:
    assert await short_term.read(user, "s") == Session()
    assert await short_term.read(user, "s", NOON, 3) == Session()


async def test_turns_come_back_in_order_and_each_message_names_its_turn(short_term: ShortTerm, user: str) -> None:
    for n in range(3):
        await short_term.append(user, "s", turn(f"t{n}", seconds=n))
    session = await short_term.read(user, "s")
    assert session.messages == tuple(
        Message(role, content, f"t{n}") for n in range(3) for role, content in (("user", f"t{n}: 뭐였지?"), ("lira", f"t{n}: 그거였어"))
    )
    assert session.last_updated == NOON + timedelta(seconds=2)


async def test_text_and_times_come_back_exactly(short_term: ShortTerm, user: str) -> None:
    at = NOON.astimezone(timezone(timedelta(hours=5, minutes=45))) + timedelta(microseconds=7)
    recalled = (
        BufferEntry(MIXED, at, "LTM_Recall", "m:1.2_3-4"),
        BufferEntry("", at.astimezone(timezone(timedelta(seconds=-1_234))), MIXED, None),
        BufferEntry(HANGUL, at, "LTM_Recall", "m2"),
    )
    messages = (Message("user", MIXED), Message("lira", HANGUL), Message("lira", ""))
    await short_term.append(user, "s", SessionTurn("t", RECEIVED, at, messages, recalled))
    session = await short_term.read(user, "s", at)
    assert session.messages == tuple(Message(m.role, m.content, "t") for m in messages)
    assert session.recalled == recalled
    assert [entry.timestamp.isoformat() for entry in session.recalled] == [entry.timestamp.isoformat() for entry in recalled]
    assert session.last_updated == at


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(strategies.texts, min_size=1, max_size=4), strategies.buffers, strategies.times)
async def test_any_turn_comes_back_exactly(short_term: ShortTerm, lines: list[str], recalled: tuple[BufferEntry, ...], at: datetime) -> None:
    user = someone()
    messages = tuple(Message("lira" if n % 2 else "user", line) for n, line in enumerate(lines))
    await short_term.append(user, "s", SessionTurn("t", RECEIVED, at, messages, recalled))
    session = await short_term.read(user, "s", at)
    assert session.messages == tuple(Message(m.role, m.content, "t") for m in messages)
    assert session.recalled == recalled
    assert [entry.timestamp.isoformat() for entry in session.recalled] == [entry.timestamp.isoformat() for entry in recalled]


async def test_only_the_last_messages_are_given_when_asked(short_term: ShortTerm, user: str) -> None:
    for n in range(3):
        await short_term.append(user, "s", turn(f"t{n}", seconds=n))
    assert said(await short_term.read(user, "s", last=3)) == ["t1/lira", *of("t2")]
    assert said(await short_term.read(user, "s", NOON, 1)) == ["t2/lira"]
    assert said(await short_term.read(user, "s", last=100)) == of("t0", "t1", "t2")


async def test_each_turn_replaces_the_buffer(short_term: ShortTerm, user: str) -> None:
    await short_term.append(user, "s", turn("t0", recalled=(entry("m1"), entry("m2"))))
    await short_term.append(user, "s", turn("t1", recalled=(entry("m3"),)))
    assert (await short_term.read(user, "s")).recalled == (entry("m3"),)
    await short_term.append(user, "s", turn("t2"))
    assert (await short_term.read(user, "s")).recalled == ()


async def test_a_turn_is_appended_once_however_often_it_is_written(short_term: ShortTerm, user: str) -> None:
    first = turn("t0", recalled=(entry("m1"),))
    await asyncio.gather(*[short_term.append(user, "s", first) for _ in range(32)])
    assert said(await short_term.read(user, "s")) == of("t0")
    await short_term.append(user, "s", turn("t1", seconds=5, recalled=(entry("m2"),)))
    before = await short_term.read(user, "s", NOON)
    await short_term.append(user, "s", first)
    after = await short_term.read(user, "s", NOON)
    assert (after.messages, after.recalled, after.last_updated) == (before.messages, before.recalled, before.last_updated)
    assert said(after) == of("t0", "t1")


async def test_a_turn_whose_messages_are_no_longer_kept_is_not_appended_again(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_max_messages=4)
    for id in ("t0", "t1", "t2", "t0"):
        await short_term.append(user, "s", turn(id))
    assert said(await short_term.read(user, "s")) == of("t1", "t2")


async def test_the_same_turn_id_in_two_sessions_is_two_turns(short_term: ShortTerm, user: str) -> None:
    other = someone()
    for who, session in ((user, "s"), (user, "s2"), (other, "s")):
        await short_term.append(who, session, turn("t"))
        assert said(await short_term.read(who, session)) == of("t")


async def test_two_hundred_turns_at_once_lose_nothing_and_are_not_mixed(short_term: ShortTerm, user: str) -> None:
    await asyncio.gather(*[short_term.append(user, "s", turn(f"t{n}")) for n in range(200)])
    messages = said(await short_term.read(user, "s"))
    pairs = [tuple(messages[i : i + 2]) for i in range(0, len(messages), 2)]
    assert len(pairs) == 200
    assert set(pairs) == {(f"t{n}/user", f"t{n}/lira") for n in range(200)}


async def test_the_newest_messages_are_kept(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_max_messages=5)
    for n in range(6):
        await short_term.append(user, "s", turn(f"t{n}", seconds=n))
    assert said(await short_term.read(user, "s")) == ["t3/lira", *of("t4", "t5")]


async def test_a_turn_of_more_messages_than_are_kept_leaves_its_last(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_max_messages=3)
    await short_term.append(user, "s", turn("t", messages=tuple(Message("user", str(n)) for n in range(7))))
    assert [message.content for message in (await short_term.read(user, "s")).messages] == ["4", "5", "6"]


# Expiry


async def test_a_session_is_over_when_ttl_has_passed_since_its_latest_turn(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=100)
    await short_term.append(user, "s", turn("t0"))
    await short_term.append(user, "s", turn("t1", seconds=50))
    assert said(await short_term.read(user, "s", NOON + timedelta(seconds=149))) == of("t0", "t1")
    assert await short_term.read(user, "s", NOON + timedelta(seconds=151)) == Session()


async def test_a_turn_that_comes_late_does_not_set_the_clock_back(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=100)
    await short_term.append(user, "s", turn("t0", seconds=90))
    await short_term.append(user, "s", turn("late"))
    session = await short_term.read(user, "s", NOON + timedelta(seconds=189))
    assert sorted(said(session)) == sorted(of("t0", "late"))
    assert session.last_updated == NOON + timedelta(seconds=90)


async def test_a_turn_after_the_session_was_over_begins_it_anew(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=100)
    await short_term.append(user, "s", turn("t0", recalled=(entry("m"),)))
    await short_term.append(user, "s", turn("t1", seconds=99))
    assert said(await short_term.read(user, "s", NOON + timedelta(seconds=99))) == of("t0", "t1")
    await short_term.append(user, "s", turn("t2", seconds=201))
    session = await short_term.read(user, "s", NOON + timedelta(seconds=201))
    assert (said(session), session.recalled) == (of("t2"), ())


@pytest.mark.parametrize("year", [1971, 2019, 2999])
async def test_an_import_of_another_year_behaves_as_it_did_then(open_short_term: Opener, user: str, year: int) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=100)
    then = datetime(year, 2, 3, tzinfo=UTC)
    await short_term.append(user, "s", turn("t0", at=then))
    await short_term.append(user, "s", turn("t1", at=then + timedelta(seconds=80)))
    assert said(await short_term.read(user, "s", then + timedelta(seconds=160))) == of("t0", "t1")
    assert said(await short_term.read(user, "s")) == of("t0", "t1"), "looked at from outside the wall clock counts from the last append"
    await short_term.append(user, "s", turn("t2", at=then + timedelta(seconds=190)))
    assert said(await short_term.read(user, "s")) == of("t2")


async def test_how_long_a_session_lasts_is_told_in_whole_seconds(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=100)
    await short_term.append(user, "s", turn("t0"))
    lasts = (await short_term.read(user, "s")).expires_in
    assert isinstance(lasts, int)
    assert 90 <= lasts <= 100


async def test_looked_at_from_outside_a_session_ends_by_the_wall_clock(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=1)
    await short_term.append(user, "s", turn("t0", recalled=(entry("m"),)))
    assert said(await short_term.read(user, "s")) == of("t0")
    await asyncio.sleep(1.2)
    assert await short_term.read(user, "s") == Session()


async def test_each_turn_lets_the_session_last_longer(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(session_ttl_seconds=1.5)
    for n in range(4):
        await short_term.append(user, "s", turn(f"t{n}", seconds=n * 0.5))
        await asyncio.sleep(0.5)
    assert said(await short_term.read(user, "s")) == of("t0", "t1", "t2", "t3")


# Whose it is


async def test_sessions_of_users_and_ids_that_look_alike_are_kept_apart(short_term: ShortTerm) -> None:
    a = someone()
    pairs = [
        (a, "b:c"),
        (f"{a}:b", "c"),
        (f"{a}:b:c", ""),
        (a, "b"),
        (f"{a}.b", "c"),
        (f"{a}.", "b.c"),
        (f"{a}x", "b"),
        (a[:-1], "b"),
        (f"{a}_", "b"),
    ]
    pairs = [(who, session or "-") for who, session in pairs]
    for n, (who, session) in enumerate(pairs):
        await short_term.append(who, session, turn(f"t{n}"))
    for n, (who, session) in enumerate(pairs):
        assert said(await short_term.read(who, session)) == of(f"t{n}")
    await short_term.delete_user(a, RECEIVED)
    await short_term.delete(f"{a}:b", "c", RECEIVED)
    gone = {(a, "b:c"), (a, "b"), (f"{a}:b", "c")}
    for n, (who, session) in enumerate(pairs):
        assert said(await short_term.read(who, session)) == ([] if (who, session) in gone else of(f"t{n}"))


async def test_the_longest_ids_are_kept(short_term: ShortTerm) -> None:
    who = (someone() + "x" * 128)[:128]
    await short_term.append(who, "s" * 128, turn("t" * 128, quotes=("m" * 128,)))
    assert said(await short_term.read(who, "s" * 128)) == of("t" * 128)
    await short_term.forget(who, "m" * 128)
    assert said(await short_term.read(who, "s" * 128)) == [f"{'t' * 128}/user"]


# The store as such


async def test_two_replicas_see_the_same_sessions(open_short_term: Opener, user: str) -> None:
    (one, _), (other, _) = await open_short_term(apart=True), await open_short_term(apart=True)
    await asyncio.gather(*[store.append(user, "s", turn(f"t{n}")) for n, store in enumerate([one, other] * 8)])
    assert await one.read(user, "s", NOON) == await other.read(user, "s", NOON)
    assert len((await one.read(user, "s")).messages) == 32
    await one.delete_user(user, RECEIVED)
    with pytest.raises(Forgotten):
        await other.append(user, "s", turn("late"))


async def test_a_cancelled_call_leaves_the_store_usable(short_term: ShortTerm, user: str) -> None:
    for wait in (0.0, 0.0005, 0.002):
        calls = [asyncio.create_task(short_term.append(user, "s", turn(f"{wait}-{n}"))) for n in range(20)]
        calls += [asyncio.create_task(short_term.read(user, "s")) for _ in range(20)]
        await asyncio.sleep(wait)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
    other = someone()
    await short_term.append(other, "s", turn("t"))
    assert said(await short_term.read(other, "s")) == of("t")
    messages = said(await short_term.read(user, "s"))
    assert all(messages[i].split("/")[0] == messages[i + 1].split("/")[0] for i in range(0, len(messages), 2)), (
        "a turn is appended whole or not at all"
    )


async def test_a_reachable_store_answers_a_ping(short_term: ShortTerm) -> None:
    await short_term.ping()
