"""An engine in this process that does as a script says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from lira_core.generation.port import Prompt, Usage


class Engine:
    """Does to each answer what the script says, the last of it for ever: a text is a piece, a number a wait in seconds, an error is raised."""

    def __init__(self, *script: list[Any]) -> None:
        self.script = list(script)
        self.asked: list[str] = []
        self.open = 0
        self.closed = False

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        self.asked.append(prompt.text)
        steps = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        self.open += 1
        try:
            for step in steps:
                if isinstance(step, Exception):
                    raise step
                if isinstance(step, int | float):
                    await asyncio.sleep(step)
                else:
                    yield step
        finally:
            self.open -= 1

    async def aclose(self) -> None:
        self.closed = True
