"""EmotionAnalyzer: the emotion model as a deployment, and the handle that a turn asks."""

from __future__ import annotations

from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import answer
from deployments.loopback import stay_on_loopback
from deployments.metrics import ServeObserver
from lira_core.settings import Settings
from lira_core.types import EmotionReading

WAITING = 256
"""Texts that may wait here: a burst of 200 turns is served late rather than refused."""


@serve.deployment(max_ongoing_requests=WAITING, health_check_period_s=2, ray_actor_options={"num_cpus": 0.1})
class EmotionAnalyzer:
    """Reads utterances one batch at a time. A batch is what arrived while the model was busy: no text waits for company.

    Not `@serve.batch`: with a wait of 0 it closes each batch as it comes, before the model is free, and reads one text at a time.
    """

    async def __init__(self, settings: Settings) -> None:
        # Here, so that who only asks this deployment does not load ONNX Runtime.
        from lira_core.compose import open_emotion

        stay_on_loopback()
        self._reader = open_emotion(settings, ServeObserver())
        await self._reader.read("오늘 기분 어때?")

    async def read(self, text: str) -> EmotionReading:
        return await self._reader.read(text)

    async def check_health(self) -> None:
        """Serve replaces a replica whose model hangs."""
        self._reader.check()


class RemoteEmotion:
    """The core's EmotionReader over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._read = handle.read

    async def read(self, text: str) -> EmotionReading:
        return await answer(self._read.remote(text))
