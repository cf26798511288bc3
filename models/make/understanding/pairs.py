"""Questions and statements in pairs, from which the cross-encoder learns: which statement answers, beside the nearest that do not, and where yes or
no is asked, what it says. What people wrote, and what is made of it: asked back word by word, guessed, asked of somebody else.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from misses import Near
from people import Person, guessed, put_otherwise, told_back
from torch import nn
from trunk import Trunk, pad

LABELS = (None, "yes", "no")
BATCH = 64
"""Pairs at once where they are measured."""
NOISE = 0.05
"""Standard deviation of what is added to a cosine before the nearest are chosen, so that a pass shows others than the last."""
BACK_AGAIN, SOMEBODY_ELSE, UNANSWERED, STRANGERS = 0.08, 0.1, 0.12, 0.2
"""As the reader's: how often a question is put otherwise, and how often a stranger's statement takes the last place."""
BACK, GUESSED = 3, 4
"""Of each person in a pass: how often what was told is asked back word by word, or with one thing in it changed; and how often the answer to a
question is guessed in it."""
NEITHER = 3
"""Of each person in a pass: questions that ask for more than a yes or no, or that nothing told answers, beside the nearest statement; and half of
all that nothing told answers, which are the hardest to leave open."""
DROPPED = 0.5
"""How often a question made of a statement loses words, as people ask back in short."""


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
    open_ones = [i for i in other if not person.asks[i].evidence]
    for i in sorted({*rng.sample(other, min(NEITHER, len(other))), *rng.sample(open_ones, len(open_ones) // 2)}):
        ask = person.asks[i]
        index = next(iter(ask.evidence)) if ask.evidence else int(person.features["near"][i].argmax())
        yield Pair(ask.text, person.says[index], 0)


def of_near(one: Near) -> list[Pair]:
    """What each of its statements says to the question of yes or no: those that merely come close, nothing."""
    said = [(one.earlier, one.verdict), (one.change, one.then), *((miss, None) for miss in one.misses)]
    return [Pair(one.question, statement, LABELS.index(verdict)) for statement, verdict in said]


@dataclass(frozen=True)
class Shown:
    """A question and statements beside it; which of them answer, and with which words, empty where nobody says."""

    question: str
    statements: tuple[str, ...]
    answer: tuple[bool, ...]
    words: tuple[str, ...]


def shown(person: Person, index: int, everybody: Sequence[Person], rng: random.Random, count: int) -> Shown:
    ask, allowed = put_otherwise(person, index, everybody, rng, back=BACK_AGAIN, somebody_else=SOMEBODY_ELSE, unanswered=UNANSWERED)
    cosine = person.features["near"][index]
    others = sorted((i for i in allowed if i not in ask.evidence), key=lambda i: -float(cosine[i]) - rng.gauss(0, NOISE))
    most = max(0, count - 1 - len(ask.evidence))
    chosen = [*ask.evidence, *others[:most], *(rng.sample(others[most:], 1) if others[most:] else ())][:count]
    items = [(person.says[i], i in ask.evidence, ask.evidence.get(i, "")) for i in chosen]
    stranger = rng.choice(everybody)
    if rng.random() < STRANGERS and stranger.language == person.language and not items[-1][1]:
        items[-1] = rng.choice(stranger.says), False, ""
    said, answer, words = zip(*items, strict=True)
    return Shown(ask.text, said, answer, words)


def answers_loss(scores: torch.Tensor, lists: Sequence[Shown]) -> torch.Tensor:
    """Each statement that answers against all that do not, and against zero, which is "nothing answers"."""
    each, there = pad(list(scores.split([len(one.answer) for one in lists])))
    answer, _ = pad([torch.tensor(one.answer, device="cpu").float() for one in lists])
    against = torch.cat([each.new_zeros(len(lists), 1), each.masked_fill((answer > 0) | (there == 0), -1e4)], 1).logsumexp(1, keepdim=True)
    right = answer.sum(1)
    answered = ((torch.logaddexp(against, each) - each) * answer).sum(1) / right.clamp(min=1)
    return torch.where(right > 0, answered, against[:, 0]).mean()


def step(model: nn.Module, optimiser: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


def lately(losses: Sequence[tuple[float, ...]]) -> str:
    means = [sum(part) / len(part) for part in zip(*losses[-200:], strict=True)]
    return "losses of what answers, of yes and no, of what changes, of its words " + ", ".join(f"{one:.3f}" for one in means)


def alike(lists: list[Shown], rng: random.Random, count: int) -> Iterator[list[Shown]]:
    """So many of about one length together: padding costs as much as words."""
    for start in range(0, len(lists), 8 * count):
        some = sorted(lists[start : start + 8 * count], key=lambda one: len(one.question) + max(map(len, one.statements)))
        parts = [some[i : i + count] for i in range(0, len(some), count)]
        rng.shuffle(parts)
        yield from parts


Logits = Callable[..., torch.Tensor]
"""(all statements, 4), of a model, the trunk and questions each with the statements beside it."""


@torch.no_grad()
def figures(model: nn.Module, trunk: Trunk, pairs: Sequence[Pair], logits: Logits) -> dict[str, float]:
    """Of those that want a yes or no: right, the opposite, neither; and of the others, said a yes or no."""
    model.eval()
    parts = [[(pair.question, [pair.statement]) for pair in pairs[i : i + BATCH]] for i in range(0, len(pairs), BATCH)]
    said = torch.cat([logits(model, trunk, part)[:, : len(LABELS)] for part in parts]).argmax(-1)
    gold = torch.tensor([pair.label for pair in pairs])
    wanted = gold > 0
    out = {"pairs": len(pairs)}
    if wanted.any():
        out |= {"right": (said == gold)[wanted].float().mean().item(), "opposite": ((said != gold) & (said > 0))[wanted].float().mean().item()}
    if (~wanted).any():
        out["said unasked"] = (said > 0)[~wanted].float().mean().item()
    return {name: round(value, 3) for name, value in out.items()}


@torch.no_grad()
def evidence_figures(model: nn.Module, trunk: Trunk, persons: Sequence[Person], logits: Logits) -> dict[str, float]:
    """Of the persons' questions, beside all they said: the likeliest statement answers and is above zero; of those nothing answers, none is."""
    model.eval()
    counts: dict[str, list[bool]] = {"first": [], "answered": [], "left alone": []}
    for person in persons:
        found = logits(model, trunk, [(ask.text, person.says) for ask in person.asks])[:, len(LABELS)].reshape(len(person.asks), -1)
        for ask, scores in zip(person.asks, found, strict=True):
            best = int(scores.argmax())
            if ask.evidence:
                counts["first"].append(best in ask.evidence)
                counts["answered"].append(best in ask.evidence and float(scores[best]) > 0)
            else:
                counts["left alone"].append(float(scores[best]) <= 0)
    return {name: round(sum(v) / len(v), 3) for name, v in counts.items()}
