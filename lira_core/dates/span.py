"""What a date in a text is, and what a language must say of its dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Granularity = Literal["minute", "clock", "part", "day", "weekend", "week", "month", "year"]
"""How exact: `minute` a time of day; `clock` the same without knowing am or pm; `part` a part of a day (아침, 저녁); then as they say."""
Unit = Literal["minute", "hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` speaks of `when`. `relative`: its wording would be wrong on another day.

    `day_said`: False for a time alone ("4시"), whose day is then taken to be the next time it strikes.
    """

    start: int
    end: int
    text: str
    when: datetime
    granularity: Granularity
    relative: bool
    day_said: bool = True


@dataclass(frozen=True, slots=True)
class Words:
    """A language's dates.

    `pattern` finds the pieces of expressions, each by the group of its kind; `join` is what may stand between pieces of one expression.
    The tables say what its words stand for: `days`, `weeks` (of 다음, next) and `years` from now; `counts` of days ("사흘"); `parts` the hour
    that stands for a part of the day, `late` those of them after noon; `holidays` month and day. Keys are lower-case, `gap` stands for
    the spaces in them. `evening` makes seven o'clock 19:00; `past`: whether what stands before and after a date in its sentence places it behind the
    speaker.
    """

    pattern: re.Pattern[str]
    join: re.Pattern[str]
    gap: str
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    numbers: Mapping[str, int]
    units: Mapping[str, Unit]
    ago: str
    days: Mapping[str, int]
    counts: Mapping[str, tuple[int, Unit]]
    weeks: Mapping[str, int]
    years: Mapping[str, int]
    parts: Mapping[str, int]
    late: frozenset[str]
    nights: frozenset[str]
    exact_parts: frozenset[str]
    holidays: Mapping[str, tuple[int, int]]
    past: Callable[[str, str], bool]
    evening: re.Pattern[str]
    say_day: Callable[[datetime, Granularity, datetime], str]
    say_time: Callable[[datetime, Granularity], str]

    def key(self, words: str) -> str:
        """As the tables have it."""
        return re.sub(r"\s+", self.gap, words.lower())

    def number(self, words: str) -> int:
        return int(words) if words.isdigit() else self.numbers[" ".join(words.lower().split())]

    def weekday(self, words: str) -> int:
        """Monday is 0."""
        return self.weekdays.index(words.lower())

    def month(self, words: str) -> int:
        """January is 1; by its number, or its name or the first three letters of it."""
        if words.isdigit() or words in self.numbers:
            return self.number(words)
        return next(i for i, name in enumerate(self.months, 1) if name.startswith(words.lower()[:3]))
