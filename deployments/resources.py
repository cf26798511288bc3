"""What replicas reserve of a cluster, and whether it has that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.serve.schema import DeploymentSchema, ServeDeploySchema

UNRESERVED: dict[str, Any] = {"num_cpus": 0}
"""Unless a Serve config says what a replica takes it is placed anywhere; Serve's own default is a whole core for each."""
KINDS = {"CPU": "num_cpus", "GPU": "num_gpus"}


def lacking(schema: ServeDeploySchema, has: Mapping[str, float]) -> str | None:
    """A sentence where the replicas that a config starts with need more CPUs or GPUs than `has` (Ray's `cluster_resources`).

    Serve would wait for them without an end: for one machine, where nothing adds nodes.
    """
    for kind, option in KINDS.items():
        needs = {
            name: amount
            for application in schema.applications
            for name, amount in (
                *((deployment.name, _replicas(deployment) * _reserved(deployment, option)) for deployment in application.deployments),
                ("args.llm", _of_llm(application.args.get("llm"), kind)),
            )
            if amount
        }
        if (needed := sum(needs.values())) > (there := has.get(kind, 0.0)):
            told = ", ".join(f"{name} {amount:g}" for name, amount in needs.items())
            return (
                f"The config asks for {needed:g} {kind}{'s' if needed != 1 else ''} ({told}), and this machine has {there:g}: lower {option} under "
                f"ray_actor_options{', or num_replicas' if needed > 1 else ''}, or use a config for what is there, such as cluster/local.yaml."
            )
    return None


def _replicas(deployment: DeploymentSchema) -> float:
    scaling = deployment.autoscaling_config
    if isinstance(scaling, Mapping) and scaling:
        return float(scaling.get("initial_replicas") or scaling.get("min_replicas", 1))
    return float(deployment.num_replicas) if isinstance(deployment.num_replicas, int) else 1.0


def _reserved(deployment: DeploymentSchema, option: str) -> float:
    options = deployment.ray_actor_options
    told = getattr(options, option, None) if hasattr(options, option) else None
    return float(told) if isinstance(told, int | float) else 0.0


def _of_llm(llm: Any, kind: str) -> float:
    bundle = ((llm or {}).get("placement_group_config") or {}).get("bundle_per_worker") or {}
    workers = ((llm or {}).get("engine_kwargs") or {}).get("tensor_parallel_size", 1)
    return float(bundle.get(kind, 0)) * workers
