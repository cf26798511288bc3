"""`lira eval names`: whose name is heard."""

from __future__ import annotations

import pytest

from lira_core.evaluation.names import evaluate_names, evaluated
from lira_core.evaluation.tsv import DataError


def test_the_very_name_counts_and_any_where_none_is_told() -> None:
    assert evaluated(["서연", "민수", "Ann", None, None], ["서연", "", "An", "", "두부"]) == {
        "found": 0.3333,
        "another": 0.3333,
        "false": 0.5,
        "rows": 5,
    }
    assert evaluated([None], [""]) == {"found": None, "another": None, "false": 0.0, "rows": 1}


@pytest.mark.parametrize("bad", [{}, {"text": 1, "own": None}, {"text": "가", "own": 1}])
def test_a_row_of_another_form_is_named(bad: dict[str, object]) -> None:
    with pytest.raises(DataError, match="row 1"):
        evaluate_names(None, [bad])  # type: ignore[arg-type]
