"""The cross-encoder: what a statement says to a question: whether it answers it, and where yes or no is asked, yes, no, or neither.

One transformer over both texts at once (Nogueira and Cho, "Passage Re-ranking with BERT", 2019; sentence pairs as in Devlin et al., "BERT",
NAACL 2019). Its lowest `SHARED` layers are the trunk's and stay as they are, so that only the others have weights of their own; in all of them each
piece of one text sees those of the other. Four layers above the states of texts that were read apart, as the reader has, did not learn from so few
pairs that the same words mean yes (`docs/quality.md`). It sees a statement and the question alone, as `entailment.py`'s network, and learns the
same from the same; both together are right more often than either.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Sequence
from functools import partial

import torch
from entailment import LABELS, QUESTIONS, Pair, Shown, alike, asked_and_told, lately, learn, made, of_near, shown
from misses import Near
from people import Person, questions
from torch import nn
from trunk import SHARED, Trunk, eager, halved, mean, pad, through

DROPOUT = 0.1
BESIDE = 4
"""Statements beside a question: what answers it, the nearest that do not, one of the others."""
RATE, HEADS_RATE = 1e-4, 8e-4
CLOSE = 0.3
"""Share of the questions of the close hands in a pass: they are a third of all, and each asks much the same of every statement."""


class CrossEncoder(nn.Module):
    """What stands on the trunk's `SHARED` layers over both texts."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.layers = copy.deepcopy(trunk.model.encoder.layer[SHARED:])
        for part in self.layers.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0  # no two passes see a question with the same statements
        eager(self.layers)
        self.part = nn.Parameter(torch.zeros(2, 384))
        self.says = nn.Sequential(nn.Linear(3 * 384, 384), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(384, len(LABELS) + 1))

    def forward(self, states: torch.Tensor, mask: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
        """(pairs, 4): neither, yes, no; and by how much it is likelier than not that the statement answers. Of the pairs their states (pairs x pieces
        x 384), mask, and how many pieces are the question's, its marks included."""
        told = (torch.arange(states.shape[1])[None] >= asked.reshape(-1, 1)).long()
        hidden = states + self.part[told]
        for layer in self.layers:
            hidden = through(layer, hidden, mask)
        hidden, question, statement = hidden.float(), (1 - told) * mask, told * mask
        return self.says(torch.cat([hidden[:, 0], mean(hidden, question), mean(hidden, statement)], -1))


@torch.no_grad()
def under(trunk: Trunk, asked: Sequence[tuple[str, Sequence[str]]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What `CrossEncoder` takes, of questions each with the statements beside it: the second text goes on where the first ended, its first mark left
    out."""
    rows, pieces = [], []
    for question, statements in asked:
        first, _ = trunk.pieces(question, "query")
        for said in statements:
            rows.append(torch.tensor([*first, *trunk.pieces(said, "passage")[0][1:]]))
            pieces.append(len(first))
    ids, mask = pad(rows)
    hidden = trunk.model.embeddings(input_ids=ids)
    for layer in trunk.model.encoder.layer[:SHARED]:
        hidden = through(layer, hidden, mask)
    return hidden, mask, torch.tensor(pieces)


def logits(model: CrossEncoder, trunk: Trunk, asked: Sequence[tuple[str, Sequence[str]]]) -> torch.Tensor:
    """(all statements, 4), of questions each with the statements beside it."""
    with halved(fused=False):
        found = model(*under(trunk, asked))
    return found.float()


def of_pass(persons: list[Person], close: Sequence[Near], rng: random.Random) -> tuple[list[Shown], list[Pair]]:
    """The questions of a pass, each with statements beside it, and what is asked with yes or no: what somebody wrote, and what is made."""
    index = [(person, i) for person, i in questions(persons) if "close" not in person.hand or rng.random() < CLOSE]
    pairs = [pair for person in persons for pair in asked_and_told(person)] + [pair for one in close for pair in of_near(one)]
    pairs += [pair for person in persons for pair in made(person, persons, rng)]
    lists = [shown(person, i, persons, rng, BESIDE) for person, i in index]
    rng.shuffle(lists)
    rng.shuffle(pairs)
    return lists, pairs


def train_cross_encoder(
    trunk: Trunk, persons: list[Person], close: Sequence[Near], *, epochs: int, model: CrossEncoder, seed: int = 6, after=None, say=print
) -> CrossEncoder:
    """`close`: what is told close to what is asked, of which yes and no alone is learnt."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    heads = [model.part, *model.says.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": model.layers.parameters(), "lr": RATE, "weight_decay": 0.01}, {"params": heads, "lr": HEADS_RATE, "weight_decay": 0.0}]
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    eager(trunk.model)
    step, steps, began = 0, 0, time.time()
    for epoch in range(epochs):
        lists, pairs = of_pass(persons, close, rng)
        of_epoch = -(-len(lists) // QUESTIONS)
        steps = steps or epochs * of_epoch
        each = -(-len(pairs) // of_epoch)
        say(f"cross-encoder: {len(lists)} questions, {len(pairs)} pairs of yes or no", flush=True)
        model.train()
        losses = []
        for some in alike(lists, rng):
            beside, pairs = pairs[:each], pairs[each:]
            step += 1
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * min(1, step / 80) * max(0.02, 1 - step / steps)
            losses.append(learn(model, optimiser, some, beside, partial(logits, model, trunk)))
            if step % 200 == 0:
                say(f"cross-encoder: step {step} of {steps}, {lately(losses)}, {time.time() - began:.0f} s", flush=True)
        if after:
            after(model, epoch)
    return model
