"""How many users there are over the time of a load test."""

from __future__ import annotations

from typing import Literal, get_args

Shape = Literal["steady", "ramp", "spike", "soak"]
SHAPES: tuple[Shape, ...] = get_args(Shape)

STEPS = 5
BASE = 0.25
"""Share of the users that are there before and after a spike."""
SPIKE = (0.4, 0.6)
"""The spike is within this share of the time."""


def users_at(shape: Shape, users: int, passed: float) -> int:
    """How many of `users` talk when `passed` (0 to 1) of the time is over; at least one.

    `steady` and `soak`: all of them (a soak is a long steady load whose memory is judged too). `ramp`: in five equal steps, the last being all of
    them. `spike`: a quarter, then all at once for a fifth of the time, then a quarter again.
    """
    if shape == "ramp":
        return max(1, users * (min(int(passed * STEPS), STEPS - 1) + 1) // STEPS)
    if shape == "spike" and not SPIKE[0] <= passed < SPIKE[1]:
        return max(1, round(users * BASE))
    return users
