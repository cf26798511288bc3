"""Schema 5: `derived` of a memory is the version of the rules that found its facts and terms; with the cut it is counted by the index alone."""

from __future__ import annotations

STEPS: tuple[str, ...] = (
    "ALTER TABLE memories ADD COLUMN derived INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX memories_derived ON memories (derived, user_id, received)",
)
