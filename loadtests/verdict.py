"""Whether a load test passed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

from loadtests.shapes import Shape


@dataclass(frozen=True, slots=True)
class Limits:
    """Shares are of 0 to 1; milliseconds are of what was accepted, refusals (503, 429) left out."""

    p95_ms: float
    first_token_p50_ms: float
    refused: float
    degraded: float = 0.01
    failed: float = 0.0
    """A turn that was neither answered nor refused as the surface says: there must be none."""
    memory_growth: float | None = None
    """As `loadtests.scrape.memory_growth` tells it; None where it is not judged, since a short run cannot tell a leak from warming up."""


# p95 and growth are what LIRA aims at on two cores: 500 ms for what is accepted, also above capacity; 5 % over a soak of 15 minutes.
# A first token within 100 ms feels immediate (Nielsen 1993, "Usability Engineering", ch. 5).
# A spike is allowed to be refused: what is refused costs nothing, and p95 of the rest still holds.
_STEADY = Limits(p95_ms=500, first_token_p50_ms=100, refused=0.001)
LIMITS: Mapping[Shape, Limits] = MappingProxyType(
    {
        "steady": _STEADY,
        "ramp": Limits(p95_ms=500, first_token_p50_ms=100, refused=0.01),
        "spike": Limits(p95_ms=500, first_token_p50_ms=100, refused=0.5),
        "soak": Limits(p95_ms=500, first_token_p50_ms=100, refused=0.001, memory_growth=0.05),
    }
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run measured. `turns` were sent; of them some were refused, failed, or answered without a part (degraded)."""

    turns: int
    refused: int
    failed: int
    degraded: int
    p95_ms: float
    first_token_p50_ms: float | None
    memory_growth: float | None = None

    def shares(self) -> dict[str, float | None]:
        """What Limits bounds, by its names."""
        answered = max(self.turns - self.refused - self.failed, 1)
        return {
            "refused": self.refused / max(self.turns, 1),
            "failed": self.failed / max(self.turns, 1),
            "degraded": self.degraded / answered,
            "p95_ms": self.p95_ms,
            "first_token_p50_ms": self.first_token_p50_ms,
            "memory_growth": self.memory_growth,
        }


def complaints(outcome: Outcome, limits: Limits) -> list[str]:
    """A sentence for each limit that was broken; none when the run passed."""
    if outcome.turns == 0:
        return ["no turn was made: is anybody listening at --host?"]
    allowed = asdict(limits)
    return [
        f"{name.replace('_', ' ')}: {value:.4g}, at most {allowed[name]:g}"
        for name, value in outcome.shares().items()
        if value is not None and allowed[name] is not None and value > allowed[name]
    ]
