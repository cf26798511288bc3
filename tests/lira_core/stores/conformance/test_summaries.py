"""What `Record` promises of summaries: a group's are replaced whole, and with an utterance goes whatever rests on it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from datetime import timedelta, timezone
from typing import Any

import pytest

from lira_core.stores.ports import Backlog, Erasure, Forgotten, Record, StoreRejected, Write
from lira_core.types import Line, Scope, Summary

from .engines import Opener
from .making import MIXED, NOON, RECEIVED, event, memory, reply, someone, surely, vanished


async def say(record: Record, user: str, *ids: str, session: str = "s", received: int = RECEIVED, kept: bool = True, text: str = "말") -> None:
    for n, id in enumerate(ids):
        said = event(id, user, session_id=session, timestamp=NOON + timedelta(minutes=n), text=f"{text}{id}")
        await record.commit(Write(id, user, received + n, said, (memory(id, user, n, text=f"{text}{id}"),) if kept else ()))


def line(id: str, minutes: float = 0, text: str = "말") -> Line:
    return Line(id, f"{text}{id}", NOON + timedelta(minutes=minutes), 0.5)


def a_summary(user: str, *ids: str, scope: Scope = "session", group: str = "s", begin: float = 0, end: float = 9, text: str = "요약") -> Summary:
    lines = tuple(line(id, n, text) for n, id in enumerate(ids))
    return Summary(user, scope, group, NOON + timedelta(minutes=begin), NOON + timedelta(minutes=end), text, lines)


async def shown(record: Record, user: str, scope: Scope = "session", **when: Any) -> list[tuple[str, ...]]:
    return [summary.turns for summary in await record.summaries(user, scope, 50, **when)]


async def waiting(record: Record) -> list[tuple[str, str]]:
    """Who waits, claimed and given back."""
    entries = await record.unsummarised.claim(100, 60)
    for entry in entries:
        assert entry.id == entry.payload
        await record.unsummarised.retry(entry.user_id, [entry.id], "", after=0, blame=False)
    return sorted((entry.user_id, entry.payload) for entry in entries)


# What was said in a session


async def test_the_newest_utterances_of_a_session_come_oldest_first(record: Record, user: str) -> None:
    await say(record, user, *"abcd", kept=False)
    await say(record, user, "x", session="other")
    await record.commit(Write("a:reply", user, RECEIVED, reply("a:reply", user, "a")))
    said = await record.utterances(user, "s", 3)
    assert [(one.event.id, one.received) for one in said] == [("b", RECEIVED + 1), ("c", RECEIVED + 2), ("d", RECEIVED + 3)]
    assert [one.event.id for one in await record.utterances(user, "s", 99)] == list("abcd")
    assert await record.utterances(user, "s", 0) == await record.utterances(user, "never", 9) == await record.utterances(someone(), "s", 9) == []
    await record.erase(Erasure(user, None, RECEIVED + 1))
    assert [one.event.id for one in await record.utterances(user, "s", 9)] == ["c", "d"]


# Writing and reading


async def test_a_summary_comes_back_exactly(record: Record, user: str) -> None:
    await say(record, user, "a", "b")
    west = timezone(timedelta(hours=-3, minutes=-30))
    lines = (Line("a", MIXED, NOON.astimezone(west), 0.1 + 0.2), Line("b", "", NOON, 1.0))
    whole = Summary(user, "week", "2026-09-28", NOON.astimezone(west), NOON + timedelta(days=7, microseconds=1), MIXED, lines)
    await record.put_summaries(user, "week", "2026-09-28", [whole])
    (back,) = await record.summaries(user, "week", 9)
    assert back == whole
    assert back.start.isoformat() == whole.start.isoformat()
    for scope in ("session", "day", "month"):
        assert await record.summaries(user, scope, 9) == []


async def test_the_summaries_of_a_group_take_the_place_of_those_it_had(record: Record, user: str) -> None:
    await say(record, user, *"abc")
    await record.put_summaries(user, "session", "s", [a_summary(user, "a", end=1), a_summary(user, "b", end=2)])
    await record.put_summaries(user, "session", "s2", [a_summary(user, "c", group="s2", end=3)])
    assert await shown(record, user) == [("c",), ("b",), ("a",)]
    await record.put_summaries(user, "session", "s", [a_summary(user, "a", "c", end=4)])
    await record.put_summaries(user, "session", "s", [a_summary(user, "a", "c", end=4)])
    assert await shown(record, user) == [("a", "c"), ("c",)]
    await record.put_summaries(user, "session", "s2", [])
    await record.put_summaries(user, "session", "never", [])
    assert await shown(record, user) == [("a", "c")]
    assert await shown(record, someone()) == []


async def test_the_newest_come_first_up_to_the_limit_and_those_that_touch_a_time_when_asked(record: Record, user: str) -> None:
    await say(record, user, *"abcd")
    for n, id in enumerate("abcd"):
        await record.put_summaries(user, "session", id, [a_summary(user, id, group=id, begin=10 * n, end=10 * n + 5)])
    assert [one.turns[0] for one in await record.summaries(user, "session", 2)] == ["d", "c"]
    assert await record.summaries(user, "session", 0) == []

    async def touching(since: float, until: float) -> str:
        found = await shown(record, user, since=NOON + timedelta(minutes=since), until=NOON + timedelta(minutes=until))
        return "".join(turn for (turn,) in found)

    assert await touching(5, 10) == "ba", "what begins or ends at that moment touches it"
    assert await touching(6, 9) == ""
    assert await touching(-99, 99) == "dcba"
    assert await touching(12, 13) == "b"


async def test_what_is_not_of_the_group_is_refused_with_nothing_changed(record: Record, user: str) -> None:
    await say(record, user, "a")
    await record.put_summaries(user, "session", "s", [a_summary(user, "a")])
    for wrong in (a_summary(f"{user}x", "a"), a_summary(user, "a", group="t"), a_summary(user, "a", scope="day"), a_summary(user)):
        with pytest.raises(StoreRejected):
            await record.put_summaries(user, "session", "s", [a_summary(user, "a", end=99), wrong])
    assert await record.summaries(user, "session", 9) == [a_summary(user, "a")]


async def test_a_summary_of_what_is_not_there_is_not_written(record: Record, user: str) -> None:
    await say(record, user, "a", "b")
    await record.commit(Write("a:reply", user, RECEIVED, reply("a:reply", user, "a")))
    await record.put_summaries(user, "session", "s", [a_summary(user, "a")])
    for turns in (("a", "never"), ("a:reply",)):
        with pytest.raises(Forgotten):
            await record.put_summaries(user, "session", "s", [a_summary(user, "b"), a_summary(user, *turns)])
    assert await shown(record, user) == [("a",)]
    other = someone()
    with pytest.raises(Forgotten):
        await record.put_summaries(other, "session", "s", [a_summary(other, "a")])


# Waiting


async def test_a_session_waits_once_until_it_is_looked_at(own_record: Record, user: str) -> None:
    await own_record.resummarise(user, "later", RECEIVED, 60)
    for n in range(3):
        await own_record.resummarise(user, "s", RECEIVED + n, 0)
    assert await own_record.unsummarised.backlog() == Backlog(2, 0)
    assert await waiting(own_record) == [(user, "s")]
    await own_record.unsummarised.done(user, ["s"])
    assert await own_record.unsummarised.backlog() == Backlog(1, 0)


async def test_one_that_waits_already_is_not_put_off(own_record: Record, user: str) -> None:
    await own_record.resummarise(user, "s", RECEIVED, 0)
    await own_record.resummarise(user, "s", RECEIVED, 60)
    assert await waiting(own_record) == [(user, "s")]


async def test_what_is_said_while_a_session_is_summed_up_lets_it_wait_once_more(own_record: Record, user: str) -> None:
    await own_record.resummarise(user, "s", RECEIVED, 0)
    (entry,) = await own_record.unsummarised.claim(9, 60)
    await own_record.resummarise(user, "s", RECEIVED + 1, 60)
    assert await own_record.unsummarised.claim(9, 60) == []
    await own_record.unsummarised.done(user, [entry.id])
    assert await waiting(own_record) == [(user, "s")]


async def test_a_session_that_was_given_up_on_is_tried_again_when_something_is_said_in_it(own_record: Record, user: str) -> None:
    await own_record.resummarise(user, "s", RECEIVED, 0)
    await own_record.unsummarised.claim(9, 60)
    await own_record.unsummarised.bury(user, ["s"], "hopeless")
    assert await own_record.unsummarised.backlog() == Backlog(0, 1)
    await own_record.resummarise(user, "s", RECEIVED, 0)
    assert await own_record.unsummarised.backlog() == Backlog(1, 0)
    assert await waiting(own_record) == [(user, "s")]


# Deleting


async def test_with_a_memory_goes_every_summary_that_rests_on_its_utterance_and_its_session_is_summed_up_anew(own_record: Record, user: str) -> None:
    await say(own_record, user, *"abc")
    await say(own_record, user, "x", session="other")
    await own_record.put_summaries(user, "session", "s", [a_summary(user, "a", "b"), a_summary(user, "c")])
    await own_record.put_summaries(user, "session", "other", [a_summary(user, "x", group="other")])
    await own_record.put_summaries(user, "day", "2026-10-03", [a_summary(user, "b", "x", scope="day", group="2026-10-03")])
    await own_record.put_summaries(user, "month", "2026-10-01", [a_summary(user, "c", scope="month", group="2026-10-01")])
    assert await own_record.erase(Erasure(user, "b", RECEIVED + 9))
    assert sorted(await shown(own_record, user)) == [("c",), ("x",)]
    assert await shown(own_record, user, "day") == []
    assert await shown(own_record, user, "month") == [("c",)]
    assert await waiting(own_record) == [(user, "other"), (user, "s")], "what the day rested on besides is told again too"
    with pytest.raises(Forgotten):
        await own_record.put_summaries(user, "session", "s", [a_summary(user, "a", "b")])


async def test_what_rests_on_something_before_the_cut_goes_and_what_is_left_is_summed_up_anew(own_record: Record, user: str) -> None:
    other = someone()
    for who in (user, other):
        await say(own_record, who, "a", "b", "c", "d")
        await say(own_record, who, "x", session="gone")
        await own_record.put_summaries(who, "session", "s", [a_summary(who, "a", "c"), a_summary(who, "c", "d", end=20)])
        await own_record.put_summaries(who, "session", "gone", [a_summary(who, "x", group="gone")])
        await own_record.resummarise(who, "gone", RECEIVED, 60)
    assert await own_record.erase(Erasure(user, None, RECEIVED + 1))
    assert await shown(own_record, user) == [("c", "d")]
    assert await waiting(own_record) == [(user, "s")]
    assert len(await shown(own_record, other)) == 3
    with pytest.raises(Forgotten):
        await own_record.put_summaries(user, "session", "s", [a_summary(user, "b", "c")])
    await own_record.resummarise(user, "late", RECEIVED + 1, 0)
    assert await waiting(own_record) == [(user, "s")], "what was received until the cut lets nothing wait"


async def test_nothing_of_a_deleted_summary_is_in_raw_storage(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    other = someone()
    for who, word in ((user, "kakao"), (other, "tea")):
        await say(record, who, *(f"{word}{n}" for n in range(3)), session=f"ses{word}", text=word)
        for scope in ("session", "day", "week", "month"):
            group = f"ses{word}" if scope == "session" else "2026-10-03"
            await record.put_summaries(who, scope, group, [a_summary(who, f"{word}0", f"{word}1", scope=scope, group=group, text=f"요약{word}")])
        await record.resummarise(who, f"ses{word}", RECEIVED, 60)
    assert "요약kakao".encode() in open_own_record.place.raw()
    assert await record.erase(Erasure(user, "kakao0", RECEIVED + 9))
    await vanished(open_own_record.place, "요약kakao")
    assert await record.erase(Erasure(user, None, RECEIVED + 99))
    for id in ("kakao0", "*"):
        await record.erasures.done(user, [id])
    await vanished(open_own_record.place, "kakao")
    assert len(await record.summaries(other, "day", 9)) == 1


async def test_a_summary_that_races_the_deletion_of_what_it_rests_on_is_never_left(open_record: Opener) -> None:
    one, two = await open_record(apart=True), await open_record(apart=True)

    async def put(record: Record, user: str) -> None:
        await surely(lambda: record.put_summaries(user, "session", "s", [a_summary(user, "a", "b")]))

    for round in range(8):
        user = someone()
        await say(one, user, "a", "b")
        erasure = Erasure(user, "a" if round % 2 else None, RECEIVED)
        outcomes: Iterable[Any] = await asyncio.gather(
            put(one, user), put(two, user), surely(lambda e=erasure: two.erase(e)), put(one, user), return_exceptions=True
        )
        assert all(outcome in (None, True) or isinstance(outcome, Forgotten) for outcome in outcomes), outcomes
        assert await shown(one, user) == await shown(two, user) == []
