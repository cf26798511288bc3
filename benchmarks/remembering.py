"""How much remembering adds to a turn whose answer takes longer: `python -m benchmarks.remembering`, one JSON line.

The same utterances are answered by a generator that takes 300 ms, once kept and once not (the gate's threshold out of reach and no fact).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from lira_core import compose, engines
from lira_core.generation.port import Prompt
from lira_core.lira import Lira
from lira_core.settings import load_settings

ANSWER_S = 0.3
TURNS, RUNS = 40, 3
KEPT, PASSING = "{}번 약속이 있어. 기억해줘.", "{}번 ㅋㅋㅋ 그렇구나"


class Slow:
    """A generator that takes its time."""

    async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
        await asyncio.sleep(ANSWER_S)
        yield "네."


async def measure(lira: Lira, text: str) -> tuple[float, set[str]]:
    """Median milliseconds of a turn, and what became of the utterances."""
    took, kept = [], set()
    for number in range(TURNS):
        began = time.perf_counter()
        reply = await lira.chat(user_id="u", session_id="s", text=text.format(number))
        took.append(1000 * (time.perf_counter() - began))
        kept.add(reply.memory.status)
    return statistics.median(took), kept


async def main() -> None:
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder))
        emotion, embedder, reader = engines.open_emotion(settings), engines.open_embedder(settings), engines.open_reader(settings)
        lira = Lira(settings, emotion=emotion, embedder=embedder, reader=reader, stores=await compose.open_settled_stores(settings), generator=Slow())
        await lira.start()
        await measure(lira, KEPT)
        for _ in range(RUNS):
            (kept, stored), (passing, skipped) = await measure(lira, KEPT), await measure(lira, PASSING)
            assert (stored, skipped) == ({"stored"}, {"skipped"})
            differences.append(kept - passing)
        await lira.close()
    sys.stdout.write(json.dumps({"figure": "remembering", "added_ms": round(statistics.median(differences), 2), "turns": TURNS, "runs": RUNS}) + "\n")


if __name__ == "__main__":
    asyncio.run(main())
