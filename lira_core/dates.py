# ruff: noqa: E501 (tables and patterns read better in wide rows)
"""Dates and times in Korean and English text, resolved against the moment they were said.

A week starts on Monday ("다음 주 금요일" is the Friday of the next calendar week; "next Friday" too). A bare weekday is the
coming one, or the last one in a sentence about the past. An hour without 오전/오후 keeps that doubt: it is resolved to the likelier half
of the day but said as it was said. Repetitions ("매주 토요일", "every day") are habits, not dates, and are left alone.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final, Literal

from lira_core.language import Language, language_of

Granularity = Literal["minute", "clock", "part", "day", "weekend", "week", "month", "year"]
"""How exact: `minute` a time of day; `clock` the same without knowing am or pm; `part` a part of a day (아침, 저녁); then as they say."""


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

    def say(self, language: Language, now: datetime) -> str:
        """`say` of this span; a time alone stays a time alone."""
        return say(self.when, self.granularity, language, now) if self.day_said else _say_time(self.when, self.granularity, language)


WEEKDAYS: Final = "월화수목금토일"
_EN_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EN_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NATIVE: Final = {
    "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열한": 11, "열두": 12,
    "일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9, "십": 10,
}  # fmt: skip
_EN_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "a couple of": 2, "couple of": 2,
}  # fmt: skip
_DAYS: Final = {
    "오늘": 0, "금일": 0, "내일모레": 2, "내일": 1, "낼": 1, "모레": 2, "글피": 3, "그글피": 4, "어제": -1, "어저께": -1, "그제": -2, "그저께": -2,
    "엊그제": -2, "엊그저께": -2, "어젯": -1, "엊": -1,
    "today": 0, "tonight": 0, "tomorrow": 1, "tmrw": 1, "the day after tomorrow": 2, "yesterday": -1, "the day before yesterday": -2, "last night": -1,
}  # fmt: skip
_DAY_COUNTS: Final = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9, "열흘": 10, "보름": 15}
_RELATIVE: Final = {
    "다다음": 2, "다음": 1, "담": 1, "이번": 0, "요번": 0, "이": 0, "금": 0, "지난": -1, "저번": -1, "지지난": -2, "저저번": -2,
    "next": 1, "coming": 1, "this": 0, "last": -1, "past": -1,
}  # fmt: skip
_YEARS: Final = {
    "올해": 0,
    "금년": 0,
    "내년": 1,
    "내후년": 2,
    "작년": -1,
    "지난해": -1,
    "재작년": -2,
    "this year": 0,
    "next year": 1,
    "last year": -1,
}
_PARTS: Final = {
    "새벽": 4, "아침": 8, "오전": 10, "점심": 12, "낮": 13, "한낮": 13, "오후": 15, "저녁": 19, "밤": 21, "한밤": 23, "정오": 12, "자정": 0,
    "morning": 8, "afternoon": 15, "evening": 19, "night": 21, "noon": 12, "midnight": 0,
}  # fmt: skip
"""The hour that stands for a part of the day: where its middle lies in ordinary speech."""
_HOLIDAYS: Final = {
    "크리스마스이브": (12, 24), "크리스마스": (12, 25), "성탄절": (12, 25), "어린이날": (5, 5), "어버이날": (5, 8), "스승의날": (5, 15), "현충일": (6, 6),
    "광복절": (8, 15), "개천절": (10, 3), "한글날": (10, 9), "발렌타인데이": (2, 14), "화이트데이": (3, 14), "삼일절": (3, 1),
    "christmas eve": (12, 24), "christmas": (12, 25), "valentine's day": (2, 14), "halloween": (10, 31),
}  # fmt: skip

_REL = r"(?:다다음|다음|담|이번|요번|지지난|지난|저저번|저번)"
_NUM = r"(?:(?<!\d)\d{1,3}|열한|열두|다섯|여섯|일곱|여덟|아홉|한|두|세|네|열|일|이|삼|사|오|육|칠|팔|구|십)"
_HOUR = r"(?:\d{1,2}|열한|열두|다섯|여섯|일곱|여덟|아홉|한|두|세|네|열)"
_KO = re.compile(
    rf"""
    (?P<repeat>(?:매일|매주|매달|매월|매년|격주|평일|해마다|날마다)(?:\s*(?:[월화수목금토일](?:요일)?(?:[,·\s]*[월화수목금토일]요일)*|주말|\d{{1,2}}일))?
               (?:\s*(?:에|마다))?(?:\s*(?:새벽|아침|오전|점심|낮|오후|저녁|밤))?(?:마다|에)?(?:\s*{_HOUR}\s*시(?:\s*(?:반|\d{{1,2}}\s*분))?)?
               |주말(?:에는|에|엔)?\s*(?=거의|주로|보통|항상|늘|자주|맨날)|(?:하루|일주일|한\s*달|일\s*년|1년|주)에\s*(?:{_NUM}|몇|여러)\s*(?:번|잔|시간|회|끼|갑|병|개|알|권|편)씩?|주\s*\d\s*회
               |(?:[월화수목금토일]요일|[월화수목금토일](?:[월화수목금토일,·]+)|주말|아침|저녁|밤|새벽)\s*마다(?:\s*(?:오전|오후|저녁|아침|새벽|밤))?(?:\s*{_HOUR}\s*시(?:\s*반)?)?)
  | (?P<iso>(?<!\d)(?P<iso_y>\d{{4}})[-./](?P<iso_m>\d{{1,2}})[-./](?P<iso_d>\d{{1,2}})(?!\d))
  | (?P<shift>(?:(?P<shift_n>{_NUM})\s*(?P<shift_u>일|주일|주|개월|달|년|해|시간|분)|(?P<shift_w>하루|이틀|사흘|나흘|닷새|엿새|열흘|보름|일주일|반년|반\s*년))
               (?:\s*정도|쯤)?\s*(?P<shift_d>뒤|후|있다가|이따가|전)(?!화|공|문|기|체|시|반|자|주|혀|국|부|쟁|세))
  | (?P<year>(?<![가-힣])(?:내후년|재작년|지난해|올해|금년|내년|작년)|(?<!\d)(?P<year_n>(?:19|20)\d{{2}})\s*년(?!생|도생))
  | (?P<md>(?<![\d])(?P<md_m>\d{{1,2}})\s*월\s*(?P<md_d>\d{{1,2}})\s*일(?!\s*(?:동안|간))(?P<md_w>\s*\(?[월화수목금토일]\)?(?=[\s에)]))?)
  | (?P<slash>(?<![\d/.])(?P<sl_m>1[0-2]|0?[1-9])/(?P<sl_d>3[01]|[12]\d|0?[1-9])(?![\d/]))
  | (?P<relmonth>(?<![가-힣])(?:(?P<rm_r>{_REL})\s*달|이달)(?!리|라|력|걀|콤)(?:\s*(?P<rm_d>\d{{1,2}})\s*일)?)
  | (?P<month>(?<!\d)(?P<mo_n>1[0-2]|[1-9])\s*월(?!요일|급|세|\s*\d))
  | (?P<relweek>(?<![가-힣])(?P<rw_r>{_REL})\s*주(?:\s*(?P<rw_end>말)|\s*(?P<rw_w>[월화수목금토일])(?:요일|욜|(?=[\s에,(]|$)))?(?![말문제차장인]))
  | (?P<weekend>(?<![가-힣])주말(?!마다|농장|드라마))
  | (?P<weekday>(?P<wd_r>(?:{_REL})\s*)?(?P<wd>[월화수목금토일])(?:요일|욜))
  | (?P<day>(?<![가-힣])(?:내일\s?모레|오늘|금일|내일|낼|모레|그글피|글피|어저께|어젯(?=밤)|어제|그저께|엊그저께|엊그제|엊(?=저녁)|그제(?!서|야)))
  | (?P<holiday>크리스마스\s?이브|크리스마스|성탄절|어린이날|어버이날|스승의\s?날|현충일|광복절|개천절|한글날|발렌타인데이|화이트데이|삼일절)
  | (?P<dom>(?<![\d월년가-힣.])(?P<dom_d>3[01]|[12]\d|[1-9])\s*일(?=에(?!서)|로(?!\s*동안)|날|까지|부터|\s*(?:오전|오후|아침|저녁|[월화수목금토일]요일)))
  | (?P<hm>(?<![\d:])(?P<hm_h>[01]?\d|2[0-4]):(?P<hm_m>[0-5]\d)(?![\d:]))
  | (?P<hour>(?<![\d가-힣])(?P<ho_h>{_HOUR})\s*시(?!간|절|험|작|장|청|내|민|스|계|도|즌|리|급|골|끄|원|대|들|크)(?:\s*(?P<ho_half>반)(?![가-힣])|\s*(?P<ho_half2>반)(?=에|쯤|까지|부터|으로|이|인|임|경)|\s*(?P<ho_m>\d{{1,2}})\s*분)?)
  | (?P<part>새벽|아침|오전|점심|한낮|낮|오후|저녁|한밤|밤|정오|자정)
    """,
    re.X,
)
_EN_NUM = r"(?:\d{1,3}|a couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_EN = re.compile(
    rf"""\b(?:
    (?P<repeat>(?:every|each)\s+(?:other\s+)?(?:day|week|month|year|morning|afternoon|evening|night|weekday|weekend|{"|".join(_EN_WEEKDAYS)})s?
               (?:\s+(?:at\s+)?\d{{1,2}}(?::\d\d)?\s*(?:am|pm)?)?|on\s+(?:{"|".join(_EN_WEEKDAYS)})s|on\s+weekends)
  | (?P<iso>(?P<iso_y>\d{{4}})-(?P<iso_m>\d{{1,2}})-(?P<iso_d>\d{{1,2}}))
  | (?P<shift>(?:in\s+)(?P<shift_n>{_EN_NUM})\s+(?P<shift_u>minute|hour|day|week|month|year)s?(?:['’]s?\s+time)?
            |(?P<shift_n2>{_EN_NUM})\s+(?P<shift_u2>minute|hour|day|week|month|year)s?\s+(?P<shift_d>ago|from\s+now|later))
  | (?P<day>the\s+day\s+after\s+tomorrow|the\s+day\s+before\s+yesterday|today|tonight|tomorrow|tmrw|yesterday|last\s+night)
  | (?P<year>(?:this|next|last)\s+year|in\s+(?P<year_n>(?:19|20)\d\d))
  | (?P<relmonth>(?P<rm_r>this|next|last)\s+month)
  | (?P<relweek>(?P<rw_r>this|next|last|coming)\s+week(?:(?P<rw_end>end)|\s+(?:on\s+)?(?P<rw_w>{"|".join(_EN_WEEKDAYS)}))?)
  | (?P<weekend>(?:on\s+|at\s+|over\s+)?the\s+weekend)
  | (?P<md>(?:on\s+)?(?:(?P<md_m>{"|".join(_EN_MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?\s+(?:the\s+)?(?P<md_d>\d{{1,2}})(?:st|nd|rd|th)?
            |(?:the\s+)?(?P<md_d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<md_m2>{"|".join(_EN_MONTHS)}))(?:,?\s+(?P<md_y>(?:19|20)\d\d))?)
  | (?P<month>in\s+(?P<mo_n>{"|".join(_EN_MONTHS)}))
  | (?P<weekday>(?:on\s+)?(?:(?P<wd_r>this|next|last|coming)\s+)?(?P<wd>{"|".join(_EN_WEEKDAYS)}))
  | (?P<holiday>christmas\s+eve|christmas|valentine's\s+day|halloween)
  | (?P<hm>(?:at\s+)?(?P<hm_h>[01]?\d|2[0-3]):(?P<hm_m>[0-5]\d)\s*(?P<hm_p>am|pm|a\.m\.|p\.m\.)?)
  | (?P<hour>(?:at\s+)?(?P<ho_h>1[0-2]|0?[1-9])\s*(?P<ho_p>am|pm|a\.m\.|p\.m\.|o'clock)|at\s+(?P<ho_h2>1[0-2]|[1-9])(?![\d:%]|\s*(?:years|percent|the)))
  | (?P<part>(?:in\s+the\s+|this\s+|at\s+)?(?P<part_w>morning|afternoon|evening|noon|midnight|night))
    )(?!\w)""",
    re.X | re.I,
)
_JOIN = {"ko": re.compile(r"(?:날|에|의|은|는|쯤|,|\(|\)|\s){0,4}"), "en": re.compile(r"(?:,|\s|at|on|in|the|around|about){0,5}")}
# Which kinds may stand in one expression, and how coarse each is.
_CLASS = {
    "iso": "date", "md": "date", "slash": "date", "day": "date", "relweek": "date", "weekend": "weekday", "weekday": "weekday", "holiday": "date",
    "dom": "date", "relmonth": "date", "month": "date", "year": "year", "shift": "date", "hm": "time", "hour": "time", "part": "part",
}  # fmt: skip
_PAST = re.compile(
    r"[가-힣]*[았었였했갔왔봤됐졌샀났탔랐렸겼녔뒀썼췄꿨](?:어|다|지|는|던|고|음|습|네|잖|대|더|을|거)|\b(?:was|were|did|went|had|ate|met|saw|bought|\w+ed)\b"
)


_EVENING = re.compile(r"저녁|퇴근|회식|술|야식|dinner|drinks|evening")


@dataclass(slots=True)
class _Parse:
    """One expression while it is put together."""

    start: int
    end: int
    classes: set[str] = field(default_factory=set)
    kinds: dict[str, re.Match[str]] = field(default_factory=dict)


def find(text: str, at: datetime) -> tuple[Span, ...]:
    """Every date or time in `text`, in order, not overlapping. Impossible ones ("13월 40일") are not dates and are left out."""
    return find_all(text, at)[0]


def repetitions(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of every repetition ("매주 토요일", "every day")."""
    return _repeats(_matches(text, language_of(text)))


def find_all(text: str, at: datetime) -> tuple[tuple[Span, ...], tuple[tuple[int, int], ...]]:
    """What `find` and `repetitions` find, in one pass."""
    language = language_of(text)
    matches = _matches(text, language)
    evening = any(m.lastgroup in {"hm", "hour"} for m in matches) and _EVENING.search(text) is not None
    spans = (_resolve(parse, text, at, language, evening) for parse in _group(text, matches, language))
    return tuple(span for span in spans if span is not None), _repeats(matches)


def _matches(text: str, language: Language) -> list[re.Match[str]]:
    """Each piece; its `lastgroup` is its kind: the group closed last is the outermost."""
    return list((_KO if language == "ko" else _EN).finditer(text))


def _repeats(matches: Sequence[re.Match[str]]) -> tuple[tuple[int, int], ...]:
    return tuple(m.span() for m in matches if m.lastgroup == "repeat")


def resolve_text(text: str, at: datetime, now: datetime | None = None) -> str:
    """The text with each relative date in absolute words; `now` (default `at`) decides whether the year is said.

    "내일 오후 3시 강남에서" said on 2026-10-03 is "10월 4일 일요일 오후 3시 강남에서". Absolute wording stays as it is, so a second pass changes nothing.
    """
    language = language_of(text)
    out: list[str] = []
    end = 0
    for span in find(text, at):
        if not span.relative:
            continue
        words = span.say(language, now or at)
        if language == "en" and not re.match(r"(?:on|in|at)\b", span.text, re.I):
            words = words.removeprefix("on ").removeprefix("in ")
        out += [text[end : span.start], words]
        end = span.end
    return "".join([*out, text[end:]])


def say(when: datetime, granularity: Granularity, language: Language, now: datetime) -> str:
    """Natural words for a moment: "10월 4일 일요일 오후 3시", "on Sunday, October 4 at 3 PM"; the year only where it is not `now`'s."""
    other_year = when.year != now.year
    if language == "ko":
        year = f"{when.year}년 " if other_year else ""
        if granularity == "year":
            return f"{when.year}년"
        if granularity == "month":
            return f"{year}{when.month}월"
        if granularity == "week":
            return f"{year}{when.month}월 {when.day}일이 있는 주"
        if granularity == "weekend":
            return f"{year}{when.month}월 {when.day}일 주말"
        day = f"{year}{when.month}월 {when.day}일 {WEEKDAYS[when.weekday()]}요일"
        return day if granularity == "day" else f"{day} {_say_time(when, granularity, language)}"
    year = f", {when.year}" if other_year else ""
    if granularity == "year":
        return f"in {when.year}"
    month = calendar.month_name[when.month]
    if granularity == "month":
        return f"in {month}{' ' + str(when.year) if other_year else ''}"
    if granularity == "week":
        return f"in the week of {month} {when.day}{year}"
    if granularity == "weekend":
        return f"on the weekend of {month} {when.day}{year}"
    day = f"on {calendar.day_name[when.weekday()]}, {month} {when.day}{year}"
    return day if granularity == "day" else f"{day} {_say_time(when, granularity, language)}"


def _say_time(when: datetime, granularity: Granularity, language: Language) -> str:
    hour = when.hour % 12 or 12
    if language == "ko":
        if granularity == "part":
            return min((p for p in _PARTS if p[0] >= "가" and p not in {"정오", "자정"}), key=lambda p: abs(_PARTS[p] - when.hour))
        half = "" if granularity == "clock" else f"{_half(when.hour)} "
        return f"{half}{hour}시{f' {when.minute}분' if when.minute else ''}"
    if granularity == "part":
        part = min(("morning", "noon", "afternoon", "evening", "night"), key=lambda p: abs(_PARTS[p] - when.hour))
        return f"at {part}" if part in {"noon", "night"} else f"in the {part}"
    clock = f"{hour}:{when.minute:02d}" if when.minute else f"{hour}"
    return f"at {clock}" if granularity == "clock" else f"at {clock} {'AM' if when.hour < 12 else 'PM'}"


def _half(hour: int) -> str:
    if hour == 0:
        return "밤"
    return "새벽" if hour < 6 else "오전" if hour < 12 else "오후"


def _group(text: str, matches: Sequence[re.Match[str]], language: Language) -> Iterator[_Parse]:
    """Neighbouring pieces that make one expression ("10월 4일" + "일요일" + "오후" + "3시")."""
    current: _Parse | None = None
    for match in matches:
        kind = match.lastgroup or ""
        if kind == "repeat":
            if current:
                yield current
            current = None
            continue
        cls = _CLASS[kind]
        fits = current is not None and cls not in current.classes and _JOIN[language].fullmatch(text, current.end, match.start())
        if fits and current is not None and kind in {"relmonth", "month"} and "year" not in current.classes:
            fits = None
        if not fits:
            if current:
                yield current
            current = _Parse(match.start(), match.end())
        assert current is not None
        current.end = match.end()
        current.classes.add(cls)
        current.kinds[kind] = match
    if current:
        yield current


def _resolve(parse: _Parse, text: str, at: datetime, language: Language, evening: bool) -> Span | None:
    """`evening`: the text speaks of one somewhere."""
    if parse.classes == {"part"} and not ("part" in parse.kinds and _is_this_part(parse.kinds["part"].group())):
        return None
    rest = re.split(r"[.!?\n](?!\d)", text[parse.end : parse.end + 60])[0]
    # "약속 일요일로 미뤘어", "토요일에 보기로 했어": done is the deciding, not the day.
    past = (
        bool(_PAST.search(rest))
        and not re.match(r"\s*(?:으로|로|까지)", rest)
        and not re.search(r"기로\s*(?:했|됐|되었)|예정|(?:잡|예약)[가-힣]*\s*(?:놨|했|혔|뒀|됐)", rest)
    )
    try:
        return _resolved(parse, text, at, language, past, evening)
    except (ValueError, OverflowError):
        return None


def _is_this_part(words: str) -> bool:
    return words.lower().startswith("this ") or words in {"정오", "자정"}


def _resolved(parse: _Parse, text: str, at: datetime, language: Language, past: bool, evening: bool) -> Span:
    kinds = parse.kinds
    day: date = at.date()
    granularity: Granularity = "day"
    relative = False
    exact: datetime | None = None
    year_said = False
    if m := kinds.get("year"):
        number = m.group("year_n")
        year = int(number) if number else at.year + _YEARS[re.sub(r"\s+", " ", m.group().lower())]
        day, granularity, relative, year_said = date(year, 1, 1), "year", not number, True
    if m := kinds.get("iso"):
        day, granularity = date(int(m["iso_y"]), int(m["iso_m"]), int(m["iso_d"])), "day"
    elif m := kinds.get("md"):
        month, number = _month_day(m, language)
        if language == "en" and m["md_y"]:
            day, year_said = date(int(m["md_y"]), month, number), True
        else:
            day = date(day.year, month, number) if year_said else _nearest(at.date(), month, number, past)
        granularity = "day"
    elif m := kinds.get("slash"):
        day, granularity = _nearest(at.date(), int(m["sl_m"]), int(m["sl_d"]), past), "day"
    elif m := kinds.get("holiday"):
        month, number = _HOLIDAYS[re.sub(r"\s+", "" if language == "ko" else " ", m.group().lower())]
        day = date(day.year, month, number) if year_said else _nearest(at.date(), month, number, past)
        granularity = "day"
    elif m := kinds.get("day"):
        words = re.sub(r"\s+", "" if language == "ko" else " ", m.group().lower())
        day, granularity, relative = at.date() + timedelta(days=_DAYS[words]), "day", True
    elif m := kinds.get("relweek"):
        monday = at.date() - timedelta(days=at.weekday()) + timedelta(weeks=_RELATIVE[m["rw_r"].lower()])
        relative = True
        if m["rw_w"]:
            day, granularity = monday + timedelta(days=_weekday(m["rw_w"])), "day"
        elif w := kinds.pop("weekday", None):
            day, granularity = monday + timedelta(days=_weekday(w["wd"])), "day"
        elif m["rw_end"]:
            day, granularity = monday + timedelta(days=5), "weekend"
        else:
            day, granularity = monday, "week"
    elif kinds.get("weekend") and not parse.classes & {"date"}:
        saturday = at.date() - timedelta(days=at.weekday()) + timedelta(days=5)
        day = saturday - timedelta(weeks=1) if past and at.weekday() < 5 else saturday
        granularity, relative = "weekend", True
    elif m := kinds.get("shift"):
        exact, granularity = _shifted(m, at, language)
        day, relative = exact.date(), True
    elif m := kinds.get("relmonth"):
        offset = _RELATIVE[m["rm_r"].lower()] if m["rm_r"] else 0
        first = _add_months(at.date().replace(day=1), offset)
        number = m.groupdict().get("rm_d")
        day = first.replace(day=int(number)) if number else first
        granularity, relative = "day" if number else "month", True
    elif m := kinds.get("month"):
        month = int(m["mo_n"]) if language == "ko" else _EN_MONTHS.index(m["mo_n"].lower()) + 1
        day = date(day.year, month, 1) if year_said else _nearest(at.date().replace(day=1), month, 1, past)
        granularity = "month"
    elif m := kinds.get("dom"):
        number = int(m["dom_d"])
        day = at.date().replace(day=number)
        if day < at.date() and not past:
            day = _add_months(at.date().replace(day=1), 1).replace(day=number)
        granularity, relative = "day", True
    if kinds.get("weekend"):
        granularity = "weekend"
    if m := kinds.get("weekday"):
        if not parse.classes & {"date"}:
            day, relative = _weekday_of(m, at.date(), past), True
        granularity = "day"
    day_said = bool(parse.classes & {"date", "weekday", "year"})
    when = exact if exact is not None and granularity == "minute" else datetime(day.year, day.month, day.day, tzinfo=at.tzinfo)
    when, granularity = _with_time(kinds, when, granularity, evening)
    if not day_said:
        granularity = granularity if granularity != "day" else "part"
        if kinds.get("part") and _is_this_part(kinds["part"].group()) and language == "en":
            day_said = relative = True
        elif when < at and not past:
            when += timedelta(days=1)
    start, end = parse.start, parse.end
    return Span(start, end, text[start:end], when, granularity, relative, day_said)


def _with_time(kinds: dict[str, re.Match[str]], when: datetime, granularity: Granularity, evening: bool) -> tuple[datetime, Granularity]:
    """Put the part of the day and the hour, when said, on a day."""
    part_match, hour_match, hm = kinds.get("part"), kinds.get("hour"), kinds.get("hm")
    part = (part_match.groupdict().get("part_w") or part_match.group()).lower() if part_match else None
    day_match = kinds.get("day")
    if day_match and part is None and day_match.group().lower() in {"tonight", "last night"}:
        part = "night"
    if hour_match is None and hm is None:
        if part is None or granularity not in {"day", "minute"}:
            return when, granularity
        exact = part in {"정오", "자정", "noon", "midnight"}
        return when.replace(hour=_PARTS[part], minute=0), "minute" if exact else "part"
    if hm is not None:
        hour, minute, marker = int(hm["hm_h"]), int(hm["hm_m"]), hm.groupdict().get("hm_p")
        sure = hour >= 13 or hour == 0 or len(hm["hm_h"]) == 2
    else:
        assert hour_match is not None
        groups = hour_match.groupdict()
        words = groups["ho_h"] or groups.get("ho_h2") or ""
        hour = int(words) if words.isdigit() else _NATIVE[words]
        minute = 30 if groups.get("ho_half") or groups.get("ho_half2") else int(groups.get("ho_m") or 0)
        marker, sure = groups.get("ho_p"), hour >= 13
    if marker and marker[0].lower() in "ap":
        hour, sure = hour % 12 + (12 if marker[0].lower() == "p" else 0), True
    elif part is not None and hour <= 12:
        late = (
            part in {"오후", "저녁", "afternoon", "evening"}
            or (part in {"낮", "점심", "한낮"} and hour != 11)
            or (part in {"밤", "한밤", "night"} and 6 <= hour < 12)
        )
        hour, sure = hour % 12 + (12 if late else 0), True
    elif not sure:
        # Nobody meets at three in the morning: one to six strike in the afternoon unless said otherwise, seven to eleven too when the text speaks of an evening.
        hour = hour + 12 if hour < 7 or (evening and hour < 12) else hour
    if hour == 24:
        when, hour = when + timedelta(days=1), 0
    return when.replace(hour=hour, minute=minute), "minute" if sure else "clock"


def _month_day(m: re.Match[str], language: Language) -> tuple[int, int]:
    if language == "ko":
        return int(m["md_m"]), int(m["md_d"])
    name = (m["md_m"] or m["md_m2"]).lower()[:3]
    return next(i for i, full in enumerate(_EN_MONTHS, 1) if full.startswith(name)), int(m["md_d"] or m["md_d2"])


def _nearest(today: date, month: int, day: int, past: bool) -> date:
    """The year of a month and day: this one, but "1월 5일" said in December about a plan is next year's."""
    this = date(today.year, month, day)
    if past:
        return this if this <= today else date(today.year - 1, month, day)
    return date(today.year + 1, month, day) if (today - this).days > 90 else this


def _weekday(words: str) -> int:
    return WEEKDAYS.index(words) if words in WEEKDAYS else _EN_WEEKDAYS.index(words.lower())


def _weekday_of(m: re.Match[str], today: date, past: bool) -> date:
    wanted, said = _weekday(m["wd"]), (m["wd_r"] or "").strip().lower()
    monday = today - timedelta(days=today.weekday())
    if said in {"last", "past", "지난", "저번"}:
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    if said:
        return monday + timedelta(weeks=_RELATIVE[said], days=wanted)
    ahead = (wanted - today.weekday()) % 7
    return today - timedelta(days=(today.weekday() - wanted) % 7) if past else today + timedelta(days=ahead)


def _shifted(m: re.Match[str], at: datetime, language: Language) -> tuple[datetime, Granularity]:
    groups = m.groupdict()
    if language == "ko" and groups.get("shift_w"):
        words = groups["shift_w"]
        number, unit = (7, "일") if words == "일주일" else (6, "개월") if words.startswith("반") else (_DAY_COUNTS[words], "일")
    else:
        words, unit = groups["shift_n"] or groups["shift_n2"], groups["shift_u"] or groups["shift_u2"]
        number = int(words) if words.isdigit() else {**_NATIVE, **_EN_NUMBERS}[words.lower()]
    sign = -1 if groups["shift_d"] in {"전", "ago"} else 1
    number *= sign
    if unit in {"분", "minute", "시간", "hour"}:
        delta = timedelta(minutes=number) if unit in {"분", "minute"} else timedelta(hours=number)
        return (at + delta).replace(second=0, microsecond=0), "minute"
    if unit in {"일", "day", "주", "주일", "week"}:
        return at + timedelta(days=number * (1 if unit in {"일", "day"} else 7)), "day"
    months = number * (12 if unit in {"년", "해", "year"} else 1)
    moved = _add_months(at.date(), months)
    return datetime(moved.year, moved.month, moved.day, tzinfo=at.tzinfo), "year" if unit in {"년", "해", "year"} else "month"


def _add_months(day: date, months: int) -> date:
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
