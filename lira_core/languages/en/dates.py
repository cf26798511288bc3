# ruff: noqa: E501 (patterns read better in wide rows)
"""English dates: how they are written, and how they are said."""

from __future__ import annotations

import calendar
import re
from datetime import datetime
from typing import Final

from lira_core.dates.span import Granularity, Words
from lira_core.languages.en.tense import is_past

_WEEKDAYS: Final = tuple(name.lower() for name in calendar.day_name)
_MONTHS: Final = tuple(name.lower() for name in calendar.month_name[1:])
_NUM: Final = r"(?:\d{1,3}|a\s+couple\s+of|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_DOM: Final = r"3[01]|[12]\d|[1-9]"
_BEFORE: Final = "(?:" + "|".join(rf"(?<={word}\s)" for word in ("by", "until", "till", "from", "to", "for", "before", "after", "day", "day,")) + ")"
_GOES_ON: Final = (
    r"at|with|and|to|until|till|for|from|instead|not|now|if|when|because|so|but|we|i|i'm|it|or|then|though|please|same|around|about|in\s+the"
)
"""What may follow a day of the month; "on the 5th floor" is none."""
_NOT_THE_NTH: Final = "".join(rf"(?<!\b{word}\s)" for word in ("first", "second", "third", "fourth", "1st", "2nd", "3rd", "4th"))
"""Of a weekday: "the third Saturday in May" is not the one to come; it is told as it was said."""
_PATTERN: Final = re.compile(
    rf"""\b(?:
    (?P<repeat>(?P<rp_e>every\s+month\s+)?(?:on\s+)?the\s+(?:(?P<rp_m>{_DOM})(?:st|nd|rd|th)|(?P<rp_n>first|second|third|fourth|last|1st|2nd|3rd|4th)\s+(?P<rp_nw>{"|".join(_WEEKDAYS)}))
               (?(rp_e)|\s+(?:of\s+)?(?:every|each|the)\s+month)|(?:every|each)\s+(?:other\s+)?(?:day|week|month|year|morning|afternoon|evening|night|(?P<rp_w>weekday)|(?P<rp_d>weekend|{"|".join(_WEEKDAYS)}))s?
               (?:\s+(?:at\s+)?\d{{1,2}}(?::\d\d)?\s*(?:am|pm)?)?|on\s+(?P<rp_d2>{"|".join(_WEEKDAYS)})s|on\s+weekends)
  | (?P<iso>(?P<iso_y>\d{{4}})-(?P<iso_m>\d{{1,2}})-(?P<iso_d>\d{{1,2}}))
  | (?P<shift>(?:in\s+)(?P<shift_n>{_NUM})\s+(?P<shift_u>minute|hour|day|week|month|year)s?(?:['’]s?\s+time)?
            |(?P<shift_n2>{_NUM})\s+(?P<shift_u2>minute|hour|day|week|month|year)s?\s+(?P<shift_d>ago|from\s+(?:now|today)|later))
  | (?P<day>the\s+day\s+after\s+tomorrow|the\s+day\s+before\s+yesterday|today|tonight|tomorrow|tmrw|yesterday|last\s+night)
  | (?P<year>(?:this|next|last)\s+year|in\s+(?P<year_n>(?:19|20)\d\d))
  | (?P<nth>(?:on\s+)?(?:the\s+)?(?P<nth_n>first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)\s+(?:(?P<nth_w>{"|".join(_WEEKDAYS)})|day)\s+(?:of|in)\s+
            (?:(?P<nth_r>this|next|last)\s+month|(?P<nth_m>{"|".join(_MONTHS)})))
  | (?P<relmonth>(?P<rm_r>this|next|last)\s+month)
  | (?P<relweek>(?P<rw_r>this|next|last|coming)\s+week(?:(?P<rw_end>end)|\s+(?:on\s+)?(?P<rw_w>{"|".join(_WEEKDAYS)}))?)
  | (?P<weekend>(?:on\s+|at\s+|over\s+)?the\s+weekend)
  | (?P<md>(?:on\s+)?(?:(?P<md_m>{"|".join(_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+(?:the\s+)?(?P<md_d>\d{{1,2}})(?:st|nd|rd|th)?
            |(?:the\s+)?(?P<md_d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<md_m2>{"|".join(_MONTHS)}))(?:,?\s+(?P<md_y>(?:19|20)\d\d))?)
  | (?P<slash>(?:on\s+|(?<=\bby\s)|(?<=\buntil\s)|(?<=\bdue\s)|(?<=\bis\s)|(?<=\bstarts\s))(?P<sl_m>1[0-2]|0?[1-9])/(?P<sl_d>3[01]|[12]\d|0?[1-9])(?![\d/]))
  | (?P<dom>(?:on\s+|{_BEFORE})(?:the\s+)?(?P<dom_d>{_DOM})(?:st|nd|rd|th)(?=\s*(?:$|[.,;:!?)–-]|(?:{_GOES_ON})\b)))
  | (?P<month>in\s+(?P<mo_n>{"|".join(_MONTHS)}))
  | (?P<weekday>{_NOT_THE_NTH}(?:on\s+)?(?:(?P<wd_r>this|next|last|coming)\s+)?(?P<wd>{"|".join(_WEEKDAYS)}))
  | (?P<holiday>new\s+year['’]?s\s+(?:eve|day)|christmas\s+eve|christmas|valentine's\s+day|halloween)
  | (?P<hm>(?:at\s+)?(?P<hm_h>[01]?\d|2[0-3]):(?P<hm_m>[0-5]\d)\s*(?P<hm_p>am|pm|a\.m\.|p\.m\.)?)
  | (?P<hour>(?:at\s+)?(?P<ho_h>1[0-2]|0?[1-9])\s*(?P<ho_p>am|pm|a\.m\.|p\.m\.|o'clock)|at\s+(?P<ho_h2>1[0-2]|[1-9])(?![\d:%]|\s*(?:years|percent|the)))
  | (?P<part>(?:in\s+the\s+|this\s+|at\s+)?(?P<part_w>morning|afternoon|evening|noon|midnight|night))
    )(?!\w)""",
    re.X | re.I,
)
_PARTS: Final = {"morning": 8, "afternoon": 15, "evening": 19, "night": 21, "noon": 12, "midnight": 0}
"""The hour that stands for a part of the day: where its middle lies in ordinary speech."""


def _say_day(when: datetime, granularity: Granularity, now: datetime) -> str:
    year, month = f", {when.year}" if when.year != now.year else "", calendar.month_name[when.month]
    if granularity == "year":
        return f"in {when.year}"
    if granularity == "month":
        return f"in {month}{year.replace(',', '')}"
    if granularity in {"week", "weekend"}:
        return f"{'in the week' if granularity == 'week' else 'on the weekend'} of {month} {when.day}{year}"
    return f"on {calendar.day_name[when.weekday()]}, {month} {when.day}{year}"


def _say_time(when: datetime, granularity: Granularity) -> str:
    if granularity == "part":
        part = min((part for part in _PARTS if part != "midnight"), key=lambda part: abs(_PARTS[part] - when.hour))
        return f"at {part}" if part in {"noon", "night"} else f"in the {part}"
    clock = f"{when.hour % 12 or 12}{f':{when.minute:02d}' if when.minute else ''}"
    return f"at {clock}" if granularity == "clock" else f"at {clock} {'AM' if when.hour < 12 else 'PM'}"


WORDS: Final = Words(
    pattern=_PATTERN,
    join=re.compile(r"(?:,|\s|at|on|in|the|around|about){0,5}"),
    gap=" ",
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    numbers={
        "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "a couple of": 2,
    },
    units={"minute": "minute", "hour": "hour", "day": "day", "week": "week", "month": "month", "year": "year"},
    ago="ago",
    days={
        "today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1, "the day after tomorrow": 2, "yesterday": -1, "the day before yesterday": -2, "last night": -1,
    },
    counts={},
    weeks={"next": 1, "coming": 1, "this": 0, "last": -1},
    years={"this year": 0, "next year": 1, "last year": -1},
    parts=_PARTS,
    late=frozenset({"afternoon", "evening"}),
    nights=frozenset({"night"}),
    exact_parts=frozenset({"noon", "midnight"}),
    ordinals={
        "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5,
    },
    holidays={
        **{f"new year{mark}s {day}": on for mark in ("", "'", "’") for day, on in (("eve", (12, 31)), ("day", (1, 1)))}, "christmas eve": (12, 24), "christmas": (12, 25), "valentine's day": (2, 14), "halloween": (10, 31),
    },
    through=re.compile(r"\s*(?:to|till|until|through|thru|[~–-])\s*", re.I),
    past=is_past,
    evening=re.compile(r"dinner|drinks|evening"),
    say_day=_say_day,
    say_time=_say_time,
)  # fmt: skip
