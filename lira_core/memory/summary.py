"""Summaries: which utterances of a session matter, and how sessions become days, weeks and months. Pure.

A session is summed up in parts, its first ten turns and then every twenty (seed 002 begins at ten messages); a part that is not full yet is summed
up when nothing has been said for an hour. Of a part the utterances that were kept as memories come first, by their importance, then those that
share most words with the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from math import sqrt
from typing import Final, Protocol

from lira_core.memory.recall import importance
from lira_core.types import Event, Line, Memory, Scope, Summary

FIRST_TURNS: Final = 10
MORE_TURNS: Final = 20
SETTLED: Final = timedelta(hours=1)
"""The rules of when: after ten turns, then after every twenty more, or an hour after the last."""
MOST: Final = 5
"""Summaries of one session; of more the least important are dropped."""
LONGEST: Final = FIRST_TURNS + 20 * MORE_TURNS
"""Of a longer session only the newest so many turns are summed up: a day of talk without a pause."""
LINES: Final[Mapping[Scope, int]] = {"session": 3, "day": 5, "week": 7, "month": 10}
"""What a summary may rest on: three per session as an answer shows at most three memories (seed 000, after Cowan 2001), and room for as many
of the next larger that one look takes them in."""
LINE_CHARS: Final = 120
"""A longer utterance is cut at a word; a spoken sentence of Korean seldom has more than sixty characters."""


class Writer(Protocol):
    """What makes a text of the lines that were chosen."""

    async def write(self, scope: Scope, lines: Sequence[Line]) -> str:
        """Short, and of nothing but these lines: with each of them it is deleted. Raises what it may; the summary is then made later."""
        ...

    async def aclose(self) -> None: ...


class Extractive:
    """The user's own words, one utterance a line, oldest first."""

    async def write(self, scope: Scope, lines: Sequence[Line]) -> str:
        return "\n".join(shortened(line.text) for line in lines)

    async def aclose(self) -> None:
        """Nothing is held."""


def parts(count: int, *, settled: bool) -> list[range]:
    """Which of a session's `count` utterances each of its summaries is of, oldest first. `settled`: nothing was said for an hour."""
    ends = list(range(FIRST_TURNS, count + 1, MORE_TURNS))
    if ends and settled and ends[-1] < count:
        ends.append(count)
    return [range(begin, end) for begin, end in zip([0, *ends], ends, strict=False)]


def lines_of(utterances: Sequence[Event], memories: Mapping[str, Memory]) -> list[Line]:
    """Every utterance with its weight: 0.5 to 1 for one that was kept (by importance), below it one that was not (by how central it is)."""
    lines = []
    for event, central in zip(utterances, centrality([event.terms for event in utterances]), strict=True):
        memory = memories.get(event.id)
        weight = (1 + importance(memory)) / 2 if memory else central / 2
        lines.append(Line(event.id, event.text, event.timestamp, round(weight, 6)))
    return lines


def centrality(texts: Sequence[Sequence[str]]) -> list[float]:
    """How much each text shares with the others, in [0, 1): the mean cosine of their sets of terms (as LexRank's degree, Erkan & Radev 2004)."""
    sets = [frozenset(terms) for terms in texts]
    return [sum(_cosine(one, other) for place, other in enumerate(sets) if place != here) / max(len(sets), 1) for here, one in enumerate(sets)]


def chosen(lines: Sequence[Line], scope: Scope) -> tuple[Line, ...]:
    """The lines that matter most, of equals the newer, each said once; oldest first."""
    best: dict[str, Line] = {}
    for line in sorted(lines, key=lambda line: (line.weight, line.at, line.turn_id), reverse=True):
        best.setdefault("".join(line.text.lower().split()), line)
        if len(best) == LINES[scope]:
            break
    return tuple(sorted(best.values(), key=lambda line: (line.at, line.turn_id)))


def of_session(utterances: Sequence[Event], memories: Mapping[str, Memory], *, settled: bool) -> list[Summary]:
    """The summaries of one session's utterances (oldest first, at most LONGEST), oldest first, their texts still to be written."""
    made = []
    for part in parts(len(utterances), settled=settled):
        said = [utterances[place] for place in part]
        first, times = said[0], [event.timestamp for event in said]
        made.append(Summary(first.user_id, "session", first.session_id, min(times), max(times), "", chosen(lines_of(said, memories), "session")))
    dropped = sorted(made, key=lambda summary: (summary.weight, summary.end))[: max(len(made) - MOST, 0)]
    return [summary for summary in made if summary not in dropped]


def rolled_up(user_id: str, scope: Scope, first: date, zone: tzinfo, smaller: Sequence[Summary]) -> Summary | None:
    """The day, week or month that begins with `first`, of the summaries of the next smaller scope that touch it; None when nothing was said."""
    start, end = bounds(scope, first, zone)
    lines = {line.turn_id: line for summary in smaller for line in summary.lines if start <= line.at < end}
    if not lines:
        return None
    return Summary(user_id, scope, first.isoformat(), start, end, "", chosen(list(lines.values()), scope))


def first_day(scope: Scope, moment: datetime, zone: tzinfo) -> date:
    """The day with which the day, week (Monday) or month begins that holds the moment."""
    day = moment.astimezone(zone).date()
    if scope == "week":
        return day - timedelta(days=day.weekday())
    return day.replace(day=1) if scope == "month" else day


def bounds(scope: Scope, first: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """Where the day, week or month begins, and where the next one does."""
    if scope == "month":
        following = (first.replace(day=1) + timedelta(days=32)).replace(day=1)
    else:
        following = first + timedelta(days=7 if scope == "week" else 1)
    return datetime.combine(first, time(), zone), datetime.combine(following, time(), zone)


def shortened(text: str) -> str:
    """On one line, at most LINE_CHARS long."""
    text = " ".join(text.split())
    if len(text) <= LINE_CHARS:
        return text
    head = text[: LINE_CHARS - 1]
    return f"{head.rpartition(' ')[0] or head}…"


def _cosine(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / sqrt(len(one) * len(other)) if one and other else 0.0
