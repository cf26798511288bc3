"""Scores and order: the merged score of a recall, and the hybrid order of a search."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import pairwise

# Weights of a recalled memory's score: seed 004 (NPC memory), section 2.
RELEVANCE, KEYWORD, RECENCY, IMPORTANCE = 0.50, 0.20, 0.15, 0.15
# Days after which a memory's recency has halved: a month, so that last week's plan outranks last season's.
HALF_LIFE_DAYS = 30.0

# Share of meaning in a search, the rest is BM25. Of plain retrievers tried on the LoCoMo development file before this code was written,
# half and half had recall@3 .490, BM25 alone .453, the encoder alone .383; other shares were not tried.
MEANING_SHARE = 0.5

# Half of what meaning or words weigh, rounded down; the only value tried: with it and the fine-tuned encoder recall@3 / 5 / 10 on two
# conversations of the LoCoMo development file went from .505 / .592 / .674 to .519 / .611 / .703.
NEIGHBOUR_SHARE = 0.3
# A conversation's turns are seldom further apart.
TOGETHER = timedelta(minutes=2)


# Share of the reader in a search where it reads, the rest is the score without it. Of 940 questions of 100 people left out of training, thirteen
# statements each, the first result is one that answers of .645 without it, .723 with .23 of it, .784 with half, .814 with two thirds, .818 by it
# alone; recall@3 .905, .938, .960, .960, .953. Two words of a line, which ask nothing, find that line first of .97 and .95 (116 Korean, 118 English
# lines of authors set aside), without it of .99 and .97.
READER_SHARE = 2 / 3


def recency(said: datetime, now: datetime) -> float:
    """1 for just now, halved every HALF_LIFE_DAYS; a memory from after `now` counts as just now."""
    days = max(0.0, (now - said).total_seconds() / 86_400)
    return float(0.5 ** (days / HALF_LIFE_DAYS))


def score_parts(*, relevance: float, keyword: float, recent: float, importance: float) -> dict[str, float]:
    """What each of the four, in [0, 1], adds to a score in [0, 1], which is their sum."""
    return {"relevance": RELEVANCE * relevance, "keyword": KEYWORD * keyword, "recency": RECENCY * recent, "importance": IMPORTANCE * importance}


def min_max(scores: Mapping[str, float]) -> dict[str, float]:
    """Scaled to [0, 1]; all equal gives 1 for each."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    return {key: (score - low) / (high - low) if high > low else 1.0 for key, score in scores.items()}


def hybrid_parts(meaning: Mapping[str, float], words: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """For every memory that either side found what each adds to its score in [0, 1]; what a side did not find counts 0 there."""
    left, scaled = min_max(meaning), min_max({**dict.fromkeys(meaning, 0.0), **words})
    right = {key: scaled[key] for key in words}
    return {key: {"meaning": MEANING_SHARE * left.get(key, 0.0), "words": (1 - MEANING_SHARE) * right.get(key, 0.0)} for key in scaled}


def hybrid(meaning: Mapping[str, float], words: Mapping[str, float]) -> dict[str, float]:
    """The sum of `hybrid_parts`."""
    return {key: sum(parts.values()) for key, parts in hybrid_parts(meaning, words).items()}


def neighbouring(scores: Mapping[str, float], said: Mapping[str, datetime]) -> dict[str, float]:
    """What each memory gains from the better of the two said right before and after it, NEIGHBOUR_SHARE of that one's score.

    What answers is often said beside the words that were asked with. `said`: when each was said; what lies more than TOGETHER apart is no
    neighbour. Only what is in both takes part.
    """
    order = sorted((key for key in scores if key in said), key=lambda key: (said[key], key))
    gains = dict.fromkeys(order, 0.0)
    for one, other in pairwise(order):
        if said[other] - said[one] <= TOGETHER:
            gains[one] = max(gains[one], NEIGHBOUR_SHARE * scores[other])
            gains[other] = max(gains[other], NEIGHBOUR_SHARE * scores[one])
    return gains


def neighboured(parts: Mapping[str, Mapping[str, float]], said: Mapping[str, datetime]) -> dict[str, dict[str, float]]:
    """The parts of each score in [0, 1] (as `hybrid_parts`), with what its neighbours add; of those memories whose time is known."""
    gains = neighbouring({key: sum(adds.values()) for key, adds in parts.items()}, said)
    whole = 1 + NEIGHBOUR_SHARE
    return {key: {name: part / whole for name, part in {**parts[key], "neighbours": gain}.items()} for key, gain in gains.items()}


def reranked(parts: Mapping[str, Mapping[str, float]], sure: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The parts of each score in [0, 1] (as `hybrid_parts`), with how `sure` a memory is to answer; 0 for what was not read. Who was read and came
    first before comes before everything that was not."""
    shared = {key: {name: (1 - READER_SHARE) * part for name, part in adds.items()} for key, adds in parts.items()}
    return {key: {**adds, "reader": READER_SHARE * sure.get(key, 0.0)} for key, adds in shared.items()}


def best(scores: Mapping[str, float], limit: int) -> list[str]:
    """The keys of the highest scores, best first; equal scores in order of key, so that the order never changes by itself."""
    return sorted(scores, key=lambda key: (-scores[key], key))[:limit]
