"""The core's Observer on `ray.serve.metrics`: every metric of LIRA, declared once with its labels and buckets.

Ray exports them with its prefix `ray_` and adds deployment, replica and application.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ray.serve.metrics import Counter, Gauge, Histogram

log = logging.getLogger(__name__)

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0)
SIZES = (1, 2, 4, 8, 16, 32, 64)

HISTOGRAMS: Mapping[str, tuple[str, Sequence[float], tuple[str, ...]]] = {
    "lira_turn_seconds": ("Time a turn spends in a stage; `queue`: before it began, of those that had to wait.", SECONDS, ("stage",)),
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
    "lira_generate_tokens_total": (
        "Tokens of the language model: read (in), written (out), read from its cache (cached), written of answers that were left (stopped).",
        ("kind",),
    ),
    "lira_safety_total": ("Turns by what stood above the answer: care, what LIRA is, a way to people, an answer withheld.", ("kind",)),
    "lira_ungrounded_total": ("Answers that were withheld because no memory supports them.", ()),
    "lira_refused_total": ("Turns that did not begin: too many of this user's, or of everybody's.", ("reason",)),
    "lira_forgotten_total": ("Writes that a deletion forbade.", ()),
    "lira_circuit_open_total": ("Times that a store, or the generator, was left alone because it did not answer.", ("store",)),
    "lira_generator_calls_total": ("Answers that a language model was asked for, by how they ended.", ("outcome",)),
    "lira_generator_retries_total": (
        "Answers that a language model was asked for once more: the first try failed at once, or nothing supports it.",
        ("reason",),
    ),
    "lira_extractions_total": ("Memories that a model was asked about for their facts, by how it ended.", ("outcome",)),
    "lira_extractions_refused_total": ("Facts of a model that what was said does not bear out.", ()),
}
GAUGES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "lira_circuit_state": ("1 while a store, or the generator, is left alone because it does not answer, 0 when it answers again.", ("store",)),
    "lira_outbox_waiting": ("What waits to be done.", ("outbox",)),
    "lira_dead_letters_total": ("What was given up on and waits for a person (`lira doctor`).", ("outbox",)),
}
KNOWN: Mapping[str, Sequence[Mapping[str, str]]] = {
    "lira_recalled_total": [{"path": path} for path in ("semantic", "fact", "emotion")],
    "lira_gate_total": [
        *({"decision": "keep", "reason": reason} for reason in ("emotion", "trigger", "fact")),
        {"decision": "skip", "reason": "none"},
    ],
    "lira_degraded_total": [
        {"stage": stage} for stage in ("emotion", "embedding", "reader", "short_term", "vectors", "record", "generator", "understanding")
    ],
    "lira_safety_total": [
        {"kind": kind}
        for kind in ("care", "concern", "emergency", "violence", "aftercare", "identity", "attachment", "sorrow", "disclosure", "forget", "output")
    ],
    "lira_generate_tokens_total": [{"kind": kind} for kind in ("in", "out", "cached", "stopped")],
    "lira_ungrounded_total": [{}],
    "lira_refused_total": [{"reason": reason} for reason in ("user", "queue")],
    "lira_forgotten_total": [{}],
    "lira_circuit_open_total": [{"store": store} for store in ("short_term", "record", "vectors", "generator")],
    "lira_generator_retries_total": [{"reason": reason} for reason in ("failed", "ungrounded")],
    "lira_extractions_total": [{"outcome": outcome} for outcome in ("read", "misread", "away")],
    "lira_extractions_refused_total": [{}],
    "lira_generator_calls_total": [{"outcome": outcome} for outcome in ("answered", "busy", "late", "rejected", "unavailable", "spared", "left")],
}
"""Series that are there at 0 before anything is counted, or the first event would be no increase to Prometheus and no alert would see it."""


# One operation in so many of a store is sampled: a sample costs 0.1 ms of the two cores, an operation 0.3 ms.
STORE_SAMPLING = 8
FLUSH_SECONDS = 1.0
GAUGE_SECONDS: Final = 60.0
"""A gauge is told to Ray again with every flush, for so long after it was last set. Ray drops a value that is not repeated (after twice its
report interval), and one from a process that has stopped measuring (the reconciler moved to another) must not stay."""


class ServeObserver:
    """Counts and times on this replica. A name that nobody declared is dropped with one warning: measuring never fails a turn.

    Counts are added up here and handed to Ray once a second.
    """

    def __init__(self, *, announce: bool = False) -> None:
        """`announce`: the series of KNOWN are exported at 0 from the start; for the deployment that takes the turns."""
        self._histograms = {
            name: Histogram(name, description=text, boundaries=list(bounds), tag_keys=labels) for name, (text, bounds, labels) in HISTOGRAMS.items()
        }
        self._counters = {name: Counter(name, description=text, tag_keys=labels) for name, (text, labels) in COUNTERS.items()}
        self._gauges = {name: Gauge(name, description=text, tag_keys=labels) for name, (text, labels) in GAUGES.items()}
        self._counts: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self._levels: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[float, float]] = {}
        self._lock = threading.Lock()
        self._operations = itertools.count()
        self._said: set[tuple[str, str]] = set()
        for name, series in KNOWN.items() if announce else ():
            for tags in series:
                # Ray's own `inc` refuses 0; what it calls does not.
                self._safely(name, self._counters[name]._record, 0.0, tags)
        threading.Thread(target=self._flush_now_and_then, name="metrics", daemon=True).start()

    def observe(self, name: str, value: float, **tags: str) -> None:
        histogram = self._histograms.get(name)
        if histogram is None or set(tags) != set(HISTOGRAMS[name][2]):
            self._warn(name, tags)
        elif name != "lira_store_seconds" or next(self._operations) % STORE_SAMPLING == 0:
            self._safely(name, histogram.observe, max(value, 1e-9), tags)

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        if name not in COUNTERS or set(tags) != set(COUNTERS[name][1]):
            self._warn(name, tags)
        elif amount > 0:
            key = name, tuple(sorted(tags.items()))
            with self._lock:
                self._counts[key] = self._counts.get(key, 0.0) + amount

    def gauge(self, name: str, value: float, **tags: str) -> None:
        if name not in GAUGES or set(tags) != set(GAUGES[name][1]):
            self._warn(name, tags)
        else:
            with self._lock:
                self._levels[name, tuple(sorted(tags.items()))] = value, time.monotonic() + GAUGE_SECONDS

    def flush(self) -> None:
        """Hands the counts and the levels to Ray. What Ray refuses is dropped, and the rest goes on."""
        now = time.monotonic()
        with self._lock:
            counts, self._counts = self._counts, {}
            self._levels = {key: (value, ends) for key, (value, ends) in self._levels.items() if ends > now}
            levels = dict(self._levels)
        for (name, tags), amount in counts.items():
            self._safely(name, self._counters[name].inc, amount, dict(tags))
        for (name, tags), (value, _) in levels.items():
            self._safely(name, self._gauges[name].set, value, dict(tags))

    def _flush_now_and_then(self) -> None:
        while True:
            time.sleep(FLUSH_SECONDS)
            self._safely("the counts", lambda *_: self.flush(), 0.0, {})

    def _safely(self, name: str, record: Callable[..., Any], value: float, tags: Mapping[str, str]) -> None:
        try:
            record(value, dict(tags))
        except Exception as error:
            kind = name, type(error).__name__
            if kind not in self._said:
                self._said.add(kind)
                log.exception("%s cannot be measured; said once", name)

    def _warn(self, name: str, tags: Mapping[str, str]) -> None:
        if (name, "") not in self._said:
            self._said.add((name, ""))
            log.warning("metric %s with labels %s is not declared in deployments/metrics.py", name, sorted(tags))
