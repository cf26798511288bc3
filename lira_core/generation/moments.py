"""Which dates and times of an answer were told: "내일" of that day and "10월 4일" of this one are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from lira_core.dates.finding import find, find_all
from lira_core.dates.span import Span
from lira_core.languages.ko.dates import WORDS as KOREAN

PART_HOURS: Final = 4
"""A part of a day covers its hour and so many before and after it: 저녁 (19) is not 아침 (8), but 7시."""

_EXACT: Final = frozenset({"minute", "clock", "part", "day"})
_TIMES: Final = frozenset({"minute", "clock"})
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_WEEKDAYS: Final = "".join(KOREAN.weekdays)
_NAMED: Final = re.compile(rf"([{_WEEKDAYS}])(?:요일|욜)|\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*days?\b", re.I)
_ENGLISH: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEK_AFTER: Final = re.compile(r"\s*이?\s*있는\s*주")
_WEEK_BEFORE: Final = re.compile(r"week\s+of\s+$", re.I)
# Of which weekend, of which week's day nothing is said.
_ANY_WEEKEND: Final = re.compile(r"주말|(?:(?:on|at|over)\s+)?the\s+weekend", re.I)
_ANY_WEEK: Final = re.compile(rf"(?:on\s+)?(?:[{_WEEKDAYS}]요일|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:\s*(?:날|에))?", re.I)
_TIME: Final = re.compile(r"\s*(?:오전|오후|새벽|아침|점심|낮|저녁|밤|\d|\bat\b|\bin\b).*$")


class Moments:
    """What `told`, texts each with when it was said, tells of time.

    The day on which something was said that names no day counts as told.
    """

    def __init__(self, told: Iterable[tuple[str, datetime]]) -> None:
        found = [(text, said.date(), find(text, said)) for text, said in told]
        self._known = [span for _, _, spans in found for span in spans]
        self._days = _days(self._known) | {day for _, day, spans in found if not any(span.day_said for span in spans)}
        self._weekdays = {day.weekday() for day in self._days} | {w for text, _, _ in found for w in _weekdays(text)}

    def checked(self, answer: str, at: datetime) -> dict[tuple[int, int], bool]:
        """(start, end) of each date, time and repetition of an answer given `at`, and whether it was told.

        The day of `at` is. A coarser time than was told is told; a finer one is not.
        """
        spans, repeats = find_all(answer, at)
        spans = tuple(replace(s, granularity="week") if _names_week(answer, s) else s for s in spans)
        out = {(s.start, s.end): self._day_told(s, at.date()) and self._time_told(s) for s in spans}
        return out | {(start, end): _weekdays(answer[start:end]) <= self._weekdays for start, end in repeats}

    def _day_told(self, span: Span, today: date) -> bool:
        when, days, year = span.when.date(), self._days | {today}, bool(_YEAR.search(span.text))
        match span.granularity:
            case _ if not span.day_said:
                return True
            case "year":
                return when.year in {day.year for day in days} | {s.when.year for s in self._known}
            case "month":
                told = days | {s.when.date() for s in self._known if s.granularity != "year"}
                return any(when.month == day.month and (not year or when.year == day.year) for day in told)
            case "week" | "weekend":
                return self._week_told(span, days)
        if _ANY_WEEK.fullmatch(_TIME.sub("", span.text.strip())):
            return when.weekday() in self._weekdays
        return when in days if year else _same_day(when, days)

    def _week_told(self, span: Span, days: set[date]) -> bool:
        if _ANY_WEEKEND.fullmatch(span.text.strip()):
            return bool({5, 6} & self._weekdays) or any(s.granularity == "weekend" for s in self._known)
        first = span.when.date()
        covered = {first + timedelta(days=i) for i in range(7 if span.granularity == "week" else 2)}
        return bool(covered & days) or _same_day(first, {s.when.date() for s in self._known if s.granularity == span.granularity})

    def _time_told(self, span: Span) -> bool:
        if span.granularity == "part":
            return any(abs(span.when.hour - s.when.hour) <= PART_HOURS for s in self._known if s.granularity in _TIMES | {"part"})
        return span.granularity not in _TIMES or any(s.granularity in _TIMES and _same_time(span, s) for s in self._known)


def _names_week(text: str, span: Span) -> bool:
    """ "9월 14일이 있는 주", "the week of September 14": so a week is said when it is over."""
    return span.granularity == "day" and bool(_WEEK_AFTER.match(text, span.end) or _WEEK_BEFORE.search(text[: span.start]))


def _days(known: Sequence[Span]) -> set[date]:
    days = set()
    for span in known:
        if span.day_said and span.granularity in _EXACT:
            days.add(span.when.date())
        elif span.granularity == "weekend":
            days |= {span.when.date(), span.when.date() + timedelta(days=1)}
    return days


def _weekdays(text: str) -> set[int]:
    return {_WEEKDAYS.index(ko) if ko else _ENGLISH.index(en.lower()) for ko, en in _NAMED.findall(text)}


def _same_day(one: date, days: set[date]) -> bool:
    """In whichever year: a day without one is taken for the nearest, which from another day may be another year's."""
    return (one.month, one.day) in {(day.month, day.day) for day in days}


def _same_time(one: Span, other: Span) -> bool:
    """Whether they strike together; where one does not say before or after noon, on the dial."""
    dial = 12 if "clock" in {one.granularity, other.granularity} else 24
    return (one.when.hour % dial, one.when.minute) == (other.when.hour % dial, other.when.minute)
