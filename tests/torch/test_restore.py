"""`models/make/understanding/restore.py`: what is shipped comes back as it was before it was exported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch

from lira_core.model_settings import bundled_model

MAKE = Path(__file__).parents[2] / "models" / "make" / "understanding"
MODELS = bundled_model("lira-reader").parent
FILES = ("lira-encoder/model.int8.onnx", "lira-emotion/model.int8.onnx", "lira-reader/model.int8.onnx")
SHAPE = {"hidden_size": 384, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 1536, "vocab_size": 44000, "pad_token_id": 1}
"""Of the encoder that ours are made from; its weights are random here, since only what stands above the trunk is restored."""


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    monkeypatch.syspath_prepend(str(MAKE))
    try:
        yield {name: importlib.import_module(name) for name in ("restore", "export", "trunk")}
    finally:
        for name, module in list(sys.modules.items()):
            if getattr(module, "__file__", None) and MAKE in Path(str(module.__file__)).parents:
                del sys.modules[name]


@pytest.mark.parametrize("file", FILES)
def test_what_is_restored_and_exported_again_holds_the_same_numbers(
    rooms: dict[str, ModuleType], made: Callable[..., Path], tmp_path: Path, file: str
) -> None:
    restore, export = rooms["restore"], rooms["export"]
    trunk = rooms["trunk"].Trunk(made("BertModel", **SHAPE))
    with torch.no_grad():
        parts = {name: module for name, module in export.untrained(trunk).items() if name in export.FILES[file]}
        for name, weights in restore.restore(file, trunk, MODELS).items():
            parts[name].load_state_dict(weights)
        export.write_file(file, parts, tmp_path)
    again, shipped = restore.constants(tmp_path / file), restore.constants(MODELS / file)
    assert len(set(again) & set(shipped)) > 30
    for name in set(again) & set(shipped):
        np.testing.assert_array_equal(again[name], shipped[name], err_msg=name)


def test_a_file_of_another_architecture_is_refused(rooms: dict[str, ModuleType], made: Callable[..., Path], tmp_path: Path) -> None:
    trunk = rooms["trunk"].Trunk(made("BertModel", **SHAPE))
    target = tmp_path / "lira-emotion" / "model.int8.onnx"
    target.parent.mkdir()
    target.write_bytes((MODELS / "lira-reader" / "model.int8.onnx").read_bytes())
    with torch.no_grad(), pytest.raises(rooms["restore"].Unknown, match="no constant of the file"):
        rooms["restore"].restore("lira-emotion/model.int8.onnx", trunk, tmp_path)
