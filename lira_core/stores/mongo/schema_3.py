"""Version 3: summaries."""

from __future__ import annotations

from typing import Any

from pymongo import ASCENDING, IndexModel
from pymongo.asynchronous.database import AsyncDatabase


async def make_summaries(database: AsyncDatabase[dict[str, Any]]) -> None:
    await database["summaries"].create_indexes(
        [
            IndexModel([("user_id", ASCENDING), ("g", ASCENDING), ("scope", ASCENDING), ("ending", ASCENDING)], name="summaries_newest"),
            IndexModel([("user_id", ASCENDING), ("scope", ASCENDING), ("group", ASCENDING)], name="summaries_group"),
            # Deletions: of one utterance, and of everything until a cut.
            IndexModel([("user_id", ASCENDING), ("turns", ASCENDING)], name="summaries_turns"),
            IndexModel([("user_id", ASCENDING), ("oldest", ASCENDING)], name="summaries_oldest"),
        ]
    )
