"""The index by meaning in Milvus (2.5 or newer; milvus.io/docs), or in a Milvus Lite folder, which one process serves."""

from __future__ import annotations

from lira_core.stores import Opening
from lira_core.stores.milvus.address import Lite, parse
from lira_core.stores.ports import StoreRejected, Vectors

__all__ = ["open_vectors"]


async def open_vectors(opening: Opening) -> Vectors:
    """The vectors of `opening.options.encoder`. A server that is away is one warning, and is connected to when it is back.

    StoreRejected, naming `opening.setting`, for a wrong URL, a refused token, a collection that is not ours, and for a folder that cannot
    be used or that another process holds.
    """
    address = parse(opening.url, opening.setting)
    # Each form has packages of its own: a server needs no faiss, and a folder no gRPC.
    try:
        if isinstance(address, Lite):
            from lira_core.stores.milvus.lite_vectors import open_folder

            return await open_folder(address.path, opening.options.encoder, opening.setting)
        from lira_core.stores.milvus.server import open_server

        return await open_server(address, opening.options.encoder, opening.setting)
    except ModuleNotFoundError as error:
        raise StoreRejected(
            f"{opening.setting}=milvus://... needs the package {error.name}: pip install 'lira[cluster]', or EXTRAS=cluster make serve"
        ) from error
