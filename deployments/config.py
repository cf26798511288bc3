"""Reading a Serve config strictly: Ray's own schema takes a misspelt key without a word, and the option never applies."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from ray.serve.config import AutoscalingConfig
from ray.serve.schema import DeploymentSchema, RayActorOptionsSchema, ServeApplicationSchema, ServeDeploySchema

from deployments.args import Args
from deployments.llm import llm_config

PLACED = {"ray_actor_options", "placement_group_bundles", "placement_group_strategy"}
"""Options that Ray derives from a model's tensor parallelism and its resources; given beside them they would win, and not fit."""


class ConfigError(ValueError):
    """A config that stops the start; the message is a sentence that names the key and, where there is one, the right one."""


def read_config(path: Path) -> tuple[dict[str, Any], ServeDeploySchema]:
    """The config as written and as Ray's schema. Raises ConfigError."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(raw, dict):
        raise ConfigError(f"{path} is not a Serve config: it must be a mapping with `applications`.")
    return raw, checked(raw, str(path))


def checked(raw: Mapping[str, Any], source: str) -> ServeDeploySchema:
    """The config as Ray's schema, when every key, argument and deployment in it exists. Raises ConfigError."""
    for where, key, known in _unknown_keys(raw, ServeDeploySchema, ""):
        raise ConfigError(f"{source}: {where}{key} is not a key of a Serve config{_hint(key, known)}")
    try:
        schema = ServeDeploySchema.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{source}: {'.'.join(map(str, first['loc']))}: {str(first['msg']).removeprefix('Value error, ')}.") from None
    for application in _lira(schema):
        _check_lira(application, source)
    return schema


def args_of(schema: ServeDeploySchema) -> list[Args]:
    """What a checked config says to each LIRA in it."""
    return [Args.model_validate(application.args) for application in _lira(schema)]


def _lira(schema: ServeDeploySchema) -> list[ServeApplicationSchema]:
    return [application for application in schema.applications if application.import_path == "deployments.app:build"]


def _check_lira(application: ServeApplicationSchema, source: str) -> None:
    for key in application.args:
        if key not in Args.model_fields:
            raise ConfigError(f"{source}: args.{key} is not an argument of LIRA{_hint(key, list(Args.model_fields))}")
    try:
        args = Args.model_validate(application.args)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{source}: args.{'.'.join(map(str, first['loc']))}: {str(first['msg']).removeprefix('Value error, ')}.") from None
    for deployment in application.deployments:
        if deployment.name not in args.deployments:
            raise ConfigError(f"{source}: {deployment.name} is not a deployment of LIRA{_hint(deployment.name, args.deployments)}")
        _check_policy(deployment, f"{source}: {deployment.name}'s autoscaling_config.policy")
        if args.llm is not None and deployment.name == "Generator" and (placed := PLACED & deployment.model_fields_set):
            raise ConfigError(f"{source}: Generator's {min(placed)} follows from args.llm: set the model's resources there.")
    if args.llm is not None:
        _check_llm(args.llm, f"{source}: args.llm.")


def _check_policy(deployment: DeploymentSchema, where: str) -> None:
    """That a policy of ours takes what it is given: Serve would find out in its controller, and scale nothing."""
    config = deployment.autoscaling_config
    policy = AutoscalingConfig.model_validate(config).policy if isinstance(config, Mapping) and config else None
    if policy is None or not isinstance(kind := policy.get_policy(), type):
        return
    try:
        kind(**policy.policy_kwargs)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{where}: {error}.") from None


def _check_llm(llm: dict[str, Any], source: str) -> None:
    """Strictly where Ray is not: it takes any key in a placement group and in the deployment's options."""
    from ray.llm._internal.common.placement import PlacementGroupConfig
    from ray.llm._internal.serve.core.configs.llm_config import LLMConfig

    placement, options = llm.get("placement_group_config"), llm.get("deployment_config") or {}
    if outside := sorted(set(options) - {"ray_actor_options"}):
        raise ConfigError(f"{source}deployment_config.{outside[0]} stands with the options of the others, under `deployments:`, `name: Generator`.")
    unknown = [*_unknown_keys(llm, LLMConfig, ""), *_unknown_keys(options.get("ray_actor_options"), RayActorOptionsSchema, "ray_actor_options.")]
    for where, key, known in unknown:
        raise ConfigError(f"{source}{where}{key} is not a key of Ray's LLMConfig{_hint(key, known)}")
    try:
        if placement is not None:
            PlacementGroupConfig.model_validate(placement)
        llm_config(llm)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{source}{'.'.join(map(str, first['loc']))}: {str(first['msg']).removeprefix('Value error, ')}.") from None


def _unknown_keys(value: Any, annotation: Any, where: str) -> Iterator[tuple[str, str, list[str]]]:
    """(path, key, keys that exist there) of each key that the annotated model does not have; a plain dict may hold anything."""
    models = list(_models(annotation))
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from _unknown_keys(item, annotation, f"{where.removesuffix('.')}[{i}].")
    elif isinstance(value, Mapping) and models:
        fields = {alias: field for model in models for name, field in model.model_fields.items() for alias in {name, field.alias or name}}
        for key, inner in value.items():
            if key not in fields:
                yield where, str(key), list(fields)
            else:
                yield from _unknown_keys(inner, fields[key].annotation, f"{where}{key}.")


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in typing.get_args(annotation):
        yield from _models(inner)


def _hint(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key, known, 1, 0.5)
    return f"; did you mean {near[0]}?" if near else f"; there are: {', '.join(sorted(known))}."
