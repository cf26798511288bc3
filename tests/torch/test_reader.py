"""`lira_core/reading/onnx.py`, where a model has to be written for the test (with `onnx`, which torch's environment has)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import onnx
import pytest

from lira_core.model_folder import CALIBRATION_FILE, MODEL_FILE, TOKENIZER_FILE, ModelError
from lira_core.model_settings import bundled_model
from lira_core.onnx import LOWER
from lira_core.reading.onnx import OnnxReader


def test_a_trunk_that_does_not_give_its_lowest_layers_is_named_at_the_start(tmp_path: Path) -> None:
    bundled, trunk, reader = bundled_model("lira-trunk"), tmp_path / "trunk", tmp_path / "reader"
    trunk.mkdir()
    graph = onnx.load(bundled / MODEL_FILE)
    (lower,) = (output for output in graph.graph.output if output.name == LOWER)
    graph.graph.output.remove(lower)
    onnx.save(graph, trunk / MODEL_FILE)
    (trunk / TOKENIZER_FILE).symlink_to(bundled / TOKENIZER_FILE)
    shutil.copytree(bundled_model("lira-reader"), reader)
    calibration = json.loads((reader / CALIBRATION_FILE).read_text("utf-8"))
    (reader / CALIBRATION_FILE).write_text(json.dumps(calibration | {"trunk": "trunk"}))
    with pytest.raises(ModelError, match="LIRA_READER_MODEL_DIR") as refused:
        OnnxReader(reader)
    assert LOWER in str(refused.value)
