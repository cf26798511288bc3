from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ray.serve._private.autoscaling_state import _resolve_policy_callable
from ray.serve.autoscaling_policy import _apply_autoscaling_config
from ray.serve.config import AutoscalingConfig, AutoscalingContext

from deployments.autoscaling import TOKENS, TokensAtWork


def context(told: list[float], replicas: int, **config: Any) -> AutoscalingContext:
    """As Serve's controller makes it; `told` by the replicas that have reported."""
    return AutoscalingContext(
        deployment_id=None, deployment_name="UtteranceAnalyzer", app_name="lira", current_num_replicas=replicas, target_num_replicas=replicas,
        running_replicas=[], total_num_requests=0.0, total_queued_requests=0.0, aggregated_metrics={TOKENS: dict(enumerate(told))} if told else {},
        raw_metrics={}, capacity_adjusted_min_replicas=1, capacity_adjusted_max_replicas=16, policy_state={}, last_scale_up_time=None,
        last_scale_down_time=None, current_time=None, config=AutoscalingConfig(**config),
    )  # fmt: skip


def test_as_many_replicas_are_wanted_as_have_the_target_each() -> None:
    assert TokensAtWork(target=256)(context([512, 1024], 2)) == (6, {})


def test_a_replica_that_has_not_told_yet_is_taken_for_one_like_the_others() -> None:
    assert TokensAtWork(target=100)(context([300, 500], 4)) == (16, {})


def test_nothing_is_changed_where_nobody_has_told() -> None:
    assert TokensAtWork(target=100)(context([], 3)) == (3, {})


@pytest.mark.parametrize("target", [0, -1, float("nan")])
def test_a_target_that_no_replica_can_have_is_refused(target: float) -> None:
    with pytest.raises(ValueError, match="target must be above 0"):
        TokensAtWork(target)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=16), st.floats(1, 1e4))
def test_more_tokens_never_want_fewer_replicas(told: list[float], target: float) -> None:
    policy = TokensAtWork(target)
    wanted, more = policy(context(told, len(told)))[0], policy(context([one + 1 for one in told], len(told)))[0]
    assert 0 <= wanted <= more


def test_serve_runs_the_policy_that_a_config_names_with_the_delays_beside_it() -> None:
    config = {
        "min_replicas": 1, "max_replicas": 16, "upscale_delay_s": 0, "downscale_delay_s": 300,
        "policy": {"policy_function": "deployments.autoscaling:TokensAtWork", "policy_kwargs": {"target": 256}},
    }  # fmt: skip
    decide = _apply_autoscaling_config(_resolve_policy_callable(AutoscalingConfig(**config).policy))
    assert decide(context([1000], 1, **config))[0] == 4
    assert decide(context([0, 0], 2, **config))[0] == 2  # shrinks when the delay is over, not before
