# ruff: noqa: SIM905 (word lists read better in wide rows)
"""The words by which an English text is found again."""

from __future__ import annotations

import re
import threading
from typing import Final

import snowballstemmer

STOP_TERMS: Final = frozenset(
    "a an the i me my mine you your yours he him his she her hers it its we us our they them their is am are was were be been being do does did "
    "have has had will would can could should may might of in on at to for from by with about as into and or but if then than so not no "
    "what which who whom whose when where why how that this these those there here just really very too also s t m re ve ll d".split()
)
_WORD: Final = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")


class _Stemmers(threading.local):
    """A Snowball stemmer keeps the word it is at in itself, so each thread has its own."""

    def __init__(self) -> None:
        self.english = snowballstemmer.stemmer("english")


_stemmers = _Stemmers()


def terms(text: str) -> list[str]:
    """Lower-cased, stemmed (Snowball) words without stop words, with repeats."""
    words = [w for w in (m.group().removesuffix("'s") for m in _WORD.finditer(text.lower())) if w not in STOP_TERMS]
    return list(_stemmers.english.stemWords(words))
