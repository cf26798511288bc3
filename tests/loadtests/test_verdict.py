from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests.shapes import SHAPES
from loadtests.verdict import LIMITS, Outcome, complaints

GOOD = Outcome(turns=1_000, refused=0, failed=0, degraded=0, p95_ms=80, first_token_p50_ms=30, memory_growth=0.01)


def test_every_shape_has_its_limits() -> None:
    assert LIMITS.keys() == set(SHAPES)
    assert all(complaints(GOOD, limits) == [] for limits in LIMITS.values())


@pytest.mark.parametrize(
    ("worse", "told"),
    [
        ({"failed": 1}, "failed: 0.001, at most 0"),
        ({"refused": 600}, "refused: 0.6, at most 0.001"),
        ({"degraded": 50}, "degraded: 0.05, at most 0.01"),
        ({"p95_ms": 501.0}, "p95 ms: 501, at most 500"),
        ({"first_token_p50_ms": 250.0}, "first token p50 ms: 250, at most 100"),
        ({"memory_growth": 0.2}, "memory growth: 0.2, at most 0.05"),
    ],
)
def test_what_breaks_a_limit_is_told_with_the_limit(worse: dict[str, float], told: str) -> None:
    assert complaints(replace(GOOD, **worse), LIMITS["soak"]) == [told]


def test_a_run_without_a_turn_does_not_pass() -> None:
    assert complaints(Outcome(0, 0, 0, 0, 0.0, None), LIMITS["spike"])


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500))
def test_more_refusals_never_mend_a_run(refused: int, more: int, degraded: int) -> None:
    one = replace(GOOD, refused=refused, degraded=degraded)
    assert len(complaints(one, LIMITS["spike"])) <= len(complaints(replace(one, refused=refused + more), LIMITS["spike"]))
