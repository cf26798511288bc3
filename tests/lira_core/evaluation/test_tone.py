"""`lira eval tone`: what counts as a fitting tone."""

from __future__ import annotations

import pytest

from lira_core.embedding.tone import FITTING, TONES
from lira_core.evaluation.tone import evaluate_tone, evaluated
from lira_core.evaluation.tsv import DataError
from lira_core.generation.feelings import HEAVY, WARM


def test_every_tone_fits_itself_and_no_heavy_one_fits_a_warm_one() -> None:
    assert all(tone in FITTING[tone] for tone in TONES)
    assert not any(FITTING[tone] & WARM for tone in set(TONES) & HEAVY)
    assert not any(FITTING[tone] & HEAVY for tone in set(TONES) & WARM)


def test_what_is_met_flat_wrongly_or_unasked_is_counted_apart() -> None:
    rows = [
        {"text": "이사했고 팔이 부러졌어", "tone": "sadness"},
        {"text": "합격했어", "tone": "joy"},
        {"text": "졌어", "tone": "disappointment"},
        {"text": "치과 예약", "tone": "neutral"},
    ]
    scores = evaluated(rows, ["annoyance", "neutral", "joy", "joy"])
    assert (scores["fitting"], scores["met"], scores["exact"]) == (0.25, 0.3333, 0.0)
    assert (scores["flat"], scores["wrong"], scores["false"]) == (0.3333, 0.3333, 1.0)


@pytest.mark.parametrize("bad", [{}, {"text": "가", "tone": "happy"}, {"text": 1, "tone": "joy"}])
def test_a_row_of_another_form_is_named(bad: dict[str, object]) -> None:
    with pytest.raises(DataError, match="row 1"):
        evaluate_tone(None, [bad])  # type: ignore[arg-type]
