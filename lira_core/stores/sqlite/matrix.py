"""One user's vectors in memory, in few bytes each, and who of them is near to a query.

A search takes three steps. Of every vector the signs of its dimensions are compared with the query, whose dimensions count by their size
(PLANES bits each): the SHORTLIST most like it go on. Of those the cosine is estimated from 8 bits per dimension, and only what may be among
the best goes on. The caller computes these exactly, from the vectors on the disk.

Measured with e5-small-ko-en (384 dimensions) on utterances of ChatbotData and GoEmotions, 250 queries, limit 40: of the exact best 10 are found
99.9 % among 10,000 and 99.8 % among 19,500 vectors, of the best 40 99.0 % and 98.4 %, and 46 vectors are read from the disk. A SHORTLIST
of 512 finds 99.7 % and 99.6 % of the best 10. Signs alone, the query's dimensions all counting the same, find 97.0 % and 94.0 %.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from dataclasses import dataclass, field

import numpy as np
import orjson
from numpy.typing import NDArray

from lira_core.stores.ports import Vector
from lira_core.stores.sqlite.codes import decoded, signs

SHORTLIST = 768
"""Of vectors of 384 dimensions; fewer dimensions have fewer signs to tell vectors apart by, and so more go on."""
SHORTLISTED = 64, 8
"""At least one in so many, and so many times what is asked for."""
MARGIN = 8.0
"""In standard deviations of what rounding to 8 bits does to a cosine (scale / sqrt(12), for a query of length 1)."""
TIES = 256
"""The most that go on because they are as good as the last one that is asked for; the newest of them."""
PLANES = 2
"""Bits that say how large a dimension of the query is."""
ROWS_PER_LOAD = 4096
_SIGNS_OF = 384
NEVER = 2**63 - 1
"""The timestamp of what turned out to be deleted: after any `until`."""


@dataclass(slots=True)
class Matrix:
    """`[: count]` of each array is filled, oldest first; what is filled is changed only where it turns out to be deleted."""

    dimensions: int
    lock: threading.Lock = field(default_factory=threading.Lock)
    key: tuple[int, int] | None = None
    newest: int = 0
    count: int = 0
    seqs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    ts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    scales: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    numbers: NDArray[np.int8] = field(init=False)
    signs: NDArray[np.uint64] = field(init=False)

    def __post_init__(self) -> None:
        self.clear(None)

    @property
    def nbytes(self) -> int:
        return self.seqs.nbytes + self.ts.nbytes + self.scales.nbytes + self.numbers.nbytes + self.signs.nbytes

    def clear(self, key: tuple[int, int] | None) -> None:
        """Empty, and of another (encoder, epoch)."""
        self.key, self.newest, self.count = key, 0, 0
        self.seqs, self.ts, self.scales = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32)
        self.numbers, self.signs = np.empty((0, self.dimensions), np.int8), np.empty((-(-self.dimensions // 64), 0), np.uint64)

    def extend(self, connection: sqlite3.Connection, user_id: str, newest: int, cut: int) -> None:
        """Load what was added since, up to `newest`."""
        encoder = self.key[0] if self.key else 0
        while self.newest < newest:
            # One row for many vectors: every row fetched hands the interpreter lock over, and may wait for it.
            last, codes, seqs, ts = connection.execute(
                "SELECT max(seq), group_concat(hex(codes), ''), json_group_array(seq), json_group_array(ts) FROM"
                " (SELECT seq, ts, codes FROM vector_codes WHERE encoder = ? AND user_id = ? AND seq > ? AND +received > ? ORDER BY seq LIMIT ?)",
                (encoder, user_id, self.newest, cut, ROWS_PER_LOAD),
            ).fetchone()
            if last is None:
                self.newest = newest
                return
            numbers = orjson.loads(seqs)
            if len(numbers) == ROWS_PER_LOAD and self.count + len(numbers) > len(self.seqs):
                # There are more: room for all at once, instead of growing time after time.
                left = "SELECT count(*) FROM vector_codes WHERE encoder = ? AND user_id = ? AND seq > ?"
                self._grow(self.count + connection.execute(left, (encoder, user_id, self.newest)).fetchone()[0])
            self._append(numbers, orjson.loads(ts), bytes.fromhex(codes))
            self.newest = last

    def _append(self, seqs: list[int], ts: list[int], codes: bytes) -> None:
        start, end = self.count, self.count + len(seqs)
        if end > len(self.seqs):
            # A first load takes what it needs, growth takes a half more: a turn adds one vector at a time.
            self._grow(end if start == 0 else end + end // 2)
        self.scales[start:end], self.numbers[start:end] = decoded(codes, self.dimensions)
        self.signs[:, start:end] = signs(self.numbers[start:end])
        self.seqs[start:end], self.ts[start:end] = seqs, ts
        self.count = end

    def _grow(self, size: int) -> None:
        for name in ("seqs", "ts", "scales", "numbers"):
            old = getattr(self, name)
            grown = np.empty((size, *old.shape[1:]), old.dtype)
            grown[: self.count] = old[: self.count]
            setattr(self, name, grown)
        wider = np.empty((len(self.signs), size), np.uint64)
        wider[:, : self.count] = self.signs[:, : self.count]
        self.signs = wider

    def view(self, newest: int) -> View:
        """What was there when `newest` was: a search that began earlier than another must not take for deleted what it cannot see yet."""
        n = int(np.searchsorted(self.seqs[: self.count], newest, side="right"))
        return View(self.seqs[:n], self.ts[:n], self.scales[:n], self.numbers[:n], self.signs[:, :n])


@dataclass(frozen=True, slots=True)
class View:
    """What a matrix held at one moment; stays as it is while the matrix grows."""

    seqs: NDArray[np.int64]
    ts: NDArray[np.int64]
    scales: NDArray[np.float32]
    numbers: NDArray[np.int8]
    signs: NDArray[np.uint64]

    def near(self, query: Vector, limit: int, until: int | None) -> NDArray[np.int64]:
        """The `seq`s among which the `limit` nearest are, in no order; at most `limit` + TIES."""
        if until is None:
            until = NEVER - 1
        rows = np.flatnonzero(self.ts <= until)
        among, times = SHORTLISTED
        shortlist = max(round(SHORTLIST * max(1.0, _SIGNS_OF / len(query))), len(rows) // among, times * limit)
        if len(rows) > shortlist:
            known = self.signs if len(rows) == len(self.seqs) else self.signs[:, rows]
            rows = rows[_largest(likeness(known, query), shortlist)]
        if len(rows) <= limit:
            return self.seqs[rows]
        scales = self.scales[rows]
        estimates = (self.numbers[rows].astype(np.float32) @ query) * scales
        floor = np.partition(estimates, len(rows) - limit)[len(rows) - limit]
        margin = MARGIN * float(scales.max()) / math.sqrt(12) * float(np.linalg.norm(query))
        good = np.flatnonzero(estimates >= floor - margin)
        if len(good) > limit + TIES:
            order = np.lexsort((-rows[good], -estimates[good]))[: limit + TIES]
            good = good[order]
        return self.seqs[rows[good]]

    def forget(self, seqs: NDArray[np.int64]) -> None:
        """These are deleted: they are found no more, and nothing is left of what they were."""
        places = np.flatnonzero(np.isin(self.seqs, seqs))
        self.ts[places] = NEVER
        self.numbers[places] = 0
        self.signs[:, places] = 0


def likeness(known: NDArray[np.uint64], query: Vector) -> NDArray[np.int16]:
    """(count,): how alike the signs are, a dimension weighed by the query's size there, 0 to 2 ** PLANES - 1."""
    size = np.abs(query)
    # Three times the root mean square is the largest size that counts; sizes of normal dimensions are rarely above it.
    step = 3.0 * math.sqrt(float(np.mean(size**2)) or 1.0) / (2**PLANES - 1)
    levels = np.minimum(np.round(size / step), 2**PLANES - 1).astype(np.uint8)
    sign = _words(query > 0)
    planes = [_words((levels >> plane) & 1) for plane in range(PLANES)]
    unlike = np.zeros(known.shape[1], np.int16)
    for word in range(len(known)):
        differs = known[word] ^ sign[word]
        for plane in range(PLANES):
            unlike += np.bitwise_count(differs & planes[plane][word]).astype(np.int16) << plane
    return -unlike


def _words(bits: NDArray[np.generic]) -> NDArray[np.uint64]:
    packed = np.packbits(bits.astype(bool), bitorder="little")
    padded = np.zeros(-(-len(packed) // 8) * 8, np.uint8)
    padded[: len(packed)] = packed
    return padded.view(np.uint64)


def _largest(values: NDArray[np.int16], count: int) -> NDArray[np.intp]:
    """The places of the `count` largest of many; of equals the last ones."""
    floor = np.partition(values, len(values) - count)[len(values) - count]
    above = np.flatnonzero(values > floor)
    equal = np.flatnonzero(values == floor)
    return np.sort(np.concatenate((above, equal[len(equal) - (count - len(above)) :])))
