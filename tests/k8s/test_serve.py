"""The Serve configs: as `lira serve` would check them, and whether their replicas have room on the nodes that the RayService has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from deployments.args import Args
from deployments.autoscaling import TokensAtWork
from deployments.config import checked, read_config

from .kustomize import K8S
from .objects import container, every_kustomization, rayservice, serve_file, workers

CLUSTER = K8S.parent / "cluster"


def application(name: str) -> dict[str, Any]:
    raw, _ = read_config(serve_file(name))
    (one,) = raw["applications"]
    return dict(one)


def deployments(name: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in application(name)["deployments"]}


def least(name: str) -> dict[str, int]:
    return {deployment: told["autoscaling_config"]["min_replicas"] for deployment, told in deployments(name).items()}


@every_kustomization
def test_the_rayservice_holds_the_config_that_is_checked(name: str) -> None:
    text = rayservice(name)["spec"]["serveConfigV2"]
    assert text == serve_file(name).read_text("utf-8")
    checked(yaml.safe_load(text), "serveConfigV2")


@every_kustomization
def test_every_stage_says_how_many_and_of_what(name: str) -> None:
    _, schema = read_config(serve_file(name))
    (one,) = schema.applications
    args = application(name)["args"]
    assert one.import_path == "deployments.app:build"
    for deployment, told in deployments(name).items():
        assert told["autoscaling_config"]["min_replicas"] <= told["autoscaling_config"]["max_replicas"]
        if deployment != "Generator" or "llm" not in args:
            assert told["ray_actor_options"]["num_cpus"] > 0


@every_kustomization
def test_the_least_of_every_stage_has_room_on_the_fewest_nodes(name: str) -> None:
    group = workers(name)["cpu"]
    cores = group["minReplicas"] * int(group["rayStartParams"]["num-cpus"])
    wanted = sum(least(name)[stage] * told["ray_actor_options"]["num_cpus"] for stage, told in deployments(name).items() if stage != "Generator")
    assert wanted <= cores
    door = deployments(name)["ChatIngress"]
    assert door["max_replicas_per_node"] == 1
    assert least(name)["ChatIngress"] == group["minReplicas"] >= 2, "every node that serves has a door of its own, and there are two"
    assert door["autoscaling_config"]["max_replicas"] <= group["maxReplicas"]


@every_kustomization
def test_ray_offers_the_cores_that_the_pod_asks_for(name: str) -> None:
    for group in workers(name).values():
        assert group["rayStartParams"]["num-cpus"] == container(group)["resources"]["requests"]["cpu"]


def test_a_language_model_fills_a_node_with_a_gpu() -> None:
    """What is left over would be taken by another stage, which then keeps a node with a GPU alive."""
    llm = application("gpu")["args"]["llm"]
    bundle = llm["placement_group_config"]["bundle_per_worker"]
    size = llm["engine_kwargs"]["tensor_parallel_size"]
    group = workers("gpu")["gpu"]
    asked = container(group)["resources"]["requests"]
    assert size * bundle["CPU"] + llm["deployment_config"]["ray_actor_options"]["num_cpus"] == int(group["rayStartParams"]["num-cpus"])
    assert size * bundle["GPU"] == int(asked["nvidia.com/gpu"])
    assert deployments("gpu")["Generator"]["autoscaling_config"]["max_replicas"] <= group["maxReplicas"]


def test_with_gpus_a_pod_runs_the_config_of_the_cluster_room() -> None:
    (outside,) = yaml.safe_load((CLUSTER / "gpu.yaml").read_text("utf-8"))["applications"]
    assert application("gpu")["args"] == outside["args"]
    there = {one["name"]: one for one in outside["deployments"]}
    there["ChatIngress"]["max_replicas_per_node"] = 1
    assert deployments("gpu") == there


@every_kustomization
def test_the_stages_that_run_models_scale_by_the_tokens_at_work(name: str) -> None:
    args = Args.model_validate(application(name)["args"])
    policies = {stage: deployments(name)[stage]["autoscaling_config"]["policy"]["policy_function"] for stage in args.stages}
    assert set(policies.values()) == {f"{TokensAtWork.__module__}:{TokensAtWork.__name__}"}


@pytest.mark.parametrize("name", ["gpu", "api"])
def test_an_overlay_changes_only_what_writes_the_answers_and_who_waits_for_them(name: str) -> None:
    base, other = deployments("base"), deployments(name)
    assert set(other) - set(base) <= {"Generator"}
    assert {stage for stage in base if base[stage] != other[stage]} == {"RecallOrchestrator"}
    same = ("proxy_location", "http_options", "logging_config")
    files = [yaml.safe_load(Path(serve_file(one)).read_text("utf-8")) for one in ("base", name)]
    assert [files[0][key] for key in same] == [files[1][key] for key in same]
