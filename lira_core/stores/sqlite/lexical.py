"""Finding memories and events by words in SQLite: BM25 over postings that are kept newest first.

Of each term asked its newest POSTINGS are read, each list as one row, since every row fetched hands the interpreter lock over and may wait for
it. The best memories by these are then scored in full: of a term that more memories hold, their postings may lie behind what was read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import orjson
from numpy.typing import NDArray

from lira_core.stores.ports import Hit
from lira_core.stores.sqlite.connection import batches, marks
from lira_core.stores.sqlite.cuts import cut_of
from lira_core.stores.sqlite.postings import Place, Words
from lira_core.stores.words import K1, POSTINGS, B, Posting, Postings, bm25, idf

SPARE = 64
"""Candidates beyond the limit where a term was read in part: the rest of it moves a candidate by no more than that one term's share."""
TERMS = 64
"""Of more terms asked at once only the rarest bring candidates: it is a long text, whose common words say little."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of one term's postings, newest first."""

    memories: NDArray[np.int64]
    ts: NDArray[np.int64]
    frequencies: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def of(self, chosen: NDArray[np.int64]) -> list[Posting]:
        rows = np.flatnonzero(np.isin(self.memories, chosen))
        columns = (self.memories[rows].tolist(), self.frequencies[rows].tolist(), self.lengths[rows].tolist())
        return [Posting(str(memory), frequency, length) for memory, frequency, length in zip(*columns, strict=True)]


def lexical(connection: sqlite3.Connection, words: Words, user_id: str, terms: Sequence[str], limit: int, until: int) -> list[Hit]:
    asked = list(dict.fromkeys(terms))
    tally = connection.execute(f"SELECT {words.things}, terms FROM {words.tallies} WHERE user_id = ?", (user_id,)).fetchone()
    if not asked or limit <= 0 or tally is None or not tally[0]:
        return []
    memories, mean = tally[0], tally[1] / tally[0]
    held = _held(connection, words, user_id, asked)
    sources = sorted((term for term in asked if held[term]), key=lambda term: held[term])[:TERMS]
    cut = cut_of(connection, "record", user_id)
    read = {term: one for term in sources if (one := _read(connection, words, user_id, term, until, cut)) is not None}
    if not read:
        return []
    common = [term for term in read if held[term] > POSTINGS]
    weights = {term: idf(memories, held[term]) for term in read}
    chosen = _best(read, weights, mean, limit + (SPARE if common else 0))
    places = _places(connection, words, chosen.tolist())
    found = {term: one.of(chosen) for term, one in read.items()}
    for term in common:
        found[term] += _missing(connection, words, user_id, term, list(places), {posting.memory_id for posting in found[term]})
    scores = bm25({term: Postings(held[term], found.get(term, ())) for term in asked}, memories=memories, mean_length=mean)
    # Sums of the same gains in another order differ in their last digits.
    best = sorted(places, key=lambda place: (round(scores[str(place[3])], 12), place), reverse=True)[:limit]
    return [Hit(places[place], scores[str(place[3])]) for place in best]


def _held(connection: sqlite3.Connection, words: Words, user_id: str, terms: Sequence[str]) -> dict[str, int]:
    """How many of the user's memories hold each term."""
    held = dict.fromkeys(terms, 0)
    for some in batches(terms):
        query = f"SELECT term, held FROM {words.vocabulary} WHERE user_id = ? AND term IN ({marks(len(some))})"
        held |= dict(connection.execute(query, [user_id, *some]).fetchall())
    return held


def _read(connection: sqlite3.Connection, words: Words, user_id: str, term: str, until: int, cut: int) -> _Read | None:
    row = connection.execute(
        f"SELECT json_group_array({words.one}), json_group_array(ts), json_group_array(frequency), json_group_array(length) FROM"
        f" (SELECT {words.one}, ts, frequency, length FROM {words.postings} WHERE user_id = ? AND term = ? AND ts <= ? AND received > ?"
        f" ORDER BY ts DESC, received DESC, n DESC, {words.one} DESC LIMIT ?)",
        (user_id, term, until, cut, POSTINGS),
    ).fetchone()
    columns = [np.array(orjson.loads(column), np.int64) for column in row]
    return _Read(*columns) if len(columns[0]) else None


def _best(read: Mapping[str, _Read], weights: Mapping[str, float], mean: float, count: int) -> NDArray[np.int64]:
    """The `count` best memories by what was read, more only where the last are equal in score and time."""
    gains = [weights[term] * one.frequencies / (one.frequencies + K1 * (1 - B + B * one.lengths / (mean or 1.0))) for term, one in read.items()]
    every = np.concatenate([one.memories for one in read.values()])
    memories, first, place = np.unique(every, return_index=True, return_inverse=True)
    if len(memories) <= count:
        return memories
    scores = np.round(np.bincount(place, np.concatenate(gains)), 9)
    ts = np.concatenate([one.ts for one in read.values()])[first]
    order = np.lexsort((-ts, -scores))
    last = order[count - 1]
    ahead = (scores > scores[last]) | ((scores == scores[last]) & (ts >= ts[last]))
    return np.asarray(memories[ahead])


def _places(connection: sqlite3.Connection, words: Words, seqs: Sequence[int]) -> dict[Place, str]:
    """The memories' ids by their places."""
    places: dict[Place, str] = {}
    for some in batches(seqs):
        query = f"SELECT ts, received, n, seq, id FROM {words.things} WHERE seq IN ({marks(len(some))})"
        places |= {(ts, received, n, seq): id for ts, received, n, seq, id in connection.execute(query, list(some)).fetchall()}
    return places


def _missing(connection: sqlite3.Connection, words: Words, user_id: str, term: str, places: Sequence[Place], known: set[str]) -> list[Posting]:
    """Who else of the memories at these places holds a term of which only the newest were read."""
    # In the order of the postings, which are side by side on the disk.
    unknown = sorted(place for place in places if str(place[3]) not in known)
    found: list[Posting] = []
    for start in range(0, len(unknown), 100):
        some = unknown[start : start + 100]
        rows = connection.execute(
            f"WITH places (ts, received, n, one) AS (VALUES {','.join(['(?,?,?,?)'] * len(some))})"
            f" SELECT t.{words.one}, t.frequency, t.length FROM places p CROSS JOIN {words.postings} t ON t.user_id = ? AND t.term = ?"
            f" AND t.ts = p.ts AND t.received = p.received AND t.n = p.n AND t.{words.one} = p.one",
            [*(value for place in some for value in place), user_id, term],
        )
        found += [Posting(str(memory), frequency, length) for memory, frequency, length in rows.fetchall()]
    return found
