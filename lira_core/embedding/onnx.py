"""The embedded encoder: multilingual-e5-small, int8, on ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.aim import AimHeads
from lira_core.embedding.heads import Beside, Heads, Pieces, States
from lira_core.embedding.leaning import LeaningHeads
from lira_core.embedding.listing import ListingHeads
from lira_core.embedding.manner import MannerHeads
from lira_core.embedding.names import NameHeads
from lira_core.embedding.port import EMPTY, Heard, Kind
from lira_core.embedding.reply import ReplyHeads
from lira_core.embedding.safety import SafetyHeads
from lira_core.embedding.speech import KEEP, NETS, SPEECH, SPEECH_FILE, SpeechHeads
from lira_core.language import Language, language_of
from lira_core.model_folder import CALIBRATION_FILE, MODEL_FILE, PASSAGE_FILE
from lira_core.onnx import LAYERS, SCORES, OnnxTextModel, shared

PREFIX: dict[Kind, str] = {"query": "query: ", "passage": "passage: "}
"""E5 was trained with these two; without them retrieval loses accuracy (Wang et al. 2024, Multilingual E5)."""


def utterances(texts: Sequence[str]) -> list[str]:
    """As the models were given what somebody says, in training and now."""
    return [PREFIX["query"] + (text.strip() or EMPTY) for text in texts]


HEADS: tuple[type[Heads], ...] = (SafetyHeads, MannerHeads, NameHeads, LeaningHeads, ListingHeads, ReplyHeads, AimHeads)
"""What may lie beside the encoder."""

Centre = Mapping[tuple[Kind, Language], NDArray[np.float32]]


class OnnxEncoder:
    """An `EmbeddingEngine` over one model directory. Blocking. Raises `lira_core.onnx.ModelError` when the directory is unusable.

    E5's vectors share one large common part (its cosines live between 0.7 and 0.95, lower for English and from question to
    statement), so most of the mean vector of the text's kind and language, stored in `calibration.json`, is taken off
    (Mu and Viswanath 2018, All-but-the-Top). Cosines then spread over 0 to 1, and one certainty fits both languages.

    Where `passage.npy` lies beside the model, a passage's vector is made of its text's as a query, by that affine map: what is said is
    embedded once, to recall by and to be recalled. Without it the text is run again as a passage. What the map costs: docs/performance.md.
    """

    def __init__(self, directory: Path, *, setting: str = "LIRA_EMBEDDING_MODEL_DIR") -> None:
        self.model = OnnxTextModel(directory, output="emb", setting=setting)
        self.name: str = directory.resolve().name
        self.dimensions: int = self.model.width
        calibration = self.model.read_json(CALIBRATION_FILE)
        try:
            self._centre = _centre(calibration, self.dimensions)
            self._speech = SpeechHeads.from_json(calibration) if self.model.has(SPEECH) else None
            self._outputs = ("emb", SPEECH) if self._speech else ("emb",)
        except ValueError as error:
            raise self.model.broken(CALIBRATION_FILE, str(error)) from error
        self._beside = [found for kind in HEADS if (found := Beside.load(kind, directory, setting)) is not None]
        self._emotion = self._load_emotion()
        self._speech_nets = self._load_speech_nets()
        self._as_passage = self._load_map()

    def _load_emotion(self) -> OnnxTextModel | None:
        """The emotion model on whose layers the deep heads stand, which a process has once; None where no heads are deep."""
        folders = {beside.emotion for beside in self._beside} - {None}
        if not folders:
            return None
        if len(folders) > 1:
            raise self.model.broken(MODEL_FILE, f"the heads beside it stand on more than one emotion model: {', '.join(sorted(map(str, folders)))}")
        emotion = shared(cast(Path, folders.pop()), SCORES, self.model.setting)
        for model in (self.model, emotion):
            if not model.has(LAYERS):
                raise model.broken(MODEL_FILE, f"it has no output `{LAYERS}`, on which heads beside {self.name} stand")
        return emotion

    def _load_speech_nets(self) -> OnnxTextModel | None:
        if self._speech is None or not (self.model.directory / SPEECH_FILE).is_file():
            return None
        found = OnnxTextModel(self.model.directory, output=SPEECH, setting=self.model.setting, file=SPEECH_FILE)
        if found.width != KEEP:
            raise found.broken(SPEECH_FILE, f"its output `{SPEECH}` has to be {KEEP} wide")
        return found

    def _load_map(self) -> NDArray[np.float32] | None:
        path = self.model.directory / PASSAGE_FILE
        if not path.is_file():
            return None
        try:
            found = np.load(path, allow_pickle=False).astype(np.float32)
        except (OSError, ValueError, EOFError) as error:
            raise self.model.broken(PASSAGE_FILE, str(error)) from error
        if found.shape != (self.dimensions + 1, self.dimensions):
            raise self.model.broken(
                PASSAGE_FILE, f"it has the shape {found.shape}, for this model it has to be {(self.dimensions + 1, self.dimensions)}"
            )
        return np.asarray(found)

    def raw(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), L2-normalised, before the common part is taken off."""
        prefixes = PREFIX if self._as_passage is None else dict.fromkeys(PREFIX, PREFIX["query"])
        found = self.model.run([prefixes[kind] + (text.strip() or EMPTY) for kind, text in texts])
        kept = [row for row, (kind, _) in enumerate(texts) if kind == "passage"]
        if self._as_passage is not None and kept:
            found[kept] = self._mapped(found[kept], self._as_passage)
        return found

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), float32, rows L2-normalised. An empty text gets the vector of a lone full stop."""
        return self._centred(self.raw(texts), texts) if texts else self.raw(texts)

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        """Vector, kind of speech and what the heads beside hear, in one pass over the shared layers."""
        if self._beside or self._speech_nets:
            return self.hear_on(texts, self.model.states_of(utterances(texts)))
        return self._heard(texts, self.model.run_all(utterances(texts), self._outputs))

    def hear_on(self, texts: Sequence[str], states: States) -> list[Heard]:
        """As `hear`, of `utterances` that the trunk has been through."""
        heard, layers = self.layers_on(texts, states)
        parts = zip(self.heads_on(texts, states), self.deep_heads_on(texts, states, layers), strict=True)
        return [replace(one, **upon_trunk, **deep) for one, (upon_trunk, deep) in zip(heard, parts, strict=True)]

    def layers_on(self, texts: Sequence[str], states: States) -> tuple[list[Heard], States]:
        """Of `hear_on` what the encoder's own layers make: vectors and kind of speech; and for `deep_heads_on` their states, empty where no heads
        stand on them."""
        found, layers = self._outputs_on(states)
        return self._heard(texts, found), layers

    def _outputs_on(self, states: States) -> tuple[dict[str, NDArray[np.float32]], States]:
        """What the layers make, with the nets beside them where it is the kind of speech and of asking (`NETS`); and the layers' states."""
        if self._emotion is not None and len(states):
            each = self.model.run_each(states, (*self._outputs, LAYERS))
            found, layers = {name: np.stack([one[name] for one in each]) for name in self._outputs}, [one[LAYERS] for one in each]
        else:
            found, layers = dict(self.model.run_on(states, self._outputs)), []
        if self._speech_nets is not None and len(states):
            speech = found[SPEECH].copy()
            speech[:, :KEEP] += NETS * (self._speech_nets.run_on(states, (SPEECH,))[SPEECH] - speech[:, :KEEP])
            found[SPEECH] = speech
        return found, layers

    def heads_on(self, texts: Sequence[str], states: States) -> list[dict[str, Any]]:
        """Of `hear_on` what the heads beside hear that stand on the trunk alone, as parts of `Heard`; apart, so that it can be done while the layers
        are at work."""
        return self._heard_by([beside for beside in self._beside if beside.emotion is None], texts, states)

    def deep_heads_on(
        self,
        texts: Sequence[str],
        states: States,
        layers: States,
        felt: tuple[OnnxTextModel, States] | None = None,
        aside: Executor | None = None,
    ) -> list[dict[str, Any]]:
        """Of `hear_on` what the heads beside hear that stand on all `layers`. `felt`: an emotion model, and what its own made of the texts. `aside`:
        where the first of them, which take the longest, run beside the others."""
        if self._emotion is None or not texts:
            return [{} for _ in texts]
        made = felt[1] if felt and felt[0] is self._emotion else [one[LAYERS] for one in self._emotion.run_each(states, (LAYERS,))]
        deep = [np.concatenate(all_of, 1) for all_of in zip(states, layers, made, strict=True)]
        heads = [beside for beside in self._beside if beside.emotion is not None]
        if aside is None:
            return self._heard_by(heads, texts, deep)
        first = aside.submit(self._heard_by, heads[:1], texts, deep)
        rest = self._heard_by(heads[1:], texts, deep)
        return [{**one, **other} for one, other in zip(first.result(), rest, strict=True)]

    def _heard_by(self, heads: Sequence[Beside[Any]], texts: Sequence[str], states: States) -> list[dict[str, Any]]:
        parts: list[dict[str, Any]] = [{} for _ in texts]
        if heads and texts:
            pieces = self._pieces(texts)
            for beside in heads:
                for one, found in zip(parts, beside.heard(texts, states, pieces), strict=True):
                    one.update(found)
        return parts

    def _pieces(self, texts: Sequence[str]) -> list[Pieces]:
        """Where in each text its pieces lie."""
        found: list[Pieces] = []
        for text, encoding in zip(texts, self.model.encode(utterances(texts)), strict=True):
            shift = len(text) - len(text.lstrip()) - len(PREFIX["query"])
            found.append([(start + shift, end + shift) for start, end in encoding.offsets])
        return found

    def _heard(self, texts: Sequence[str], found: Mapping[str, NDArray[np.float32]]) -> list[Heard]:
        if not texts:
            return []
        vectors = self._centred(found["emb"], [("query", text) for text in texts])
        heard = [Heard(vector, None) for vector in vectors]
        if self._speech is not None:
            heard = [replace(one, speech=self._speech.read(logits)) for one, logits in zip(heard, found[SPEECH], strict=True)]
        if self._as_passage is not None:
            passages = self._centred(self._mapped(found["emb"], self._as_passage), [("passage", text) for text in texts])
            heard = [replace(one, passage=passage) for one, passage in zip(heard, passages, strict=True)]
        return heard

    @staticmethod
    def _mapped(raw: NDArray[np.float32], by: NDArray[np.float32]) -> NDArray[np.float32]:
        """(texts, dimensions) as passages, L2-normalised."""
        rows = raw @ by[:-1] + by[-1]
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def speech_logits(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts), KEEP + 1 or more), as `SpeechHeads.read` wants each row; for fitting its temperatures."""
        if self._speech_nets is None:
            return self.model.run_all(utterances(texts), (SPEECH,))[SPEECH]
        return self._outputs_on(self.model.states_of(utterances(texts)))[0][SPEECH]

    def _centred(self, raw: NDArray[np.float32], texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        rows = raw - np.stack([self._centre[kind, language_of(text)] for kind, text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _centre(calibration: Mapping[str, Any], dimensions: int) -> Centre:
    """What to subtract for each kind and language; ValueError when the stored vectors do not fit the model."""
    kinds: tuple[Kind, ...] = ("query", "passage")
    languages: tuple[Language, ...] = ("ko", "en")
    try:
        stored = calibration["centre"]
        centre = {(k, lang): float(stored["share"]) * np.array(stored[k][lang], np.float32) for k in kinds for lang in languages}
    except (KeyError, TypeError) as error:
        raise ValueError(f"`centre` lacks a part: {error}") from error
    if any(vector.shape != (dimensions,) for vector in centre.values()):
        raise ValueError(f"`centre` needs vectors of {dimensions} numbers")
    return centre
