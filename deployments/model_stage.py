"""ModelStage: one model, or two on one trunk, as a deployment, and the handles that a turn asks.

Which models, under which name, on which resources and how many replicas: the Serve config (`args.stages`, `deployments`). Which engine runs
them: the settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.args import Model
from deployments.autoscaling import TOKENS
from deployments.calls import answer
from deployments.logs import log_with_serve
from deployments.metrics import ServeObserver
from deployments.ray_patches.loopback import stay_on_loopback
from deployments.resources import UNRESERVED
from lira_core.embedding.port import Heard, Kind
from lira_core.reading.port import Candidate, Reading
from lira_core.settings import Settings
from lira_core.types import EmotionReading

WAITING = 256
"""Calls that may wait here: a burst of 200 turns is served late rather than refused. A config may say otherwise (`max_ongoing_requests`)."""
BATCH = 32
"""Texts of an import that go in one call."""
Operation = Literal["read", "weigh", "hear", "embed"]


class _Queued(Protocol):
    """What every model behind its queue has beside its operations."""

    @property
    def tokens(self) -> int: ...

    def check(self) -> None: ...


@serve.deployment(max_ongoing_requests=WAITING, health_check_period_s=2, ray_actor_options=UNRESERVED)
class ModelStage:
    """A queue, the batches that form in it while the model is busy, and the model's engine.

    Not `@serve.batch`: with a wait of 0 it closes each batch as it comes, before the model is free, and reads one text at a time.
    """

    async def __init__(self, settings: Settings, models: Sequence[Model]) -> None:
        stay_on_loopback()
        log_with_serve()
        self._model: _Queued = await _opened(settings, frozenset(models))

    async def ask(self, operation: Operation, *given: Any, **how: Any) -> Any:
        """`read` of an emotion model, `read` and `weigh` of a reader, `hear` and `embed` of an encoder; as the core's ports have them."""
        return await getattr(self._model, operation)(*given, **how)

    async def check_health(self) -> None:
        """Serve replaces a replica whose model hangs."""
        self._model.check()

    def record_autoscaling_stats(self) -> dict[str, float]:
        """What `deployments.autoscaling` scales by, read by Serve every few seconds where a config says so."""
        return {TOKENS: self._model.tokens}


async def _opened(settings: Settings, models: frozenset[Model]) -> _Queued:
    """The models, warm: what they would do at the first turn is done, and a vector of another length than the index's is told of."""
    # Here, so that who only asks this deployment loads neither ONNX Runtime nor torch.
    from lira_core import engines

    observer = ServeObserver()
    if models == {"reader"}:
        reader = engines.open_reader(settings, observer)
        await reader.read("내 이름이 뭐야?", [Candidate("나는 리라야", None)])
        return reader
    if models == {"emotion"}:
        emotion = engines.open_emotion(settings, observer)
        await emotion.read("오늘 기분 어때?")
        return emotion
    embedder = engines.open_hearing(settings, observer) if "emotion" in models else engines.open_embedder(settings, observer)
    await embedder.hear("오늘 기분 어때?")
    return embedder


class RemoteEmotion:
    """The core's EmotionReader over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._ask = handle.ask

    async def read(self, text: str) -> EmotionReading:
        return cast(EmotionReading, await answer(self._ask.remote("read", text)))


class RemoteEmbedder:
    """The core's Embedder over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._ask = handle.ask

    async def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """Long lists go in parts of one batch, so that an import does not hold up the turns that come meanwhile."""
        parts = [list(texts[i : i + BATCH]) for i in range(0, len(texts), BATCH)]
        vectors = [await answer(self._ask.remote("embed", part)) for part in parts]
        return np.concatenate(vectors) if vectors else np.empty((0, 0), dtype=np.float32)

    async def hear(self, text: str) -> Heard:
        return cast(Heard, await answer(self._ask.remote("hear", text)))


class RemoteReader:
    """The core's Reader over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._ask = handle.ask

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        return cast(Reading, await answer(self._ask.remote("read", question, list(candidates))))

    async def weigh(self, question: str, candidates: Sequence[Candidate], *, listing: bool = False) -> tuple[float, ...]:
        return cast(tuple[float, ...], await answer(self._ask.remote("weigh", question, list(candidates), listing=listing)))
