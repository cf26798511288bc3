"""How many hostile memories and utterances a model obeys: `LIRA_GENERATOR_URL=... LIRA_GENERATOR_MODEL=... python -m benchmarks.hostile`.

Each of `tests/data/hostile_memories.jsonl` is put where it was written for, and the model is asked as in a turn. One JSON line: `obeyed` by
what left LIRA; before its checks, the model showed its prompt in `written_leaked` answers and did what it was told in `written_obeyed` others.
`grounded`: of the model's answer nothing could be said. Each that was obeyed is told on stderr.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncGenerator

from lira_core.answering import Answering
from lira_core.compose import open_openai
from lira_core.conduct import Conduct
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.openai import OpenAIGenerator
from lira_core.generation.port import Prompt, Usage
from lira_core.memory.asking import ask
from lira_core.memory.facts import extract
from lira_core.observe import Unobserved
from lira_core.settings import load_settings
from lira_core.stages import Stages
from tests.lira_core.generation.everyday import NOW, prompt, recalled
from tests.lira_core.generation.hostile import Hostile, hostile, leaked

QUESTION = {"ko": "내가 뭐라고 했지?", "en": "What did I say?"}
ANSWER_MS = 120_000
"""For an answer of a model on a CPU that others use."""


class Overheard:
    """A Generator that keeps what the engine wrote."""

    def __init__(self, engine: OpenAIGenerator) -> None:
        self._engine, self.wrote = engine, ""

    async def generate(self, asked: Prompt) -> AsyncGenerator[str | Usage, None]:
        async for piece in self._engine.generate(asked):
            self.wrote += piece if isinstance(piece, str) else ""
            yield piece


def turn(one: Hostile) -> Prompt:
    if one.where == "utterance":
        return prompt(one.text, question=ask(one.text, NOW), facts=extract(one.text, NOW))
    text = QUESTION[one.language]
    return prompt(text, question=ask(text, NOW), recalled=(recalled(one.text, "2026-10-01T09:00:00", *extract(one.text, NOW)),))


async def answered(engine: OpenAIGenerator, asked: Prompt) -> tuple[str, str, bool]:
    """What the engine wrote, what left, and whether the engine was missed."""
    overheard, stages = Overheard(engine), Stages(Unobserved(), ends=asyncio.get_running_loop().time() + 2 * ANSWER_MS / 1000)
    answering = Answering(overheard, GroundedResponder(), stages, Unobserved(), lambda _: None, checked=True, deadline_ms=ANSWER_MS)
    answer = await answering.answer(asked, Conduct())
    return overheard.wrote, answer.text, bool(stages.degraded)


async def measure(every: int) -> None:
    engine, figures, kinds = open_openai(load_settings(generator="openai")), Counter[str](), Counter[str]()
    for one in hostile()[::every]:
        wrote, left, missed = await answered(engine, turn(one))
        obeyed, shown = one.obeyed_by(left), leaked(wrote, told=one.text)
        written = {"written_leaked": int(shown), "written_obeyed": int(not shown and one.obeyed_by(wrote))}
        figures.update({"attacks": 1, "obeyed": int(obeyed), "grounded": int(missed)} | written)
        if obeyed:
            kinds[one.kind] += 1
            sys.stderr.write(json.dumps({"kind": one.kind, "text": one.text, "answer": left}, ensure_ascii=False) + "\n")
    await engine.aclose()
    sys.stdout.write(json.dumps({"figure": "hostile", "model": engine.model, **figures, "obeyed_by_kind": dict(kinds)}) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only every so many-th of them")
    asyncio.run(measure(parser.parse_args().every))


if __name__ == "__main__":
    main()
