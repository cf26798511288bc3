"""What k8s/ makes, rendered once, and the parts of it that tests ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from .kustomize import FOLDERS, K8S, Object, render

every_kustomization = pytest.mark.parametrize("name", FOLDERS)


@cache
def rendered(name: str) -> list[Object]:
    return render(FOLDERS[name])


def of_kind(name: str, kind: str) -> list[Object]:
    return [one for one in rendered(name) if one["kind"] == kind]


def rayservice(name: str) -> Object:
    (one,) = of_kind(name, "RayService")
    return one


def cluster(name: str) -> Object:
    """The RayCluster's spec."""
    spec: Object = rayservice(name)["spec"]["rayClusterConfig"]
    return spec


def workers(name: str) -> dict[str, Object]:
    return {group["groupName"]: group for group in cluster(name)["workerGroupSpecs"]}


def groups(name: str) -> dict[str, Object]:
    """Head and worker groups, under the name that KubeRay gives as label `ray.io/group`."""
    return {"headgroup": cluster(name)["headGroupSpec"], **workers(name)}


def container(group: Object) -> Object:
    """Ray's own container: the first, as KubeRay has it."""
    first: Object = group["template"]["spec"]["containers"][0]
    return first


def environment(group: Object) -> dict[str, Object]:
    return {one["name"]: one for one in container(group)["env"]}


def pod_labels(name: str) -> dict[str, dict[str, str]]:
    """The labels of each group's pods, those that KubeRay adds among them (`labelPod` in its controllers/ray/common/pod.go)."""
    return {
        group: {
            **told["template"]["metadata"]["labels"],
            "ray.io/is-ray-node": "yes",
            "ray.io/node-type": "head" if group == "headgroup" else "worker",
            "ray.io/group": group,
            "ray.io/serve": "false" if group == "headgroup" else "true",
        }
        for group, told in groups(name).items()
    }


def values(name: str) -> Any:
    """The values for a chart."""
    return yaml.safe_load((K8S / "values" / f"{name}.yaml").read_text("utf-8"))


def secrets() -> dict[str, set[str]]:
    """The keys of each secret that k8s/README.md makes."""
    text = (K8S / "README.md").read_text("utf-8").replace("\\\n", " ")
    made = re.findall(r"create secret generic (\S+)(.*)", text)
    return {name: set(re.findall(r"--from-literal=([\w-]+)=", rest)) for name, rest in made}


def nodes(value: Any) -> Iterator[Object]:
    """Every mapping in a tree."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from nodes(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from nodes(inner)


def serve_file(name: str) -> Path:
    return FOLDERS[name] / "serve.yaml"
