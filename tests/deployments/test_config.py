from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from ray.serve._private.build_app import build_app
from ray.serve.schema import DeploymentSchema

from deployments.app import build
from deployments.args import Args
from deployments.config import ConfigError, args_of, checked, read_config

LOCAL = Path(__file__).resolve().parents[2] / "cluster" / "local.yaml"


def local(**changes: Any) -> dict[str, Any]:
    raw: dict[str, Any] = yaml.safe_load(LOCAL.read_text())
    for place, value in changes.items():
        *path, last = place.split("__")
        target: Any = raw
        for step in path:
            target = target[int(step) if step.isdigit() else step]
        target[int(last) if last.isdigit() else last] = value
    return raw


@pytest.mark.parametrize("name", ["local", "gpu", "api"])
def test_every_bundled_config_is_accepted_and_says_what_each_replica_takes(name: str) -> None:
    raw, schema = read_config(LOCAL.with_name(f"{name}.yaml"))
    (args,) = args_of(schema)
    placed = {deployment["name"] for deployment in raw["applications"][0]["deployments"] if "num_cpus" in deployment.get("ray_actor_options", {})}
    assert placed == set(args.deployments) - ({"Generator"} if args.llm else set())  # whose resources stand in args.llm
    assert [application.import_path for application in schema.applications] == ["deployments.app:build"]


@pytest.mark.parametrize("name", ["local", "gpu", "api"])
def test_a_stage_that_has_a_gpu_is_replaced_without_asking_for_one_more(name: str) -> None:
    _, schema = read_config(LOCAL.with_name(f"{name}.yaml"))
    (args,) = args_of(schema)
    surges = {one.name: one.max_surge_percent for one in schema.applications[0].deployments if has_gpu(one, args)}
    assert set(surges) == ({"Generator"} if args.llm else set())
    assert set(surges.values()) <= {0}


def has_gpu(deployment: DeploymentSchema, args: Args) -> bool:
    options = deployment.ray_actor_options
    return bool(getattr(options, "num_gpus", None)) or (deployment.name == "Generator" and args.llm is not None)


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


@pytest.mark.parametrize(
    ("argument", "value", "name"),
    [("generator", "deployment", "Generator"), ("stages", {"UtteranceAnalyzer": ["emotion", "embedding"], "Asked": ["reader"]}, "Asked")],
)
def test_options_for_a_stage_that_is_not_deployed_are_refused(argument: str, value: Any, name: str) -> None:
    raw = local()
    raw["applications"][0]["deployments"].append({"name": name, "num_replicas": 2})
    with pytest.raises(ConfigError, match=f"{name} is not a deployment"):
        checked(raw, "local.yaml")
    raw["applications"][0]["args"][argument] = value
    assert name in checked(raw, "local.yaml").applications[0].deployment_names


def test_an_argument_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"args\.generator"):
        checked(local(applications__0__args__generator="elsewhere"), "local.yaml")


def test_a_value_that_cannot_be_is_refused() -> None:
    with pytest.raises(ConfigError, match="max_ongoing_requests"):
        checked(local(applications__0__deployments__0__max_ongoing_requests=-1), "local.yaml")


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ({"A": ["emotion"]}, "embedding has no deployment"),
        ({"A": ["emotion", "embedding"], "B": ["emotion"]}, "emotion has more than one"),
        ({"A": ["emotion", "embedding", "reader"]}, "A cannot run"),
        ({"A": ["emotion", "embedding"], "B": []}, "B cannot run nothing"),
        ({"ChatIngress": ["emotion", "embedding"]}, "ChatIngress is the name of another stage"),
        ({"A": ["emotions", "embedding"]}, "'emotion', 'embedding' or 'reader'"),
        ("together", "dictionary"),
    ],
)
def test_stages_that_cannot_be_are_refused_with_what_to_write(stages: Any, said: str) -> None:
    with pytest.raises(ConfigError, match=rf"local\.yaml: args\.stages.*{said}"):
        checked(local(applications__0__args__stages=stages), "local.yaml")


@pytest.mark.parametrize("kwargs", [{}, {"target": 0}, {"target": 10, "tokens": 3}])
def test_a_scaling_policy_that_cannot_be_is_refused(kwargs: dict[str, Any]) -> None:
    policy = {"policy_function": "deployments.autoscaling:TokensAtWork", "policy_kwargs": kwargs}
    with pytest.raises(ConfigError, match=r"UtteranceAnalyzer's autoscaling_config\.policy: .*(target|tokens)"):
        checked(local(applications__0__deployments__2={"name": "UtteranceAnalyzer", "autoscaling_config": {"policy": policy}}), "local.yaml")


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
