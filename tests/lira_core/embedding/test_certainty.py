from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.embedding.certainty import Certainty
from lira_core.model_folder import ModelError

MODEL = Path(__file__).parents[3] / "models" / "lira-encoder"
COSINES = st.floats(-1, 1)


@given(COSINES, COSINES)
def test_a_higher_cosine_is_never_less_certain(a: float, b: float) -> None:
    certainty = Certainty.load(MODEL)
    low, high = sorted((a, b))
    assert 0 < certainty(low) <= certainty(high) < 1
    if high - low > 1e-6:
        assert certainty(low) < certainty(high)


def test_an_array_gets_what_each_number_gets() -> None:
    certainty = Certainty(10, -4)
    cosines = np.array([0.1, 0.4, 0.9])
    assert certainty(cosines).tolist() == [certainty(c) for c in cosines.tolist()]
    assert isinstance(certainty(0.4), float)


def test_half_certainty_lies_where_slope_and_intercept_cancel() -> None:
    assert Certainty(10, -4)(0.4) == pytest.approx(0.5)


@pytest.mark.parametrize(("slope", "intercept"), [(0, 1), (-3, 0), (float("nan"), 0), (1, float("inf"))])
def test_a_calibration_that_does_not_increase_is_refused(slope: float, intercept: float) -> None:
    with pytest.raises(ValueError, match="slope"):
        Certainty(slope, intercept)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"certainty": {"slope": 1}}', '{"certainty": {"slope": -1, "intercept": 0}}', '{"certainty": null}']
)
def test_a_broken_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "calibration.json").write_text(content)
    with pytest.raises(ModelError, match=r"calibration\.json cannot be used.*LIRA_EMBEDDING_MODEL_DIR"):
        Certainty.load(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"calibration\.json is missing"):
        Certainty.load(tmp_path)
