"""What deletions leave behind, so that nothing comes after them: a cut per role and user, a tombstone per deleted memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Literal

from lira_core.stores.ports import Forgotten
from lira_core.stores.sqlite.connection import batches, marks, now
from lira_core.stores.sqlite.database import Database

Role = Literal["short_term", "deferred", "record", "vectors"]

NO_CUT = -(2**63)
"""Earlier than anything was received."""


def cut_of(connection: sqlite3.Connection, role: Role, user_id: str) -> int:
    """What was received at or before it is deleted."""
    row = connection.execute("SELECT cut FROM cuts WHERE role = ? AND user_id = ?", (role, user_id)).fetchone()
    return NO_CUT if row is None else int(row[0])


def set_cut(connection: sqlite3.Connection, role: Role, user_id: str, cut: int) -> int:
    """The cut that holds then: a lower one than is there changes nothing."""
    connection.execute(
        "INSERT INTO cuts VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET cut = max(cut, excluded.cut), touched = excluded.touched",
        (role, user_id, cut, now()),
    )
    return cut_of(connection, role, user_id)


def entomb(connection: sqlite3.Connection, role: Role, user_id: str, memory_id: str, cut: int) -> None:
    connection.execute(
        "INSERT INTO tombstones VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET cut = max(cut, excluded.cut), touched = excluded.touched",
        (role, user_id, memory_id, cut, now()),
    )


def entombed(connection: sqlite3.Connection, role: Role, user_id: str, names: Sequence[str], cut: int = NO_CUT) -> set[str]:
    """Which of the memories are deleted, by deletions that came after `cut`."""
    found: set[str] = set()
    for some in batches(names):
        rows = connection.execute(
            f"SELECT memory_id FROM tombstones WHERE role = ? AND user_id = ? AND memory_id IN ({marks(len(some))}) AND cut > ?",
            [role, user_id, *some, cut],
        )
        found.update(memory_id for (memory_id,) in rows.fetchall())
    return found


def check(connection: sqlite3.Connection, role: Role, user_id: str, received: int, names: Sequence[str]) -> int:
    """The user's cut; Forgotten for what was received until then, or when one of the names is a deleted memory's."""
    cut = cut_of(connection, role, user_id)
    if received <= cut:
        raise Forgotten(f"everything of the user that was received until {cut} has been deleted, and this was received at {received}")
    if entombed(connection, role, user_id, names, cut):
        raise Forgotten("a memory that this carries or quotes has been deleted")
    return cut


async def clear_behind(database: Database, step: Callable[[sqlite3.Connection, str, int], int], user_id: str, cut: int) -> None:
    """Runs `step` in writes of its own, between which other writers have their turn, until it finds nothing behind the cut any more."""

    def work(connection: sqlite3.Connection) -> int:
        return step(connection, user_id, cut)

    while await database.write(work):
        pass
