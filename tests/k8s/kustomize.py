"""As much of kustomize as k8s/ uses, so that what it makes can be checked where there is none. `test_kustomize.py` holds it against the real one.

A feature of kustomize that is not here is refused, not skipped.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

K8S = Path(__file__).resolve().parents[2] / "k8s"
FOLDERS = {"base": K8S / "base", "gpu": K8S / "overlays" / "gpu", "api": K8S / "overlays" / "api"}

Object = dict[str, Any]
KNOWN = {"apiVersion", "kind", "namespace", "resources", "images", "configMapGenerator", "configurations", "patches", "replacements"}
CLUSTER_WIDE = {"Namespace"}
LOCAL = "config.kubernetes.io/local-config"


def render(folder: Path) -> list[Object]:
    """The objects of a kustomization, as `kustomize build` gives them to the cluster, in no particular order."""
    objects, references = _accumulated(folder)
    objects = [one for one in objects if one["metadata"].get("annotations", {}).get(LOCAL) != "true"]
    for config in [one for one in objects if one["kind"] == "ConfigMap"]:
        name = config["metadata"]["name"]
        config["metadata"]["name"] = f"{name}-{_digest(config)}"
        for kind, path in references:
            for node in (node for one in objects if one["kind"] == kind for node in _nodes(one, path.split("/")[:-1])):
                if node.get("name") == name:
                    node["name"] = config["metadata"]["name"]
    return objects


def _accumulated(folder: Path) -> tuple[list[Object], list[tuple[str, str]]]:
    """The objects before names get digests, and where ConfigMaps are named: (kind, path)."""
    told = yaml.safe_load((folder / "kustomization.yaml").read_text("utf-8"))
    assert set(told) <= KNOWN, f"{folder} uses what is not known here: {set(told) - KNOWN}"
    objects: list[Object] = []
    references: list[tuple[str, str]] = []
    for resource in told["resources"]:
        if (folder / resource).is_dir():
            inner, their = _accumulated(folder / resource)
            objects += inner
            references += their
        else:
            # Through JSON: an anchor is one node here and many there.
            objects += [json.loads(json.dumps(one)) for one in yaml.safe_load_all((folder / resource).read_text("utf-8"))]
    for config in told.get("configurations", ()):
        for reference in yaml.safe_load((folder / config).read_text("utf-8"))["nameReference"]:
            assert reference["kind"] == "ConfigMap"
            references += [(spec["kind"], spec["path"]) for spec in reference["fieldSpecs"]]
    for generator in told.get("configMapGenerator", ()):
        _generate(objects, generator, folder)
    for one in objects:
        if "namespace" in told and one["kind"] not in CLUSTER_WIDE:
            one["metadata"]["namespace"] = told["namespace"]
    for patch in told.get("patches", ()):
        for target in (one for one in objects if one["kind"] == patch["target"]["kind"]):
            _patch(target, yaml.safe_load((folder / patch["path"]).read_text("utf-8")))
    for image in told.get("images", ()):
        for container in (found for one in objects for found in _containers(one)):
            name, _, tag = container["image"].partition(":")
            if name == image["name"]:
                container["image"] = f"{image.get('newName', name)}:{image.get('newTag', tag)}"
    for replacement in told.get("replacements", ()):
        _replace(objects, replacement)
    return objects, references


def _generate(objects: list[Object], told: Object, folder: Path) -> None:
    """Adds a ConfigMap, or gives one that is there other data (`merge`, `replace`)."""
    assert set(told) <= {"name", "namespace", "behavior", "envs", "files", "options"}
    data = {name: (folder / name).read_text("utf-8") for name in told.get("files", ())}
    for file in told.get("envs", ()):
        lines = (line.strip() for line in (folder / file).read_text("utf-8").splitlines())
        data |= dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    behaviour = told.get("behavior", "create")
    if behaviour == "create":
        metadata = {"name": told["name"], **told.get("options", {})}
        objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})
        return
    (there,) = [one for one in objects if one["kind"] == "ConfigMap" and one["metadata"]["name"] == told["name"]]
    there["data"] = data if behaviour == "replace" else there["data"] | data


def _patch(target: Object, operations: list[Object]) -> None:
    """A JSON patch that only appends to lists."""
    for operation in operations:
        *path, last = operation["path"].strip("/").split("/")
        assert (operation["op"], last) == ("add", "-")
        (place,) = _nodes(target, path, whole=True)
        place.append(deepcopy(operation["value"]))


def _replace(objects: list[Object], told: Object) -> None:
    """Puts one entry of a ConfigMap into fields of other objects."""
    source = told["source"]
    (config,) = [one for one in objects if one["kind"] == source["kind"] and one["metadata"]["name"] == source["name"]]
    text = config["data"][source["fieldPath"].removeprefix("data.[").removesuffix("]")]
    for target in told["targets"]:
        for one in (one for one in objects if one["kind"] == target["select"]["kind"]):
            for path in target["fieldPaths"]:
                *above, last = path.split(".")
                (node,) = _nodes(one, above)
                node[last] = text


def _nodes(node: Any, path: list[str], whole: bool = False) -> Iterator[Any]:
    """What a path leads to. A list on the way is gone through whole, as kustomize's references are, unless the path names the index."""
    if not path:
        yield from node if isinstance(node, list) and not whole else [node]
    elif isinstance(node, list):
        for inner in [node[int(path[0])]] if path[0].isdigit() else node:
            yield from _nodes(inner, path[1:] if path[0].isdigit() else path, whole)
    elif path[0] in node:
        yield from _nodes(node[path[0]], path[1:], whole)


def _containers(node: Any) -> Iterator[Object]:
    if isinstance(node, dict):
        for key, inner in node.items():
            yield from inner if key == "containers" else _containers(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _containers(inner)


def _digest(config: Object) -> str:
    """kustomize's suffix: the first ten hexadecimal digits, those that could spell something as other letters. It leaves the name empty (5.5)."""
    told = json.dumps({"data": config["data"], "kind": "ConfigMap", "name": ""}, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(told.encode()).hexdigest()[:10].translate(str.maketrans("013ae", "ghkmt"))
