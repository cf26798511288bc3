"""What tests of engines ask, and what they get."""

from __future__ import annotations

from contextlib import aclosing
from datetime import datetime

from lira_core.generation.port import Generator, Prompt, Usage
from lira_core.types import Decision

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")


def said(text: str = "안녕, 오늘 어땠어?") -> Prompt:
    return Prompt(text, AT, None, (), None, Decision(False, "none"), ())


async def answered(generator: Generator, prompt: Prompt | None = None) -> tuple[list[str], Usage | None]:
    """The pieces and the usage, which is the last thing that comes."""
    got: list[str | Usage] = []
    async with aclosing(generator.generate(prompt or said())) as pieces:
        async for piece in pieces:
            got.append(piece)
    usage = got.pop() if got and isinstance(got[-1], Usage) else None
    texts = [piece for piece in got if isinstance(piece, str)]
    assert len(texts) == len(got), "one usage, and last"
    return texts, usage
