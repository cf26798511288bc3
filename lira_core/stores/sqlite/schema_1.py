"""The tables of schema 1, as the first files were written: only what a file of that time is migrated from."""

from __future__ import annotations

TABLES: tuple[str, ...] = (
    # Short-term memory.
    """CREATE TABLE sessions (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL,
        ts INTEGER NOT NULL, utc_offset INTEGER NOT NULL,
        touched INTEGER NOT NULL, next_n INTEGER NOT NULL, recalled TEXT NOT NULL,
        PRIMARY KEY (user_id, session_id))""",
    "CREATE INDEX sessions_touched ON sessions (touched)",
    """CREATE TABLE messages (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, n INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (user_id, session_id, n),
        FOREIGN KEY (user_id, session_id) REFERENCES sessions ON DELETE CASCADE) WITHOUT ROWID""",
    """CREATE TABLE turns (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, touched INTEGER NOT NULL,
        PRIMARY KEY (user_id, session_id, turn_id),
        FOREIGN KEY (user_id, session_id) REFERENCES sessions ON DELETE CASCADE) WITHOUT ROWID""",
    "CREATE INDEX turns_touched ON turns (touched)",
    """CREATE TABLE deferred (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, event_id TEXT NOT NULL, payload TEXT NOT NULL,
        UNIQUE (user_id, event_id))""",
    "CREATE INDEX deferred_event ON deferred (event_id)",
    # The record. `body` is the memory itself; the other columns, `facts`, `terms` and `tallies` are what it is looked up by.
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, id TEXT NOT NULL, session_id TEXT NOT NULL,
        role TEXT NOT NULL, text TEXT NOT NULL, ts INTEGER NOT NULL, utc_offset INTEGER NOT NULL,
        UNIQUE (user_id, id))""",
    """CREATE TABLE memories (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, id TEXT NOT NULL,
        ts INTEGER NOT NULL, utc_offset INTEGER NOT NULL, feeling TEXT, feeling_score REAL,
        length INTEGER NOT NULL, indexed INTEGER NOT NULL DEFAULT 0, body TEXT NOT NULL,
        UNIQUE (user_id, id))""",
    "CREATE INDEX memories_newest ON memories (user_id, ts, seq)",
    "CREATE INDEX memories_feeling ON memories (user_id, feeling, ts, seq, feeling_score) WHERE feeling IS NOT NULL",
    "CREATE INDEX memories_unindexed ON memories (seq) WHERE indexed = 0",
    """CREATE TABLE facts (
        memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE, n INTEGER NOT NULL, user_id TEXT NOT NULL,
        subject TEXT NOT NULL, predicate TEXT NOT NULL, key TEXT, ts INTEGER NOT NULL,
        PRIMARY KEY (memory, n)) WITHOUT ROWID""",
    "CREATE INDEX facts_slot ON facts (user_id, predicate, subject, ts, memory)",
    "CREATE INDEX facts_predicate ON facts (user_id, predicate, ts, memory)",
    "CREATE INDEX facts_key ON facts (user_id, key, ts, memory) WHERE key IS NOT NULL",
    """CREATE TABLE terms (
        user_id TEXT NOT NULL, term TEXT NOT NULL, memory_id TEXT NOT NULL, frequency INTEGER NOT NULL, length INTEGER NOT NULL,
        PRIMARY KEY (user_id, term, memory_id)) WITHOUT ROWID""",
    "CREATE TABLE tallies (user_id TEXT PRIMARY KEY, memories INTEGER NOT NULL, terms INTEGER NOT NULL) WITHOUT ROWID",
    # The index by meaning. `epoch` is drawn anew whenever a user's rows are deleted or replaced.
    """CREATE TABLE vectors (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, memory_id TEXT NOT NULL, vector BLOB NOT NULL,
        UNIQUE (user_id, memory_id))""",
    "CREATE INDEX vectors_newest ON vectors (user_id, seq)",
    """CREATE TABLE vector_users (
        user_id TEXT PRIMARY KEY, epoch INTEGER NOT NULL, newest INTEGER NOT NULL, dimensions INTEGER NOT NULL) WITHOUT ROWID""",
)
