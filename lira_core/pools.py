"""Threads for what would hold up the event loop, one small pool per kind of work, so that none takes another's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SIZES: Final = {"understand": 2, "rank": 2, "import": 1}
"""Morphemes and ranking are Python and share the interpreter's lock: more threads than cores would only take turns. An import of a
megabyte of text works through one thread, whatever else goes on."""


class Pools:
    """Each pool's threads start when they are first needed."""

    def __init__(self) -> None:
        self._pools = {name: ThreadPoolExecutor(size, thread_name_prefix=f"lira-{name}") for name, size in SIZES.items()}

    async def run(self, pool: str, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of `work` in a thread of the pool. Cancelled before it starts, it does not run."""
        return await asyncio.get_running_loop().run_in_executor(self._pools[pool], lambda: work(*args, **kwargs))

    def close(self) -> None:
        """Drops what has not started; does not wait for what runs."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
