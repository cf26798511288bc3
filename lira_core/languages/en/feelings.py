"""English words of feelings, and the GoEmotions labels that they may have been read as, likeliest first."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    ("happy|glad|delighted|thrilled|overjoyed|over the moon", "joy excitement"),
    ("excited", "excitement joy"),
    ("relieved", "relief"),
    ("proud", "pride"),
    ("grateful|thankful", "gratitude"),
    ("sad|heartbroken|devastated|lonely|depressed", "sadness grief"),
    ("cry|cried|crying|in tears", "sadness joy"),
    ("upset", "sadness disappointment annoyance"),
    ("disappointed", "disappointment"),
    ("angry|mad|furious", "anger annoyance"),
    ("annoyed|frustrated", "annoyance disappointment"),
    ("nervous|worried|anxious|stressed", "nervousness fear"),
    ("afraid|scared", "fear"),
    ("guilty|sorry", "remorse"),
    ("embarrassed|ashamed", "embarrassment"),
    ("surprised|shocked", "surprise"),
)
NAMED: Final = tuple((re.compile(rf"\b(?:{words})\b"), tuple(labels.split())) for words, labels in _WORDS)
MOOD: Final = re.compile(r"\b(?:moods?|feelings?|feel|felt|emotions?|emotionally)\b")
"""Feelings as such."""
