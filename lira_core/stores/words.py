"""BM25 over content morphemes, for the engines that keep postings themselves; pure, so that every engine ranks alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Okapi BM25 with the usual constants (Robertson & Zaragoza 2009; Lucene's defaults).
K1 = 1.2
B = 0.75

POSTINGS = 512
"""Of a term that more memories hold only the newest so many are candidates: what many memories say tells them apart badly (its idf is
small), and without a bound a question would cost as much as the person has ever said."""


@dataclass(frozen=True, slots=True)
class Posting:
    """One memory that holds a term: how often, and how many terms the memory has in all."""

    memory_id: str
    frequency: int
    length: int


@dataclass(frozen=True, slots=True)
class Postings:
    """Who holds one term: the postings that were read, and how many memories hold it (at least; may stop counting at POSTINGS)."""

    held: int
    read: Sequence[Posting]


def idf(memories: int, held: int) -> float:
    """Inverse document frequency of a term that `held` of a user's `memories` hold; above 0 even for one that all hold."""
    return math.log(1 + (max(memories, held) - held + 0.5) / (held + 0.5))


def bm25(terms: Mapping[str, Postings], *, memories: int, mean_length: float) -> dict[str, float]:
    """The score of `Record.lexical` by memory id: `terms` has every term asked, also one that nothing holds."""
    weights = {term: idf(memories, found.held) for term, found in terms.items()}
    total = sum(weights.values())
    scores: dict[str, float] = {}
    for term, found in terms.items():
        for posting in found.read:
            saturation = posting.frequency + K1 * (1 - B + B * posting.length / (mean_length or 1.0))
            gain = weights[term] * posting.frequency * (K1 + 1) / saturation / total
            scores[posting.memory_id] = scores.get(posting.memory_id, 0.0) + gain
    return scores
