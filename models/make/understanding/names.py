"""By which name somebody says that they are called: heads over the trunk's states, written as `models/lira-encoder/names.onnx`.

    pip install "lira[models]"
    python models/make/understanding/names.py SCRATCH [--models models]

SCRATCH keeps the trunk's states from one run to the next. The nets (`nets.py`) learn from `data/names` but every twelfth line, each also with other
names in the place of its own, and from the lines of `data/lines` that say whether they tell one, beside questions, talk of what LIRA is, and what
people say in which nobody tells a name; their logits are averaged, and from where they speak is chosen at the lines left out. Seeds are fixed.
"""

from __future__ import annotations

import json
import pathlib
import random
import re
from dataclasses import dataclass
from typing import Any

import nets
import numpy as np
import torch
import torch.nn.functional as F
from nets import States, Tagging, Together, states_of
from people import DEV, PEOPLE, left_out, people
from reply_rows import question_rows
from safety_rows import identity_rows
from sessions import labelled
from tokenizers import Tokenizer

from lira_core.embedding.names import NameHeads
from lira_core.embedding.onnx import utterances
from lira_core.evaluation.names import evaluated
from lira_core.languages.ko.names import name_spans
from lira_core.memory.following import in_full

EPOCHS = 16
BESIDE = 2400
"""Questions, statements and what is asked of LIRA in one pass."""
AGAIN = 2
"""So often each line with a name is read with others in its place."""
FALSE = 0.05
"""How often a name may be heard of who tells none, of the lines left out."""
SET_ASIDE = "heldout"
SEED = 5


@dataclass(frozen=True)
class Row:
    """A text with what was said before it, as a turn hears it; `about` where in it, as characters, its speaker's own name stands; None where
    nobody tells it."""

    text: str
    hand: str
    about: tuple[int, int] | None = None


def name_rows() -> tuple[list[Row], list[list[Row]]]:
    """As written, and each again with other names."""
    raw = [
        (f"names_{path.stem}", row)
        for path in sorted((PEOPLE.parent / "names").glob("*.jsonl"))
        if not path.stem.startswith(SET_ASIDE)
        for row in map(json.loads, path.read_text("utf-8").splitlines())
    ]
    pool = sorted({name for _, row in raw for name in (row["own"], *row["others"]) if name})
    rng = random.Random(SEED)
    return [row_of(hand, row) for hand, row in raw], [[row_of(hand, renamed(row, pool, rng)) for _ in range(AGAIN)] for hand, row in raw]


def row_of(hand: str, row: dict[str, Any]) -> Row:
    text = in_full([row["before"]], row["text"]) if "before" in row else row["text"]
    said = len(text) - len(row["text"])
    start = text.find(row["own"], said) if row["own"] else -1
    return Row(text, hand, (start, start + len(row["own"])) if start >= 0 else None)


def renamed(row: dict[str, Any], pool: list[str], rng: random.Random) -> dict[str, Any]:
    """With another name for each of the row's that is written alike: in Korean one that the same particles follow."""
    new = dict(row)
    names = {name: rng.choice([other for other in pool if alike(name, other)] or [name]) for name in (row["own"], *row["others"]) if name}
    for old in sorted(names, key=len, reverse=True):
        for part in ("text", "before"):
            if part in new:
                new[part] = new[part].replace(old, names[old])
    new["own"] = names.get(row["own"]) if row["own"] else None
    return new


def alike(name: str, other: str) -> bool:
    def kind(word: str) -> tuple[bool, bool, bool]:
        korean = bool(re.fullmatch("[가-힣]+", word))
        return korean, korean and (ord(word[-1]) - 0xAC00) % 28 > 0, word.islower()

    return kind(name) == kind(other)


_INTRODUCES = re.compile(r"\b(?:name|call|called|i'?m|i am|here|this is|known)\b|이름|본명|성함|불러|부르|불리|별명", re.I)


def session_rows() -> list[Row]:
    """The lines of `data/lines` that say whether they tell a name, and lean on none before them; which other names are in them nobody says."""
    return [row_of(hand, row) for hand, row in labelled("own") if row["after"] is None]


def statement_rows() -> list[Row]:
    """What people say in which nobody is named where names are told: whether one of them tells the speaker's own, nobody has labelled."""
    said = [text for i, person in enumerate(people()) if i % DEV for text in person.says]
    return [Row(text, "people") for text in said if not _INTRODUCES.search(text) and not name_spans(text)]


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

    def __call__(self, made: tuple[torch.Tensor, torch.Tensor], rows: list[Any]) -> torch.Tensor:
        told, name = made
        own = torch.tensor([float(getattr(row, "about", None) is not None) for row in rows])
        loss = F.binary_cross_entropy_with_logits(told[:, 0], own, reduction="sum")
        wanted = torch.full(name.shape, -1.0)
        for i, row in enumerate(rows):
            if own[i]:
                wanted[i, : len(self.tags[row.text])] = torch.tensor(self.tags[row.text], dtype=torch.float)[: name.shape[1]]
        known = wanted >= 0
        return loss + (F.binary_cross_entropy_with_logits(name, wanted.clamp(min=0), reduction="none") * known).sum()


@torch.no_grad()
def read(together: Together, rows: list[Row], states: States) -> tuple[np.ndarray, list[np.ndarray]]:
    """Logits (rows, 1), and of each row those of its pieces."""
    told, name = [], []
    for row in rows:
        one = states[row.text].float()[None]
        made = together(one, torch.ones(1, one.shape[1]))
        told.append(made[0][0].numpy())
        name.append(made[1][0].numpy())
    return np.stack(told), name


def main() -> None:
    args = nets.options(__doc__)
    written, again = name_rows()
    apart = left_out(row.hand for row in written)
    learnt = [row for row, out in zip(written, apart, strict=True) if not out]
    learnt += [row for rows, out in zip(again, apart, strict=True) if not out for row in rows]
    sat = session_rows()
    learnt += [row for row, out in zip(sat, left_out(row.hand for row in sat), strict=True) if not out]
    plain: list[Any] = [*question_rows(), *statement_rows(), *identity_rows()]
    states = states_of([row.text for row in (*written, *learnt, *plain)], args.models, args.scratch / "safety_states.pt")
    pieces = Pieces(args.models)
    loss = Loss({row.text: pieces.tags(row) for row in (*written, *learnt) if row.about})
    print(f"{len(written)} lines, {len(learnt)} to learn from; others: {len(plain)}", flush=True)

    def learn(seed: int) -> Tagging:
        return nets.learn(learnt, plain, states, loss, lambda: Tagging(1), seed=seed, epochs=EPOCHS, beside=BESIDE)

    if made := nets.kept(args, "names", learn, lambda: Tagging(1)):
        together = Together(made, [1]).eval()
        rows = [row for row, out in zip(written, apart, strict=True) if out]
        named, name = read(together, rows, states)
        own = np.array([row.about is not None for row in rows])
        speaks = float(np.quantile(named[~own, 0], 1 - FALSE))
        heads = NameHeads(speaks)
        heard = [heads.read(float(n[0]), w, row.text, pieces.of(row.text)) for n, w, row in zip(named, name, rows, strict=True)]
        print(speaks, json.dumps(evaluated([row.text[slice(*row.about)] if row.about else None for row in rows], heard)), flush=True)
        folder = args.models / "lira-encoder"
        nets.write(together, NameHeads.OUTPUTS, folder / NameHeads.FILE)
        stored: dict[str, Any] = {
            "speaks": round(speaks, 3),
            "what": "log odds that the speaker's own name is told, from which it is heard",
            "fitted_on": f"{len(rows)} lines that nothing learnt from, of which {FALSE} of those without a name hear one",
        }
        (folder / NameHeads.CALIBRATION).write_text(json.dumps(stored, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
