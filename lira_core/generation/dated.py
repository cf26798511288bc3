"""What was said on one day, told on another: relative dates in absolute words, with the particles that then fit."""

from __future__ import annotations

import re
from calendar import day_name
from datetime import date, datetime

from lira_core.dates.finding import find, in_words
from lira_core.dates.span import Span
from lira_core.language import language_of
from lira_core.languages.ko.particles import closed
from lira_core.languages.ko.retelling import plain

_WEEKS = ("첫째", "둘째", "셋째", "넷째", "다섯째")
_DAYS = re.compile(r"^(?:오늘|어제|내일|모레|글피|그제|그저께|엊그제|내일모레|지난|이번|다음|담|다다음|저번)")
# Days of a week as such, not one of them: "정기 휴무를 월요일로 바꾸기로 했어요", "주말엔 소라 씨가 나와요".
_WEEKLY = re.compile(r"^(?:[월화수목금토일]요일|주말)$")
_REGULARLY = re.compile(r"매주|마다|정기|평일|항상|보통|주로|휴무|쉬는\s*날|알바|영업")
_MOMENTS = re.compile(r"(?<![가-힣])(?:아까|방금)(?:\s*(?:전에|전))?(?![가-힣])")
_PARTICLE = re.compile(r"^(은|는|이|가|을|를|으로|로|와|과)(?=[\s,.!?]|$)")
_PAIRS = {
    "은": ("은", "는"),
    "는": ("은", "는"),
    "이": ("이", "가"),
    "가": ("이", "가"),
    "을": ("을", "를"),
    "를": ("을", "를"),
    "와": ("과", "와"),
    "과": ("과", "와"),
}
_ORDINAL = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b")
_WEEKDAY = rf"(?:{'|'.join(day_name)})"
# As much of every week as of the next one, and in the next one the second day might come before the first: told as it was said.
_RANGE = re.compile(rf"(?<!this )(?<!next )(?<!last )\b(?P<first>{_WEEKDAY})\s*(?:to|through|thru|till|until|[-–])\s*(?P<last>{_WEEKDAY})\b", re.I)
_NIGHT = re.compile(r"^(on \w+)(, .*) at night$")
_LEADS = re.compile(r"\b(?:on|in|at|by|until|till|since|from|for|before|after|the|this|of|to|between|than)\s+$", re.I)


def dated(text: str, said: datetime, now: datetime, since: date | None = None) -> str:
    """The text with each date that was relative to `said` in absolute words; on the same day what is of that day stays as it was said. `since`: the
    last day that was named before the text."""
    today = said.date() == now.astimezone(said.tzinfo).date()
    if language_of(text) == "en":
        return text if today else _english(text, said, now)
    # Said as a day: a moment ago is days ago by now.
    return _korean(text if today else _MOMENTS.sub("오늘", plain(text)), said, now, since)


def _korean(text: str, said: datetime, now: datetime, since: date | None) -> str:
    out: list[str] = []
    end = 0
    told: set[str] = set()
    today = now.astimezone(said.tzinfo).date()
    before: Span | None = None
    for span in find(text, said, since):
        words = None if span.day == said.date() == today else _words(span, text, now)
        if words and before and before.granularity == "year" and span.when.year == now.year and not text[before.end : span.start].strip():
            words = f"{span.when.year}년 {words}"  # or the year before it would be taken for its own
        before = span
        if words is None:
            continue
        tail = text[span.end :]
        # The same day is named once.
        if words in told and (gone := re.match(r"\s+", tail)):
            out.append(text[end : span.start])
            end = span.end + gone.end()
            continue
        told.add(words)
        words, taken = _with_particle(span, words, tail)
        out += [text[end : span.start], words]
        end = span.end + taken
    return "".join([*out, text[end:]])


def _words(span: Span, text: str, now: datetime) -> str | None:
    if not span.relative or (span.granularity == "year" and span.when.year == now.year):
        return None
    if _WEEKLY.match(span.text) and (span.text == "주말" or _REGULARLY.search(text)):
        return None
    if span.granularity == "week":
        year = f"{span.when.year}년 " if span.when.year != now.year else ""
        return f"{year}{span.when.month}월 {_WEEKS[(span.when.day - 1) // 7]} 주"
    return in_words(span, "ko", now)


def _with_particle(span: Span, words: str, tail: str) -> tuple[str, int]:
    """The words with what must follow them, and how much of the tail that takes the place of."""
    particle = _PARTICLE.match(tail)
    exact = span.granularity in {"minute", "clock", "part", "day", "weekend"}
    if particle is None:
        adverb = exact and _DAYS.match(span.text) and re.match(r"\s+[^\s~\-]", tail) and not words.endswith(("에", "까지", "부터"))
        return (f"{words}에" if adverb else words), 0
    form = particle.group(1)
    if form in {"은", "는"} and exact and _DAYS.match(span.text):
        return f"{words}에는", particle.end()
    if form in {"로", "으로"}:
        return words + ("으로" if closed(words) and (ord(words[-1]) - 0xAC00) % 28 != 8 else "로"), particle.end()
    return words + _PAIRS[form][0 if closed(words) else 1], particle.end()


def _english(text: str, said: datetime, now: datetime) -> str:
    out: list[str] = []
    end = 0
    weekly = {match.start(name) for match in _RANGE.finditer(text) for name in ("first", "last")}
    for span in find(text, said):
        if not span.relative or span.start in weekly or (span.granularity == "year" and span.when.year == now.year):
            continue
        words = _NIGHT.sub(r"\1 night\2", in_words(span, "en", now))
        if ordinal := _ORDINAL.search(span.text):  # as it was said: "March 23rd"
            words = re.sub(rf"(?<=[a-z] ){ordinal[1]}\b", ordinal[0], words, count=1)
        before = text[: span.start]
        if _LEADS.search(before) and not re.match(r"(?:on|in|at)\b", span.text, re.I):
            words = re.sub(r"^(?:on|in) ", "", words)
        out += [text[end : span.start], words]
        end = span.end
    return "".join([*out, text[end:]])
