"""What of an answer can be checked against what was said: names, places and numbers, as each language finds them (`languages/*/claims.py`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """`text[start:end]` says `value`, of `unit` in its usual form, None where none is said.

    `idle`: it may be a manner of speaking ("한 가지만 여쭤볼게요", "one step at a time"), which claims nothing.
    """

    start: int
    end: int
    value: float
    unit: str | None
    idle: bool = False


@dataclass(frozen=True, slots=True)
class Name:
    """`text[start:end]` is a proper noun. `forms` are what supports it where it stands in what was said, one of them being enough."""

    start: int
    end: int
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claims:
    """How a language finds them."""

    numbers: Callable[[str], tuple[Number, ...]]
    names: Callable[[str], tuple[Name, ...]]
