"""The cross-encoder: what a statement says to a question: whether it answers it, with which words, and where yes or no is asked, yes, no, or neither.

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
WORDS = 1.0
"""Weight of the words that answer in the loss."""
TOGETHER = 64
"""Pairs of about one length at once."""
TYPED = ("_own", "_implied", "_again")
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
        self.span = nn.Linear(384, 2)

    def forward(self, states: torch.Tensor, mask: torch.Tensor, asked: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(pairs, 5): neither, yes, no; by how much it is likelier than not that the statement answers; and, where an earlier statement stands in the
        question's place, that it changes what that one says. And (pairs, pieces, 2): that the words that answer begin there, and that they end.
        Of the pairs their states (pairs x pieces x 384), mask, and how many pieces are the question's, its marks included."""
        told = (torch.arange(states.shape[1])[None] >= asked.reshape(-1, 1)).long()
        hidden = states + self.part[told]
        for layer in self.layers:
            hidden = through(layer, hidden, mask)
        hidden, question, statement = hidden.float(), (1 - told) * mask, told * mask
        both = torch.cat([hidden[:, 0], mean(hidden, question), mean(hidden, statement)], -1)
        return torch.cat([self.says(both), self.changes(both)], -1), self.span(hidden)


def _head(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(3 * 384, 384), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(384, outputs))


Beside = tuple[str, str, Sequence[str]]
"""`query` and a question, or `passage` and an earlier statement; and what stands beside it."""


def logits(model: CrossEncoder, trunk: Trunk, asked: Sequence[tuple[str, Sequence[str]]]) -> torch.Tensor:
    """(all statements, 5), of questions each with the statements beside it."""
    return read(model, trunk, [("query", question, beside) for question, beside in asked]).logits


def changes_logits(model: CrossEncoder, trunk: Trunk, some: Sequence[Row]) -> torch.Tensor:
    """(all later statements of the rows,)."""
    return read(model, trunk, [("passage", row.earlier, row.later) for row in some]).logits[:, -1]


@dataclass(frozen=True)
class Found:
    """Of pairs what `CrossEncoder` gives, and how many pieces are the question's, and both texts'."""

    logits: torch.Tensor
    ends: torch.Tensor
    asked: torch.Tensor
    pieces: torch.Tensor


def read(model: CrossEncoder, trunk: Trunk, asked: Sequence[Beside]) -> Found:
    """The second text goes on where the first ended, its first mark left out. Those of about one length together: padding costs as much as words."""
    together, first = [], []
    for kind, question, statements in asked:
        begin, _ = trunk.pieces(question, kind)
        for said in statements:
            together.append([*begin, *trunk.pieces(said, "passage")[0][1:]])
            first.append(len(begin))
    order = sorted(range(len(together)), key=lambda i: len(together[i]))
    parts = [order[i : i + TOGETHER] for i in range(0, len(order), TOGETHER)]
    longest, found = len(together[order[-1]]), []
    for part in parts:
        logits, ends = _read(model, trunk, [together[i] for i in part], [first[i] for i in part])
        found.append((logits, F.pad(ends, (0, 0, 0, longest - ends.shape[1]))))
    back = torch.tensor(order).argsort()
    logits, ends = (torch.cat(of_all)[back] for of_all in zip(*found, strict=True))
    return Found(logits, ends, torch.tensor(first), torch.tensor([len(one) for one in together]))


def _read(model: CrossEncoder, trunk: Trunk, together: Sequence[Sequence[int]], first: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    ids, mask = pad([torch.tensor(one, device="cpu") for one in together])
    with halved(fused=False):
        with torch.no_grad():
            hidden = trunk.model.embeddings(input_ids=ids)
            for layer in trunk.model.encoder.layer[:SHARED]:
                hidden = through(layer, hidden, mask)
        logits, ends = model(hidden, mask, torch.tensor(first))
    return logits.float(), ends.float()


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
    heads = [model.part, *model.says.parameters(), *model.changes.parameters(), *model.span.parameters()]
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


def learn(model: CrossEncoder, trunk: Trunk, optimiser: torch.optim.Optimizer, some: Learnt) -> tuple[float, ...]:
    """One step, and its losses: what answers, yes or no, what changes, with which words it answers."""
    texts: list[Beside] = [("query", one.question, one.statements) for one in some.lists]
    texts += [("query", pair.question, (pair.statement,)) for pair in some.pairs]
    found = read(model, trunk, [*texts, *(("passage", row.earlier, row.later) for row in some.changes)])
    shown = sum(len(one.answer) for one in some.lists)
    answering, said, changing = found.logits.tensor_split([shown, shown + len(some.pairs)])
    losses = [answers_loss(answering[:, len(LABELS)], some.lists)]
    losses += [F.cross_entropy(said[:, : len(LABELS)], torch.tensor([pair.label for pair in some.pairs]), label_smoothing=0.05)]
    changes = torch.tensor([float(one) for row in some.changes for one in row.changes])
    losses += [F.binary_cross_entropy_with_logits(changing[:, -1], changes) if some.changes else changing.sum()]
    losses += [WORDS * words_loss(trunk, found, some.lists)]
    one_step(model, optimiser, torch.stack(losses).sum())
    return tuple(torch.stack(losses).tolist())


def words_loss(trunk: Trunk, found: Found, lists: Sequence[Shown]) -> torch.Tensor:
    """Of the first pairs, those of `lists`, whose statement answers with words that somebody named: where these begin and end among its pieces."""
    rows, wanted = [], []
    told = [(said, words) for one in lists for said, words in zip(one.statements, one.words, strict=True)]
    for row, (said, words) in enumerate(told):
        if words and (span := pieces_of(trunk.pieces(said, "passage")[1], said, words)):
            rows.append(row)
            wanted.append([int(found.asked[row]) + piece for piece in span])
    if not rows:
        return found.ends.sum() * 0
    at = torch.arange(found.ends.shape[1])[None]
    elsewhere = (at < found.asked[rows].reshape(-1, 1)) | (at >= found.pieces[rows].reshape(-1, 1))
    return F.cross_entropy(found.ends[rows].masked_fill(elsewhere[..., None], -1e4), torch.tensor(wanted))


def pieces_of(offsets: Sequence[tuple[int, int]], said: str, words: str) -> tuple[int, int] | None:
    """First and last piece of `words` in what was said; None where they lie beyond what is read of it."""
    start = said.find(words)
    inside = [i for i, (a, b) in enumerate(offsets) if b > start and a < start + len(words) and b > a]
    return (inside[0], inside[-1]) if start >= 0 and inside else None
