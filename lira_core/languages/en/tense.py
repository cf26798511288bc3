# ruff: noqa: E501, SIM905 (tables read better in wide rows)
"""Whether an English sentence places a day behind the speaker or before them: by the verb that the day belongs to."""

from __future__ import annotations

import re
from typing import Final

_REGULAR: Final = re.compile(r"(?!(?:hundred|kindred|sacred|naked|wicked|shed|sled)$)[a-z]+[a-df-z]ed")
"""A regular past; "need", "feed" and "speed" are none."""
_IRREGULAR: Final = frozenset(
    """was were wasn't weren't had hadn't did didn't went came became saw gave took made found left lost met won bought brought caught taught fell felt
    kept slept swept wept led fed bled fled sat stood sent spent lent bent built burnt learnt heard ran began drank rang sang sank swam wore tore swore
    broke spoke woke stole froze chose drove rode rose wrote ate forgot forgave drew flew grew threw blew hid bit dug stuck struck stung swung hung spun
    fought sought sold paid laid shook shot slid split got gotten hit hurt quit cut burst shut cost spread""".split()
)
"""The verbs of which the past has a form of its own, and those without one that tell of what happened ("I hit a deer"); not those that are as often
told of every day ("I put the bins out on Thursday")."""
_OTHERWISE: Final = frozenset(
    """said told asked thought knew heard hoped wished wanted needed promised agreed decided planned arranged booked scheduled rescheduled reserved
    invited postponed delayed pushed supposed expected""".split()
)
"""Done is the saying, the wishing, the booking: the day is that of what was said or booked."""
_TO_COME: Final = frozenset("is are am isn't aren't will won't can can't should must may might gonna wanna let's".split())
_WITH: Final = 3
"""So many words before a participle say of what it is one: "having my hair dyed", "is going to be moved"."""
_PERFECT: Final = frozenset("is are am be been being have has having get gets getting haven't hasn't isn't aren't".split())
_ASKED: Final = frozenset("did was were had".split())
"""Before their subject, as in a question."""
_ARTICLES: Final = frozenset("a an another my the some".split())
"""Of "Got a scan on Friday", which somebody has: nothing was got."""
_SUBJECT: Final = frozenset("i we he she they who".split())
_CONTRACTED: Final = re.compile(r"(?:i|you|we|he|she|they|it|that|there|who|what)['’](?:m|re|s|ve|ll|d)")
_WORD: Final = re.compile(r"[a-z]+(?:['’][a-z]+)?")


def is_past(before: str, after: str) -> bool:
    """Of a day between `before` and `after`, the rest of its sentence on either side."""
    if re.search(r"\bsince\s*$", before, re.I):
        return True
    if re.search(r"\b(?:to|for|by)\s*(?:the\s+)?$", before, re.I):  # "moved to Friday", "booked for the 3rd"
        return False
    found = _verb(list(reversed(_words(before))))
    return _first_is_past(_words(after)) if found is None else found


def _verb(words: list[str]) -> bool | None:
    """Of the words before the day, the nearest first: whether the first verb that shows its tense is past, as far as its own subject."""
    for i, word in enumerate(words):
        if word in _TO_COME or word in _OTHERWISE or _CONTRACTED.fullmatch(word):
            return False
        if word == "got" and i + 1 == len(words) and i and words[i - 1] in _ARTICLES:
            return False
        if _past(word):
            near = words[i + 1 : i + 1 + _WITH]
            return not _PERFECT.intersection(near) and not any(map(_CONTRACTED.fullmatch, near))
        if word in _SUBJECT:
            return bool(_ASKED.intersection(words[i + 1 : i + 2]))
    return None


def _first_is_past(words: list[str]) -> bool:
    """Of the words after the day, where nothing before it has a verb: "On Friday I fell"."""
    for i, word in enumerate(words):
        if word in _TO_COME or word in _OTHERWISE or _CONTRACTED.fullmatch(word):
            return False
        if _past(word):
            return not _PERFECT.intersection(words[max(0, i - _WITH) : i])
    return False


def _past(word: str) -> bool:
    return word in _IRREGULAR or _REGULAR.fullmatch(word) is not None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
