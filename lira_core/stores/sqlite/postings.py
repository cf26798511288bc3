"""What is found by words in SQLite: postings newest first, and what BM25 counts. Memories and events have tables of the same form."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lira_core.stores.sqlite.connection import insert_rows

Place = tuple[int, int, int, int]
"""(ts, received, n, seq) of a memory or an event: its order, and its key in the postings."""

POSTINGS_AT_ONCE = 2000
"""How many postings one write of a user's deletion takes away: it computes for 1.5 ms, before its commit (measured, see `erasing`)."""

FIRST: tuple[Any, ...] = ("", 0, 0, 0, 0)
"""Before every posting of a user, as `sweep_step` counts them."""


@dataclass(frozen=True, slots=True)
class Words:
    """The tables of one kind. `things` has a row for each (`seq`, `id`, `ts`, `received`, `n`, `length`) and an index `things`_received;
    `postings` names it by the column `one`. `vocabulary` says how many hold a term, `tallies` how many there are of a user (in a column named
    as `things`) and how many terms they have together."""

    things: str
    one: str
    postings: str
    vocabulary: str
    tallies: str

    @property
    def key(self) -> str:
        return f"(term, ts, received, n, {self.one})"


MEMORIES = Words("memories", "memory", "terms", "vocabulary", "tallies")
EVENTS = Words("events", "event", "event_terms", "event_vocabulary", "event_tallies")


def add(connection: sqlite3.Connection, words: Words, user_id: str, place: Place, frequencies: Mapping[str, int], length: int) -> None:
    """The postings of one thing; `count` is still to be told of it."""
    insert_rows(
        connection, f"INSERT INTO {words.postings} VALUES", [(user_id, term, *place, frequency, length) for term, frequency in frequencies.items()]
    )


def count(connection: sqlite3.Connection, words: Words, user_id: str, added: Sequence[Iterable[str]], length: int) -> None:
    """Things were added, each with these distinct terms, of `length` terms together."""
    held = Counter(term for terms in added for term in terms)
    insert_rows(
        connection,
        f"INSERT INTO {words.vocabulary} VALUES",
        [(user_id, term, things) for term, things in held.items()],
        "ON CONFLICT DO UPDATE SET held = held + excluded.held",
    )
    connection.execute(
        f"INSERT INTO {words.tallies} VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET {words.things} = {words.things} + excluded.{words.things},"
        " terms = terms + excluded.terms",
        (user_id, len(added), length),
    )


def terms_of(connection: sqlite3.Connection, words: Words, user_id: str, place: Place) -> Sequence[str]:
    """The terms of one thing that cannot say them itself any more, by its postings: all of the user's are looked through."""
    query = f"SELECT term FROM {words.postings} WHERE user_id = ? AND ts = ? AND received = ? AND n = ? AND {words.one} = ?"
    return [term for (term,) in connection.execute(query, (user_id, *place)).fetchall()]


def remove(connection: sqlite3.Connection, words: Words, user_id: str, place: Place, terms: Iterable[str]) -> None:
    """The postings of one thing, and what the vocabulary counts of them."""
    for term in dict.fromkeys(terms):
        gone = connection.execute(
            f"DELETE FROM {words.postings} WHERE user_id = ? AND term = ? AND ts = ? AND received = ? AND n = ? AND {words.one} = ?",
            (user_id, term, *place),
        )
        if gone.rowcount:
            connection.execute(f"UPDATE {words.vocabulary} SET held = held - 1 WHERE user_id = ? AND term = ?", (user_id, term))
            connection.execute(f"DELETE FROM {words.vocabulary} WHERE user_id = ? AND term = ? AND held <= 0", (user_id, term))


def uncount(connection: sqlite3.Connection, words: Words, user_id: str, length: int) -> None:
    """One thing of `length` terms is gone."""
    connection.execute(f"UPDATE {words.tallies} SET {words.things} = {words.things} - 1, terms = terms - ? WHERE user_id = ?", (length, user_id))


def recount(connection: sqlite3.Connection, words: Words, user_id: str, cut: int) -> None:
    """The tally of what was received after the cut."""
    # What stays is counted, not what goes: it is little, unless the deletion came very late.
    connection.execute(f"DELETE FROM {words.tallies} WHERE user_id = ?", (user_id,))
    connection.execute(
        f"INSERT INTO {words.tallies} SELECT user_id, count(*), sum(length) FROM {words.things} INDEXED BY {words.things}_received"
        " WHERE user_id = ? AND received > ? GROUP BY user_id",
        (user_id, cut),
    )


def sweep_step(words: Words, user_id: str, cut: int, start: tuple[Any, ...]) -> Callable[[sqlite3.Connection], tuple[Any, ...] | None]:
    """Deletes the postings behind the cut among the next POSTINGS_AT_ONCE; answers where to go on, None at the end."""

    def work(connection: sqlite3.Connection) -> tuple[Any, ...] | None:
        end: tuple[Any, ...] | None = connection.execute(
            f"SELECT term, ts, received, n, {words.one} FROM {words.postings} WHERE user_id = ? AND {words.key} > (?,?,?,?,?)"
            f" ORDER BY term, ts, received, n, {words.one} LIMIT 1 OFFSET ?",
            (user_id, *start, POSTINGS_AT_ONCE),
        ).fetchone()
        upper, bound = ("", ()) if end is None else (f" AND {words.key} <= (?,?,?,?,?)", end)
        some = f"user_id = ? AND {words.key} >= (?,?,?,?,?){upper} AND received <= ?"
        values = (user_id, *start, *bound, cut)
        connection.execute(
            f"UPDATE {words.vocabulary} SET held = held - gone.postings FROM"
            f" (SELECT term, count(*) AS postings FROM {words.postings} WHERE {some} GROUP BY term) AS gone"
            f" WHERE {words.vocabulary}.user_id = ? AND {words.vocabulary}.term = gone.term",
            (*values, user_id),
        )
        connection.execute(f"DELETE FROM {words.postings} WHERE {some}", values)
        before, last = ("", ()) if end is None else (" AND term <= ?", end[:1])
        connection.execute(f"DELETE FROM {words.vocabulary} WHERE user_id = ? AND term >= ?{before} AND held <= 0", (user_id, start[0], *last))
        return end

    return work
