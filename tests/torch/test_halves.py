"""`models/make/halves.py`: the halves that are committed are those of the trunk beside them."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "make"))

from lira_core.model_folder import LOWER_FILE, MODEL_FILE, UPPER_FILE
from lira_core.model_settings import bundled_model


def test_the_halves_made_anew_are_those_beside_the_trunk(tmp_path: Path) -> None:
    from halves import write_halves

    shutil.copyfile(bundled_model("lira-trunk") / MODEL_FILE, tmp_path / MODEL_FILE)
    write_halves(tmp_path)
    for half in (LOWER_FILE, UPPER_FILE):
        assert (tmp_path / half).read_bytes() == (bundled_model("lira-trunk") / half).read_bytes()


def test_weights_that_are_not_in_the_whole_byte_by_byte_are_refused() -> None:
    from halves import _point_into
    from onnx import TensorProto

    tensor = TensorProto(name="w", raw_data=b"1" * 10)
    for whole in (b"2" * 10, b"1" * 20):
        with pytest.raises(ValueError, match="does not hold w exactly once"):
            _point_into(tensor, whole)
