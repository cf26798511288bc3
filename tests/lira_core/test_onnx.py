import shutil
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lira_core.onnx
from lira_core.model_folder import LOWER_FILE, MODEL_FILE, TOKENIZER_FILE, UPPER_FILE
from lira_core.onnx import LOWER, STATES, TOKENS_PER_RUN, OnnxTextModel, groups_by_length, padded

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


def test_the_halves_of_the_trunk_say_what_the_whole_says() -> None:
    trunk = MODELS / "lira-trunk"
    whole, upper = (OnnxTextModel(trunk, output=STATES, setting="LIRA_TEST", file=file) for file in (MODEL_FILE, UPPER_FILE))
    lower = OnnxTextModel(trunk, output=LOWER, setting="LIRA_TEST", file=LOWER_FILE)
    feeds = padded([encoding.ids for encoding in whole.encode(["query: 딸 결혼식이 언제더라", "passage: 5월 셋째 토요일", "query: ?"])])
    said = whole.outputs(feeds, (STATES, LOWER))
    assert (upper.outputs(feeds, (STATES,))[STATES] == said[STATES]).all()
    assert (lower.outputs(feeds, (LOWER,))[LOWER] == said[LOWER]).all()
