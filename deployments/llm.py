"""The Generator as vLLM: what a Serve config says of it, and a chat of `ray.serve.llm` read as the core's Generator.

Nothing here imports vLLM: a config is checked, and the graph explains itself, where it is not installed.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from importlib.util import find_spec
from typing import Any

import orjson
from ray.serve import Application

from deployments.args import Args
from lira_core.generation.chat_prompt import BUDGET
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorRejected, GeneratorUnavailable, Prompt, Usage
from lira_core.settings import Settings, SettingsError

log = logging.getLogger(__name__)

CONCURRENT_ANSWERS = 256
"""Answers at once in a replica, as many as vLLM's scheduler takes by default (`max_num_seqs`, on anything but the largest GPUs): the next one waits
in its caller, where it can be refused. Ray's own default is a thousand million."""

UNLESS_SAID: Mapping[str, Any] = {"enable_prefix_caching": True, "enable_prompt_tokens_details": True}
"""What LIRA's prompt is made for, and what tells whether it worked: vLLM counts cached tokens only when asked to."""

EVERYDAY_TOKENS = 900
"""What a prompt of three memories, a summary and six turns stays under."""

Chat = Callable[[Mapping[str, Any]], Awaitable[AsyncGenerator[Sequence[Any], None]]]
"""A chat completion's fields in, lists of what `LLMServer.chat` streams out: server-sent events (`data: {…}`) or one error with its code."""


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
    return BUDGET if window is None else min(BUDGET, window - settings.generator_max_tokens)


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


class LlmGenerator:
    """The core's Generator over a chat of `ray.serve.llm`. Closing the iterator ends the chat, and with it vLLM's work."""

    def __init__(self, chat: Chat, messages: Callable[[Prompt], Sequence[Mapping[str, str]]], sampling: Mapping[str, Any]) -> None:
        """`messages` makes the prompt's messages; `sampling`: fields of the chat completion beside them, `model` among them."""
        self._chat = chat
        self._messages = messages
        self._sampling = sampling

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        fields = {
            **self._sampling,
            "messages": [dict(message) for message in self._messages(prompt)],
            "stream": True,
            "stream_options": {"include_usage": True},
            # Serve's own id is the client's `X-Request-Id`, which may come twice at once; vLLM's has to be its own.
            "request_id": uuid.uuid4().hex,
        }
        ended = False
        try:
            async with aclosing(await self._chat(fields)) as batches:
                async for batch in batches:
                    for chunk in _chunks(batch):
                        ended = ended or _finished(chunk)
                        for piece in _pieces(chunk):
                            yield piece
        except GeneratorError:
            raise
        except Exception as error:  # noqa: BLE001 vLLM's own errors cannot even be unpickled where vLLM is not installed
            raise GeneratorUnavailable(f"{type(error).__name__}: {error}") from None
        if not ended:
            raise GeneratorUnavailable("the answer broke off")


def _chunks(batch: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The chunks of a batch of events. GeneratorError for one that is an error."""
    for event in batch:
        if not isinstance(event, str):
            raise _error(event.error.code, event.error.message)
        for line in event.splitlines():
            data = line.removeprefix("data:").strip()
            if not line.startswith("data:") or data == "[DONE]":
                continue
            chunk: dict[str, Any] = orjson.loads(data)
            if (error := chunk.get("error")) is not None:
                raise _error(error.get("code"), error.get("message"))
            yield chunk


def _pieces(chunk: Mapping[str, Any]) -> Iterator[str | Usage]:
    for choice in chunk.get("choices") or ():
        if text := choice["delta"].get("content"):
            yield text
    if usage := chunk.get("usage"):
        details = usage.get("prompt_tokens_details") or {}
        yield Usage(usage["prompt_tokens"], usage["completion_tokens"] or 0, details.get("cached_tokens") or 0)


def _finished(chunk: Mapping[str, Any]) -> bool:
    """Whether the chunk ends the answer. GeneratorUnavailable where vLLM gave it up."""
    reasons = [choice.get("finish_reason") for choice in chunk.get("choices") or ()]
    if "abort" in reasons or "error" in reasons:
        raise GeneratorUnavailable("vLLM gave the answer up")
    return any(reasons)


def _error(code: int | None, message: str | None) -> GeneratorError:
    """The port's error for a status of HTTP, as vLLM gives them: 4xx is the request's fault, 429 and 503 are "not now"."""
    said = f"vLLM answered {code}: {message}"
    if code in (429, 503):
        return GeneratorBusy(said)
    return GeneratorRejected(said) if code is not None and 400 <= code < 500 else GeneratorUnavailable(said)
