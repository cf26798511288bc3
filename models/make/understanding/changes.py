"""Changes: whether a later statement may change what an earlier one of the same person says: calls it off, moves it, corrects it, says how it came
out. The cross-encoder, which learns the same rows, decides among those that this small network suspects.

    python models/make/understanding/changes.py BASE SCRATCH
    python models/make/understanding/export.py BASE SCRATCH models --only lira-reader
    python models/make/understanding/calibrate.py --only reader

It learns each earlier statement beside later ones of the same person, as the reader asks it: which of the later ones change this one?
(`data/changes`, labels of other hands for the persons of `data/people`, `data/told` and `data/talks`.)
Writes SCRATCH/changes.pt. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from aligned import Aligned
from misses import CHANGES, Near, near
from people import DEV, Person, everybody_who_asks, people
from trunk import Trunk, halved, pad, use_gpu

EPOCHS, STEP, RATE = 2, 12, 5e-4
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


def changing(persons: Sequence[Labelled]) -> dict[str, list[str]]:
    """By language, the statements that change something."""
    out: dict[str, list[str]] = {}
    for one in persons:
        out.setdefault(one.person.language, []).extend(one.person.says[i] for i in sorted({later for later, _ in one.changes}))
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


def taken_from_others(persons: Sequence[Labelled], rng: random.Random) -> list[Row]:
    """Each earlier statement beside one that changes something for somebody else."""
    foreign = changing(persons)
    return [Row(said, (rng.choice(foreign[one.person.language]),), (False,)) for one in persons for said in one.person.says]


def logits(model: Aligned, trunk: Trunk, some: Sequence[Row]) -> torch.Tensor:
    """(all later statements of the rows,)."""
    earlier = pad([text.states for text in trunk.read([("passage", row.earlier) for row in some])])
    later = pad([text.states for text in trunk.read([("passage", said) for row in some for said in row.later])])
    index = torch.tensor([i for i, row in enumerate(some) for _ in row.later])
    with halved():
        found = model(earlier[0][index].float(), earlier[1][index], later[0].float(), later[1])
    return found.float()[:, 0]


def train(trunk: Trunk, persons: Sequence[Labelled], close: Sequence[Near], model: Aligned, *, epochs: int, after, seed: int = 8) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.05)
    step, steps, began = 0, 0, time.time()
    for epoch in range(epochs):
        some = [row for one in persons for row in rows(one, rng)] + [of_near_change(one, rng) for one in close]
        rng.shuffle(some)
        steps = steps or epochs * -(-len(some) // STEP)
        model.train()
        losses = []
        for start in range(0, len(some), STEP):
            part = some[start : start + STEP]
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1, step / 100) * max(0.02, 1 - step / steps)
            gold = torch.tensor([float(one) for row in part for one in row.changes])
            loss = F.binary_cross_entropy_with_logits(logits(model, trunk, part), gold)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
        print(f"pass {epoch}: loss {np.mean(losses):.4f}, {time.time() - began:.0f} s", flush=True)
        after(model, epoch)


@torch.no_grad()
def scores(model: Aligned, trunk: Trunk, some: Sequence[Row]) -> list[np.ndarray]:
    model.eval()
    return [logits(model, trunk, [row]).cpu().numpy() for row in some]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--go-on", action="store_true", help="from SCRATCH/changes.pt; with --epochs 0 it is measured alone")
    args = parser.parse_args()
    trunk = Trunk(args.base, args.scratch / "trunk.pt")
    learners, left = labelled(dev=False), labelled(dev=True)
    dev = [row for one in left for row in rows(one, None)]
    others, close = taken_from_others(left, random.Random(9)), [of_near_change(one, random.Random(9)) for one in near(dev=True)]
    print(f"{len(learners)} persons with {sum(len(one.changes) for one in learners)} changes; {len(left)} left out with {len(dev)} rows", flush=True)

    def after(model: Aligned, epoch: int) -> None:
        found = scores(model, trunk, dev)
        speaks = place(found, dev)
        figured = figures(found, dev, speaks) | {"others": figures(scores(model, trunk, others), others, speaks)["false"]}
        figured["close"] = figures(scores(model, trunk, close), close, speaks)
        torch.save(model.state_dict(), args.scratch / "changes.pt")
        print("dev", epoch, f"from {speaks:.2f}", json.dumps(figured), flush=True)

    model = Aligned()
    if args.go_on:
        model.load_state_dict(torch.load(args.scratch / "changes.pt"))
        after(model, -1)
    train(trunk, learners, near(), model, epochs=args.epochs, after=after)


if __name__ == "__main__":
    use_gpu()
    main()
