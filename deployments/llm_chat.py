"""LlmGenerator: a chat of `ray.serve.llm` as the core's Generator. It needs no vLLM itself; the chat is its server's."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import orjson
from openai.types.chat import ChatCompletionChunk

from lira_core.generation.openai import pieces
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorRejected, GeneratorUnavailable, Prompt, Usage
from lira_core.observe import Observer, Unobserved

Chat = Callable[[Mapping[str, Any]], Awaitable[AsyncGenerator[Sequence[Any], None]]]
"""A chat completion's fields in, lists of what `LLMServer.chat` streams out: server-sent events (`data: {…}`) or one error with its code."""


class LlmGenerator:
    """Closing an answer ends the chat, and with it vLLM's work."""

    def __init__(
        self, chat: Chat, messages: Callable[[Prompt], Sequence[Mapping[str, str]]], fields: Mapping[str, Any], observer: Observer | None = None
    ) -> None:
        """`messages` makes the prompt's messages; `fields` are those of every chat beside them, `model` among them."""
        self._chat = chat
        self._messages = messages
        self._fields = fields
        self._observer = observer or Unobserved()

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """The answer as it comes, then its usage. GeneratorError for whatever goes wrong."""
        asked = {
            # With each piece the tokens so far: of an answer that is left they are all that is known.
            "stream_options": {"include_usage": True, "continuous_usage_stats": True},
            **self._fields,
            "messages": list(self._messages(prompt)),
            "stream": True,
            # Serve's own id is the client's `X-Request-Id`, which may come twice at once; vLLM's has to be its own.
            "request_id": uuid.uuid4().hex,
        }
        try:
            async with (
                aclosing(await self._chat(asked)) as batches,
                aclosing(_chunks(batches)) as chunks,
                aclosing(pieces(chunks, self._observer)) as answer,
            ):
                async for piece in answer:
                    yield piece
        except GeneratorError:
            raise
        except Exception as error:  # noqa: BLE001 vLLM's own errors cannot even be unpickled where vLLM is not installed
            raise GeneratorUnavailable(f"{type(error).__name__}: {error}", again=True) from None


async def _chunks(batches: AsyncIterator[Sequence[Any]]) -> AsyncGenerator[ChatCompletionChunk, None]:
    """GeneratorError for an event that is an error."""
    async for batch in batches:
        for event in batch:
            if not isinstance(event, str):
                raise _refusal(event.error.code, event.error.message)
            for line in event.splitlines():
                data = line.removeprefix("data:").strip()
                if not line.startswith("data:") or data == "[DONE]":
                    continue
                chunk: dict[str, Any] = orjson.loads(data)
                if (error := chunk.get("error")) is not None:
                    raise _refusal(error.get("code"), error.get("message"))
                yield ChatCompletionChunk.construct(**chunk)


def _refusal(code: int | None, message: str | None) -> GeneratorError:
    """The port's error for a status of HTTP, as vLLM gives them: 4xx is the request's fault, 429 is "not now"."""
    said = f"vLLM answers {code}: {message}"
    if code == 429:
        return GeneratorBusy(said)
    return GeneratorRejected(said) if code is not None and 400 <= code < 500 else GeneratorUnavailable(said, again=True)
