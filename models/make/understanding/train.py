"""Train what understands people: the encoder, the cross-encoder that reads and the utterance heads, from `data/`.

    pip install "lira[models]"
    python models/make/understanding/train.py BASE SCRATCH [--emotions DIR] [--share 1.0]
        [--only encoder|utterance|cross|emotion]
    python models/make/understanding/export.py BASE SCRATCH models

BASE is the folder of the encoder to start from (config.json, model.safetensors, tokenizer.json), SCRATCH keeps what is learnt between the steps.
DIR holds goemotions and goemotions_ko, which are not in this repository; without it emotion is left out. Seeds are fixed. A GPU is used when
there is one (the cross-encoder was tried on one, and wants it: a core takes 3 s for 72 pairs, and a pass has 530,000).
`--share` learns from that part of the persons, for the learning curve. `--go-on` lets the cross-encoder go on from SCRATCH/cross.pt, and emotion
learn the native lines and the nets beside the layers from SCRATCH/emotion.pt. With `--latest` the cross-encoder learns from who came last
(`data/asked`), every third of the near misses of `data/changes` and `beside_latest` of the others, which keeps what was learnt, and utterance from
the lines that came last and every third. `--average FILE` averages what utterance learns with the weights in FILE, of the pass before. What an
utterance is goes on from SCRATCH/utterance.pt: the last pass alone, with what the later hands say and ask.
Where SCRATCH is lost, `restore.py` makes these files from `models`.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import time
from collections.abc import Callable

import changes
import cross_encoder as crosses
import emotion as emotions
import emotion_rows
import encoder as encoders
import pairs
import torch
import utterance as utterances
from encoder import Upper, train_encoder
from misses import near
from people import LATER, Person, askers, learners_and_dev
from trunk import Trunk, use_gpu
from utterance_rows import lines, newest, of_persons, told

CENTRE_SHARE = 0.8
"""How much of the mean vector is taken off, as in `models/lira-encoder/calibration.json`."""
OFTEN = 3
"""The labelled lines go into each pass of the utterance model so many times: they are few beside what the persons say."""
RISK_EPOCHS, RISK_RATE = 3, 7e-5
RISK_BESIDE = 1200
"""Risk lines in the last pass, which is of the other labelled lines: what sounds at risk is not to be forgotten in it."""
LATEST_OFTEN = 3
"""The lines that came last go so many times into a pass of them and every third of the others: one pass over all moved what is heard of them
little."""
EPOCHS = 3
"""Passes of the cross-encoder."""
EMOTION_EPOCHS = 2


def vectors(trunk: Trunk, upper: Upper, kind: str, texts: list[str]) -> torch.Tensor:
    return upper.vectors(trunk.read([(kind, text) for text in texts]))


def centres(trunk: Trunk, upper: Upper, persons: list[Person]) -> dict[tuple[str, str], torch.Tensor]:
    """The mean vector of what is asked (`query`) and of what is said (`passage`), by language."""
    out = {}
    for language in ("ko", "en"):
        those = [p for p in persons if p.language == language]
        out["query", language] = vectors(trunk, upper, "query", [a.text for p in those for a in p.asks]).mean(0)
        out["passage", language] = vectors(trunk, upper, "passage", [s for p in those for s in p.says]).mean(0)
    return out


def note_near(trunk: Trunk, upper: Upper, learners: list[Person], persons: list[Person]) -> None:
    """How near each question of `persons` is to each statement, as `OnnxEncoder` says it, beside the person; the means are of `learners`."""
    means = centres(trunk, upper, learners)

    def centred(kind: str, language: str, texts: list[str]) -> torch.Tensor:
        return torch.nn.functional.normalize(vectors(trunk, upper, kind, texts) - CENTRE_SHARE * means[kind, language], dim=-1)

    for person in persons:
        asked = centred("query", person.language, [a.text for a in person.asks])
        person.features["near"] = (asked @ centred("passage", person.language, list(person.says)).T).cpu()


def learn_emotion(trunk: Trunk, folder: pathlib.Path, scratch: pathlib.Path, *, go_on: bool) -> None:
    rows = {
        (language, part): emotions.Rows(trunk, emotion_rows.goemotions(folder / name, part), scratch / f"states_{language}_{part}.pt")
        for language, name in (("en", "goemotions"), ("ko", "goemotions_ko"))
        for part in ("dev", "train")
    }

    def after(model: emotions.Emotion, epoch: int | str) -> None:
        torch.save(model.state_dict(), scratch / "emotion.pt")
        best = {
            language: round(emotions.best_macro_f1(emotions.logits(model, rows[language, "dev"]), rows[language, "dev"].gold), 4)
            for language in ("en", "ko")
        }
        print("dev", epoch, "macro-F1 with the best thresholds", json.dumps(best), flush=True)

    english, korean, ours = rows["en", "train"], rows["ko", "train"], emotions.Rows(trunk, emotion_rows.native())
    if go_on:
        model = emotions.Emotion(Upper(trunk))
        model.load_state_dict(torch.load(scratch / "emotion.pt"))
    else:
        model = emotions.train_emotion(trunk, english, korean, epochs=EMOTION_EPOCHS, after=after)
    emotions.learn_native(model, english, korean, ours)
    emotions.learn_beside(model, english, korean, ours)
    after(model, "beside")


def pairs_figured(trunk: Trunk, dev: list[Person], file: pathlib.Path) -> Callable[[torch.nn.Module, int], None]:
    """What is done after a pass over questions and statements in pairs: it is kept, and measured at who is left out."""
    own = [pair for person in dev for pair in pairs.asked_and_told(person)]
    others = [pair for person in dev for pair in pairs.made(person, dev, random.Random(7))]
    close = [pair for one in near(dev=True) for pair in pairs.of_near(one)]
    later = [row for one in changes.labelled(dev=True) for row in changes.rows(one, None)]

    def after(model: torch.nn.Module, epoch: int) -> None:
        torch.save(model.state_dict(), file)
        told = {name: pairs.figures(model, trunk, some, crosses.logits) for name, some in (("asked", own), ("made", others), ("close", close))}
        told["evidence"] = pairs.evidence_figures(model, trunk, dev, crosses.logits)
        with torch.no_grad():
            found = [crosses.changes_logits(model, trunk, [row]).cpu().numpy() for row in later]
        told["changes"] = changes.figures(found, later, changes.place(found, later))
        print("dev", epoch, json.dumps(told), flush=True)

    return after


def beside_latest(learners: list[Person]) -> list[Person]:
    """Every fourth, and of who speaks English, a fourth of all, every second: of these a third kept less of what is left alone (.05 lost)."""
    return [person for i, person in enumerate(learners) if i % 4 == 0 or (i % 4 == 2 and person.language == "en")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--only", choices=("encoder", "utterance", "cross", "emotion"))
    parser.add_argument("--emotions", type=pathlib.Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--go-on", action="store_true")
    parser.add_argument("--latest", action="store_true")
    parser.add_argument("--average", type=pathlib.Path)
    args = parser.parse_args()
    args.scratch.mkdir(parents=True, exist_ok=True)
    began = time.time()
    if args.only in (None, "emotion") and args.emotions:
        learn_emotion(Trunk(args.base), args.emotions, args.scratch, go_on=args.go_on)
    if args.only == "emotion":
        return
    trunk = Trunk(args.base, args.scratch / "trunk.pt")
    learners, dev = learners_and_dev()
    learners = learners[:: round(1 / args.share)]
    learners, misses = (beside_latest(learners), near()[::3]) if args.latest else (learners, near())
    print(f"{len(learners)} persons with {sum(len(p.asks) for p in learners)} questions; {len(dev)} to choose by", flush=True)

    if args.only in (None, "encoder"):
        print("before", encoders.found(trunk, Upper(trunk), dev), flush=True)
        upper = train_encoder(trunk, learners)
        torch.save(upper.state_dict(), args.scratch / "encoder.pt")
        print("encoder", encoders.found(trunk, upper, dev), flush=True)
        trunk.keep()

    upper = Upper(trunk)
    upper.load_state_dict(torch.load(args.scratch / "encoder.pt"))
    if args.only in (None, "utterance"):
        rows, held = lines()
        if args.go_on:
            model = utterances.Utterance(upper)
            model.load_state_dict(torch.load(args.scratch / "utterance.pt"))
            rows += of_persons([person for person in learners if person.hand in LATER]) + told()
            rows = LATEST_OFTEN * newest() + rows[::3] if args.latest else rows
        else:
            model = utterances.train_utterance(trunk, OFTEN * rows + of_persons(learners))
            torch.save(model.state_dict(), args.scratch / "utterance_first.pt")
            # Who sounds at risk is the hardest to tell and has the fewest lines: three more passes over the lines alone, at a lower rate.
            model = utterances.train_utterance(trunk, rows, model=model, epochs=RISK_EPOCHS, rate=RISK_RATE, seed=3)
        labelled, risk = [row for row in rows if row.asks >= 0], [row for row in rows if row.asks < 0]
        random.Random(5).shuffle(risk)
        model = utterances.train_utterance(trunk, labelled + risk[:RISK_BESIDE], model=model, epochs=1, rate=RISK_RATE, seed=4)
        if args.average:
            ours, theirs = model.state_dict(), torch.load(args.average)
            model.load_state_dict({name: (weights + theirs[name]) / 2 if weights.is_floating_point() else weights for name, weights in ours.items()})
        torch.save(model.state_dict(), args.scratch / "utterance.pt")
        trunk.keep()
        held += of_persons(dev)
        print("dev", utterances.figures(utterances.logits(model, trunk, [row.text for row in held]), held), flush=True)

    if args.only in (None, "cross"):
        later, left = askers(), askers(dev=True)
        note_near(trunk, upper, learners, [*learners, *dev, *later, *left])
        learners, dev = learners + later, dev + left
        model = crosses.CrossEncoder(trunk)
        if args.go_on:
            model.load_state_dict(torch.load(args.scratch / "cross.pt"))
        after = pairs_figured(trunk, dev, args.scratch / "cross.pt")
        if args.go_on:
            after(model, -1)
        crosses.train_cross_encoder(trunk, learners, misses, changes.labelled(dev=False), epochs=args.epochs, model=model, after=after)

    print(f"done, {time.time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    use_gpu()
    main()
