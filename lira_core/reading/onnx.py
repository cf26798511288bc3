"""The embedded reader: one joint pass over a question and its candidates, each of the likeliest compared with it alone, and what was told later with
what is to be told: whether it changes what that says; on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from lira_core.embedding.onnx import PREFIX
from lira_core.embedding.port import EMPTY
from lira_core.model_folder import CALIBRATION_FILE, CHANGES_FILE, CROSS_ENCODER_FILE
from lira_core.onnx import OnnxTextModel, padded, stacked
from lira_core.reading.port import ANSWERS, CANDIDATES, CLEAR, SAYS, Candidate, Reading, Verdict
from lira_core.reading.recent import RecentStates

QUESTION_TOKENS: Final = 64
CANDIDATE_TOKENS: Final = 96
"""Longer texts are cut: so long the model was trained on, its marks included. A memory of 4,000 characters is read at its beginning."""
COMPARED: Final = 4
"""So many of the likeliest are compared with the question one by one: of 4,751 questions of people left out of training .774 are rightly answered or
left alone with two, .783 with three, .786 with four, .785 with five, .787 with all ten."""
TO_THE_POINT: Final = -3.0
"""From how much on, as log odds, what changes the surest candidate is told with it: by how much it is likelier than not that it changes it, and that
it answers the question by itself, together. A statement says more than was asked, and what changes the rest of it is beside the point. Of 1,503
questions of people left out 85 have one that changes the surest: below lie 18 of the 54 of which nobody said that they answer, and none of the 31
that do; below -2 23 and 4, below 0 29 and 5."""
SUSPECTED: Final = -3.0
"""From how much on, as log odds of the network that compares aligned pieces, the cross-encoder is asked whether a later statement changes an earlier
one. Of 2,807 earlier statements of people left out, 7 later ones each, it is asked about .8 and finds .633 of the 496 changes, instead of .637."""
_SAYS, _ANSWERS, _CHANGES = "says", "answers", "changes"
_VERDICTS: Final[tuple[Verdict | None, ...]] = (None, "yes", "no")
"""Columns of what a statement says."""


@dataclass(frozen=True, slots=True)
class Compared:
    """Of a question and each of some statements, as logits: (statements, 3) whether it says neither, yes or no to it, and (statements,) whether it
    answers at all."""

    says: NDArray[np.float32]
    answers: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Change:
    """By which candidate, and by how much it is likelier than not, as log odds, that it changes what was said."""

    by: int
    odds: float


@dataclass(frozen=True, slots=True)
class _Read:
    """A text's pieces, and what the trunk makes of them: (pieces, dimensions)."""

    pieces: Sequence[int]
    states: NDArray[np.float32]


class OnnxReader:
    """A `ReadingEngine` over one model directory. Blocking. Raises `lira_core.onnx.ModelError` when the directory is unusable."""

    def __init__(self, directory: Path, *, setting: str = "LIRA_READER_MODEL_DIR") -> None:
        self._model = OnnxTextModel(directory, output="evidence", setting=setting)
        self._cross = OnnxTextModel(directory, output=_SAYS, setting=setting, file=CROSS_ENCODER_FILE, lowest=True)
        self._changes = OnnxTextModel(directory, output=_CHANGES, setting=setting, file=CHANGES_FILE)
        self._recent = RecentStates()
        calibration = self._model.read_json(CALIBRATION_FILE)
        try:
            names = ("slope", "compared", "intercept")
            self._slope, self._weight, self._intercept = (float(calibration["sure"][name]) for name in names)
            self._temperature = float(calibration["says"]["temperature"])
            self._speaks = float(calibration["changes"]["speaks"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._model.broken(CALIBRATION_FILE, f"`sure`, `says` or `changes` lacks a part: {error!r}") from error

    def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        """ValueError for no candidates or for more than CANDIDATES."""
        encoded, (asked, *told) = self._read(question, [c.text for c in candidates])
        outputs = self._joint([asked, *told], candidates, ("evidence", "none", "span"))
        odds = outputs["evidence"] - outputs["none"]
        likeliest = np.sort(np.argsort(-odds)[:COMPARED])
        compared = self._compare(asked, [told[i] for i in likeliest])
        odds = odds + self._weight * where_compared(compared.answers, likeliest, len(odds))
        sure = 1 / (1 + np.exp(-(self._slope * odds + self._intercept)))
        spans, clear = [], []
        for row, candidate in enumerate(candidates, 1):
            shift = len(candidate.text) - len(candidate.text.lstrip()) - len(PREFIX["passage"])
            pieces = slice(1, min(len(encoded[row].ids), CANDIDATE_TOKENS) - 1)  # without the marks
            offsets = [(a + shift, b + shift) for a, b in encoded[row].offsets[pieces]]
            span, likely = _span(outputs["span"][row, pieces], offsets, candidate.text)
            spans.append(span)
            clear.append(likely >= CLEAR)
        places = {int(i): at for at, i in enumerate(likeliest)}
        said = {i: self._verdict(compared.says[at], sure[i]) for i, at in places.items()}
        tells = [candidate.listed or sure[i] >= ANSWERS for i, candidate in enumerate(candidates)]
        changes = [self._change_of(told, i) if tells[i] else None for i in range(len(told))]
        surest, verdict = int(sure.argmax()), _newest_verdict(said, sure)
        if sure[surest] >= ANSWERS and (change := changes[surest]) is not None:
            newer, at = (compared, places[change.by]) if change.by in places else (self._compare(asked, [told[change.by]]), 0)
            if change.odds + newer.answers[at] >= TO_THE_POINT or candidates[surest].listed:
                # What is so now is what the newer one says; what it does not say to the question is left open.
                verdict = self._verdict(newer.says[at], sure[surest])
            else:
                changes[surest] = None
        changed_by = tuple(change.by if change else None for change in changes)
        return Reading(tuple(float(p) for p in sure), tuple(spans), changed_by, verdict, tuple(clear))

    def _change_of(self, told: Sequence[_Read], earlier: int) -> _Change | None:
        """By the newest of the statements after an `earlier` one, in order of time, that changes it; None where none does."""
        odds = self._changing(told[earlier], told[earlier + 1 :])
        changing = np.flatnonzero(odds > self._speaks)
        return _Change(earlier + 1 + int(changing[-1]), float(odds[changing[-1]])) if len(changing) else None

    def _changing(self, earlier: _Read, later: Sequence[_Read]) -> NDArray[np.float32]:
        odds = np.full(len(later), -np.inf, np.float32)
        if later:
            aligned = self._changes.outputs(stacked([one.states for one in later]) | {"earlier": earlier.states[None]}, (_CHANGES,))[_CHANGES]
            if suspected := [i for i, likely in enumerate(aligned) if likely > SUSPECTED]:
                odds[suspected] = self._cross_encoded(earlier, [later[i] for i in suspected], (_CHANGES,))[_CHANGES]
        return odds

    def _verdict(self, says: NDArray[np.float32], sure: float) -> Verdict | None:
        """What a statement says that is `sure` to answer: how likely yes or no is, was learnt of those that do."""
        scaled = says / self._temperature
        likely = np.exp(scaled - scaled.max())
        best = int(likely.argmax())
        return _VERDICTS[best] if sure * likely[best] / likely.sum() >= SAYS else None

    def _compare(self, asked: _Read, told: Sequence[_Read]) -> Compared:
        return Compared(**self._cross_encoded(asked, told, (_SAYS, _ANSWERS)))

    def _cross_encoded(self, first: _Read, second: Sequence[_Read], names: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Each of the second texts goes on where the first ended, one mark between them."""
        both = padded([[*first.pieces, *one.pieces[1:]] for one in second])
        return self._cross.outputs(both | {"asked": np.array(len(first.pieces))}, names)

    def forget(self) -> None:
        self._recent.forget()

    def changes(self, earlier: str, later: Sequence[str]) -> NDArray[np.float32]:
        """(later statements,): by how much each is likelier than not that it changes an earlier one, least where nothing is suspected; at most
        CANDIDATES - 1, before calibration."""
        _, (_, *told) = self._read(EMPTY, [earlier, *later])
        return self._changing(told[0], told[1:])

    def odds(self, question: str, candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        """(candidates,): by how much each is likelier evidence than nothing is, by the joint pass alone, before calibration."""
        outputs = self._joint(self._read(question, [c.text for c in candidates])[1], candidates, ("evidence", "none"))
        return np.asarray(outputs["evidence"] - outputs["none"])

    def compare(self, question: str, statements: Sequence[str]) -> Compared:
        """At most CANDIDATES statements, each with the question alone, before calibration."""
        _, (asked, *told) = self._read(question, statements)
        return self._compare(asked, told)

    def _read(self, question: str, statements: Sequence[str]) -> tuple[list[Encoding], list[_Read]]:
        """The question and each statement as they are encoded, and as they are read."""
        if not 0 < len(statements) <= CANDIDATES:
            raise ValueError(f"a reader sees 1 to {CANDIDATES} candidates at once, not {len(statements)}")
        texts = [question.strip() or EMPTY, *(said.strip() or EMPTY for said in statements)]
        encoded = self._model.encode([PREFIX["query"] + texts[0], *(PREFIX["passage"] + text for text in texts[1:])])
        limits = [QUESTION_TOKENS, *[CANDIDATE_TOKENS] * len(statements)]
        # What is cut keeps its end mark.
        ids = [e.ids if len(e.ids) <= most else [*e.ids[: most - 1], e.ids[-1]] for e, most in zip(encoded, limits, strict=True)]
        return encoded, [_Read(pieces, states) for pieces, states in zip(ids, self._recent.of(ids, self._model.states), strict=True)]

    def _joint(self, texts: Sequence[_Read], candidates: Sequence[Candidate], names: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        return self._model.outputs(stacked([one.states for one in texts]) | {"cosine": _known([c.cosine for c in candidates])}, names)


def where_compared(answers: NDArray[np.float32], compared: NDArray[np.intp], candidates: int) -> NDArray[np.float32]:
    """(candidates,): `answers` of those that were `compared`; the others get the least of these, so that none of them overtakes."""
    out = np.full(candidates, answers.min(), np.float32)
    out[compared] = answers
    return out


def _newest_verdict(said: Mapping[int, Verdict | None], sure: NDArray[Any]) -> Verdict | None:
    """Yes and no are said of what is so now: by the newest of the surest candidate and of those after it that answer too, if it says either."""
    answering = [i for i in range(int(sure.argmax()), len(sure)) if sure[i] >= ANSWERS]
    return next((verdict for i in reversed(answering) if (verdict := said.get(i))), None)


def _known(cosines: Sequence[float | None]) -> NDArray[np.float32]:
    """Where no encoder saw the words, the middle of what is known of the others, as in training."""
    seen = [c for c in cosines if c is not None]
    middle = median(seen) if seen else 0.0
    return np.array([middle if c is None else c for c in cosines], np.float32)


def _span(ends: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], float]:
    """The likeliest start, and the likeliest end that does not lie before it, as characters, and how likely they are; a piece carries the space
    before it, a span not."""
    inside = [i for i, (a, b) in enumerate(offsets) if b > max(a, 0)]
    if not inside:
        return (0, len(text)), 0.0
    first = max(inside, key=lambda i: ends[i, 0])
    last = max((i for i in inside if i >= first), key=lambda i: ends[i, 1])
    start, end = max(0, offsets[first][0]), min(len(text), offsets[last][1])
    shares = np.exp(ends[inside] - ends[inside].max(0))
    shares /= shares.sum(0)
    likely = float(shares[inside.index(first), 0] * shares[inside.index(last), 1])
    return (start + len(text[start:end]) - len(text[start:end].lstrip()), end), likely
