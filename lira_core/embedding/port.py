"""Embedding: what a turn asks, and what an engine gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from lira_core.model_folder import ModelError
from lira_core.responses import NO_RESPONSE
from lira_core.types import AimReading, EmotionReading, Manner, SafetyReading, SpeechReading, Tone

Kind = Literal["query", "passage"]
EMPTY = "."
"""Stands in for a text with nothing to tokenize: a prefix alone would be read as a message about querying."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An utterance in one pass of an encoder; None, or "none", what its engine does not hear.

    `vector`: (dimensions,), as a `query`; `passage`: the same as a `passage`. `speech`: what it is, `emotion`: what it feels like, `safety`: what
    care it wants, `manner`: with what manner it is said, `tone`: in what tone it wants to be answered. `follows`: how surely it wants what was said
    before it to be understood ("누구랑?"), in [0, 1]. `name`: by which name its speaker says that they are called, as it stands there, empty where
    none is told. `aim`: what it wants of LIRA, where that is nothing that was told. `response`: which of `lira_core.responses` fits what it tells.
    `lists`: whether it asks for all that was told about something.
    """

    vector: NDArray[np.float32]
    speech: SpeechReading | None
    emotion: EmotionReading | None = None
    passage: NDArray[np.float32] | None = None
    safety: SafetyReading | None = None
    follows: float = 0.0
    manner: Manner = "none"
    tone: Tone | None = None
    name: str | None = None
    aim: AimReading | None = None
    response: str = NO_RESPONSE
    lists: bool = False


class EmbeddingEngine(Protocol):
    """A model in this process; blocking, so callers run it in a thread."""

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), each row L2-normalised. A question is a `query`, what is kept a `passage`."""
        ...

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        """Of utterances: their vectors as `query`, and what they are."""
        ...


class Embedder(Protocol):
    """What a turn asks, wherever the model runs."""

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]: ...

    async def hear(self, text: str) -> Heard: ...


def checked_dimensions(given: int, wanted: int, model: str) -> int:
    """`given`, where that is what the index was made for; ModelError otherwise."""
    if given != wanted:
        raise ModelError(f"LIRA_EMBEDDING_DIMENSIONS={wanted}, and the vectors of {model} have {given}: set it to {given}, and run `lira reindex`")
    return given
