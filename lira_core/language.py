"""Which of the two languages an utterance is in."""

from __future__ import annotations

from typing import Literal

Language = Literal["ko", "en"]


def language_of(text: str) -> Language:
    """`ko` when any Hangul is in it (Korean writers mix in English words, seldom the reverse), else `en`."""
    return "ko" if any("가" <= c <= "힣" or "ㄱ" <= c <= "ㆎ" for c in text) else "en"
