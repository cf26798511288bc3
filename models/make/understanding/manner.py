"""With what manner something is said (a greeting, leave, thanks, a wish to be forgotten, an emergency): heads over the trunk's states, written as
`models/lira-encoder/manner.onnx`.

    pip install "lira[models]"
    python models/make/understanding/manner.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. The nets (`nets.py`) learn from everything but every twelfth person and line, and their
logits are averaged; where each head speaks is chosen at the everyday talk left out. Seeds are fixed.
"""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass
from typing import Any

import nets
import numpy as np
import torch
import torch.nn.functional as F
from nets import Net, States, Together, states_of
from people import DEV, PEOPLE, left_out, people
from safety_rows import identity_rows
from sessions import labelled, sessions, typed
from utterance_rows import UTTERANCES

from lira_core.embedding.manner import MANNERS, MannerHeads

FALSE = {
    "hello": 0.002, "bye": 0.002, "night": 0.001, "thanks": 0.002, "sorry": 0.001, "forget": 0.002, "emergency": 0.001, "violence": 0.002,
}  # fmt: skip
"""How often a head may speak at everyday talk of people left out: at what they say and ask out of the blue."""
FLOOR = {"violence": 0.0}
LEAST = -1.0
"""No manner speaks at fewer log odds than these (LEAST, where FLOOR has no other), at however little everyday talk that would be: unbounded they were
false of up to .04 of the written lines left out. What is taken for violence gets no other answer: it has to be likelier than none of it."""
NETS = 1
"""Three that had not learnt from what people type found as much, and heard an emergency or violence in .007 of it instead of .001."""
EPOCHS = 36
"""Three times as many as of the safety heads: there are a third of their lines."""
OFTEN = 2
"""Whatever has a manner is learnt so often in each pass: nine in ten lines have none."""
SET_ASIDE = "heldout"
CALM = -2
"""Of ordinary talk nobody says whether it is small talk, but that it wants none of CARE."""
CARE = [MANNERS.index(name) for name in ("forget", "emergency", "violence")]


@dataclass(frozen=True)
class Row:
    """A text; `manner` an index of MANNERS, or CALM; -1 where nobody says. `hand` is the file it comes from."""

    text: str
    hand: str
    manner: int = -1


def manner_rows() -> list[Row]:
    """`data/manner`, and the lines of `data/lines` that say with which."""
    paths = [path for path in sorted((PEOPLE.parent / "manner").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    raw = [(f"manner_{path.stem}", row) for path in paths for row in _read(path)]
    return [Row(row["text"], hand, MANNERS.index(row["manner"])) for hand, row in raw + labelled("manner")]


def ordinary_rows() -> list[Row]:
    """`data/ordinary`."""
    paths = [path for path in sorted((PEOPLE.parent / "ordinary").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    cares = {MANNERS[i]: i for i in CARE}
    return [Row(row["text"], f"ordinary_{path.stem}", cares.get(row["care"], CALM)) for path in paths for row in _read(path)]


def typed_rows(*, dev: bool = False) -> list[Row]:
    """What people type of their own accord."""
    return [Row(one.text, "typed", CALM) for one in typed(dev=dev)]


def session_rows() -> list[Row]:
    """What is said and asked in sessions, one after the other, where nobody says with which manner."""
    said = {hand for hand, _ in labelled("manner")}
    return [Row(line, one.hand, _none(line)) for one in sessions() if one.hand not in said for line in one.lines]


def everyday_rows(*, dev: bool = False) -> list[Row]:
    """What people say and ask, and the labelled utterances; of those left out with `dev`. Small talk is left to `data/manner`, and what people of
    `data/talks` and `data/told` say to `session_rows`."""
    out: list[Row] = []
    for path in sorted(UTTERANCES.glob("utterances*.jsonl")):
        rows = _read(path)
        apart = left_out([path.stem] * len(rows))
        out += [Row(r["text"], path.stem, 0) for r, a in zip(rows, apart, strict=True) if a == dev and r["status"] != "chat"]
    for i, person in enumerate(people()):
        if (i % DEV == 0) == dev and not person.hand.startswith(("talks_", "told_")):
            status = person.status or ("fact",) * len(person.says)
            out += [Row(text, "people", -1 if kind == "chat" else 0) for text, kind in zip(person.says, status, strict=True)]
            out += [Row(ask.text, "people", -1 if ask.kind == "small_talk" else 0) for ask in person.asks]
    return out if dev else out + [Row(row.text, row.hand, 0) for row in identity_rows()]


def _none(text: str) -> int:
    """Longer than a greeting: what is told or asked in these files is none of the manners, but for small talk."""
    return 0 if len(text) > 12 else -1


def loss_of(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    manner = torch.tensor([row.manner for row in rows])
    told = F.cross_entropy(logits, manner.clamp(min=-1), ignore_index=-1, reduction="sum")
    likely = F.log_softmax(logits, 1)[manner == CALM]
    return told - likely[:, [i for i in range(len(MANNERS)) if i not in CARE]].logsumexp(1).sum()


WIDTH = len(MANNERS)


def odds(net: torch.nn.Module, rows: list[Row], states: States) -> dict[str, np.ndarray]:
    """Log odds of each head, one a row: of a manner against none."""
    found = nets.logits(net, rows, states, WIDTH)
    return {name: found[:, i] - found[:, 0] for i, name in enumerate(MANNERS) if i}


def tell(found: dict[str, np.ndarray], rows: list[Row], places: dict[str, float]) -> None:
    """Prints what each head finds where it is right, and how often it speaks at the others."""
    for name in FALSE:
        wanted = MANNERS.index(name)
        labels = np.array([row.manner for row in rows])
        speaks = found[name] > places[name]
        calm = CALM if wanted in CARE else 0
        right, others = speaks[labels == wanted], speaks[(labels != wanted) & ((labels >= 0) | (labels == calm))]
        print(name, json.dumps({"of": len(right), "found": round(float(right.mean()), 3), "falsely": round(float(others.mean()), 4)}), flush=True)


def _read(path: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def main() -> None:
    args = nets.options(__doc__)
    written, plain, left = [*manner_rows(), *ordinary_rows(), *session_rows()], everyday_rows(), everyday_rows(dev=True)
    typing, typing_left = typed_rows(), typed_rows(dev=True)
    states = states_of([row.text for row in (*written, *plain, *left, *typing, *typing_left)], args.models, args.scratch / "safety_states.pt")
    apart = left_out(row.hand for row in written)
    rows = [row for row, out in zip(written, apart, strict=True) if not out for _ in range(OFTEN if row.manner > 0 else 1)] + typing
    print(f"{len(written)} lines, {len(typing)} typed; everyday talk: {len(plain)}, of people left out {len(left)}", flush=True)

    def learn(seed: int) -> Net:
        return nets.learn(rows, plain, states, loss_of, lambda: Net(WIDTH), seed=seed, epochs=EPOCHS)

    if ready := nets.kept(args, "manner", learn, lambda: Net(WIDTH), NETS):
        together = Together(ready, [WIDTH]).eval()
        at_ease = [row for row in left if row.manner == 0]
        found, typed_odds = odds(together, at_ease, states), odds(together, typing_left, states)
        # What is wanted of care is no more often heard in what people type than in what they say for the memory's sake.
        found |= {MANNERS[i]: np.concatenate([found[MANNERS[i]], typed_odds[MANNERS[i]]]) for i in CARE}
        places = {name: max(float(np.quantile(found[name], 1 - false)), FLOOR.get(name, LEAST)) for name, false in FALSE.items()}
        rows = [row for row, out in zip(written, apart, strict=True) if out]
        tell(odds(together, rows, states), rows, places)
        folder = args.models / "lira-encoder"
        nets.write(together, MannerHeads.OUTPUTS, folder / MannerHeads.FILE)
        stored: dict[str, Any] = {name: round(place, 3) for name, place in places.items()} | {
            "what": "log odds from which a head speaks; a manner's against none",
            "fitted_on": f"everyday talk of people left out, at which the heads speak {FALSE} of the time",
        }
        (folder / MannerHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
