"""The core's Observer on `ray.serve.metrics`: every metric of LIRA, declared once with its labels and buckets.

Ray exports them with its prefix `ray_` and adds deployment, replica and application.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Mapping, Sequence

from ray.serve.metrics import Counter, Histogram

log = logging.getLogger(__name__)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)

HISTOGRAMS: Mapping[str, tuple[str, Sequence[float], tuple[str, ...]]] = {
    "lira_turn_seconds": ("Time a turn spends in a stage.", SECONDS, ("stage",)),
    "lira_recall_seconds": ("Time a path of recall takes.", SECONDS, ("path",)),
    "lira_batch_size": ("Texts that a model read at once.", SIZES, ("stage",)),
    "lira_queue_seconds": ("Time a text waits for the model.", SECONDS, ("stage",)),
    "lira_inference_seconds": ("Time the model takes for a batch.", SECONDS, ("stage",)),
    "lira_store_seconds": ("Time a store takes for an operation (one operation in eight is sampled).", SECONDS, ("store", "op")),
    "lira_generate_first_token_seconds": ("Time to the first piece of an answer.", SECONDS, ()),
}
COUNTERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "lira_recalled_total": ("Memories recalled.", ("path",)),
    "lira_gate_total": ("Decisions of the gate.", ("decision", "reason")),
    "lira_emotion_total": ("Strongest emotion of an utterance.", ("label",)),
    "lira_degraded_total": ("Turns that went on without a stage.", ("stage",)),
    "lira_generate_tokens_total": ("Tokens generated.", ()),
}


# One operation in so many of a store is sampled: a sample costs 0.1 ms of the two cores, an operation 0.3 ms.
STORE_SAMPLING = 8
FLUSH_SECONDS = 1.0


class ServeObserver:
    """Counts and times on this replica. A name that nobody declared is dropped with one warning: measuring never fails a turn.

    Counts are added up here and handed to Ray once a second.
    """

    def __init__(self) -> None:
        self._histograms = {
            name: Histogram(name, description=text, boundaries=list(bounds), tag_keys=labels) for name, (text, bounds, labels) in HISTOGRAMS.items()
        }
        self._counters = {name: Counter(name, description=text, tag_keys=labels) for name, (text, labels) in COUNTERS.items()}
        self._counts: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self._lock = threading.Lock()
        self._operations = itertools.count()
        self._unknown: set[str] = set()
        threading.Thread(target=self._flush_now_and_then, name="metrics", daemon=True).start()

    def observe(self, name: str, value: float, **tags: str) -> None:
        histogram = self._histograms.get(name)
        if histogram is None or set(tags) != set(HISTOGRAMS[name][2]):
            self._warn(name, tags)
        elif name != "lira_store_seconds" or next(self._operations) % STORE_SAMPLING == 0:
            histogram.observe(max(value, 1e-9), tags=tags)

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        counter = self._counters.get(name)
        if counter is None or set(tags) != set(COUNTERS[name][1]):
            self._warn(name, tags)
        elif amount > 0:
            key = name, tuple(sorted(tags.items()))
            with self._lock:
                self._counts[key] = self._counts.get(key, 0.0) + amount

    def flush(self) -> None:
        """Hands the counts to Ray."""
        with self._lock:
            counts, self._counts = self._counts, {}
        for (name, tags), amount in counts.items():
            self._counters[name].inc(amount, tags=dict(tags))

    def _flush_now_and_then(self) -> None:
        while True:
            time.sleep(FLUSH_SECONDS)
            self.flush()

    def _warn(self, name: str, tags: Mapping[str, str]) -> None:
        if name not in self._unknown:
            self._unknown.add(name)
            log.warning("metric %s with labels %s is not declared in deployments/metrics.py", name, sorted(tags))
