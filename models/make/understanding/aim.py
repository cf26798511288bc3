"""What somebody wants of LIRA who asks for nothing that they told: heads over the states of the trunk and of all layers above it, written as
`models/lira-encoder/aim.onnx`.

    pip install "lira[models]"
    python models/make/understanding/aim.py SCRATCH [--models models]

SCRATCH keeps the states from one run to the next. The nets (`nets.py`) learn from `data/aims` but every twelfth line, beside what people tell
(`data/lines`, `data/responses/sessions`) and what they ask of it (`data/asked`), and their logits are averaged; from where they speak is chosen at
what is left out of these. Seeds are fixed. Six minutes on one of two busy cores with the states.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import Any

import nets
import numpy as np
import torch
import torch.nn.functional as F
from nets import DEEP, Net, Together, deep_states_of
from people import PEOPLE, askers, left_out
from sessions import labelled, typed

from lira_core.embedding.aim import AIMS, AimHeads

EPOCHS, BESIDE, ASKED = 16, 3000, 3000
"""Passes, lines beside in each, and questions among those to draw from."""
FALSE = 0.03
"""How often the heads may speak at what people tell and ask of it. More than half of these lines are questions of memory, many in half words, which
sound like anything; what plainly asks for memory is told from what was told all the same (`Understood.aim`)."""
SET_ASIDE = "heldout"


@dataclass(frozen=True)
class Row:
    """A text; `aim` an index of AIMS."""

    text: str
    hand: str
    aim: int = 0


def aim_rows() -> list[Row]:
    """`data/aims`, and what is asked in those of `data/lines` that say what for; what else is said there is among `plain_rows`."""
    paths = [path for path in sorted((PEOPLE.parent / "aims").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    raw = [(path.stem, json.loads(line)) for path in paths for line in path.read_text("utf-8").splitlines()]
    raw += [(hand, row) for hand, row in labelled("aim") if row["asks"] == "other"]
    return [Row(row["text"], hand, AIMS.index(row["aim"])) for hand, row in raw]


def plain_rows(*, dev: bool = False) -> list[Row]:
    """What people tell, type of their own accord without asking, and ask of what they told: all but every twelfth line and person, or with `dev`
    those."""
    told = [(hand, row) for hand, row in labelled("asks") if row["asks"] != "other"]
    out = [Row(row["text"], hand) for (hand, row), left in zip(told, left_out(hand for hand, _ in told), strict=True) if left == dev]
    asked = [Row(ask.text, person.hand) for person in askers(dev=dev) for ask in person.asks if ask.kind != "small_talk"]
    out += [Row(one.text, "typed") for one in typed(dev=dev) if one.asks_nothing]
    return out + random.Random(7).sample(asked, min(ASKED, len(asked)))


def loss_of(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    return F.cross_entropy(logits, torch.tensor([row.aim for row in rows]), reduction="sum")


def make() -> Net:
    return Net(len(AIMS), seen=DEEP)


def main() -> None:
    args = nets.options(__doc__)
    written, plain, left = aim_rows(), plain_rows(), plain_rows(dev=True)
    states = deep_states_of([row.text for row in (*written, *plain, *left)], args.models, args.scratch / "deep_states.pt")
    apart = left_out(row.hand for row in written)
    rows = [row for row, out in zip(written, apart, strict=True) if not out]
    print(f"{len(written)} lines; beside: {len(plain)}, left out {len(left)}", flush=True)

    def learn(seed: int) -> Net:
        return nets.learn(rows, plain, states, loss_of, make, seed=seed, epochs=EPOCHS, beside=BESIDE)

    if ready := nets.kept(args, "aim", learn, make):
        together = Together(ready, [len(AIMS)]).eval()
        found = nets.logits(together, left, states, len(AIMS))
        speaks = round(float(np.quantile(found[:, 1:].max(1) - found[:, 0], 1 - FALSE)), 3)
        rows = [row for row, out in zip(written, apart, strict=True) if out and row.aim]
        heads, logits = AimHeads(speaks), nets.logits(together, rows, states, len(AIMS))
        right = np.mean([heads.read(one).aim == AIMS[row.aim] for one, row in zip(logits, rows, strict=True)])
        print(json.dumps({"lines": len(rows), "right": round(float(right), 3), "speaks": speaks}), flush=True)
        folder = args.models / "lira-encoder"
        nets.write(together, AimHeads.OUTPUTS, folder / AimHeads.FILE, DEEP)
        stored: dict[str, Any] = {
            "speaks": speaks,
            "emotion": "lira-emotion",
            "what": "log odds of the likeliest aim against none from which it is plainly heard",
            "fitted_on": f"{len(left)} lines that people tell and ask, from which nothing learnt: at these the heads speak {FALSE} of the time",
        }
        (folder / AimHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
