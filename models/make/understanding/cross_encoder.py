"""The cross-encoder: what a statement says to a question: whether it answers it, and where yes or no is asked, yes, no, or neither.

One transformer over both texts at once (Nogueira and Cho, "Passage Re-ranking with BERT", 2019; sentence pairs as in Devlin et al., "BERT",
NAACL 2019). Its lowest `SHARED` layers are the trunk's and stay as they are, so that only the others have weights of their own; in all of them each
piece of one text sees those of the other. Four layers above the states of texts that were read apart, as the reader has, did not learn from so few
pairs that the same words mean yes (`docs/quality.md`). It sees a statement and the question alone, where the reader sees all candidates and their
cosines, and the two together are right more often than either. Beside that it learns whether a later statement changes an earlier one, which then
stands in the question's place.
"""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from changes import Labelled, Row, of_near_change, rows
from misses import Near
from pairs import LABELS, Pair, Shown, alike, answers_loss, asked_and_told, lately, made, of_near, shown
from pairs import step as one_step
from people import Person, questions
from torch import nn
from trunk import SHARED, Trunk, eager, halved, mean, pad, through

DROPOUT = 0.1
"""Of the heads; the layers have the encoder's own, which is the same."""
STEP, BESIDE = 64, 6
"""Questions of a step, and statements beside each: what answers it, the nearest that do not, one of the others."""
RATE, HEADS = 2e-4, 8
"""Of the layers; and how many times that of the heads."""
TYPED = ("_own", "_implied")
"""Hands whose people typed of their own accord: what they ask is learnt twice in a pass."""
CLOSE = 0.3
"""Share of the questions of the close hands in a pass: they are a third of all, and each asks much the same of every statement."""


class CrossEncoder(nn.Module):
    """What stands on the trunk's `SHARED` layers over both texts."""

    def __init__(self, trunk: Trunk) -> None:
        super().__init__()
        self.layers = copy.deepcopy(trunk.model.encoder.layer[SHARED:])
        eager(self.layers)
        self.part = nn.Parameter(torch.zeros(2, 384))
        self.says, self.changes = _head(len(LABELS) + 1), _head(1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor, asked: torch.Tensor) -> torch.Tensor:
        """(pairs, 5): neither, yes, no; by how much it is likelier than not that the statement answers; and, where an earlier statement stands in the
        question's place, that it changes what that one says. Of the pairs their states (pairs x pieces x 384), mask, and how many pieces are the
        question's, its marks included."""
        told = (torch.arange(states.shape[1])[None] >= asked.reshape(-1, 1)).long()
        hidden = states + self.part[told]
        for layer in self.layers:
            hidden = through(layer, hidden, mask)
        hidden, question, statement = hidden.float(), (1 - told) * mask, told * mask
        both = torch.cat([hidden[:, 0], mean(hidden, question), mean(hidden, statement)], -1)
        return torch.cat([self.says(both), self.changes(both)], -1)


def _head(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(3 * 384, 384), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(384, outputs))


Beside = tuple[str, str, Sequence[str]]
"""`query` and a question, or `passage` and an earlier statement; and what stands beside it."""


@torch.no_grad()
def under(trunk: Trunk, asked: Sequence[Beside]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """What `CrossEncoder` takes: the second text goes on where the first ended, its first mark left out."""
    together, pieces = [], []
    for kind, question, statements in asked:
        first, _ = trunk.pieces(question, kind)
        for said in statements:
            together.append(torch.tensor([*first, *trunk.pieces(said, "passage")[0][1:]], device="cpu"))
            pieces.append(len(first))
    ids, mask = pad(together)
    hidden = trunk.model.embeddings(input_ids=ids)
    for layer in trunk.model.encoder.layer[:SHARED]:
        hidden = through(layer, hidden, mask)
    return hidden, mask, torch.tensor(pieces)


def logits(model: CrossEncoder, trunk: Trunk, asked: Sequence[tuple[str, Sequence[str]]]) -> torch.Tensor:
    """(all statements, 5), of questions each with the statements beside it."""
    return _logits(model, trunk, [("query", question, beside) for question, beside in asked])


def changes_logits(model: CrossEncoder, trunk: Trunk, some: Sequence[Row]) -> torch.Tensor:
    """(all later statements of the rows,)."""
    return _logits(model, trunk, [("passage", row.earlier, row.later) for row in some])[:, -1]


def _logits(model: CrossEncoder, trunk: Trunk, asked: Sequence[Beside]) -> torch.Tensor:
    with halved(fused=False):
        found = model(*under(trunk, asked))
    return found.float()


@dataclass(frozen=True)
class Learnt:
    """What a pass learns: questions with statements beside them, pairs of yes or no, and earlier statements with later ones."""

    lists: list[Shown]
    pairs: list[Pair]
    changes: list[Row]


def of_pass(persons: list[Person], close: Sequence[Near], changing: Sequence[Labelled], rng: random.Random) -> Learnt:
    """The questions of a pass, each with statements beside it; what is asked with yes or no: what somebody wrote, and what is made; and what changes
    what."""
    typed = [person for person in persons if any(name in person.hand for name in TYPED)]
    index = [(person, i) for person, i in questions(persons) if "close" not in person.hand or rng.random() < CLOSE]
    index += questions(typed)
    pairs = [pair for person in (*persons, *typed) for pair in asked_and_told(person)] + [pair for one in close for pair in of_near(one)]
    pairs += [pair for person in persons for pair in made(person, persons, rng)]
    lists = [shown(person, i, persons, rng, BESIDE) for person, i in index]
    later = [row for one in changing for row in rows(one, rng)] + [of_near_change(one, rng) for one in close]
    for some in (lists, pairs, later):
        rng.shuffle(some)
    return Learnt(lists, pairs, later)


def train_cross_encoder(
    trunk: Trunk,
    persons: list[Person],
    close: Sequence[Near],
    changing: Sequence[Labelled],
    *,
    epochs: int,
    model: CrossEncoder,
    rate: float = RATE,
    seed: int = 6,
    after=None,
    say=print,
) -> CrossEncoder:
    """`close`: what is told close to what is asked, of which yes and no, and what changes, alone is learnt. `changing`: whose changes are learnt."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    heads = [model.part, *model.says.parameters(), *model.changes.parameters()]
    optimiser = torch.optim.AdamW(
        [{"params": model.layers.parameters(), "lr": rate, "weight_decay": 0.01}, {"params": heads, "lr": HEADS * rate, "weight_decay": 0.0}]
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    eager(trunk.model)
    step, steps, began = 0, 0, time.time()
    for epoch in range(epochs):
        some = of_pass(persons, close, changing, rng)
        of_epoch = -(-len(some.lists) // STEP)
        steps = steps or epochs * of_epoch
        say(f"cross-encoder: {len(some.lists)} questions, {len(some.pairs)} of yes or no, {len(some.changes)} that may be changed", flush=True)
        model.train()
        losses = []
        for i, lists in enumerate(alike(some.lists, rng, STEP)):
            step += 1
            for group, most in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = most * min(1, step / 80) * max(0.02, 1 - step / steps)
            pairs, changes = (part[i * len(part) // of_epoch : (i + 1) * len(part) // of_epoch] for part in (some.pairs, some.changes))
            losses.append(learn(model, trunk, optimiser, Learnt(lists, pairs, changes)))
            if step % 200 == 0:
                say(f"cross-encoder: step {step} of {steps}, {lately(losses)}, {time.time() - began:.0f} s", flush=True)
        if after:
            after(model, epoch)
    return model


def learn(model: CrossEncoder, trunk: Trunk, optimiser: torch.optim.Optimizer, some: Learnt) -> tuple[float, float, float]:
    """One step, and its losses: what answers, yes or no, what changes."""
    texts: list[Beside] = [("query", one.question, one.statements) for one in some.lists]
    texts += [("query", pair.question, (pair.statement,)) for pair in some.pairs]
    found = _logits(model, trunk, [*texts, *(("passage", row.earlier, row.later) for row in some.changes)])
    shown = sum(len(one.answer) for one in some.lists)
    answering, said, changing = found.tensor_split([shown, shown + len(some.pairs)])
    losses = [answers_loss(answering[:, len(LABELS)], some.lists)]
    losses += [F.cross_entropy(said[:, : len(LABELS)], torch.tensor([pair.label for pair in some.pairs]), label_smoothing=0.05)]
    changes = torch.tensor([float(one) for row in some.changes for one in row.changes])
    losses += [F.binary_cross_entropy_with_logits(changing[:, -1], changes) if some.changes else changing.sum()]
    one_step(model, optimiser, torch.stack(losses).sum())
    first, second, third = torch.stack(losses).tolist()
    return first, second, third
