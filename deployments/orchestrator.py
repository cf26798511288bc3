"""RecallOrchestrator: the core's Lira as a deployment. Gate, recall, remembering and the stores live here; the models are asked."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.affinity import work_for
from deployments.generator import RemoteGenerator
from deployments.logs import log_with_serve
from deployments.metrics import ServeObserver
from deployments.model_stage import RemoteEmbedder, RemoteEmotion, RemoteReader
from deployments.ray_patches.loopback import stay_on_loopback
from deployments.resources import UNRESERVED
from lira_core.admission import Refused
from lira_core.requests import Request, Say
from lira_core.settings import Settings


@serve.deployment(health_check_period_s=2, ray_actor_options=UNRESERVED)
class RecallOrchestrator:
    """Two methods for all operations: what is asked and what is answered are the core's own requests and replies, as JSON.

    Without an `emotion` handle what is heard brings its emotion. The grounded responder runs in here by default: it takes about a millisecond
    and has to be here as the fallback, so a deployment of its own would only add a hop; so would one for an API. With a `generator` handle
    answers are written there, behind a circuit in here: a replica may hang. The reader, too, runs in here unless there is a `reader` handle: on
    one machine a process of its own would load Python and the model once more and give nothing.
    """

    async def __init__(
        self,
        settings: Settings,
        embedder: DeploymentHandle[Any],
        emotion: DeploymentHandle[Any] | None = None,
        reader: DeploymentHandle[Any] | None = None,
        generator: DeploymentHandle[Any] | None = None,
    ) -> None:
        # Here, so that whoever builds the graph does not load the morphemes and ONNX Runtime.
        from lira_core import compose, engines
        from lira_core.embedding.hearing import SharedHearing
        from lira_core.lira import Lira

        stay_on_loopback()
        log_with_serve()
        observer, hearing = ServeObserver(announce=True), SharedHearing(RemoteEmbedder(embedder))
        async with compose.stores_to_hand_over(settings) as stores:
            self._lira = Lira(
                settings,
                emotion=RemoteEmotion(emotion) if emotion is not None else hearing,
                embedder=hearing,
                reader=RemoteReader(reader) if reader is not None else engines.open_reader(settings, observer),
                stores=stores,
                generator=compose.guarded_generator(RemoteGenerator(generator), settings, observer)
                if generator is not None
                else compose.open_generator(settings, observer),
                observer=observer,
            )
        await self._lira.start()

    async def ask(self, request: Request[Any]) -> bytes | Refused:
        """The answer as JSON. A refusal is given back and not raised: Serve would log each with its traceback just when there is too much to do."""
        work_for(getattr(request, "user_id", ""))
        try:
            return await self._lira.ask_json(request)
        except Refused as refusal:
            return refusal

    async def stream(self, request: Say) -> AsyncIterator[tuple[str, bytes] | Refused]:
        """(`recall` | `token` | `done`, JSON), in the order of the surface; or a refusal alone."""
        work_for(request.user_id)
        try:
            async for event in self._lira.stream_json(request):
                yield event
        except Refused as refusal:
            yield refusal

    async def check_health(self) -> None:
        """Serve replaces a replica of which this raises."""
        self._lira.check()

    async def __del__(self) -> None:
        if hasattr(self, "_lira"):
            await self._lira.close()
