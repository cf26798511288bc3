"""Whether a later statement changes what an earlier one of the same person says: calls it off, moves it, corrects it, says how it came out.

The cross-encoder learns each earlier statement beside later ones of the same person, as the reader asks it: which of the later ones change this one?
(`data/changes`, labels of other hands for the persons of `data/people`, `data/told`, `data/talks` and `data/asked`.)
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from misses import CHANGES, Near
from people import DEV, Person, everybody_who_asks, people

BESIDE = 8
"""Later statements beside an earlier one: those that change it and others of the same person, as many as the reader sees."""
UNCHANGED = 1
"""Of each person in a pass: earlier statements that nothing changes, for each that something does."""
FALSELY = 0.03
"""Of earlier statements left out that nothing changes, how many may be taken for changed: what is told beside them then is only beside the point."""


@dataclass(frozen=True)
class Row:
    """An earlier statement, later ones of its person, and which of them change it."""

    earlier: str
    later: tuple[str, ...]
    changes: tuple[bool, ...]


@dataclass(frozen=True)
class Labelled:
    """(later, earlier) statements: where the earlier no longer holds; `doubtful` where one of two readers said so and the other did not."""

    person: Person
    changes: frozenset[tuple[int, int]]
    doubtful: frozenset[tuple[int, int]]


def labelled(*, dev: bool) -> list[Labelled]:
    by_place = {}
    for path in sorted(CHANGES.glob("labels*.jsonl")):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            by_place[row["hand"], row["person"]] = [frozenset(map(tuple, row.get(name, ()))) for name in ("changes", "doubtful")]
    counts: dict[str, int] = {}
    out = []
    for person, left in [*((person, i % DEV == 0) for i, person in enumerate(people())), *everybody_who_asks()]:
        place = counts[person.hand] = counts.get(person.hand, -1) + 1
        if (person.hand, place) in by_place and left == dev:
            out.append(Labelled(person, *by_place[person.hand, place]))
    return out


def rows(one: Labelled, rng: random.Random | None) -> Iterator[Row]:
    """Without `rng` every earlier statement beside all later ones."""
    says = one.person.says
    changed = sorted({earlier for _, earlier in one.changes})
    others = [i for i in range(len(says) - 1) if i not in changed]
    if rng:
        others = rng.sample(others, min(len(others), max(1, UNCHANGED * len(changed))))
    for i in sorted([*changed, *others]):
        later = [j for j in range(i + 1, len(says)) if (j, i) not in one.doubtful]
        if rng and len(later) > BESIDE:
            right = [j for j in later if (j, i) in one.changes]
            later = sorted({*right, *rng.sample(later, BESIDE)})
        if later:
            yield Row(says[i], tuple(says[j] for j in later), tuple((j, i) in one.changes for j in later))


def of_near_change(one: Near, rng: random.Random) -> Row:
    """What changes the earlier statement, among what comes close, in any order."""
    later = rng.sample((one.change, *one.misses), 1 + len(one.misses))
    return Row(one.earlier, tuple(later), tuple(said == one.change for said in later))


def place(found: Sequence[np.ndarray], some: Sequence[Row]) -> float:
    """From where on it speaks: FALSELY of what nothing changes."""
    return float(np.quantile([one.max() for one, row in zip(found, some, strict=True) if not any(row.changes)], 1 - FALSELY))


def figures(found: Sequence[np.ndarray], some: Sequence[Row], speaks: float) -> dict[str, float]:
    """Of what is changed: something that changes it is the likeliest of those from `speaks` on (`found`), another statement is (`wrong`); of what
    nothing changes, anything is taken for it (`false`). Of one kind of row alone the other figures are left out."""
    right, wrong, false = [], [], []
    for one, row in zip(found, some, strict=True):
        speaking = one.max() > speaks
        if any(row.changes):
            hit = row.changes[int(one.argmax())]
            right.append(speaking and hit)
            wrong.append(speaking and not hit)
        else:
            false.append(speaking)
    return {name: round(float(np.mean(v)), 3) for name, v in (("found", right), ("wrong", wrong), ("false", false)) if v} | {"rows": len(some)}
