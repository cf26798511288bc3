"""The record on MongoDB (a replica set or a sharded cluster, 6.0 or newer): `mongodb://` and `mongodb+srv://`.

`user_id` is the shard key of every collection that holds something of a person; `schema` says why each index is there.
"""

from __future__ import annotations

from lira_core.stores import Opening
from lira_core.stores.mongo.record import MongoRecord
from lira_core.stores.mongo.server import Server

__all__ = ["open_record"]


async def open_record(opening: Opening) -> MongoRecord:
    """StoreRejected, naming the setting, for a wrong URL, a refused password, a standalone server, a newer or another program's database.

    A server that is away is waited for: the collections are made by the first call that reaches it.
    """
    server = Server(opening.url, opening.setting)
    try:
        await server.begin()
    except BaseException:
        await server.close()
        raise
    return MongoRecord(server, opening.options.encoder)
