"""Ray Serve without pandas, where pandas is installed.

Ray Serve 2.60 imports pandas if it can (`ray/serve/_private/utils.py`), to encode data frames that a deployment returns, and pandas imports PyArrow
where that is there too. LIRA returns no data frame; who needs pandas itself, as the client of Milvus does, still gets it.
"""

from __future__ import annotations

import sys

HOOK_VARIABLE = "__RAY_WORKER_PROCESS_SETUP_HOOK_ENV_VAR"
"""`ray._private.ray_constants.WORKER_PROCESS_SETUP_HOOK_ENV_VAR`: names what a worker runs when it starts. The `worker_process_setup_hook` of
`ray.init` sets it too, and takes a runtime environment for it, which each worker waits for."""
HOOK = "deployments.ray_patches.without_pandas.import_serve"


def import_serve() -> None:
    """Imports Ray Serve while pandas cannot be imported. Does nothing to a pandas that is imported already."""
    hidden = "pandas" not in sys.modules
    if hidden:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # the way to say that there is none
    try:
        import ray.serve  # noqa: F401
    finally:
        if hidden:
            del sys.modules["pandas"]
