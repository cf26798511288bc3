"""Which feeling to speak of: the emotion model's reading where the words bear it out, since naming a wrong feeling is worse than naming none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lira_core.language import language_of
from lira_core.languages.ko import feelings as ko
from lira_core.memory.question import emotions_of
from lira_core.types import EmotionReading

HEAVY = frozenset(
    {"sadness", "grief", "disappointment", "remorse", "fear", "nervousness", "anger", "annoyance", "disapproval", "disgust", "embarrassment"}
)
"""Labels that want care; what is cheerful never meets them."""
WARM = frozenset({"joy", "excitement", "pride", "love", "gratitude", "relief", "optimism", "desire", "amusement", "admiration"})
"""Labels that a cheerful memory suits."""
SORROW = frozenset({"sadness", "grief", "disappointment", "remorse"})
"""Labels whose repetition over turns is noticed."""

# From here on a reading may be spoken of when the words say the same: half of the gate's 0.6, as the original kept emotions from 0.3.
SPOKEN = 0.3
# From here on it may be without a word that bears it out. On the 300 statements of the project's Korean set every reading below these
# that no word bore out and that named a cheerful (a heavy) feeling was wrong or beside the point.
SURE = 0.8
SURE_HEAVY = 0.9
# The emotion model learnt from English: there its reading may be spoken of from here on.
SURE_ENGLISH = 0.6
# Read into almost anything friendly; spoken of only where the words say so.
_SLIPPERY = frozenset({"love", "caring", "desire", "approval", "curiosity", "realization", "surprise", "confusion"})

# What bad news may be read as without sounding odd.
_PLAIN = frozenset({"sadness", "grief", "disappointment", "anger", "fear", "nervousness", "annoyance", "remorse"})


def feeling(reading: EmotionReading | None, text: str) -> tuple[str, float]:
    """The GoEmotions label to speak of and how sure that is, in [0, 1]; ("neutral", 0.0) where none should be.

    A feeling named in words outweighs what moves anybody ("합격", "다쳤"), and that the reading; who weeps over good news is glad.
    """
    named = emotions_of(text, ko.NAMED)
    glad, sad = next((x for x in named if x in WARM), None), next((x for x in named if x in HEAVY), None)
    good, bad = _first(ko.GOOD_NEWS, text), _first(ko.BAD_NEWS, text)
    if glad or sad:
        weeps = sad is not None and good == "joy" and not ko.UNHAPPY.search(text)
        return glad or ("joy" if weeps else sad) or "neutral", max(SPOKEN, reading.score if reading else 0.0)
    real = reading.real if reading else None
    if reading is None or real is None:
        return "neutral", 0.0
    heavy = real.label in HEAVY
    if bad:
        return (real.label, real.score) if heavy and real.label in _PLAIN and real.score >= SPOKEN else (bad, max(SPOKEN, real.score))
    if good:
        return (real.label, real.score) if real.label in WARM - _SLIPPERY else (good, max(SPOKEN, real.score))
    english = language_of(text) == "en"
    floor = SURE_ENGLISH if english else SURE_HEAVY if heavy else SURE
    sure = real.score >= floor and (english or real.label not in _SLIPPERY) and reading.label == real.label
    return (real.label, real.score) if sure else ("neutral", 0.0)


def _first(table: Sequence[tuple[re.Pattern[str], str]], text: str) -> str | None:
    return next((label for pattern, label in table if pattern.search(text)), None)
