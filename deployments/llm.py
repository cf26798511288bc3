"""The Generator as vLLM: what a Serve config says of it, and how it joins the graph.

Nothing here imports vLLM: a config is checked, and the graph explains itself, where it is not installed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from ray.serve import Application

from deployments.args import Args
from lira_core.generation.chat_prompt import BUDGET
from lira_core.settings import Settings, SettingsError

log = logging.getLogger(__name__)

CONCURRENT_ANSWERS = 256
"""Answers at once in a replica, as many as vLLM's scheduler takes by default (`max_num_seqs`, on anything but the largest GPUs): the next one waits
in its caller, where it can be refused. Ray's own default is a thousand million."""

UNLESS_SAID: Mapping[str, Any] = {"enable_prefix_caching": True, "enable_prompt_tokens_details": True}
"""What LIRA's prompt is made for, and what tells whether it worked: vLLM counts cached tokens only when asked to."""

EVERYDAY_TOKENS = 900
"""What a prompt of three memories, a summary and six turns stays under."""


def demand(settings: Settings, args: Args) -> None:
    """SettingsError, with a sentence, where `LIRA_GENERATOR` and the Serve config do not go together or vLLM is missing."""
    if settings.generator != "vllm":
        if args.llm is not None:
            log.warning("`llm` in the Serve config is not used: LIRA_GENERATOR is %s, not vllm", settings.generator)
        return
    if args.llm is None or args.generator != "deployment":
        raise SettingsError(
            "LIRA_GENERATOR=vllm runs the model inside the graph, and the Serve config does not say which: give it `args.llm` and "
            "`generator: deployment`, as cluster/gpu.yaml does (`lira serve --config cluster/gpu.yaml`); a vLLM server elsewhere is "
            "LIRA_GENERATOR=openai"
        )
    engine = args.llm.get("engine_kwargs") or {}
    if room(engine, settings) < EVERYDAY_TOKENS:
        raise SettingsError(
            f"args.llm.engine_kwargs.max_model_len: {engine['max_model_len']} tokens do not hold a prompt of {EVERYDAY_TOKENS} and an answer "
            f"of LIRA_GENERATOR_MAX_TOKENS={settings.generator_max_tokens}: raise the first, or lower the second"
        )
    if find_spec("vllm") is None:
        raise SettingsError("LIRA_GENERATOR=vllm needs vLLM, which is not installed: pip install 'lira[vllm]', or choose another LIRA_GENERATOR")


def room(engine: Mapping[str, Any], settings: Settings) -> int:
    """Tokens that a prompt may have: the model's window less the answer, where the config bounds the window."""
    window = engine.get("max_model_len")
    return min(BUDGET, window - settings.generator_max_tokens) if isinstance(window, int) and window > 0 else BUDGET


def llm_config(llm: Mapping[str, Any]) -> Any:
    """Ray's LLMConfig of `args.llm`. pydantic's ValidationError for what cannot be."""
    # `ray.serve.llm` has this class too, and imports vLLM.
    from ray.llm._internal.serve.core.configs.llm_config import LLMConfig

    config = LLMConfig.model_validate(llm)
    config.engine_kwargs = {**UNLESS_SAID, **config.engine_kwargs}
    # LLMServer would hold everything back for 50 ms, the first token too; the stage joins pieces itself, after the first.
    config.experimental_configs = {"stream_batching_interval_ms": 0, **config.experimental_configs}
    return config


def bind(settings: Settings, args: Args, options: Mapping[str, Any]) -> Application:
    """`ray.serve.llm`'s deployment as the graph's Generator. ValueError for an engine argument that vLLM does not know."""
    from ray.serve.llm import build_llm_deployment

    from deployments.llm_server import LanguageModel

    assert args.llm is not None
    return build_llm_deployment(
        llm_config(args.llm),
        bind_kwargs={"settings": settings},
        override_serve_options={"name": "Generator", "num_replicas": 1, "max_ongoing_requests": CONCURRENT_ANSWERS, **options},
        deployment_cls=LanguageModel,
    )
