"""Ray's environment where LIRA runs, on one machine and on Kubernetes alike.

`lira serve` sets it, and k8s/base/ray.env says the same, which a test sees to. What only one of them needs (loopback, free ports, KubeRay's own)
stands there: `lira_cli/serve.py`, k8s/base/rayservice.yaml. Ray reads most of it while it is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from deployments.ray_patches import without_pandas

PROXY_READY_WITHIN_S: Final = 30
"""A proxy may wait so long for its HAProxy (Ray 2.60's own RAY_SERVE_HAPROXY_STARTUP_TIMEOUT_S), and Serve kills one that is not ready after 5 s
(RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S): on a machine that is busy with something else it was killed, begun anew and killed again."""
MESSAGE_BYTES: Final = 64 * 1024 * 1024
"""An import of 256 texts of 4,000 Hangul is 3 MB, and a page of memories may be as large; gRPC's own bound is 4."""

DEFAULTS: Final[Mapping[str, str]] = {
    "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1",
    "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": str(PROXY_READY_WITHIN_S),
    "RAY_worker_niceness": "0",
    # glibc gives threads up to eight heaps a core, and what one freed no other takes: 60 of 1,660 MB (docs/performance.md).
    "MALLOC_ARENA_MAX": "2",
}
"""Somebody's own choice of these stands."""
FIXED: Final[Mapping[str, str]] = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH": "deployments.guard:middlewares",
    "RAY_SERVE_REPLICA_GRPC_MAX_MESSAGE_LENGTH": str(MESSAGE_BYTES),
    without_pandas.HOOK_VARIABLE: without_pandas.HOOK,
}
HAPROXY_DEFAULTS: Final[Mapping[str, str]] = {"RAY_SERVE_ENABLE_HA_PROXY": "1"}
"""As DEFAULTS, where there is an HAProxy."""
HAPROXY_FIXED: Final[Mapping[str, str]] = {
    "RAY_SERVE_HAPROXY_METRICS_ENABLED": "0",
    # HAProxy's access log would carry user ids to whatever listens for syslog: the discard port takes it.
    "RAY_SERVE_HAPROXY_LOG_TARGET": "127.0.0.1:9",
}


def everywhere() -> dict[str, str]:
    """All of it: what a node of a cluster has, whose image brings an HAProxy."""
    return {**DEFAULTS, **FIXED, **HAPROXY_DEFAULTS, **HAPROXY_FIXED}
