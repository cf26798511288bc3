"""All three roles on one SQLite file: the local profile."""

from lira_core.stores.sqlite.database import Database
from lira_core.stores.sqlite.memories import SqliteMemories
from lira_core.stores.sqlite.short_term import SqliteShortTerm
from lira_core.stores.sqlite.vectors import SqliteVectors

__all__ = ["Database", "SqliteMemories", "SqliteShortTerm", "SqliteVectors"]
