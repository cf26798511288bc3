"""The reader: one joint pass over a question and what may answer it, in order of time.

Its lower layers are the trunk, text by text. Of its upper ones the first two let each candidate see the question and itself, so that it is
matched before it is compared; the last two see everything. It learns, per candidate, whether it is evidence (against "nothing answers", whose
score it learns too), and where the answer begins and ends.
"""

from __future__ import annotations

import copy
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from encoder import Upper
from people import Person, put_otherwise, questions
from torch import nn
from trunk import Text, Trunk, halved, pad, through

from lira_core.memory.following import in_full

MOST = 10
"""Candidates at once."""
APART = 2
"""Upper layers in which a candidate sees itself and the question alone. With all of them joint from the start 300 steps taught nothing beyond the
cosine (`docs/quality.md`)."""
AGES = 17
"""The newest candidate is 1, the one before 2, ... the question 0; older than 16 counts as 16."""
BATCH = 16
SPAN_WEIGHT = 0.3
# How often a question is put otherwise in training, from the trial behind this reader (.12, .4) and by what memories look like in use:
UNANSWERED = 0.12  # the evidence is taken away
SOMEBODY_ELSE = 0.12  # it is asked of somebody nobody spoke of
STRANGERS = 0.4  # what other people said is among the candidates
UNSEEN = 0.05  # a candidate that no encoder has seen yet stands at the middle of the others
TOLD_BACK = 0.08  # what was told is asked word by word, or with one thing in it from elsewhere
NEAR_BACK = (0.6, 0.95)  # how near that is to what was told
UNKEPT = 0.5  # small talk is not among them, as where a gate decides what is kept


GLUED = 0.25  # a candidate, or two, is put after the one before it
Item = tuple[str, float, bool, str | None]
"""A candidate: the statement, its cosine, whether it answers, and which of its words do."""


class Reader(nn.Module):
    def __init__(self, upper: Upper) -> None:
        super().__init__()
        self.layers = copy.deepcopy(upper.layers)
        for part in self.layers.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0  # no two passes see a question with the same candidates, which is noise enough, and a seventh of the time is saved
        self.kind = nn.Parameter(torch.zeros(2, 384))
        self.age = nn.Parameter(torch.zeros(AGES, 384))
        self.evidence = nn.Linear(384, 1)
        self.none = nn.Linear(384, 1)
        self.span = nn.Linear(384, 2)
        # From the trial: the score starts from the cosine, or nothing is learnt for an epoch.
        self.scale = nn.Parameter(torch.tensor(8.0))
        self.bias = nn.Parameter(torch.tensor(-3.0))
        for head in (self.evidence, self.none, self.span):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, hidden: torch.Tensor, segment: torch.Tensor, age: torch.Tensor) -> torch.Tensor:
        """Joint states. `segment` (batch x tokens): 0 for the question's pieces, 1, 2, ... for those of each candidate, -1 for padding."""
        hidden = hidden + self.kind[(segment > 0).long()] + self.age[age]
        real = (segment >= 0)[:, None, :]
        alone = ((segment[:, :, None] == segment[:, None, :]) | (segment == 0)[:, None, :]) & real
        for i, layer in enumerate(self.layers):
            hidden = through(layer, hidden, (alone if i < APART else real.expand_as(alone)).float())
        return hidden


def pooled(states: torch.Tensor, segment: torch.Tensor, count: int) -> torch.Tensor:
    """(batch, count, 384): the mean state of the question, then of each candidate; zeros where there is none."""
    share = (segment[:, None, :] == torch.arange(count)[None, :, None]).to(states.dtype)
    return (share @ states) / share.sum(-1, keepdim=True).clamp(min=1)


@dataclass
class Example:
    question: Text
    candidates: list[Text]
    cosines: list[float]
    evidence: list[bool]
    spans: list[tuple[int, int] | None]


def pieces_of(text: Text, said: str, words: str) -> tuple[int, int] | None:
    """First and last piece of `words` in what was said."""
    start = said.find(words)
    inside = [i for i, (a, b) in enumerate(text.offsets) if b > start and a < start + len(words) and b > a]
    return (inside[0], inside[-1]) if inside else None


def example(trunk: Trunk, person: Person, index: int, everybody: Sequence[Person], rng: random.Random | None) -> Example:
    """`rng` None: as it is asked. `person.features`: "near" (asks x says) cosines of an encoder that never saw the person."""
    ask, allowed, cosine = person.asks[index], list(range(len(person.says))), person.features["near"][index].clone()
    most = MOST
    if rng:
        cosine += torch.randn(len(cosine), generator=torch.Generator("cpu").manual_seed(rng.randrange(1 << 30)), device="cpu") * 0.03
        ask, allowed = put_otherwise(person, index, everybody, rng, back=TOLD_BACK, somebody_else=SOMEBODY_ELSE, unanswered=UNANSWERED)
        if ask.evidence and ask.text != person.asks[index].text:
            for i in ask.evidence:
                cosine[i] = rng.uniform(*NEAR_BACK)
        if person.keep and rng.random() < UNKEPT:
            allowed = [i for i in allowed if person.keep[i] or i in ask.evidence] or allowed
        most = rng.randint(1, MOST)  # who told little yet asks too
    chosen = sorted(allowed, key=lambda i: -float(cosine[i]))[:most]
    if rng:
        chosen += [i for i in ask.evidence if i not in chosen]
    items: list[Item] = [(person.says[i], float(cosine[i]), i in ask.evidence, ask.evidence.get(i)) for i in sorted(chosen)]
    if rng and rng.random() < STRANGERS:
        lowest = min((c for _, c, _, _ in items), default=0.0)
        for _ in range(rng.randint(1, 3)):
            stranger = rng.choice(everybody)
            if stranger is not person and stranger.language == person.language:
                items.insert(rng.randint(0, len(items)), (rng.choice(stranger.says), lowest + rng.uniform(-0.05, 0.1), False, None))
    if rng and rng.random() < GLUED:
        items = glued(items, rng)
    if rng:
        middle = statistics.median(c for _, c, _, _ in items)
        items = [(said, middle if rng.random() < UNSEEN else c, right, words) for said, c, right, words in items]
    question, *texts = trunk.read([("query", ask.text), *(("passage", said) for said, *_ in items)])
    spans = [pieces_of(text, said, words) if words else None for text, (said, _, _, words) in zip(texts, items, strict=True)]
    return Example(question, texts, [c for _, c, _, _ in items], [e for _, _, e, _ in items], spans)


def glued(items: Sequence[Item], rng: random.Random) -> list[Item]:
    """One of them, or two, after the one before it, as where a line was taken to lean on the one before: the same again with all that line says. As
    near to the question as the mean of the two vectors would be were they at a right angle; whichever answers, the whole does."""
    out = list(items)
    for i in sorted(rng.sample(range(1, len(items)), min(len(items) - 1, rng.randint(1, 2)))):
        (before, near, answers, words), (said, its_near, its_answers, its_words) = items[i - 1], items[i]
        share = len(before) / (len(before) + len(said))
        length = (share**2 + (1 - share) ** 2) ** 0.5
        out[i] = in_full([before], said), (share * near + (1 - share) * its_near) / length, answers or its_answers, its_words or words
    return out


@dataclass
class Batch:
    hidden: torch.Tensor
    segment: torch.Tensor
    age: torch.Tensor
    first: torch.Tensor  # (batch, candidates): where each candidate begins; 0 where there is none
    there: torch.Tensor  # (batch, candidates): 1 where there is one
    cosine: torch.Tensor
    evidence: torch.Tensor


def batch_of(examples: list[Example]) -> Batch:
    rows, ages, segments = [], [], []
    widest = max(len(e.candidates) for e in examples)
    first = torch.zeros(len(examples), widest, dtype=torch.long, device="cpu")
    there, cosine, evidence = (torch.zeros(len(examples), widest, device="cpu") for _ in range(3))
    for i, e in enumerate(examples):
        rows.append(torch.cat([e.question.states, *(c.states for c in e.candidates)]))
        count, at = len(e.candidates), len(e.question.states)
        age, segment = ([torch.zeros(at, dtype=torch.long, device="cpu")] for _ in range(2))
        for j, c in enumerate(e.candidates):
            first[i, j], there[i, j], cosine[i, j], evidence[i, j] = at, 1, e.cosines[j], float(e.evidence[j])
            age.append(torch.full((len(c.states),), min(count - j, AGES - 1), device="cpu"))
            segment.append(torch.full((len(c.states),), j + 1, device="cpu"))
            at += len(c.states)
        ages.append(torch.cat(age))
        segments.append(torch.cat(segment))
    together = torch.nn.utils.rnn.pad_sequence(segments, batch_first=True, padding_value=-1)
    oldest = torch.nn.utils.rnn.pad_sequence(ages, batch_first=True)
    # Put together on the CPU, number by number, and moved at once: a GPU takes as long for each number.
    of_each = (one.to(torch.get_default_device()) for one in (together, oldest, first, there, cosine, evidence))
    return Batch(pad(rows)[0].float(), *of_each)


def scored(reader: Reader, states: torch.Tensor, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    """(batch, candidates) scores of evidence, (batch,) of nothing answering."""
    means = pooled(states, batch.segment, batch.first.shape[1] + 1)
    evidence = reader.evidence(means[:, 1:])[..., 0] + reader.scale * batch.cosine + reader.bias
    return evidence, reader.none(means[:, 0])[:, 0]


def loss_of(reader: Reader, states: torch.Tensor, batch: Batch, examples: list[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    """The whole loss, and the part that says what is evidence."""
    scores, none = scored(reader, states, batch)
    wrong = torch.cat([none[:, None], scores.masked_fill((batch.evidence > 0) | (batch.there == 0), -1e4)], 1).logsumexp(1)
    # Each piece of evidence against all that is none, and against "nothing answers".
    each = (torch.logaddexp(wrong[:, None], scores) - scores) * batch.evidence
    unanswered = wrong - none
    told = batch.evidence.sum(1)
    evidence = torch.where(told > 0, each.sum(1) / told.clamp(min=1), unanswered).mean()
    spans, count = states.new_zeros(()), 0
    for i, e in enumerate(examples):
        for j, span in enumerate(e.spans):
            if span:
                start = int(batch.first[i, j]) + 1
                ends = reader.span(states[i, start : start + len(e.candidates[j].offsets)])
                spans = spans + F.cross_entropy(ends.T, torch.tensor(span), reduction="sum")
                count += 1
    return evidence + SPAN_WEIGHT * spans / max(1, count), evidence


def batches(trunk: Trunk, index: list[tuple[Person, int]], persons: Sequence[Person], rng: random.Random) -> Iterator[list[Example]]:
    """Examples of about one length together, out of some drawn at random: padding costs as much as words."""
    for start in range(0, len(index), 4 * BATCH):
        drawn = [example(trunk, person, i, persons, rng) for person, i in index[start : start + 4 * BATCH]]
        drawn.sort(key=lambda e: len(e.question.states) + sum(len(c.states) for c in e.candidates))
        parts = [drawn[i : i + BATCH] for i in range(0, len(drawn), BATCH)]
        rng.shuffle(parts)
        yield from parts


def train_reader(
    trunk: Trunk, reader: Reader, persons: list[Person], *, epochs: int, rate: float = 2e-4, seed: int = 1, after=None, say=print
) -> Reader:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    linears = (reader.evidence, reader.none, reader.span)
    heads = [reader.kind, reader.age, *(p for head in linears for p in head.parameters())]
    optimiser = torch.optim.AdamW(
        [
            {"params": reader.layers.parameters(), "lr": rate, "weight_decay": 0.01},
            {"params": heads, "lr": rate * 5, "weight_decay": 0.0},
            {"params": [reader.scale, reader.bias], "lr": rate * 20, "weight_decay": 0.0},
        ]
    )
    rates = [group["lr"] for group in optimiser.param_groups]
    index = list(questions(persons))
    steps, step, began = epochs * -(-len(index) // BATCH), 0, time.time()
    for epoch in range(epochs):
        rng.shuffle(index)
        reader.train()
        losses = []
        for examples in batches(trunk, index, persons, rng):
            batch = batch_of(examples)
            step += 1
            for group, most in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = most * min(1, step / 60) * max(0.03, 1 - step / steps)
            with halved():
                states = reader(batch.hidden, batch.segment, batch.age)
            loss, evidence = loss_of(reader, states.float(), batch, examples)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            losses.append(evidence.item())
            if step % 50 == 0:
                say(f"reader: step {step} of {steps}, evidence loss {sum(losses[-50:]) / 50:.3f}, {time.time() - began:.0f} s", flush=True)
        say(f"reader: epoch {epoch}, evidence loss {sum(losses) / len(losses):.3f}, {time.time() - began:.0f} s", flush=True)
        if after:
            after(reader, epoch)
    return reader


@torch.no_grad()
def read(reader: Reader, trunk: Trunk, persons: list[Person]) -> list[dict]:
    """Per question: the person, the question, each candidate's score less that of "none", and spans, as asked in earnest."""
    reader.eval()
    out = []
    index = list(questions(persons))
    for start in range(0, len(index), BATCH):
        part = index[start : start + BATCH]
        examples = [example(trunk, person, i, persons, None) for person, i in part]
        batch = batch_of(examples)
        states = reader(batch.hidden, batch.segment, batch.age)
        scores, none = scored(reader, states, batch)
        for i, ((person, asked), e) in enumerate(zip(part, examples, strict=True)):
            spans = []
            for j, span in enumerate(e.spans):
                if span:
                    at = int(batch.first[i, j]) + 1
                    ends = reader.span(states[i, at : at + len(e.candidates[j].offsets)])
                    begin = int(ends[:, 0].argmax())
                    spans.append((span, (begin, begin + int(ends[begin:, 1].argmax()))))
            odds = (scores[i] - none[i])[: len(e.candidates)]
            out.append({"ask": person.asks[asked], "odds": odds.tolist(), "evidence": e.evidence, "spans": spans})
    return out


def figures(rows: list[dict], threshold: float = 0.0) -> dict[str, float]:
    """`answered`: of what can be answered, the best candidate is evidence and above the threshold; `unanswered`: of the rest, none is."""
    counts: dict[str, list[bool]] = {}
    for row in rows:
        odds, ask = row["odds"], row["ask"]
        best = max(range(len(odds)), key=odds.__getitem__)
        said = odds[best] >= threshold
        right = said and row["evidence"][best] if ask.evidence else not said
        for name in ("answered" if ask.evidence else "unanswered", ask.kind):
            counts.setdefault(name, []).append(bool(right))
        for (a, b), (c, d) in row["spans"]:
            shared = max(0, min(b, d) - max(a, c) + 1)
            counts.setdefault("span", []).append(shared * 2 >= b - a + 1)
    return {name: round(sum(v) / len(v), 3) for name, v in sorted(counts.items())}
