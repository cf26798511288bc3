"""Any Hugging Face encoder as the encoder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lira_core.batching import Bounds
from lira_core.embedding.port import EMPTY, Heard, Kind, checked_dimensions
from lira_core.model_folder import ModelError
from lira_core.torch_model import Launched, Place, TorchTextModel, demand

if TYPE_CHECKING:
    import torch

SETTING = "LIRA_EMBEDDING_MODEL"
Pooling = Literal["mean", "cls", "last"]
_MODES: dict[str, Pooling] = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_lasttoken": "last"}


class TransformersEncoder:
    """An `EmbeddingEngine`, and the `Steps` of one over (kind, text). Blocking. ModelError for what cannot be used.

    Pooling and the prefixes of questions and passages are what lies beside the model in sentence-transformers' files (`1_Pooling/config.json`,
    `config_sentence_transformers.json`); without them the mean of all pieces, and no prefix. It hears no kind of speech.
    """

    def __init__(self, name: str, dimensions: int, place: Place) -> None:
        """`dimensions` are those that the index was told of (LIRA_EMBEDDING_DIMENSIONS)."""
        demand("LIRA_EMBEDDING_ENGINE")
        self._pooling: Pooling = _pooling(name)
        self._model = TorchTextModel(name, "AutoModel", self._pooled, place, setting=SETTING)
        prompts = _beside(name, "config_sentence_transformers.json").get("prompts") or {}
        self._prefix: dict[Kind, str] = {"query": prompts.get("query", ""), "passage": prompts.get("document", prompts.get("passage", ""))}
        self.dimensions = checked_dimensions(self._model.config.hidden_size, dimensions, name)

    @property
    def bounds(self) -> Bounds:
        return self._model.bounds

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        """(len(texts), dimensions), float32, rows L2-normalised."""
        return self._model.run([self._told(one) for one in texts]) if texts else np.empty((0, self.dimensions), np.float32)

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        return [Heard(vector, None) for vector in self.embed([("query", text) for text in texts])]

    def tokenise(self, items: list[tuple[Kind, str]]) -> list[list[int]]:
        return self._model.tokenise([self._told(one) for one in items])

    def infer(self, rows: list[list[int]]) -> Launched:
        return self._model.infer(rows)

    def decode(self, output: Launched) -> list[NDArray[np.float32]]:
        return list(self._model.values(output))

    def _told(self, one: tuple[Kind, str]) -> str:
        kind, text = one
        return self._prefix[kind] + (text.strip() or EMPTY)

    def _pooled(self, output: Any, mask: torch.Tensor) -> torch.Tensor:
        import torch

        states: torch.Tensor = output.last_hidden_state.float()
        match self._pooling:
            case "mean":
                pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            case "cls":
                pooled = states[:, 0]
            case "last":
                # Whichever side is padded: the last piece that is one.
                places = torch.arange(mask.shape[1], device=mask.device) * mask
                pooled = states[torch.arange(len(states), device=mask.device), places.argmax(1)]
        return torch.nn.functional.normalize(pooled, dim=-1)


def _pooling(name: str) -> Pooling:
    modes = [mode for mode, on in _beside(name, "1_Pooling/config.json").items() if mode.startswith("pooling_mode_") and on is True]
    if len(modes) > 1 or (modes and modes[0] not in _MODES):
        raise ModelError(f"{SETTING}={name}: it pools by {' and '.join(modes)}, and LIRA by one of {', '.join(_MODES)}")
    return _MODES[modes[0]] if modes else "mean"


def _beside(name: str, file: str) -> dict[str, Any]:
    """The JSON object that lies beside the model under this name, empty where none does."""
    from transformers.utils import cached_file

    found = cached_file(name, file, _raise_exceptions_for_missing_entries=False, _raise_exceptions_for_connection_errors=False)
    if found is None:
        return {}
    with open(found, encoding="utf-8") as stream:
        value = json.load(stream)
    return value if isinstance(value, dict) else {}
