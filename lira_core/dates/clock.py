"""The part of the day and the hour of an expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from lira_core.dates.span import Granularity, Words

_SMALL_HOURS: Final = 5
"""Of a night the hours up to here come after midnight; from here on before it ("tonight at 5")."""


def with_time(
    kinds: Mapping[str, re.Match[str]], when: datetime, granularity: Granularity, words: Words, *, evening: bool
) -> tuple[datetime, Granularity, bool]:
    """The day with the part of the day and the hour, where they are said; and whether that hour is one of the night which begins on the day: twelve
    to four of a night are past midnight ("토요일 밤 1시" is Sunday's)."""
    part = _part(kinds)
    stated = _stated(kinds, words)
    if stated is None:
        if part is None or granularity not in {"day", "minute"}:
            return when, granularity, False
        exact = part in words.exact_parts
        midnight = exact and words.parts[part] == 0 and (part in words.nights or _tonight(kinds))
        return when.replace(hour=words.parts[part], minute=0), "minute" if exact else "part", midnight
    hour, minute, sure = stated
    night = hour == 24 or (part in words.nights and hour <= 12 and hour % 12 < _SMALL_HOURS)
    if night:
        hour, sure = hour % 12, True
    elif not sure and part is not None and hour <= 12:
        after_noon = part in words.late and not (part in {"낮", "점심", "한낮"} and hour == 11)
        hour, sure = hour % 12 + (12 if after_noon or (part in words.nights and hour < 12) else 0), True
    elif not sure and (0 < hour < 7 or (evening and hour < 12)):
        # Nobody meets at three in the morning: one to six strike in the afternoon unless said otherwise, seven to eleven too when the text
        # speaks of an evening.
        hour += 12
    return when.replace(hour=hour, minute=minute), "minute" if sure else "clock", night


def _part(kinds: Mapping[str, re.Match[str]]) -> str | None:
    if part := kinds.get("part"):
        return (part.groupdict().get("part_w") or part.group()).lower()
    return "night" if _tonight(kinds) else None


def _tonight(kinds: Mapping[str, re.Match[str]]) -> bool:
    """Whether the word for the day is one for its night."""
    return "day" in kinds and kinds["day"].group().lower() in {"tonight", "last night"}


def _stated(kinds: Mapping[str, re.Match[str]], words: Words) -> tuple[int, int, bool] | None:
    """(hour, minute, whether the half of the day is known); None when no hour is said."""
    if m := kinds.get("hm"):
        hour, minute, marker = int(m["hm_h"]), int(m["hm_m"]), m.groupdict().get("hm_p")
        sure = hour >= 13 or hour == 0 or len(m["hm_h"]) == 2
    elif m := kinds.get("hour"):
        found = m.groupdict()
        hour, marker = words.number(found["ho_h"] or found.get("ho_h2") or ""), found.get("ho_p")
        minute = 30 if found.get("ho_half") or found.get("ho_half2") else int(found.get("ho_m") or 0)
        sure = hour >= 13 or hour == 0
    else:
        return None
    if marker and marker[0].lower() in "ap":
        return hour % 12 + (12 if marker[0].lower() == "p" else 0), minute, True
    return hour, minute, sure
