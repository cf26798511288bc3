"""Who asks what LIRA is, who leans on it alone, who sounds at risk: heads over the trunk's states, written as `models/lira-encoder/safety.onnx`.

    pip install "lira[models]"
    python models/make/understanding/safety.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. Whole hands are left out first, to choose where each head speaks and to say how it
does on people it never met; then three nets learn from everything but every twelfth person and utterance, and their logits are averaged.
Seeds are fixed. Half an hour on one core.

Each net is a convolution over the states of one to three pieces and the largest answer of each filter (Kim 2014): what decides here is a few
words side by side, and the shared trunk has put their neighbourhood into them already.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import sys
import time
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

from safety_rows import Row, everyday_rows, identity_rows, risk_rows, swapped  # noqa: E402
from trunk import pad  # noqa: E402

from lira_core.embedding.onnx import utterances  # noqa: E402
from lira_core.embedding.safety import SAFETY, SAFETY_CALIBRATION, SAFETY_FILE  # noqa: E402
from lira_core.onnx import STATES, OnnxTextModel, padded  # noqa: E402

NARROW, FILTERS, SPANS = 128, 96, (1, 2, 3)
NETS = 3
STEP, EPOCHS, RATE = 64, 6, 1.5e-3
PLAIN = 3000
"""Lines of everyday talk in one pass; more would drown what is to be found."""
LEFT_OUT = (("identity_second", "risk_first", "risk_fifth"), ("identity_first", "risk_fourth"))
"""Hands that the nets of one fold never meet; what is known of strangers comes from them."""
FALSE = {"identity": 0.001, "attachment": 0.001, "risk": 0.01}
"""How often a head may speak at everyday talk of people left out."""
OPSET = 17

States = dict[str, torch.Tensor]


def states_of(texts: list[str], models: pathlib.Path, cache: pathlib.Path) -> States:
    """What the shipped trunk makes of each text, (pieces, 384), half precision."""
    known: States = torch.load(cache) if cache.exists() else {}
    trunk = OnnxTextModel(models / "lira-trunk", output=STATES, setting="--models")
    new = sorted(set(texts) - known.keys(), key=len)
    for start in range(0, len(new), STEP):
        part = new[start : start + STEP]
        ids = [encoding.ids for encoding in trunk.encode(utterances(part))]
        for text, one in zip(part, _through(trunk, ids), strict=True):
            known[text] = torch.from_numpy(one).half()
    if new:
        torch.save(known, cache)
    return known


def _through(trunk: OnnxTextModel, ids: list[list[int]]) -> list[np.ndarray]:
    rows = trunk.outputs(padded(ids), (STATES,))[STATES]
    return [row[: len(one)] for row, one in zip(rows, ids, strict=True)]


class Net(nn.Module):
    """Logits (texts, 4): neither, identity, attachment; at risk. No bias where padding would answer with it."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.narrow = nn.LayerNorm(384), nn.Linear(384, NARROW)
        self.spans = nn.ModuleList(nn.Conv1d(NARROW, FILTERS, span, padding=span - 1, bias=False) for span in SPANS)
        self.head = nn.Linear(FILTERS * len(SPANS) + NARROW, 4)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        seen = F.gelu(self.narrow(F.dropout(self.norm(states), 0.2, self.training))) * mask[..., None]
        found = [F.relu(span(seen.transpose(1, 2)).amax(2)) for span in self.spans]
        whole = torch.cat([*found, seen.sum(1) / mask.sum(1, keepdim=True)], 1)
        return self.head(F.dropout(whole, 0.4, self.training))


class Together(nn.Module):
    """The nets' logits, averaged; of `attention_mask` as the trunk takes it."""

    def __init__(self, nets: list[Net]) -> None:
        super().__init__()
        self.nets = nn.ModuleList(nets)

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        return torch.stack([net(states, attention_mask.float()) for net in self.nets]).mean(0)


def learn(rows: list[Row], plain: list[Row], states: States, seed: int) -> Net:
    """Of `plain` each pass takes others."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    net = Net()
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.02)
    step, steps, began = 0, EPOCHS * ((len(rows) + PLAIN) // STEP + 1), time.time()
    for _ in range(EPOCHS):
        losses = []
        for part in _steps(rows + rng.sample(plain, PLAIN), states, rng):
            loss = _loss(net(*pad([states[row.text].float() for row in part])), part)
            for group in optimiser.param_groups:
                group["lr"] = RATE * min(1, step / 40) * max(0.03, 1 - step / steps)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
            step += 1
    print(f"seed {seed}: {len(rows)} lines, loss {sum(losses) / len(losses):.3f}, {time.time() - began:.0f} s", flush=True)
    return net.eval()


def _steps(rows: list[Row], states: States, rng: random.Random) -> list[list[Row]]:
    """All rows in a new order, texts of about one length together."""
    rng.shuffle(rows)
    parts = []
    for start in range(0, len(rows), STEP * 20):
        near = sorted(rows[start : start + STEP * 20], key=lambda row: len(states[row.text]))
        parts += [near[i : i + STEP] for i in range(0, len(near), STEP)]
    rng.shuffle(parts)
    return parts


def _loss(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    conduct, risk = torch.tensor([r.conduct for r in rows]), torch.tensor([r.risk for r in rows])
    manner = F.cross_entropy(logits[:, :3], conduct, ignore_index=-1, reduction="sum")
    danger = F.binary_cross_entropy_with_logits(logits[:, 3], risk.float(), reduction="none")[risk >= 0].sum()
    return (manner + danger) / len(rows)


@torch.no_grad()
def odds(net: nn.Module, rows: list[Row], states: States) -> dict[str, np.ndarray]:
    """Log odds of each head, one a row."""
    order = sorted(range(len(rows)), key=lambda i: len(states[rows[i].text]))
    out = torch.empty(len(rows), 4)
    for start in range(0, len(order), STEP):
        part = order[start : start + STEP]
        out[part] = net(*pad([states[rows[i].text].float() for i in part]))
    found = out.numpy()
    return {"identity": found[:, 1] - found[:, 0], "attachment": found[:, 2] - found[:, 0], "risk": found[:, 3]}


def strangers(written: list[Row], made: list[Row], plain: list[Row], left: list[Row], states: States) -> dict[str, float]:
    """The log odds from which each head speaks, chosen at everyday talk of people left out; prints what that finds in hands left out."""
    at_ease: dict[str, list[np.ndarray]] = {name: [] for name in FALSE}
    found: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {name: [] for name in FALSE}
    for seed, hands in enumerate(LEFT_OUT):
        net = learn([row for row in written + made if row.hand not in hands], plain, states, seed)
        test = [row for row in written if row.hand in hands]
        here, there = odds(net, test, states), odds(net, left, states)
        for name in FALSE:
            labels = np.array([row.risk if name == "risk" else row.conduct if row.hand.startswith("identity") else -1 for row in test])
            found[name].append((here[name][labels >= 0], labels[labels >= 0]))
            at_ease[name].append(there[name])
    return {name: _chosen(name, np.concatenate(at_ease[name]), found[name]) for name in FALSE}


def _chosen(name: str, at_ease: np.ndarray, found: list[tuple[np.ndarray, np.ndarray]]) -> float:
    place = float(np.quantile(at_ease, 1 - FALSE[name]))
    wanted = 2 if name == "attachment" else 1
    for values, labels in found:
        right, near = values[labels == wanted], values[labels == 0]
        curve = {f"at {false} of the near": round(float((right > np.quantile(near, 1 - false)).mean()), 3) for false in (0.01, 0.04, 0.1)}
        heard = {"found": round(float((right > place).mean()), 3), "near": round(float((near > place).mean()), 3)}
        print(name, round(place, 2), json.dumps(heard | curve), flush=True)
    return place


def write(nets: list[Net], places: dict[str, float], folder: pathlib.Path) -> None:
    example = {"states": torch.randn(2, 4, 384), "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])}
    axes = {0: "texts", 1: "tokens"}
    target = folder / SAFETY_FILE
    torch.onnx.export(
        Together(nets).eval(),
        tuple(example.values()),
        target,
        input_names=list(example),
        output_names=[SAFETY],
        dynamic_axes={**dict.fromkeys(example, axes), SAFETY: {0: "texts"}},
        opset_version=OPSET,
        dynamo=False,
    )
    stored: dict[str, Any] = {name: round(place, 3) for name, place in places.items()} | {
        "what": "log odds from which a head speaks",
        "fitted_on": f"everyday talk of people left out, at which the heads speak {FALSE} of the time; nets that never met one hand of each",
    }
    (folder / SAFETY_CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=HERE.parents[1])
    parser.add_argument("--only", choices=("places", "nets", "write"), help="of the steps; each keeps what it made in SCRATCH")
    args = parser.parse_args()
    written, plain, left = [*identity_rows(), *risk_rows()], everyday_rows(), everyday_rows(dev=True)
    made = swapped(written)
    rows = written + made
    states = states_of([row.text for row in (*rows, *plain, *left)], args.models, args.scratch / "safety_states.pt")
    print(f"{len(written)} lines, {len(made)} made of them; everyday talk: {len(plain)}, of people left out {len(left)}", flush=True)
    places = args.scratch / "safety_places.json"
    if args.only in (None, "places"):
        places.write_text(json.dumps(strangers(written, made, plain, left, states)))
    if args.only in (None, "nets"):
        for seed in range(NETS):
            torch.save(learn(rows, plain, states, seed).state_dict(), args.scratch / f"safety_{seed}.pt")
    if args.only in (None, "write"):
        nets = [Net() for _ in range(NETS)]
        for seed, net in enumerate(nets):
            net.load_state_dict(torch.load(args.scratch / f"safety_{seed}.pt"))
        write(nets, json.loads(places.read_text()), args.models / "lira-encoder")


if __name__ == "__main__":
    main()
