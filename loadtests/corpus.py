"""What the people of a load test say: the invented persons of `data/people`, and between their sentences the feelings of `data/emotions`."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["statement", "question", "feeling"]

DATA = Path(__file__).resolve().parents[1] / "data"
FEELING_EVERY = 6
"""One feeling for so many sentences of a person: of the 800 lines of `data/utterances/utterances_plain.jsonl` 122 are feelings, one in seven."""
QUESTION_SHARE = 0.3
"""Of what a user says this share are questions about what was told, as in the turns of `lira bench`."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to say. A question comes after the statements that answer it, if any do."""

    text: str
    kind: Kind


def people(folder: Path = DATA) -> list[dict[str, Any]]:
    """The persons of every file that is not set aside for measuring. FileNotFoundError where there are none."""
    files = [path for path in sorted((folder / "people").glob("*.jsonl")) if not path.name.startswith("heldout")]
    if not files:
        raise FileNotFoundError(f"no people in {folder / 'people'}: run the load test from a checkout, whose data/ it speaks from")
    return [json.loads(line) for path in files for line in path.read_text("utf-8").splitlines()]


def feelings(folder: Path = DATA) -> list[str]:
    return [json.loads(line)["text"] for line in (folder / "emotions" / "feelings_ko.jsonl").read_text("utf-8").splitlines()]


def script(person: dict[str, Any], moods: Sequence[str], chance: random.Random) -> list[Line]:
    """The person's statements in their order; among them feelings, and questions as soon as they can be answered."""
    asks = [ask for ask in person["asks"] if ask["kind"] != "small_talk"]
    wanted = round(len(person["says"]) * QUESTION_SHARE / (1 - QUESTION_SHARE))
    chosen = chance.sample(asks, min(wanted, len(asks)))
    lines: list[Line] = []
    for number, said in enumerate(person["says"]):
        lines.append(Line(said, "statement"))
        if (number + 1) % FEELING_EVERY == 0:
            lines.append(Line(chance.choice(moods), "feeling"))
        lines += [Line(ask["q"], "question") for ask in chosen if max(ask["from"], default=len(person["says"]) // 2) == number]
    return lines
