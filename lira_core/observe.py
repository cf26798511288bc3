"""Where the core reports what it does; whoever runs it decides where that goes (Prometheus, Ray, nowhere)."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """Names are those of the surface: `lira_turn_seconds`, `lira_gate_total`, ..."""

    def observe(self, name: str, value: float, **tags: str) -> None:
        """One sample of a histogram; seconds or a count."""
        ...

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        """Adds to a counter."""
        ...

    def gauge(self, name: str, value: float, **tags: str) -> None:
        """What something measures now."""
        ...


class Unobserved:
    """The Observer of somebody who does not look."""

    def observe(self, name: str, value: float, **tags: str) -> None:
        """Nothing is kept."""

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        """Nothing is kept."""

    def gauge(self, name: str, value: float, **tags: str) -> None:
        """Nothing is kept."""
