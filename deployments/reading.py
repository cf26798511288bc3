"""MemoryReader: the reader as a deployment of its own, and the handle that a turn asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import answer
from deployments.loopback import stay_on_loopback
from deployments.metrics import ServeObserver
from lira_core.reading.port import Candidate, Reading
from lira_core.settings import Settings

WAITING = 256
"""Questions that may wait here: a burst of 200 turns is served late rather than refused."""


@serve.deployment(max_ongoing_requests=WAITING, health_check_period_s=2, ray_actor_options={"num_cpus": 0.1})
class MemoryReader:
    """Reads one question with its candidates at a time."""

    async def __init__(self, settings: Settings) -> None:
        # Here, so that who only asks this deployment does not load ONNX Runtime.
        from lira_core.compose import open_reader

        stay_on_loopback()
        self._reader = open_reader(settings, ServeObserver())
        await self._reader.read("내 이름이 뭐야?", [Candidate("나는 리라야", None)])

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        return await self._reader.read(question, candidates)

    async def check_health(self) -> None:
        """Serve replaces a replica whose model hangs."""
        self._reader.check()


class RemoteReader:
    """The core's Reader over a handle. Errors of Ray pass through: a turn goes on without the stage."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._read = handle.read

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        return cast(Reading, await answer(self._read.remote(question, list(candidates))))

    def forget(self) -> None:
        """Each replica forgets by itself, after `lira_core.reading.recent.FORGOTTEN_AFTER_S`: none can be told for all."""
