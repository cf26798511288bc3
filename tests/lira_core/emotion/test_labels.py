from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.emotion.labels import EMOTIONS, KEPT_AT_MOST, KEPT_FROM, LabelMap, reading
from lira_core.model_folder import CALIBRATION_FILE, ModelError
from lira_core.model_settings import bundled_model

SETTING = "LIRA_EMOTION_LABELS"


def test_the_28_are_those_of_the_bundled_model() -> None:
    assert list(EMOTIONS) == json.loads((bundled_model("lira-emotion") / CALIBRATION_FILE).read_text("utf-8"))["labels"]


def test_where_several_labels_are_one_emotion_the_strongest_counts() -> None:
    found = LabelMap(["happy", "cheerful", "rage", "bored"], {"happy": "joy", "cheerful": "joy", "rage": "anger", "bored": None}, setting=SETTING)
    assert found.labels == ("anger", "joy")
    assert found.scores(np.array([[0.2, 0.7, 0.1, 0.9], [0.5, 0.3, 0.4, 0.0]])).tolist() == [[0.1, 0.7], [0.4, 0.5]]


def test_a_label_that_has_the_name_of_an_emotion_needs_no_mention() -> None:
    assert LabelMap(["Joy", "NEUTRAL"], {}, setting=SETTING).labels == ("joy", "neutral")


@pytest.mark.parametrize(
    ("theirs", "given", "said"),
    [
        (["LABEL_0", "joy"], {}, "does not cover the model's labels 'LABEL_0': give each"),
        (["happy"], {"hapy": "joy"}, "has no label 'hapy'; did you mean 'happy'"),
        (["happy"], {"happy": "joyy"}, "'joyy' is none of the 28 emotions; did you mean 'joy'"),
        (["happy"], {"happy": None}, "leaves no label"),
    ],
)
def test_a_map_that_does_not_cover_the_model_is_refused(theirs: list[str], given: dict[str, str | None], said: str) -> None:
    with pytest.raises(ModelError, match=said) as told:
        LabelMap(theirs, given, setting=SETTING)
    assert SETTING in str(told.value)


@given(st.lists(st.floats(0, 1), min_size=28, max_size=28))
def test_at_most_three_are_kept_best_first_and_the_best_always(scores: list[float]) -> None:
    kept = [one.score for one in reading(EMOTIONS, np.array(scores)).top]
    assert kept == sorted(kept, reverse=True)
    assert kept[0] == max(scores)
    assert len(kept) <= KEPT_AT_MOST
    assert all(score >= KEPT_FROM for score in kept[1:])
