"""Scores and order: BM25 over content morphemes, the merged score of a recall, and the hybrid order of a search."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime

from lira_core.stores.ports import TermMatches

# Okapi BM25 with the usual constants (Robertson & Zaragoza 2009; Lucene's defaults).
K1 = 1.2
B = 0.75

# Weights of a recalled memory's score: seed 004 (NPC memory), section 2.
RELEVANCE, KEYWORD, RECENCY, IMPORTANCE = 0.50, 0.20, 0.15, 0.15
# Days after which a memory's recency has halved: a month, so that last week's plan outranks last season's.
HALF_LIFE_DAYS = 30.0

# Share of meaning in a search, the rest is BM25. Of plain retrievers tried on the LoCoMo development file before this code was written,
# half and half had recall@3 .490, BM25 alone .453, the encoder alone .383; other shares were not tried.
MEANING_SHARE = 0.5


def idf(matches: TermMatches, term: str) -> float:
    """Inverse document frequency of a term among one user's memories; above 0 even for a term all of them hold."""
    held = len(matches.postings.get(term, ()))
    return math.log(1 + (matches.memories - held + 0.5) / (held + 0.5))


def bm25(matches: TermMatches, terms: Sequence[str]) -> dict[str, float]:
    """BM25 of every memory that holds any of the terms."""
    scores: dict[str, float] = {}
    mean = matches.mean_length or 1.0
    for term in set(terms):
        weight = idf(matches, term)
        for posting in matches.postings.get(term, ()):
            saturation = posting.frequency + K1 * (1 - B + B * posting.length / mean)
            scores[posting.memory_id] = scores.get(posting.memory_id, 0.0) + weight * posting.frequency * (K1 + 1) / saturation
    return scores


def coverage(matches: TermMatches, terms: Sequence[str]) -> dict[str, float]:
    """For each memory, the share in [0, 1] of the terms' weight (idf) that it holds."""
    weights = {term: idf(matches, term) for term in set(terms)}
    total = sum(weights.values())
    shares: dict[str, float] = {}
    for term, weight in weights.items():
        for posting in matches.postings.get(term, ()):
            shares[posting.memory_id] = shares.get(posting.memory_id, 0.0) + weight / total
    return shares


def recency(said: datetime, now: datetime) -> float:
    """1 for just now, halved every HALF_LIFE_DAYS; a memory from after `now` counts as just now."""
    days = max(0.0, (now - said).total_seconds() / 86_400)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def merged_score(*, relevance: float, keyword: float, recent: float, importance: float) -> float:
    """The four parts, each in [0, 1], as one score in [0, 1]."""
    return RELEVANCE * relevance + KEYWORD * keyword + RECENCY * recent + IMPORTANCE * importance


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """Scaled to [0, 1]; all equal gives 1 for each."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()}


def hybrid(meaning: Mapping[str, float], words: Mapping[str, float]) -> dict[str, float]:
    """One score in [0, 1] for every memory that either side found; what a side did not find counts 0 there."""
    left, right = min_max(meaning), min_max({**dict.fromkeys(meaning, 0.0), **words})
    return {key: MEANING_SHARE * left.get(key, 0.0) + (1 - MEANING_SHARE) * right.get(key, 0.0) for key in {*left, *right}}


def best(scores: Mapping[str, float], limit: int) -> list[str]:
    """The keys of the highest scores, best first; equal scores in order of key, so that the order never changes by itself."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:limit]
