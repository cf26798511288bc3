"""That what one file names exists in another: images, ports, labels, accounts, ConfigMaps, secrets and their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from .kustomize import FOLDERS, K8S
from .objects import (
    Object,
    cluster,
    container,
    environment,
    every_kustomization,
    groups,
    nodes,
    of_kind,
    pod_labels,
    rayservice,
    rendered,
    secrets,
    serve_file,
    values,
    workers,
)

CHARTS = {"lira-redis": "redis", "lira-gcs-redis": "redis-gcs", "lira-mongodb": "mongodb"}
"""The charts whose pods carry the release's name as `app.kubernetes.io/instance`, and their values. Weaviate's carry `app: weaviate`."""
OTHERS: list[dict[str, str]] = [
    *({"app.kubernetes.io/instance": release} for release in CHARTS),
    {"app": "weaviate"},
    # KubeRay's own pods (its chart, and the job that clears Redis after a cluster: `redisCleanupJob`), and those of a Gateway (its API's label).
    {"app.kubernetes.io/component": "kuberay-operator"},
    {"app.kubernetes.io/part-of": "lira", "ray.io/node-type": "redis-cleanup"},
    {"gateway.networking.k8s.io/gateway-name": "lira-gateway"},
    # What k8s/README.md asks clients to carry.
    {"lira-client": "true"},
]


def selected(selector: Object, name: str) -> list[dict[str, str]]:
    """The kinds of pods that a selector means, by their labels."""
    wanted = selector.get("matchLabels", {})
    among = {one["key"]: one["values"] for one in selector.get("matchExpressions", ()) if one["operator"] == "In"}
    return [
        labels
        for labels in [*pod_labels(name).values(), *OTHERS]
        if all(labels.get(key) == value for key, value in wanted.items()) and all(labels.get(key) in found for key, found in among.items())
    ]


def ports(group: Object) -> dict[str, int]:
    return {one["name"]: one["containerPort"] for one in container(group)["ports"]}


def policies(name: str) -> dict[str, Object]:
    return {one["metadata"]["name"]: one["spec"] for one in of_kind(name, "NetworkPolicy")}


def peers(name: str, direction: str) -> Iterator[tuple[Object, Object]]:
    """(policy, rule) of every policy that says anything in that direction."""
    for spec in policies(name).values():
        for rule in spec.get(direction, ()):
            yield spec, rule


@every_kustomization
def test_every_selector_means_pods_that_there_are(name: str) -> None:
    for one in rendered(name):
        for inner in nodes(one):
            for key in ("podSelector", "labelSelector"):
                if inner.get(key):
                    assert selected(inner[key], name), (one["metadata"]["name"], inner[key])
    for one in [*of_kind(name, "PodDisruptionBudget"), *of_kind(name, "PodMonitor")]:
        assert selected(one["spec"]["selector"], name)
    (service,) = of_kind(name, "Service")
    assert {labels["ray.io/node-type"] for labels in selected({"matchLabels": service["spec"]["selector"]}, name)} == {"worker"}


@every_kustomization
def test_every_port_that_is_named_is_one_of_the_pods_that_are_meant(name: str) -> None:
    by_group = {group: ports(told) for group, told in groups(name).items()}
    (service,) = of_kind(name, "Service")
    assert all(one["targetPort"] in by_group[group] for one in service["spec"]["ports"] for group in workers(name))
    (monitor,) = of_kind(name, "PodMonitor")
    everywhere = {port for told in by_group.values() for port in told}
    assert {one["port"] for one in monitor["spec"]["podMetricsEndpoints"]} <= everywhere
    for group, told in workers(name).items():
        assert container(told)["startupProbe"]["httpGet"]["port"] in by_group[group]
    for _, rule in peers(name, "ingress"):
        assert {one["port"] for one in rule.get("ports", ()) if isinstance(one["port"], str)} <= everywhere


@every_kustomization
def test_lira_listens_where_its_pods_say(name: str) -> None:
    options = yaml.safe_load(serve_file(name).read_text("utf-8"))["http_options"]
    assert {ports(told)["serve"] for told in groups(name).values()} == {options["port"]}
    # HAProxy is put on every address by its environment; Serve itself would leave loopback alone.
    assert options["host"] == "127.0.0.1"
    assert all(environment(told)["HAPROXY_FRONT_HOST"]["value"] == "0.0.0.0" for told in groups(name).values())


@every_kustomization
def test_every_account_and_config_that_a_pod_names_is_there(name: str) -> None:
    accounts = {one["metadata"]["name"] for one in of_kind(name, "ServiceAccount")}
    assert {told["template"]["spec"]["serviceAccountName"] for told in groups(name).values()} == accounts
    configs = {one["metadata"]["name"] for one in of_kind(name, "ConfigMap")}
    assert {one["configMapRef"]["name"] for told in groups(name).values() for one in container(told)["envFrom"]} == configs
    assert {one["metadata"].get("namespace") for one in rendered(name) if one["kind"] != "Namespace"} == {
        one["metadata"]["name"] for one in of_kind(name, "Namespace")
    }


def chart_secrets() -> Iterator[tuple[str, str]]:
    """(secret, key) that the charts' values name."""
    for name in ("redis", "redis-gcs", "mongodb"):
        auth = values(name)["auth"]
        yield auth["existingSecret"], auth["existingSecretPasswordKey"]
    user = values("mongodb")["customUser"]
    yield from ((user["existingSecret"], key) for key in user["secretKeys"].values())
    yield values("mongodb")["replicaSet"]["keySecretName"], "keyfile"
    yield from ((secret, key) for key, secret in values("weaviate")["envSecrets"].items())


def test_every_secret_that_is_named_is_made_and_every_one_that_is_made_is_used() -> None:
    named = set(chart_secrets())
    for name in FOLDERS:
        references = [inner["secretKeyRef"] for inner in nodes(rendered(name)) if "secretKeyRef" in inner]
        named |= {(one["name"], one["key"]) for one in references}
    assert named == {(secret, key) for secret, keys in secrets().items() for key in keys}


def test_lira_asks_each_store_with_the_password_that_the_store_was_given() -> None:
    told = {key: one["valueFrom"]["secretKeyRef"] for key, one in environment(workers("base")["cpu"]).items() if "valueFrom" in one}
    redis, mongo, weaviate = values("redis")["auth"], values("mongodb")["customUser"], values("weaviate")["envSecrets"]
    assert told["SHORT_TERM_PASSWORD"] == {"name": redis["existingSecret"], "key": redis["existingSecretPasswordKey"]}
    assert told["RECORD_PASSWORD"] == {"name": mongo["existingSecret"], "key": mongo["secretKeys"]["password"]}
    (key,) = weaviate
    assert told["VECTORS_KEY"] == {"name": weaviate[key], "key": key}
    gcs, chart = cluster("base")["gcsFaultToleranceOptions"]["redisPassword"]["valueFrom"]["secretKeyRef"], values("redis-gcs")["auth"]
    assert gcs == {"name": chart["existingSecret"], "key": chart["existingSecretPasswordKey"]}


@every_kustomization
def test_whoever_may_be_asked_lets_himself_be_asked(name: str) -> None:
    """What LIRA's pods may reach by label takes them in again: a store with a policy of its own, or LIRA itself."""
    lira = policies(name)["lira"]
    for rule in lira["egress"]:
        for peer in rule["to"]:
            selector = peer.get("podSelector")
            if selector is None:
                continue
            theirs = [spec for spec in policies(name).values() if spec["podSelector"] == selector and "Ingress" in spec["policyTypes"]]
            assert theirs, selector
            admitted = [one for spec in theirs for inner in spec["ingress"] for one in inner["from"] if "podSelector" in one]
            assert any(labels in selected(one["podSelector"], name) for one in admitted for labels in pod_labels(name).values()), selector


@every_kustomization
def test_the_network_keeps_strangers_from_ray(name: str) -> None:
    assert all(labels in selected(policies(name)["lira"]["podSelector"], name) for labels in pod_labels(name).values())
    assert set(policies(name)["lira"]["policyTypes"]) == {"Ingress", "Egress"}
    for spec, rule in peers(name, "ingress"):
        assert rule.get("from"), "a rule without `from` admits everybody"
        ours = [peer for peer in rule["from"] if peer.get("podSelector", {}).get("matchLabels", {}).get("app.kubernetes.io/part-of") == "lira"]
        assert ours == rule["from"] or rule.get("ports") or spec["podSelector"] == {"matchLabels": {"app": "weaviate"}}


@every_kustomization
def test_fewer_workers_are_kept_than_there_are(name: str) -> None:
    (budget,) = of_kind(name, "PodDisruptionBudget")
    least = workers(name)[budget["spec"]["selector"]["matchLabels"]["ray.io/group"]]["minReplicas"]
    assert isinstance(budget["spec"]["minAvailable"], int)
    assert 0 < budget["spec"]["minAvailable"] < least


@every_kustomization
def test_every_image_is_one_that_the_dockerfile_makes(name: str) -> None:
    images = {container(told)["image"] for told in groups(name).values()}
    assert len(images) == 1, "Ray wants one version of everything on every node"
    (image,) = images
    target = image.rpartition("-")[2]
    assert re.search(rf"^FROM \w+ AS {target}$", (K8S / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    version = re.search(r'^version = "(.+)"$', (K8S.parent / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert version
    assert image.endswith(f":{version[1]}-{target}")
    assert image in (K8S / "README.md").read_text("utf-8")


def test_the_gateway_is_called_as_kuberay_calls_it() -> None:
    called = f"{rayservice('base')['metadata']['name']}-gateway"
    named = {labels["gateway.networking.k8s.io/gateway-name"] for labels in OTHERS if "gateway.networking.k8s.io/gateway-name" in labels}
    assert named == {called}


def installed() -> dict[str, tuple[str, str]]:
    """The releases that k8s/README.md installs: name to (chart, values)."""
    text = (K8S / "README.md").read_text("utf-8").replace("\\\n", " ")
    found: list[Any] = re.findall(r"helm install (\S+) (\S+).* -f k8s/values/(\S+)\.yaml", text)
    return {release: (chart.rpartition("/")[2], name) for release, chart, name in found}


def test_every_chart_is_installed_under_the_name_that_its_pods_are_known_by() -> None:
    assert {release: name for release, (_, name) in installed().items() if release != "lira-weaviate"} == CHARTS
    assert installed()["lira-weaviate"] == ("weaviate", "weaviate")
    assert {path.stem for path in (K8S / "values").iterdir()} == {name for _, name in installed().values()}
    assert all(values(name)["fullnameOverride"] == release for release, name in CHARTS.items())


def test_the_stores_are_those_of_the_compose_file() -> None:
    """One release of each, and one configuration: what is said of one holds for the other."""
    compose = yaml.safe_load((K8S.parent / "cluster" / "compose.yaml").read_text("utf-8"))
    images = {service: told["image"] for service, told in compose["services"].items()}
    for name in ("redis", "redis-gcs"):
        assert "{repository}:{tag}".format(**values(name)["image"]) == images["redis"]
    assert "{repository}:{tag}".format(**values("mongodb")["image"]) == images["mongo"]
    assert values("weaviate")["image"]["tag"] == images["weaviate"].rpartition(":")[2]
    there = {line for line in compose["configs"]["redis"]["content"].splitlines() if not line.startswith("requirepass")}
    assert set(values("redis")["config"]["content"].splitlines()) == there
    environment = compose["services"]["weaviate"]["environment"]
    for key, value in values("weaviate")["env"].items():
        assert environment[key] == value
    assert values("weaviate")["authentication"]["anonymous_access"]["enabled"] is False
