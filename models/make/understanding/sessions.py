"""What people say one after the other, and what of it leans on what was said before: `data/lines`, `data/told` and the questions of `data/talks`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from people import DEV, PEOPLE, people

from lira_core.evaluation import leaning as evaluation
from lira_core.memory.following import BACK, in_full

FOLDERS, SET_ASIDE = ("talks", "told", "lines"), "heldout"
FAR = 3
"""Of what stands further back than the utterance just before, one in so many pairs that do not belong together is learnt."""
BESIDE = 2500
"""Pairs of statements of `data/people`, which belong to nothing before them."""


@dataclass(frozen=True)
class Session(evaluation.Session):
    """`hand` is the folder and the file."""

    hand: str

    def back_to(self, index: int) -> list[int]:
        """The line at `index` and what it leans on, as it is put before another."""
        found = [index]
        while len(found) < BACK and (earlier := self.after[found[0]]) is not None:
            found.insert(0, earlier)
        return found


@dataclass(frozen=True)
class Leaning:
    """An utterance alone, whether it leans on what was before it (`follows`); or one after another's (`text` is both), whether it leans on that
    (`continues`). -1 where it is the other kind."""

    text: str
    follows: int = -1
    continues: int = -1


def sessions(*, set_aside: bool = False) -> list[Session]:
    """Those to learn from, or those of the authors who are set aside."""
    return [one for one in _all() if one.hand.endswith(SET_ASIDE) == set_aside]


def leaning(*, dev: bool = False) -> list[Leaning]:
    """Every session but each `DEV`-th, or with `dev` those."""
    rng = random.Random(6)
    chosen = [one for i, one in enumerate(sessions()) if (i % DEV == 0) == dev]
    elsewhere = [line for one in chosen for line in one.lines]
    out: list[Leaning] = []
    for one in chosen:
        for index, line in enumerate(one.lines):
            out.append(Leaning(line, follows=int(one.after[index] is not None)))
            for back, (text, right) in enumerate(pairs(one, index)):
                if right or back == 0 or not rng.randrange(FAR):
                    out.append(Leaning(text, continues=int(right)))
            if one.after[index] is not None:
                out.append(Leaning(in_full([rng.choice(elsewhere)], line), continues=0))
    return out + _unrelated(rng, dev=dev)


def pairs(one: Session, index: int) -> Iterator[tuple[str, bool]]:
    """The line after each of the three before it, with what those lean on, the nearest first; whether it leans on that."""
    for before in reversed(range(max(0, index - BACK), index)):
        # Of `data/told` it is known whether a line leans on the one before, and not on which other.
        if before < index - 1 and one.hand.startswith("told") and one.after[index] is not None:
            return
        chain = one.back_to(before)
        yield in_full([one.lines[i] for i in chain], one.lines[index]), one.after[index] in chain


def _unrelated(rng: random.Random, *, dev: bool) -> list[Leaning]:
    those = [p for i, p in enumerate(people()) if (i % DEV == 0) == dev and not p.hand.startswith(("talks_", "told_"))]
    found = [(first, then) for p in those for first, then in zip(p.says, p.says[1:], strict=False)]
    chosen = rng.sample(found, min(BESIDE, len(found)))
    return [Leaning(then, follows=0) for _, then in chosen] + [Leaning(in_full([first], then), continues=0) for first, then in chosen]


def _all() -> Iterator[Session]:
    for folder in FOLDERS:
        for path in sorted((PEOPLE.parent / folder).glob("*.jsonl")):
            rows = map(json.loads, path.read_text("utf-8").splitlines())
            yield from (Session(one.lines, one.after, f"{folder}_{path.stem}") for one in evaluation.sessions_of(rows))
