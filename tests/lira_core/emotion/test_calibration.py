import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.emotion.calibration import EmotionCalibration

STORED = {
    "labels": ["joy", "curiosity", "neutral"],
    "thresholds": {"ko": [0.3, 0.4, 0.35], "en": [0.5, 0.4, 0.35]},
    "gate": 0.6,
    "slope": 0.7,
    "neutral_floor": 1.0,
    "held_back": {"curiosity": 2.0},
}
CALIBRATION = EmotionCalibration.from_json(STORED)
RAW = st.floats(0, 1)


def test_a_label_at_its_threshold_with_neutral_at_its_gets_the_gate() -> None:
    (scores,) = CALIBRATION.scores(np.array([[0.3, 0.0, 0.35]]), ["ko"])
    assert scores[0] == pytest.approx(0.6)


def test_each_language_has_its_own_threshold() -> None:
    ko, en = CALIBRATION.scores(np.array([[0.4, 0.1, 0.3]] * 2), ["ko", "en"])
    assert ko[0] > en[0]


def test_a_label_that_is_held_back_needs_more() -> None:
    (scores,) = CALIBRATION.scores(np.array([[0.3, 0.4, 0.35]]), ["ko"])
    assert scores[1] < scores[0] == pytest.approx(0.6)


@given(RAW, RAW, RAW)
def test_more_of_a_label_is_a_higher_score_and_more_neutral_a_lower_one(a: float, b: float, neutral: float) -> None:
    low, high = sorted((a, b))
    less, more = CALIBRATION.scores(np.array([[low, 0.1, neutral], [high, 0.1, neutral]]), ["ko", "ko"])
    assert 0 <= less[0] <= more[0] <= 1
    calm, mixed = CALIBRATION.scores(np.array([[0.5, 0.1, high], [0.5, 0.1, low]]), ["ko", "ko"])
    assert calm[0] <= mixed[0]
    assert less[2] == pytest.approx(neutral)


def test_what_is_claimed_rests_on_the_raw_score_and_the_language() -> None:
    assert CALIBRATION.claimed(np.array([[0.4, 0.4, 0.3]] * 2), ["ko", "en"]).tolist() == [[True, True, False], [False, True, False]]


@pytest.mark.parametrize("missing", sorted(STORED))
def test_a_missing_part_is_a_value_error(missing: str) -> None:
    with pytest.raises(ValueError, match="missing"):
        EmotionCalibration.from_json({k: v for k, v in STORED.items() if k != missing})
