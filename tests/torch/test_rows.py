"""`models/make/understanding`: what the reader and the comparison are shown is made of what people wrote, with the labels that it has there."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "make" / "understanding"))

from misses import as_persons, near
from people import DEV, askers
from reader import Item, glued

items = st.lists(st.tuples(st.text("가나다", min_size=1, max_size=5), st.floats(-1, 1), st.booleans(), st.just(None)), min_size=2, max_size=10)


@given(items, st.integers(0, 99))
def test_what_is_glued_holds_the_line_before_it_and_answers_where_either_does(one_by_one: list[Item], seed: int) -> None:
    made = glued(one_by_one, random.Random(seed))
    assert len(made) == len(one_by_one)
    changed = [i for i, (new, old) in enumerate(zip(made, one_by_one, strict=True)) if new != old]
    assert 1 <= len(changed) <= 2
    for i in changed:
        (before, _, told, _), (said, _, tells, _) = one_by_one[i - 1], one_by_one[i]
        assert made[i][0] == f"{before}. {said}"
        assert made[i][2] == (told or tells)


def test_a_near_miss_answers_nothing_and_what_it_misses_does() -> None:
    one = near()[0]
    told, untold = as_persons(one)
    assert [told.says[i] for ask in told.asks for i in ask.evidence] == [one.earlier, one.earlier]
    assert not any(ask.evidence for ask in untold.asks)
    assert one.earlier not in untold.says


@pytest.mark.parametrize("dev", [False, True])
def test_who_is_set_aside_asks_nothing_that_is_learnt(dev: bool) -> None:
    found = askers(dev=dev)
    assert found
    assert not any("heldout" in person.hand for person in found)
    assert {person.language for person in found} == {"ko", "en"}
    assert all(words in person.says[i] for person in found for ask in person.asks for i, words in ask.evidence.items())


def test_every_twelfth_is_left_out() -> None:
    learnt, left = askers(), askers(dev=True)
    assert len(left) == pytest.approx(len(learnt + left) / DEV, abs=12)
    assert not {person.says for person in learnt} & {person.says for person in left}
