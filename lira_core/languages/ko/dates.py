# ruff: noqa: E501 (patterns read better in wide rows)
"""Korean dates: how they are written, and how they are said."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from lira_core.dates.span import Granularity, Words

_REL: Final = r"(?:다다음|다음|담|이번|요번|지지난|지난|저저번|저번)"
_NUM: Final = r"(?:(?<!\d)\d{1,3}|열한|열두|다섯|여섯|일곱|여덟|아홉|한|두|세|네|열|일|이|삼|사|오|육|칠|팔|구|십)"
_HOUR: Final = r"(?:\d{1,2}|열한|열두|다섯|여섯|일곱|여덟|아홉|한|두|세|네|열)"
_ONES: Final = "일이삼사오육칠팔구"
_SAID: Final = {tens + one: 10 * i + n for i, tens in enumerate(("", "십", "이십", "삼십")) for n, one in enumerate(("", *_ONES)) if tens + one}
"""Numbers as they are said, 1 to 39: who dictates, or types as they speak, writes "십일월 이십일"."""
_MONTH_SAID: Final = r"(?<![가-힣])(?:십[일이]|[일이삼사오육유칠팔구시십])"
_DAY_SAID: Final = rf"(?:(?:[이삼]?십)?[{_ONES}]|[이삼]?십)"
_NOT_THE_NTH: Final = r"(?<!째)(?<!째\s)(?<!째주\s)(?<!째\s주\s)(?<!마지막\s)(?<!마지막주\s)(?<!마지막\s주\s)"
"""Of a weekday: "5월 셋째 토요일" is the third of that month, not the one to come; it is told as it was said."""
_DOM: Final = r"3[01]|[12]\d|[1-9]"
_PATTERN: Final = re.compile(
    rf"""
    (?P<repeat>(?:매일|매주|매달|매월|매년|격주|(?P<rp_w>평일)|해마다|날마다)(?:\s*(?:(?P<rp_n>첫|둘|두|셋|세|넷|네|마지막)(?:째|\s*번째)?(?:\s*주)?\s*(?P<rp_nw>[월화수목금토일])(?:요일|욜)
               |(?P<rp_d>[월화수목금토일](?:요일)?(?:[,·\s]*[월화수목금토일]요일)*|주말)|(?P<rp_m>\d{{1,2}})일))?
               (?:\s*(?:에|마다))?(?:\s*(?:새벽|아침|오전|점심|낮|오후|저녁|밤))?(?:마다|에)?(?:\s*{_HOUR}\s*시(?:\s*(?:반|\d{{1,2}}\s*분))?)?
               |주말(?:에는|에|엔)?\s*(?=거의|주로|보통|항상|늘|자주|맨날)|(?:하루|일주일|한\s*달|일\s*년|1년|주)에\s*(?:{_NUM}|몇|여러)\s*(?:번|잔|시간|회|끼|갑|병|개|알|권|편)씩?|주\s*\d\s*회
               |(?:(?P<rp_d2>[월화수목금토일]요일|[월화수목금토일](?:[월화수목금토일,·]+)|주말)|아침|저녁|밤|새벽)\s*마다(?:\s*(?:오전|오후|저녁|아침|새벽|밤))?(?:\s*{_HOUR}\s*시(?:\s*반)?)?)
  | (?P<iso>(?<!\d)(?P<iso_y>\d{{4}})[-./](?P<iso_m>\d{{1,2}})[-./](?P<iso_d>\d{{1,2}})(?!\d))
  | (?P<shift>(?:(?P<shift_n>{_NUM})\s*(?P<shift_u>일|주일|주|개월|달|년|해|시간|분)|(?P<shift_w>하루|이틀|사흘|나흘|닷새|엿새|열흘|보름|일주일|반년|반\s*년))
               (?:\s*정도|쯤)?\s*(?P<shift_d>뒤|후|있다가|이따가|전)(?!화|공|문|기|체|시|반|자|주|혀|국|부|쟁|세))
  | (?P<year>(?<![가-힣])(?:내후년|재작년|지난해|올해|금년|내년|작년)|(?<!\d)(?P<year_n>(?:19|20)\d{{2}})\s*년(?!생|도생))
  | (?P<md>(?<![\d])(?P<md_m>\d{{1,2}}|{_MONTH_SAID})\s*월\s*(?P<md_d>\d{{1,2}}|{_DAY_SAID})\s*일(?!조|\s*(?:동안|간))(?P<md_w>\s*\(?[월화수목금토일]\)?(?=[\s에)]))?)
  | (?P<slash>(?<![\d/.])(?P<sl_m>1[0-2]|0?[1-9])/(?P<sl_d>3[01]|[12]\d|0?[1-9])(?![\d/]))
  | (?P<nth>(?<![\d가-힣])(?:(?P<nth_m>1[0-2]|[1-9])\s*월|(?:(?P<nth_r>{_REL})\s*달|이달))(?:의|에)?\s*
            (?:(?P<nth_n>(?:[둘셋넷두세네]|다섯|[1-5])(?:째|\s*번째)(?:\s*주)?|[1-5]\s*주차|(?:첫|마지막)(?:째|\s*번째)?(?:\s*주)?)\s*(?P<nth_w>[월화수목금토일])(?:요일|욜)|(?P<nth_n2>첫|마지막)\s*날))
  | (?P<relmonth>(?<![가-힣])(?:(?P<rm_r>{_REL})\s*달|이달)(?!리|라|력|걀|콤)(?:\s*(?P<rm_d>\d{{1,2}})\s*일)?)
  | (?P<month>(?<!\d)(?P<mo_n>1[0-2]|[1-9])\s*월(?!요일|급|세|\s*\d))
  | (?P<relweek>(?<![가-힣])(?P<rw_r>{_REL})\s*주(?:\s*(?P<rw_end>말)|\s*(?P<rw_w>[월화수목금토일])(?:요일|욜|(?=[\s에,(]|$)))?(?![말문제차장인]))
  | (?P<weekend>(?<![가-힣])주말(?!마다|농장|드라마))
  | (?P<weekday>{_NOT_THE_NTH}(?P<wd_r>(?:{_REL})\s*)?(?P<wd>[월화수목금토일])(?:요일|욜)(?:날(?![가-힣])|날(?=[은에이도]))?)
  | (?P<day>(?<![가-힣])(?:내일\s?모레|오늘|금일|내일|낼|모레|그글피|글피|어저께|어젯(?=밤)|어제|그저께|엊그저께|엊그제|엊(?=저녁)|그제(?!서|야)))
  | (?P<holiday>새해\s?첫날|신정|빼빼로데이|핼러윈|크리스마스\s?이브|크리스마스|성탄절|어린이날|어버이날|스승의\s?날|현충일|광복절|개천절|한글날|발렌타인데이|화이트데이|삼일절)
  | (?P<dom>(?<![\d월년가-힣.])(?P<dom_d>{_DOM}|[이삼]십[{_ONES}]?|십[{_ONES}])\s*일(?:\s*\([월화수목금토일](?:요일)?\)|(?=에(?!서)|엔|로(?!\s*동안)|날|까지|부터|\s*(?:오전|오후|아침|저녁|새벽|점심|낮|밤|정오|자정|{_HOUR}\s*시(?!간)|[월화수목금토일](?:요일|욜))))
            |(?:(?<=요일\s)|(?<=욜\s)|(?<=요일)|(?<=욜))(?P<dom_d2>{_DOM})\s*일(?![가-힣]|\s*(?:동안|간))|(?:(?<=요일\s)|(?<=욜\s))(?P<dom_d3>{_DOM})\s*일(?=[은이날])
            |(?:(?<=요일\()|(?<=욜\())(?P<dom_d4>{_DOM})\s*일\))
  | (?P<hm>(?<![\d:])(?P<hm_h>[01]?\d|2[0-4]):(?P<hm_m>[0-5]\d)(?![\d:]))
  | (?P<hour>(?<![\d가-힣])(?P<ho_h>{_HOUR})\s*시(?!간|절|험|작|장|청|내|민|스|계|도|즌|리|급|골|끄|원|대|들|크)(?:\s*(?P<ho_half>반)(?![가-힣])|\s*(?P<ho_half2>반)(?=에|쯤|까지|부터|으로|이|인|임|경)|\s*(?P<ho_m>\d{{1,2}})\s*분)?)
  | (?P<part>새벽|아침|오전|점심|한낮|낮|오후|저녁|한밤|밤|정오|자정)
    """,
    re.X,
)
_PARTS: Final = {
    "새벽": 4, "아침": 8, "오전": 10, "점심": 12, "낮": 13, "한낮": 13, "오후": 15, "저녁": 19, "밤": 21, "한밤": 23, "정오": 12, "자정": 0,
}  # fmt: skip
"""The hour that stands for a part of the day: where its middle lies in ordinary speech."""


def _say_day(when: datetime, granularity: Granularity, now: datetime) -> str:
    if granularity == "minute" and when.hour == 0:
        when -= timedelta(days=1)  # "27일 밤 12시" is where the 28th begins
    year = f"{when.year}년 " if when.year != now.year else ""
    day = f"{year}{when.month}월 {when.day}일"
    if granularity == "year":
        return f"{when.year}년"
    if granularity == "month":
        return f"{year}{when.month}월"
    if granularity in {"week", "weekend"}:
        return f"{day}이 있는 주" if granularity == "week" else f"{day} 주말"
    return f"{day} {WORDS.weekdays[when.weekday()]}요일"


def _say_time(when: datetime, granularity: Granularity) -> str:
    hour = when.hour
    if granularity == "part":
        return min((part for part in _PARTS if part not in WORDS.exact_parts), key=lambda part: abs(_PARTS[part] - hour))
    half = "밤" if hour == 0 else "새벽" if hour < 6 else "오전" if hour < 12 else "오후"
    return f"{'' if granularity == 'clock' else half + ' '}{hour % 12 or 12}시{f' {when.minute}분' if when.minute else ''}"


# A syllable that ends in ㅆ has the past in it, but 있 and 겠.
_PASSED: Final = "".join(chr(code) for code in range(0xAC00, 0xD7A4) if (code - 0xAC00) % 28 == 20 and chr(code) not in "있겠")
_PAST: Final = re.compile(rf"[{_PASSED}](?:어|다|지|는|던|고|음|습|네|잖|대|더|을|거)")
# Done is the promising, the booking, the calling off; the day is yet to come.
_LATER: Final = re.compile(
    r"\s*(?:으로|로|까지)|.*(?:기로\s*(?:했|됐|되었)|예정|(?:잡|예약)[가-힣]*\s*(?:놨|했|혔|뒀|됐))"
    r"|(?:(?!는데|지만).)*(?:(?:취소|연기|무산|보류)[가-힣]*\s*(?:했|됐|되었)|없던\s*일로|미뤘|미뤄졌|밀렸)"
)


def _is_past(_: str, after: str) -> bool:
    """The verb stands at the end."""
    return bool(_PAST.search(after)) and not _LATER.match(after)


WORDS: Final = Words(
    pattern=_PATTERN,
    join=re.compile(r"(?:날|에|의|은|는|쯤|,|\(|\)|\s){0,4}"),
    gap="",
    weekdays=tuple("월화수목금토일"),
    months=(),
    numbers={
        "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "열한": 11, "열두": 12,
        **_SAID, "유": 6, "시": 10,
    },
    units={
        "분": "minute", "시간": "hour", "일": "day", "주": "week", "주일": "week", "개월": "month", "달": "month", "년": "year", "해": "year",
    },
    ago="전",
    days={
        "오늘": 0, "금일": 0, "내일모레": 2, "내일": 1, "낼": 1, "모레": 2, "글피": 3, "그글피": 4, "어제": -1, "어저께": -1, "그제": -2, "그저께": -2,
        "엊그제": -2, "엊그저께": -2, "어젯": -1, "엊": -1,
    },
    counts={
        "하루": (1, "day"), "이틀": (2, "day"), "사흘": (3, "day"), "나흘": (4, "day"), "닷새": (5, "day"), "엿새": (6, "day"), "열흘": (10, "day"),
        "보름": (15, "day"), "일주일": (7, "day"), "반년": (6, "month"),
    },
    weeks={"다다음": 2, "다음": 1, "담": 1, "이번": 0, "요번": 0, "지난": -1, "저번": -1, "지지난": -2, "저저번": -2},
    years={"올해": 0, "금년": 0, "내년": 1, "내후년": 2, "작년": -1, "지난해": -1, "재작년": -2},
    parts=_PARTS,
    late=frozenset({"오후", "저녁", "낮", "점심", "한낮"}),
    nights=frozenset({"밤", "한밤", "자정"}),
    exact_parts=frozenset({"정오", "자정"}),
    ordinals={
        "첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "마지막": -1, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5,
    },
    holidays={
        "새해첫날": (1, 1), "신정": (1, 1), "빼빼로데이": (11, 11), "핼러윈": (10, 31), "크리스마스이브": (12, 24), "크리스마스": (12, 25),
        "성탄절": (12, 25), "어린이날": (5, 5), "어버이날": (5, 8), "스승의날": (5, 15), "현충일": (6, 6),
        "광복절": (8, 15), "개천절": (10, 3), "한글날": (10, 9), "발렌타인데이": (2, 14), "화이트데이": (3, 14), "삼일절": (3, 1),
    },
    through=re.compile(r"\s*(?:부터|[~∼–-])\s*"),  # not 에서: "3일에서 5일로" is put off
    past=_is_past,
    evening=re.compile(r"저녁|퇴근|회식|술|야식"),
    say_day=_say_day,
    say_time=_say_time,
)  # fmt: skip
