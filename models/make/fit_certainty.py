"""Fit what makes the encoder's cosine a certainty; writes `models/e5-small-ko-en/calibration.json`.

    python models/make/fit_certainty.py --data DATA [--model models/e5-small-ko-en]

DATA holds goemotions/train.tsv, goemotions_ko/train.tsv, chatbot_ko/ChatbotData.csv (for the mean vectors) and
korsts/sts-train.tsv, korsts/sts-dev.tsv. The question-to-statement pairs lie beside this script. About two minutes on one core.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import sys
import tempfile
from typing import Any

import numpy as np

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

from lira_core.embedding.certainty import Certainty  # noqa: E402
from lira_core.embedding.onnx import OnnxEncoder  # noqa: E402
from lira_core.evaluation.similarity import evaluate_similarity, read_similarity_rows  # noqa: E402
from lira_core.evaluation.tsv import tsv_rows  # noqa: E402

SEED = 1
MEAN_OF = 1000
"""Texts per language that the mean vectors are taken of; 300 of the Korean ones translated, 700 written by Koreans."""
SHARE = 0.8
"""How much of the mean is taken off: of 0, 0.5, 0.8 and 1 the best on KorSTS dev and for telling answers from other statements."""
KORSTS_ROWS = 2000
SAME = 2.0
"""KorSTS gold from which two sentences are about the same thing ("not equivalent, but share some details")."""
QUESTION_WEIGHT = 0.9
"""Share of the question pairs in the fit: recall from question to statement is where the floor of 0.7 decides."""
FLOOR = 0.7


def embed(encoder: OnnxEncoder, texts: list[tuple[Any, str]], batch: int = 16) -> np.ndarray:
    order = sorted(range(len(texts)), key=lambda i: len(texts[i][1]))
    out = np.empty((len(texts), encoder.dimensions), np.float32)
    for start in range(0, len(order), batch):
        chosen = order[start : start + batch]
        out[chosen] = encoder.embed([texts[i] for i in chosen])
    return out


def mean_texts(data: pathlib.Path) -> dict[str, list[str]]:
    rng = np.random.RandomState(SEED)
    ko = [columns[0] for _, columns in tsv_rows(data / "goemotions_ko" / "train.tsv")]
    en = [columns[0] for _, columns in tsv_rows(data / "goemotions" / "train.tsv")]
    with (data / "chatbot_ko" / "ChatbotData.csv").open(encoding="utf-8", newline="") as file:
        chat = [row["Q"] for row in csv.DictReader(file)]
    pick = lambda rows, n: [rows[i] for i in rng.choice(len(rows), n, replace=False)]  # noqa: E731
    return {"ko": pick(ko, 300) + pick(chat, 700), "en": pick(en, MEAN_OF)}


def logistic(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of a weighted logistic regression, by Newton's method."""
    theta = np.array([10.0, -5.0])
    columns = np.stack([x, np.ones_like(x)], 1)
    for _ in range(100):
        p = 1 / (1 + np.exp(-columns @ theta))
        step = np.linalg.solve((columns * (weight * p * (1 - p))[:, None]).T @ columns + 1e-9 * np.eye(2), columns.T @ (weight * (p - y)))
        theta = theta - step
    return float(theta[0]), float(theta[1])


def even_odds(positive: np.ndarray) -> np.ndarray:
    return np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())


def cosines(encoder: OnnxEncoder, pairs: list[tuple[str, str]]) -> np.ndarray:
    queries = embed(encoder, [("query", a) for a, _ in pairs])
    return np.asarray((queries * embed(encoder, [("passage", b) for _, b in pairs])).sum(1))


def at_floor(sure: np.ndarray, positive: np.ndarray) -> dict[str, float]:
    return {"precision": round(float(positive[sure].mean()), 3) if sure.any() else 0.0, "recall": round(float(sure[positive].mean()), 3)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, default=HERE.parent / "e5-small-ko-en")
    args = parser.parse_args()

    width = 384
    with tempfile.TemporaryDirectory() as scratch:
        bare = pathlib.Path(scratch)
        for name in ("model.int8.onnx", "tokenizer.json"):
            (bare / name).symlink_to((args.model / name).resolve())
        zero = {kind: {"ko": [0.0] * width, "en": [0.0] * width} for kind in ("query", "passage")}
        (bare / "calibration.json").write_text(json.dumps({"centre": {"share": 0.0, **zero}}))
        plain = OnnxEncoder(bare)
        means = {
            kind: {
                language: [round(float(v), 5) for v in embed(plain, [(kind, t) for t in texts]).mean(0)]
                for language, texts in mean_texts(args.data).items()
            }
            for kind in ("query", "passage")
        }
    stored: dict[str, Any] = {
        "centre": {
            "what": "share * mean vector of the text's kind and language is subtracted, then L2 normalisation",
            "fitted_on": "1,000 texts per language: goemotions train (en); 300 of goemotions_ko train and 700 of chatbot_ko (ko); seed 1",
            "share": SHARE,
            **means,
        }
    }
    path = args.model / "calibration.json"
    path.write_text(json.dumps(stored, ensure_ascii=False))
    encoder = OnnxEncoder(args.model)

    asked = [json.loads(line) for line in (HERE / "question_statement_ko_en.jsonl").read_text("utf-8").splitlines()]
    answers = np.array([row["answers"] for row in asked])
    asked_cosines = cosines(encoder, [(row["query"], row["passage"]) for row in asked])
    train = read_similarity_rows(args.data / "korsts" / "sts-train.tsv")
    train = [train[i] for i in np.random.RandomState(SEED).choice(len(train), KORSTS_ROWS, replace=False)]
    same = np.array([gold >= SAME for _, _, gold in train])
    train_cosines = cosines(encoder, [(a, b) for a, b, _ in train])
    slope, intercept = logistic(
        np.concatenate([train_cosines, asked_cosines]),
        np.concatenate([same, answers]).astype(float),
        np.concatenate([(1 - QUESTION_WEIGHT) * even_odds(same), QUESTION_WEIGHT * even_odds(answers)]),
    )
    certainty = Certainty(slope, intercept)

    dev = read_similarity_rows(args.data / "korsts" / "sts-dev.tsv")
    gold = np.array([score for _, _, score in dev])
    dev_sure = certainty(cosines(encoder, [(a, b) for a, b, _ in dev])) >= FLOOR
    asked_sure = certainty(asked_cosines) >= FLOOR
    by = {language: np.array([row["language"] == language for row in asked]) for language in ("ko", "en")}
    # Fitted and scored on the same pairs would flatter: fit on half of the questions, score on the other half, both ways.
    held_out = np.zeros(len(asked), bool)
    for half in (0, 1):
        test = np.array([i // 3 % 2 == half for i in range(len(asked))])
        s, b = logistic(
            np.concatenate([train_cosines, asked_cosines[~test]]),
            np.concatenate([same, answers[~test]]).astype(float),
            np.concatenate([(1 - QUESTION_WEIGHT) * even_odds(same), QUESTION_WEIGHT * even_odds(answers[~test])]),
        )
        held_out[test] = Certainty(s, b)(asked_cosines[test]) >= FLOOR
    stored["certainty"] = {
        "form": "1 / (1 + exp(-(slope * cosine + intercept)))",
        "slope": round(slope, 5),
        "intercept": round(intercept, 5),
        "fitted_on": f"{KORSTS_ROWS} rows of KorSTS train as (query, passage), positive from gold {SAME}; {len(asked)} question-to-statement pairs, "
        f"positive when the statement answers; even odds in each, question pairs weigh {QUESTION_WEIGHT}",
        "cosine_at_0.7": round((float(np.log(FLOOR / (1 - FLOOR))) - intercept) / slope, 4),
        "measured": {
            "korsts_dev_spearman_query_query": evaluate_similarity(encoder, certainty, dev)["spearman"],
            "korsts_dev_at_0.7_gold_2": at_floor(dev_sure, gold >= 2),
            "korsts_dev_at_0.7_gold_3": at_floor(dev_sure, gold >= 3),
            "questions_at_0.7_fitted": {language: at_floor(asked_sure[m], answers[m]) for language, m in by.items()},
            "questions_at_0.7_held_out_halves": {language: at_floor(held_out[m], answers[m]) for language, m in by.items()},
        },
    }
    path.write_text(json.dumps(stored, ensure_ascii=False) + "\n", "utf-8")
    print(json.dumps(stored["certainty"], ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
