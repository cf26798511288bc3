"""Which utterances a summary rests on, and which days, weeks and months they make."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.memory.summary import (
    FIRST_TURNS,
    LINE_CHARS,
    LINES,
    MORE_TURNS,
    MOST,
    Extractive,
    bounds,
    centrality,
    chosen,
    first_day,
    lines_of,
    of_session,
    parts,
    rolled_up,
    shortened,
)
from lira_core.types import Event, Fact, Line, Memory, Summary

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
SEOUL = ZoneInfo("Asia/Seoul")


def said(n: int, *terms: str, text: str | None = None) -> Event:
    return Event(f"e{n}", "u", "s", "user", text or f"말 {n}", NOON + timedelta(minutes=n), f"e{n}", terms=terms)


def kept(event: Event, reason: str = "none", facts: int = 0) -> Memory:
    held = (Fact("user", "like", "커피", "taste"),) * facts
    return Memory(event.id, "u", event.text, event.timestamp, "s", reason, facts=held)  # type: ignore[arg-type]


def line(n: int, weight: float = 0.5, text: str | None = None, at: datetime | None = None) -> Line:
    return Line(f"e{n}", text or f"말 {n}", at or NOON + timedelta(minutes=n), weight)


def a_summary(*lines: Line, scope: str = "session", group: str = "s") -> Summary:
    return Summary("u", scope, group, lines[0].at, lines[-1].at, "", lines)  # type: ignore[arg-type]


# When


@pytest.mark.parametrize(
    ("count", "full", "settled"),
    [
        (0, [], []),
        (9, [], []),
        (10, [10], [10]),
        (11, [10], [10, 11]),
        (29, [10], [10, 29]),
        (30, [10, 30], [10, 30]),
        (75, [10, 30, 50, 70], [10, 30, 50, 70, 75]),
    ],
)
def test_a_session_is_summed_up_after_ten_turns_then_every_twenty_or_when_it_has_settled(count: int, full: list[int], settled: list[int]) -> None:
    assert [part.stop for part in parts(count, settled=False)] == full
    assert [part.stop for part in parts(count, settled=True)] == settled


@settings(deadline=None)
@given(st.integers(0, 500), st.booleans())
def test_the_parts_of_a_session_follow_one_another_from_its_first_turn(count: int, settled: bool) -> None:
    covered = [place for part in parts(count, settled=settled) for place in part]
    assert covered == list(range(len(covered)))
    assert all(len(part) <= max(FIRST_TURNS, MORE_TURNS) for part in parts(count, settled=settled))
    if settled and count >= FIRST_TURNS:
        assert len(covered) == count


# What


def test_what_was_kept_comes_first_by_its_importance_then_what_shares_most_words() -> None:
    events = [said(0, "비"), said(1, "커피", "부산"), said(2, "커피", "부산", "책"), said(3, "책"), said(4)]
    memories = {"e0": kept(events[0]), "e3": kept(events[3], facts=1), "e4": kept(events[4], reason="trigger")}
    weights = {one.turn_id: one.weight for one in lines_of(events, memories)}
    assert sorted(weights, key=lambda id: weights[id], reverse=True) == ["e4", "e3", "e0", "e2", "e1"]
    assert weights["e4"] == 1.0
    assert weights["e0"] == 0.5
    assert 0 < weights["e1"] < 0.5


def test_an_utterance_without_words_is_central_to_nothing() -> None:
    assert centrality([]) == []
    assert centrality([["커피"]]) == [0.0]
    assert centrality([["커피"], [], ["차"]]) == [0.0, 0.0, 0.0]
    assert centrality([["커피", "커피"], ["커피"]]) == [0.5, 0.5]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from("가나다라"), max_size=4), max_size=8))
def test_how_central_an_utterance_is_lies_between_0_and_1_whatever_its_order(texts: list[list[str]]) -> None:
    scores = centrality(texts)
    assert all(0 <= score < 1 for score in scores)
    assert centrality(texts[::-1]) == pytest.approx(scores[::-1])


def test_the_lines_that_matter_most_stand_oldest_first_and_each_once() -> None:
    lines = [line(0, 0.9), line(1, 0.1), line(2, 0.5), line(3, 0.5), line(4, 0.8, text="말  0"), line(5, 0.5)]
    assert [one.turn_id for one in chosen(lines, "session")] == ["e0", "e3", "e5"], "of equals the newer; e4 says what e0 says"
    assert [one.turn_id for one in chosen(lines, "day")] == ["e0", "e1", "e2", "e3", "e5"]
    assert chosen([], "month") == ()


def test_a_session_has_at_most_five_summaries_and_the_least_important_are_dropped() -> None:
    count = FIRST_TURNS + 7 * MORE_TURNS
    events = [said(n) for n in range(count)]
    important = [5, 15, 75, 95, 135, 149]
    memories = {f"e{n}": kept(events[n], reason="trigger") for n in important}
    made = of_session(events, memories, settled=False)
    assert len(made) == MOST
    assert [summary.turns[0] for summary in made] != []
    found = [next((n for n in important if f"e{n}" in summary.turns), None) for summary in made]
    assert found == [5, 15, 75, 95, 135]
    assert [summary.start for summary in made] == sorted(summary.start for summary in made)
    assert all((summary.user_id, summary.scope, summary.group) == ("u", "session", "s") for summary in made)


def test_a_summary_tells_from_when_to_when_it_is_of_all_that_was_said_not_only_of_its_lines() -> None:
    (made,) = of_session([said(n) for n in range(10)], {"e4": kept(said(4))}, settled=False)
    assert (made.start, made.end) == (NOON, NOON + timedelta(minutes=9))
    assert len(made.lines) == LINES["session"]
    assert "e4" in made.turns


def test_nine_turns_make_no_summary() -> None:
    assert of_session([said(n) for n in range(9)], {}, settled=True) == []


# Days, weeks, months


def test_a_day_is_that_of_the_zone_a_week_begins_on_monday_and_a_month_on_its_first() -> None:
    late = datetime(2026, 10, 4, 16, tzinfo=UTC)  # Monday the 5th, one in the morning, in Seoul
    assert first_day("day", late, SEOUL) == date(2026, 10, 5)
    assert first_day("week", late, SEOUL) == date(2026, 10, 5)
    assert first_day("week", late, UTC) == date(2026, 9, 28)
    assert first_day("month", late, SEOUL) == date(2026, 10, 1)


@settings(deadline=None)
@given(st.sampled_from(["day", "week", "month"]), st.datetimes(datetime(1950, 1, 1), datetime(2150, 1, 1), timezones=st.just(SEOUL)))
def test_every_moment_lies_in_the_period_that_its_first_day_begins(scope: str, moment: datetime) -> None:
    first = first_day(scope, moment, SEOUL)  # type: ignore[arg-type]
    start, end = bounds(scope, first, SEOUL)  # type: ignore[arg-type]
    assert start <= moment < end
    assert first_day(scope, end, SEOUL) == end.date()  # type: ignore[arg-type]


def test_a_day_is_made_of_the_lines_said_on_it_and_none_of_its_neighbours() -> None:
    midnight = datetime(2026, 10, 4, tzinfo=SEOUL)
    lines = [line(n, at=midnight + timedelta(minutes=n - 2)) for n in range(4)]
    over = a_summary(*lines)
    day = rolled_up("u", "day", date(2026, 10, 4), SEOUL, [over, over])
    assert day is not None
    assert (day.scope, day.group, day.turns) == ("day", "2026-10-04", ("e2", "e3"))
    assert (day.start, day.end) == (midnight, midnight + timedelta(days=1))
    assert rolled_up("u", "day", date(2026, 10, 5), SEOUL, [over]) is None


def test_of_many_sessions_a_day_rests_on_what_matters_most() -> None:
    sessions = [a_summary(*[line(10 * s + n, weight=(10 * s + n) / 100) for n in range(3)], group=f"s{s}") for s in range(4)]
    day = rolled_up("u", "day", date(2026, 10, 3), UTC, sessions)
    assert day is not None
    assert day.turns == ("e21", "e22", "e30", "e31", "e32")


def test_a_week_that_lies_in_two_months_gives_each_its_own() -> None:
    week = a_summary(line(0, at=datetime(2026, 9, 30, 12, tzinfo=SEOUL)), line(1, at=datetime(2026, 10, 1, 12, tzinfo=SEOUL)), scope="week")
    months = [rolled_up("u", "month", date(2026, month, 1), SEOUL, [week]) for month in (9, 10)]
    assert [month and month.turns for month in months] == [("e0",), ("e1",)]


# Text


async def test_the_text_is_the_users_own_words_a_line_each() -> None:
    summary = a_summary(line(0, text="커피 끊었어"), line(1, text="내일  부산\n가"))
    assert await Extractive().write(summary.scope, summary.lines) == "커피 끊었어\n내일 부산 가"


@settings(deadline=None)
@given(st.text(max_size=3 * LINE_CHARS))
def test_a_line_of_a_summary_is_one_line_and_short(text: str) -> None:
    short = shortened(text)
    assert len(short) <= LINE_CHARS
    assert len(short.splitlines()) <= 1
    if len(" ".join(text.split())) <= LINE_CHARS:
        assert short == " ".join(text.split())


def test_a_long_utterance_is_cut_at_a_word() -> None:
    assert shortened("가나다 " * 60) == " ".join(["가나다"] * 29) + "…"
    assert shortened("가" * 500) == "가" * (LINE_CHARS - 1) + "…"


def test_a_summary_weighs_what_its_lines_weigh() -> None:
    assert a_summary(line(0, 1.0), line(1, 0.5)).weight == 0.75
    assert replace(a_summary(line(0, 1.0)), text="x").weight == 1.0
