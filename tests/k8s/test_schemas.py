"""Whether Kubernetes and KubeRay would take the objects: by their schemas, and by the rules that KubeRay has beyond its own."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest

from .objects import Object, cluster, container, every_kustomization, groups, of_kind, rayservice, rendered, workers

KUBERNETES = "1.30"
"""The oldest that k8s/README.md names: what is valid there is valid in newer ones, since none of these kinds loses fields within a version."""
OPERATORS = ("ray.io/", "monitoring.coreos.com/")
LONGEST_NAME = 47
"""Of a RayService: 63 for a Service's name, less what KubeRay appends to it (`utils.MaxRayServiceNameLength`)."""


def strict(schema: Any) -> Any:
    """The schema, refusing what it does not know, as an API server's strict validation does."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and not schema.get("x-kubernetes-preserve-unknown-fields"):
        inner.setdefault("additionalProperties", False)
    return inner


CRD = strict(json.loads(Path(__file__).with_name("rayservice-v1.schema.json").read_text("utf-8")))


def as_pod(group: str, told: Object) -> Object:
    """A pod as KubeRay would make it of a group's template."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": group, **told["template"]["metadata"]}, "spec": told["template"]["spec"]}


@every_kustomization
def test_every_object_of_kubernetes_is_one(name: str) -> None:
    for one in rendered(name):
        if not one["apiVersion"].startswith(OPERATORS):
            kubernetes_validate.validate(one, KUBERNETES, strict=True)


@every_kustomization
def test_every_pod_of_ray_is_one(name: str) -> None:
    for group, told in groups(name).items():
        kubernetes_validate.validate(as_pod(group, told), KUBERNETES, strict=True)


@every_kustomization
def test_the_rayservice_is_one_of_kuberay(name: str) -> None:
    jsonschema.validate(rayservice(name), CRD)


@pytest.mark.parametrize(
    "path",
    [
        ("spec", "rayClusterConfig", "workerGroupSpecs", 0, "minReplica"),
        ("spec", "upgradeStrategy", "clusterUpgradeOptions", "stepSize"),
        ("spec", "rayClusterConfig", "gcsFaultToleranceOptions", "redisAdress"),
    ],
    ids=lambda path: str(path[-1]),
)
def test_a_misspelt_field_of_a_rayservice_is_refused(path: tuple[str | int, ...]) -> None:
    wrong = deepcopy(rayservice("base"))
    place: Any = wrong
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = 1
    with pytest.raises(jsonschema.ValidationError, match=str(path[-1])):
        jsonschema.validate(wrong, CRD)


def test_a_misspelt_field_of_a_pod_is_refused() -> None:
    wrong = as_pod("cpu", deepcopy(workers("base")["cpu"]))
    wrong["spec"]["containers"][0]["readynessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="readynessProbe"):
        kubernetes_validate.validate(wrong, KUBERNETES, strict=True)


@every_kustomization
def test_names_are_those_that_kuberay_takes(name: str) -> None:
    told = rayservice(name)["metadata"]["name"]
    assert len(told) <= LONGEST_NAME
    assert re.fullmatch(r"[a-z]([-a-z0-9]*[a-z0-9])?", told)
    assert len({*workers(name)}) == len(cluster(name)["workerGroupSpecs"])


@every_kustomization
def test_an_upgrade_goes_by_steps_that_kuberay_takes(name: str) -> None:
    """`ValidateClusterUpgradeOptions`: the autoscaler has to be there, and percentages are percentages."""
    strategy = rayservice(name)["spec"]["upgradeStrategy"]
    assert strategy["type"] == "NewClusterWithIncrementalUpgrade"
    options = strategy["clusterUpgradeOptions"]
    assert 0 < options["stepSizePercent"] <= options["maxSurgePercent"] <= 100
    assert options["intervalSeconds"] > 0
    assert options["gatewayClassName"]
    assert cluster(name)["enableInTreeAutoscaling"]


@every_kustomization
def test_the_autoscaler_ends_pods_rather_than_restarts_them(name: str) -> None:
    """`ValidateRayClusterSpec`: version 2 wants `Never` or nothing."""
    assert cluster(name)["autoscalerOptions"]["version"] == "v2"
    assert {told["template"]["spec"].get("restartPolicy", "Never") for told in groups(name).values()} == {"Never"}
    for group in workers(name).values():
        assert 0 <= group["minReplicas"] <= group["maxReplicas"]


@every_kustomization
def test_the_control_stores_redis_is_named_in_one_place(name: str) -> None:
    """`ValidateRayClusterSpec` refuses what the options would say twice."""
    head = cluster(name)["headGroupSpec"]
    assert not {"redis-password", "redis-username"} & set(head["rayStartParams"])
    assert not {"REDIS_PASSWORD", "REDIS_USERNAME", "RAY_REDIS_ADDRESS"} & {one["name"] for one in container(head)["env"]}
    assert not any(key.startswith("ray.io/") for key in rayservice(name)["metadata"].get("annotations", {}))


@every_kustomization
def test_ray_is_the_one_that_lira_is_pinned_to(name: str) -> None:
    constraints = (Path(__file__).resolve().parents[2] / "constraints.txt").read_text("utf-8")
    (pinned,) = re.findall(r"^ray==(.+)$", constraints, re.MULTILINE)
    assert cluster(name)["rayVersion"] == pinned


@every_kustomization
def test_every_pod_keeps_to_the_restricted_standard(name: str) -> None:
    """https://kubernetes.io/docs/concepts/security/pod-security-standards, restricted; what it says of volumes and hosts is kept by having none."""
    for told in groups(name).values():
        pod = told["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC", "volumes"} & set(pod)
        assert [one["securityContext"] for one in pod["containers"]] == [{"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}]
    assert cluster(name)["autoscalerOptions"]["securityContext"] == container(cluster(name)["headGroupSpec"])["securityContext"]


@every_kustomization
def test_no_secret_is_in_a_file(name: str) -> None:
    assert not of_kind(name, "Secret")
    for told in groups(name).values():
        for one in container(told)["env"]:
            if re.search(r"PASSWORD|KEY$|TOKEN", one["name"]):
                assert set(one["valueFrom"]) == {"secretKeyRef"}, one["name"]
