"""Summaries in SQLite: each is one row, and one for every utterance that it rests on."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from lira_core.stores.codec import dump, instant, load_summary
from lira_core.stores.ports import Forgotten, StoreRejected
from lira_core.stores.sqlite.connection import batches, insert_rows, marks, now
from lira_core.stores.sqlite.cuts import cut_of
from lira_core.stores.sqlite.event_rows import EVENT_COLUMNS, load_row
from lira_core.stores.sqlite.outbox import remind
from lira_core.stores.summaries import Utterance
from lira_core.types import Scope, Summary

UNSUMMARISED = "unsummarised"
AT_ONCE = 256
"""Summaries that one write of a user's deletion takes away."""


class SummaryRows:
    """The summaries of one group, encoded before they are queued. StoreRejected for what is another user's, scope's or group's."""

    def __init__(self, user_id: str, scope: Scope, group: str, summaries: Sequence[Summary]) -> None:
        self._key = (user_id, scope, group)
        try:
            for summary in summaries:
                if (summary.user_id, summary.scope, summary.group) != self._key or not summary.lines:
                    raise ValueError(f"a summary of {summary.scope} {summary.group} is not one of {scope} {group}, or rests on nothing")
            self._rows = [(instant(one.start)[0], instant(one.end)[0], tuple(dict.fromkeys(one.turns)), dump(one)) for one in summaries]
        except ValueError as error:
            raise StoreRejected(str(error)) from error

    def put(self, connection: sqlite3.Connection) -> None:
        user_id = self._key[0]
        received = _received(connection, user_id, [turn for row in self._rows for turn in row[2]])
        connection.execute("DELETE FROM summaries WHERE user_id = ? AND scope = ? AND grp = ?", self._key)
        for start, ending, turns, body in self._rows:
            seq = connection.execute(
                "INSERT INTO summaries (user_id, scope, grp, start, ending, oldest, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*self._key, start, ending, min(received[turn] for turn in turns), body),
            ).lastrowid
            insert_rows(connection, "INSERT INTO summary_turns VALUES", [(user_id, turn, seq) for turn in turns])


def _received(connection: sqlite3.Connection, user_id: str, turns: Sequence[str]) -> dict[str, int]:
    """When each of these utterances was received; Forgotten when one is not there any more."""
    cut = cut_of(connection, "record", user_id)
    found: dict[str, int] = {}
    for some in batches(turns):
        query = f"SELECT id, received FROM events WHERE user_id = ? AND id IN ({marks(len(some))}) AND role = 'user' AND +received > ?"
        found |= dict(connection.execute(query, [user_id, *some, cut]).fetchall())
    if not found.keys() >= set(turns):
        raise Forgotten("an utterance that a summary rests on has been deleted")
    return found


def newest(connection: sqlite3.Connection, user_id: str, scope: Scope, limit: int, since: int, until: int) -> list[Summary]:
    rows = connection.execute(
        "SELECT body FROM summaries INDEXED BY summaries_newest WHERE user_id = ? AND scope = ? AND ending >= ? AND start <= ? AND oldest > ?"
        " ORDER BY ending DESC, seq DESC LIMIT ?",
        (user_id, scope, since, until, cut_of(connection, "record", user_id), max(limit, 0)),
    ).fetchall()
    return [load_summary(body) for (body,) in rows]


def utterances(connection: sqlite3.Connection, user_id: str, session_id: str, limit: int) -> list[Utterance]:
    rows = connection.execute(
        f"SELECT received, {EVENT_COLUMNS} FROM events INDEXED BY events_session WHERE user_id = ? AND session_id = ? AND role = 'user'"
        " AND +received > ? ORDER BY ts DESC, received DESC, n DESC, seq DESC LIMIT ?",
        (user_id, session_id, cut_of(connection, "record", user_id), max(limit, 0)),
    ).fetchall()
    return [Utterance(load_row(user_id, row[1:]), row[0]) for row in reversed(rows)]


def resummarise(connection: sqlite3.Connection, user_id: str, session_id: str, received: int, due: int) -> None:
    if received > cut_of(connection, "record", user_id):
        remind(connection, UNSUMMARISED, user_id, (session_id, received, session_id), due)


def delete_about(connection: sqlite3.Connection, user_id: str, turn_id: str) -> None:
    """Those that rest on an utterance; for before its event goes, which says in which session it was."""
    rows = connection.execute("SELECT summary FROM summary_turns WHERE user_id = ? AND turn_id = ?", (user_id, turn_id)).fetchall()
    _delete(connection, user_id, [seq for (seq,) in rows])


def behind_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    """Takes some of those that rest on what lies behind the cut; how many."""
    rows = connection.execute("SELECT seq FROM summaries WHERE user_id = ? AND oldest <= ? LIMIT ?", (user_id, cut, AT_ONCE)).fetchall()
    _delete(connection, user_id, [seq for (seq,) in rows])
    return len(rows)


def waiting_step(connection: sqlite3.Connection, user_id: str, cut: int) -> int:
    """Takes some sessions that waited and of which nothing is left; how many."""
    return connection.execute(
        "DELETE FROM outbox WHERE seq IN (SELECT seq FROM outbox WHERE queue = ? AND user_id = ? AND received <= ? LIMIT ?)",
        (UNSUMMARISED, user_id, cut, AT_ONCE),
    ).rowcount


def _delete(connection: sqlite3.Connection, user_id: str, seqs: Sequence[int]) -> None:
    """These; each session that they rested on, and of which something is left, waits to be summed up anew."""
    cut, moment = cut_of(connection, "record", user_id), now()
    for some in batches(seqs):
        left = connection.execute(
            "SELECT session_id, received FROM events WHERE user_id = ? AND +received > ? AND id IN"
            f" (SELECT turn_id FROM summary_turns WHERE summary IN ({marks(len(some))}))",
            [user_id, cut, *some],
        ).fetchall()
        connection.execute(f"DELETE FROM summaries WHERE seq IN ({marks(len(some))})", list(some))
        for session_id, received in left:
            remind(connection, UNSUMMARISED, user_id, (session_id, received, session_id), moment)


def load_session(text: str, _: int) -> str:
    return text
