"""What an utterance is: its status, whether it is worth keeping, whether it asks for what was told, how likely its speaker is at risk.

Four heads over layers of their own above the trunk; a text of any source teaches the heads that it has labels for.
"""

from __future__ import annotations

import random
import time

import torch
import torch.nn.functional as F
from encoder import Upper, pooled
from torch import nn
from trunk import Text, Trunk
from utterance_rows import ASKS, STATUS, Labelled

WIDTH = {"status": len(STATUS), "asks": len(ASKS), "keep": 1, "risk": 1}
STEP = 42
"""Texts in one step of training."""


class Utterance(nn.Module):
    def __init__(self, upper: Upper) -> None:
        super().__init__()
        self.layers = upper.layers
        self.heads = nn.ModuleDict({name: nn.Linear(384, width) for name, width in WIDTH.items()})

    def forward(self, texts: list[Text]) -> dict[str, torch.Tensor]:
        """Logits per head, (texts, width), in the given order."""
        whole = pooled(self.layers, texts)
        return {name: head(whole) for name, head in self.heads.items()}


def loss_of(logits: dict[str, torch.Tensor], rows: list[Labelled]) -> torch.Tensor:
    total = torch.zeros(())
    for name, values in logits.items():
        labels = torch.tensor([getattr(row, name) for row in rows])
        there = labels >= 0
        if there.any():
            if WIDTH[name] == 1:
                total = total + F.binary_cross_entropy_with_logits(values[there, 0], labels[there].float())
            else:
                total = total + F.cross_entropy(values[there], labels[there])
    return total


def train_utterance(
    trunk: Trunk, rows: list[Labelled], *, model: Utterance | None = None, epochs: int = 2, rate: float = 1.5e-4, seed: int = 2, say=print
) -> Utterance:
    """`model`: goes on with that one."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    model = model or Utterance(Upper(trunk))
    optimiser = torch.optim.AdamW(
        [
            {"params": model.layers.parameters(), "lr": rate, "weight_decay": 0.01},
            {"params": model.heads.parameters(), "lr": rate * 5, "weight_decay": 0.0},
        ]
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    rows = list(rows)
    steps, step, began = epochs * (len(rows) // STEP), 0, time.time()
    for epoch in range(epochs):
        rng.shuffle(rows)
        model.train()
        losses = []
        for start in range(0, len(rows) - STEP + 1, STEP):
            part = rows[start : start + STEP]
            loss = loss_of(model(trunk.read([("query", row.text) for row in part])), part)
            step += 1
            for group, most in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = most * min(1, step / 40) * max(0.03, 1 - step / steps)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
        say(f"utterance: epoch {epoch}, loss {sum(losses) / len(losses):.3f}, {time.time() - began:.0f} s", flush=True)
    return model


@torch.no_grad()
def logits(model: Utterance, trunk: Trunk, texts: list[str]) -> dict[str, torch.Tensor]:
    model.eval()
    return model(trunk.read([("query", text) for text in texts]))


def figures(found: dict[str, torch.Tensor], rows: list[Labelled]) -> dict[str, float]:
    """Accuracy of status and asks, F1 of keep, and of risk what is found and what falsely, at even odds."""
    out = {}
    for name in ("status", "asks"):
        labels = torch.tensor([getattr(row, name) for row in rows])
        there = labels >= 0
        if there.any():
            out[name] = round(float((found[name][there].argmax(1) == labels[there]).float().mean()), 3)
    for name in ("keep", "risk"):
        labels = torch.tensor([getattr(row, name) for row in rows])
        there = labels >= 0
        said, true = found[name][there, 0] > 0, labels[there] > 0
        if true.any():
            hits = float((said & true).sum())
            out[f"{name}_found"] = round(hits / float(true.sum()), 3)
            out[f"{name}_false"] = round(float((said & ~true).sum()) / max(1.0, float((~true).sum())), 3)
            out[f"{name}_f1"] = round(2 * hits / max(1.0, float(said.sum() + true.sum())), 3)
    return out
