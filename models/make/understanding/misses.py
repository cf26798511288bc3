"""What changes a statement, and what comes close and does not: `data/changes/near*`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from people import ROOT, left_out

CHANGES = ROOT / "data" / "changes"


@dataclass(frozen=True)
class Near:
    """An `earlier` statement of the `hand`; a later one that changes it; two later ones of the same person that do not. A `question` of yes or no
    about it, which neither of these says anything to: what the earlier one says to it, and what the change says by itself, if either. `asked`:
    another question that the earlier one answers and the misses do not."""

    hand: str
    earlier: str
    change: str
    misses: tuple[str, ...]
    question: str
    verdict: str
    then: str | None
    asked: str


def near(*, dev: bool = False) -> list[Near]:
    """All but every twelfth of each hand, or with `dev` those; without the hands set aside, whose files begin otherwise."""
    raw: list[tuple[str, dict[str, Any]]] = [
        (path.stem, json.loads(line)) for path in sorted(CHANGES.glob("near*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    apart = left_out(hand for hand, _ in raw)
    return [_near(hand, row) for (hand, row), out in zip(raw, apart, strict=True) if out == dev]


def _near(stem: str, row: dict[str, Any]) -> Near:
    hand = f"{stem.removeprefix('near_')}_near_misses"
    return Near(hand, row["earlier"], row["change"], tuple(row["misses"]), row["question"], row["verdict"], row["then"], row["asked"])
