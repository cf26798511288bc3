"""Which schema a LIRA file has, and how an older file becomes a current one.

All three roles share one schema, so that one file can serve any of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from lira_core.stores.ports import StoreRejected
from lira_core.stores.sqlite import schema_2, schema_3, schema_4, schema_5
from lira_core.stores.sqlite.schema_1 import TABLES

APPLICATION_ID = 0x4C495241
"""`LIRA` in ASCII: tells our files from another program's."""

Step = tuple[str | Callable[[sqlite3.Connection], None], ...]
MIGRATIONS: tuple[Step, ...] = (TABLES, schema_2.STEPS, schema_3.STEPS, schema_4.STEPS, schema_5.STEPS)
"""What makes a file of schema n one of n + 1, each a statement or a function."""


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the file to the current schema in one transaction; StoreRejected for a newer file or another program's."""
    newest = len(MIGRATIONS)
    if _identify(connection) == (APPLICATION_ID, newest):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        application, version = _identify(connection)
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION_ID and (application or version or tables):
            raise StoreRejected(f"{path} is another program's SQLite database; give LIRA a file of its own")
        if version > newest:
            raise StoreRejected(f"{path} was written by a newer LIRA (schema {version}, this one knows {newest}); update LIRA or use another file")
        for step in MIGRATIONS[version:]:
            for statement in step:
                if isinstance(statement, str):
                    connection.execute(statement)
                else:
                    statement(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _identify(connection: sqlite3.Connection) -> tuple[int, int]:
    return connection.execute("PRAGMA application_id").fetchone()[0], connection.execute("PRAGMA user_version").fetchone()[0]
