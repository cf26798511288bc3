"""What an utterance is: nets over the trunk's states whose logits count with those of the encoder's own layers, written as
`models/lira-encoder/speech.onnx`.

    pip install "lira[models]"
    python models/make/understanding/speech.py SCRATCH [--models models]
    python models/make/understanding/calibrate.py --only speech

SCRATCH keeps the trunk's states from one run to the next. The nets (`nets.py`) learn from everything but every twelfth person, session and line (of
`data/aims` from what was written for it, whole).
Seeds are fixed.
"""

from __future__ import annotations

import nets
import torch
import torch.nn.functional as F
from nets import NETS, Net, Together, states_of
from people import learners_and_dev
from utterance import WIDTH
from utterance_rows import Labelled, asked, in_sessions, lines, of_persons, told, typing

from lira_core.embedding.speech import KEEP, SPEECH, SPEECH_FILE

HEADS = ("status", "asks", "keep")
"""The order of the logits, as `lira_core.embedding.speech` reads them. What is worth keeping is learnt with the others and not written: averaged too
it was no better on authors set aside, and "오늘 정말 기뻤어" was not kept."""
EPOCHS, PERSONS = 10, 8000
"""Passes, and in each so many of what the persons say and ask."""


class Spoken(Together):
    """Without what is worth keeping."""

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        (logits,) = super().forward(states, attention_mask)
        return (logits[:, :KEEP],)


def loss_of(logits: torch.Tensor, rows: list[Labelled]) -> torch.Tensor:
    total, start = torch.zeros(()), 0
    for name in HEADS:
        values, start = logits[:, start : start + WIDTH[name]], start + WIDTH[name]
        labels = torch.tensor([getattr(row, name) for row in rows])
        there = labels >= 0
        if WIDTH[name] == 1:
            total = total + F.binary_cross_entropy_with_logits(values[there, 0], labels[there].float(), reduction="sum")
        else:
            total = total + F.cross_entropy(values, labels, ignore_index=-1, reduction="sum")
    return total


def main() -> None:
    args = nets.options(__doc__)
    if args.only in (None, "nets"):
        rows = [row for row in lines()[0] if row.asks >= 0] + told() + in_sessions() + asked() + typing()
        persons = of_persons(learners_and_dev()[0])
        states = states_of([row.text for row in rows + persons], args.models, args.scratch / "speech_states.pt")
        print(f"{len(rows)} lines, {len(persons)} of what persons say and ask", flush=True)
        for seed in range(NETS):
            net = nets.learn(rows, persons, states, loss_of, lambda: Net(KEEP + 1), seed=seed, epochs=EPOCHS, beside=PERSONS)
            torch.save(net.state_dict(), args.scratch / f"speech_{seed}.pt")
    if args.only in (None, "write"):
        learnt = [Net(KEEP + 1) for _ in range(NETS)]
        for seed, net in enumerate(learnt):
            net.load_state_dict(torch.load(args.scratch / f"speech_{seed}.pt"))
        nets.write(Spoken(learnt, [KEEP + 1]).eval(), {SPEECH: KEEP}, args.models / "lira-encoder" / SPEECH_FILE)


if __name__ == "__main__":
    main()
