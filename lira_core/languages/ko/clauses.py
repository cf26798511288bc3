# ruff: noqa: SIM905 (tables and patterns read better in wide rows)
"""Clauses: a Korean text as the frames its verbs make (who, what, where, with whom, when), read off Kiwi's morphemes.

Not a parser of everything: phrases go to the nearest verb, a relative clause becomes its noun's `modifier`, auxiliaries become flags.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lira_core.languages.ko.clause import WH, Case, Clause, Phrase
from lira_core.languages.ko.named import OF_NAME
from lira_core.languages.ko.phrases import clean
from lira_core.languages.ko.predicates import CASES, Predicates, nominal
from lira_core.languages.people import KIN

__all__ = ["WH", "Case", "Clause", "Phrase", "clauses", "clean", "nominal"]

_NOUNS: Final = frozenset({"NNG", "NNP", "NP", "NR", "SN", "SL", "SH", "XPN", "XSN", "NNB", "MM", "XR", "SW", "SO", "W_SERIAL", "W_EMAIL", "UN"})
# Kiwi leaves the copula out after a vowel ("초코야", "보리예요").
_COPULA_ENDINGS: Final = frozenset({"야", "예요", "에요", "여요", "여", "죠", "지", "지요", "ᆸ니다"})
_TIME_WORDS: Final = frozenset("요즘 요새 지금 예전 옛날 최근 이제 평소 이번 나중 아까 방금 현재 원래 조만간 그동안 당분간 젤 맨날 혼자".split())


def clauses(text: str, at: datetime) -> tuple[Clause, ...]:
    """The clauses of a text, in order."""
    return _Reader(text, at).read()


class _Reader(Predicates):
    """From the first morpheme to the last."""

    def read(self) -> tuple[Clause, ...]:
        i = 0
        while i < len(self.tokens):
            i = self._step(i)
        self._close_fragment()
        return tuple(self.out)

    def _step(self, i: int) -> int:
        token, tag = self.tokens[i], self._tag(i)
        if self._skipped(token):
            return self._date(i)
        if (self.b.nouns or self.b.phrases) and self._after_a_laugh(i):
            self._close_fragment()
            self.sentence += 1
        if self.b.start < 0 and tag not in {"SF", "SP", "SS", "SE"}:
            self.b.start = token.start
        if tag in {"SF", "SE"} or "\n" in self.text[token.start : token.start + token.len]:
            self._close_fragment()
            self.sentence += 1
            return i + 1
        if tag in {"SP", "SSO", "SSC", "SS"}:
            if tag in {"SP", "SSO"}:
                self._end_phrase("topic" if token.form == ":" else "bare", "")
                if token.form == "," and self._says_enough() and self._starts_subject(i + 1):
                    self._close_fragment()
            return i + 1
        if tag[0] == "J" or tag in {"EF", "EC"}:
            return self._particle(i)
        if tag in {"VV", "VA", "VX", "VCP", "VCN", "XSV", "XSA"}:
            return self._predicate(i)
        return self._word(i)

    def _date(self, i: int) -> int:
        """A date belongs to the clause, not to its noun phrases; so does the particle that follows it."""
        self._end_phrase("bare", "")
        if self.b.start < 0:
            self.b.start = self.tokens[i].start
        while i < len(self.tokens) and self._skipped(self.tokens[i]):
            i += 1
        while (
            self._tag(i) in {"JKB", "JX", "JKG"}
            or (self._form(i) == "이" and self.tokens[i].start == self._end_of(i - 1))
            or (self._tag(i) == "NNB" and self._form(i) in {"쯤", "경", "날", "정도"})
        ):
            i += 1
        return i

    def _particle(self, i: int) -> int:
        """A particle ends a phrase; it or an ending without a verb can be a copula that is left out ("초코야")."""
        token, tag = self.tokens[i], self._tag(i)
        if tag == "JKG":
            self._genitive()
            return i + 1
        if tag in {"JKV", "JX"} and token.form in {"야", "이야"} and self.b.nouns and self._at_end(i + 1):
            return self._predicate(i, copula=True)
        if tag == "EF" and self.b.nouns and token.form in _COPULA_ENDINGS:
            return self._predicate(i, copula=True)
        if tag == "EC" and token.form == "고" and self.b.nouns:
            return self._predicate(i, copula=True)
        if tag == "JC":
            self._end_phrase("with", token.form)
        elif tag[0] == "J" and self.b.nouns:
            self._end_phrase("comp" if tag == "JKC" else CASES.get(token.form, "bare"), token.form)
        return i + 1

    def _word(self, i: int) -> int:
        token, tag = self.tokens[i], self._tag(i)
        if tag in {"MAG", "MAJ"}:
            self._end_phrase("bare", "")
            self.b.adverbs.append(token.form)
            return i + 1
        if tag == "IC" or (tag == "XSN" and token.form == "들"):
            return i + 1
        if tag == "XSN" and self.b.nouns and self.b.nouns[-1].tag == "NNP":
            if token.form == "이" and OF_NAME.match(self.text, token.start):
                self._genitive()
                return i + 1
            if token.form == "이":
                return i + 1
            if token.form == "네" and self._tag(i + 1) in {"NNG", "NNP"}:
                self._genitive()
                return i + 1
        if token.form in _TIME_WORDS and tag in {"NNG", "NNP", "NP"} and self._tag(i + 1) != "XSN":
            self._end_phrase("bare", "")
            self.b.adverbs.append(token.form)
            i += 1
            while self._tag(i)[:1] == "J":
                i += 1
            return i
        if tag in _NOUNS:
            self._noun(i)
        return i + 1

    def _after_a_laugh(self, i: int) -> bool:
        """Whether a laugh, tears or an emoji stand before the token: they end a sentence as a full stop does."""
        end = self.tokens[i - 1].start + self.tokens[i - 1].len if i else 0
        gap = self.said[end : self.tokens[i].start]
        return len(gap) > 1 and bool(re.search(r"[ㅋㅎㅠㅜ\U0001F000-\U0001FAFF]", gap))

    def _says_enough(self) -> bool:
        """Whether the phrases so far are a statement without a verb ("아들 민재가 고2")."""
        return len(self.b.phrases) > 1 and self.b.phrases[-1].case == "bare" and any(p.case in {"subject", "topic"} for p in self.b.phrases[:-1])

    def _starts_subject(self, i: int) -> bool:
        """Whether somebody's name or word comes next with a particle of a subject ("딸 수아가")."""
        j = i
        while self._tag(j) in _NOUNS and j < i + 4:
            j += 1
        return j > i and (self._form(i) in KIN or self._tag(j - 1) == "NNP") and (self._tag(j) == "JKS" or self._form(j) in {"은", "는"})
