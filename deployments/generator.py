"""Generator: the writing of answers as a deployment of its own, for generators that need a replica of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import pieces
from deployments.loopback import stay_on_loopback
from lira_core.generation.port import Generator as GeneratorPort
from lira_core.generation.port import Prompt
from lira_core.settings import Settings

COALESCE_SECONDS = 0.02
"""Pieces after the first travel together for this long: each message of a handle costs time, and nobody reads faster than 50 updates a second."""


@serve.deployment(max_ongoing_requests=64, health_check_period_s=2, ray_actor_options={"num_cpus": 0.1})
class Generator:
    """Streams an answer in pieces: the first at once, the rest a few at a time."""

    def __init__(self, settings: Settings) -> None:
        # Here, so that who only asks this deployment does not load the morphemes.
        from lira_core.compose import open_generator

        stay_on_loopback()
        self._engine: GeneratorPort = open_generator(settings)

    async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
        async for piece in coalesced(self._engine.generate(prompt), COALESCE_SECONDS):
            yield piece


async def coalesced(source: AsyncIterator[str], seconds: float) -> AsyncIterator[str]:
    """The pieces of `source`: the first as it comes, the others joined while less than `seconds` have passed since the last yield.

    A piece that is held back leaves with the next one, or at the end: nothing waits on a timer, so a slow source loses no time.
    """
    held, last = "", -seconds
    async for piece in source:
        held += piece
        if held and time.perf_counter() - last >= seconds:
            yield held
            held, last = "", time.perf_counter()
            await asyncio.sleep(0)
    if held:
        yield held


class RemoteGenerator:
    """The core's Generator over a handle. Errors pass through: the core answers with the grounded responder and says `degraded`."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._generate = handle.options(stream=True).generate

    async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
        async for piece in pieces(self._generate.remote(prompt)):
            yield piece
