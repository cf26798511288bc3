"""EmotionAnalyzer: the emotion model as a deployment, and the handle that a turn asks."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import answer
from deployments.loopback import stay_on_loopback
from deployments.metrics import ServeObserver
from lira_core.settings import load_settings
from lira_core.types import EmotionReading

STAGE = "emotion"
BATCH = 32
"""Texts the model reads at once, at most: what piles up on two cores while one batch is read."""


@serve.deployment(max_ongoing_requests=4 * BATCH, health_check_period_s=2, graceful_shutdown_timeout_s=5, ray_actor_options={"num_cpus": 0.1})
class EmotionAnalyzer:
    """Reads utterances one batch at a time. A batch is what arrived while the model was busy: no text waits for company."""

    def __init__(self) -> None:
        # Here, so that who only asks this deployment does not load ONNX Runtime.
        from lira_core.emotion.onnx import OnnxEmotion

        stay_on_loopback()
        self._engine = OnnxEmotion(load_settings().emotion_model_dir)
        self._observer = ServeObserver()
        self._engine.read(["오늘 기분 어때?"])

    async def read(self, text: str) -> EmotionReading:
        return await self._batched((text, time.perf_counter()))

    @serve.batch(max_batch_size=BATCH, batch_wait_timeout_s=0, max_concurrent_batches=1)
    async def _batched(self, waiting: list[tuple[str, float]]) -> list[EmotionReading]:
        start = time.perf_counter()
        readings = await asyncio.to_thread(self._engine.read, [text for text, _ in waiting])
        self._observer.observe("lira_inference_seconds", time.perf_counter() - start, stage=STAGE)
        self._observer.observe("lira_batch_size", len(waiting), stage=STAGE)
        for _, since in waiting:
            self._observer.observe("lira_queue_seconds", start - since, stage=STAGE)
        return readings


class RemoteEmotion:
    """The core's EmotionReader over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._read = handle.read

    async def read(self, text: str) -> EmotionReading:
        return await answer(self._read.remote(text))
