"""What a date in a text is, and what a language must say of its dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal

Granularity = Literal["minute", "clock", "part", "day", "weekend", "week", "month", "year"]
"""How exact: `minute` a time of day; `clock` the same without knowing am or pm; `part` a part of a day (아침, 저녁); then as they say."""
Unit = Literal["minute", "hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True)
class Span:
    """`text[start:end]` speaks of `when`. `relative`: its wording would be wrong on another day.

    `day_said`: False for a time alone ("4시"), whose day is then taken to be the next time it strikes. `at_night`: the hour is one after midnight of
    the night that was said ("토요일 밤 1시"), so that `when` lies on the day after it.
    """

    start: int
    end: int
    text: str
    when: datetime
    granularity: Granularity
    relative: bool
    day_said: bool = True
    at_night: bool = False

    @property
    def day(self) -> date:
        """The day that it names: Saturday of "Saturday night at one", which strikes on Sunday."""
        return self.when.date() - timedelta(days=self.at_night)

    @property
    def on_its_day(self) -> datetime:
        """`when`, or the last moment of the day named where it strikes after that."""
        return datetime.combine(self.day, time.max, self.when.tzinfo) if self.at_night else self.when


@dataclass(frozen=True, slots=True)
class Recurrence:
    """What comes again every week or month: on these days of the week, Monday 0, only on the `nth` of them of a month where that is said, -1 the
    last; or on that day `of_month`. Of "every day" and "every year" nothing is known."""

    weekdays: frozenset[int] = frozenset()
    nth: int | None = None
    of_month: int | None = None

    def __bool__(self) -> bool:
        return bool(self.weekdays or self.of_month)

    @property
    def monthly(self) -> bool:
        return self.nth is not None or self.of_month is not None

    def on(self, day: date) -> bool:
        if self.of_month is not None:
            return day.day == self.of_month
        last = (day + timedelta(weeks=1)).month != day.month
        return day.weekday() in self.weekdays and self.nth in (None, (day.day - 1) // 7 + 1, -1 if last else None)


@dataclass(frozen=True, slots=True)
class Words:
    """A language's dates.

    `pattern` finds the pieces of expressions, each by the group of its kind; `join` is what may stand between pieces of one expression.
    The tables say what its words stand for: `days`, `weeks` (of 다음, next) and `years` from now; `counts` of days ("사흘"); `parts` the hour
    that stands for a part of the day, `late` those of them after noon; `ordinals` what the words for first, second and last begin with, -1 the last;
    `holidays` month and day; `through` stands between the first day of several and the last. Keys are lower-case, `gap` stands for
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
    ordinals: Mapping[str, int]
    holidays: Mapping[str, tuple[int, int]]
    through: re.Pattern[str]
    past: Callable[[str, str], bool]
    evening: re.Pattern[str]
    say_day: Callable[[datetime, Granularity, datetime], str]
    say_time: Callable[[datetime, Granularity], str]

    def key(self, words: str) -> str:
        """As the tables have it."""
        return re.sub(r"\s+", self.gap, words.lower())

    def number(self, words: str) -> int:
        return int(words) if words.isdigit() else self.numbers[" ".join(words.lower().split())]

    def ordinal(self, words: str) -> int:
        """1 is the first, -1 the last."""
        return next(number for begins, number in self.ordinals.items() if words.lower().startswith(begins))

    def weekday(self, words: str) -> int:
        """Monday is 0."""
        return self.weekdays.index(words.lower())

    def repeated(self, match: re.Match[str]) -> Recurrence:
        """Which days a repetition names."""
        if match["rp_m"]:
            return Recurrence(of_month=int(match["rp_m"]))
        if match["rp_n"]:
            return Recurrence(frozenset({self.weekday(match["rp_nw"])}), self.ordinal(match["rp_n"]))
        if match["rp_w"]:
            return Recurrence(frozenset(range(5)))
        said = "".join(day for day in match.group("rp_d", "rp_d2") if day).lower().replace("요일", "")
        if said in {"주말", "weekend"}:
            return Recurrence(frozenset({5, 6}))
        return Recurrence(frozenset(number for number, name in enumerate(self.weekdays) if name in said))

    def month(self, words: str) -> int:
        """January is 1; by its number, or its name or the first three letters of it."""
        if words.isdigit() or words in self.numbers:
            return self.number(words)
        return next(i for i, name in enumerate(self.months, 1) if name.startswith(words.lower()[:3]))
