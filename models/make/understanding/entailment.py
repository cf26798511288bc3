"""Entailment: what a statement says to a question of yes or no: yes, no, or neither.

A network of its own over the trunk's states of the two texts. Each piece is compared with what it is aligned with in the other text (Parikh et al.,
"A decomposable attention model for natural language inference", EMNLP 2016), and two small layers compose what was compared (as Chen et al.,
"Enhanced LSTM for natural language inference", ACL 2017). Layers of a transformer over both texts, as the reader has, did not learn from so few
pairs that the same words mean yes (`docs/quality.md`).
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from people import Person, guessed, told_back
from torch import nn
from trunk import Trunk, pad

LABELS = (None, "yes", "no")
BATCH, WIDTH, HEADS, LAYERS, DROPOUT = 64, 192, 4, 2, 0.2
DRAWN = 3
"""Sets of made pairs; each pass takes one of them, so that the trunk reads no more than these."""
OWN = 2
"""How often each question that somebody wrote is in a pass: they are harder than what is made, and fewer."""
BACK, GUESSED = 3, 4
"""Of each person in each set: how often what was told is asked back word by word, or with one thing in it changed; and how often the answer to a
question is guessed in it."""
NEITHER = 3
"""Of each person in each set: questions that ask for more than a yes or no, or that nothing told answers, beside the nearest statement."""
DROPPED = 0.5
"""How often a question made of a statement loses words, as people ask back in short."""


class Entailment(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.toward = nn.Linear(384, 384, bias=False)
        nn.init.eye_(self.toward.weight)  # aligned at first is what is near
        self.compare = nn.Linear(4 * 384, WIDTH)
        self.part = nn.Parameter(torch.zeros(2, WIDTH))
        self.layers = nn.ModuleList(Composing() for _ in range(LAYERS))
        self.says = nn.Sequential(nn.Dropout(DROPOUT), nn.Linear(4 * WIDTH, WIDTH), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(WIDTH, len(LABELS)))

    def forward(self, question: torch.Tensor, asked: torch.Tensor, statement: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        """(pairs, 3): neither, yes, no. States (pairs x pieces x 384) and masks of both."""
        near = self.scale * F.normalize(self.toward(question), dim=-1) @ F.normalize(self.toward(statement), dim=-1).transpose(1, 2)
        of_statement = (near + (1 - told[:, None, :]) * -1e4).softmax(-1) @ statement
        of_question = (near.transpose(1, 2) + (1 - asked[:, None, :]) * -1e4).softmax(-1) @ question
        hidden = torch.cat([self._compared(question, of_statement) + self.part[0], self._compared(statement, of_question) + self.part[1]], 1)
        mask = torch.cat([asked, told], 1)
        for layer in self.layers:
            hidden = layer(hidden, mask)
        pieces = question.shape[1]
        return self.says(torch.cat([*_pooled(hidden[:, :pieces], asked), *_pooled(hidden[:, pieces:], told)], -1))

    def _compared(self, own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.compare(torch.cat([own, other, own - other, own * other], -1)))


class Composing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attend, self.together = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.think = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(2 * WIDTH, WIDTH))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        pairs, pieces = mask.shape
        query, key, value = self.attend(self.before(hidden)).reshape(pairs, pieces, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        share = (query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + (1 - mask[:, None, None, :]) * -1e4).softmax(-1)
        hidden = hidden + self.dropout(self.together((share @ value).transpose(1, 2).reshape(pairs, pieces, WIDTH)))
        return hidden + self.dropout(self.think(self.between(hidden)))


def _pooled(hidden: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    there = mask[..., None]
    return (hidden * there).sum(1) / there.sum(1), (hidden + (1 - there) * -1e4).amax(1)


@dataclass(frozen=True)
class Pair:
    question: str
    statement: str
    label: int


def asked_and_told(person: Person) -> list[Pair]:
    """Each question of yes or no beside the statement that decides it."""
    return [Pair(ask.text, person.says[list(ask.evidence)[-1]], LABELS.index(ask.verdict)) for ask in person.asks if ask.verdict and ask.evidence]


def made(person: Person, everybody: Sequence[Person], rng: random.Random) -> Iterator[Pair]:
    asks = [told_back(person, everybody, rng, dropped=DROPPED) for _ in range(BACK)]
    asks += [guessed(person, everybody, rng) for _ in range(GUESSED)]
    for ask in asks:
        if ask:
            yield Pair(ask.text, person.says[next(iter(ask.evidence))], LABELS.index(ask.verdict))
    other = [i for i, ask in enumerate(person.asks) if ask.verdict is None and (ask.kind != "yesno" or not ask.evidence)]
    for i in rng.sample(other, min(NEITHER, len(other))):
        ask = person.asks[i]
        index = next(iter(ask.evidence)) if ask.evidence else int(person.features["near"][i].argmax())
        yield Pair(ask.text, person.says[index], 0)


def logits(model: Entailment, trunk: Trunk, pairs: Sequence[Pair]) -> torch.Tensor:
    questions = trunk.read([("query", pair.question) for pair in pairs])
    statements = trunk.read([("passage", pair.statement) for pair in pairs])
    asked, told = (pad([text.states for text in texts]) for texts in (questions, statements))
    return model(asked[0].float(), asked[1], told[0].float(), told[1])


def train_entailment(trunk: Trunk, persons: list[Person], *, epochs: int, rate: float = 1e-3, seed: int = 6, after=None, say=print) -> Entailment:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    model = Entailment()
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05)
    own = [pair for person in persons for pair in asked_and_told(person)]
    sets = [[pair for person in persons for pair in made(person, persons, rng)] for _ in range(DRAWN)]
    trunk.read([("query", pair.question) for some in (own, *sets) for pair in some])
    say(f"entailment: {len(own)} pairs, and {', '.join(str(len(some)) for some in sets)} that are made", flush=True)
    began = time.time()
    for epoch in range(epochs):
        pairs = OWN * own + sets[epoch % DRAWN]
        rng.shuffle(pairs)
        parts = []
        for start in range(0, len(pairs), 8 * BATCH):  # those of about one length together: padding costs as much as words
            some = sorted(pairs[start : start + 8 * BATCH], key=lambda pair: len(pair.question) + len(pair.statement))
            parts += [some[i : i + BATCH] for i in range(0, len(some), BATCH)]
        rng.shuffle(parts)
        model.train()
        losses = []
        for step, part in enumerate(parts, 1):
            done = (epoch + step / len(parts)) / epochs
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1, (epoch * len(parts) + step) / 100) * max(0.02, 1 - done)
            loss = F.cross_entropy(logits(model, trunk, part), torch.tensor([pair.label for pair in part]), label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            losses.append(loss.item())
        say(f"entailment: epoch {epoch}, loss {sum(losses) / len(losses):.3f}, {time.time() - began:.0f} s", flush=True)
        if after:
            after(model, epoch)
    return model


@torch.no_grad()
def figures(model: Entailment, trunk: Trunk, pairs: Sequence[Pair]) -> dict[str, float]:
    """Of those that want a yes or no: right, the opposite, neither; and of the others, said a yes or no."""
    model.eval()
    said = torch.cat([logits(model, trunk, pairs[i : i + BATCH]) for i in range(0, len(pairs), BATCH)]).argmax(-1)
    gold = torch.tensor([pair.label for pair in pairs])
    wanted = gold > 0
    out = {"pairs": len(pairs)}
    if wanted.any():
        out |= {"right": (said == gold)[wanted].float().mean().item(), "opposite": ((said != gold) & (said > 0))[wanted].float().mean().item()}
    if (~wanted).any():
        out["said unasked"] = (said > 0)[~wanted].float().mean().item()
    return {name: round(value, 3) for name, value in out.items()}
