"""Small nets over the trunk's states, for what a few words side by side decide: learnt, averaged and written as a file beside the encoder.

Each net is a convolution over the states of one to three pieces and the largest answer of each filter (Kim 2014); the shared trunk has put their
neighbourhood into them already.
"""

from __future__ import annotations

import argparse
import pathlib
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]))

from trunk import pad

from lira_core.embedding.onnx import utterances
from lira_core.onnx import LAYERS, STATES, OnnxTextModel, padded

NARROW, FILTERS, SPANS = 128, 96, (1, 2, 3)
NETS = 3
STEP, EPOCHS, RATE = 64, 12, 1e-3
PLAIN = 3000
"""Lines of everyday talk in one pass; more would drown what is to be found."""
OPSET = 17

TRUNK, DEEP = 384, 4 * 384
"""Width of a piece's states: the trunk's; and with those of the encoder's layers (768) and the emotion model's beside, as of `deep_states_of`."""

States = dict[str, torch.Tensor]


def options(what: str | None, *steps: str) -> argparse.Namespace:
    """Where a trainer finds and leaves what it works with: `scratch`, `models`, and `only` of "nets", "write" and its own `steps`, None for all."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--only", choices=("nets", "write", *steps), help="of the steps; the first keeps what it made in SCRATCH")
    return parser.parse_args()


class Said(Protocol):
    @property
    def text(self) -> str: ...


R = TypeVar("R", bound=Said)
Loss = Callable[[Any, list[R]], torch.Tensor]
"""Of what a net gives and its rows: the sum over the texts."""


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


def deep_states_of(texts: list[str], models: pathlib.Path, cache: pathlib.Path) -> States:
    """As `states_of`, with what the encoder's and the emotion model's layers make of them beside: (pieces, DEEP), half precision."""
    known: States = torch.load(cache) if cache.exists() else {}
    deep = [OnnxTextModel(models / name, output=LAYERS, setting="--models") for name in ("lira-encoder", "lira-emotion")]
    new = sorted(set(texts) - known.keys(), key=len)
    for start in range(0, len(new), STEP):
        part = new[start : start + STEP]
        states = deep[0].states_of(utterances(part))
        made = [model.run_each(states, (LAYERS,)) for model in deep]
        for text, one, *layers in zip(part, states, *made, strict=True):
            known[text] = torch.from_numpy(np.concatenate([one, *(layer[LAYERS] for layer in layers)], 1)).half()
    if new:
        torch.save(known, cache)
    return known


def _through(trunk: OnnxTextModel, ids: list[list[int]]) -> list[np.ndarray]:
    rows = trunk.outputs(padded(ids), (STATES,))[STATES]
    return [row[: len(one)] for row, one in zip(rows, ids, strict=True)]


def _first(states: torch.Tensor, seen: int) -> torch.Tensor:
    """Without a step in the exported graph where that is all of them: its constants are named by their place in it (`restore.py`)."""
    return states if states.shape[-1] == seen else states[..., :seen]


class Net(nn.Module):
    """Logits (texts, width), of the first `seen` numbers of each state. No bias where padding would answer with it."""

    def __init__(self, width: int, narrow: int = NARROW, filters: int = FILTERS, seen: int = TRUNK) -> None:
        super().__init__()
        self.seen, self.norm, self.narrow = seen, nn.LayerNorm(seen), nn.Linear(seen, narrow)
        self.spans = nn.ModuleList(nn.Conv1d(narrow, filters, span, padding=span - 1, bias=False) for span in SPANS)
        self.head = nn.Linear(filters * len(SPANS) + narrow, width)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        seen = F.gelu(self.narrow(F.dropout(self.norm(_first(states, self.seen)), 0.2, self.training))) * mask[..., None]
        found = [F.relu(span(seen.transpose(1, 2)).amax(2)) for span in self.spans]
        whole = torch.cat([*found, seen.sum(1) / mask.sum(1, keepdim=True)], 1)
        return self.head(F.dropout(whole, 0.4, self.training))


class Tagging(nn.Module):
    """As a Net, and of each piece a logit whether it belongs to what the answer rests on: (texts, width), (texts, pieces)."""

    def __init__(self, width: int, narrow: int = NARROW, filters: int = FILTERS, seen: int = TRUNK) -> None:
        super().__init__()
        self.whole = Net(width, narrow, filters, seen)
        self.seen, self.norm, self.narrow = seen, nn.LayerNorm(seen), nn.Linear(seen, narrow)
        self.near, self.wide = nn.Conv1d(narrow, filters, 3, padding=1), nn.Conv1d(filters, filters, 5, padding=2)
        self.head = nn.Linear(narrow + 2 * filters, 1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen = (F.gelu(self.narrow(F.dropout(self.norm(_first(states, self.seen)), 0.2, self.training))) * mask[..., None]).transpose(1, 2)
        near = F.gelu(self.near(seen)) * mask[:, None]
        wide = F.gelu(self.wide(near)) * mask[:, None]
        together = torch.cat([seen, near, wide], 1).transpose(1, 2)
        return self.whole(states, mask), self.head(F.dropout(together, 0.3, self.training))[..., 0]


class Together(nn.Module):
    """The nets' logits, averaged, of `attention_mask` as the trunk takes it: one output for each of `widths`, and where the nets tag one for each
    piece."""

    def __init__(self, nets: Sequence[nn.Module], widths: Sequence[int]) -> None:
        super().__init__()
        self.nets, self.widths = nn.ModuleList(nets), list(widths)

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found = [net(states, attention_mask.float()) for net in self.nets]
        if isinstance(found[0], tuple):
            return tuple(torch.stack(logits).mean(0) for logits in zip(*found, strict=True))
        logits = torch.stack(found).mean(0)
        return logits.split(self.widths, 1) if len(self.widths) > 1 else (logits,)


N = TypeVar("N", bound=nn.Module)


def kept(args: argparse.Namespace, name: str, learn: Callable[[int], nn.Module], make: Callable[[], N], count: int = NETS) -> list[N]:
    """The nets called `name`, of the seeds from 0 on: learnt and kept in SCRATCH unless another step alone is wanted, and as they lie there; none
    where they are only to be learnt."""
    files = [args.scratch / f"{name}_{seed}.pt" for seed in range(count)]
    if args.only in (None, "nets"):
        for seed, file in enumerate(files):
            torch.save(learn(seed).state_dict(), file)
    if args.only not in (None, "write"):
        return []
    made = [make() for _ in files]
    for net, file in zip(made, files, strict=True):
        net.load_state_dict(torch.load(file))
    return made


def learn(
    rows: list[R], plain: list[R], states: States, loss_of: Loss[R], make: Callable[[], N], *, seed: int, epochs: int = EPOCHS, beside: int = PLAIN
) -> N:
    """What `make` makes learns from `rows`, and in each pass from others of `plain`, `beside` of them."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    net = make()
    optimiser = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.02)
    beside = min(beside, len(plain))
    step, steps, began = 0, epochs * ((len(rows) + beside) // STEP + 1), time.time()
    for _ in range(epochs):
        losses = []
        for part in _steps(rows + rng.sample(plain, beside), states, rng):
            loss = loss_of(net(*pad([states[row.text].float() for row in part])), part) / len(part)
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


def _steps(rows: list[R], states: States, rng: random.Random) -> list[list[R]]:
    """All rows in a new order, texts of about one length together."""
    rng.shuffle(rows)
    parts = []
    for start in range(0, len(rows), STEP * 20):
        near = sorted(rows[start : start + STEP * 20], key=lambda row: len(states[row.text]))
        parts += [near[i : i + STEP] for i in range(0, len(near), STEP)]
    rng.shuffle(parts)
    return parts


@torch.no_grad()
def logits(net: nn.Module, rows: Sequence[Said], states: States, width: int) -> np.ndarray:
    """(rows, width)."""
    order = sorted(range(len(rows)), key=lambda i: len(states[rows[i].text]))
    out = torch.empty(len(rows), width)
    for start in range(0, len(order), STEP):
        part = order[start : start + STEP]
        made = net(*pad([states[rows[i].text].float() for i in part]))
        out[part] = torch.cat(made, 1) if isinstance(made, tuple) else made
    return out.numpy()


def write(together: Together, outputs: Mapping[str, int | None], target: pathlib.Path, seen: int = TRUNK) -> None:
    """`seen`: the width of the states; `outputs`: the names with their widths, in the order of `together`'s; None of what is one number a piece."""
    example = {"states": torch.randn(2, 4, seen), "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])}
    axes = {0: "texts", 1: "tokens"}
    torch.onnx.export(
        together,
        tuple(example.values()),
        target,
        input_names=list(example),
        output_names=list(outputs),
        dynamic_axes={**dict.fromkeys(example, axes), **{name: {0: "texts"} if width else axes for name, width in outputs.items()}},
        opset_version=OPSET,
        dynamo=False,
    )
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB", flush=True)
