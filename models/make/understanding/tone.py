"""In what tone somebody wants to be answered, and to which of their words: heads over the states of the trunk and of all layers above it, written
as `models/lira-encoder/tone.onnx`.

    pip install "lira[models]"
    python models/make/understanding/tone.py SCRATCH [--models models]

SCRATCH keeps the states from one run to the next. The nets (`nets.py`) learn from `data/tone`, the sessions of `data/lines` and `data/emotions` but
every twelfth line, beside questions, which want no tone, each in a way of its own (`WAYS`), and their logits are averaged; from where they speak is
chosen at the lines left out. Seeds are fixed. The states of 56,000 texts take 20
minutes of one core, the nets an hour.
"""

from __future__ import annotations

import json
import math
import pathlib
import random
from dataclasses import dataclass
from typing import Any

import nets
import numpy as np
import torch
import torch.nn.functional as F
from emotion_rows import LABELS, native
from nets import DEEP, TRUNK, States, Tagging, Together, deep_states_of
from people import DEV, PEOPLE, left_out, people
from sessions import labelled
from tokenizers import Tokenizer

from lira_core.embedding.onnx import utterances
from lira_core.embedding.tone import TONES, ToneHeads
from lira_core.evaluation.tone import FITTING, evaluated

BESIDE, QUESTIONS = 600, 6000
"""Questions in one pass, and of how many they are drawn."""
SAME, GRIEVES = 0.01, 0.9
ANNOTATED = ("tone_annotated", "emotions")
"""Hands that give a tone to what others wrote for something else."""
ABOUT_WEIGHT = 0.5
SET_ASIDE = "heldout"
AS_TONE = {
    "excitement": "joy", "gratitude": "love", "admiration": "love", "caring": "love", "desire": "optimism", "remorse": "disappointment",
    "fear": "nervousness", "disapproval": "annoyance", "disgust": "annoyance",
}  # fmt: skip
"""Labels of GoEmotions that a tone of another name answers to; thinking (approval, curiosity, realization) is no line here."""


@dataclass(frozen=True)
class Row:
    """A text; `tone` an index of TONES; `about` where in it, as characters, the words are that the tone answers to, None where nobody says."""

    text: str
    hand: str
    tone: int
    about: tuple[int, int] | None = None


def tone_rows() -> list[Row]:
    """`data/tone`, and the lines of `data/lines` that say in which tone."""
    paths = [path for path in sorted((PEOPLE.parent / "tone").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    raw = [(f"tone_{path.stem}", row) for path in paths for row in map(json.loads, path.read_text("utf-8").splitlines())]
    out = []
    for hand, row in raw + labelled("tone"):
        start = row["text"].find(row["about"]) if row.get("about") else 0
        about = (start, start + len(row["about"])) if row.get("about") else None
        out.append(Row(row["text"], hand, TONES.index(row["tone"]), about))
    return out


def feeling_rows() -> list[Row]:
    """`data/emotions`: where a line has one feeling that a tone answers to."""
    out = []
    for text, labels in native():
        tones = {AS_TONE.get(LABELS[i], LABELS[i]) for i in labels}
        if len(tones) == 1 and (tone := tones.pop()) in TONES:
            out.append(Row(text, "emotions", TONES.index(tone)))
    return out


def question_rows() -> list[Row]:
    """What people ask about what they told; of those who are left out nothing."""
    return [Row(ask.text, "people", 0) for i, person in enumerate(people()) if i % DEV for ask in person.asks]


class Pieces:
    """Which pieces of a text lie in a run of its characters."""

    def __init__(self, models: pathlib.Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(models / "lira-trunk" / "tokenizer.json"))

    def of(self, text: str) -> list[tuple[int, int]]:
        shift = len(text) - len(text.lstrip()) - (len(utterances(["x"])[0]) - 1)
        return [(start + shift, end + shift) for start, end in self.tokenizer.encode(utterances([text])[0]).offsets]

    def tags(self, row: Row) -> list[int]:
        """One for each piece: 1 within, 0 beside, -1 where nobody says or it is a mark."""
        pieces = self.of(row.text)
        if row.about is None:
            return [-1] * len(pieces)
        begin, stop = row.about
        return [-1 if end <= max(start, 0) else int(min(end, stop) > max(start, begin)) for start, end in pieces]


class Loss:
    def __init__(self, tags: dict[str, list[int]]) -> None:
        self.tags = tags

    def __call__(self, made: tuple[torch.Tensor, torch.Tensor], rows: list[Row]) -> torch.Tensor:
        tone, about = made
        loss = F.cross_entropy(tone, torch.tensor([row.tone for row in rows]), reduction="sum")
        wanted = torch.full(about.shape, -1.0)
        for i, row in enumerate(rows):
            if row.about is not None:
                wanted[i, : len(self.tags[row.text])] = torch.tensor(self.tags[row.text], dtype=torch.float)[: about.shape[1]]
        known = wanted >= 0
        each = F.binary_cross_entropy_with_logits(about, wanted.clamp(min=0), reduction="none") * known
        return loss + ABOUT_WEIGHT * (each.sum(1) / known.sum(1).clamp(min=1)).sum()


@torch.no_grad()
def read(together: Together, rows: list[Row], states: States) -> tuple[np.ndarray, list[np.ndarray]]:
    """Logits (rows, TONES), and of each row those of its pieces."""
    tone, about = [], []
    for row in rows:
        one = states[row.text].float()[None]
        made = together(one, torch.ones(1, one.shape[1]))
        tone.append(made[0][0].numpy())
        about.append(made[1][0].numpy())
    return np.stack(tone), about


def place(tone: np.ndarray, rows: list[Row]) -> float:
    """The log odds at which the share met in a fitting tone, less the share met in a wrong one and the share of plain lines met in any, is greatest:
    a wrong tone is worse than none. Of places as good to within SAME the strictest, where the fewest plain lines are met."""
    odds, likeliest = tone[:, 1:].max(1) - tone[:, 0], tone[:, 1:].argmax(1) + 1
    fits = np.array([TONES[found] in FITTING[TONES[row.tone]] for found, row in zip(likeliest, rows, strict=True)])
    none = np.array([row.tone == 0 for row in rows])
    places = np.arange(-2, 3, 0.05)

    def gain(at: float) -> float:
        speaks = odds > at
        return float((speaks & fits)[~none].mean() - (speaks & ~fits)[~none].mean() - speaks[none].mean())

    gains = np.array([gain(at) for at in places])
    return float(places[gains >= gains.max() - SAME].max())


def mourning(tone: np.ndarray, rows: list[Row]) -> float:
    """The least log odds from which on GRIEVES of what is heard as grief is met by it fittingly."""
    grief = TONES.index("grief")
    odds = tone[:, grief] - tone[:, 0]
    heard = sorted(
        (float(o), TONES[row.tone] in FITTING["grief"]) for o, best, row in zip(odds, tone[:, 1:].argmax(1) + 1, rows, strict=True) if best == grief
    )
    return next((at for i, (at, _) in enumerate(heard) if np.mean([fits for _, fits in heard[i:]]) >= GRIEVES), math.inf)


@dataclass(frozen=True)
class Way:
    """How a net learns: over the trunk's states or all (`seen`), from `data/tone/annotated` too or not, what was written for its tone so `often` in
    each of its passes (`epochs`)."""

    seed: int
    seen: int
    annotated: bool
    often: int
    epochs: int

    def rows(self, rows: list[Row]) -> list[Row]:
        some = [row for row in rows if self.annotated or row.hand != ANNOTATED[0]]
        return [row for row in some for _ in range(1 if row.hand in ANNOTATED else self.often)]

    def net(self) -> Tagging:
        return Tagging(len(TONES), seen=self.seen)


WAYS = (Way(0, DEEP, True, 1, 10), Way(0, DEEP, True, 3, 6), Way(1, DEEP, True, 3, 6), Way(1, TRUNK, False, 1, 24), Way(2, TRUNK, False, 1, 24))
"""What learnt otherwise errs otherwise: what `place` makes the greatest is, of sessions left out, .23 to .27 of each alone and .35 of all."""


def main() -> None:
    args = nets.options(__doc__)
    written, plain = [*tone_rows(), *feeling_rows()], random.Random(3).sample(question_rows(), QUESTIONS)
    states = deep_states_of([row.text for row in (*written, *plain)], args.models, args.scratch / "deep_states.pt")
    pieces = Pieces(args.models)
    loss = Loss({row.text: pieces.tags(row) for row in written if row.about})
    apart = left_out(row.hand for row in written)
    rows = [row for row, out in zip(written, apart, strict=True) if not out]
    print(f"{len(written)} lines; questions: {len(plain)}", flush=True)
    if args.only in (None, "nets"):
        for i, way in enumerate(WAYS):
            net = nets.learn(way.rows(rows), plain, states, loss, way.net, seed=way.seed, epochs=way.epochs, beside=BESIDE)
            torch.save(net.state_dict(), args.scratch / f"tone_{i}.pt")
    if args.only in (None, "write"):
        learnt = [way.net() for way in WAYS]
        for i, net in enumerate(learnt):
            net.load_state_dict(torch.load(args.scratch / f"tone_{i}.pt"))
        together = Together(learnt, [len(TONES)]).eval()
        rows = [row for row, out in zip(written, apart, strict=True) if out and row.hand not in ANNOTATED]
        tone, about = read(together, rows, states)
        speaks, all_left = place(tone, rows), [row for row, out in zip(written, apart, strict=True) if out]
        mourns = mourning(read(together, all_left, states)[0], all_left)
        heads = ToneHeads(speaks, mourns)
        heard = [heads.read(t, a, row.text, pieces.of(row.text)) for t, a, row in zip(tone, about, rows, strict=True)]
        wanted = [{"tone": TONES[r.tone], "about": r.text[slice(*r.about)] if r.about else None} for r in rows]
        print(speaks, mourns, json.dumps(evaluated(wanted, heard)), flush=True)
        folder = args.models / "lira-encoder"
        nets.write(together, ToneHeads.OUTPUTS, folder / ToneHeads.FILE, DEEP)
        stored: dict[str, Any] = {
            "speaks": round(speaks, 3),
            "mourns": round(mourns, 3),
            "emotion": "lira-emotion",
            "what": "log odds of the likeliest tone against none from which it is heard, and from which grief is",
            "fitted_on": f"{len(rows)} lines that nothing learnt from, and {len(all_left)} with the annotated ones and feelings",
        }
        (folder / ToneHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
