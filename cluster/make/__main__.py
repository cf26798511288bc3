"""`python -m cluster.make`: writes what is made of something else, which is checked in beside it.

cluster/grafana/dashboards/*.json of `dashboards.py`; alerts and Serve configs of k8s/ by `kubernetes.py`.
"""

from __future__ import annotations

from pathlib import Path

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from cluster.make import kubernetes
from cluster.make.dashboards import all_dashboards


def files() -> dict[Path, str]:
    """What each file must hold."""
    encoder = JSONEncoder(sort_keys=True, indent=1, ensure_ascii=False)
    folder = kubernetes.CLUSTER / "grafana" / "dashboards"
    return {folder / f"{name}.json": encoder.encode(board.build()) + "\n" for name, board in all_dashboards().items()} | kubernetes.files()


if __name__ == "__main__":
    for path, text in files().items():
        path.write_text(text, "utf-8")
