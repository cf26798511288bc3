"""`/metrics`: what this node's Ray agent exports for Prometheus, and of it by default LIRA's own."""

from __future__ import annotations

import asyncio
import http.client
import re
import urllib.request
from typing import Final

import ray

from deployments.problems import Problem

AGENT_WITHIN_S: Final = 5.0
"""The agent answers a megabyte in 0.1 s on two idle cores."""
# Lines are whole: the text format writes a newline inside of a label as backslash and n.
_OURS: Final = re.compile(r"^(?:# (?:HELP|TYPE) )?[\w:]*lira_[\w:]*(?:[ {].*)?\n?", re.MULTILINE | re.ASCII)


async def node_metrics(everything: bool = False) -> str:
    """The Prometheus text of LIRA's metrics on this node; with `everything` also Ray's own, which are five times as many bytes (1.1 MB in all).

    Problem(503) where the agent is off or away.
    """
    try:
        text = await asyncio.to_thread(_fetch_metrics)
    except (OSError, LookupError, http.client.HTTPException) as error:
        raise Problem(503, f"This node exports no metrics ({error}).", retry_after=10) from error
    return text if everything else own_families(text)


def own_families(text: str) -> str:
    """Of a Prometheus text the families with `lira_` in their name: their HELP, TYPE and sample lines, as they were and in their order."""
    return "".join(_OURS.findall(text))


def _fetch_metrics() -> str:
    here = ray.get_runtime_context().get_node_id()
    node = next((node for node in ray.nodes() if node["NodeID"] == here), None)
    if node is None:
        raise LookupError("Ray does not list it")
    address = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"
    with urllib.request.urlopen(address, timeout=AGENT_WITHIN_S) as answered:
        return str(answered.read().decode("utf-8", "replace"))
