"""Which feeling to speak of: what the heads of tone hear; where they are missed, what the emotion model is sure of."""

from __future__ import annotations

from typing import Final

from lira_core.generation.port import Prompt

HEAVY: Final = frozenset(
    {"sadness", "grief", "disappointment", "remorse", "fear", "nervousness", "anger", "annoyance", "disapproval", "disgust", "embarrassment"}
)
"""Labels that want care; what is cheerful never meets them."""
WARM: Final = frozenset({"joy", "excitement", "pride", "love", "gratitude", "relief", "optimism", "desire", "amusement", "admiration"})
"""Labels that a cheerful memory suits."""
CROSS: Final = frozenset({"anger", "annoyance", "disapproval", "disgust"})
"""Labels to which nobody says that spirits are low."""
SORROW: Final = frozenset({"sadness", "grief", "disappointment", "remorse"})
"""Labels whose repetition over turns is noticed."""


def alike(label: str) -> frozenset[str]:
    """The labels of what is felt alike: what grieves one grieves, whichever of them it was read as."""
    return SORROW if label in SORROW else frozenset((label,))


SURE: Final = 0.6
"""The gate's: without the heads of tone a feeling is spoken of from here on."""


def feeling(prompt: Prompt) -> str:
    """The label to speak of; "neutral" where none should be."""
    if prompt.tone is not None:
        return prompt.tone
    real = prompt.emotion.real if prompt.emotion else None
    return real.label if real and real.score >= SURE else "neutral"
