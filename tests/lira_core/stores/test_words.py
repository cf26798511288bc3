"""BM25 over content morphemes: its scale, and what makes a score rise and fall."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lira_core.stores.words import K1, Posting, Postings, bm25, idf

frequencies = st.integers(1, 1_000)
lengths = st.integers(1, 4_000)
counts = st.integers(0, 10**7)
# Terms in a memory, on average over a user's memories: 0 where there are none, else at least one term among the most memories.
means = st.just(0.0) | st.floats(1e-7, 4_000)


def asked(*held: int, frequency: int = 1, length: int = 10) -> dict[str, Postings]:
    """One memory `m` that holds each asked term `frequency` times; the terms are held by so many memories in all."""
    return {f"t{n}": Postings(count, [Posting("m", frequency, length)] if count else []) for n, count in enumerate(held)}


def score(held: Sequence[int], *, frequency: int = 1, length: int = 10, memories: int = 1_000, mean: float = 10) -> float:
    return bm25(asked(*held, frequency=frequency, length=length), memories=memories, mean_length=mean)["m"]


@given(st.lists(st.integers(1, 1_000), min_size=1, max_size=8), lengths)
def test_a_memory_of_mean_length_that_holds_each_term_once_scores_one(held: list[int], length: int) -> None:
    assert score(held, length=length, mean=length) == pytest.approx(1)


@given(st.lists(st.integers(0, 1_000), min_size=1, max_size=8), frequencies, lengths, means, st.integers(0, 1_000))
def test_scores_are_above_zero_and_never_above_the_limit_of_saturation(
    held: list[int], frequency: int, length: int, mean: float, memories: int
) -> None:
    assume(any(held))
    assert 0 < score(held, frequency=frequency, length=length, memories=memories, mean=mean) <= (K1 + 1) * (1 + 1e-9)


@given(st.integers(1, 999), lengths)
def test_a_term_said_more_often_counts_more_and_less_each_time(frequency: int, length: int) -> None:
    once, twice, thrice = (score([7], frequency=frequency + n, length=length) for n in range(3))
    assert once < twice < thrice
    assert thrice - twice < twice - once


@given(frequencies, st.integers(1, 3_999))
def test_a_shorter_memory_scores_more_than_a_longer_one(frequency: int, length: int) -> None:
    assert score([7], frequency=frequency, length=length) > score([7], frequency=frequency, length=length + 1)


@given(st.integers(1, 999), st.integers(0, 999))
def test_a_rarer_term_counts_more(common: int, rare: int) -> None:
    assume(rare < common)
    terms = {"common": Postings(common, [Posting("a", 1, 10)]), "rare": Postings(rare, [Posting("b", 1, 10)])}
    scores = bm25(terms, memories=1_000, mean_length=10)
    assert scores["b"] > scores["a"]
    assert scores["a"] + scores["b"] == pytest.approx(1)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=5))
def test_a_term_that_nobody_holds_lowers_the_score_of_all(held: list[int]) -> None:
    assert score([*held, 0]) < score(held)


def test_who_holds_none_of_the_terms_has_no_score() -> None:
    assert bm25({"t": Postings(0, [])}, memories=5, mean_length=3) == {}
    assert bm25({}, memories=5, mean_length=3) == {}


def test_memories_without_terms_have_a_mean_length_of_nought_and_break_nothing() -> None:
    assert math.isfinite(score([1], memories=1, mean=0))


@given(counts, counts)
def test_even_a_term_that_all_hold_has_some_weight_and_one_more_holder_lowers_it(memories: int, held: int) -> None:
    assert idf(memories, held) > 0
    assert idf(memories, held) >= idf(memories, held + 1) or held >= memories


@given(counts, counts)
def test_a_count_that_lags_behind_its_holders_is_taken_for_them(memories: int, held: int) -> None:
    assume(memories < held)
    assert idf(memories, held) == idf(held, held)


def test_the_constants_are_the_usual_ones() -> None:
    """By hand, Robertson & Zaragoza 2009: ln(1 + (10 - 2 + 0.5) / (2 + 0.5)) x 3 x 2.2 / (3 + 1.2 x (0.25 + 0.75 x 20 / 10)), over the idf."""
    assert idf(10, 2) == pytest.approx(1.4816045)
    assert score([2], frequency=3, length=20, memories=10, mean=10) == pytest.approx(3 * 2.2 / (3 + 1.2 * 1.75))
