"""The embedded reader: one joint pass over a question and its candidates, and one over the question and what answers it, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

from lira_core.embedding.onnx import PREFIX
from lira_core.embedding.port import EMPTY
from lira_core.model_folder import CALIBRATION_FILE, ENTAILMENT_FILE
from lira_core.onnx import OnnxTextModel, stacked
from lira_core.reading.port import ANSWERS, CANDIDATES, SAYS, Candidate, Reading, Verdict
from lira_core.reading.recent import RecentStates

QUESTION_TOKENS: Final = 64
CANDIDATE_TOKENS: Final = 96
"""Longer texts are cut: so long the model was trained on, its marks included. A memory of 4,000 characters is read at its beginning."""
_SAYS: Final = "says"
_VERDICTS: Final[tuple[Verdict | None, ...]] = (None, "yes", "no")
"""Columns of its output."""


class OnnxReader:
    """A `ReadingEngine` over one model directory. Blocking. Raises `lira_core.onnx.ModelError` when the directory is unusable."""

    def __init__(self, directory: Path, *, setting: str = "LIRA_READER_MODEL_DIR") -> None:
        self._model = OnnxTextModel(directory, output="evidence", setting=setting)
        self._entailment = OnnxTextModel(directory, output=_SAYS, setting=setting, file=ENTAILMENT_FILE)
        self._recent = RecentStates()
        calibration = self._model.read_json(CALIBRATION_FILE)
        try:
            self._slope, self._nearest, self._intercept = (float(calibration["sure"][name]) for name in ("slope", "nearest", "intercept"))
            self._temperature = float(calibration["says"]["temperature"])
        except (KeyError, TypeError, ValueError) as error:
            raise self._model.broken(CALIBRATION_FILE, f"`sure` or `says` lacks a part: {error!r}") from error

    def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        """ValueError for no candidates or for more than CANDIDATES."""
        encoded, states, outputs = self._run(question, candidates)
        odds = outputs["evidence"] - outputs["none"] + self._nearest * nearest(candidates)
        sure = 1 / (1 + np.exp(-(self._slope * odds + self._intercept)))
        spans = []
        for row, candidate in enumerate(candidates, 1):
            shift = len(candidate.text) - len(candidate.text.lstrip()) - len(PREFIX["passage"])
            pieces = slice(1, min(len(encoded[row].ids), CANDIDATE_TOKENS) - 1)  # without the marks
            offsets = [(a + shift, b + shift) for a, b in encoded[row].offsets[pieces]]
            spans.append(_span(outputs["span"][row, pieces], offsets, candidate.text))
        return Reading(tuple(float(p) for p in sure), tuple(spans), self._newest_verdict(states, sure))

    def _newest_verdict(self, states: Sequence[NDArray[np.float32]], sure: NDArray[Any]) -> Verdict | None:
        """Yes and no are said of what is so now: by the newest of the surest candidate and of those after it that answer too, if it says either."""
        answering = [i for i in range(int(sure.argmax()), len(sure)) if sure[i] >= ANSWERS]
        return next((said for i in reversed(answering) if (said := self._verdict(states[0], states[i + 1]))), None)

    def _verdict(self, question: NDArray[np.float32], statement: NDArray[np.float32]) -> Verdict | None:
        scaled = self._said(question, statement) / self._temperature
        likely = np.exp(scaled - scaled.max())
        best = int(likely.argmax())
        return _VERDICTS[best] if likely[best] / likely.sum() >= SAYS else None

    def _said(self, question: NDArray[np.float32], statement: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(self._entailment.outputs(stacked([question, statement]), (_SAYS,))[_SAYS][0])

    def forget(self) -> None:
        self._recent.forget()

    def odds(self, question: str, candidates: Sequence[Candidate]) -> NDArray[np.float32]:
        """(candidates,): by how much each is likelier evidence than nothing is, before calibration."""
        _, _, outputs = self._run(question, candidates)
        return np.asarray(outputs["evidence"] - outputs["none"])

    def says(self, question: str, statement: str) -> NDArray[np.float32]:
        """(3,): how likely the statement says neither, yes and no to the question, as logits before calibration."""
        _, states, _ = self._run(question, [Candidate(statement, None)])
        return self._said(*states)

    def _run(
        self, question: str, candidates: Sequence[Candidate]
    ) -> tuple[list[Encoding], list[NDArray[np.float32]], dict[str, NDArray[np.float32]]]:
        if not 0 < len(candidates) <= CANDIDATES:
            raise ValueError(f"a reader sees 1 to {CANDIDATES} candidates at once, not {len(candidates)}")
        texts = [question.strip() or EMPTY, *(c.text.strip() or EMPTY for c in candidates)]
        encoded = self._model.encode([PREFIX["query"] + texts[0], *(PREFIX["passage"] + text for text in texts[1:])])
        limits = [QUESTION_TOKENS, *[CANDIDATE_TOKENS] * len(candidates)]
        # What is cut keeps its end mark.
        ids = [e.ids if len(e.ids) <= most else [*e.ids[: most - 1], e.ids[-1]] for e, most in zip(encoded, limits, strict=True)]
        states = self._recent.of(ids, self._model.states)
        feeds = stacked(states) | {"cosine": _known([c.cosine for c in candidates])}
        return encoded, states, self._model.outputs(feeds, ("evidence", "none", "span"))


def nearest(candidates: Sequence[Candidate]) -> NDArray[np.float32]:
    """(candidates,): 1 for the one whose words are nearest to the question's, else 0; all 0 where no encoder saw them.

    The reader is given the cosines, and learnt to trust them less than it should: in training they came from encoders that knew fewer people.
    """
    cosines = [-np.inf if c.cosine is None else c.cosine for c in candidates]
    return np.array([c == max(cosines) > -np.inf for c in cosines], np.float32)


def _known(cosines: Sequence[float | None]) -> NDArray[np.float32]:
    """Where no encoder saw the words, the middle of what is known of the others, as in training."""
    seen = [c for c in cosines if c is not None]
    middle = median(seen) if seen else 0.0
    return np.array([middle if c is None else c for c in cosines], np.float32)


def _span(ends: NDArray[np.float32], offsets: Sequence[tuple[int, int]], text: str) -> tuple[int, int]:
    """The likeliest start, and the likeliest end that does not lie before it, as characters; a piece carries the space before it, a span not."""
    inside = [i for i, (a, b) in enumerate(offsets) if b > max(a, 0)]
    if not inside:
        return 0, len(text)
    first = max(inside, key=lambda i: ends[i, 0])
    last = max((i for i in inside if i >= first), key=lambda i: ends[i, 1])
    start, end = max(0, offsets[first][0]), min(len(text), offsets[last][1])
    return start + len(text[start:end]) - len(text[start:end].lstrip()), end
