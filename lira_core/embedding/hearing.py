"""Hearing an utterance: its vector, what it is and what it feels like, in one pass of the trunk that the models share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.heads import States
from lira_core.embedding.onnx import OnnxEncoder, utterances
from lira_core.embedding.port import Embedder, Heard, Kind
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.types import EmotionReading


class OnnxHearing:
    """An `EmbeddingEngine` of an encoder and an emotion model that stand on one trunk; ValueError where they do not. Blocking.

    The trunk is two thirds of the work of the emotion model, half of the encoder's with its heads (6.9 ms of 9.8 and of 13.8, a short text
    on one core): it runs once, then the two side by side.
    """

    def __init__(self, encoder: OnnxEncoder, emotion: OnnxEmotion) -> None:
        if not encoder.model.shares_trunk(emotion.model):
            raise ValueError("the encoder and the emotion model do not stand on one trunk")
        self._encoder, self._emotion = encoder, emotion
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="lira-emotion")

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        return self._encoder.embed(texts)

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        """With the emotion of each."""
        states = self._encoder.model.states_of(utterances(texts))
        beside = self._beside.submit(self._heard_beside, texts, states)
        heard, layers = self._encoder.layers_on(texts, states)
        parts, felt = beside.result()
        deep = self._encoder.deep_heads_on(texts, states, layers, (self._emotion.model, felt) if felt else None, self._beside)
        return [replace(one, **upon_trunk, **rest) for one, upon_trunk, rest in zip(heard, parts, deep, strict=True)]

    def _heard_beside(self, texts: Sequence[str], states: States) -> tuple[list[dict[str, Any]], States]:
        """While the encoder's layers, which take half again as long as the emotion model's, are at work; and the states of these, if it gives any."""
        feelings, felt = self._emotion.read_on(texts, states)
        return [{"emotion": feeling, **parts} for feeling, parts in zip(feelings, self._encoder.heads_on(texts, states), strict=True)], felt


@dataclass(slots=True)
class _Call:
    task: asyncio.Task[Heard]
    waiting: int = 0


class SharedHearing:
    """An `Embedder` whose `hear` brings the emotion too, and the `EmotionReader` that takes it from there: what a turn asks of both is one call.

    Who asks for a text that is being heard waits with the others; the call ends early when all of them have gone.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._calls: dict[str, _Call] = {}

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        return await self._embedder.embed(texts)

    async def read(self, text: str) -> EmotionReading:
        return cast(EmotionReading, (await self.hear(text)).emotion)

    async def hear(self, text: str) -> Heard:
        call = self._calls.get(text)
        if call is None:
            call = self._calls[text] = _Call(asyncio.ensure_future(self._embedder.hear(text)))
        call.waiting += 1
        try:
            return await asyncio.shield(call.task)
        finally:
            call.waiting -= 1
            if call.task.done() or not call.waiting:
                # Whoever asks from now on begins anew.
                if self._calls.get(text) is call:
                    del self._calls[text]
                call.task.cancel()
