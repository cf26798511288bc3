"""Generator: the writing of answers as a deployment of its own, for generators that need a replica of their own.

An API does not: it is asked from inside the orchestrator, and this would only add a hop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from ray import serve
from ray.serve.handle import DeploymentHandle

from deployments.affinity import ByUser
from deployments.calls import Busy, Lost, pieces
from deployments.logs import log_with_serve
from deployments.metrics import ServeObserver
from deployments.ray_patches.loopback import stay_on_loopback
from deployments.resources import UNRESERVED
from lira_core.generation import port
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorUnavailable, Prompt, Usage
from lira_core.settings import Settings

COALESCE_SECONDS = 0.02
"""Pieces after the first travel together for this long: each message of a handle costs time, and nobody reads faster than 50 updates a second."""


@serve.deployment(max_ongoing_requests=64, health_check_period_s=2, ray_actor_options=UNRESERVED)
class Generator:
    """Streams an answer in pieces: the first at once, the rest a few at a time."""

    def __init__(self, settings: Settings) -> None:
        # Here, so that who only asks this deployment does not load the morphemes.
        from lira_core.compose import open_generator

        stay_on_loopback()
        log_with_serve()
        self._engine: port.Generator = open_generator(settings, ServeObserver())

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage | GeneratorError, None]:
        async with aclosing(sent(self._engine.generate(prompt))) as answer:
            async for piece in answer:
                yield piece

    async def __del__(self) -> None:
        if hasattr(self, "_engine"):
            await port.close(self._engine)


async def sent(answer: AsyncGenerator[str | Usage, None]) -> AsyncGenerator[str | Usage | GeneratorError, None]:
    """The answer in as many messages as a handle should carry; the error that ends it is the last, so that it arrives as it is and Serve does
    not log it as a fault."""
    try:
        async with aclosing(coalesced(answer, COALESCE_SECONDS)) as pieces:
            async for piece in pieces:
                yield piece
    except GeneratorError as error:
        yield error


async def coalesced(source: AsyncGenerator[str | Usage, None], seconds: float) -> AsyncGenerator[str | Usage, None]:
    """The pieces of `source`: the first as it comes, the others joined while less than `seconds` have passed since the last yield.

    A piece that is held back leaves with the next one, or at the end, also a bad one: nothing waits on a timer, so a slow source loses no
    time. Usage passes by itself.
    """
    held, last = "", -seconds
    async with aclosing(source) as answer:
        try:
            async for piece in answer:
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
        except GeneratorError:
            if held:
                yield held
            raise
    if held:
        yield held


class RemoteGenerator:
    """The core's Generator over a handle. A replica that is gone is GeneratorUnavailable, one that takes no more GeneratorBusy."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._generate = ByUser(handle.options(stream=True).generate)

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        try:
            async with aclosing(pieces(self._generate().remote(prompt))) as answer:
                async for piece in answer:
                    if isinstance(piece, GeneratorError):
                        raise piece
                    yield piece
        except Busy as error:
            raise GeneratorBusy(f"the Generator deployment: {error}") from error
        except Lost as error:
            raise GeneratorUnavailable(f"the Generator deployment: {error}", again=True) from error
