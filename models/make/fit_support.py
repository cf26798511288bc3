"""Fits the weights of `lira_core/memory/answerable.py` on dialogues in the form of the replay tool.

    python models/make/fit_support.py tests/data/memory_ko.jsonl tests/data/memory_en.jsonl [--held-out FILE ...]

Every question is paired with every memory of its user that was kept before it was asked; the memory answers when its turn is named
under `evidence`. Prints the weights, and for fitted and held-out files how often the best memory of a question is said rightly,
and how often LIRA says rightly that it does not know. The dialogues are the project's own.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from lira_core.embedding.certainty import Certainty
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.memory.answerable import signs
from lira_core.memory.fitting import best_fit
from lira_core.memory.gate import decide
from lira_core.memory.question import Question, ask
from lira_core.memory.understanding import understand
from lira_core.memory.validity import keys_of, still_true
from lira_core.settings import load_settings
from lira_core.types import Memory

SETTINGS = load_settings()
# Strength of the pull of every weight towards 0: the signs are few and the dialogues some hundreds.
RIDGE = 2.0
PAIRS = Path(__file__).with_name("question_statement_ko_en.jsonl")


def kept(user: dict, emotion: OnnxEmotion) -> list[tuple[str, Memory]]:
    """(session:turn, memory) of what the gate keeps."""
    said = [
        (f"{session['id']}:{i}", text, datetime.fromisoformat(session["at"]) + timedelta(minutes=i))
        for session in user["sessions"]
        for i, text in enumerate(session["turns"])
    ]
    out = []
    for (name, text, at), reading in zip(said, emotion.read([text for _, text, _ in said]), strict=True):
        understood = understand(text, at)
        decision = decide(text, reading, understood.facts, understood.question, threshold=SETTINGS.emotion_gate)
        if decision.keep:
            memory = Memory(name, user["user"], text, at, name, decision.reason, reading, understood.facts, understood.terms)
            out.append((name, memory))
    return out


def pairs(paths: Iterable[Path]) -> list[tuple[np.ndarray, np.ndarray, bool]]:
    """For each probe: (memories x signs), which of them answer, and whether the answer was ever told."""
    emotion, encoder, certainty = OnnxEmotion(SETTINGS.emotion_model_dir), OnnxEncoder(SETTINGS.embedding_model_dir), None
    certainty = Certainty.load(SETTINGS.embedding_model_dir)
    out = []
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            user = json.loads(line)
            memories = kept(user, emotion)
            passages = encoder.embed([("passage", memory.text) for _, memory in memories])
            queries = encoder.embed([("query", probe["text"]) for probe in user["probes"]])
            every = [memory for _, memory in memories]
            newest = {key: max((m.timestamp, m.id) for m in every if any(f.key == key for f in m.facts)) for key in keys_of(every)}
            for probe, query in zip(user["probes"], queries, strict=True):
                question = ask(probe["text"], datetime.fromisoformat(probe["at"])) or Question("what", about_memory=True)
                sure = certainty(passages @ query)
                rows, answers = [], []
                for (name, memory), one in zip(memories, sure, strict=True):
                    if true := still_true(memory, newest):
                        rows.append(list(signs(question, true, float(one), best_fit(question, true, float(one))).values()))
                        answers.append(name in probe.get("evidence", []))
                if rows:
                    out.append((np.array(rows), np.array(answers), bool(probe.get("evidence"))))
    return out


def single_pairs(path: Path) -> list[tuple[np.ndarray, np.ndarray, bool]]:
    """Question-to-statement pairs, each as a question with one memory: the near misses that dialogues have few of."""
    encoder, certainty = OnnxEncoder(SETTINGS.embedding_model_dir), Certainty.load(SETTINGS.embedding_model_dir)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    queries = encoder.embed([("query", row["query"]) for row in rows])
    passages = encoder.embed([("passage", row["passage"]) for row in rows])
    now = datetime.now(SETTINGS.zone)
    out = []
    for row, cosine in zip(rows, (queries * passages).sum(1), strict=True):
        understood = understand(row["passage"], now)
        memory = Memory("", "", row["passage"], now, facts=understood.facts, terms=understood.terms)
        question = ask(row["query"], now) or Question("what", about_memory=True)
        sure = float(certainty(cosine))
        found = np.array([list(signs(question, memory, sure, best_fit(question, memory, sure)).values())])
        out.append((found, np.array([bool(row["answers"])]), bool(row["answers"])))
    return out


def fit(data: list[tuple[np.ndarray, np.ndarray, bool]]) -> np.ndarray:
    """Ridge logistic regression by Newton's method; each question weighs the same whatever the number of its memories."""
    x = np.concatenate([np.c_[np.ones(len(rows)), rows] for rows, _, _ in data])
    y = np.concatenate([answers for _, answers, _ in data]).astype(float)
    # The wrong memories that matter are the few that come near, so all the wrong ones of a question weigh as much as the right.
    w = np.concatenate([np.where(answers, 1.0, 3.0 / max((~answers).sum(), 1)) for _, answers, _ in data])
    weights = np.zeros(x.shape[1])
    ridge = np.diag([0.0, *[RIDGE] * (x.shape[1] - 1)])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ weights))
        gradient = x.T @ (w * (p - y)) + ridge @ weights
        hessian = (x * (w * p * (1 - p))[:, None]).T @ x + ridge
        weights -= np.linalg.solve(hessian, gradient)
    return weights


def outcome(data: list[tuple[np.ndarray, np.ndarray, bool]], weights: np.ndarray, shift: float = 0.0) -> dict[str, float]:
    """Share of told questions whose best memory is right and said, and of untold ones that are not answered."""
    right, silent, told_count, untold = 0, 0, 0, 0
    for rows, answers, told in data:
        scores = rows @ weights[1:] + weights[0] + shift
        best = int(scores.argmax())
        if told:
            told_count += 1
            right += bool(scores[best] >= 0 and answers[best])
        else:
            untold += 1
            silent += bool(scores[best] < 0)
    return {"told_right": round(right / told_count, 4), "untold_silent": round(silent / max(untold, 1), 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--held-out", nargs="*", type=Path, default=[])
    args = parser.parse_args()
    data = pairs(args.files)
    weights = fit(data + single_pairs(PAIRS))
    # The intercept moves to where most questions come out right, told and untold together.
    untold = sum(not told for _, _, told in data)
    share = untold / len(data)

    def worth(shift: float) -> float:
        found = outcome(data, weights, shift)
        return (1 - share) * found["told_right"] + share * found["untold_silent"]

    shift = max(np.arange(-3, 3.01, 0.1), key=lambda s: (round(worth(float(s)), 4), -abs(s)))
    weights[0] += shift
    names = ["intercept", *signs(Question("what", about_memory=True), Memory("", "", "", datetime.now().astimezone()), None, None)]
    print(json.dumps({name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)}, indent=4))
    print(json.dumps({"fitted": outcome(data, weights), "probes": len(data)}))
    if args.held_out:
        held = pairs(args.held_out)
        print(json.dumps({"held_out": outcome(held, weights), "probes": len(held)}))


if __name__ == "__main__":
    main()
