"""Who asks what LIRA is, who leans on it alone, who sounds at risk, and whose words want what was said before them: heads over the trunk's states,
written as `models/lira-encoder/safety.onnx`.

    pip install "lira[models]"
    python models/make/understanding/safety.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. The nets learn from everything but every twelfth person and line, and their logits
are averaged; where each head speaks is chosen at the everyday talk left out. `--only strangers` says how a net does on whole hands that it never
met. Seeds are fixed. Twenty minutes on one core.

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

from people import left_out  # noqa: E402
from safety_rows import Row, everyday_rows, follow_rows, identity_rows, risk_rows, swapped  # noqa: E402
from trunk import pad  # noqa: E402

from lira_core.embedding.onnx import utterances  # noqa: E402
from lira_core.embedding.safety import FOLLOWS, SAFETY, SAFETY_CALIBRATION, SAFETY_FILE, WIDTH  # noqa: E402
from lira_core.onnx import STATES, OnnxTextModel, padded  # noqa: E402

NARROW, FILTERS, SPANS = 128, 96, (1, 2, 3)
NETS = 3
STEP, EPOCHS, RATE = 64, 12, 1e-3
PLAIN = 3000
"""Lines of everyday talk in one pass; more would drown what is to be found."""
LEFT_OUT = (
    ("identity_second", "identity_third", "identity_fifth", "risk_first", "talks_ko_second"),
    ("identity_first", "identity_fourth", "identity_seventh", "risk_fourth", "risk_fifth", "risk_sixth", "talks_ko", "talks_en"),
)
"""Hands that the net of one fold never meets."""
FALSE = {"identity": 0.004, "attachment": 0.002, "risk": 0.01, "follows": 0.02}
"""How often a head may speak at everyday talk of people left out; what follows, at what they say and ask out of the blue."""
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
    """Logits (texts, 5): neither, identity, attachment; at risk; follows. No bias where padding would answer with it."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.narrow = nn.LayerNorm(384), nn.Linear(384, NARROW)
        self.spans = nn.ModuleList(nn.Conv1d(NARROW, FILTERS, span, padding=span - 1, bias=False) for span in SPANS)
        self.head = nn.Linear(FILTERS * len(SPANS) + NARROW, WIDTH + 1)

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

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        logits = torch.stack([net(states, attention_mask.float()) for net in self.nets]).mean(0)
        return logits[:, :WIDTH], logits[:, WIDTH:]


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
    danger, before = (
        F.binary_cross_entropy_with_logits(logits[:, column], labels.float(), reduction="none")[labels >= 0].sum()
        for column, labels in ((3, risk), (WIDTH, torch.tensor([r.follows for r in rows])))
    )
    return (manner + danger + before) / len(rows)


@torch.no_grad()
def odds(net: nn.Module, rows: list[Row], states: States) -> dict[str, np.ndarray]:
    """Log odds of each head, one a row."""
    order = sorted(range(len(rows)), key=lambda i: len(states[rows[i].text]))
    out = torch.empty(len(rows), WIDTH + 1)
    for start in range(0, len(order), STEP):
        part = order[start : start + STEP]
        made = net(*pad([states[rows[i].text].float() for i in part]))
        out[part] = torch.cat(made, 1) if isinstance(made, tuple) else made
    found = out.numpy()
    return {"identity": found[:, 1] - found[:, 0], "attachment": found[:, 2] - found[:, 0], "risk": found[:, 3], "follows": found[:, WIDTH]}


def strangers(written: list[Row], made: list[Row], plain: list[Row], states: States) -> None:
    """Prints how a net does on hands that it never met."""
    for seed, hands in enumerate(LEFT_OUT):
        net = learn([row for row in written + made if row.hand not in hands], plain, states, seed)
        rows = [row for row in written if row.hand in hands]
        tell(odds(net, rows, states), rows)


def tell(found: dict[str, np.ndarray], rows: list[Row], places: dict[str, float] | None = None) -> None:
    """Prints what each head finds where it is right, and how often it speaks at the lines near it; without `places` at some shares of the latter."""
    for name, wanted in (("identity", 1), ("attachment", 2), ("risk", 1), ("follows", 1)):
        labels = np.array(
            [getattr(row, name) if name in ("risk", "follows") else row.conduct if row.hand.startswith("identity") else -1 for row in rows]
        )
        right, near = found[name][labels == wanted], found[name][labels == 0]
        if places:
            heard = {"found": float((right > places[name]).mean()), "near": float((near > places[name]).mean())}
        else:
            heard = {f"at {false} of the near": float((right > np.quantile(near, 1 - false)).mean()) for false in (0.01, 0.04, 0.1)}
        print(name, json.dumps({what: round(share, 3) for what, share in heard.items()}), flush=True)


def write(together: Together, places: dict[str, float], folder: pathlib.Path) -> None:
    example = {"states": torch.randn(2, 4, 384), "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])}
    axes = {0: "texts", 1: "tokens"}
    target = folder / SAFETY_FILE
    torch.onnx.export(
        together,
        tuple(example.values()),
        target,
        input_names=list(example),
        output_names=[SAFETY, FOLLOWS],
        dynamic_axes={**dict.fromkeys(example, axes), SAFETY: {0: "texts"}, FOLLOWS: {0: "texts"}},
        opset_version=OPSET,
        dynamo=False,
    )
    stored: dict[str, Any] = {name: round(place, 3) for name, place in places.items()} | {
        "what": "log odds from which a head speaks",
        "fitted_on": f"everyday talk of people left out, at which the heads speak {FALSE} of the time",
    }
    (folder / SAFETY_CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=HERE.parents[1])
    parser.add_argument("--only", choices=("nets", "write", "strangers"), help="of the steps; the first keeps what it made in SCRATCH")
    args = parser.parse_args()
    written, plain, left = [*identity_rows(), *risk_rows(), *follow_rows()], everyday_rows(), everyday_rows(dev=True)
    made = swapped(written)
    apart = {row.text for row, out in zip(written, left_out(row.hand for row in written), strict=True) if out}
    learnt = [row for row in written if row.text not in apart]
    rows = learnt + swapped(learnt)
    states = states_of([row.text for row in (*written, *made, *plain, *left)], args.models, args.scratch / "safety_states.pt")
    print(f"{len(written)} lines, {len(made)} made of them; everyday talk: {len(plain)}, of people left out {len(left)}", flush=True)
    if args.only == "strangers":
        strangers(written, made, plain, states)
    if args.only in (None, "nets"):
        for seed in range(NETS):
            torch.save(learn(rows, plain, states, seed).state_dict(), args.scratch / f"safety_{seed}.pt")
    if args.only in (None, "write"):
        nets = [Net() for _ in range(NETS)]
        for seed, net in enumerate(nets):
            net.load_state_dict(torch.load(args.scratch / f"safety_{seed}.pt"))
        together = Together(nets).eval()
        at_ease = odds(together, left, states)
        places = {name: float(np.quantile(at_ease[name], 1 - false)) for name, false in FALSE.items()}
        rows = [row for row in written if row.text in apart]
        tell(odds(together, rows, states), rows, places)
        write(together, places, args.models / "lira-encoder")


if __name__ == "__main__":
    main()
