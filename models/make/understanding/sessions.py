"""What people say one after the other, and what of it leans on what was said before: `data/lines`, `data/told` and the questions of `data/talks`."""

from __future__ import annotations

import itertools
import json
import pathlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from people import DEV, PEOPLE, people

from lira_core.evaluation import leaning as evaluation
from lira_core.evaluation.rows import lines_of
from lira_core.memory.following import BACK
from lira_core.responses import NO_RESPONSE

FOLDERS, SET_ASIDE = ("talks", "told", "lines"), "heldout"
TYPED = "sessions"
"""The file of `data/responses` that was written as people type of their own accord."""
BESIDE = 2500
"""Statements of `data/people`, which lean on nothing."""


@dataclass(frozen=True)
class Session(evaluation.Session):
    """`hand` is the folder and the file; `asks` what each line asks, where somebody says."""

    hand: str
    asks: tuple[str, ...] = ()

    def back_to(self, index: int) -> list[int]:
        """What the line at `index` leans on, at most BACK lines, and the line itself."""
        found = [index]
        while len(found) <= BACK and (earlier := self.after[found[0]]) is not None:
            found.insert(0, earlier)
        return found


@dataclass(frozen=True)
class Typed:
    """What somebody types of their own accord, none of it at risk, and the kinds of reply that fit it."""

    text: str
    kinds: tuple[str, ...]

    @property
    def asks_nothing(self) -> bool:
        """No kind of reply fits a question."""
        return self.kinds[0] != NO_RESPONSE


@dataclass(frozen=True)
class Line:
    """What somebody says, and whether it leans on what they said before (0 or 1)."""

    text: str
    follows: int


def sessions() -> list[Session]:
    """All but those of the authors who are set aside."""
    return [one for folder in FOLDERS for path in _learnt(folder) for one in _sessions(folder, path)]


def labelled(label: str) -> list[tuple[str, dict[str, Any]]]:
    """The lines of `data/lines` that somebody gave this label, as rows with all they have, each with its hand."""
    found = [(path, row) for path in _learnt("lines") for row in lines_of(_rows(path)) if label in row]
    return [(f"lines_{path.stem}", row) for path, row in found]


def lines(*, dev: bool = False) -> list[Line]:
    """Of every session but each `DEV`-th, or with `dev` of those."""
    chosen = [one for i, one in enumerate(sessions()) if (i % DEV == 0) == dev]
    found = [Line(text, int(after is not None)) for one in chosen for text, after in zip(one.lines, one.after, strict=True)]
    those = [p for i, p in enumerate(people()) if (i % DEV == 0) == dev and not p.hand.startswith(("talks_", "told_"))]
    said = [text for person in those for text in person.says]
    return found + [Line(text, 0) for text in random.Random(6).sample(said, min(BESIDE, len(said)))]


def typed(*, dev: bool = False) -> list[Typed]:
    """The sessions of `data/responses` that were written as people type, but each `DEV`-th, or with `dev` those. Nothing in them is a crisis, an
    emergency or violence, which heads that learnt from people's statements and from what is near a crisis heard in one of forty lines."""
    sessions = _rows(PEOPLE.parent / "responses" / f"{TYPED}.jsonl")
    chosen = [one for i, one in enumerate(sessions) if (i % DEV == 0) == dev]
    return [Typed(text, tuple(kinds)) for one in chosen for text, kinds in zip(one["lines"], one["response"], strict=True)]


def _learnt(folder: str) -> list[pathlib.Path]:
    return [path for path in sorted((PEOPLE.parent / folder).glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]


def _rows(path: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _sessions(folder: str, path: pathlib.Path) -> Iterator[Session]:
    rows = _rows(path)
    asks = [tuple(row["asks"]) for row in rows] if folder == "lines" else itertools.repeat(())
    for one, ask in zip(evaluation.sessions_of(rows), asks, strict=folder == "lines"):
        yield Session(one.lines, one.after, f"{folder}_{path.stem}", ask)
