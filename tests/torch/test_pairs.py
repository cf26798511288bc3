"""`models/make/understanding/pairs.py`: what is learnt of a question's statements."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "make" / "understanding"))

from pairs import Shown, answers_loss

lists = st.lists(st.lists(st.tuples(st.floats(-9, 9), st.booleans()), min_size=1, max_size=6), min_size=1, max_size=4)


@settings(deadline=None)
@given(lists)
def test_each_that_answers_is_learnt_against_all_that_do_not_and_against_nothing_answering(some: list[list[tuple[float, bool]]]) -> None:
    shown = [Shown("?", tuple("." for _ in one), tuple(answers for _, answers in one), ("",) * len(one)) for one in some]
    wanted = []
    for one in some:
        score, answer = torch.tensor([s for s, _ in one]), torch.tensor([a for _, a in one])
        against = torch.cat([torch.zeros(1), score[~answer]]).logsumexp(0)
        wanted.append((torch.logaddexp(against, score[answer]) - score[answer]).mean() if answer.any() else against)
    found = answers_loss(torch.tensor([s for one in some for s, _ in one]), shown)
    torch.testing.assert_close(found, torch.stack(wanted).mean(), atol=1e-4, rtol=1e-4)
