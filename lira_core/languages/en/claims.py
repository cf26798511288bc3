# ruff: noqa: SIM905 (word tables read better in wide rows)
"""Names and numbers of an English text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lira_core.generation.claims import Claims, Name, Number
from lira_core.generation.sentences import split

_ONES: Final = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    )
}
_TENS: Final = {word: 10 * (i + 2) for i, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split())}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "million": 10**6}
_WORDS: Final = "|".join([*_ONES, *_TENS, *_SCALES])
_NUMBER: Final = re.compile(rf"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?(?!\w*\d)|\b(?:{_WORDS})(?:[\s-]+(?:and\s+)?(?:{_WORDS}))*\b", re.I)
_CAPITAL: Final = re.compile(r"(?<![\w'’])[A-Z](?:[^\W가-힣]|-(?=\w))*(?:['’][A-Z]\w*)?")
_NO_NAMES: Final = frozenset("I Mr Mrs Ms Dr Prof St OK".split())


def numbers(text: str) -> tuple[Number, ...]:
    """Every number. English says units after other words ("two black cats"), so none is told."""
    return tuple(
        Number(m.start(), m.end(), value_of(m[0]), None, idle=m[0].lower() == "one") for m in _NUMBER.finditer(text) if any(c.isalnum() for c in m[0])
    )


def names(text: str) -> tuple[Name, ...]:
    """Every word with a capital that does not begin a sentence or a quotation."""
    return tuple(_capitals(text))


CLAIMS: Final = Claims(numbers, names)


def value_of(words: str) -> float:
    """What "1,200", "14th" or "twenty-nine" is."""
    digits = re.match(r"\d[\d,]*(?:\.\d+)?", words)
    if digits:
        return float(digits[0].replace(",", ""))
    total = section = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _SCALES:
            section = max(section, 1) * _SCALES[word]
            total, section = (total + section, 0) if _SCALES[word] >= 1_000 else (total, section)
        else:
            section += _ONES.get(word, 0) + _TENS.get(word, 0)
    return total + section


def _capitals(text: str) -> Iterator[Name]:
    at = 0
    for sentence in split(text):
        for match in _CAPITAL.finditer(sentence):
            begins = not re.search(r"\w", sentence[: match.start()]) or re.search(r"[:\"“]\s*$", sentence[: match.start()])
            if not begins and match[0] not in _NO_NAMES:
                yield Name(at + match.start(), at + match.end(), (match[0],))
        at += len(sentence)
