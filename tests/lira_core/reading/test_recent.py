"""States of texts that were read lately."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.reading.recent import RecentStates, States

WIDTH = 4


class Trunk:
    """Counts what it is asked to read."""

    def __init__(self) -> None:
        self.read: list[tuple[int, ...]] = []

    def __call__(self, texts: list[Sequence[int]]) -> list[States]:
        self.read += [tuple(text) for text in texts]
        return [self.states(text) for text in texts]

    @staticmethod
    def states(text: Sequence[int]) -> States:
        return np.repeat(np.array(text, np.float32)[:, None], WIDTH, axis=1)


@pytest.fixture
def trunk() -> Trunk:
    return Trunk()


def test_a_text_is_read_once(trunk: Trunk) -> None:
    recent = RecentStates()
    for _ in range(3):
        first, second = recent.of([(1, 2), (3,)], trunk)
        assert np.array_equal(first, Trunk.states((1, 2)))
        assert np.array_equal(second, Trunk.states((3,)))
    assert trunk.read == [(1, 2), (3,)]


def test_the_same_text_twice_in_one_call_is_read_once(trunk: Trunk) -> None:
    one, other = RecentStates().of([(5,), (5,)], trunk)
    assert np.array_equal(one, other)
    assert trunk.read == [(5,)]


def test_what_nobody_asked_about_for_a_while_is_forgotten(trunk: Trunk) -> None:
    now = 0.0
    recent = RecentStates(forgotten_after_s=10, clock=lambda: now)
    recent.of([(1,), (2,)], trunk)
    now = 8.0
    recent.of([(1,)], trunk)
    now = 15.0
    recent.of([(1,), (2,)], trunk)
    assert trunk.read == [(1,), (2,), (2,)]


def test_the_least_lately_asked_makes_room(trunk: Trunk) -> None:
    recent = RecentStates(most_bytes=2 * WIDTH * 2)  # two texts of one piece, two bytes a number
    recent.of([(1,), (2,)], trunk)
    recent.of([(1,)], trunk)
    recent.of([(3,)], trunk)
    recent.of([(1,), (2,)], trunk)
    assert trunk.read == [(1,), (2,), (3,), (2,)]


def test_after_forgetting_everything_is_read_again(trunk: Trunk) -> None:
    recent = RecentStates()
    recent.of([(1,)], trunk)
    recent.forget()
    recent.of([(1,)], trunk)
    assert trunk.read == [(1,), (1,)]


@given(st.lists(st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=6), min_size=1, max_size=5), max_size=8), st.integers(0, 200))
def test_every_text_gets_its_own_states_whatever_was_asked_before(calls: list[list[list[int]]], most: int) -> None:
    recent = RecentStates(most_bytes=most)
    for texts in calls:
        for text, states in zip(texts, recent.of(texts, Trunk()), strict=True):
            assert np.array_equal(states, Trunk.states(text))
