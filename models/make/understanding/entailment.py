"""Entailment: what a statement says to a question: whether it answers it, and where yes or no is asked, yes, no, or neither.

A network of its own over the trunk's states of the two texts. Each piece is compared with what it is aligned with in the other text (Parikh et al.,
"A decomposable attention model for natural language inference", EMNLP 2016), and two small layers compose what was compared (as Chen et al.,
"Enhanced LSTM for natural language inference", ACL 2017). Layers of a transformer over both texts, as the reader has, did not learn from so few
pairs that the same words mean yes (`docs/quality.md`). What answers is learnt beside the nearest that does not, with the same layers: it sees a
statement and the question alone, where the reader sees all candidates and their cosines, and the two together are right more often than either.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from misses import Near
from people import Person, guessed, put_otherwise, questions, told_back
from torch import nn
from trunk import Trunk, halved, pad

LABELS = (None, "yes", "no")
BATCH, WIDTH, HEADS, LAYERS, DROPOUT = 64, 192, 4, 2, 0.2
QUESTIONS = 12
"""Questions of a step, each with SHOWN statements; what is asked with yes or no is spread over the steps of a pass."""
SHOWN = 6
"""Statements beside a question: what answers it, the nearest that do not, one of the others."""
NOISE = 0.05
"""Standard deviation of what is added to a cosine before the nearest are chosen, so that a pass shows others than the last."""
BACK_AGAIN, SOMEBODY_ELSE, UNANSWERED, STRANGERS = 0.08, 0.1, 0.12, 0.2
"""As the reader's: how often a question is put otherwise, and how often a stranger's statement takes the last place."""
DRAWN = 3
"""Sets of made pairs; each pass takes one of them, so that the trunk reads no more than these."""
OWN = 2
"""How often each question that somebody wrote is in a pass: they are harder than what is made, and fewer."""
BACK, GUESSED = 3, 4
"""Of each person in each set: how often what was told is asked back word by word, or with one thing in it changed; and how often the answer to a
question is guessed in it."""
NEITHER = 3
"""Of each person in each set: questions that ask for more than a yes or no, or that nothing told answers, beside the nearest statement; and half of
all that nothing told answers, which are the hardest to leave open."""
DROPPED = 0.5
"""How often a question made of a statement loses words, as people ask back in short."""


class Entailment(nn.Module):
    def __init__(self, outputs: int = len(LABELS) + 1) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.toward = nn.Linear(384, 384, bias=False)
        nn.init.eye_(self.toward.weight)  # aligned at first is what is near
        self.compare = nn.Linear(4 * 384, WIDTH)
        self.part = nn.Parameter(torch.zeros(2, WIDTH))
        self.layers = nn.ModuleList(Composing() for _ in range(LAYERS))
        self.says = nn.Sequential(nn.Dropout(DROPOUT), nn.Linear(4 * WIDTH, WIDTH), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(WIDTH, outputs))

    def forward(self, question: torch.Tensor, asked: torch.Tensor, statement: torch.Tensor, told: torch.Tensor) -> torch.Tensor:
        """(pairs, 4): neither, yes, no; and by how much it is likelier than not that the statement answers. States (pairs x pieces x 384), masks."""
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
    """A question and statements beside it; which of them answer."""

    question: str
    statements: tuple[str, ...]
    answer: tuple[bool, ...]


def shown(person: Person, index: int, everybody: Sequence[Person], rng: random.Random, count: int = SHOWN) -> Shown:
    ask, allowed = put_otherwise(person, index, everybody, rng, back=BACK_AGAIN, somebody_else=SOMEBODY_ELSE, unanswered=UNANSWERED)
    cosine = person.features["near"][index]
    others = sorted((i for i in allowed if i not in ask.evidence), key=lambda i: -float(cosine[i]) - rng.gauss(0, NOISE))
    most = max(0, count - 1 - len(ask.evidence))
    chosen = [*ask.evidence, *others[:most], *(rng.sample(others[most:], 1) if others[most:] else ())][:count]
    items = [(person.says[i], i in ask.evidence) for i in chosen]
    stranger = rng.choice(everybody)
    if rng.random() < STRANGERS and stranger.language == person.language and not items[-1][1]:
        items[-1] = rng.choice(stranger.says), False
    return Shown(ask.text, tuple(said for said, _ in items), tuple(answers for _, answers in items))


def logits(model: Entailment, trunk: Trunk, asked: Sequence[tuple[str, Sequence[str]]]) -> torch.Tensor:
    """(all statements, 4), of questions each with the statements beside it."""
    questions = pad([text.states for text in trunk.read([("query", question) for question, _ in asked])])
    statements = pad([text.states for text in trunk.read([("passage", said) for _, beside in asked for said in beside])])
    row = torch.tensor([i for i, (_, beside) in enumerate(asked) for _ in beside])
    with halved():
        found = model(questions[0][row].float(), questions[1][row], statements[0].float(), statements[1])
    return found.float()


def answers_loss(scores: torch.Tensor, lists: Sequence[Shown]) -> torch.Tensor:
    """Each statement that answers against all that do not, and against zero, which is "nothing answers"."""
    each, there = pad(list(scores.split([len(one.answer) for one in lists])))
    answer, _ = pad([torch.tensor(one.answer, device="cpu").float() for one in lists])
    against = torch.cat([each.new_zeros(len(lists), 1), each.masked_fill((answer > 0) | (there == 0), -1e4)], 1).logsumexp(1, keepdim=True)
    right = answer.sum(1)
    answered = ((torch.logaddexp(against, each) - each) * answer).sum(1) / right.clamp(min=1)
    return torch.where(right > 0, answered, against[:, 0]).mean()


def train_entailment(
    trunk: Trunk,
    persons: list[Person],
    close: Sequence[Near],
    *,
    epochs: int,
    model: Entailment | None = None,
    rate: float = 1e-3,
    seed: int = 6,
    after=None,
    say=print,
) -> Entailment:
    """`close`: what is told close to what is asked, of which yes and no alone is learnt: as candidates of the second question such statements made
    what answers too strict (of eleven sets aside .012 fewer answered, .015 fewer left alone). `model`: to go on from."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    model = model or Entailment()
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05)
    index = list(questions(persons))
    own = [pair for person in persons for pair in asked_and_told(person)] + [pair for one in close for pair in of_near(one)]
    sets = [[pair for person in persons for pair in made(person, persons, rng)] for _ in range(DRAWN)]
    trunk.read([("query", pair.question) for some in (own, *sets) for pair in some])
    sizes = ", ".join(str(len(some)) for some in sets)
    say(f"entailment: {len(index)} questions; {len(own)} pairs, and {sizes} that are made", flush=True)
    steps, step, began = epochs * -(-len(index) // QUESTIONS), 0, time.time()
    for epoch in range(epochs):
        rng.shuffle(index)
        pairs = OWN * own + sets[epoch % DRAWN]
        rng.shuffle(pairs)
        each = -(-len(pairs) * epochs // steps)
        model.train()
        losses = []
        lists_of_pass = [shown(person, i, persons, rng) for person, i in index]
        rng.shuffle(lists_of_pass)
        for lists in alike(lists_of_pass, rng):
            beside, pairs = pairs[:each], pairs[each:]
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1, step / 100) * max(0.02, 1 - step / steps)
            losses.append(learn(model, optimiser, lists, beside, partial(logits, model, trunk)))
            if step % 200 == 0:
                say(f"entailment: step {step} of {steps}, {lately(losses)}, {time.time() - began:.0f} s", flush=True)
        if after:
            after(model, epoch)
    return model


def learn(
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    lists: Sequence[Shown],
    beside: Sequence[Pair],
    logits: Callable[[list[tuple[str, Sequence[str]]]], torch.Tensor],
) -> tuple[float, float]:
    """One step over questions with statements and pairs of yes or no; both losses. `logits`: of questions each with the statements beside it."""
    found = logits([(one.question, one.statements) for one in lists] + [(pair.question, (pair.statement,)) for pair in beside])
    count = sum(len(one.answer) for one in lists)
    answers = answers_loss(found[:count, len(LABELS)], lists)
    labels = torch.tensor([pair.label for pair in beside])
    said = F.cross_entropy(found[count:, : len(LABELS)], labels, label_smoothing=0.05) if beside else found.new_zeros(())
    step(model, optimiser, answers + said)
    return answers.item(), said.item()


def step(model: nn.Module, optimiser: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimiser.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


def lately(losses: Sequence[tuple[float, ...]]) -> str:
    means = [sum(part) / len(part) for part in zip(*losses[-200:], strict=True)]
    return "losses of what answers, of yes and no" + (", of what changes " if len(means) > 2 else " ") + ", ".join(f"{one:.3f}" for one in means)


def alike(lists: list[Shown], rng: random.Random, count: int = QUESTIONS) -> Iterator[list[Shown]]:
    """So many of about one length together: padding costs as much as words."""
    for start in range(0, len(lists), 8 * count):
        some = sorted(lists[start : start + 8 * count], key=lambda one: len(one.question) + max(map(len, one.statements)))
        parts = [some[i : i + count] for i in range(0, len(some), count)]
        rng.shuffle(parts)
        yield from parts


Logits = Callable[..., torch.Tensor]
"""(all statements, 4), of a model, the trunk and questions each with the statements beside it."""


@torch.no_grad()
def figures(model: nn.Module, trunk: Trunk, pairs: Sequence[Pair], logits: Logits = logits) -> dict[str, float]:
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
def evidence_figures(model: nn.Module, trunk: Trunk, persons: Sequence[Person], logits: Logits = logits) -> dict[str, float]:
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
