"""Fit what makes probabilities of what the models say; writes `calibration.json` of `models/lira-encoder` and `lira-reader`, and `passage.npy`.

    python models/make/understanding/calibrate.py --korsts DIR [--models models]

DIR holds KorSTS' sts-train.tsv and sts-dev.tsv. Everything else comes from `data/`: the mean vectors from the people whom the models learnt
from, all probabilities from those left out to choose by. A few minutes on one core.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

import changes  # noqa: E402
from misses import near  # noqa: E402
from people import PEOPLE, Person, askers, learners_and_dev  # noqa: E402
from utterance_rows import lines, of_persons  # noqa: E402

from lira_core.embedding.certainty import Certainty  # noqa: E402
from lira_core.embedding.onnx import OnnxEncoder  # noqa: E402
from lira_core.embedding.speech import KEEP, STATUS  # noqa: E402
from lira_core.evaluation.reader import nearest  # noqa: E402
from lira_core.evaluation.similarity import evaluate_similarity, read_similarity_rows  # noqa: E402
from lira_core.languages.terms import terms  # noqa: E402
from lira_core.memory.listing import LISTED  # noqa: E402
from lira_core.memory.recall import shares_named  # noqa: E402
from lira_core.memory.understanding import understand  # noqa: E402
from lira_core.model_folder import PASSAGE_FILE  # noqa: E402
from lira_core.reading.onnx import OnnxReader  # noqa: E402
from lira_core.reading.port import OF_IT  # noqa: E402

SEED = 1
SOME_DAY = datetime(2026, 11, 1, tzinfo=UTC)
"""When what is asked was asked: no term hangs on it."""
SHARE = 0.8
"""How much of the mean is taken off: of 0, 0.5, 0.8 and 1 the best on KorSTS dev for the encoder this one was made from."""
WIDTH = 384
RIDGE = 1.0
"""Of .01, .1, 1 and 10 the largest with which nothing is lost on the people left out."""
KORSTS_ROWS = 2000
SAME = 2.0
"""KorSTS gold from which two sentences are about the same thing ("not equivalent, but share some details")."""
QUESTION_WEIGHT = 0.5
"""Share of the questions in the fit of certainty, which decides what is brought up unasked: statements count as much."""
FLOOR = 0.7
PLAINER = 0.1
"""Added to the intercept of the reader: a third of the questions of data/people has no answer, in everyday dialogues (tests/data/memory_ko.jsonl)
a tenth has none. Of 1,587 questions of people left out .68 (hands `*_own`), .65 (`*_implied`), .74 (sessions as typed) and .80 (others) are answered
and .80, .68, .69 and .77 left alone so; .67, .65, .74, .79 and .82, .73, .71, .79 without it."""
WEIGHTS = np.arange(0, 6.1, 0.25)
"""What is tried as the weight of a candidate's cosine beside what the cross-encoder makes of it."""
LISTED_WEIGHTS = np.arange(0, 150.1, 5)
"""The same where all of something is asked for: there what a statement is about counts for more than whether it answers."""
NAMED_WEIGHTS = np.arange(0, 30.1, 1)
"""And what is tried there as the weight of what a statement names of the question (`Candidate.named`)."""
VERDICTS = (None, "yes", "no")
TEMPERATURES = np.geomspace(0.3, 5, 60)


def embed(encoder: OnnxEncoder, kind: Any, texts: list[str], *, raw: bool = False) -> np.ndarray:
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    out = np.empty((len(texts), WIDTH), np.float32)
    for start in range(0, len(order), 16):
        chosen = order[start : start + 16]
        part = [(kind, texts[i]) for i in chosen]
        out[chosen] = encoder.raw(part) if raw else encoder.embed(part)
    return out


def logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray, start: tuple[float, float]) -> tuple[float, float]:
    """Slope and intercept of a weighted logistic regression, by Newton's method with halved steps where a whole one overshoots."""
    columns = np.stack([x, np.ones_like(x)], 1)

    def cost(theta: np.ndarray) -> float:
        return float((weight * np.logaddexp(0, np.where(y > 0, -1, 1) * (columns @ theta))).sum())

    theta = np.array(start)
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(columns @ theta, -30, 30)))
        curvature = (columns * (weight * p * (1 - p))[:, None]).T @ columns + 1e-9 * np.eye(2)
        step = np.linalg.solve(curvature, columns.T @ (weight * (p - y)))
        while cost(theta - step) > cost(theta) and np.abs(step).max() > 1e-9:
            step = step / 2
        theta = theta - step
    return float(theta[0]), float(theta[1])


def even_odds(positive: np.ndarray) -> np.ndarray:
    return np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())


def passage_map(encoder: OnnxEncoder, persons: list[Person]) -> np.ndarray:
    """(WIDTH + 1, WIDTH): of the vector of a text as a query the one as a passage, by ridge regression over what `persons` say.

    Regressed is the difference between the two, so that the penalty pulls towards leaving a vector as it is.
    """
    says = list(dict.fromkeys(s for p in persons for s in p.says))
    query, passage = (embed(encoder, kind, says, raw=True).astype(float) for kind in ("query", "passage"))
    columns = np.concatenate([query, np.ones((len(says), 1))], 1)
    change = np.linalg.solve(columns.T @ columns + RIDGE * np.eye(WIDTH + 1), columns.T @ (passage - query))
    return (change + np.eye(WIDTH + 1, WIDTH)).astype(np.float16)


def centres(encoder: OnnxEncoder, persons: list[Person]) -> dict[str, dict[str, list[float]]]:
    out: dict[str, dict[str, list[float]]] = {"query": {}, "passage": {}}
    for language in ("ko", "en"):
        those = [p for p in persons if p.language == language]
        for kind, texts in (("query", [a.text for p in those for a in p.asks]), ("passage", [s for p in those for s in p.says])):
            out[kind][language] = [round(float(v), 5) for v in embed(encoder, kind, texts[::4], raw=True).mean(0)]
    return out


def pairs(encoder: OnnxEncoder, dev: list[Person]) -> tuple[np.ndarray, np.ndarray]:
    """Cosine of each question and each statement of its person, and whether that is evidence."""
    cosines, right = [], []
    for person in dev:
        near = embed(encoder, "query", [a.text for a in person.asks]) @ embed(encoder, "passage", list(person.says)).T
        for ask, row in zip(person.asks, near, strict=True):
            cosines += row.tolist()
            right += [i in ask.evidence for i in range(len(row))]
    return np.array(cosines), np.array(right)


def certainty_of(encoder: OnnxEncoder, dev: list[Person], korsts: pathlib.Path) -> dict[str, Any]:
    train = read_similarity_rows(korsts / "sts-train.tsv")
    train = [train[i] for i in np.random.RandomState(SEED).choice(len(train), KORSTS_ROWS, replace=False)]
    same = np.array([gold >= SAME for _, _, gold in train])
    both = (embed(encoder, "query", [a for a, _, _ in train]) * embed(encoder, "passage", [b for _, b, _ in train])).sum(1)
    asked, answers = pairs(encoder, dev)
    weight = np.concatenate([(1 - QUESTION_WEIGHT) * even_odds(same), QUESTION_WEIGHT * even_odds(answers)])
    slope, intercept = logistic(np.concatenate([both, asked]), np.concatenate([same, answers]).astype(float), weight, (10.0, -5.0))
    certainty = Certainty(slope, intercept)
    rows = read_similarity_rows(korsts / "sts-dev.tsv")
    return {
        "slope": round(slope, 5),
        "intercept": round(intercept, 5),
        "fitted_on": f"{KORSTS_ROWS} rows of KorSTS train as (query, passage), positive from gold {SAME}; questions and statements of {len(dev)} "
        f"persons of data/people, positive when the statement answers; even odds in each, questions weigh {QUESTION_WEIGHT}",
        "cosine_at_0.7": round((float(np.log(FLOOR / (1 - FLOOR))) - intercept) / slope, 4),
        "korsts_dev_spearman_query_query": evaluate_similarity(encoder, certainty, rows)["spearman"],
    }


def temperatures(encoder: OnnxEncoder, dev: list[Person]) -> dict[str, float]:
    """Of each head the temperature under which the labels of people it did not learn from are likeliest."""
    _, rows = lines()
    rows += of_persons(dev)
    logits = np.concatenate([encoder.speech_logits([r.text for r in rows[i : i + 16]]) for i in range(0, len(rows), 16)]).astype(float)
    out = {}
    for name, columns in (("asks", slice(len(STATUS), KEEP)), ("keep", slice(KEEP, KEEP + 1))):
        labels = np.array([getattr(r, name) for r in rows])
        there = labels >= 0
        values, labels = logits[there][:, columns], labels[there]
        if values.shape[1] == 1:
            values = np.concatenate([np.zeros_like(values), values], 1)
        out[name] = round(likeliest(values, labels), 4)
    return out


def likeliest(values: np.ndarray, labels: np.ndarray) -> float:
    """Of `TEMPERATURES` the one under which the labels are likeliest."""
    costs = []
    for t in TEMPERATURES:
        scaled = values / t
        peak = scaled.max(1, keepdims=True)
        costs.append(float((peak[:, 0] + np.log(np.exp(scaled - peak).sum(1)) - scaled[np.arange(len(labels)), labels]).mean()))
    return float(TEMPERATURES[int(np.argmin(costs))])


@dataclass(frozen=True)
class Asked:
    """A question's candidates: their cosines, what the cross-encoder makes of each (`answers`); which are evidence; whether it can be answered at
    all. And of a question with evidence what the last of it says to it, as logits, and what is right: 0 neither, 1 yes, 2 no; None where nobody
    noted it."""

    cosines: np.ndarray
    answers: np.ndarray
    evidence: np.ndarray
    answerable: bool
    says: np.ndarray | None
    verdict: int | None

    def best(self, weight: float) -> tuple[float, bool]:
        """The odds of the best candidate, and whether it is evidence, where the cosine weighs so much; as `OnnxReader` reckons them."""
        odds = self.answers + weight * self.cosines
        return float(odds.max()), bool(self.evidence[int(odds.argmax())])


def read(encoder: OnnxEncoder, reader: OnnxReader, dev: list[Person]) -> list[Asked]:
    out = []
    for person in dev:
        vectors = embed(encoder, "passage", list(person.says))
        for ask, vector in zip(person.asks, embed(encoder, "query", [a.text for a in person.asks]), strict=True):
            cosines = vectors @ vector
            shown = nearest(cosines)
            answers = reader.compare(ask.text, [person.says[i] for i in shown]).answers
            evidence = np.array([i in ask.evidence for i in shown])
            says = reader.compare(ask.text, [person.says[list(ask.evidence)[-1]]]).says[0] if ask.evidence else None
            verdict = None if ask.kind == "yesno" and ask.verdict is None else VERDICTS.index(ask.verdict)
            out.append(Asked(cosines[shown], answers, evidence, bool(ask.evidence), says, verdict))
    return out


def placed(asked: list[Asked], weight: float) -> tuple[float, float]:
    """The share of the questions that are rightly answered or rightly left alone where the threshold is best, and that threshold."""
    best = [one.best(weight) for one in asked]
    odds, right = np.array([o for o, _ in best]), np.array([r for _, r in best])
    answerable = np.array([one.answerable for one in asked])
    grid = np.linspace(-8, 8, 321)
    rightly = np.array([((odds >= t) & right).sum() + ((odds < t) & ~answerable).sum() for t in grid]) / len(asked)
    # A few questions more or less make single peaks: the middle of all that is within half a per cent of the best.
    return float(rightly.max()), float(grid[rightly >= rightly.max() - 0.005].mean())


def sure_of(asked: list[Asked], persons: int) -> dict[str, Any]:
    """What the cosine weighs beside the cross-encoder, the slope over the odds of each question's best candidate, right where it is evidence, and
    the intercept with which 0.5 lies where most questions are rightly answered or rightly left alone."""
    weight = max(map(float, WEIGHTS), key=lambda weight: placed(asked, weight)[0])
    rightly, place = placed(asked, weight)
    best = [one.best(weight) for one in asked]
    x, y = np.array([o for o, _ in best]), np.array([r for _, r in best])
    slope, _ = logistic(x, y.astype(float), np.full(len(y), 1 / len(y)), (1.0, 0.0))
    return {
        "slope": round(slope, 5),
        "cosine": round(weight, 5),
        "named": 0.0,
        "intercept": round(-slope * place + PLAINER, 5),
        "rightly": round(rightly, 3),
        "fitted_on": f"the best candidate of {len(y)} questions of {persons} persons of data/people and data/asked, right in {y.mean():.3f}",
    }


def says_of(asked: list[Asked]) -> dict[str, Any]:
    """The temperature under which what evidence says is likeliest (Guo et al., "On calibration of modern neural networks", ICML 2017)."""
    rows = [(one.says, one.verdict) for one in asked if one.says is not None and one.verdict is not None]
    values, labels = np.array([v for v, _ in rows], float), np.array([label for _, label in rows])
    temperature = likeliest(values, labels)
    likely = np.exp(values / temperature - (values / temperature).max(1, keepdims=True))
    likely /= likely.sum(1, keepdims=True)
    best, wanted = likely.argmax(1), labels > 0
    return {
        "temperature": round(temperature, 4),
        "right": round(float((best == labels)[wanted].mean()), 3),
        "opposite": round(float(((best != labels) & (best > 0))[wanted].mean()), 3),
        "unasked": round(float((best > 0)[~wanted].mean()), 3),
        "fitted_on": f"{len(labels)} questions of those persons that can be answered, {int((labels == 1).sum())} with yes, "
        f"{int((labels == 2).sum())} with no",
    }


def changes_of(reader: OnnxReader) -> dict[str, Any]:
    """From where on a later statement is told to change an earlier one: `changes.FALSELY` of what nothing changes; and what is found then."""
    left = changes.labelled(dev=True)
    rows = [row for one in left for row in changes.rows(one, None)]
    close = [changes.of_near_change(one, random.Random(SEED)) for one in near(dev=True)]
    found = [reader.changes(row.earlier, row.later) for row in rows]
    speaks = changes.place(found, rows)
    return {
        "speaks": round(speaks, 4),
        **changes.figures(found, rows, speaks),
        "close": changes.figures([reader.changes(row.earlier, row.later) for row in close], close, speaks),
        "fitted_on": f"{len(left)} persons left out: {changes.FALSELY} of what nothing changes",
    }


@dataclass(frozen=True, slots=True)
class OfIt:
    """A question for all that was told about something, and of each statement what the cross-encoder makes of it, its cosine, what it names of the
    question (`Candidate.named`), and whether it is of it."""

    answers: np.ndarray
    cosines: np.ndarray
    named: np.ndarray
    of_it: np.ndarray


def of_something(encoder: OnnxEncoder, reader: OnnxReader) -> list[OfIt]:
    """What the people of `data/listing/people*` ask."""
    out = []
    for path in sorted((PEOPLE.parent / "listing").glob("people*.jsonl")):
        for person in map(json.loads, path.read_text("utf-8").splitlines()):
            vectors = embed(encoder, "passage", person["says"])
            for ask, vector in zip(person["asks"], embed(encoder, "query", [a["q"] for a in person["asks"]]), strict=True):
                read = understand(ask["q"], SOME_DAY)
                named = shares_named(read.question.terms if read.question else read.terms, [terms(said) for said in person["says"]])
                of_it = np.array([i in ask["from"] for i in range(len(person["says"]))])
                out.append(OfIt(reader.compare(ask["q"], person["says"]).answers, vectors @ vector, np.array(named), of_it))
    return out


def listed_of(encoder: OnnxEncoder, reader: OnnxReader) -> dict[str, Any]:
    """Of what asks for all that was told about something, how likely a statement is of it: what its cosine and what it names of the question weigh
    beside the cross-encoder, by likelihood, slope and intercept; and what is told so, each question's LISTED likeliest."""
    asked = of_something(encoder, reader)
    a, c, n, y = (np.concatenate([getattr(one, name) for one in asked]).astype(float) for name in ("answers", "cosines", "named", "of_it"))

    def cost(fit: tuple[float, float, float, float]) -> float:
        cosine, named, slope, intercept = fit
        return float(np.logaddexp(0, (1 - 2 * y) * (slope * (a + cosine * c + named * n) + intercept)).mean())

    even = np.full(len(y), 1 / len(y))
    fits = ((w, v, *logistic(a + w * c + v * n, y, even, (0.3, -3.0))) for w in map(float, LISTED_WEIGHTS) for v in map(float, NAMED_WEIGHTS))
    cosine, named, slope, intercept = min(fits, key=cost)
    told = rightly = 0
    for one in asked:
        likely = 1 / (1 + np.exp(-(slope * (one.answers + cosine * one.cosines + named * one.named) + intercept)))
        best = np.argsort(-likely)[:LISTED]
        told, rightly = told + int((likely[best] >= OF_IT).sum()), rightly + int(one.of_it[best][likely[best] >= OF_IT].sum())
    return {
        "slope": round(slope, 5), "cosine": round(cosine, 5), "named": round(named, 5), "intercept": round(intercept, 5),
        "told": round(rightly / int(y.sum()), 3), "of it": round(rightly / told, 3),
        "fitted_on": f"{len(asked)} questions for all of something of data/listing, {int(y.sum())} statements that are of it, {len(y)} in all",
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--korsts", type=pathlib.Path, help="wanted for the encoder")
    parser.add_argument("--models", type=pathlib.Path, default=HERE.parents[1])
    parser.add_argument("--only", choices=("encoder", "speech", "reader", "listed"))
    args = parser.parse_args()
    if args.only in (None, "encoder") and args.korsts is None:
        parser.error("the encoder's certainty is fitted on KorSTS too: name its folder with --korsts DIR")
    learners, dev = learners_and_dev()
    place, neutral = args.models / "lira-encoder", {"asks": 1.0, "keep": 1.0}
    path = place / "calibration.json"
    if args.only in (None, "encoder"):
        zero = {kind: {"ko": [0.0] * WIDTH, "en": [0.0] * WIDTH} for kind in ("query", "passage")}
        trunk = {"trunk": json.loads(path.read_text("utf-8"))["trunk"]}
        path.write_text(json.dumps(trunk | {"centre": {"share": 0.0, **zero}, "speech": neutral}))
        (place / PASSAGE_FILE).unlink(missing_ok=True)
        np.save(place / PASSAGE_FILE, passage_map(OnnxEncoder(place), learners))
        means = centres(OnnxEncoder(place), learners)
        what = "share * mean vector of the text's kind and language is subtracted, then L2 normalisation"
        stored: dict[str, Any] = trunk | {
            "centre": {"what": what, "fitted_on": "every fourth question and statement of data/people", "share": SHARE, **means}
        }
        path.write_text(json.dumps(stored | {"speech": neutral}))
        encoder = OnnxEncoder(place)
        stored["certainty"] = certainty_of(encoder, dev, args.korsts)
        path.write_text(json.dumps(stored | {"speech": neutral}, ensure_ascii=False))
    if args.only in (None, "encoder", "speech"):
        stored = json.loads(path.read_text("utf-8"))
        stored["speech"] = temperatures(OnnxEncoder(place), dev)
        path.write_text(json.dumps(stored, ensure_ascii=False) + "\n", "utf-8")
        print(json.dumps({name: stored[name] for name in ("certainty", "speech")}, ensure_ascii=False, indent=1))
    if args.only in (None, "reader"):
        place = args.models / "lira-reader"
        path = place / "calibration.json"
        kept = {"trunk": json.loads(path.read_text("utf-8"))["trunk"]}
        plain = {"slope": 1.0, "cosine": 0.0, "named": 0.0, "intercept": 0.0}
        unfitted = {"sure": plain, "listed": plain, "says": {"temperature": 1.0}, "changes": {"speaks": 0.0}}
        path.write_text(json.dumps(kept | unfitted))
        left = [*dev, *askers(dev=True)]
        reader = OnnxReader(place)
        asked = read(OnnxEncoder(args.models / "lira-encoder"), reader, left)
        fitted = {"changes": changes_of(reader), "sure": sure_of(asked, len(left)), "says": says_of(asked)}
        path.write_text(json.dumps(kept | {"listed": plain} | fitted, ensure_ascii=False) + "\n", "utf-8")
        print(json.dumps(fitted, ensure_ascii=False, indent=1))
    if args.only in (None, "reader", "listed"):
        path = args.models / "lira-reader" / "calibration.json"
        stored = json.loads(path.read_text("utf-8"))
        path.write_text(json.dumps({"listed": stored["sure"]} | stored))
        stored["listed"] = listed_of(OnnxEncoder(args.models / "lira-encoder"), OnnxReader(path.parent))
        path.write_text(json.dumps(stored, ensure_ascii=False) + "\n", "utf-8")
        print(json.dumps(stored["listed"], ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
