"""Who asks what LIRA is, who leans on it alone, and who sounds at risk: heads over the trunk's states, written as `models/lira-encoder/safety.onnx`.

    pip install "lira[models]"
    python models/make/understanding/safety.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. The nets (`nets.py`) learn from everything but every twelfth person and line, and their
logits are averaged; where each head speaks is chosen at the everyday talk left out. `--only strangers` says how a net does on whole hands that it
never met. Seeds are fixed. Twenty minutes on one core.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any

import nets
import numpy as np
import torch
import torch.nn.functional as F
from nets import Net, States, Together, states_of
from people import left_out
from safety_rows import Row, everyday_rows, harmless_rows, identity_rows, ordinary_rows, risk_rows, swapped, typed_rows
from sessions import labelled

from lira_core.embedding.safety import WIDTH, SafetyHeads

LEFT_OUT = (
    ("identity_second", "identity_third", "identity_fifth", "risk_first", "risk_seventeenth"),
    ("identity_first", "identity_fourth", "identity_seventh", "risk_fourth", "risk_fifth", "risk_sixth"),
)
"""Hands that the net of one fold never meets."""
FALSE = {"identity": 0.006, "attachment": 0.002, "risk": 0.01, "surely": 0.002}
"""How often a head may speak, and be sure of risk, at everyday talk of people left out; of risk at those lines of `data/lines` that have none, from
which no net learns: what people tell for the memory's sake is calmer than what they type, and of the sessions that are learnt from others by the same
hands are no measure (.001 where it is .012 of strangers')."""


def loss_of(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    conduct, risk = torch.tensor([r.conduct for r in rows]), torch.tensor([r.risk for r in rows])
    manner = F.cross_entropy(logits[:, :3], conduct, ignore_index=-1, reduction="sum")
    danger = F.binary_cross_entropy_with_logits(logits[:, 3], risk.float(), reduction="none")[risk >= 0].sum()
    return manner + danger


def odds(net: torch.nn.Module, rows: list[Row], states: States) -> dict[str, np.ndarray]:
    """Log odds of each head, one a row. A net gives neither, identity, attachment; at risk."""
    found = nets.logits(net, rows, states, WIDTH)
    return {"identity": found[:, 1] - found[:, 0], "attachment": found[:, 2] - found[:, 0], "risk": found[:, 3], "surely": found[:, 3]}


def learn(rows: list[Row], plain: list[Row], states: States, seed: int) -> Net:
    return nets.learn(rows, plain, states, loss_of, lambda: Net(WIDTH), seed=seed)


def strangers(written: list[Row], made: list[Row], plain: list[Row], states: States) -> None:
    """Prints how a net does on hands that it never met."""
    for seed, hands in enumerate(LEFT_OUT):
        net = learn([row for row in written + made if row.hand not in hands], plain, states, seed)
        rows = [row for row in written if row.hand in hands]
        tell(odds(net, rows, states), rows)


def tell(found: dict[str, np.ndarray], rows: list[Row], places: dict[str, float] | None = None) -> None:
    """Prints what each head finds where it is right, and how often it speaks at the lines near it; without `places` at some shares of the latter."""
    for name, wanted in (("identity", 1), ("attachment", 2), ("risk", 1), ("surely", 1)):
        labels = np.array([row.risk if name in ("risk", "surely") else row.conduct if row.hand.startswith("identity") else -1 for row in rows])
        right, near = found[name][labels == wanted], found[name][labels == 0]
        if places:
            heard = {"found": float((right > places[name]).mean()), "near": float((near > places[name]).mean())}
        else:
            heard = {f"at {false} of the near": float((right > np.quantile(near, 1 - false)).mean()) for false in (0.01, 0.04, 0.1)}
        print(name, json.dumps({what: round(share, 3) for what, share in heard.items()}), flush=True)


def write(together: Together, places: dict[str, float], folder: pathlib.Path) -> None:
    nets.write(together, SafetyHeads.OUTPUTS, folder / SafetyHeads.FILE)
    stored: dict[str, Any] = {name: round(place, 3) for name, place in places.items()} | {
        "what": "log odds from which a head speaks",
        "fitted_on": f"everyday talk of people left out, of risk lines of sittings, at which the heads speak {FALSE} of the time",
    }
    (folder / SafetyHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


def main() -> None:
    args = nets.options(__doc__, "strangers")
    written, plain, left = [*identity_rows(), *risk_rows(), *ordinary_rows(), *harmless_rows()], everyday_rows(), everyday_rows(dev=True)
    made = swapped(written)
    apart = {row.text for row, out in zip(written, left_out(row.hand for row in written), strict=True) if out}
    learnt = [row for row in written if row.text not in apart]
    typed, sat = typed_rows(), [Row(row["text"], hand) for hand, row in labelled("risk") if not row["risk"]]
    rows = learnt + swapped(learnt) + typed
    states = states_of([row.text for row in (*written, *made, *plain, *left, *typed, *sat)], args.models, args.scratch / "safety_states.pt")
    print(
        f"{len(written)} lines, {len(made)} made of them; typed {len(typed)}; everyday talk: {len(plain)}; left out {len(left)}",
        flush=True,
    )
    if args.only == "strangers":
        strangers(written, made, plain, states)
    if ready := nets.kept(args, "safety", lambda seed: learn(rows, plain, states, seed), lambda: Net(WIDTH)):
        together = Together(ready, [WIDTH]).eval()
        at_ease = odds(together, left, states)
        typing = odds(together, sat, states)
        at_ease |= {name: typing[name] for name in ("risk", "surely")}
        places = {name: float(np.quantile(at_ease[name], 1 - false)) for name, false in FALSE.items()}
        rows = [row for row in written if row.text in apart]
        tell(odds(together, rows, states), rows, places)
        write(together, places, args.models / "lira-encoder")


if __name__ == "__main__":
    main()
