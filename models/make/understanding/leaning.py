"""Whether an utterance wants what was said before it: a head over the trunk's states, written as `models/lira-encoder/leaning.onnx`.

    pip install "lira[models]"
    python models/make/understanding/leaning.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. The nets (`nets.py`) learn from every session of `data/lines`, `data/told` and `data/talks`
but each twelfth, and their logits are averaged; where the head is even is chosen at those. Seeds are fixed.
"""

from __future__ import annotations

import json

import nets
import numpy as np
import torch
import torch.nn.functional as F
from nets import Net, Together, states_of
from sessions import Line, lines

from lira_core.embedding.leaning import FOLLOWS, LeaningHeads

FALSELY = 0.05
"""How much of what stands alone the head may take for what follows, at the sessions left out: what is glued to what it has nothing to do with is told
back so."""
EPOCHS = 14


def loss_of(logits: torch.Tensor, rows: list[Line]) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(logits[:, 0], torch.tensor([float(row.follows) for row in rows]), reduction="sum")


def main() -> None:
    args = nets.options(__doc__)
    rows, left = lines(), lines(dev=True)
    states = states_of([row.text for row in (*rows, *left)], args.models, args.scratch / "safety_states.pt")
    print(f"{len(rows)} lines, {len(left)} to choose by", flush=True)

    def learn(seed: int) -> Net:
        return nets.learn(rows, [], states, loss_of, lambda: Net(1), seed=seed, epochs=EPOCHS)

    if ready := nets.kept(args, "leaning", learn, lambda: Net(1)):
        together = Together(ready, [1]).eval()
        found, follows = nets.logits(together, left, states, 1)[:, 0], np.array([row.follows for row in left]) > 0
        place = round(float(np.quantile(found[~follows], 1 - FALSELY)), 3)
        print(json.dumps({"of": int(follows.sum()), "found": round(float((found[follows] > place).mean()), 3), "falsely": FALSELY}), flush=True)
        folder = args.models / "lira-encoder"
        nets.write(together, LeaningHeads.OUTPUTS, folder / LeaningHeads.FILE)
        stored = {
            FOLLOWS: place,
            "what": "log odds from which the head speaks",
            "fitted_on": f"sessions of people left out, of whose lines that stand alone it takes {FALSELY} for what follows",
        }
        (folder / LeaningHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
