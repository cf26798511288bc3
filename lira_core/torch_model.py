"""Running any text model of Hugging Face's transformers: tokenizer and weights by id or folder, on CUDA where there is some."""

from __future__ import annotations

import importlib.util
import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from lira_core.batching import Bounds
from lira_core.model_folder import ModelError

if TYPE_CHECKING:
    import torch

MAX_TOKENS = 256
"""As `lira_core.onnx.MAX_TOKENS`; fewer where the model has fewer positions."""
ROWS = 512
"""Of one batch: beyond it launching and collecting, which grow with the rows, take longer than short texts do on a GPU."""
CPU_ROWS = 8
"""As `lira_core.emotion.local.MAX_BATCH`: on a core more only make the first wait for the last."""
MULTIPLE = 8
"""Lengths are padded to a multiple of this: tensor cores want it (NVIDIA, Matrix Multiplication Background), and fewer shapes are compiled."""

Device = Literal["auto", "cpu", "cuda"]
Precision = Literal["auto", "fp32", "fp16", "bf16"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where and how a model runs: LIRA_DEVICE, LIRA_PRECISION, LIRA_COMPILE, LIRA_BATCH_TOKENS, LIRA_BATCH_WAIT_MS."""

    device: Device = "auto"
    precision: Precision = "auto"
    compile: bool = False
    batch_tokens: int = 16_384
    batch_wait_s: float = 0.005


@dataclass(frozen=True, slots=True)
class Launched:
    """A batch on its way: `values` are whole once `done` (None on a CPU) has happened."""

    values: torch.Tensor
    done: torch.cuda.Event | None


Head = Callable[[Any, "torch.Tensor"], "torch.Tensor"]
"""(the model's output, attention mask) → (texts, width)."""


def demand(setting: str) -> None:
    """ModelError where torch or transformers is not installed."""
    if missing := [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]:
        raise ModelError(f"{setting}=transformers needs {' and '.join(missing)}, not installed here: pip install 'lira[gpu]'")


def device_of(place: Place) -> torch.device:
    """CUDA where there is some and nobody said otherwise. ModelError for a GPU that is not there."""
    import torch

    if place.device == "cuda" and not torch.cuda.is_available():
        raise ModelError(
            "LIRA_DEVICE=cuda, and torch sees no GPU: give the stage one (ray_actor_options.num_gpus in the Serve config), install a torch with "
            "CUDA, or set LIRA_DEVICE=auto"
        )
    return torch.device("cuda" if place.device != "cpu" and torch.cuda.is_available() else "cpu")


def config_of(name: str, *, setting: str) -> Any:
    """The config of a model that is not loaded, from which its labels and dimensions are known. ModelError where there is none, and for a folder
    without weights."""
    import transformers
    from transformers import utils

    try:
        config = transformers.AutoConfig.from_pretrained(name)
    except (OSError, ValueError, KeyError) as error:
        raise _broken(setting, name, error) from error
    weights = (utils.SAFE_WEIGHTS_NAME, utils.SAFE_WEIGHTS_INDEX_NAME, utils.WEIGHTS_NAME, utils.WEIGHTS_INDEX_NAME)
    if Path(name).is_dir() and not any((Path(name) / file).is_file() for file in weights):
        raise ModelError(f"{setting}={name}: it cannot be loaded (the folder has no weights: {', '.join(weights[:-1])} or {weights[-1]})")
    return config


def _broken(setting: str, name: str, error: Exception) -> ModelError:
    return ModelError(f"{setting}={name}: it cannot be loaded ({' '.join(str(error).split())[:300]})")


def padded(rows: Sequence[Sequence[int]], pad: int, *, left: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pieces and attention mask, both (rows, the longest, made a multiple of MULTIPLE). The tokenizer's own `pad` takes longer for 512 rows of 32
    pieces than a GPU for the whole model (docs/performance.md)."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    width = -(-int(lengths.max()) // MULTIPLE) * MULTIPLE
    place = np.arange(width)[None]
    seen = place >= width - lengths[:, None] if left else place < lengths[:, None]
    ids = np.full(seen.shape, pad, np.int64)
    ids[seen] = np.fromiter(itertools.chain.from_iterable(rows), np.int64, int(lengths.sum()))
    return ids, seen.astype(np.int64)


class TorchTextModel:
    """One model and its tokenizer. The steps are safe to call from several threads. `setting` chose the model, for errors.

    Raises ModelError for a model that cannot be found or loaded, and a GPU that is not there.
    """

    def __init__(self, name: str, auto: str, head: Head, place: Place, *, setting: str) -> None:
        """`auto`: the class of transformers that loads it, such as `AutoModel`."""
        import torch
        import transformers

        self._head = head
        self._device = device_of(place)
        self._on_cuda = self._device.type == "cuda"
        try:
            self._tokenizer = transformers.AutoTokenizer.from_pretrained(name)
            model = getattr(transformers, auto).from_pretrained(name, dtype=self._precision(place.precision))
        except (OSError, ValueError, KeyError, RuntimeError, ImportError) as error:
            raise _broken(setting, name, error) from error
        self.config: Any = model.config
        self._longest = min(MAX_TOKENS, self._tokenizer.model_max_length, getattr(self.config, "max_position_embeddings", MAX_TOKENS))
        model = model.to(self._device).eval()
        if self._on_cuda:
            # cuDNN's attention makes a plan for every shape that it meets first: 50 to 80 ms, where a text takes 5. Batches of what people say hardly
            # ever have the same shape twice; without it 512 texts of 32 pieces lose a thirtieth (docs/performance.md).
            torch.backends.cuda.enable_cudnn_sdp(False)
        # Lengths differ from batch to batch: one graph for all of them instead of one for each.
        self._model = torch.compile(model, dynamic=True) if place.compile else model
        self._lock = threading.Lock()
        self.bounds = (
            Bounds(ROWS, place.batch_tokens, in_flight=2, wait_s=place.batch_wait_s) if self._on_cuda else Bounds(CPU_ROWS, place.batch_tokens)
        )

    def _precision(self, wanted: Precision) -> torch.dtype:
        """bf16 on CUDA unless said otherwise: half the bytes, and the range of fp32, so that no activation overflows."""
        import torch

        if wanted == "auto":
            return torch.bfloat16 if self._on_cuda else torch.float32
        return {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[wanted]

    def tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        """At most MAX_TOKENS of each, marks included."""
        found: list[list[int]] = self._tokenizer(list(texts), truncation=True, max_length=self._longest)["input_ids"]
        return found

    def infer(self, rows: Sequence[Sequence[int]]) -> Launched:
        """Launches the batch: on CUDA buffers are pinned and nothing is waited for."""
        import torch

        ids, seen = padded(rows, self._tokenizer.pad_token_id or 0, left=self._tokenizer.padding_side == "left")
        with self._lock, torch.inference_mode():
            mask = self._moved(torch.from_numpy(seen))
            values = self._head(self._model(input_ids=self._moved(torch.from_numpy(ids)), attention_mask=mask), mask).float()
            if not self._on_cuda:
                return Launched(values, None)
            found = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
            found.copy_(values, non_blocking=True)
            done = torch.cuda.Event()
            done.record()
            return Launched(found, done)

    def _moved(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.pin_memory().to(self._device, non_blocking=True) if self._on_cuda else tensor

    def values(self, launched: Launched) -> NDArray[np.float32]:
        """(rows, width), when the device has them."""
        if launched.done is not None:
            launched.done.synchronize()
        found: NDArray[np.float32] = launched.values.numpy()
        return found

    def run(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(texts, width), all in batches of the budget, for whoever needs no batcher."""
        rows = self.tokenise(texts)
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        found: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(rows)
        start = 0
        while start < len(order):
            end = start + 1
            while end < len(order) and end - start < self.bounds.rows and (end + 1 - start) * len(rows[order[end]]) <= (self.bounds.tokens or 1):
                end += 1
            for index, row in zip(order[start:end], self.values(self.infer([rows[i] for i in order[start:end]])), strict=True):
                found[index] = row
            start = end
        return np.stack(found)
