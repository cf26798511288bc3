"""Which of the two languages an utterance is in."""

from __future__ import annotations

import re
from typing import Final, Literal

Language = Literal["ko", "en"]
_HANGUL: Final = re.compile("[가-힣ㄱ-ㆎ]")


def language_of(text: str) -> Language:
    """`ko` when any Hangul is in it (Korean writers mix in English words, seldom the reverse), else `en`."""
    return "ko" if _HANGUL.search(text) else "en"
