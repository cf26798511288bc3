"""Which of the two languages an utterance is in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal

Language = Literal["ko", "en"]
_HANGUL: Final = re.compile("[가-힣ㄱ-ㆎ]")


def composed(text: str) -> str:
    """As it is read everywhere here: some systems hand over each Hangul syllable as its letters (NFD), which no pattern and no model knows."""
    return unicodedata.normalize("NFC", text)


def language_of(text: str) -> Language:
    """`ko` when any Hangul is in it (Korean writers mix in English words, seldom the reverse), else `en`."""
    return "ko" if _HANGUL.search(text) else "en"


def language_of_turn(text: str, before: Sequence[str]) -> Language:
    """That of the utterance; where it has no letters ("👍"), that of what the user said `before` (oldest first), else Korean."""
    spoken = next((one for one in (text, *reversed(before)) if any(c.isalpha() for c in one)), None)
    return "ko" if spoken is None else language_of(spoken)
