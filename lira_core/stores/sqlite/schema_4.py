"""Schema 4: summaries. `start` and `ending` are in microseconds as every time here; `oldest` is when the first of the utterances that a summary rests
on was received: at or before a user's cut it is deleted."""

from __future__ import annotations

STEPS: tuple[str, ...] = (
    """CREATE TABLE summaries (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, user_id TEXT NOT NULL, scope TEXT NOT NULL, grp TEXT NOT NULL,
        start INTEGER NOT NULL, ending INTEGER NOT NULL, oldest INTEGER NOT NULL, body TEXT NOT NULL)""",
    "CREATE INDEX summaries_newest ON summaries (user_id, scope, ending)",
    "CREATE INDEX summaries_group ON summaries (user_id, scope, grp)",
    "CREATE INDEX summaries_oldest ON summaries (user_id, oldest)",
    """CREATE TABLE summary_turns (
        user_id TEXT NOT NULL, turn_id TEXT NOT NULL, summary INTEGER NOT NULL REFERENCES summaries (seq) ON DELETE CASCADE,
        PRIMARY KEY (user_id, turn_id, summary)) WITHOUT ROWID""",
    "CREATE INDEX summary_turns_summary ON summary_turns (summary)",
)
