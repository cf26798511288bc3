"""Finding the dates in a text, and saying them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Final

from lira_core.dates.resolving import Parse, resolved
from lira_core.dates.span import Granularity, Recurrence, Span, Words
from lira_core.language import Language, language_of
from lira_core.languages.en import dates as en
from lira_core.languages.ko import dates as ko

# Which kinds may stand in one expression, and how coarse each is.
_CLASS: Final = {
    "iso": "date", "md": "date", "slash": "date", "day": "date", "relweek": "date", "weekend": "weekday", "weekday": "weekday", "holiday": "date",
    "dom": "date", "nth": "date", "relmonth": "date", "month": "date", "year": "year", "shift": "date", "hm": "time", "hour": "time", "part": "part",
}  # fmt: skip
_COUNTED_FROM_TODAY: Final = frozenset({"day", "relweek", "shift"})
"""Kinds of days that have their year already."""
_OF_MONTH: Final = re.compile(r"\d\s*(?:일|st\b|nd\b|rd\b|th\b)", re.I)
_LONGEST: Final = 366
"""Days: longer stretches ("2010년 1월 1일부터 오늘까지") are cut."""
_SENTENCE: Final = re.compile(r"[.!?\n](?!\d)")
_REST: Final = 60
"""So many characters on either side of a date tell whether its sentence is of the past."""


def find(text: str, at: datetime, since: date | None = None) -> tuple[Span, ...]:
    """Every date or time in `text`, in order, not overlapping. Impossible ones ("13월 40일") are not dates and are left out. `since`: the last day
    that was named before `text`, where it goes on from something."""
    return tuple(_spans(text, _matches(text), at, since))


def find_all(text: str, at: datetime, since: date | None = None) -> tuple[tuple[Span, ...], tuple[tuple[int, int], ...]]:
    """What `find` finds, and (start, end) of every repetition ("매주 토요일", "every day")."""
    matches = _matches(text)
    return tuple(_spans(text, matches, at, since)), tuple(match.span() for match in matches if match.lastgroup == "repeat")


def _matches(text: str) -> list[re.Match[str]]:
    return list(_words(language_of(text)).pattern.finditer(text))


def _spans(text: str, matches: Sequence[re.Match[str]], at: datetime, since: date | None = None, *, tense: bool = True) -> list[Span]:
    """`tense`: whether what a sentence says of the past is behind its speaker."""
    words = _words(language_of(text))
    evening = any(m.lastgroup in {"hm", "hour"} for m in matches) and words.evening.search(text) is not None
    spans: list[Span] = []
    for parse in _grouped(text, matches, words):
        begun = spans[-1].day if spans and spans[-1].day_said and words.through.fullmatch(text, spans[-1].end, parse.start) else None
        past = tense and _past(parse, text, words)
        if (span := _span(parse, text, at, words, past=past, evening=evening, since=since, begun=begun)) is not None:
            spans.append(span)
            since = last_day([span], since)
    return spans


def find_asked(text: str, at: datetime) -> tuple[Span, ...]:
    """As `find`, of a question. What recalls is of the past whatever it asks for ("24일에 뭐 있었더라"), so a day of a month is the nearer of the
    last one and the next."""
    matches = _matches(text)
    ahead = {span.start: span for span in _spans(text, matches, at, tense=False)}
    return tuple(_nearer(span, ahead.get(span.start, span), at) for span in _spans(text, matches, at))


def _nearer(span: Span, ahead: Span, at: datetime) -> Span:
    of_month = span.day_said and (not span.relative or _OF_MONTH.search(span.text))
    return ahead if of_month and abs(ahead.when - at) < abs(span.when - at) else span


def moments(text: str, at: datetime) -> list[datetime]:
    """When each day named in `text` is, at the hour that is said with it; of the first and the last of several also when those between them begin."""
    named = [span for span in find(text, at) if span.day_said]
    through = _words(language_of(text)).through
    between = [
        datetime.combine(first.day + timedelta(days=i), time(), at.tzinfo)
        for first, last in pairwise(named)
        if through.fullmatch(text, first.end, last.start)
        for i in range(1, min((last.day - first.day).days, _LONGEST))
    ]
    return [span.on_its_day for span in named] + between


def recurrences(text: str) -> tuple[Recurrence, ...]:
    """Every repetition in `text` of which it is known on which days it comes: "매주 화요일", "월수금마다", "on Fridays", "매달 15일"."""
    words = _words(language_of(text))
    return tuple(again for match in _matches(text) if match.lastgroup == "repeat" and (again := words.repeated(match)))


def last_day(spans: Sequence[Span], since: date | None = None) -> date | None:
    """The last day that is named, `since` where none is: what "19일" after it is counted from. "내일" names none: "20일" beside it is counted from
    today as it is."""
    named = [span.day for span in spans if span.day_said and (not span.relative or _OF_MONTH.search(span.text))]
    return named[-1] if named else since


def say(when: datetime, granularity: Granularity, language: Language, now: datetime) -> str:
    """Natural words for a moment: "10월 4일 일요일 오후 3시", "on Sunday, October 4 at 3 PM"; the year only where it is not `now`'s."""
    words = _words(language)
    day = words.say_day(when, granularity, now)
    return day if granularity in {"day", "weekend", "week", "month", "year"} else f"{day} {words.say_time(when, granularity)}"


def in_words(span: Span, language: Language, now: datetime) -> str:
    """`say` of this span; a time alone stays a time alone."""
    return say(span.when, span.granularity, language, now) if span.day_said else _words(language).say_time(span.when, span.granularity)


def _words(language: Language) -> Words:
    return ko.WORDS if language == "ko" else en.WORDS


def _grouped(text: str, matches: Sequence[re.Match[str]], words: Words) -> Iterator[Parse]:
    """Neighbouring pieces that make one expression ("10월 4일" + "일요일" + "오후" + "3시"); a match's `lastgroup` is its kind."""
    current: Parse | None = None
    for match in matches:
        kind = match.lastgroup or ""
        if kind == "repeat":
            if current:
                yield current
            current = None
            continue
        new = current is not None and (_CLASS[kind] not in current.classes or (kind == "dom" and set(current.kinds) == {"relweek"}))
        fits = new and current is not None and words.join.fullmatch(text, current.end, match.start())
        begins = kind == "year" and words is ko.WORDS  # Korean says the year first
        counted = kind in _COUNTED_FROM_TODAY and current is not None and "year" in current.classes  # "작년 내일" is no day of last year
        if current is None or not fits or begins or counted or (kind in {"relmonth", "month"} and "year" not in current.classes):
            if current:
                yield current
            current = Parse(match.start(), match.end())
        current.end = match.end()
        current.classes.add(_CLASS[kind])
        current.kinds[kind] = match
    if current:
        yield current


def _past(parse: Parse, text: str, words: Words) -> bool:
    before, after = _SENTENCE.split(text[max(0, parse.start - _REST) : parse.start])[-1], _SENTENCE.split(text[parse.end : parse.end + _REST])[0]
    return words.past(before, after)


def _span(parse: Parse, text: str, at: datetime, words: Words, *, past: bool, evening: bool, since: date | None, begun: date | None) -> Span | None:
    """The arguments as of `resolved`."""
    if parse.classes == {"part"} and not parse.this_part(words):
        return None
    try:
        moment = resolved(parse, at, words, past=past, evening=evening, since=since, begun=begun)
    except (ValueError, OverflowError):
        return None
    said = text[parse.start : parse.end]
    return Span(parse.start, parse.end, said, moment.when, moment.granularity, moment.relative, moment.day_said, moment.at_night)
