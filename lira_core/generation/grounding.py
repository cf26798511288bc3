"""What an answer says that nothing supports: names, places, dates, times and numbers that were neither told nor asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Final

from lira_core.generation.claims import Claims, Name, Number
from lira_core.generation.dated import dated as in_absolute_words
from lira_core.generation.moments import Moments
from lira_core.generation.port import Prompt
from lira_core.languages.en.claims import CLAIMS as EN
from lira_core.languages.ko.claims import CLAIMS as KO
from lira_core.memory.following import whole

FRAME: Final = "리라 LIRA AI 인공지능 OK 109 119 112 1577-0199 988 911"
"""What any answer may name: LIRA itself, and where to turn in need (Korea's lines, 988 and 911 of the United States)."""
SHORT: Final = 2
"""A name of fewer characters ("Y", "O") is looked for as a word."""
# "O형" has the words O and 형, "m3" m and 3.
_WORD: Final = re.compile(r"[a-z]+|\d+|[^\W\da-z_]+")
_LATIN: Final = re.compile(r"[A-Za-z]")
_HANGUL: Final = re.compile(r"[가-힣]")


@dataclass(frozen=True, slots=True)
class Source:
    """What was said, and when: "내일" in it is the day after."""

    text: str
    at: datetime


def sources(prompt: Prompt) -> tuple[Source, ...]:
    """All that an answer to the prompt may rest on."""
    said = [Source(text, prompt.at) for text in (prompt.text, prompt.summary, *(m.content for m in prompt.history)) if text]
    for memory in (one.memory for one in prompt.recalled):
        said.append(Source(whole(memory), memory.timestamp))
        # A plan that was changed keeps what the change did not say again: that stands in the fact alone.
        facts = [" ".join(filter(None, (f.object, f.when_text, f.place, *f.people))) for f in memory.facts]
        said += [Source(fact, memory.timestamp) for fact in facts if fact]
    return tuple(said)


def unsupported(answer: str, sources: Sequence[Source], at: datetime) -> tuple[str, ...]:
    """What an answer given `at` says that none of its sources does, as `Grounds` finds it."""
    return Grounds(sources, at).unsupported(answer)


class Grounds:
    """What the sources of an answer name, count and date: made once, asked of each of its sentences."""

    def __init__(self, sources: Sequence[Source], at: datetime) -> None:
        self._at = at
        self._moments = Moments((source.text, source.at) for source in sources)
        # As a prompt shows them, too: "next year" is 2027 there.
        shown = (text for s in sources for text in (s.text, in_absolute_words(s.text, s.at, at)))
        self._texts = list(dict.fromkeys([FRAME, *shown]))
        self._plain = [_plain(text) for text in self._texts]
        self._words = {word for text in self._texts for word in _WORD.findall(_folded(text))}

    def unsupported(self, answer: str) -> tuple[str, ...]:
        """The names, places, dates, times and numbers of an answer, or of a sentence of it, that stand in no source: in order, as written.

        In English a name that begins a sentence cannot be told from another word, and is not looked at.
        """
        dated = self._moments.checked(answer, self._at)
        claims = _claims(answer)
        names = [name for name in claims.names(answer) if not _within(name, dated)]
        taken = [*dated, *((name.start, name.end) for name in names)]
        numbers = [number for number in claims.numbers(answer) if not number.idle and not _within(number, taken)]
        bad = [span for span, told in dated.items() if not told]
        bad += [(name.start, name.end) for name in names if not self._names(name)]
        bad += [(number.start, number.end) for number in numbers if not self._counts(number, answer[number.start : number.end])]
        return tuple(dict.fromkeys(answer[start:end].strip() for start, end in sorted(bad)))

    def _names(self, name: Name) -> bool:
        """Whether one of its forms stands in a text: a short one as a word, a longer one however it is spaced ("서울 대학교")."""
        plain = [_plain(form) for form in name.forms]
        return not plain[0] or any(form in self._words or (len(form) >= SHORT and any(form in text for text in self._plain)) for form in plain)

    def _counts(self, number: Number, written: str) -> bool:
        """Whether a text has the number, of the same unit where both have one, or the words in which it is `written`."""
        if not any(c.isdigit() for c in written) and any(_plain(written) in text for text in self._plain):
            return True
        return any(one.value == number.value and (one.unit is None or number.unit in {None, one.unit}) for one in self._numbers)

    @cached_property
    def _numbers(self) -> list[Number]:
        return [one for text in self._texts for one in _claims(text).numbers(text)]


def _claims(text: str) -> Claims:
    """Those of the language that most of it is in ("You said: 김밥" is English); a syllable counts for two letters."""
    return KO if len(_HANGUL.findall(text)) * 2 >= len(_LATIN.findall(text)) else EN


def _within(claim: Name | Number, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < claim.end and claim.start < end for start, end in spans)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _plain(text: str) -> str:
    """Letters and digits alone."""
    return "".join(c for c in _folded(text) if c.isalnum())
