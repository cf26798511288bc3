"""The encoder's own layers learn that a question lies near the statement that answers it.

Contrastive over all statements of several persons at once, so that each question's wrong answers are what the same person said besides
and what others said. Averaged with what it was before, so that plain similarity does not suffer.
"""

from __future__ import annotations

import copy
import random
import time

import torch
from people import Person
from trunk import LOWER, Text, Trunk, halved, mean, pad, through

PERSONS = 6
"""In one step; with some 80 statements and 60 questions."""
TEMPERATURE = 0.02
TOGETHER = 21
"""Texts of about one length in one tensor: padding costs as much as words."""
OWN = 0.5
"""Share of the learnt weights in the average."""


def pooled(layers: torch.nn.ModuleList, texts: list[Text]) -> torch.Tensor:
    """(texts, 384): the mean state of each text above these layers, in the given order; texts of about one length go together."""
    order = sorted(range(len(texts)), key=lambda i: len(texts[i].states))
    rows = []
    for start in range(0, len(order), TOGETHER):
        hidden, mask = pad([texts[i].states for i in order[start : start + TOGETHER]])
        hidden = hidden.float()
        with halved():
            for layer in layers:
                hidden = through(layer, hidden, mask)
        rows.append(mean(hidden, mask))
    return torch.cat(rows)[torch.tensor(order).argsort()]


class Upper(torch.nn.Module):
    """The layers above the trunk, and the vector of a text."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.layers = copy.deepcopy(trunk.model.encoder.layer[LOWER:])
        for layer in self.layers:
            layer.attention.self.dropout.p = 0.0
            layer.attention.self.dropout_prob = 0.0

    def forward(self, texts: list[Text]) -> torch.Tensor:
        """(texts, 384), each of length one, in the given order."""
        return torch.nn.functional.normalize(pooled(self.layers, texts), dim=-1)

    @torch.no_grad()
    def vectors(self, texts: list[Text]) -> torch.Tensor:
        self.eval()
        return self(texts)


def train_encoder(trunk: Trunk, persons: list[Person], *, epochs: int = 5, rate: float = 2e-4, seed: int = 0, say=print) -> Upper:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    upper = Upper(trunk)
    before = {k: v.clone() for k, v in upper.state_dict().items()}
    optimiser = torch.optim.AdamW(upper.parameters(), lr=rate, weight_decay=0.01)
    persons = list(persons)
    steps, step, began = epochs * (len(persons) // PERSONS), 0, time.time()
    for epoch in range(epochs):
        rng.shuffle(persons)
        upper.train()
        losses = []
        for start in range(0, len(persons) - PERSONS + 1, PERSONS):
            says: list[tuple[str, str]] = []
            asks: list[tuple[str, str]] = []
            right: list[list[int]] = []
            for person in persons[start : start + PERSONS]:
                base = len(says)
                says += [("passage", s) for s in person.says]
                for ask in person.asks:
                    if ask.evidence:
                        asks.append(("query", ask.text))
                        right.append([base + i for i in ask.evidence])
            similar = upper(trunk.read(asks)) @ upper(trunk.read(says)).T / TEMPERATURE
            target = torch.zeros_like(similar)
            for i, indexes in enumerate(right):
                target[i, indexes] = 1 / len(indexes)
            loss = -(target * similar.log_softmax(-1)).sum(-1).mean()
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1, step / 10) * max(0.05, 1 - step / steps)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(upper.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
        say(f"encoder: epoch {epoch}, loss {sum(losses) / len(losses):.3f}, {time.time() - began:.0f} s", flush=True)
    upper.load_state_dict({k: OWN * v + (1 - OWN) * before[k] if v.is_floating_point() else v for k, v in upper.state_dict().items()})
    return upper


def found(trunk: Trunk, upper: Upper, persons: list[Person]) -> dict[str, float]:
    """Share of the evidence among the nearest 1, 3 and 8 of what the person said."""
    hits, count = dict.fromkeys((1, 3, 8), 0.0), 0
    for person in persons:
        asks = [a for a in person.asks if a.evidence]
        near = upper.vectors(trunk.read([("query", a.text) for a in asks])) @ upper.vectors(trunk.read([("passage", s) for s in person.says])).T
        for ask, row in zip(asks, near, strict=True):
            order = row.argsort(descending=True).tolist()
            count += 1
            for k in hits:
                hits[k] += len(set(order[:k]) & set(ask.evidence)) / min(len(ask.evidence), k)
    return {f"@{k}": round(v / count, 3) for k, v in hits.items()}
