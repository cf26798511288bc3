"""`lira eval response`: which replies count as fitting."""

from __future__ import annotations

import pytest

from lira_core.evaluation.response import evaluate_response, evaluated
from lira_core.evaluation.tsv import DataError


def test_what_is_heard_and_what_of_it_fits_is_counted_apart() -> None:
    rows = [{"response": ["quarrel", "hurt_feelings"]}, {"response": ["note"]}, {"response": ["none"]}, {"response": ["ate"]}]
    assert evaluated(rows, ["hurt_feelings", "none", "rain", "cooked"]) == {"heard": 0.75, "fits": 0.3333, "false": 1.0, "rows": 4}
    assert evaluated([], []) == {"heard": None, "fits": None, "false": None, "rows": 0}


@pytest.mark.parametrize("bad", [{}, {"text": "가", "response": []}, {"text": "가", "response": ["laughs"]}, {"text": "가", "response": "note"}])
def test_a_row_of_another_form_is_named(bad: dict[str, object]) -> None:
    with pytest.raises(DataError, match="row 1"):
        evaluate_response(None, [bad])  # type: ignore[arg-type]
