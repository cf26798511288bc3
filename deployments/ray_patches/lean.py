"""A Ray for one machine without what serves a cluster.

Ray 2.60's `ray.init` has no options for them (`ray/_private/node.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def lean_ray() -> Iterator[None]:
    """Within, `ray.init` starts no autoscaler monitor, no dashboard server and no log forwarder.

    One machine has nothing to scale, `lira serve` shows no dashboard, and replicas log into files: together these three
    would take 170 MB and two seconds of the start. `ray.init` has no options for them.
    """
    from ray._private.node import Node

    spared = {name: getattr(Node, name) for name in ("start_monitor", "start_api_server", "start_log_monitor")}
    for name in spared:
        setattr(Node, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for name, method in spared.items():
            setattr(Node, name, method)
