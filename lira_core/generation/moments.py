"""Which dates and times of an answer nobody told: "내일" of that day and "10월 4일" of this one are the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from lira_core.dates import WEEKDAYS, Span, find, find_all

PART_HOURS: Final = 4
"""A part of a day covers its hour and so many before and after it: 저녁 (19) is not 아침 (8), but 7시."""

_EXACT: Final = frozenset({"minute", "clock", "part", "day"})
_TIMES: Final = frozenset({"minute", "clock"})
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NAMED: Final = re.compile(rf"([{WEEKDAYS}])(?:요일|욜)|\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*days?\b", re.I)
_ENGLISH: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEK_AFTER: Final = re.compile(r"\s*이?\s*있는\s*주")
_WEEK_BEFORE: Final = re.compile(r"week\s+of\s+$", re.I)
_TIME: Final = re.compile(r"\s*(?:오전|오후|새벽|아침|점심|낮|저녁|밤|\d|\bat\b|\bin\b).*$")
# Of which weekend nothing is said.
_ANY_WEEKEND: Final = re.compile(r"주말|(?:(?:on|at|over)\s+)?the\s+weekend", re.I)
# A day of the week and nothing that says which one.
_ANY_WEEK: Final = re.compile(rf"(?:on\s+)?(?:[{WEEKDAYS}]요일|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:\s*(?:날|에))?", re.I)


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

    def _same_day(one: date, days: set[date]) -> bool:
    """In whichever year: a day without one is taken for the nearest, which from another day may be another year's."""
    return (one.month, one.day) in {(day.month, day.day) for day in days}


def _same_time(one: Span, other: Span) -> bool:
    """Whether they strike together; where one does not say before or after noon, on the dial."""
    dial = 12 if "clock" in {one.granularity, other.granularity} else 24
    return (one.when.hour % dial, one.when.minute) == (other.when.hour % dial, other.when.minute)
