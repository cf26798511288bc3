"""What scripts are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Argument = str | bytes | int


def counted(items: Iterable[Argument]) -> list[Argument]:
    """How many there are, then they."""
    held = list(items)
    return [len(held), *held]


def milliseconds(seconds: float) -> int:
    """At least 1: a key with no time left would be gone."""
    return max(round(seconds * 1000), 1)


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
