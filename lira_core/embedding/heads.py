"""Heads that lie beside an encoder in files of their own: what each makes of an utterance becomes a part of `Heard`. They stand on the trunk that the
encoder stands on, or on the layers above it too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from lira_core.onnx import OnnxTextModel

States = Sequence[NDArray[np.float32]]
"""Of each text (its pieces, dimensions)."""

Pieces = Sequence[tuple[int, int]]
"""Where in the text each piece lies that the trunk saw, its marks and prefix among them: (start, end) in characters, empty or below 0 for those."""


class Heads(Protocol):
    """What reads the logits of one file. `OUTPUTS`: the file's outputs with the width of each, None for one number a piece. `DEEP`: the file takes
    of each piece the states of the trunk, of the encoder's layers and of an emotion model's, side by side; else the trunk's alone."""

    FILE: ClassVar[str]
    CALIBRATION: ClassVar[str]
    OUTPUTS: ClassVar[Mapping[str, int | None]]
    DEEP: ClassVar[bool]

    @classmethod
    def from_json(cls, calibration: Mapping[str, Any]) -> Self:
        """ValueError when the calibration lacks a part."""
        ...

    def heard(self, logits: Mapping[str, NDArray[np.float32]], text: str, pieces: Pieces) -> Mapping[str, Any]:
        """Parts of `Heard`, of one utterance."""
        ...


H = TypeVar("H", bound=Heads)


@dataclass(frozen=True, slots=True)
class Beside(Generic[H]):
    """Heads and the model whose logits they read. `emotion`: the folder of the emotion model on whose layers deep ones stand; None of the others."""

    model: OnnxTextModel
    heads: H
    emotion: Path | None

    @classmethod
    def load(cls, kind: type[H], directory: Path, setting: str) -> Self | None:
        """None where they do not lie beside the encoder; ModelError where they do and cannot be used."""
        if not (directory / kind.FILE).is_file():
            return None
        first = next(iter(kind.OUTPUTS))
        model = OnnxTextModel(directory, output=first, setting=setting, file=kind.FILE)
        calibration = model.read_json(kind.CALIBRATION)
        try:
            heads = kind.from_json(calibration)
        except ValueError as error:
            raise model.broken(kind.CALIBRATION, str(error)) from error
        if model.width != kind.OUTPUTS[first] or not all(map(model.has, kind.OUTPUTS)):
            wanted = ", ".join(f"{name} ({width or 'one number a piece'})" for name, width in kind.OUTPUTS.items())
            raise model.broken(kind.FILE, f"it has to have the outputs {wanted}")
        return cls(model, heads, _emotion(model, kind, calibration) if kind.DEEP else None)

    def heard(self, texts: Sequence[str], states: States, pieces: Sequence[Pieces]) -> list[Mapping[str, Any]]:
        """Parts of `Heard`: what these heads make of each text, of the `states` that they take."""
        found = self.model.run_each(states, tuple(self.heads.OUTPUTS))
        return [self.heads.heard(logits, text, where) for logits, text, where in zip(found, texts, pieces, strict=True)]


def _emotion(model: OnnxTextModel, kind: type[Heads], calibration: Mapping[str, Any]) -> Path:
    if not isinstance(name := calibration.get("emotion"), str):
        raise model.broken(kind.CALIBRATION, "it names no `emotion`, the folder beside this one of the emotion model whose layers the heads stand on")
    folder = model.directory.resolve().parent / name
    if not folder.is_dir():
        raise model.broken(kind.CALIBRATION, f"the emotion model `{name}`, whose layers the heads stand on, does not lie beside the encoder's folder")
    return folder


def places(calibration: Mapping[str, Any], names: Sequence[str]) -> list[float]:
    """The numbers of the named heads; ValueError when the calibration lacks one."""
    try:
        return [float(calibration[name]) for name in names]
    except (KeyError, TypeError) as error:
        raise ValueError(f"it lacks the number of a head: {error}") from error


def likeliest_run(logits: NDArray[np.float32], pieces: Pieces) -> tuple[int, int] | None:
    """The pieces one after another whose logits have the greatest sum, as characters (start, end); None where none is above 0."""
    inside = [i for i, (start, end) in enumerate(pieces[: len(logits)]) if end > max(start, 0)]
    best, found, run, first = 0.0, None, 0.0, 0
    for place, piece in enumerate(inside):
        if run <= 0:
            run, first = 0.0, place
        run += float(logits[piece])
        if run > best:
            best, found = run, (first, place)
    return (max(0, pieces[inside[found[0]]][0]), pieces[inside[found[1]]][1]) if found else None
