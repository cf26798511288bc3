"""Which kind of reply fits what somebody tells: heads over the states of the trunk and of all layers above it, written as
`models/lira-encoder/response.onnx`.

    pip install "lira[models]"
    python models/make/understanding/response.py SCRATCH [--models models]

SCRATCH keeps the states from one run to the next. The nets (`nets.py`) learn from `data/responses` but every twelfth session, beside questions, which
want none of them, and their logits are averaged; from where they speak is chosen at the sessions left out. Seeds are fixed. Fourteen minutes a net on
one of two busy cores with the states.
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
from people import DEV, PEOPLE
from tone import QUESTIONS, question_rows

from lira_core.embedding.response import KINDS, ResponseHeads

EPOCHS, BESIDE = 18, 1500
"""Passes, and questions in each."""
NETS = 4
BEST = 0.7
"""What the kind that fits best counts where another fits about as well."""
FITS = 0.8
"""How much of what is heard has to fit, at the sessions left out."""
SET_ASIDE = "heldout"


@dataclass(frozen=True)
class Row:
    """A text; `kinds` are indices of KINDS, the best first; `apart`: of a session that is left out."""

    text: str
    kinds: tuple[int, ...] = (0,)
    apart: bool = False


def response_rows() -> list[Row]:
    paths = [path for path in sorted((PEOPLE.parent / "responses").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    sessions = [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]
    return [
        Row(text, tuple(KINDS.index(kind) for kind in kinds), i % DEV == 0)
        for i, one in enumerate(sessions)
        for text, kinds in zip(one["lines"], one["response"], strict=True)
    ]


def loss_of(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    wanted = torch.zeros_like(logits)
    for i, row in enumerate(rows):
        for kind, share in zip(row.kinds, (BEST, 1 - BEST) if len(row.kinds) > 1 else (1.0,), strict=True):
            wanted[i, kind] = share
    return F.cross_entropy(logits, wanted, reduction="sum")


def make() -> Net:
    return Net(len(KINDS), seen=DEEP)


def place(logits: np.ndarray, rows: list[Row]) -> float:
    """How likely the likeliest kind has to be so that FITS of what is heard fits."""
    odds = np.exp(logits - logits.max(1, keepdims=True))
    odds /= odds.sum(1, keepdims=True)
    likeliest, sure = odds.argmax(1), odds.max(1)
    fits = np.array([found in row.kinds for found, row in zip(likeliest, rows, strict=True)])
    heard = likeliest > 0
    return next(float(at) for at in np.arange(0, 1, 0.01) if fits[heard & (sure >= at)].mean() >= FITS)


def main() -> None:
    args = nets.options(__doc__)
    written, plain = response_rows(), random.Random(3).sample([Row(row.text) for row in question_rows()], QUESTIONS)
    states = deep_states_of([row.text for row in (*written, *plain)], args.models, args.scratch / "deep_states.pt")
    left = [row for row in written if row.apart]
    # The sessions of `asked` are some of those of `lines`: what is left out of either nothing may learn from.
    known = {row.text for row in left}
    rows = [row for row in written if row.text not in known]
    print(f"{len(rows)} lines, left out {len(left)}; questions: {len(plain)}", flush=True)
    if args.only in (None, "nets"):
        for seed in range(NETS):
            net = nets.learn(rows, plain, states, loss_of, make, seed=seed, epochs=EPOCHS, beside=BESIDE)
            torch.save(net.state_dict(), args.scratch / f"response_{seed}.pt")
    if args.only in (None, "write"):
        learnt = [make() for _ in range(NETS)]
        for seed, net in enumerate(learnt):
            net.load_state_dict(torch.load(args.scratch / f"response_{seed}.pt"))
        together = Together(learnt, [len(KINDS)]).eval()
        found = nets.logits(together, left, states, len(KINDS))
        heads = ResponseHeads(round(place(found, left), 3))
        heard = [KINDS.index(heads.read(one)) for one in found]
        told = [kind in row.kinds for kind, row in zip(heard, left, strict=True) if kind]
        print(json.dumps({"lines": len(left), "heard": round(len(told) / len(left), 3), "fits": round(float(np.mean(told)), 3)}), flush=True)
        folder = args.models / "lira-encoder"
        nets.write(together, ResponseHeads.OUTPUTS, folder / ResponseHeads.FILE, DEEP)
        stored: dict[str, Any] = {
            "speaks": heads.speaks,
            "emotion": "lira-emotion",
            "kinds": KINDS,
            "what": "how likely the likeliest kind of reply has to be to be heard",
            "fitted_on": f"{len(left)} lines of sessions from which nothing learnt: of what is heard there {FITS} fits",
        }
        (folder / ResponseHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
