"""LIRA's settings on Kubernetes: that LIRA takes them, that they reach the stores which the charts make, and that times add up."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from pymongo.uri_parser import parse_uri
from ray._private import ray_constants
from ray.serve._private.constants import RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S

from deployments import ray_environment
from deployments.app import SHUTDOWN_SPARE_S
from deployments.ingress import IMPORT_WITHIN_S, ON_THE_WAY_S, READY_WITHIN_S
from deployments.ray_patches import haproxy
from lira_cli import serve as lira_serve
from lira_core.settings import PREFIX, Settings, load_settings
from lira_core.stores.weaviate import address as weaviate

from .objects import container, environment, every_kustomization, groups, of_kind, rayservice, values, workers

REFERENCE = re.compile(r"\$\((\w+)\)")
DRAINS = "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S"
RAY_STOPS_WITHIN_S = 10
"""What is left for Ray to end its processes, before Kubernetes does."""


def config(name: str, of: str = "lira-settings") -> dict[str, str]:
    """What a ConfigMap gives to every container."""
    (one,) = [one for one in of_kind(name, "ConfigMap") if one["metadata"]["name"].startswith(of)]
    data: dict[str, str] = one["data"]
    return data


def settings(name: str, group: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings as LIRA loads them in a container of the group, every secret filled in."""
    for key in [key for key in os.environ if key.startswith(PREFIX)]:
        monkeypatch.delenv(key)
    told = groups(name)[group]
    given = {key: one.get("value", "s3cret") for key, one in environment(told).items()}
    for key, value in (config(name) | given).items():
        if key.startswith(PREFIX):
            monkeypatch.setenv(key, REFERENCE.sub(lambda match: given[match[1]], value))
    return load_settings()


@every_kustomization
def test_lira_takes_the_settings_wherever_it_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = [settings(name, group, monkeypatch) for group in groups(name)]
    assert all(other == first for other in others)
    assert not [url for url in first.store_urls.values() if url.startswith("sqlite:")]


@every_kustomization
def test_every_setting_that_is_named_is_one_and_names_no_address(name: str) -> None:
    known = {PREFIX + field.upper() for field in Settings.model_fields}
    for told in groups(name).values():
        named = {key for key in environment(told) if key.startswith(PREFIX)} | set(config(name))
        assert named <= known
        assert not named & {f"{PREFIX}HOST", f"{PREFIX}PORT"}, "the Serve config says where LIRA listens"


@every_kustomization
def test_a_password_stands_above_the_address_that_it_is_part_of(name: str) -> None:
    for told in groups(name).values():
        names = list(environment(told))
        for key, one in environment(told).items():
            for reference in REFERENCE.findall(one.get("value", "")):
                assert names.index(reference) < names.index(key)


def test_the_addresses_are_those_of_the_stores_that_the_charts_make(monkeypatch: pytest.MonkeyPatch) -> None:
    told = settings("base", "cpu", monkeypatch).store_urls
    redis = urlsplit(told["short_term"])
    assert (redis.hostname, redis.port) == (values("redis")["fullnameOverride"], 6379)
    gcs = urlsplit(rayservice("base")["spec"]["rayClusterConfig"]["gcsFaultToleranceOptions"]["redisAddress"])
    assert (gcs.hostname, gcs.port) == (values("redis-gcs")["fullnameOverride"], 6379)
    chart = values("mongodb")
    mongo, set_of = parse_uri(told["record"]), chart["replicaSet"]
    headless = f"{chart['fullnameOverride']}-{chart['service']['headlessServiceSuffix']}"
    members = [f"{chart['fullnameOverride']}-{number}.{headless}" for number in range(set_of["secondaries"] + 1)]
    assert mongo["nodelist"] == [(member, chart["service"]["port"]) for member in members]
    assert (mongo["database"], mongo["options"]["replicaSet"]) == ("lira", set_of["name"])
    index, ports = weaviate.parse(told["vectors"], "LIRA_VECTORS_URL"), values("weaviate")
    assert (index.host, index.port) == (ports["service"]["name"], ports["service"]["ports"][0]["port"])
    assert (index.grpc_host, index.grpc_port) == (ports["grpcService"]["name"], ports["grpcService"]["ports"][0]["port"])


@every_kustomization
def test_a_pod_ends_no_turn_that_it_has_begun(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    turn = settings(name, "cpu", monkeypatch).request_deadline_ms / 1000 + SHUTDOWN_SPARE_S
    for group in workers(name).values():
        drains = float(environment(group)[DRAINS]["value"])
        assert drains >= turn + RAY_SERVE_DIRECT_INGRESS_MIN_DRAINING_PERIOD_S
        pauses = container(group)["lifecycle"]["preStop"]["sleep"]["seconds"]
        assert group["template"]["spec"]["terminationGracePeriodSeconds"] >= pauses + drains + RAY_STOPS_WITHIN_S
    assert hasattr(ray_constants, DRAINS), "Ray reads another variable now"
    assert rayservice(name)["spec"]["rayClusterDeletionDelaySeconds"] >= max(turn, IMPORT_WITHIN_S)


@every_kustomization
def test_a_probe_waits_for_an_answer_that_is_on_its_way(name: str) -> None:
    answer = READY_WITHIN_S + ON_THE_WAY_S
    for group in workers(name).values():
        ray = container(group)
        assert (ray["startupProbe"]["httpGet"]["path"], ray["startupProbe"]["timeoutSeconds"] > answer) == ("/readyz", True)
        asked = re.findall(r"wget -q -T (\d+) \S+ (?:\S+ )?http://127\.0\.0\.1:8000(\S+)", ray["readinessProbe"]["exec"]["command"][-1])
        assert [path for _, path in asked] == ["/-/healthz", "/healthz"]
        assert int(asked[1][0]) > answer
        assert ray["readinessProbe"]["timeoutSeconds"] > sum(int(within) for within, _ in asked)


def test_ray_is_set_as_lira_serve_sets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    lira_serve._environment(tmp_path, None)
    alone = dict(os.environ)
    own_to_pods = {key: one["value"] for key, one in environment(workers("base")["cpu"]).items() if "value" in one and not key.startswith(PREFIX)}
    shared = config("base", "lira-ray")
    assert shared == ray_environment.everywhere(), "k8s/base/ray.env and deployments/ray_environment.py differ"
    assert not shared.keys() & own_to_pods.keys(), "said twice"
    here = shared | own_to_pods
    for key in here.keys() & alone.keys() - {"RAY_SERVE_HAPROXY_BINARY_PATH"}:
        assert here[key] == alone[key], key
    assert haproxy.HOST in here
    # What one machine has for itself: loopback, free ports, sockets in a folder of its own, an authentication that here is KubeRay's.
    own = re.compile(r"LOOPBACK|PORT|_LOC$|_PATH$|STATE|AUTH|PYTHONPATH|NBTHREAD|DRAINING|HARD_STOP|WINDOWS|metrics_report")
    machine = {key for key in alone if own.search(key)}
    assert set(alone) - machine - {haproxy.BINARY} <= set(here)


def test_every_node_has_the_object_store_of_lira_serve() -> None:
    assert {told["rayStartParams"]["object-store-memory"] for told in groups("base").values()} == {str(lira_serve.OBJECT_STORE_BYTES)}
