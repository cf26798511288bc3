"""What the heads of the reply learn from: `data/responses`, the lines of `data/lines` that say which kinds fit, and for the tones of each kind of
reply `data/tone`, the sessions of `data/lines` and `data/emotions`."""

from __future__ import annotations

import json
from dataclasses import dataclass

from emotion_rows import LABELS, native
from people import DEV, PEOPLE, people
from sessions import TYPED, labelled

from lira_core.embedding.response import KINDS
from lira_core.embedding.tone import TONES

SET_ASIDE = "heldout"
ANNOTATED = ("annotated",)
"""Files of `data/tone` that give one to what was written for something else."""
AS_TONE = {
    "excitement": "joy", "gratitude": "love", "admiration": "love", "caring": "love", "desire": "optimism", "remorse": "disappointment",
    "fear": "nervousness", "disapproval": "annoyance", "disgust": "annoyance",
}  # fmt: skip
"""Labels of GoEmotions that a tone of another name answers to; thinking (approval, curiosity, realization) is no line here."""


@dataclass(frozen=True)
class Row:
    """A text; `kinds` are indices of KINDS, the best first; `typed`: of what people type of their own accord; `apart`: of a session that is left
    out."""

    text: str
    kinds: tuple[int, ...] = (0,)
    typed: bool = False
    apart: bool = False


@dataclass(frozen=True)
class Toned:
    """A text; `tone` an index of TONES; `own`: it was written for its tone, or typed of somebody's own accord, and not given one as one of many."""

    text: str
    tone: int
    own: bool = True


def response_rows() -> list[Row]:
    """`data/responses`, of which each `DEV`-th session is left out, and the lines of `data/lines` that say which kinds fit, which were typed too."""
    paths = [path for path in sorted((PEOPLE.parent / "responses").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    sessions = [(path.stem == TYPED, json.loads(line)) for path in paths for line in path.read_text("utf-8").splitlines()]
    rows = [
        Row(text, tuple(KINDS.index(kind) for kind in kinds), typed, i % DEV == 0)
        for i, (typed, one) in enumerate(sessions)
        for text, kinds in zip(one["lines"], one["response"], strict=True)
    ]
    return rows + [Row(row["text"], tuple(KINDS.index(kind) for kind in row["response"]), typed=True) for _, row in labelled("response")]


def question_rows() -> list[Row]:
    """What people ask about what they told; of those who are left out nothing."""
    return [Row(ask.text) for i, person in enumerate(people()) if i % DEV for ask in person.asks]


def left_out_of(rows: list[Row]) -> set[str]:
    """The lines that nothing learns from. The sessions of `asked` are some of those of `lines`: what is left out of either is left out of both."""
    return {row.text for row in rows if row.apart}


def tone_rows() -> list[Toned]:
    """`data/tone`, the lines of `data/lines` that say in which tone, and of `data/emotions` those with one feeling that a tone answers to."""
    paths = [path for path in sorted((PEOPLE.parent / "tone").glob("*.jsonl")) if not path.stem.startswith(SET_ASIDE)]
    raw = [(path.stem not in ANNOTATED, row) for path in paths for row in map(json.loads, path.read_text("utf-8").splitlines())]
    raw += [(True, row) for _, row in labelled("tone")]
    feelings = [(text, {AS_TONE.get(LABELS[i], LABELS[i]) for i in labels}) for text, labels in native()]
    felt = [(text, tones.pop()) for text, tones in feelings if len(tones) == 1]
    out = [Toned(row["text"], TONES.index(row["tone"]), own) for own, row in raw]
    return out + [Toned(text, TONES.index(tone), own=False) for text, tone in felt if tone in TONES]
