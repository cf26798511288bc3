"""Embedder: the encoder as a deployment, alone or with the emotion model that shares its trunk, and the handle that a turn asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import answer
from deployments.loopback import stay_on_loopback
from deployments.metrics import ServeObserver
from lira_core.embedding.port import Heard, Kind
from lira_core.settings import Settings

WAITING = 256
"""Calls that may wait here: a burst of 200 turns is served late rather than refused."""
BATCH = 32
"""Texts of an import that go in one call."""

Text = tuple[Kind, str]


@serve.deployment(max_ongoing_requests=WAITING, health_check_period_s=2, ray_actor_options={"num_cpus": 0.1})
class Embedder:
    """Embeds texts one batch at a time. A batch is what arrived while the model was busy: no text waits for company.

    Not `@serve.batch`, as in `deployments.emotion`. With the emotion model it stands in the graph as `UtteranceAnalyzer`, and what it hears
    has its emotion.
    """

    async def __init__(self, settings: Settings, *, with_emotion: bool = False) -> None:
        # Here, so that who only asks this deployment does not load ONNX Runtime.
        from lira_core.compose import open_embedder, open_hearing

        stay_on_loopback()
        self._embedder = (open_hearing if with_emotion else open_embedder)(settings, ServeObserver())
        await self._embedder.hear("오늘 기분 어때?")

    async def embed(self, texts: list[Text]) -> NDArray[np.float32]:
        """(len(texts), dimensions); each row L2-normalised."""
        return await self._embedder.embed(texts)

    async def hear(self, text: str) -> Heard:
        return await self._embedder.hear(text)

    async def check_health(self) -> None:
        """Serve replaces a replica whose model hangs."""
        self._embedder.check()


class RemoteEmbedder:
    """The core's Embedder over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._embed, self._hear = handle.embed, handle.hear

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """Long lists go in parts of one batch, so that an import does not hold up the turns that come meanwhile."""
        parts = [list(texts[i : i + BATCH]) for i in range(0, len(texts), BATCH)]
        vectors = [await answer(self._embed.remote(part)) for part in parts]
        return np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32)

    async def hear(self, text: str) -> Heard:
        return cast(Heard, await answer(self._hear.remote(text)))
