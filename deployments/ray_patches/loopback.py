"""Keep a replica's own listener on loopback.

Ray Serve 2.60 binds the gRPC server through which replicas talk to every interface (`[::]:0`,
`ray/serve/_private/replica.py`), and that server unpickles what it is sent. On one machine nobody outside needs it.
"""

from __future__ import annotations

import os
from typing import Any

VARIABLE = "RAY_SERVE_REPLICA_LOOPBACK_ONLY"
"""Set to 1 by `lira serve` while it serves this machine alone; unset on a cluster, where replicas live on several nodes."""


def stay_on_loopback() -> None:
    """Called in a replica's constructor, which runs before Serve opens that server."""
    if os.environ.get(VARIABLE) != "1":
        return
    from ray.serve._private import replica

    bind = replica.add_port_to_grpc_server
    if getattr(bind, "loopback", False):
        return

    def on_loopback(server: Any, address: str) -> int:
        return int(bind(server, address.replace("[::]:", "127.0.0.1:")))

    on_loopback.loopback = True
    replica.add_port_to_grpc_server = on_loopback
