"""Running a bundled text model: tokenizer and ONNX Runtime session, set up once for every engine."""

from __future__ import annotations

import contextlib
import ctypes
import json
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tokenizers import Encoding, Tokenizer

from lira_core.model_folder import CALIBRATION_FILE, LOWER_FILE, MODEL_FILE, TOKENIZER_FILE, UPPER_FILE, ModelError, trunk_beside

MAX_TOKENS = 256
"""Longer texts are cut. An utterance of 256 pieces is about 500 Korean or 1,000 English characters; the models were trained on
sentences far below it, and the cost of attention grows with the square (32 texts of 512 tokens would need over 1 GB)."""
ALIKE, SLACK = 1.25, 8
"""Texts go together when the longest has at most 1.25 times the tokens of the shortest and 8 more. Padding costs as much as text: mixed turns
of an English dialogue took 23 ms each in eights padded together, and take 14 ms among their like."""
SLOWER = ["SkipLayerNormFusion", "BiasGeluFusion"]
"""What ONNX Runtime would put two or three operators together to: of 24 rows the first takes 61 us where an addition and a norm take 15, the second
40 where its parts take 31, and the trunk 1.10 times as long with them (1.16 of a long text or four; docs/performance.md)."""
TOKENS_PER_RUN = 1024
"""Rows times longest row of one model call. More is no faster on one core, and 8 x 256 tokens leave the process 220 MB larger."""
IDS, MASK = "input_ids", "attention_mask"
STATES = "states"
"""What a trunk gives and what stands on one takes: (texts, tokens, dimensions), float32."""
LOWER = "lower"
"""What the lower half of a trunk gives and its upper half takes; a model that stands on the lower half alone takes it as its `states`."""
SCORES = "scores"
"""What an emotion model gives: (texts, labels), float32."""
LAYERS = "layers"
"""What a model that stands on a trunk may give of its own layers, for heads that stand on those too: (texts, tokens, dimensions), float32."""
PAD_ID = 1


def stacked(states: Sequence[NDArray[np.float32]]) -> dict[str, NDArray[Any]]:
    """`states`, (len(states), longest, dimensions), and their `attention_mask`."""
    longest = max(map(len, states))
    out = np.zeros((len(states), longest, states[0].shape[1]), np.float32)
    mask = np.zeros((len(states), longest), np.int64)
    for row, one in enumerate(states):
        out[row, : len(one)] = one
        mask[row, : len(one)] = 1
    return {STATES: out, MASK: mask}


def padded(ids: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    """`input_ids` and `attention_mask`, both (len(ids), longest)."""
    longest = max(map(len, ids))
    tokens = np.full((len(ids), longest), PAD_ID, np.int64)
    mask = np.zeros_like(tokens)
    for row, pieces in enumerate(ids):
        tokens[row, : len(pieces)] = pieces
        mask[row, : len(pieces)] = 1
    return {IDS: tokens, MASK: mask}


class OnnxTextModel:
    """One model directory: `model.int8.onnx` and `tokenizer.json`; or, without a tokenizer, a model that stands on the trunk beside it.

    A whole model takes `input_ids` and `attention_mask`; one that stands on a trunk takes the trunk's `states` instead of the ids, and its
    calibration names the trunk's folder; with `lowest` it stands on the lower half of the trunk, as the trunk's upper half itself does. `file`:
    another model in the same directory. Blocking and safe to call from several threads. `setting` is the name of the setting that chose the
    directory, for errors. Raises ModelError when the directory, one of the files, or what is in them is not usable.
    """

    def __init__(self, directory: Path, *, output: str, setting: str, file: str = MODEL_FILE, lowest: bool = False) -> None:
        self.directory = directory
        self.setting = setting
        self._output, self._file = output, file
        self._session = self._load_session()
        self._by_piece = {o.name for o in self._session.get_outputs() if len(o.shape) > 1 and not isinstance(o.shape[1], int)}
        self._takes = next((i.name for i in self._session.get_inputs() if i.name in (STATES, LOWER)), None)
        self._trunk = self._load_trunk(lowest) if self._takes else None
        self._tokenizer: Tokenizer = self._trunk._tokenizer if self._trunk else self._load_tokenizer()

    @property
    def width(self) -> int:
        """Columns of the output: the dimensions of an embedding, or the number of labels."""
        (output,) = (o for o in self._session.get_outputs() if o.name == self._output)
        return int(output.shape[-1])

    def has(self, output: str) -> bool:
        return output in {o.name for o in self._session.get_outputs()}

    def run(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(len(texts), width), float32, in order. The texts come with their prefix; each is cut to MAX_TOKENS."""
        return self.run_all(texts, (self._output,))[self._output]

    def run_all(self, texts: Sequence[str], names: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """The named outputs, each (len(texts), its width), as `run`."""
        if self._trunk is not None:
            return self.run_on(self.states_of(texts), names)
        ids = [encoding.ids for encoding in self.encode(texts)]
        found: dict[str, NDArray[np.float32]] = {}
        for group in groups_by_length([len(i) for i in ids]):
            for name, rows in self.outputs(padded([ids[index] for index in group]), names).items():
                found.setdefault(name, np.empty((len(texts), rows.shape[-1]), np.float32))[group] = rows
        return found or {name: np.empty((0, self.width), np.float32) for name in names}

    def states_of(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """What the trunk makes of each text, as `states`; for every model that stands on the same trunk."""
        return self.states([encoding.ids for encoding in self.encode(texts)])

    def run_on(self, states: Sequence[NDArray[np.float32]], names: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """As `run_all`, of texts that the trunk has been through."""
        found: dict[str, NDArray[np.float32]] = {}
        for group in groups_by_length([len(one) for one in states]):
            for name, rows in self.outputs(stacked([states[index] for index in group]), names).items():
                found.setdefault(name, np.empty((len(states), rows.shape[-1]), np.float32))[group] = rows
        return found or {name: np.empty((0, self.width), np.float32) for name in names}

    def run_each(self, states: Sequence[NDArray[np.float32]], names: Sequence[str]) -> list[dict[str, NDArray[np.float32]]]:
        """As `run_on`, one by one: of an output with something for each piece those of the text's own pieces."""
        found: list[dict[str, NDArray[np.float32]]] = [{}] * len(states)
        for group in groups_by_length([len(one) for one in states]):
            feeds = stacked([states[index] for index in group])
            outputs = self.outputs(feeds, names)
            for row, index in enumerate(group):
                ends = {name: len(states[index]) if name in self._by_piece else None for name in names}
                found[index] = {name: rows[row][: ends[name]] for name, rows in outputs.items()}
        return found

    def shares_trunk(self, other: OnnxTextModel) -> bool:
        return self._trunk is not None and self._trunk is other._trunk

    def encode(self, texts: Sequence[str]) -> list[Encoding]:
        """Pieces with their marks, and where in the text each lies; at most MAX_TOKENS of each text."""
        encodings: list[Encoding] = self._tokenizer.encode_batch(list(texts))
        return encodings

    def outputs(self, feeds: Mapping[str, NDArray[Any]], names: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """One call of the model, and of the trunk that it stands on. `feeds` as `padded` makes them, and what else the model takes. All its outputs
        are computed, whichever are named."""
        if self._trunk is None or self._takes is None or self._takes in feeds:
            return dict(zip(names, self._session.run(list(names), dict(feeds)), strict=True))
        beneath = {self._takes: self._trunk._of_each({name: feeds[name] for name in (IDS, MASK)})}
        return self.outputs({name: value for name, value in feeds.items() if name != IDS} | beneath, names)

    def _of_each(self, feeds: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Of a trunk or half a one: the states of each piece."""
        return self.outputs(feeds, (self._output,))[self._output]

    def states(self, ids: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """What the trunk makes of each text, (its pieces, dimensions); the texts share calls with those of about their length."""
        if self._trunk is None:
            raise self.broken(MODEL_FILE, "it does not stand on a trunk")
        found: list[NDArray[np.float32]] = [np.empty((0, 0), np.float32)] * len(ids)
        for group in groups_by_length([len(i) for i in ids]):
            rows = self._trunk._of_each(padded([ids[index] for index in group]))
            for index, row in zip(group, rows, strict=True):
                found[index] = row[: len(ids[index])]
        return found

    def read_json(self, name: str) -> dict[str, Any]:
        """A JSON object that lies beside the model."""
        path = self._existing(name)
        try:
            value = json.loads(path.read_text("utf-8"))
        except ValueError as error:
            raise self.broken(name, str(error)) from error
        if not isinstance(value, dict):
            raise self.broken(name, "not a JSON object")
        return value

    def broken(self, name: str, why: str) -> ModelError:
        return ModelError(f"{self.directory / name} cannot be used: {why} (the directory is chosen by {self.setting})")

    def _existing(self, name: str) -> Path:
        path = self.directory / name
        if not path.is_file():
            raise ModelError(
                f"{path} is missing: {self.setting} must name a model directory with {MODEL_FILE}, {TOKENIZER_FILE} and {CALIBRATION_FILE}"
            )
        return path

    def _load_tokenizer(self) -> Tokenizer:
        path = self._existing(TOKENIZER_FILE)
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises bare Exception
            raise self.broken(TOKENIZER_FILE, str(error)) from error
        # The tokenizer would keep ten thousand words of people; without them a text costs 2 µs more (measured).
        tokenizer.model._resize_cache(0)
        tokenizer.enable_truncation(MAX_TOKENS)
        tokenizer.no_padding()
        return tokenizer

    def _load_trunk(self, lowest: bool) -> OnnxTextModel:
        if self._takes == LOWER:
            return shared(self.directory, LOWER, self.setting, LOWER_FILE)
        folder = trunk_beside(self.directory, self.read_json(CALIBRATION_FILE))
        if folder is None:
            raise self.broken(CALIBRATION_FILE, "it names no `trunk`, and the model takes the states of one")
        return shared(folder, LOWER, self.setting, LOWER_FILE) if lowest else shared(folder, STATES, self.setting, UPPER_FILE)

    def _load_session(self) -> onnxruntime.InferenceSession:
        path = self._existing(self._file)
        half = self._file in (LOWER_FILE, UPPER_FILE)
        if half:
            self._existing(MODEL_FILE)
        options = onnxruntime.SessionOptions()
        # One core per replica: replicas are what scales, and spinning threads would take the cores from each other.
        _one_blas_thread()
        _keep_freed_memory()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        # Without VNNI the faster kernel adds two products of int8 in 16 bits, which overflow: other answers than on a CPU with it (docs/quality.md).
        # With VNNI the answers are the same either way, and this takes a kernel that is 3.7 times slower there (docs/performance.md).
        if not adds_int8_exactly():
            options.add_session_config_entry("session.x64quantprecision", "1")
        # The arena never gives back what the largest batch took: 478 MB instead of 155 MB of resident memory after one batch of
        # 32 x 256 tokens, and without it a text is no slower (4 ms). The memory pattern assumes shapes that stay the same.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        try:
            session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER)
        except Exception as error:  # onnxruntime's exception types are not public
            raise self.broken(self._file, f"{error}{f' (its weights are those in {MODEL_FILE})' if half else ''}") from error
        if self._output not in {o.name for o in session.get_outputs()}:
            raise self.broken(self._file, f"it has no output named {self._output!r}")
        return session


@cache
def adds_int8_exactly() -> bool:
    """Whether ONNX Runtime's usual kernel adds products of int8 on this CPU without overflowing. Tried, not looked up: the names of what a CPU can
    do are many (VNNI comes in two forms on x86 alone), and which of them a kernel uses is the runtime's business."""
    session = onnxruntime.InferenceSession(str(Path(__file__).with_name("int8_sums.onnx")), providers=["CPUExecutionProvider"])
    rows = np.full((8, 64), 255, np.uint8)
    (sums,) = session.run(None, {"rows": rows})
    return bool((sums == rows.shape[1] * 255 * 127).all())


@cache
def _one_blas_thread() -> None:
    """For the whole process: NumPy's BLAS kept a second thread spinning after each small product, beside the models (docs/performance.md)."""
    threadpool_limits(limits=1, user_api="blas")


KEPT_BYTES = 32 * 2**20
"""Blocks up to this come from memory that glibc keeps for the next one. By itself it begins with 128 KB, above which each block is mapped anew and
its pages are zeroed at the first touch, and raises that to the largest block that was ever freed: how long a model took hung on what had been
loaded before it. The largest activation is 6 MB (TOKENS_PER_RUN x 1,536 floats); eight texts heard take 109 ms of CPU without this, 104 with
4 MB, 100 with 8, 90 with 32, and 40 MB more (docs/performance.md)."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h


@cache
def _keep_freed_memory() -> None:
    """For the whole process, where glibc is what allocates."""
    with contextlib.suppress(AttributeError, TypeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_M_MMAP_THRESHOLD, KEPT_BYTES)
        mallopt(_M_TRIM_THRESHOLD, 2 * KEPT_BYTES)


_SHARED = weakref.WeakValueDictionary[tuple[Path, str, str], OnnxTextModel]()


def shared(folder: Path, output: str, setting: str, file: str = MODEL_FILE) -> OnnxTextModel:
    """One for all that stand on it in this process, as long as one does: a trunk is 37 MB, and most of the work of a text."""
    key = folder.resolve(), output, file
    found = _SHARED.get(key)
    if found is None:
        found = _SHARED[key] = OnnxTextModel(folder, output=output, setting=setting, file=file)
    return found


def groups_by_length(lengths: Sequence[int]) -> list[list[int]]:
    """Indices grouped for one model call each: like lengths together, each group padded to at most TOKENS_PER_RUN (or one row)."""
    groups: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if groups and (len(groups[-1]) + 1) * lengths[index] <= TOKENS_PER_RUN and lengths[index] <= ALIKE * lengths[groups[-1][0]] + SLACK:
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups
