from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loadtests.shapes import SHAPES, Shape, users_at

USERS, PASSED = st.integers(1, 5_000), st.floats(0, 0.999)


@given(st.sampled_from(SHAPES), USERS, PASSED)
def test_there_is_always_somebody_and_never_more_than_were_asked_for(shape: Shape, users: int, passed: float) -> None:
    assert 1 <= users_at(shape, users, passed) <= users


@given(USERS, PASSED, PASSED)
def test_a_ramp_never_falls_and_ends_with_everybody(users: int, one: float, other: float) -> None:
    assert users_at("ramp", users, min(one, other)) <= users_at("ramp", users, max(one, other))
    assert users_at("ramp", users, 0.999) == users


@given(st.integers(4, 5_000))
def test_a_spike_comes_at_once_and_goes_again(users: int) -> None:
    before, within, after = (users_at("spike", users, passed) for passed in (0.39, 0.4, 0.6))
    assert before == after < within == users
