import shutil
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lira_core.onnx
from lira_core.model_folder import MODEL_FILE, TOKENIZER_FILE
from lira_core.onnx import TOKENS_PER_RUN, OnnxTextModel, groups_by_length

MODELS = Path(lira_core.onnx.__file__).parents[1] / "models"


@given(st.lists(st.integers(2, 256), max_size=60))
def test_every_text_is_in_one_group_and_no_group_is_larger_than_a_run(lengths: list[int]) -> None:
    groups = groups_by_length(lengths)
    assert sorted(i for group in groups for i in group) == list(range(len(lengths)))
    for group in groups:
        longest = max(lengths[i] for i in group)
        assert lengths[group[-1]] == longest
        assert len(group) == 1 or len(group) * longest <= TOKENS_PER_RUN


def test_products_of_int8_are_added_exactly_on_this_cpu_whatever_kernel_that_takes(tmp_path: Path) -> None:
    shutil.copyfile(Path(lira_core.onnx.__file__).with_name("int8_sums.onnx"), tmp_path / MODEL_FILE)
    shutil.copyfile(MODELS / "lira-trunk" / TOKENIZER_FILE, tmp_path / TOKENIZER_FILE)
    model = OnnxTextModel(tmp_path, output="sums", setting="LIRA_TEST")
    rows = np.random.default_rng(0).integers(200, 256, (9, 64), np.uint8)
    sums = model.outputs({"rows": rows}, ("sums",))["sums"]
    assert (sums == 127 * rows.astype(np.int64).sum(1, keepdims=True)).all()
    assert sums.max() > np.iinfo(np.int16).max
