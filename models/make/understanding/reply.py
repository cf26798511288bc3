"""What reply somebody wants: heads over the states of the trunk and of all layers above it that hear of which kind, and by that in what tone, written
as `models/lira-encoder/reply.onnx`.

    pip install "lira[models]"
    python models/make/understanding/reply.py SCRATCH [--models models]

SCRATCH keeps the states from one run to the next. The nets (`nets.py`) learn from `data/responses` but every twelfth session, beside questions, which
want none of the kinds, and their logits are averaged. The tone is heard half by how likely each is with each kind, counted over the lines that have
both labels, and half by a net of its own. From where on a kind is heard is chosen at the sessions left out of what people type of their own accord, a
tone at these and the other lines left out. `--only again` goes on from the nets in SCRATCH, one pass over everything with what was written last
several times in it, for hands that come after the nets. Seeds are fixed. The states of 82,000 texts take half an hour of one core, and so does a net
on one of two busy cores.
"""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any, TypeVar

import nets
import numpy as np
import torch
import torch.nn.functional as F
from nets import DEEP, Net, Together, deep_states_of
from reply_rows import Row, Toned, left_out_of, question_rows, response_rows, tone_rows
from sessions import labelled
from torch import nn

from lira_core.embedding.reply import ReplyHeads
from lira_core.embedding.response import KINDS, RESPONSE, ResponseReader
from lira_core.embedding.tone import FITTING, TONE, TONES, ToneReader, likeliest
from lira_core.evaluation.tone import evaluated

NETS = 2
EPOCHS, BESIDE, QUESTIONS = 15, 1500, 6000
"""Passes, questions in each, and of how many they are drawn."""
OFTEN = 2
"""How often what people type of their own accord is learnt in a pass: of the other lines most were written for something else, to be remembered or to
have a feeling."""
BEST = 0.7
"""What the kind that fits best counts where another fits about as well."""
FITS = 0.6
"""How much of what is heard has to fit."""
TONE_EPOCHS, TONE_OFTEN, TONE_BESIDE = 6, 3, 600
"""Passes of the net of the tones, how often in each a line is learnt that is its own, and questions beside."""
NEWEST, NEWEST_OFTEN = ("lines_met_ko_ninth", "lines_met_en_seventh"), 5
"""The hands that came last, and how often a line of theirs is learnt in the pass that goes on: some 200 lines among 90,000."""
SHARE = 0.5
"""How much of the tone comes from the kinds. At what people type it matters little: what `tone_place` makes the greatest is .21 of the kinds alone,
.23 of both and .15 of the net alone. Of what was written for its tone .71 are met fittingly with both, .58 with the kinds alone (`data/tone/heldout`:
chosen with it in view)."""
GRIEVES = 0.9
UNSEEN, LEAST = 0.02, 1e-3
"""What is counted beside for every kind and tone, and the least that a tone is likely: none is impossible."""


R = TypeVar("R", bound=nets.Said)


class Reply(nn.Module):
    """Logits of KINDS; of TONES, by how likely each is with each kind (`told`, (KINDS, TONES)) and by a net of its own."""

    def __init__(self, kinds: Together, told: np.ndarray, tones: Net) -> None:
        super().__init__()
        self.kinds, self.tones = kinds, tones
        self.register_buffer("told", torch.tensor(told, dtype=torch.float))

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        (kind,) = self.kinds(states, attention_mask)
        by_kind = torch.log(kind.softmax(1) @ self.told + LEAST)
        return kind, SHARE * by_kind + (1 - SHARE) * self.tones(states, attention_mask.float()).log_softmax(1)


def loss_of(logits: torch.Tensor, rows: list[Row]) -> torch.Tensor:
    wanted = torch.zeros_like(logits)
    for i, row in enumerate(rows):
        for kind, share in zip(row.kinds, (BEST, 1 - BEST) if len(row.kinds) > 1 else (1.0,), strict=True):
            wanted[i, kind] = share
    return F.cross_entropy(logits, wanted, reduction="sum")


def tone_loss(logits: torch.Tensor, rows: list[Toned]) -> torch.Tensor:
    return F.cross_entropy(logits, torch.tensor([row.tone for row in rows]), reduction="sum")


def make() -> Net:
    return Net(len(KINDS), seen=DEEP)


def make_tone() -> Net:
    return Net(len(TONES), seen=DEEP)


def place(logits: np.ndarray, rows: list[Row]) -> float:
    """How likely the likeliest kind has to be so that FITS of what is heard fits."""
    odds = np.exp(logits - logits.max(1, keepdims=True))
    odds /= odds.sum(1, keepdims=True)
    likeliest, sure = odds.argmax(1), odds.max(1)
    fits = np.array([found in row.kinds for found, row in zip(likeliest, rows, strict=True)])
    heard = likeliest > 0
    return next(float(at) for at in np.arange(0, 1, 0.01) if fits[heard & (sure >= at)].mean() >= FITS)


def tones_of_kinds(rows: list[Toned], kinds: dict[str, int]) -> np.ndarray:
    """(KINDS, TONES): how likely each tone is with each kind of reply."""
    counted = np.full((len(KINDS), len(TONES)), UNSEEN)
    for row in rows:
        if row.text in kinds:
            counted[kinds[row.text], row.tone] += 1
    return counted / counted.sum(1, keepdims=True)


def tone_place(kinds_of_lines: list[tuple[np.ndarray, list[Toned]]]) -> float:
    """How likely a tone has to be to fit where the share of who wants one that is met in a fitting one, less the share met in a wrong one and the
    share of plain lines met in any, is greatest, as the mean over the kinds of lines: a wrong tone is worse than none."""
    places = np.arange(0.2, 1, 0.01)
    gains = np.zeros(len(places))
    for tone, rows in kinds_of_lines:
        heard = [likeliest(one) for one in tone]
        sure = np.array([fits for _, fits, _ in heard])
        fits = np.array([TONES[found] in FITTING[TONES[row.tone]] for (found, _, _), row in zip(heard, rows, strict=True)])
        none = np.array([row.tone == 0 for row in rows])
        for i, at in enumerate(places):
            speaks = sure >= at
            gains[i] += (speaks & fits)[~none].mean() - (speaks & ~fits)[~none].mean() - speaks[none].mean()
    return float(places[gains.argmax()])


def mourning(tone: np.ndarray, rows: list[Toned]) -> float:
    """How likely grief has to be so that GRIEVES of what is heard as grief is met by it fittingly."""
    read = [(likeliest(one), row) for one, row in zip(tone, rows, strict=True)]
    heard = sorted((itself, TONES[row.tone] in FITTING["grief"]) for (found, _, itself), row in read if TONES[found] == "grief")
    return next((at for i, (at, _) in enumerate(heard) if np.mean([fits for _, fits in heard[i:]]) >= GRIEVES), 1.0)


def main() -> None:
    args = nets.options(__doc__, "again")
    written, told = response_rows(), tone_rows()
    plain = random.Random(3).sample(question_rows(), QUESTIONS)
    states = deep_states_of([row.text for row in (*written, *told, *plain)], args.models, args.scratch / "deep_states.pt")
    out = left_out_of(written)
    rows = [row for row in written if row.text not in out for _ in range(OFTEN if row.typed else 1)]
    print(f"{len(rows)} lines, left out {len(out)}; questions: {len(plain)}", flush=True)

    def learn(seed: int) -> Net:
        return nets.learn(rows, plain, states, loss_of, make, seed=seed, epochs=EPOCHS, beside=BESIDE)

    ready = nets.kept(args, "reply", learn, make, NETS)
    toned = [row for row in told if row.text not in out for _ in range(TONE_OFTEN if row.own else 1)]
    beside = [Toned(row.text, 0) for row in plain]
    if args.only in (None, "nets"):
        net = nets.learn(toned, beside, states, tone_loss, make_tone, seed=0, epochs=TONE_EPOCHS, beside=TONE_BESIDE)
        torch.save(net.state_dict(), args.scratch / "reply_tone.pt")
    if args.only == "again":
        again(args, rows, toned, states, plain, beside)
    if ready:
        kinds = {row.text: row.kinds[0] for row in written if row.text not in out}
        tones = make_tone()
        tones.load_state_dict(torch.load(args.scratch / "reply_tone.pt"))
        together = Reply(Together(ready, [len(KINDS)]), tones_of_kinds([row for row in told if row.text not in out], kinds), tones).eval()
        write(args, together, written, told, states)


def again(args: Any, rows: list[Row], toned: list[Toned], states: nets.States, plain: list[Row], beside: list[Toned]) -> None:
    """One pass more, from the nets in SCRATCH, over everything and NEWEST_OFTEN over what is of NEWEST."""
    newest = {row["text"] for hand, row in labelled("response") if hand in NEWEST}
    for seed in range(NETS):
        path = args.scratch / f"reply_{seed}.pt"
        net = nets.learn(oftener(rows, newest), plain, states, loss_of, lambda at=path: loaded(make(), at), seed=NETS + seed, epochs=1, beside=BESIDE)
        torch.save(net.state_dict(), path)
    path = args.scratch / "reply_tone.pt"
    net = nets.learn(oftener(toned, newest), beside, states, tone_loss, lambda: loaded(make_tone(), path), seed=1, epochs=1, beside=TONE_BESIDE)
    torch.save(net.state_dict(), path)


def oftener(rows: list[R], newest: set[str]) -> list[R]:
    return [row for row in rows for _ in range(NEWEST_OFTEN if row.text in newest else 1)]


def loaded(net: Net, path: pathlib.Path) -> Net:
    net.load_state_dict(torch.load(path))
    return net


def write(args: Any, together: Reply, written: list[Row], told: list[Toned], states: nets.States) -> None:
    left = [row for row in written if row.apart and row.typed]
    logits = nets.logits(together, left, states, len(KINDS) + len(TONES))
    kind = logits[:, : len(KINDS)]
    responses = ResponseReader(round(place(kind, left), 3))
    heard = [KINDS.index(responses.read(one)) for one in kind]
    fits = [found in row.kinds for found, row in zip(heard, left, strict=True) if found]
    print(RESPONSE, json.dumps({"lines": len(left), "heard": round(len(fits) / len(left), 3), "fits": round(float(np.mean(fits)), 3)}), flush=True)
    texts, typed = left_out_of(written), {row.text for row in left}
    grieved = [row for row in told if row.text in texts]
    all_left = nets.logits(together, grieved, states, len(KINDS) + len(TONES))[:, len(KINDS) :]
    parts = [[i for i, row in enumerate(grieved) if (row.text in typed) == these] for these in (True, False)]
    lines = [(all_left[part], [grieved[i] for i in part]) for part in parts]
    reader = ToneReader(round(tone_place(lines), 3), round(mourning(all_left, grieved), 3))
    for found, wanted in lines:
        met = evaluated([{"tone": TONES[row.tone]} for row in wanted], [reader.read(one) for one in found])
        print(TONE, reader, json.dumps(met), flush=True)
    folder = args.models / "lira-encoder"
    nets.write(together, ReplyHeads.OUTPUTS, folder / ReplyHeads.FILE, DEEP)
    stored: dict[str, Any] = {
        "emotion": "lira-emotion",
        RESPONSE: {
            "speaks": responses.speaks,
            "what": "how likely the likeliest kind of reply has to be to be heard",
            "fitted_on": f"{len(left)} lines of sessions from which nothing learnt: of what is heard there {FITS} fits",
            "kinds": KINDS,
        },
        TONE: {
            "speaks": reader.speaks,
            "mourns": reader.mourns,
            "what": "how likely a tone has to be to fit to be heard, and grief itself",
            "fitted_on": f"{len(parts[0])} of these lines and {len(parts[1])} others that nothing learnt from",
        },
    }
    (folder / ReplyHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
