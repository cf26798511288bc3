"""Generator: the writing of answers as a deployment of its own, for generators that need a replica of their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.calls import Busy, Lost, pieces
from deployments.loopback import stay_on_loopback
from lira_core.generation.port import Generator as GeneratorPort
from lira_core.generation.port import GeneratorBusy, GeneratorUnavailable, Prompt, Usage
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

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        async with aclosing(coalesced(self._engine.generate(prompt), COALESCE_SECONDS)) as pieces:
            async for piece in pieces:
                yield piece


async def coalesced(source: AsyncGenerator[str | Usage, None], seconds: float) -> AsyncGenerator[str | Usage, None]:
    """The pieces of `source`: the first as it comes, the others joined while less than `seconds` have passed since the last yield.

    A piece that is held back leaves with the next one, before a Usage, or at the end, be it an error: nothing waits on a timer, so a slow
    source loses no time. Closing it closes `source`.
    """
    held, last = "", -seconds
    async with aclosing(source) as pieces:
        try:
            async for piece in pieces:
                if isinstance(piece, Usage):
                    if held:
                        yield held
                        held = ""
                    yield piece
                    continue
                held += piece
                if held and time.perf_counter() - last >= seconds:
                    yield held
                    held, last = "", time.perf_counter()
                    await asyncio.sleep(0)
        except Exception:
            if held:
                yield held
            raise
    if held:
        yield held


class RemoteGenerator:
    """The core's Generator over a handle: GeneratorBusy where its queue is full, GeneratorUnavailable where the replica is lost."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._generate = handle.options(stream=True).generate

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        try:
            async with aclosing(pieces(self._generate.remote(prompt))) as answer:
                async for piece in answer:
                    yield piece
        except Busy as error:
            raise GeneratorBusy(str(error)) from error
        except Lost as error:
            raise GeneratorUnavailable(str(error)) from error
