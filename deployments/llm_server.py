"""LanguageModel: `ray.serve.llm`'s server as the graph's Generator. Imported only where vLLM is installed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any

from ray.serve.llm import LLMConfig, LLMServer
from ray.serve.llm.openai_api_models import ChatCompletionRequest
from transformers import AutoTokenizer

from deployments.generator import sent
from deployments.llm import room
from deployments.llm_chat import LlmGenerator
from deployments.logs import log_with_serve
from deployments.metrics import ServeObserver
from deployments.ray_patches.loopback import stay_on_loopback
from lira_core.compose import chat_fields
from lira_core.generation.chat_prompt import messages
from lira_core.generation.port import GeneratorError, Prompt, Usage
from lira_core.settings import Settings


class LanguageModel(LLMServer):
    """vLLM in this replica, asked by `generate` as every Generator is, so that who asks needs no vLLM.

    Ray's own methods (chat, tokenize, check_health) are there beside it.
    """

    async def __init__(self, llm_config: LLMConfig, settings: Settings) -> None:
        stay_on_loopback()
        log_with_serve()
        await super().__init__(llm_config)
        tokenizer = AutoTokenizer.from_pretrained(_tokenizer_source(llm_config))

        def tokens(text: str) -> int:
            return len(tokenizer.encode(text, add_special_tokens=False))

        fields = {"model": llm_config.model_id, **chat_fields(settings)}
        said = partial(messages, budget=room(llm_config.engine_kwargs, settings), count=tokens)
        self._generator = LlmGenerator(self._stream, said, fields, ServeObserver())

    async def _stream(self, fields: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
        return await self.chat(ChatCompletionRequest(**fields))

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage | GeneratorError, None]:
        async with aclosing(sent(self._generator.generate(prompt))) as answer:
            async for piece in answer:
                yield piece


def _tokenizer_source(llm_config: LLMConfig) -> str:
    """Where vLLM has its tokenizer from: named apart, or beside the weights, which by now lie on this node."""
    return llm_config.model_loading_config.tokenizer_source or llm_config.get_engine_config().actual_hf_model_id
