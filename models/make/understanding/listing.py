"""Whether all that was told about something is asked for: a head over the trunk's states, written as `models/lira-encoder/listing.onnx`.

    pip install "lira[models]"
    python models/make/understanding/listing.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. The nets (`nets.py`) learn from every line of `data/listing` but each twelfth, beside what
people tell, ask and type, and their logits are averaged; from where the head speaks is chosen at what is left out of these. Seeds are fixed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import nets
import numpy as np
import torch
import torch.nn.functional as F
from manner import everyday_rows, manner_rows
from nets import Net, Together, states_of
from people import PEOPLE, askers, left_out
from sessions import typed

from lira_core.embedding.listing import LISTS, ListingHeads

FALSELY = 0.002
"""How often the head may speak at what people tell, type and ask that asks for one thing: they get a list instead of the answer."""
EPOCHS, OFTEN = 24, 2
"""Passes, and how often `data/listing` is learnt in each: it has the nearest neighbours of what asks for a list."""
BOTH = ("list", "broader", "two_hop", "two_steps")
"""Kinds of questions that may want more than one thing told: of no use to learn one from the other by."""
SET_ASIDE = "heldout"
LISTING = PEOPLE.parent / "listing"


@dataclass(frozen=True)
class Row:
    text: str
    hand: str
    lists: bool = False


def written_rows() -> list[Row]:
    """`data/listing`: lines with their kind, and people with what they ask, each of which asks for all of something."""
    out = []
    for path in sorted(path for path in LISTING.glob("*.jsonl") if not path.stem.startswith(SET_ASIDE)):
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            texts = (
                [(row["text"], row["kind"] == "list")]
                if "kind" in row
                else [*((ask["q"], True) for ask in row["asks"]), *((said, False) for said in row["says"])]
            )
            out += [Row(text, f"listing_{path.stem}", lists) for text, lists in texts]
    return out


def plain_rows(*, dev: bool = False) -> list[Row]:
    """What people tell and ask, wish to be forgotten, type of their own accord and ask of it: all but every twelfth, or with `dev` those."""
    manners = manner_rows()
    out = [Row(row.text, row.hand) for row in everyday_rows(dev=dev)]
    out += [Row(row.text, row.hand) for row, left in zip(manners, left_out(row.hand for row in manners), strict=True) if left == dev]
    out += [Row(one.text, "typed") for one in typed(dev=dev)]
    return out + [Row(ask.text, person.hand) for person in askers(dev=dev) for ask in person.asks if ask.kind not in BOTH]


def loss_of(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(logits[:, 0], torch.tensor([float(row.lists) for row in rows]), reduction="sum")


def main() -> None:
    args = nets.options(__doc__)
    written, plain, left = written_rows(), plain_rows(), plain_rows(dev=True)
    apart = left_out(row.hand for row in written)
    rows = [row for row, out in zip(written, apart, strict=True) if not out for _ in range(OFTEN)]
    near = [row for row, out in zip(written, apart, strict=True) if out]
    states = states_of([row.text for row in (*written, *plain, *left)], args.models, args.scratch / "safety_states.pt")
    print(f"{len(written)} lines, {len(plain)} beside, {len(left)} to choose by", flush=True)

    def learn(seed: int) -> Net:
        return nets.learn(rows, plain, states, loss_of, lambda: Net(1), seed=seed, epochs=EPOCHS)

    if ready := nets.kept(args, "listing", learn, lambda: Net(1)):
        together = Together(ready, [1]).eval()
        found = nets.logits(together, [*left, *near], states, 1)[:, 0]
        place = round(float(np.quantile(found[: len(left)], 1 - FALSELY)), 3)
        speaks, lists = found[len(left) :] > place, np.array([row.lists for row in near])
        print(json.dumps({"place": place, "found": float(speaks[lists].mean()), "near": float(speaks[~lists].mean()), "of": len(near)}), flush=True)
        folder = args.models / "lira-encoder"
        nets.write(together, ListingHeads.OUTPUTS, folder / ListingHeads.FILE)
        stored = {
            LISTS: place,
            "what": "log odds from which the head speaks",
            "fitted_on": f"what people left out tell, type and ask for one thing, of which it takes {FALSELY} for what asks for all",
        }
        (folder / ListingHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
