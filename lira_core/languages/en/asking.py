# ruff: noqa: E501 (patterns read better in wide rows)
"""Whether an English sentence asks, by its form."""

from __future__ import annotations

import re
from typing import Final

_SUBJECT: Final = (
    r"(?:i|we|you|he|she|it|they|my|our|your|his|her|their|the|this|that|these|those|there|a|an|any|some|anyone|someone|(?-i:[A-Z][a-z]+))"
)
_START: Final = re.compile(
    rf"^(?:(?:hey|hi|so|and|but|well|lira|please|um|ok|okay|by the way|again)\b[,\s]*)*"
    rf"(?:(?:what|what's|whats|who|who's|whos|whose|where|where's|when's|why|how|how's|which|(?:in|on|at|from|to|with|for) (?:what|which|whom))\b"
    rf"|when (?:is|are|was|were|do|does|did|will|am|should|can|have|has)\b"
    rf"|(?:do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had|may) {_SUBJECT}\b|remember what|any idea)",
    re.I,
)
_TELL: Final = re.compile(
    r"\b(?:tell|remind)\s+me\b(?!\s+to\b)|\bdo you (?:still )?(?:remember|know|recall)\b|^\W*remember (?:my|what|where|when|who)\b|^\W*(?:my|our) (?:[\w'-]+ ){0,3}(?:name|birthday|age|job|address|number)(?: again| please)?[.!]*$",
    re.I,
)
_NO_QUESTION: Final = re.compile(
    r"(?:what an? |how (?:nice|great|lovely|cool|awful|sad|sweet|funny|come on)\b|what (?:lovely|great|nice|awful|terrible|beautiful)\b|do not|don't|may (?:you|god)|have a\b|will do|which (?:is|was|made|means)\b|who knows|what's up\b|am i right|how about that"
    r"|(?:please\s+)?(?:remember|don't forget|note) that\b)",
    re.I,
)


def sentences(text: str) -> list[str]:
    """The text cut after each mark that ends a sentence; that of a title ends none ("Mr. Gooch")."""
    return [s.strip() for s in re.findall(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St)\.|[^.?!\n])+[.?!]*", text) if s.strip()]


def asks(sentence: str) -> bool:
    """Whether one sentence asks."""
    return sentence.endswith("?") or (not _NO_QUESTION.match(sentence) and bool(_TELL.search(sentence) or _START.match(sentence)))
