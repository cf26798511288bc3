"""Whose work a call is, so that a stage which keeps what it lately read is asked at the same replica for the same person.

It counts where a stage's `request_router_config` names Ray's ConsistentHashRouter, as `cluster/gpu.yaml` does for vLLM (the prefix of a person's
prompt). Serve's own router, which looks at the queues alone, takes no notice of it.
"""

from __future__ import annotations

import zlib
from contextvars import ContextVar
from typing import Any, Final

from ray.serve.handle import DeploymentHandle

PARTS: Final = 256
"""Of the users; those of one part share a replica. Some 16 for each of 16 replicas, and no user's id leaves for a router or its logs."""

_part: ContextVar[str] = ContextVar("part", default="")


def work_for(user_id: str) -> None:
    """The calls of this task, and of the tasks that it starts, are this person's."""
    _part.set(part_of(user_id))


def part_of(user_id: str) -> str:
    """The same in every process; of nobody none."""
    return str(zlib.crc32(user_id.encode()) % PARTS) if user_id else ""


class ByUser:
    """A handle for each part of the users, made when it is first asked for: Serve tells its telemetry of every handle that is made."""

    def __init__(self, handle: DeploymentHandle[Any]) -> None:
        self._nobodys, self._handles = handle, dict[str, DeploymentHandle[Any]]()

    def __call__(self) -> DeploymentHandle[Any]:
        """Of whom the task works for."""
        if not (part := _part.get()):
            return self._nobodys
        if part not in self._handles:
            self._handles[part] = self._nobodys.options(session_id=part)
        return self._handles[part]
