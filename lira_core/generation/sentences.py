"""Where a sentence of an answer ends, also while the answer is still being written."""

from __future__ import annotations

import re
from typing import Final

_ENDS: Final = re.compile(r"[.!?…。！？][^\w,;:]*$")
_TITLES: Final = re.compile(r"(?:^|\W)(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr)\.$")
_NUMBERED: Final = re.compile(r"\d\.$")
_SEEN: Final = 40
"""Characters before a word that are looked at: an end and the signs after it, however many others follow."""


def parts(before: str, after: str) -> bool:
    """Whether a sentence ends between what stands `before` and the word `after`: "e.g. this", "5. 3" and an emoji begin none."""
    before = before[-_SEEN:]
    if not _ENDS.search(before) or _TITLES.search(before) or not after[:1].isalnum():
        return False
    return not _NUMBERED.search(before) if after[0].isdigit() else not after[0].islower()


class Sentences:
    """Cuts a stream into sentences, each with the space after it: joined they are what was fed, however it was split."""

    def __init__(self) -> None:
        self._held = self._space = ""

    def feed(self, piece: str) -> list[str]:
        """The sentences that are known to have ended."""
        out = []
        for char in piece:
            if char.isspace():
                self._space += char
                continue
            so_far, begins = self._held + self._space, bool(self._space) and parts(self._held, char)
            if begins:
                out.append(so_far)
            self._held, self._space = char if begins else so_far + char, ""
        return out

    def finish(self) -> str:
        """The rest, empty where there is none."""
        rest, self._held, self._space = self._held + self._space, "", ""
        return rest


def split(text: str) -> list[str]:
    """The sentences of a whole text, joined they are the text."""
    stream = Sentences()
    return [one for one in (*stream.feed(text), stream.finish()) if one]
