"""The index by meaning, and finding by words, in Weaviate (1.30 or newer; docs.weaviate.io)."""

from __future__ import annotations

import logging

from lira_core.stores import Opening
from lira_core.stores.ports import StoreUnavailable
from lira_core.stores.weaviate.address import parse
from lira_core.stores.weaviate.connection import Connection
from lira_core.stores.weaviate.vectors import WeaviateVectors

__all__ = ["WeaviateVectors", "open_vectors"]

logger = logging.getLogger(__name__)


async def open_vectors(opening: Opening) -> WeaviateVectors:
    """The vectors of `opening.options.encoder`; also `Lexical`. A server that is away is one warning, and is connected to when it is back.

    StoreRejected, naming `opening.setting`, for a wrong URL, a refused key, an old server, a collection that is not ours.
    """
    address = parse(opening.url, opening.setting)
    vectors = WeaviateVectors(Connection(address, opening.setting), opening.options.encoder)
    try:
        await vectors.ping()
    except StoreUnavailable as error:
        logger.warning("%s; LIRA goes on without it until it is there", error)
    except BaseException:
        await vectors.close()
        raise
    return vectors
