"""Version 4: which rules derived a memory's facts and terms (`derived`; memories of before have none) is looked up by an index."""

from __future__ import annotations

from typing import Any

from pymongo import ASCENDING, IndexModel
from pymongo.asynchronous.database import AsyncDatabase


async def look_up_the_rules(database: AsyncDatabase[dict[str, Any]]) -> None:
    # `_id` begins with the user: theirs are side by side.
    await database["memories"].create_indexes([IndexModel([("derived", ASCENDING), ("_id", ASCENDING)], name="memories_derived")])
