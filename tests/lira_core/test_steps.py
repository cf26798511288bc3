from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from lira_core.batching import Bounds
from lira_core.steps import InSteps, Steps, about


class Letters:
    """`Steps` from a word to its length; "!" cannot be tokenised, "?" not inferred."""

    bounds = Bounds(rows=4, tokens=12, in_flight=2)

    def __init__(self) -> None:
        self.threads: dict[str, set[int]] = {"tokenise": set(), "infer": set(), "decode": set()}
        self.batches: list[list[int]] = []

    def tokenise(self, items: list[str]) -> list[list[int]]:
        self.threads["tokenise"].add(threading.get_ident())
        if "!" in items:
            raise ValueError("cannot be tokenised")
        return [[ord(letter) for letter in item] for item in items]

    def infer(self, rows: list[list[int]]) -> Any:
        self.threads["infer"].add(threading.get_ident())
        if [ord("?")] in rows:
            raise ValueError("cannot be inferred")
        self.batches.append([len(row) for row in rows])
        return rows

    def decode(self, output: Any) -> list[int]:
        self.threads["decode"].add(threading.get_ident())
        return [len(row) for row in output]


async def test_every_step_has_a_thread_of_its_own_and_batches_keep_the_budget() -> None:
    steps = Letters()
    assert isinstance(steps, Steps)
    model = InSteps[str, int](steps, name="letters")
    words = ["a", "bbbbbb", "cc", "dddddd", "e", "ff", "ggg"]
    assert await asyncio.gather(*(model.submit(word) for word in words)) == [len(word) for word in words]
    assert len(set.union(*steps.threads.values())) == 3
    assert all(len(batch) == 1 or len(batch) * max(batch) <= 12 for batch in steps.batches)
    assert model.tokens == 0
    await model.close()


@pytest.mark.parametrize(("bad", "said"), [("!", "tokenised"), ("?", "inferred")])
async def test_a_text_that_cannot_be_read_fails_alone_in_every_step(bad: str, said: str) -> None:
    model = InSteps[str, int](Letters(), name="letters")
    found = await asyncio.gather(*(model.submit(word) for word in ("a", bad, "bb")), return_exceptions=True)
    assert (found[0], found[2]) == (1, 2)
    assert said in str(found[1])
    model.check()
    await model.close()


def test_a_longer_text_is_taken_for_more_tokens() -> None:
    assert 0 < about("") < about("오늘은 날씨가 좋다") < about("오늘은 날씨가 좋다 " * 3)
