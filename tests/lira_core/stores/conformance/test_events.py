"""What `Record` promises of old talk: every event is found by its words, and shown with what was said around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lira_core.stores.ports import Erasure, Forgotten, Hit, Record, Scene, StoreRejected, Write
from lira_core.stores.words import Posting, Postings, bm25
from lira_core.types import Event

from . import strategies
from .making import HANGUL, MIXED, NOON, RECEIVED, event, eventually, ids, memory, reply, someone, surely


def minute(n: float) -> datetime:
    return NOON + timedelta(minutes=n)


def spoken(id: str, user: str, minutes: float = 0, *terms: str, **fields: object) -> Write:
    """One utterance of which no memory is kept, received as many microseconds after RECEIVED as it was said minutes after NOON."""
    return Write(id, user, RECEIVED + round(minutes), event(id, user, timestamp=minute(minutes), terms=terms, **fields))


def answered(id: str, user: str, minutes: float = 0, *terms: str, quotes: tuple[str, ...] = (), **fields: object) -> Write:
    """The reply to the utterance `id`, under the same clock."""
    name = f"{id}:reply"
    return Write(name, user, RECEIVED + round(minutes), reply(name, user, id, *quotes, timestamp=minute(minutes), terms=terms, **fields))


def brute_force(events: Iterable[Event], terms: Iterable[str]) -> dict[str, float]:
    """What `said` promises, computed over all events of the user."""
    held = list(events)
    asked = {term: [Posting(one.id, one.terms.count(term), len(one.terms)) for one in held if term in one.terms] for term in dict.fromkeys(terms)}
    postings = {term: Postings(len(found), found) for term, found in asked.items()}
    return bm25(postings, memories=len(held), mean_length=sum(len(one.terms) for one in held) / max(len(held), 1))


def shown(scenes: Iterable[Scene]) -> dict[str, list[str]]:
    return {scene.event.id: ids(scene.around) for scene in scenes}


# By words


async def test_who_said_nothing_finds_nothing(record: Record, user: str) -> None:
    assert await record.said(user, ["커피"], 10) == []
    assert await record.scenes(user, ["e"], 2) == []
    await record.commit(spoken("e", user, 0, "커피"))
    assert await record.said(user, [], 10) == []
    assert await record.said(user, ["없는말"], 10) == []
    assert await record.said(user, ["커피"], 0) == []


async def test_what_was_said_is_found_whether_it_was_kept_or_not_and_so_is_what_was_answered(record: Record, user: str) -> None:
    await record.commit(Write("kept", user, RECEIVED, event("kept", user, terms=("커피", "말")), (memory("kept", user, terms=("차",)),)))
    await record.commit(spoken("passed", user, 1, "커피", "말"))
    await record.commit(answered("passed", user, 1, "커피", "말"))
    assert ids(await record.said(user, ["커피"], 10)) == ["passed:reply", "passed", "kept"]
    assert await record.said(user, ["차"], 10) == [], "the words of a memory are not those of its event"
    assert ids(await record.lexical(user, ["커피", "차"], 10)) == ["kept"], "nor is an event a memory"


async def test_equals_come_newest_first_and_a_reply_after_what_it_answers_whichever_was_written_first(record: Record, user: str) -> None:
    await record.commit(answered("b", user, 2, "커피"))
    await record.commit(spoken("c", user, 1, "커피"))
    await record.commit(spoken("b", user, 2, "커피"))
    await record.commit(spoken("a", user, 3, "커피"))
    order = ["a", "b:reply", "b", "c"]
    assert ids(await record.said(user, ["커피"], 10)) == order
    for limit in (1, 2, 3):
        assert ids(await record.said(user, ["커피"], limit)) == order[:limit]


async def test_the_limit_counts_only_what_was_said_by_then(record: Record, user: str) -> None:
    for n in range(3):
        await record.commit(spoken(f"old{n}", user, n, "커피", "말"))
    for n in range(20):
        await record.commit(spoken(f"new{n}", user, 100 + n, "커피", "커피"))
    assert ids(await record.said(user, ["커피"], 3, minute(2))) == ["old2", "old1", "old0"]
    assert ids(await record.said(user, ["커피"], 2, minute(50))) == ["old2", "old1"]
    assert ids(await record.said(user, ["커피"], 10, minute(1))) == ["old1", "old0"], "what was said at that moment counts"
    assert await record.said(user, ["커피"], 10, NOON - timedelta(microseconds=1)) == []
    assert len(await record.said(user, ["커피"], 100)) == 23


async def test_only_ones_own_talk_is_found_and_shown(record: Record, user: str) -> None:
    users = [user, f"{user}x", f"{user}:", f"{user}.", user[:-1]]
    for who in users:
        await record.commit(spoken("e", who, 0, "커피", text=f"{who}의 말"))
        await record.commit(spoken("f", who, 1, "차", text=f"{who}의 말"))
    for who in users:
        assert ids(await record.said(who, ["커피"], 10)) == ["e"]
        (scene,) = await record.scenes(who, ["e"], 5)
        assert {one.text for one in (scene.event, *scene.around)} == {f"{who}의 말"}
        assert {one.user_id for one in (scene.event, *scene.around)} == {who}


async def test_words_are_matched_as_they_are(record: Record, user: str) -> None:
    words = ["커피", "커피숍", "\u00e9", "e\u0301", "C++", "c++", "3.5", "$", "a:b", "a", "%", "_", "*", '"', "☕️", "☕", " "]
    for n, word in enumerate(words):
        await record.commit(spoken(f"e{n}", user, n, word, "말"))
    for n, word in enumerate(words):
        assert ids(await record.said(user, [word], 100)) == [f"e{n}"]


async def test_an_event_of_mean_length_that_holds_each_word_once_scores_one(record: Record, user: str) -> None:
    await record.commit(spoken("e1", user, 0, "커피", "부산"))
    await record.commit(spoken("e2", user, 0, "책", "비"))
    (hit,) = await record.said(user, ["커피", "커피", "부산"], 10)
    assert hit == Hit("e1", pytest.approx(1, abs=1e-6))


async def test_the_same_event_written_again_counts_once(record: Record, user: str) -> None:
    write = spoken("e", user, 0, "커피")
    await asyncio.gather(*[surely(lambda: record.commit(write)) for _ in range(8)])
    await record.commit(Write("e", user, RECEIVED, event("e", user, terms=("차",)), (memory("m", user),)))
    await record.commit(spoken("f", user, 1, "책"))
    hits = await record.said(user, ["커피"], 10)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(
        brute_force([event("e", user, terms=("커피",)), event("f", user, terms=("책",))], ["커피"])
    )
    assert await record.said(user, ["차"], 10) == []


talk = st.lists(st.lists(st.sampled_from("가나다라마"), max_size=6), min_size=1, max_size=8)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(talk, st.lists(st.sampled_from("가나다라마바"), min_size=1, max_size=4), st.integers(1, 9), st.integers(0, 8), st.sets(st.integers(0, 7)))
async def test_words_find_what_bm25_over_all_that_is_left_finds(
    record: Record, talk: list[list[str]], asked: list[str], limit: int, until: int, gone: set[int]
) -> None:
    user = someone()
    for n, terms in enumerate(talk):
        await record.commit(spoken(f"e{n}", user, n // 2, *terms))
    for n in gone & set(range(len(talk))):
        await record.entomb(user, f"e{n}")
        assert await record.erase(Erasure(user, f"e{n}", RECEIVED))
    left = [event(f"e{n}", user, terms=tuple(terms), timestamp=minute(n // 2)) for n, terms in enumerate(talk) if n not in gone]
    expected = brute_force(left, asked)
    hits = await record.said(user, asked, 100)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, abs=1e-6)
    when = {one.id: one.timestamp for one in left}
    assert hits == sorted(hits, key=lambda hit: (round(hit.score, 9), when[hit.id]), reverse=True)
    assert ids(await record.said(user, asked, limit)) == ids(hits)[:limit]
    then = {one.id for one in left if one.timestamp <= minute(until)}
    assert set(ids(await record.said(user, asked, 100, minute(until)))) == set(expected) & then


# What was said around it


async def test_around_an_event_is_what_was_said_just_before_and_after_it_in_its_session_oldest_first(record: Record, user: str) -> None:
    for n in range(5):
        await record.commit(spoken(f"e{n}", user, n))
        await record.commit(answered(f"e{n}", user, n))
        await record.commit(spoken(f"other{n}", user, n, session_id="s2"))
    scenes = await record.scenes(user, ["e2", "other0", "e0", "e4:reply", "never", "e2"], 2)
    assert shown(scenes) == {
        "e2": ["e1", "e1:reply", "e2:reply", "e3"],
        "other0": ["other1", "other2"],
        "e0": ["e0:reply", "e1"],
        "e4:reply": ["e3:reply", "e4"],
    }
    assert [scene.event.id for scene in scenes] == ["e2", "other0", "e0", "e4:reply"], "in the order asked, each once"
    assert shown(await record.scenes(user, ["e2"], 0)) == {"e2": []}
    assert len((await record.scenes(user, ["e2"], 100))[0].around) == 9
    assert await record.scenes(user, [], 2) == []


async def test_around_an_event_nothing_is_shown_that_was_said_later_than_asked(record: Record, user: str) -> None:
    for n in range(4):
        await record.commit(spoken(f"e{n}", user, n))
    assert shown(await record.scenes(user, ["e1", "e3"], 2, minute(2))) == {"e1": ["e0", "e2"], "e3": ["e1", "e2"]}
    assert shown(await record.scenes(user, ["e1"], 2, minute(1.5))) == {"e1": ["e0"]}
    assert shown(await record.scenes(user, ["e1"], 2, minute(0.5))) == {"e1": ["e0"]}


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(strategies.events)
async def test_any_event_comes_back_exactly_and_is_found_by_all_its_words(record: Record, drawn: Event) -> None:
    user = someone()
    kept = replace(drawn, user_id=user)
    await record.commit(Write(kept.id, user, RECEIVED, kept))
    (scene,) = await record.scenes(user, [kept.id], 2, kept.timestamp)
    assert scene.around == ()
    assert replace(scene.event, quotes=()) == replace(kept, quotes=())
    assert set(scene.event.quotes) == set(kept.quotes)
    assert scene.event.timestamp.isoformat() == kept.timestamp.isoformat()
    for term in kept.terms:
        assert ids(await record.said(user, [term], 5, kept.timestamp)) == [kept.id]


async def test_long_and_strange_text_comes_back_exactly(record: Record, user: str) -> None:
    await record.commit(spoken("e", user, 0, "커피", "e\u0301", text=MIXED + HANGUL, session_id="s:1.2_3-4"))
    ((scene),) = await record.scenes(user, ["e"], 1)
    assert (scene.event.text, scene.event.session_id, scene.event.terms) == (MIXED + HANGUL, "s:1.2_3-4", ("커피", "e\u0301"))


async def test_an_event_of_somebody_else_is_refused_with_nothing_written(record: Record, user: str) -> None:
    other = someone()
    with pytest.raises(StoreRejected):
        await record.commit(Write("e", user, RECEIVED, event("e", other, terms=("커피",))))
    for who in (user, other):
        assert await record.said(who, ["커피"], 10) == []
        assert await record.scenes(who, ["e"], 2) == []


# Deleting


async def test_with_a_memory_goes_its_talk_and_what_quotes_it_and_scores_follow(record: Record, user: str) -> None:
    await record.commit(Write("m", user, RECEIVED, event("m", user, terms=("커피", "말")), (memory("m", user),)))
    await record.commit(answered("m", user, 0, "커피"))
    for n in range(1, 4):
        await record.commit(spoken(f"e{n}", user, n, "커피", "책"))
        await record.commit(answered(f"e{n}", user, n, "커피", quotes=("m",) if n == 2 else ()))
    assert await record.erase(Erasure(user, "m", RECEIVED + 9))
    left = ["e3:reply", "e1:reply", "e3", "e2", "e1"]
    hits = await record.said(user, ["커피"], 10)
    assert ids(hits) == left
    events = [event(id, user, terms=("커피",) if "reply" in id else ("커피", "책")) for id in left]
    assert {hit.id: hit.score for hit in hits} == pytest.approx(brute_force(events, ["커피"]), abs=1e-6)
    assert shown(await record.scenes(user, ["m", "m:reply", "e2:reply", "e1"], 9)) == {"e1": ["e1:reply", "e2", "e3", "e3:reply"]}


async def test_erasing_what_is_no_memory_leaves_what_was_said(record: Record, user: str) -> None:
    await record.commit(spoken("e", user, 0, "커피"))
    assert await record.erase(Erasure(user, "e", RECEIVED)) is False, "it is no memory"
    assert ids(await record.said(user, ["커피"], 10)) == ["e"]


async def test_what_was_received_until_the_cut_is_found_and_shown_no_more_and_the_rest_counts_alone(record: Record, user: str) -> None:
    for n in range(6):
        await record.commit(spoken(f"e{n}", user, n, "커피", *["책"] * (6 - n)))
    assert await record.erase(Erasure(user, None, RECEIVED + 3))
    assert ids(await record.said(user, ["커피"], 10)) == ["e5", "e4"]
    assert shown(await record.scenes(user, [f"e{n}" for n in range(6)], 3)) == {"e4": ["e5"], "e5": ["e4"]}
    left = [event("e4", user, terms=("커피", "책", "책")), event("e5", user, terms=("커피", "책"))]

    async def whole() -> bool:
        return {hit.id: hit.score for hit in await record.said(user, ["커피"], 10)} == pytest.approx(brute_force(left, ["커피"]), abs=1e-6)

    await eventually(whole)
    with pytest.raises(Forgotten):
        await record.commit(spoken("e1", user, 1, "커피"))
    again = spoken("e1", user, 100, "커피")
    await record.commit(again)
    assert ids(await record.said(user, ["커피"], 10))[0] == "e1"
    assert shown(await record.scenes(user, ["e1"], 9)) == {"e1": ["e4", "e5"]}
