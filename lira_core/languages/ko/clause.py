# ruff: noqa: SIM905 (tables and patterns read better in wide rows)
"""What a clause is: the frame a verb makes (who, what, where, with whom, when), and the phrases in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from lira_core.dates.span import Span

Case = Literal["topic", "subject", "object", "at", "from", "to", "with", "person", "than", "comp", "by", "like", "bare"]
WH: Final = frozenset("뭐 무엇 뭣 무슨 어느 어떤 언제 어디 누구 누 왜 몇 얼마 얼마나 어떻 어때 어떠하 어떠 뭘 무어 뭔".split())


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase. `text` is without particle, possessive pronoun and modifier; `owner` is whose ("나", "민수", "엄마")."""

    text: str
    case: Case
    particle: str = ""
    owner: str | None = None
    modifier: str = ""
    clause: Clause | None = None
    tags: tuple[str, ...] = ()
    start: int = 0
    end: int = 0

    @property
    def wh(self) -> bool:
        return any(w in WH for w in re.split(r"\s+", self.text)) or self.text.startswith(("무슨", "어느", "어떤", "몇 ", "누구", "어디", "뭐"))


@dataclass(frozen=True, slots=True)
class Clause:
    """One predicate with its phrases. `verb` is the stem ("좋아하", "있", "이" for the copula, "이사하"), "" for a bare noun phrase.

    `noun` is the action noun of a 하다/되다 verb. `ending` is the last ending's form; `final` whether a sentence ends there.
    """

    text: str
    start: int
    end: int
    verb: str
    noun: str
    phrases: tuple[Phrase, ...]
    adverbs: tuple[str, ...]
    ending: str
    final: bool
    sentence: int
    negated: bool = False
    past: bool = False
    flags: frozenset[str] = frozenset()
    dates: tuple[Span, ...] = ()
    repeats: str = ""

    def get(self, *cases: Case) -> Phrase | None:
        """The first phrase in one of the cases, in the order of the cases."""
        return next((p for case in cases for p in self.phrases if p.case == case), None)

    @property
    def asks(self) -> bool:
        """A question word is in it."""
        return any(p.wh for p in self.phrases) or any(a in WH for a in self.adverbs)
