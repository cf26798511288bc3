from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.capacity import POSITIVE, SHARES, Figures, Plan, plan

NAMES = [one.name for one in fields(Figures)]
LESS_IS_MORE = {"busy", "gpu_tokens_in", "gpu_tokens_out", "tenants_per_node", "node_gb", "redis_node_gb"}
"""Figures of what a machine can do: more of it takes fewer."""
PRICES = {name for name in NAMES if name.endswith("_price")}


def drawn(name: str) -> st.SearchStrategy[float]:
    least = 1.0 if name in {"peak", "copies", "vector_copies"} else 0.01 if name in POSITIVE else 0.0
    return st.floats(least, 1.0 if name in SHARES else 1e9 if name == "users" else 1e4)


FIGURES = st.fixed_dictionaries({name: drawn(name) for name in NAMES}).map(lambda values: Figures(**values))


def takes(one: Plan) -> list[float]:
    """All that has to be had."""
    stores = [value for store in one.stores for value in (store.memory_gb, store.disk_gb, store.nodes)]
    stages = [value for stage in one.stages for value in (stage.cores, stage.replicas)]
    return [one.turns_a_second, one.peak_turns_a_second, one.memories, one.gpus, *stages, *stores, *one.month_costs.values()]


def at_most(one: Plan, other: Plan) -> bool:
    return all(a <= b * (1 + 1e-9) + 1e-9 for a, b in zip(takes(one), takes(other), strict=True))


@given(FIGURES, st.sampled_from(sorted(set(NAMES) - LESS_IS_MORE)), st.data())
def test_more_of_anything_never_takes_less(figures: Figures, name: str, data: st.DataObject) -> None:
    more = replace(figures, **{name: max(data.draw(drawn(name)), getattr(figures, name))})
    assert at_most(plan(figures), plan(more))


@given(FIGURES, st.sampled_from(sorted(LESS_IS_MORE)), st.data())
def test_a_better_machine_never_takes_more(figures: Figures, name: str, data: st.DataObject) -> None:
    better = replace(figures, **{name: max(data.draw(drawn(name)), getattr(figures, name))})
    assert at_most(plan(better), plan(figures))


@given(FIGURES)
def test_the_peak_is_carried_by_replicas_that_are_not_busier_than_they_may_be_with_one_to_spare(figures: Figures) -> None:
    made = plan(figures)
    assert made.peak_turns_a_second >= made.turns_a_second
    for stage in made.stages:
        assert stage.cores <= (stage.replicas - 1) * figures.busy * (1 + 1e-9)


@given(FIGURES, st.floats(1, 1_000))
def test_work_and_data_grow_with_the_users_and_not_faster(figures: Figures, times: float) -> None:
    small, large = plan(figures), plan(replace(figures, users=figures.users * times))
    assert large.memories == pytest.approx(small.memories * times)
    for one, other in zip(small.stores, large.stores, strict=True):
        assert other.disk_gb == pytest.approx(one.disk_gb * times)
        assert other.nodes <= (one.nodes * times + 1) * (1 + 1e-9)
    for one, other in zip(small.stages, large.stages, strict=True):
        assert other.cores == pytest.approx(one.cores * times)


@given(FIGURES)
def test_answers_without_a_language_model_take_no_gpu(figures: Figures) -> None:
    assert plan(replace(figures, written=0.0)).gpus == 0


@given(FIGURES, st.floats(0.1, 10))
def test_costs_are_in_the_money_of_the_prices(figures: Figures, rate: float) -> None:
    abroad = replace(figures, **{name: rate * getattr(figures, name) for name in PRICES})
    here, there = plan(figures).cost_a_million_turns, plan(abroad).cost_a_million_turns
    assert (here is None) == (there is None)
    assert here is None or there == pytest.approx(here * rate)


def test_one_day_of_a_million_users_by_hand() -> None:
    figures = Figures(users=1_000_000, active_share=0.1, turns_a_day=20, peak=3, years=1, kept=0.5, analyzer_ms=20, busy=0.5)
    made = plan(figures)
    assert made.turns_a_second == pytest.approx(2_000_000 / 86_400)
    assert made.peak_turns_a_second == pytest.approx(69.44, abs=0.01)
    assert made.memories == 365_000_000
    (analyzer,) = [stage for stage in made.stages if stage.name == "UtteranceAnalyzer"]
    assert (analyzer.cores, analyzer.replicas) == (pytest.approx(1.389, abs=0.001), 4)  # 1.389 / 0.5 is 2.8, of which 3, and one to spare


def test_nobody_talks_and_it_costs_what_stands_there() -> None:
    made = plan(Figures(users=0))
    assert made.cost_a_million_turns is None
    assert made.memories == 0
    assert all(stage.replicas == 1 for stage in made.stages)


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"busy": 1.5}, "--busy is 1.5; it is a share"),
        ({"busy": 0}, "--busy is 0, and is divided by"),
        ({"users": -1}, "--users is -1"),
        ({"peak": 0.5}, "at least the mean"),
        ({"turns_a_day": float("nan")}, "--turns-a-day is nan"),
    ],
)
def test_a_figure_that_cannot_be_says_which_and_why(given_: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Figures(**given_)
