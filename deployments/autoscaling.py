"""By what a stage is scaled, where it is not by the requests that it has: named by a Serve config, run by Serve's controller.

Bounds, delays and factors stand in the config beside it (`autoscaling_config`) and are Serve's; a policy here only says how many replicas the
work of now would fill. Serve pickles this module for its controller: it imports nothing of LIRA.
"""

from __future__ import annotations

from typing import Any

from ray.serve.config import AutoscalingContext

TOKENS = "lira_tokens"
"""Of what waits or is at work in a replica's queue."""


class TokensAtWork:
    """As many replicas as have `target` tokens each, waiting or at work: a long text is more work than a short one, which requests do not show.

    What is at work counts too: a queue alone is empty as long as there are enough replicas, and would take away the last that is needed.
    """

    def __init__(self, target: float) -> None:
        if not target > 0:
            raise ValueError(f"policy_kwargs.target must be above 0, not {target}")
        self._target = target

    def __call__(self, context: AutoscalingContext) -> tuple[float, dict[str, Any]]:
        told = (context.aggregated_metrics or {}).get(TOKENS, {})
        if not told or not context.current_num_replicas:
            return context.target_num_replicas, {}
        # A replica that has not told yet (it is starting) is taken for one like the others.
        return sum(told.values()) / len(told) * context.current_num_replicas / self._target, {}
