"""Questions that ask for all there is: of the person, or of certain days."""

from __future__ import annotations

from calendar import isleap
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Final

from lira_core.dates.finding import find, moments, recurrences
from lira_core.memory.question import Question
from lira_core.types import USER, Memory

LISTED: Final = 5
"""So many memories at most are told where all there is was asked for."""
_DAYS: Final = timedelta(days=31)
"""A longer time asked about, and a slot with it, asks for the slot ("what was my job last year"); and what may be asked of something else, for that
("나 올해는 될까")."""

_YEARLY: Final = frozenset({"birthday", "anniversary"})


def lists(question: Question | None) -> bool:
    """Whether it asks for all there is, of the person or of some days."""
    return question is not None and (question.everything or of_days(question))


def of_days(question: Question) -> bool:
    """ "지난주에 뭐 했지?": what happened, or was to happen, in a span of days."""
    if question.when is None:
        return False
    start, end = question.when
    planned = all(predicate == "plan" for _, predicate in question.slots)  # "내 생일 5월 20일인 거 알지?" asks of no day
    return (
        planned
        and not (question.terms or question.emotions)
        and (question.ahead or end - start <= _DAYS or (question.about_memory and not question.slots))
    )


def told_of(memory: Memory, question: Question) -> datetime | None:
    """The first moment of the days asked about that the memory speaks of: it names one of them, or what comes every week or month comes on one, or it
    names no day and was told on one; None where it speaks of none, and where it names none and what is ahead is asked for, or perhaps nothing that
    was told. Of more days than a week what comes every week is not told."""
    if question.when is None:
        return None
    start, end = question.when
    again = recurrences(memory.text)
    told = moments(memory.text, memory.timestamp)
    if memory.timestamp < end and end - start <= _DAYS:
        days = (start + timedelta(days=i) for i in range((end - start).days))
        told += [day for day in days if any(one.on(day) and (one.monthly or end - start <= timedelta(weeks=1)) for one in again)]
    if not told and not again and question.about_memory and not question.ahead:
        told = [memory.timestamp]
    return min((moment for moment in told if start <= moment < end), default=None)


def within(memory: Memory, question: Question) -> bool:
    """Whether a memory speaks of the days asked about and names none of them: they lie in a stretch that it tells."""
    if question.when is None or told_of(memory, question) is None:
        return False
    start, end = question.when
    named = [span.on_its_day for span in find(memory.text, memory.timestamp) if span.day_said]
    return bool(named) and not any(start <= moment < end for moment in named)


def days_left(memory: Memory, now: datetime) -> int | None:
    """Days from today until the first day that the memory names which is not over; None where it names none ("다음 달에" names no day). What comes
    every year, month or week comes again."""
    days = [span.day for span in find(memory.text, memory.timestamp) if span.day_said and span.granularity not in ("week", "month", "year")]
    if any(fact.predicate in _YEARLY for fact in memory.facts):
        days = [again for day in days for again in _every_year(day, now.year)]
    soon = [now.date() + timedelta(days=i) for i in range(2 * _DAYS.days)]  # no month but one has a 31st with the next
    days += [next((day for day in soon if one.on(day)), date.min) for one in recurrences(memory.text)]
    return min(((day - now.date()).days for day in days if day >= now.date()), default=None)


def _every_year(day: date, year: int) -> Iterator[date]:
    """The day in that year and the next; of the 29th of February the day after it where there is none."""
    for one in (year, year + 1):
        leaps = (day.month, day.day) != (2, 29) or isleap(one)
        yield day.replace(year=one) if leaps else date(one, 3, 1)


def asked_first(question: Question, memory: Memory) -> bool:
    """What a list begins with: who the person is, or what is of the days asked about."""
    if question.when is not None:
        return told_of(memory, question) is not None
    return any(f.subject == USER and f.predicate == "name" for f in memory.facts)
