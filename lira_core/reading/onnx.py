"""The embedded reader: a cross-encoder over a question and each of its candidates, and over what was told and what was told later, on ONNX Runtime:
whether it answers, with which words, whether yes or no, and whether the later one changes what the earlier one says."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from lira_core.embedding.onnx import PREFIX
from lira_core.embedding.port import EMPTY, Kind
from lira_core.model_folder import CALIBRATION_FILE
from lira_core.onnx import OnnxTextModel, groups_by_length, padded
from lira_core.reading.port import ANSWERS, CANDIDATES, CLEAR, SAYS, Candidate, Reading, Verdict

QUESTION_TOKENS: Final = 64
STATEMENT_TOKENS: Final = 96
"""Longer texts are cut: so long the model was trained on, its marks included. A memory of 4,000 characters is read at its beginning."""
TO_THE_POINT: Final = -3.0
"""From how much on, as log odds, what changes the surest candidate is told with it: by how much it is likelier than not that it changes it, and that
it answers the question by itself, together. A statement says more than was asked, and what changes the rest of it is beside the point. Of 1,503
questions of people left out 85 have one that changes the surest: below lie 18 of the 54 of which nobody said that they answer, and none of the 31
that do; below -2 23 and 4, below 0 29 and 5."""
AT_ONCE: Final = min(2, os.cpu_count() or 1)
"""Threads that share the pairs of a question: who asks waits for nothing else then, and under load they take turns with other turns."""
_SAYS, _ANSWERS, _SPAN, _CHANGES = "says", "answers", "span", "changes"
_VERDICTS: Final[tuple[Verdict | None, ...]] = (None, "yes", "no")
"""Columns of what a statement says."""
Pieces = Sequence[int]


@dataclass(frozen=True, slots=True)
class Compared:
    """Of a question and each of some statements, as logits: (statements, 3) whether it says neither, yes or no to it, (statements,) whether it
    answers at all, and of each (its pieces without the marks, 2) that the words that answer begin there, and that they end."""

    says: NDArray[np.float32]
    answers: NDArray[np.float32]
    ends: Sequence[NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class _Change:
    """By which candidate, and by how much it is likelier than not, as log odds, that it changes what was said."""

    by: int
    odds: float


@dataclass(frozen=True, slots=True)
class _Odds:
    """What makes a probability of what the model says of a candidate, of its cosine and of what it names of the question."""

    slope: float
    cosine: float
    named: float
    intercept: float

    def likely(self, answers: NDArray[np.float32], candidates: Sequence[Candidate]) -> NDArray[Any]:
        """(candidates,), of (candidates,) logits."""
        odds = answers + self.cosine * _known([c.cosine for c in candidates]) + self.named * np.array([c.named for c in candidates])
        return np.asarray(1 / (1 + np.exp(-(self.slope * odds + self.intercept))))


class OnnxReader:
    """A `ReadingEngine` over one model directory. Blocking. Raises `lira_core.onnx.ModelError` when the directory is unusable."""

    def __init__(self, directory: Path, *, setting: str = "LIRA_READER_MODEL_DIR") -> None:
        self._model = OnnxTextModel(directory, output=_SAYS, setting=setting, lowest=True)
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="lira-read")
        calibration = self._model.read_json(CALIBRATION_FILE)
        try:
            self._of_answers, self._of_it = (
                _Odds(**{k: float(calibration[name][k]) for k in ("slope", "cosine", "named", "intercept")}) for name in ("sure", "listed")
            )
            self._temperature = float(calibration["says"]["temperature"])
            self._speaks = float(calibration["changes"]["speaks"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._model.broken(CALIBRATION_FILE, f"`sure`, `listed`, `says` or `changes` lacks a part: {error!r}") from error

    def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        """ValueError for no candidates or for more than CANDIDATES."""
        if not 0 < len(candidates) <= CANDIDATES:
            raise ValueError(f"a reader sees 1 to {CANDIDATES} candidates at once, not {len(candidates)}")
        (asked,) = self._pieces("query", [question])
        encoded = self._encoded("passage", [c.text for c in candidates])
        told = [_cut(one.ids, STATEMENT_TOKENS) for one in encoded]
        compared = self._compare(asked, told)
        sure = self._of_answers.likely(compared.answers, candidates)
        places = [_span(ends, one.offsets, candidate.text) for ends, one, candidate in zip(compared.ends, encoded, candidates, strict=True)]
        surest, verdict = int(sure.argmax()), self._newest_verdict(compared, sure)
        answers = sure[surest] >= ANSWERS
        # Of what answers too, but not as surely, only what answers as well is asked whether it changes it: each costs as much as a candidate.
        changes = [
            self._change_of(told, i, [j for j in range(i + 1, len(told)) if one.listed or i == surest or sure[j] >= ANSWERS])
            if one.listed or sure[i] >= ANSWERS
            else None
            for i, one in enumerate(candidates)
        ]
        if answers and (change := changes[surest]) is not None:
            if change.odds + compared.answers[change.by] >= TO_THE_POINT or candidates[surest].listed:
                # What is so now is what the newer one says; what it does not say to the question is left open.
                verdict = self._verdict(compared.says[change.by], sure[surest])
            else:
                changes[surest] = None
        changed_by = tuple(change.by if change else None for change in changes)
        return Reading(tuple(float(p) for p in sure), tuple(span for span, _ in places), changed_by, verdict, tuple(p >= CLEAR for _, p in places))

    def weigh(self, question: str, candidates: Sequence[Candidate], *, listing: bool = False) -> tuple[float, ...]:
        """(candidates,), each in [0, 1]."""
        if not candidates:
            return ()
        (asked,) = self._pieces("query", [question])
        answers = self._cross_encoded(asked, self._pieces("passage", [c.text for c in candidates]), (_ANSWERS,))[_ANSWERS]
        sure = self._of_answers.likely(answers, candidates)
        if listing:  # the cosine says most of it, and of what was told a moment ago there is none yet
            seen = np.array([candidate.cosine is not None for candidate in candidates])
            sure = np.where(seen, self._of_it.likely(answers, candidates), sure)
        return tuple(map(float, sure))

    def _change_of(self, told: Sequence[Pieces], earlier: int, later: Sequence[int]) -> _Change | None:
        """By the newest of the `later` ones, in order of time, that changes it; None where none does."""
        odds = self._changing(told[earlier], [told[i] for i in later])
        changing = np.flatnonzero(odds > self._speaks)
        return _Change(later[changing[-1]], float(odds[changing[-1]])) if len(changing) else None

    def _changing(self, earlier: Pieces, later: Sequence[Pieces]) -> NDArray[np.float32]:
        return self._cross_encoded(earlier, later, (_CHANGES,))[_CHANGES] if later else np.zeros(0, np.float32)

    def _newest_verdict(self, compared: Compared, sure: NDArray[Any]) -> Verdict | None:
        """Yes and no are said of what is so now: by the newest of the surest candidate and of those after it that answer too, if it says either."""
        answering = [i for i in range(int(sure.argmax()), len(sure)) if sure[i] >= ANSWERS]
        return next((verdict for i in reversed(answering) if (verdict := self._verdict(compared.says[i], sure[i]))), None)

    def _verdict(self, says: NDArray[np.float32], sure: float) -> Verdict | None:
        """What a statement says that is `sure` to answer: how likely yes or no is, was learnt of those that do."""
        scaled = says / self._temperature
        likely = np.exp(scaled - scaled.max())
        best = int(likely.argmax())
        return _VERDICTS[best] if sure * likely[best] / likely.sum() >= SAYS else None

    def compare(self, question: str, statements: Sequence[str]) -> Compared:
        """Each statement with the question alone, before calibration."""
        (asked,) = self._pieces("query", [question])
        return self._compare(asked, self._pieces("passage", statements))

    def changes(self, earlier: str, later: Sequence[str]) -> NDArray[np.float32]:
        """(later statements,): by how much each is likelier than not that it changes an earlier one, as log odds, before calibration."""
        (first,) = self._pieces("passage", [earlier])
        return self._changing(first, self._pieces("passage", later))

    def _compare(self, asked: Pieces, told: Sequence[Pieces]) -> Compared:
        found = self._cross_encoded(asked, told, (_SAYS, _ANSWERS, _SPAN))
        # The second text's first mark was left out, and its last one is no word.
        ends = [rows[len(asked) : len(asked) + len(one) - 2] for rows, one in zip(found[_SPAN], told, strict=True)]
        return Compared(found[_SAYS], found[_ANSWERS], ends)

    def _cross_encoded(self, first: Pieces, second: Sequence[Pieces], names: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Of each of the second texts, which goes on where the first ended, one mark between them; padded with zeros where it is of each piece.
        Those of about one length share a call, and the calls the threads."""
        pairs = [[*first, *one[1:]] for one in second]
        asked = {"asked": np.array(len(first))}
        calls = _shared(groups_by_length([len(one) for one in pairs]))
        made = self._threads.map(lambda part: self._model.outputs(padded([pairs[i] for i in part]) | asked, names), calls)
        found: dict[str, NDArray[np.float32]] = {}
        longest = max(map(len, pairs))
        for part, outputs in zip(calls, made, strict=True):
            for name, rows in outputs.items():
                shape = (len(pairs), longest, *rows.shape[2:]) if name == _SPAN else (len(pairs), *rows.shape[1:])
                out = found.setdefault(name, np.zeros(shape, np.float32))
                if name == _SPAN:
                    out[part, : rows.shape[1]] = rows
                else:
                    out[part] = rows
        return found

    def _pieces(self, kind: Kind, texts: Sequence[str]) -> list[Pieces]:
        return [_cut(one.ids, QUESTION_TOKENS if kind == "query" else STATEMENT_TOKENS) for one in self._encoded(kind, texts)]

    def _encoded(self, kind: Kind, texts: Sequence[str]) -> list[Encoding]:
        return self._model.encode([PREFIX[kind] + (text.strip() or EMPTY) for text in texts])


def _cut(ids: Pieces, most: int) -> Pieces:
    """What is cut keeps its end mark."""
    return ids if len(ids) <= most else [*ids[: most - 1], ids[-1]]


def _shared(groups: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """As they are, or in as many parts as there are threads where all are of about one length."""
    if len(groups) > 1:
        return list(groups)
    (group,) = groups
    size = -(-len(group) // AT_ONCE)
    return [group[start : start + size] for start in range(0, len(group), size)]


def _known(cosines: Sequence[float | None]) -> NDArray[np.float32]:
    """Where no encoder saw the words, the middle of what is known of the others."""
    seen = [c for c in cosines if c is not None]
    middle = median(seen) if seen else 0.0
    return np.array([middle if c is None else c for c in cosines], np.float32)


def _span(ends: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str) -> tuple[tuple[int, int], float]:
    """The likeliest start, and the likeliest end that does not lie before it, as characters, and how likely they are; `offsets` with those of the
    marks, from the beginning of the prefix. A piece carries the space before it, a span not."""
    shift = len(text) - len(text.lstrip()) - len(PREFIX["passage"])
    places = [(a + shift, b + shift) for a, b in offsets[1 : len(ends) + 1]]
    inside = [i for i, (a, b) in enumerate(places) if b > max(a, 0)]
    if not inside:
        return (0, len(text)), 0.0
    first = max(inside, key=lambda i: ends[i, 0])
    last = max((i for i in inside if i >= first), key=lambda i: ends[i, 1])
    start, end = max(0, places[first][0]), min(len(text), places[last][1])
    shares = np.exp(ends[inside] - ends[inside].max(0))
    shares /= shares.sum(0)
    likely = float(shares[inside.index(first), 0] * shares[inside.index(last), 1])
    return (start + len(text[start:end]) - len(text[start:end].lstrip()), end), likely
