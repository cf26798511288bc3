"""Noun phrases while a clause is put together, and the clause once it is whole."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from kiwipiepy import Token

from lira_core.dates.finding import find_all
from lira_core.languages.ko.clause import WH, Case, Clause, Phrase
from lira_core.languages.ko.named import named_tokens
from lira_core.languages.people import KIN

_LONGEST_KIN: Final = max(map(len, KIN))
_PARTICLE: Final = re.compile(r"[가-힣]{0,3}")
_NOISE: Final = re.compile(r"[ㄱ-ㅎㅏ-ㅣ]{1,}|[\U0001F000-\U0001FAFF☀-➿️‍]|\^\^|:\)|~+|…|\.{2,}")


@dataclass(slots=True)
class Building:
    """A clause of which more is to come."""

    phrases: list[Phrase] = field(default_factory=list)
    adverbs: list[str] = field(default_factory=list)
    nouns: list[Token] = field(default_factory=list)
    owner: str | None = None
    modifier: str = ""
    inner: Clause | None = None
    start: int = -1


def clean(text: str) -> str:
    """The text with emoji blanked, and laughs, tears and trailing waves as full stops; every other character where it was."""
    return _NOISE.sub(lambda m: ("." if m.group()[0] in "….~" or re.match(r"[ㅋㅎㅠㅜ]{2}", m.group()) else " ") + " " * (len(m.group()) - 1), text)


class Phrases:
    """Collects nouns to phrases, and phrases to clauses; `self.b` is what is under way."""

    def __init__(self, text: str, at: datetime) -> None:
        self.said = text
        self.text = clean(text)
        self.spans, self.repeated = find_all(self.text, at)
        self.starts = [s.start for s in self.spans]
        self.repeated_starts = [start for start, _ in self.repeated]
        # One mark a character: to look through all dates for each morpheme would take their product.
        self.dated = bytearray(len(self.text) + 1)
        for start, end in (*((s.start, s.end) for s in self.spans), *self.repeated):
            self.dated[start:end] = b"\x01" * (end - start)
        self.tokens = [t for t in named_tokens(self.text) if t.len or t.tag[0] in "EJVX"]
        self.out: list[Clause] = []
        self.sentence = 0
        self.b = Building()
        self.verb_start = 0

    def _skipped(self, token: Token) -> bool:
        return bool(self.dated[token.start])

    def _tag(self, i: int) -> str:
        return str(self.tokens[i].tag).split("-")[0] if i < len(self.tokens) else ""

    def _form(self, i: int) -> str:
        return str(self.tokens[i].form) if i < len(self.tokens) else ""

    def _end_of(self, i: int) -> int:
        if i >= len(self.tokens):
            return len(self.text)
        # Contracted endings share their character with the stem.
        return min(len(self.text), int(self.tokens[i].start + self.tokens[i].len))

    def _noun(self, i: int) -> None:
        token, tag = self.tokens[i], self._tag(i)
        spaced = bool(self.b.nouns) and token.start > self.b.nouns[-1].start + self.b.nouns[-1].len
        if token.form in {"우리", "저희"} or (tag == "MM" and token.form in {"내", "네", "니", "울"} and self._tag(i + 1) != "NNB"):
            self._end_phrase("bare", "")
            if self._tag(i + 1)[:1] == "J" and self._tag(i + 1) != "JKG":
                self.b.nouns = [token]
            else:
                self.b.owner = "너" if token.form in {"네", "니"} else "나"
            return
        if token.form in {"나", "저", "너", "난", "전"} and tag in {"NP", "MM"}:
            self._end_phrase("bare", "")
            self.b.nouns = [token]
            if self._tag(i + 1)[:1] != "J":
                self._end_phrase("bare", "")
            return
        if spaced and tag in {"NNG", "NNP"} and len(self.b.nouns) <= _LONGEST_KIN and self.b.nouns[0].tag != "MM":
            kin = "".join(t.form for t in self.b.nouns)
            if kin in KIN:
                # "엄마 생신", "동생 혈액형": whose it is. The reader of the clause decides whether it is a subject instead ("엄마 커피 좋아해").
                self.b.owner, self.b.nouns = kin, []
        if self.b.nouns and (token.form in WH and tag in {"NP", "MM"}):
            self._end_phrase("bare", "")
        self.b.nouns.append(token)

    def _genitive(self) -> None:
        nouns = self.b.nouns
        if not nouns:
            return
        text = self._surface(nouns)
        self.b.nouns = []
        self.b.owner = "나" if text in {"나", "저", "내", "제", "우리", "저희"} else text

    def _surface(self, nouns: list[Token]) -> str:
        raw = self.text[nouns[0].start : nouns[-1].start + nouns[-1].len].strip()
        last = str(nouns[-1].form)
        # A contracted particle ("난", "이건") has no length of its own: the form says where the noun ends.
        if len(nouns) == 1 and len(last) < len(raw) + 1 and not raw.endswith(last) and re.fullmatch(r"[가-힣]+", last):
            return last
        return re.sub(r"\s+", " ", raw)

    def _end_phrase(self, case: Case, particle: str) -> None:
        b = self.b
        if not b.nouns:
            if b.owner and case != "bare":
                b.phrases.append(Phrase(b.owner, case, particle, None, b.modifier, b.inner))
                b.owner, b.modifier, b.inner = None, "", None
            return
        text = self._surface(b.nouns)
        if text in {"저", "내", "제", "난", "전"} and len(b.nouns) == 1:
            text = "나"
        b.phrases.append(
            Phrase(
                text,
                case,
                particle,
                b.owner,
                b.modifier,
                b.inner,
                tuple(t.tag for t in b.nouns),
                b.nouns[0].start,
                b.nouns[-1].start + b.nouns[-1].len,
            )
        )
        b.nouns, b.owner, b.modifier, b.inner = [], None, "", None

    def _close_fragment(self) -> None:
        self._end_phrase("bare", "")
        b = self.b
        if b.phrases or b.adverbs or (b.start >= 0 and self.starts and self.starts[-1] >= b.start):
            end = self.tokens[-1].start + self.tokens[-1].len if self.tokens else 0
            end = max((p.end for p in b.phrases), default=end)
            particle = _PARTICLE.match(self.text, end)
            end = particle.end() if particle else end
            before = bisect_left(self.starts, self.out[-1].start) if self.out else len(self.starts)
            if before and self.starts[before - 1] >= b.start:
                end = max(end, self.spans[before - 1].end)
            self._emit("", "", "", True, max(end, b.start), frozenset(), negated=False, past=False)
        self.b = Building()

    def _emit(self, verb: str, noun: str, ending: str, final: bool, end: int, flags: frozenset[str], *, negated: bool, past: bool) -> Clause:
        b = self.b
        start = max(b.start, 0)
        mine = self.spans[bisect_left(self.starts, start) : bisect_left(self.starts, max(end, start + 1))]
        again = self.repeated[bisect_left(self.repeated_starts, start) : bisect_left(self.repeated_starts, end)] if end > start else ()
        repeats = " ".join(self.text[a:z].strip() for a, z in again)
        negated = negated or any(a in {"안", "못"} for a in b.adverbs)
        clause = Clause(
            self.text[start:end].strip(), start, end, verb, noun, tuple(b.phrases), tuple(b.adverbs), ending, final, self.sentence,
            negated, past, flags, mine, repeats,
        )  # fmt: skip
        self.out.append(clause)
        return clause
