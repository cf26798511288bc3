"""Post-processing by rules (seed 001): what a model wrote becomes an answer as LIRA speaks, while it is being written.

No quotation marks, no role before it, no thoughts, tags, leaked blocks or other markup, one emoji, single spaces, at most SENTENCES sentences, and
polite Korean where the polite ending is exact. A word is let out as soon as it is whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from lira_core.generation.markup import Markup
from lira_core.generation.sentences import parts
from lira_core.languages.ko.politeness import polite

SENTENCES: Final = 3
"""Rule 1 of seed 000 asks for one sentence, its own answers take two (a greeting, empathy and advice); what comes after a third is rambling."""
LONGEST_SENTENCE: Final = 400
"""Characters of a sentence whose ending is looked at: Kiwi reads so many in about a millisecond."""

_LIRA: Final = re.compile(r"^(?:리라|lira|assistant|ai|bot|model|어시스턴트|답변?|answer|reply|response)\s*[:：]\s*", re.I)
_ALONE: Final = re.compile(r"^(?:리라|lira|assistant|model)$", re.I)
_OTHERS: Final = re.compile(r"^(?:사용자|유저|user|human|system|시스템)\s*[:：]", re.I)
_ITEM: Final = re.compile(r"^(?:[-*•·#>]+|-{2,}|\*{3,})$")
_NUMBER: Final = re.compile(r"^\d{1,2}[.)]$")
_MARKS: Final = re.compile(r"\*\*|__|~~|`+|(?<!\d)\*|\*(?!\d)")
_QUOTES: Final = re.compile(r"[\"“”„‟«»「」『』＂]")
_APOSTROPHES: Final = re.compile(r"['‘’＇]")
# One emoji as it is seen: a flag, or signs that joiners, skin tones and selectors make one.
_SIGN: Final = r"[\U0001F300-\U0001F3FA\U0001F400-\U0001FAFF\u2600-\u27BF\u2B50\u2B55][\U0001F3FB-\U0001F3FF\uFE0F\u20E3]*"
_EMOJI: Final = re.compile(rf"[\U0001F1E6-\U0001F1FF]{{2}}|{_SIGN}(?:\u200D{_SIGN})*")
_STOPS: Final = re.compile(r"[.!?…。！？~]+$")


class Tidier:
    """`feed` the pieces, then `finish`: what they return, joined, is the tidy answer, however it was split into pieces.

    `done`: nothing more will come, whatever is fed; who writes may be stopped.
    """

    def __init__(self, sentences: int = SENTENCES) -> None:
        self.done = False
        self._sentences = sentences
        self._markup = Markup()
        self._word = ""  # not whole yet
        self._number = ""  # that of an entry, if a word follows in its line
        self._line_begins = True
        self._entry = False  # the next word begins an entry of a list
        self._quoted = False  # within single quotation marks
        self._emoji = False
        self._ended = 0  # sentences that another one has followed
        self._said = ""  # of the sentence that is being written
        self._last = ""  # word with a letter or a digit, and what came after it

    def feed(self, piece: str) -> str:
        """What can be said by now; empty while a word is not whole."""
        return "".join(self._out(piece))

    def finish(self) -> str:
        """The rest."""
        rest = "".join([*self._characters(self._markup.finish()), self._whole(line_ends=True)])
        self.done = True
        return rest

    def _out(self, piece: str) -> Iterable[str]:
        for char in piece:
            if self.done:
                return
            yield from self._characters(self._markup.feed(char))
            if self._markup.ended:
                yield self._whole(line_ends=True)
                self.done = True

    def _characters(self, text: str) -> Iterable[str]:
        for char in text:
            if not char.isspace():
                self._word += char
            else:
                line_ends = char in "\n\r\u2028\u2029"
                if self._word or line_ends:
                    yield self._whole(line_ends=line_ends)

    def _whole(self, *, line_ends: bool) -> str:
        """The word that is whole now, tidy, with the space before it; empty where nothing of it stays."""
        word, self._word = self._word, ""
        if self.done:
            return ""
        first, self._line_begins = self._line_begins, line_ends
        if word and first:
            if _NUMBER.match(word) and not line_ends:
                self._number = word
                return ""
            if _ITEM.match(word):
                self._entry = self._line_begins = True
                return ""
            word = _QUOTES.sub("", _MARKS.sub("", word))
            if _OTHERS.match(word):
                self.done = True
                return ""
            word = "" if line_ends and not self._last and _ALONE.match(word) else _LIRA.sub("", word)
            if not word:
                self._line_begins = True
                return ""
        number, self._number = self._number, ""
        self._entry = self._entry or bool(number and word)
        return self._said_now(self._clean(word or number), line_ends=line_ends)

    def _clean(self, word: str) -> str:
        word = _QUOTES.sub("", _MARKS.sub("", word))
        return self._one_emoji(self._unquoted(word))

    def _unquoted(self, word: str) -> str:
        """Without single quotation marks; an apostrophe stays ("don't", "parents' house")."""
        out = ""
        for i, char in enumerate(word):
            if not _APOSTROPHES.match(char):
                out += char
                continue
            before, after = word[i - 1 : i], word[i + 1 : i + 2]
            if before.isascii() and before.isalpha() and ((after.isascii() and after.isalpha()) or not self._quoted):
                out += "'"
            else:
                self._quoted = not self._quoted and not before.isalnum()
        return out

    def _one_emoji(self, word: str) -> str:
        def first(match: re.Match[str]) -> str:
            seen, self._emoji = self._emoji, True
            return "" if seen else match[0]

        return _EMOJI.sub(first, word)

    def _said_now(self, word: str, *, line_ends: bool) -> str:
        if not word:
            return ""
        if self._last and parts(self._last, word):
            self._ended += 1
            self._said = ""
            if self._ended >= self._sentences:
                self.done = True
                return ""
        space = (", " if self._entry and self._last[-1].isalnum() else " ") if self._last else ""
        self._entry = False
        if line_ends or _STOPS.search(word):
            word = self._polite(word)
        self._last = word if any(c.isalnum() for c in word) else self._last + word
        self._said += f" {word}"
        return space + word

    def _polite(self, word: str) -> str:
        """The last word of a sentence with a polite ending; what was let out before it stays."""
        said = f"{self._said} {word}".lstrip()
        before = said[: len(said) - len(word)]
        if len(said) > LONGEST_SENTENCE or not any("가" <= c <= "힣" for c in word):
            return word
        made = polite(said)
        return made[len(before) :] if made.startswith(before) else word


def tidy(text: str, sentences: int = SENTENCES) -> str:
    """A whole answer, tidy."""
    tidier = Tidier(sentences)
    return tidier.feed(text) + tidier.finish()
