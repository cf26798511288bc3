"""The Generator as vLLM, as far as it goes without vLLM: the config, and what stops a start."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from deployments.app import build
from deployments.args import Args
from deployments.config import ConfigError, args_of, checked, read_config
from deployments.llm import EVERYDAY_TOKENS, demand, llm_config, room
from lira_core.generation.chat_prompt import BUDGET
from lira_core.settings import SettingsError, load_settings

GPU = Path(__file__).resolve().parents[2] / "cluster" / "gpu.yaml"
MODEL = {"model_loading_config": {"model_id": "some/model"}}


def gpu(*path: str | int, key: str, value: Any) -> dict[str, Any]:
    """cluster/gpu.yaml with one thing changed in its application."""
    raw: dict[str, Any] = yaml.safe_load(GPU.read_text())
    target: Any = raw["applications"][0]
    for step in path:
        target = target[step]
    target[key] = value
    return raw


# The config


def test_the_config_for_gpus_is_accepted_and_every_stage_has_its_resources_in_it() -> None:
    _, schema = read_config(GPU)
    (args,) = args_of(schema)
    placed = {deployment.name: deployment.ray_actor_options for deployment in schema.applications[0].deployments}
    assert sorted(placed) == sorted(args.deployments)
    assert all(options.num_cpus for name, options in placed.items() if name != "Generator")
    assert args.llm is not None
    assert args.llm["placement_group_config"]["bundle_per_worker"]["GPU"] == 1


def test_the_prefix_cache_is_on_cached_tokens_are_counted_and_the_first_token_is_not_held_back() -> None:
    config = llm_config(MODEL)
    assert config.engine_kwargs == {"enable_prefix_caching": True, "enable_prompt_tokens_details": True}
    assert config.experimental_configs == {"stream_batching_interval_ms": 0}


def test_what_the_config_says_wins() -> None:
    said = {"engine_kwargs": {"enable_prefix_caching": False, "tensor_parallel_size": 2}, "experimental_configs": {"stream_batching_interval_ms": 10}}
    config = llm_config({**MODEL, **said})
    assert config.engine_kwargs["enable_prefix_caching"] is False
    assert config.engine_kwargs["tensor_parallel_size"] == 2
    assert config.experimental_configs["stream_batching_interval_ms"] == 10


@pytest.mark.parametrize(
    ("path", "key", "told"),
    [
        ((), "engine_kwarg", "did you mean engine_kwargs"),
        (("model_loading_config",), "model_sorce", "did you mean model_source"),
        (("placement_group_config",), "strateg", "Extra inputs are not permitted"),
        (("deployment_config",), "num_replicas", "under `deployments:`"),
        (("deployment_config", "ray_actor_options"), "num_cpu", "did you mean num_cpus"),
    ],
)
def test_a_key_of_the_model_that_is_not_one_is_named(path: tuple[str, ...], key: str, told: str) -> None:
    with pytest.raises(ConfigError, match=rf"args\.llm\.\S*{key}.*{told}"):
        checked(gpu("args", "llm", *path, key=key, value=1), "gpu.yaml")


def test_an_accelerator_that_ray_does_not_know_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"args\.llm\.accelerator_type: Unsupported accelerator type: H1000"):
        checked(gpu("args", "llm", key="accelerator_type", value="H1000"), "gpu.yaml")


def test_a_model_without_a_name_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"args\.llm\.model_loading_config"):
        checked(gpu("args", "llm", key="model_loading_config", value={}), "gpu.yaml")


@pytest.mark.parametrize(
    ("key", "value"), [("ray_actor_options", {"num_gpus": 1}), ("placement_group_bundles", [{"GPU": 1}]), ("placement_group_strategy", "SPREAD")]
)
def test_the_generators_resources_have_one_place(key: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"Generator's {key} follows from args\.llm"):
        checked(gpu("deployments", -1, key=key, value=value), "gpu.yaml")


# What stops a start


def test_vllm_without_a_model_says_where_one_is_named() -> None:
    settings = load_settings(generator="vllm")
    for args in (Args(), Args(llm=MODEL), Args(generator="deployment")):
        with pytest.raises(SettingsError, match=r"cluster/gpu\.yaml"):
            demand(settings, args)


def test_a_window_without_room_for_a_prompt_stops_the_start() -> None:
    settings = load_settings(generator="vllm", generator_max_tokens=512)
    with pytest.raises(SettingsError, match=r"max_model_len: 1024 .* LIRA_GENERATOR_MAX_TOKENS"):
        demand(settings, Args(generator="deployment", llm={**MODEL, "engine_kwargs": {"max_model_len": 1024}}))


def test_a_prompt_takes_what_the_window_leaves_beside_the_answer() -> None:
    settings = load_settings(generator="vllm", generator_max_tokens=512)
    assert room({}, settings) == room({"max_model_len": 4096}, settings) == BUDGET
    assert EVERYDAY_TOKENS < room({"max_model_len": 1600}, settings) == 1600 - 512 < BUDGET


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vLLM is installed")
def test_without_the_package_the_graph_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LIRA_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("LIRA_GENERATOR", "vllm")
    with pytest.raises(SettingsError, match=r"pip install 'lira\[vllm\]'"):
        build(Args(generator="deployment", llm=MODEL))


def test_a_model_that_the_setting_leaves_aside_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        demand(load_settings(), Args(generator="deployment", llm=MODEL))
    assert "LIRA_GENERATOR is grounded" in caplog.text
    caplog.clear()
    demand(load_settings(), Args())
    assert not caplog.text
