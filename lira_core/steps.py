"""A model in three steps, tokenise, infer, decode, each in a thread of its own, so that two batches are in flight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from lira_core.batching import BatchWhileBusy, Bounds
from lira_core.observe import Observer

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
TOKENISED = 256
"""Items that are tokenised in one go: a tokeniser takes some 0.05 ms a text, so that nobody waits for more than 13 ms."""
CHARACTERS = 3
"""To a token, about: 256 of them are some 500 characters of Korean or 1,000 of English (`lira_core.onnx.MAX_TOKENS`)."""
MARKS = 4
"""Begin, end and prefix of a text, about."""


def about(text: str) -> int:
    """Tokens of a text that nobody has tokenised yet."""
    return MARKS + len(text) // CHARACTERS


@runtime_checkable
class Steps(Protocol[R_co]):
    """What an engine for an accelerator offers; all three block, and give one for each, in order."""

    @property
    def bounds(self) -> Bounds: ...

    def tokenise(self, items: list[Any]) -> list[list[int]]: ...

    def infer(self, rows: list[list[int]]) -> Any:
        """May return before the device is done; `decode` then waits for it."""
        ...

    def decode(self, output: Any) -> Sequence[R_co]: ...


class Batch(Protocol[T_contra, R_co]):
    """What both kinds of batcher are asked."""

    async def submit(self, item: T_contra) -> R_co: ...

    @property
    def tokens(self) -> int:
        """Of what waits or is at work."""
        ...

    def check(self) -> None:
        """RuntimeError when the model hangs."""
        ...

    async def close(self) -> None: ...


class InSteps(Generic[T, R]):
    """`BatchWhileBusy`'s surface over `Steps`: batches by token budget, of like lengths, tokenised apart."""

    def __init__(self, steps: Steps[R], *, name: str, observer: Observer | None = None) -> None:
        self._tokenise = BatchWhileBusy[T, list[int]](steps.tokenise, Bounds(TOKENISED), name=f"{name}-tokens")
        self._model = BatchWhileBusy[list[int], R](
            steps.infer, steps.bounds, finish=steps.decode, tokens=lambda row: max(len(row), 1), name=name, observer=observer
        )

    async def submit(self, item: T) -> R:
        return await self._model.submit(await self._tokenise.submit(item))

    @property
    def tokens(self) -> int:
        return self._tokenise.tokens + self._model.tokens

    def check(self) -> None:
        self._tokenise.check()
        self._model.check()

    async def close(self) -> None:
        await self._tokenise.close()
        await self._model.close()
