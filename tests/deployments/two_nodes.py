"""`lira serve` on a Ray cluster of two nodes on this machine; takes the arguments of `served.COMMAND`, in whose place it is started.

Everything but `lira_cli.serve._ray` is as it is: there `ray.init(address="local")` makes one node, here Ray's own cluster utility makes two, each
with its raylet and its workers, both on loopback.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from deployments.ray_patches.lean import lean_ray
from lira_cli import processes
from lira_cli import serve as serving

ROOM = {"num_cpus": 2, "object_store_memory": serving.OBJECT_STORE_BYTES, "node_ip_address": "127.0.0.1", "include_dashboard": False}


@contextmanager
def two_nodes(folder: Path) -> Iterator[None]:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(shutdown_at_exit=False)
    try:
        with lean_ray():
            cluster.add_node(**ROOM, temp_dir=str(folder / "ray"))
            cluster.add_node(**ROOM)
            ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR, namespace="serve", _node_ip_address="127.0.0.1")
        yield
    finally:
        with redirect_stdout(sys.stderr):
            processes.within(10, serving._end_serve)
            processes.within(10, ray.shutdown)
            processes.within(20, cluster.shutdown)


if __name__ == "__main__":
    config, port, data = json.loads(sys.argv[1])
    serving._ray = two_nodes
    sys.exit(serving.serve(Path(config) if config else None, port, Path(data) if data else None))
