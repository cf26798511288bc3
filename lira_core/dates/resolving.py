"""From the pieces of an expression to the moment it speaks of."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Final

from lira_core.dates.clock import with_time
from lira_core.dates.span import Granularity, Words


@dataclass(slots=True)
class Parse:
    """One expression while it is put together: what kinds of piece it has, and how coarse they are."""

    start: int
    end: int
    classes: set[str] = field(default_factory=set)
    kinds: dict[str, re.Match[str]] = field(default_factory=dict)

    def this_part(self, words: Words) -> bool:
        """ "this evening", noon: a part of a day that needs no day."""
        part = self.kinds["part"].group().lower() if "part" in self.kinds else ""
        return part.startswith("this ") or part in words.exact_parts


@dataclass(frozen=True, slots=True)
class Moment:
    """What an expression speaks of; the fields as `Span` has them."""

    when: datetime
    granularity: Granularity
    relative: bool = False
    day_said: bool = True
    at_night: bool = False


@dataclass(frozen=True, slots=True)
class _Said:
    """When and how it was said. `year` where one was said too; `weekday` is one beside a week; `since` the day named before it, if any; `begun` the
    first of several days of which this is the last."""

    at: datetime
    words: Words
    past: bool
    year: int | None
    weekday: re.Match[str] | None = None
    since: date | None = None
    begun: date | None = None

    @property
    def today(self) -> date:
        return self.at.date()

    def placed(self, month: int, day: int) -> Moment:
        """A month and a day in the year that was said, else the likeliest."""
        return self.on(date(self.year, month, day) if self.year is not None else nearest(self.today, month, day, past=self.past))

    def first_of(self, month: int) -> date:
        """The first day of a month in the year that was said, else in the likeliest."""
        return date(self.year, month, 1) if self.year is not None else nearest(self.today.replace(day=1), month, 1, past=self.past)

    def on(self, day: date, granularity: Granularity = "day", *, relative: bool = False) -> Moment:
        return Moment(datetime(day.year, day.month, day.day, tzinfo=self.at.tzinfo), granularity, relative)


def resolved(parse: Parse, at: datetime, words: Words, *, past: bool, evening: bool, since: date | None = None, begun: date | None = None) -> Moment:
    """ValueError or OverflowError where there is no such moment. `evening`: the text speaks of one somewhere. `since`: the day named before. `begun`:
    the first of several days of which this is the last."""
    kinds = parse.kinds
    year, of_year = _year(kinds.get("year"), at, words)
    said = _Said(at, words, past, year, kinds.get("weekday"), since, begun)
    if "relweek" in kinds and "dom" in kinds:  # "다음 주 수요일 11일": the 11th that is nearest to that day
        said = replace(said, since=_week(kinds.pop("relweek"), said).when.date())
    moment = next((read(match, said) for kind, read in _DAYS if (match := kinds.get(kind)) is not None), None)
    if moment is None:
        saturday = said.today - timedelta(days=at.weekday() - 5)
        weekend = said.on(saturday - timedelta(weeks=1) if past and at.weekday() < 5 else saturday, "weekend", relative=True)
        moment = weekend if "weekend" in kinds else of_year or said.on(said.today)
    elif "weekend" in kinds:
        moment = replace(moment, granularity="weekend")
    moment = replace(moment, relative=moment.relative or (of_year is not None and of_year.relative))
    if (weekday := kinds.get("weekday")) and "relweek" not in kinds:
        moment = replace(moment, granularity="day") if parse.classes & {"date"} else said.on(_weekday_of(weekday, said), relative=True)
    moment = replace(moment, day_said=bool(parse.classes & {"date", "weekday", "year"}))
    when, granularity, at_night = with_time(kinds, moment.when, moment.granularity, words, evening=evening)
    if moment.day_said:
        return replace(moment, when=when + timedelta(days=at_night), granularity=granularity, at_night=at_night)
    if kinds.get("part") and kinds["part"].group().lower().startswith("this "):
        return Moment(when, granularity, relative=True)
    later = when < at and not past
    return Moment(when + timedelta(days=1) if later else when, "part" if granularity == "day" else granularity, moment.relative, day_said=False)


def nearest(today: date, month: int, day: int, *, past: bool) -> date:
    """The year of a month and day: this one, but "1월 5일" said in December about a plan is next year's."""
    this = date(today.year, month, day)
    if past:
        return this if this <= today else date(today.year - 1, month, day)
    return date(today.year + 1, month, day) if (today - this).days > 90 else this


def add_months(day: date, months: int) -> date:
    """The same day of another month, or its last."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _year(m: re.Match[str] | None, at: datetime, words: Words) -> tuple[int | None, Moment | None]:
    if m is None:
        return None, None
    year = int(m["year_n"]) if m["year_n"] else at.year + words.years[" ".join(m.group().lower().split())]
    return year, Moment(datetime(year, 1, 1, tzinfo=at.tzinfo), "year", relative=not m["year_n"])


def _iso(m: re.Match[str], said: _Said) -> Moment:
    return said.on(date(int(m["iso_y"]), int(m["iso_m"]), int(m["iso_d"])))


def _month_day(m: re.Match[str], said: _Said) -> Moment:
    found = m.groupdict()
    month, day = said.words.month(found["md_m"] or found["md_m2"]), said.words.number(found["md_d"] or found["md_d2"])
    year = found.get("md_y")
    return said.on(date(int(year), month, day)) if year else said.placed(month, day)


def _slash(m: re.Match[str], said: _Said) -> Moment:
    return said.on(nearest(said.today, int(m["sl_m"]), int(m["sl_d"]), past=said.past))


def _holiday(m: re.Match[str], said: _Said) -> Moment:
    return said.placed(*said.words.holidays[said.words.key(m.group())])


def _day(m: re.Match[str], said: _Said) -> Moment:
    return said.on(said.today + timedelta(days=said.words.days[said.words.key(m.group())]), relative=True)


def _week(m: re.Match[str], said: _Said) -> Moment:
    monday = said.today - timedelta(days=said.at.weekday()) + timedelta(weeks=said.words.weeks[m["rw_r"].lower()])
    named = m["rw_w"] or (said.weekday["wd"] if said.weekday else None)
    if named:
        return said.on(monday + timedelta(days=said.words.weekday(named)), relative=True)
    return said.on(monday + timedelta(days=5), "weekend", relative=True) if m["rw_end"] else said.on(monday, "week", relative=True)


def _shift(m: re.Match[str], said: _Said) -> Moment:
    """ "사흘 뒤", "three days ago"."""
    found, words = m.groupdict(), said.words
    if counted := found.get("shift_w"):
        number, unit = words.counts[words.key(counted)]
    else:
        number = words.number(found["shift_n"] or found.get("shift_n2") or "")
        unit = words.units[(found["shift_u"] or found.get("shift_u2") or "").lower()]
    number = -number if (found["shift_d"] or "").lower() == words.ago else number
    if unit in {"minute", "hour"}:
        delta = timedelta(minutes=number) if unit == "minute" else timedelta(hours=number)
        return Moment((said.at + delta).replace(second=0, microsecond=0), "minute", relative=True)
    if unit in {"day", "week"}:
        return said.on((said.at + timedelta(days=number * (1 if unit == "day" else 7))).date(), relative=True)
    return said.on(add_months(said.today, number * (12 if unit == "year" else 1)), "year" if unit == "year" else "month", relative=True)


def _of_month(m: re.Match[str], said: _Said) -> Moment:
    """ "다음 달 3일", "this month"."""
    first = add_months(said.today.replace(day=1), said.words.weeks[m["rm_r"].lower()] if m["rm_r"] else 0)
    day = m.groupdict().get("rm_d")
    return said.on(first.replace(day=int(day)), relative=True) if day else said.on(first, "month", relative=True)


def _month(m: re.Match[str], said: _Said) -> Moment:
    return said.on(said.first_of(said.words.month(m["mo_n"])), "month")


def _nth(m: re.Match[str], said: _Said) -> Moment:
    """ "12월 둘째 주 토요일", "the last day of next month". The second Saturday of a month, not that of its second week, which is another where the
    month does not begin on a Monday."""
    named, ordinal = m["nth_m"], m["nth_n"] or m.groupdict().get("nth_n2")
    number = said.words.ordinal(ordinal or "")
    shift = said.words.weeks.get((m["nth_r"] or "").lower(), 0)
    first = said.first_of(said.words.month(named)) if named else add_months(said.today.replace(day=1), shift)
    days = [first + timedelta(days=i) for i in range(calendar.monthrange(first.year, first.month)[1])]
    if m["nth_w"]:
        days = [day for day in days if day.weekday() == said.words.weekday(m["nth_w"])]
    if number > len(days):
        raise ValueError(f"a month without a {ordinal} of these days")
    return said.on(days[number - 1 if number > 0 else -1], relative=not named)


def _day_of_month(m: re.Match[str], said: _Said) -> Moment:
    """ "20일에": this month's; where that is over the next one, where the sentence is past the last one; after "12월 20일부터" it is that
    month's, or the next where that is nearer."""
    number = said.words.number(next(day for name, day in m.groupdict().items() if name.startswith("dom_d") and day))
    if said.since is not None:
        same = said.since.replace(day=number)
        after = add_months(same, 1)
        return said.on(same if abs(same - said.since) <= abs(after - said.since) else after, relative=True)
    # Of any two months in a row one at least has 31 days, and this month's day may lie on the wrong side of today.
    months = (add_months(said.today.replace(day=1), -i if said.past else i) for i in range(4))
    days = (first.replace(day=number) for first in months if number <= calendar.monthrange(first.year, first.month)[1])
    return said.on(next(day for day in days if (day <= said.today if said.past else day >= said.today)), relative=True)


_DAYS: Final[tuple[tuple[str, Callable[[re.Match[str], _Said], Moment]], ...]] = (
    ("iso", _iso), ("md", _month_day), ("slash", _slash), ("holiday", _holiday), ("day", _day), ("relweek", _week), ("shift", _shift),
    ("nth", _nth), ("relmonth", _of_month), ("month", _month), ("dom", _day_of_month),
)  # fmt: skip
"""The first that an expression has says the day."""


def _weekday_of(m: re.Match[str], said: _Said) -> date:
    wanted, named = said.words.weekday(m["wd"]), (m["wd_r"] or "").strip().lower()
    today, weekday = said.today, said.at.weekday()
    if said.begun is not None and not named:
        return said.begun + timedelta(days=(wanted - said.begun.weekday()) % 7)
    if named in {"last", "지난", "저번"}:
        return today - timedelta(days=(weekday - wanted - 1) % 7 + 1)
    if named:
        return today - timedelta(days=weekday) + timedelta(weeks=said.words.weeks[named], days=wanted)
    return today - timedelta(days=(weekday - wanted) % 7) if said.past else today + timedelta(days=(wanted - weekday) % 7)
