"""The emotion model's own layers above the trunk learn the 28 labels of GoEmotions in both languages at once.

Each row is seen in English and in Korean in the same step. What the Korean text is held to is the gold labels, softened by what the model says
of the English one: the translation is a machine's, and some feelings got lost in it.
"""

from __future__ import annotations

import pathlib
import random
import time
from collections.abc import Callable

import torch
from emotion_rows import LABELS, Row
from encoder import Upper
from nets import Net
from torch import nn
from torch.nn import functional as F
from trunk import Trunk, halved, mean, pad, through

ROWS = 48
"""In one step, each in both languages."""
SOFT = 0.3
"""Share of the English reading in what the Korean text is held to, from the second epoch on."""
BESIDE, BESIDE_SHARE = 2, 0.65
"""Nets of filters over the trunk's states beside the layers, and the weight of their mean in the logits: of 0, .2, .35, .5, .65, .8 and 1 the best
on dev with the best thresholds (English .531 .544 .552 .558 .561 .559 .557, Korean .438 .447 .459 .464 .471 .471 .467)."""
BESIDE_WIDTH, BESIDE_EPOCHS, BESIDE_RATE = 192, 4, 1e-3
NATIVE_OFTEN = 4
"""The lines of ours are seen so many times in the last pass, with twice as many rows of the others between them."""


class Emotion(nn.Module):
    """The layers above the trunk and the labels' logits: mean state, 384 tanh, 28."""

    def __init__(self, upper: Upper) -> None:
        super().__init__()
        self.layers = upper.layers
        self.dense = nn.Linear(384, 384)
        self.out = nn.Linear(384, len(LABELS))
        nn.init.normal_(self.out.weight, std=0.02)
        nn.init.constant_(self.out.bias, -3.0)
        self.beside = nn.ModuleList(Net(len(LABELS), BESIDE_WIDTH, BESIDE_WIDTH) for _ in range(BESIDE))

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The logits, those of the layers and of the nets beside them averaged."""
        return self.together(self.felt(hidden, mask), hidden, mask)

    def together(self, felt: torch.Tensor, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """As `forward`, of what the layers have made already."""
        beside = torch.stack([net(hidden, mask) for net in self.beside]).mean(0)
        return (1 - BESIDE_SHARE) * self.labels(mean(felt, mask)) + BESIDE_SHARE * beside

    def deep(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.labels(mean(self.felt(hidden, mask), mask))

    def felt(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """The states of the layers."""
        for layer in self.layers:
            hidden = through(layer, hidden, mask)
        return hidden

    def labels(self, whole: torch.Tensor) -> torch.Tensor:
        return self.out(F.dropout(torch.tanh(self.dense(whole)), 0.1, self.training))


class Rows:
    """Texts after the trunk, in one flat tensor of half precision, and their labels."""

    def __init__(self, trunk: Trunk, rows: list[Row], cache: pathlib.Path | None = None) -> None:
        self.gold = torch.zeros(len(rows), len(LABELS))
        for gold, (_, labels) in zip(self.gold, rows, strict=True):
            gold[list(labels)] = 1
        if cache and cache.exists():
            self.states, self.ends = torch.load(cache)
            return
        texts = [("query", text.strip() or ".") for text, _ in rows]
        order = sorted(range(len(texts)), key=lambda i: len(texts[i][1]))
        found: list[torch.Tensor] = [torch.empty(0)] * len(texts)
        for start in range(0, len(order), 256):
            part = order[start : start + 256]
            for i, text in zip(part, trunk.read([texts[i] for i in part]), strict=True):
                found[i] = text.states
            trunk.known.clear()
        self.ends = torch.tensor([0, *(len(s) for s in found)]).cumsum(0)
        self.states = torch.cat(found)
        if cache:
            torch.save((self.states, self.ends), cache)

    def __len__(self) -> int:
        return len(self.gold)

    def length(self, index: int) -> int:
        return int(self.ends[index + 1] - self.ends[index])

    def batch(self, indexes: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
        hidden, mask = pad([self.states[self.ends[i] : self.ends[i + 1]] for i in indexes])
        return hidden.float(), mask


def train_emotion(trunk: Trunk, english: Rows, korean: Rows, *, epochs: int, rate: float = 2e-4, seed: int = 0, after=None, say=print) -> Emotion:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    model = Emotion(Upper(trunk))
    learning = Learning(model, rate, epochs * (len(english) // ROWS), warm=200, say=say)
    for epoch in range(epochs):
        model.train()
        for part in parts(list(range(len(english))), lambda i: english.length(i) + korean.length(i), rng):
            with halved():
                said, told = model.deep(*english.batch(part)).float(), model.deep(*korean.batch(part)).float()
            gold, soft = english.gold[part], SOFT if epoch else 0.0
            loss = F.binary_cross_entropy_with_logits(said, gold)
            learning.step(loss + F.binary_cross_entropy_with_logits(told, (1 - soft) * gold + soft * said.detach().sigmoid()))
        if after:
            after(model, epoch)
    return model


def learn_native(model: Emotion, english: Rows, korean: Rows, ours: Rows, *, rate: float = 5e-5, seed: int = 1, say=print) -> None:
    """One more pass, at a lower rate, over what people here say; other rows between keep what was learnt before."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    native = [(ours, part) for _ in range(NATIVE_OFTEN) for part in parts(list(range(len(ours))), ours.length, rng)]
    mixed = native + [
        (rows, part) for rows in (english, korean) for part in parts(rng.sample(range(len(rows)), NATIVE_OFTEN * len(ours)), rows.length, rng)
    ]
    rng.shuffle(mixed)
    learning = Learning(model, rate, len(mixed), warm=20, say=say)
    model.train()
    for rows, part in mixed:
        with halved():
            found = model.deep(*rows.batch(part)).float()
        learning.step(F.binary_cross_entropy_with_logits(found, rows.gold[part]))


def learn_beside(model: Emotion, english: Rows, korean: Rows, ours: Rows, *, seed: int = 2, say=print) -> None:
    """The nets beside the layers, one after the other, from all rows; the Korean ones are held to the softened labels again."""
    with torch.no_grad():
        soft = (1 - SOFT) * english.gold + SOFT * logits(model, english, deep=True).sigmoid()
    labels = {id(english): english.gold, id(korean): soft, id(ours): ours.gold}
    for number, net in enumerate(model.beside):
        rng, began, losses = random.Random(seed + number), time.time(), []
        torch.manual_seed(seed + number)
        optimiser = torch.optim.AdamW(net.parameters(), lr=BESIDE_RATE, weight_decay=0.02)
        for epoch in range(BESIDE_EPOCHS):
            mixed = [(rows, part) for rows in (english, korean, ours, ours) for part in parts(list(range(len(rows))), rows.length, rng)]
            rng.shuffle(mixed)
            net.train()
            for done, (rows, part) in enumerate(mixed):
                loss = F.binary_cross_entropy_with_logits(net(*rows.batch(part)), labels[id(rows)][part])
                for group in optimiser.param_groups:
                    group["lr"] = BESIDE_RATE * max(0.02, 1 - (epoch + done / len(mixed)) / BESIDE_EPOCHS)
                optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                optimiser.step()
                losses.append(loss.item())
            say(f"emotion: net {number}, epoch {epoch}, loss {sum(losses[-500:]) / len(losses[-500:]):.4f}, {time.time() - began:.0f} s", flush=True)
        net.eval()


def parts(indexes: list[int], length: Callable[[int], int], rng: random.Random) -> list[list[int]]:
    """Batches of about one length, in an order of chance."""
    rng.shuffle(indexes)
    out = []
    for start in range(0, len(indexes), 40 * ROWS):
        drawn = sorted(indexes[start : start + 40 * ROWS], key=length)
        out += [drawn[i : i + ROWS] for i in range(0, len(drawn), ROWS)]
    rng.shuffle(out)
    return out


class Learning:
    """The steps of the optimiser: the heads five times as fast as the layers, a warm start, then down to a fiftieth."""

    def __init__(self, model: Emotion, rate: float, steps: int, *, warm: int, say) -> None:
        heads = [*model.dense.parameters(), *model.out.parameters()]
        self.parameters, self.steps, self.warm, self.say = list(model.parameters()), steps, warm, say
        self.optimiser = torch.optim.AdamW([{"params": model.layers.parameters(), "lr": rate}, {"params": heads, "lr": rate * 5}], weight_decay=0.01)
        self.rates = [group["lr"] for group in self.optimiser.param_groups]
        self.losses: list[float] = []
        self.began = time.time()

    def step(self, loss: torch.Tensor) -> None:
        self.losses.append(loss.item())
        done = len(self.losses)
        for group, most in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"] = most * min(1, done / self.warm) * max(0.02, 1 - done / self.steps)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimiser.step()
        if done % 100 == 0:
            self.say(f"emotion: step {done} of {self.steps}, loss {sum(self.losses[-100:]) / 100:.4f}, {time.time() - self.began:.0f} s", flush=True)


@torch.no_grad()
def logits(model: Emotion, rows: Rows, *, deep: bool = False) -> torch.Tensor:
    """`deep`: of the layers alone."""
    model.eval()
    order = sorted(range(len(rows)), key=rows.length)
    out = torch.empty(len(rows), len(LABELS))
    for start in range(0, len(order), 128):
        part = order[start : start + 128]
        with halved():
            out[part] = (model.deep if deep else model)(*rows.batch(part)).float()
    return out


def best_macro_f1(scores: torch.Tensor, gold: torch.Tensor) -> float:
    """With the best threshold of each label, chosen on these very rows: an upper bound, for comparing models."""
    total = 0.0
    for k in range(len(LABELS)):
        order = scores[:, k].argsort(descending=True)
        right = gold[order, k].cumsum(0)
        total += float((2 * right / (torch.arange(1, len(order) + 1) + gold[:, k].sum())).max())
    return total / len(LABELS)
