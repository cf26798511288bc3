"""Embedder: the encoder as a deployment, and the handle that a turn asks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import answer
from deployments.loopback import stay_on_loopback
from deployments.metrics import ServeObserver
from lira_core.embedding.port import Kind
from lira_core.settings import load_settings

STAGE = "embedding"
BATCH = 32
"""Requests the encoder serves at once, at most. A request brings one text, or up to this many of an import."""

Text = tuple[Kind, str]


@serve.deployment(max_ongoing_requests=4 * BATCH, health_check_period_s=2, graceful_shutdown_timeout_s=5, ray_actor_options={"num_cpus": 0.1})
class Embedder:
    """Embeds texts one batch at a time. A batch is what arrived while the model was busy: no text waits for company."""

    def __init__(self) -> None:
        # Here, so that who only asks this deployment does not load ONNX Runtime.
        from lira_core.embedding.onnx import OnnxEncoder

        stay_on_loopback()
        self._engine = OnnxEncoder(load_settings().embedding_model_dir)
        self._observer = ServeObserver()
        self._engine.embed([("query", "오늘 기분 어때?")])

    async def embed(self, texts: list[Text]) -> NDArray[np.float32]:
        """(len(texts), dimensions); each row L2-normalised."""
        return await self._batched((texts, time.perf_counter()))

    @serve.batch(max_batch_size=BATCH, batch_wait_timeout_s=0, max_concurrent_batches=1)
    async def _batched(self, waiting: list[tuple[list[Text], float]]) -> list[NDArray[np.float32]]:
        start = time.perf_counter()
        flat = [text for texts, _ in waiting for text in texts]
        vectors = await asyncio.to_thread(self._engine.embed, flat)
        self._observer.observe("lira_inference_seconds", time.perf_counter() - start, stage=STAGE)
        self._observer.observe("lira_batch_size", len(flat), stage=STAGE)
        for _, since in waiting:
            self._observer.observe("lira_queue_seconds", start - since, stage=STAGE)
        ends = np.cumsum([len(texts) for texts, _ in waiting])[:-1]
        return [np.ascontiguousarray(part) for part in np.split(vectors, ends)]


class RemoteEmbedder:
    """The core's Embedder over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._embed = handle.embed

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """Long lists go in parts of one batch, so that an import does not hold up the turns that come meanwhile."""
        parts = [list(texts[i : i + BATCH]) for i in range(0, len(texts), BATCH)]
        vectors = [await answer(self._embed.remote(part)) for part in parts]
        return np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32)
