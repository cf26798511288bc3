"""Schema 2, and how a file of schema 1 becomes one.

Columns that mean the same everywhere: `ts` is when something was said and `received` when it reached LIRA, `touched`, `due` and `expires` are
the wall clock, all in microseconds since 1970 UTC; `utc_offset` is in microseconds. The order of memories is (ts, received, n, seq), where
`n` is the position in the write; AUTOINCREMENT keeps a `seq` from ever being used twice. What was received at or before a user's row in
`cuts` is deleted, whether its rows are gone already or not: every reader looks only past the cut.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import orjson

from lira_core.stores.sqlite.codes import encoded

V1_ENCODER, V1_DIMENSIONS = "e5-small-ko-en-99629ba8-384", 384
"""The encoder that came with LIRA while files had schema 1, which did not say whose vectors it holds;
its name as `lira_core.model_folder.encoder_id` gives it."""

_OLD = ("sessions", "messages", "turns", "deferred", "events", "memories", "facts", "terms", "vectors", "vector_users")
_OLD_INDEXES = ("sessions_touched", "turns_touched", "memories_newest", "memories_feeling", "facts_slot", "facts_predicate", "facts_key")

_DELETED = (
    """CREATE TABLE cuts (
        role TEXT NOT NULL, user_id TEXT NOT NULL, cut INTEGER NOT NULL, touched INTEGER NOT NULL,
        PRIMARY KEY (role, user_id)) WITHOUT ROWID""",
    "CREATE INDEX cuts_touched ON cuts (role, touched)",
    """CREATE TABLE tombstones (
        role TEXT NOT NULL, user_id TEXT NOT NULL, memory_id TEXT NOT NULL, cut INTEGER NOT NULL, touched INTEGER NOT NULL,
        PRIMARY KEY (role, user_id, memory_id)) WITHOUT ROWID""",
    "CREATE INDEX tombstones_touched ON tombstones (role, touched)",
)

_OUTBOX = (
    # `renewed`: asked for again while somebody held it, so that their `done` does not end it.
    """CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL,
        received INTEGER, payload TEXT, due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, claimed INTEGER NOT NULL DEFAULT 0,
        renewed INTEGER NOT NULL DEFAULT 0, dead INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '',
        UNIQUE (queue, user_id, id))""",
    "CREATE INDEX outbox_oldest ON outbox (queue, user_id, seq) WHERE dead = 0",
    "CREATE INDEX outbox_due ON outbox (queue, user_id, due) WHERE dead = 0",
    "CREATE INDEX outbox_dead ON outbox (queue, seq) WHERE dead = 1",
    # What a deferred write carries (its memories), is (its turn) and quotes.
    """CREATE TABLE outbox_names (
        seq INTEGER NOT NULL REFERENCES outbox (seq) ON DELETE CASCADE, user_id TEXT NOT NULL, name TEXT NOT NULL, carried INTEGER NOT NULL,
        PRIMARY KEY (user_id, name, seq)) WITHOUT ROWID""",
    "CREATE INDEX outbox_names_seq ON outbox_names (seq)",
    # Whose turn it is: `served` is the number of the claim that served the user last, `due` when any of theirs is due (NULL: none waits).
    """CREATE TABLE rotation (
        queue TEXT NOT NULL, user_id TEXT NOT NULL, served INTEGER NOT NULL, due INTEGER, PRIMARY KEY (queue, user_id)) WITHOUT ROWID""",
    "CREATE INDEX rotation_served ON rotation (queue, served, due)",
    "CREATE INDEX rotation_due ON rotation (queue, due) WHERE due IS NOT NULL",
    "CREATE INDEX rotation_idle ON rotation (queue, served) WHERE due IS NULL",
    "CREATE TABLE queues (queue TEXT PRIMARY KEY, claims INTEGER NOT NULL) WITHOUT ROWID",
)

_SHORT_TERM = (
    # `received` is the newest of any turn, `buffered` that of the turn whose recalled memories it holds.
    """CREATE TABLE sessions (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, ts INTEGER NOT NULL, utc_offset INTEGER NOT NULL, touched INTEGER NOT NULL,
        received INTEGER NOT NULL, buffered INTEGER NOT NULL, next_n INTEGER NOT NULL, recalled TEXT NOT NULL,
        PRIMARY KEY (user_id, session_id))""",
    "CREATE INDEX sessions_touched ON sessions (touched)",
    """CREATE TABLE messages (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, n INTEGER NOT NULL, received INTEGER NOT NULL, turn_id TEXT,
        role TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (user_id, session_id, n),
        FOREIGN KEY (user_id, session_id) REFERENCES sessions ON DELETE CASCADE) WITHOUT ROWID""",
    "CREATE INDEX messages_turn ON messages (user_id, turn_id)",
    """CREATE TABLE session_quotes (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, memory_id TEXT NOT NULL,
        PRIMARY KEY (user_id, session_id, turn_id, memory_id),
        FOREIGN KEY (user_id, session_id) REFERENCES sessions ON DELETE CASCADE) WITHOUT ROWID""",
    "CREATE INDEX session_quotes_memory ON session_quotes (user_id, memory_id)",
    # Outlives its session: a turn that comes again a day later is known.
    """CREATE TABLE turns (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, received INTEGER NOT NULL, touched INTEGER NOT NULL,
        PRIMARY KEY (user_id, session_id, turn_id)) WITHOUT ROWID""",
    "CREATE INDEX turns_touched ON turns (touched)",
    """CREATE TABLE session_cuts (
        user_id TEXT NOT NULL, session_id TEXT NOT NULL, cut INTEGER NOT NULL, touched INTEGER NOT NULL,
        PRIMARY KEY (user_id, session_id)) WITHOUT ROWID""",
    "CREATE INDEX session_cuts_touched ON session_cuts (touched)",
    """CREATE TABLE answers (
        user_id TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, body BLOB, received INTEGER NOT NULL, expires INTEGER NOT NULL,
        PRIMARY KEY (user_id, key))""",
    "CREATE INDEX answers_expires ON answers (expires)",
    """CREATE TABLE answer_quotes (
        user_id TEXT NOT NULL, key TEXT NOT NULL, memory_id TEXT NOT NULL, PRIMARY KEY (user_id, key, memory_id),
        FOREIGN KEY (user_id, key) REFERENCES answers ON DELETE CASCADE) WITHOUT ROWID""",
    "CREATE INDEX answer_quotes_memory ON answer_quotes (user_id, memory_id)",
)

_RECORD = (
    """CREATE TABLE events (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, id TEXT NOT NULL, received INTEGER NOT NULL, turn_id TEXT NOT NULL,
        session_id TEXT NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL, ts INTEGER NOT NULL, utc_offset INTEGER NOT NULL,
        UNIQUE (user_id, id))""",
    """CREATE TABLE quotes (
        user_id TEXT NOT NULL, memory_id TEXT NOT NULL, event INTEGER NOT NULL REFERENCES events (seq) ON DELETE CASCADE,
        PRIMARY KEY (user_id, memory_id, event)) WITHOUT ROWID""",
    # `body` is the memory itself; the other columns, `facts` and `terms` are what it is looked up by, `vocabulary` and `tallies` what BM25 counts.
    """CREATE TABLE memories (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, id TEXT NOT NULL, ts INTEGER NOT NULL, utc_offset INTEGER NOT NULL,
        received INTEGER NOT NULL, n INTEGER NOT NULL, feeling TEXT, feeling_score REAL, length INTEGER NOT NULL, body TEXT NOT NULL,
        UNIQUE (user_id, id))""",
    """CREATE TABLE facts (
        memory INTEGER NOT NULL REFERENCES memories (seq) ON DELETE CASCADE, fact INTEGER NOT NULL, user_id TEXT NOT NULL,
        subject TEXT NOT NULL, predicate TEXT NOT NULL, key TEXT, ts INTEGER NOT NULL, received INTEGER NOT NULL, n INTEGER NOT NULL,
        PRIMARY KEY (memory, fact)) WITHOUT ROWID""",
    """CREATE TABLE terms (
        user_id TEXT NOT NULL, term TEXT NOT NULL, ts INTEGER NOT NULL, received INTEGER NOT NULL, n INTEGER NOT NULL,
        memory INTEGER NOT NULL, frequency INTEGER NOT NULL, length INTEGER NOT NULL,
        PRIMARY KEY (user_id, term, ts, received, n, memory)) WITHOUT ROWID""",
    "CREATE TABLE vocabulary (user_id TEXT NOT NULL, term TEXT NOT NULL, held INTEGER NOT NULL, PRIMARY KEY (user_id, term)) WITHOUT ROWID",
    "CREATE TABLE index_plan (one INTEGER PRIMARY KEY CHECK (one = 1), serving TEXT, building TEXT)",
    "CREATE TABLE leases (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID",
)

_RECORD_INDEXES = (
    "CREATE INDEX events_received ON events (user_id, received)",
    "CREATE INDEX events_turn ON events (user_id, turn_id)",
    "CREATE INDEX quotes_event ON quotes (event)",
    "CREATE INDEX memories_newest ON memories (user_id, ts, received, n)",
    "CREATE INDEX memories_received ON memories (user_id, received, length)",
    "CREATE INDEX memories_feeling ON memories (user_id, feeling, ts, received, n, feeling_score) WHERE feeling IS NOT NULL",
    "CREATE INDEX facts_slot ON facts (user_id, predicate, subject, ts, received, n, memory)",
    "CREATE INDEX facts_predicate ON facts (user_id, predicate, ts, received, n, memory)",
    "CREATE INDEX facts_key ON facts (user_id, key, ts, received, n, memory) WHERE key IS NOT NULL",
)

_VECTORS = (
    # An index that is dropped is called `dropped:` and its number until its rows are gone: nobody finds it by that name.
    """CREATE TABLE encoders (
        number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, dimensions INTEGER NOT NULL, UNIQUE (name, dimensions))""",
    """CREATE TABLE vectors (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, encoder INTEGER NOT NULL, user_id TEXT NOT NULL, memory_id TEXT NOT NULL,
        received INTEGER NOT NULL, vector BLOB NOT NULL, UNIQUE (encoder, user_id, memory_id))""",
    "CREATE INDEX vectors_received ON vectors (user_id, received)",
    "CREATE TABLE vector_bodies (seq INTEGER PRIMARY KEY REFERENCES vectors (seq) ON DELETE CASCADE, body TEXT NOT NULL)",
    # What a search keeps in memory, side by side on the disk. `codes` is what `codes.encoded` made of the vector.
    """CREATE TABLE vector_codes (
        encoder INTEGER NOT NULL, user_id TEXT NOT NULL, seq INTEGER NOT NULL, ts INTEGER NOT NULL, received INTEGER NOT NULL, codes BLOB NOT NULL,
        PRIMARY KEY (encoder, user_id, seq)) WITHOUT ROWID""",
    # `epoch` is drawn anew whenever many of a user's rows are deleted.
    """CREATE TABLE vector_users (
        encoder INTEGER NOT NULL, user_id TEXT NOT NULL, epoch INTEGER NOT NULL, newest INTEGER NOT NULL,
        PRIMARY KEY (encoder, user_id)) WITHOUT ROWID""",
    "CREATE INDEX vector_users_user ON vector_users (user_id)",
)

# What schema 1 did not know: nothing was received after anything, a turn's reply was named after it, and `seq` was the order of equals.
_COPY_SESSIONS = (
    "INSERT INTO sessions SELECT user_id, session_id, ts, utc_offset, touched, 0, 0, next_n, recalled FROM sessions_1",
    "INSERT INTO messages SELECT user_id, session_id, n, 0, NULL, role, content FROM messages_1",
    "INSERT INTO turns SELECT user_id, session_id, turn_id, 0, touched FROM turns_1",
)
_COPY_RECORD = (
    "INSERT INTO events SELECT seq, user_id, id, 0, CASE WHEN role = 'lira' AND id LIKE '%:reply' THEN substr(id, 1, length(id) - 6) ELSE id END,"
    " session_id, role, text, ts, utc_offset FROM events_1 ORDER BY seq",
    "INSERT INTO memories SELECT seq, user_id, id, ts, utc_offset, 0, seq, feeling, feeling_score, length, body FROM memories_1 ORDER BY seq",
    "INSERT INTO facts SELECT memory, n, user_id, subject, predicate, key, ts, 0, memory FROM facts_1",
    "INSERT INTO terms SELECT t.user_id, t.term, m.ts, 0, m.seq, m.seq, t.frequency, t.length"
    " FROM terms_1 t JOIN memories m ON m.user_id = t.user_id AND m.id = t.memory_id",
    "INSERT INTO vocabulary SELECT user_id, term, count(*) FROM terms GROUP BY user_id, term",
    "INSERT INTO index_plan VALUES (1, NULL, NULL)",
)


def _copy_deferred(connection: sqlite3.Connection) -> None:
    for seq, user_id, event_id, payload in connection.execute("SELECT seq, user_id, event_id, payload FROM deferred_1 ORDER BY seq").fetchall():
        names: list[str] = []
        try:
            raw = orjson.loads(payload)
            event, memories = raw["event"], [raw["memory"]] if raw["memory"] else []
            turn = event["id"].removesuffix(":reply") if event["role"] == "lira" else event["id"]
            write = {"id": event_id, "user_id": user_id, "received": 0, "event": event | {"turn_id": turn, "quotes": []}, "memories": memories}
            payload, names = orjson.dumps(write).decode(), [turn, *(memory["id"] for memory in memories)]
        except (ValueError, KeyError, TypeError):
            # Given to the outbox as it is, which calls it dead and shows it.
            memories = []
        connection.execute(
            "INSERT INTO outbox (seq, queue, user_id, id, received, payload, due) VALUES (?, 'deferred', ?, ?, 0, ?, 0)",
            (seq, user_id, event_id, payload),
        )
        carried = {memory["id"] for memory in memories}
        for name in dict.fromkeys(names):
            connection.execute("INSERT INTO outbox_names VALUES (?, ?, ?, ?)", (seq, user_id, name, name in carried))


def _copy_vectors(connection: sqlite3.Connection) -> None:
    """Those of the bundled encoder's length whose memory is in this file; what has none then waits for one."""
    cursor = connection.execute(
        "SELECT v.user_id, v.memory_id, v.vector, m.ts, m.body FROM vectors_1 v JOIN memories m ON m.user_id = v.user_id AND m.id = v.memory_id"
        " WHERE length(v.vector) = ? ORDER BY v.seq",
        (4 * V1_DIMENSIONS,),
    )
    number = None
    while rows := cursor.fetchmany(1000):
        if number is None:
            number = connection.execute("INSERT INTO encoders (name, dimensions) VALUES (?, ?)", (V1_ENCODER, V1_DIMENSIONS)).lastrowid
        for user_id, memory_id, vector, ts, body in rows:
            seq = connection.execute(
                "INSERT INTO vectors (encoder, user_id, memory_id, received, vector) VALUES (?, ?, ?, 0, ?)", (number, user_id, memory_id, vector)
            ).lastrowid
            connection.execute("INSERT INTO vector_bodies VALUES (?, ?)", (seq, body))
            connection.execute("INSERT INTO vector_codes VALUES (?, ?, ?, ?, 0, ?)", (number, user_id, seq, ts, encoded(vector)))
    connection.execute("INSERT INTO vector_users SELECT encoder, user_id, random(), max(seq) FROM vector_codes GROUP BY encoder, user_id")


def _fill_outbox(connection: sqlite3.Connection) -> None:
    """What had no vector yet still waits for one; a file that held memories serves the bundled encoder."""
    if connection.execute("SELECT 1 FROM memories LIMIT 1").fetchone():
        connection.execute("UPDATE index_plan SET serving = ?", (V1_ENCODER,))
        connection.execute(
            "INSERT INTO outbox (queue, user_id, id, received, due) SELECT 'unindexed:' || ?, m.user_id, m.id, 0, 0 FROM memories_1 m"
            " WHERE m.indexed = 0 OR NOT EXISTS (SELECT 1 FROM vectors v WHERE v.user_id = m.user_id AND v.memory_id = m.id"
            " AND v.encoder = (SELECT number FROM encoders)) ORDER BY m.seq",
            (V1_ENCODER,),
        )
    connection.execute("INSERT INTO queues SELECT DISTINCT queue, 1 FROM outbox")
    connection.execute("INSERT INTO rotation SELECT queue, user_id, 0, 0 FROM outbox GROUP BY queue, user_id")


STEPS: tuple[str | Callable[[sqlite3.Connection], None], ...] = (
    *(f"DROP INDEX {name}" for name in _OLD_INDEXES),
    *(f"ALTER TABLE {name} RENAME TO {name}_1" for name in _OLD),
    *(*_DELETED, *_OUTBOX, *_SHORT_TERM, *_RECORD, *_VECTORS),
    *(*_COPY_SESSIONS, *_COPY_RECORD),
    *_RECORD_INDEXES,
    _copy_deferred,
    _copy_vectors,
    _fill_outbox,
    # Those that refer to others first: what is dropped takes what refers to it along.
    *(
        f"DROP TABLE {name}_1"
        for name in ("messages", "turns", "sessions", "deferred", "events", "facts", "terms", "memories", "vectors", "vector_users")
    ),
)
