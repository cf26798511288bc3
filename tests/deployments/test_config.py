from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ray.serve._private.build_app import build_app

from deployments.app import build
from deployments.args import Args
from deployments.config import ConfigError, checked, read_config

LOCAL = Path(__file__).resolve().parents[2] / "cluster" / "local.yaml"


def local(**changes: Any) -> dict[str, Any]:
    raw: dict[str, Any] = yaml.safe_load(LOCAL.read_text())
    for place, value in changes.items():
        *path, last = place.split("__")
        target: Any = raw
        for step in path:
            target = target[int(step) if step.isdigit() else step]
        target[last] = value
    return raw


def test_the_local_config_is_accepted() -> None:
    _, schema = read_config(LOCAL)
    assert [application.import_path for application in schema.applications] == ["deployments.app:build"]


@pytest.mark.parametrize(
    ("place", "key", "right"),
    [
        ("aplications", "aplications", "applications"),
        ("http_options__keepalive_timeout_s", "keepalive_timeout_s", "keep_alive_timeout_s"),
        ("logging_config__loglevel", "loglevel", "log_level"),
        ("applications__0__route_prefx", "route_prefx", "route_prefix"),
        ("applications__0__deployments__0__max_ongoing_request", "max_ongoing_request", "max_ongoing_requests"),
        ("applications__0__deployments__1__ray_actor_options", "num_cpu", "num_cpus"),
        ("applications__0__deployments__1__autoscaling_config", "max_replica", "max_replicas"),
        ("applications__0__args__generater", "generater", "generator"),
    ],
)
def test_a_misspelt_key_is_named_with_the_right_one(place: str, key: str, right: str) -> None:
    nested = place.endswith(("ray_actor_options", "autoscaling_config"))
    with pytest.raises(ConfigError, match=rf"{key} .*did you mean {right}\?"):
        checked(local(**{place: {key: 1} if nested else 1}), "local.yaml")


def test_an_unknown_deployment_is_named_with_the_right_one() -> None:
    with pytest.raises(ConfigError, match=r"RecalOrchestrator .*did you mean RecallOrchestrator\?"):
        checked(local(applications__0__deployments__1__name="RecalOrchestrator"), "local.yaml")


@pytest.mark.parametrize(("argument", "name"), [("generator", "Generator"), ("reader", "MemoryReader")])
def test_options_for_a_stage_that_is_not_deployed_are_refused(argument: str, name: str) -> None:
    raw = local()
    raw["applications"][0]["deployments"].append({"name": name, "num_replicas": 2})
    with pytest.raises(ConfigError, match=f"{name} is not a deployment"):
        checked(raw, "local.yaml")
    raw["applications"][0]["args"][argument] = "deployment"
    assert name in checked(raw, "local.yaml").applications[0].deployment_names


def test_an_argument_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"args\.generator"):
        checked(local(applications__0__args__generator="elsewhere"), "local.yaml")


def test_a_value_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="max_ongoing_requests"):
        checked(local(applications__0__deployments__0__max_ongoing_requests=-1), "local.yaml")


@pytest.mark.parametrize("text", ["", "- a", "applications: [", "\x00"])
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "broken.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"broken\.yaml"):
        read_config(tmp_path / "broken.yaml")


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_config(tmp_path / "none.yaml")


@pytest.mark.parametrize("generator", ["inline", "deployment"])
def test_the_names_a_config_may_use_are_those_of_the_graph(generator: Any) -> None:
    args = Args(generator=generator)
    built = build_app(build(args), name="lira")
    assert sorted(deployment.name for deployment in built.deployments) == sorted(args.deployments)
