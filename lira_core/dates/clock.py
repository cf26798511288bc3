"""The part of the day and the hour of an expression."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta

from lira_core.dates.span import Granularity, Words


def with_time(
    kinds: Mapping[str, re.Match[str]], when: datetime, granularity: Granularity, words: Words, *, evening: bool
) -> tuple[datetime, Granularity]:
    """The day with the part of the day and the hour, where they are said."""
    part = _part(kinds)
    stated = _stated(kinds, words)
    if stated is None:
        if part is None or granularity not in {"day", "minute"}:
            return when, granularity
        return when.replace(hour=words.parts[part], minute=0), "minute" if part in words.exact_parts else "part"
    hour, minute, sure = stated
    if not sure and part is not None and hour <= 12:
        after_noon = part in words.late and not (part in {"낮", "점심", "한낮"} and hour == 11)
        hour, sure = hour % 12 + (12 if after_noon or (part in words.nights and 6 <= hour < 12) else 0), True
    elif not sure and (0 < hour < 7 or (evening and hour < 12)):
        # Nobody meets at three in the morning: one to six strike in the afternoon unless said otherwise, seven to eleven too when the text
        # speaks of an evening.
        hour += 12
    if hour == 24:
        when, hour = when + timedelta(days=1), 0
    return when.replace(hour=hour, minute=minute), "minute" if sure else "clock"


def _part(kinds: Mapping[str, re.Match[str]]) -> str | None:
    if part := kinds.get("part"):
        return (part.groupdict().get("part_w") or part.group()).lower()
    return "night" if "day" in kinds and kinds["day"].group().lower() in {"tonight", "last night"} else None


def _stated(kinds: Mapping[str, re.Match[str]], words: Words) -> tuple[int, int, bool] | None:
    """(hour, minute, whether the half of the day is known); None when no hour is said."""
    if m := kinds.get("hm"):
        hour, minute, marker = int(m["hm_h"]), int(m["hm_m"]), m.groupdict().get("hm_p")
        sure = hour >= 13 or hour == 0 or len(m["hm_h"]) == 2
    elif m := kinds.get("hour"):
        found = m.groupdict()
        hour, marker = words.number(found["ho_h"] or found.get("ho_h2") or ""), found.get("ho_p")
        minute = 30 if found.get("ho_half") or found.get("ho_half2") else int(found.get("ho_m") or 0)
        sure = hour >= 13
    else:
        return None
    if marker and marker[0].lower() in "ap":
        return hour % 12 + (12 if marker[0].lower() == "p" else 0), minute, True
    return hour, minute, sure
