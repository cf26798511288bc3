"""Answers by any API that speaks OpenAI's chat completions: OpenAI, Upstage Solar, vLLM's server, llama.cpp."""

from __future__ import annotations

import asyncio
import email.utils
import math
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any, Final

import httpx
import openai

from lira_core.generation.chat_prompt import messages
from lira_core.generation.port import (
    GeneratorBusy,
    GeneratorError,
    GeneratorLate,
    GeneratorRejected,
    GeneratorUnavailable,
    Prompt,
    Usage,
)
from lira_core.observe import Observer, Unobserved

KEEP_ALIVE_S: Final = 60.0
"""An idle connection is kept for so long: between two turns of one person lie tens of seconds, and a new TLS connection costs two round trips."""
END_WITHIN_S: Final = 0.05
"""The end of a body comes with its last event, or right after it; a new connection is cheaper than to wait for longer."""
SHOWN: Final = 200
"""Characters of what an API says of an error that are passed on; some repeat the whole request, and with it what a person said."""

PASSING: Final = frozenset({408, 409, 425})
"""Of the refusals these pass by themselves: request timeout, conflict, too early (RFC 9110, RFC 8470)."""


class OpenAIGenerator:
    """A Generator over one model of one API. Deadlines but that of connecting, and what to do about errors, are `resilience.Guarded`'s.

    `url` is the API's base, mostly ending in /v1. `options` are fields of every request beside model, messages and stream. One client and its
    connections for all answers; `aclose` closes them.
    """

    def __init__(
        self, *, url: str, model: str, key: str | None, options: Mapping[str, Any], connect_s: float, observer: Observer | None = None
    ) -> None:
        self.url, self.model, self._key, self._connect_s = url, model, key, connect_s
        self._observer = observer or Unobserved()
        self._options = {name: value for name, value in options.items() if value is not None}
        # How many answers are written at once is bounded above; a connection is never waited for.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=KEEP_ALIVE_S)
        self._client = openai.AsyncOpenAI(
            base_url=url,
            # A word also where there is no key, or the client would send what it finds under OPENAI_API_KEY to whatever `url` names.
            api_key=key or "none",
            max_retries=0,
            http_client=openai.DefaultAsyncHttpxClient(
                limits=limits, timeout=httpx.Timeout(None, connect=connect_s), event_hooks={"response": [_read_to_its_end]}
            ),
        )
        # Here, and not at the first turn: the client imports what it needs when it is first named, for tenths of a second.
        self._completions = self._client.chat.completions

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """The answer as it comes, then its usage where the API counts. GeneratorError for whatever goes wrong."""
        # Messages go as they are, beside the other fields: those given as `messages` the client compares with each form that a message may
        # have, which takes longer than all else that is done here.
        fields = {"messages": messages(prompt), "stream_options": {"include_usage": True}, **self._options}
        try:
            asked = self._completions.create(model=self.model, messages=(), stream=True, extra_body=fields)
            async with await asked as stream, aclosing(pieces(stream, self._observer)) as answer:
                async for piece in answer:
                    yield piece
        except (openai.OpenAIError, httpx.HTTPError, ValueError) as error:
            # Not `from error`: what the client raises quotes the answer's whole body, some of which quote the key.
            raise self._named(error) from None

    async def models(self) -> list[str]:
        """The models that the API lists. GeneratorError as for an answer."""
        try:
            return [model.id async for model in self._client.models.list()]
        except (openai.OpenAIError, httpx.HTTPError, ValueError, AttributeError, TypeError) as error:
            # The last two: the client builds a list of whatever comes, also of a page of HTML.
            raise self._named(error) from None

    async def aclose(self) -> None:
        await self._client.close()

    def _named(self, error: Exception) -> GeneratorError:
        match error:
            case openai.APIStatusError():
                return self._refusal(error.status_code, self._told(error), error.response.headers)
            case openai.APITimeoutError():
                return GeneratorLate(f"no connection to {self.url} within {self._connect_s:g} s")
            case openai.APIConnectionError():
                return GeneratorUnavailable(f"{self.url} cannot be reached: {_cause(error)}", again=True)
            case httpx.TransportError():
                return GeneratorUnavailable(f"{self.url} broke off: {type(error).__name__}", again=True)
            case openai.APIError():
                return GeneratorUnavailable(f"{self.url} broke off: {self._told(error)}")
            case _:
                return GeneratorUnavailable(f"{self.url} answers with what is no answer of an OpenAI-compatible API ({type(error).__name__})")

    def _refusal(self, status: int, told: str, headers: Mapping[str, str]) -> GeneratorError:
        says = f"{self.url} answers {status}: {told}"
        match status:
            case 429:
                return GeneratorBusy(says, retry_after(headers))
            case _ if status >= 500 or status in PASSING:
                return GeneratorUnavailable(says, again=True)
            case 401 | 403:
                return GeneratorRejected(f"{says}; set LIRA_GENERATOR_API_KEY to a key that it takes for {self.model}")
            case 404:
                return GeneratorRejected(
                    f"{says}; LIRA_GENERATOR_MODEL={self.model} is no model of it, or LIRA_GENERATOR_URL is no base of an API (most end in /v1)"
                )
            case _:
                return GeneratorRejected(
                    f"{says}; LIRA_GENERATOR_OPTIONS adds fields to a request or, with null, leaves them out; a prompt that is too long needs a "
                    "model with more room"
                )

    def _told(self, error: openai.APIError) -> str:
        """What the API says, short, without the key: some repeat it."""
        body = error.body
        told = str(body.get("message") or body.get("detail") or body) if isinstance(body, dict) else str(body or error.message)
        told = " ".join(told.split())
        return (told.replace(self._key, "***") if self._key else told)[:SHOWN]


async def pieces(stream: AsyncIterator[Any], observer: Observer) -> AsyncGenerator[str | Usage, None]:
    """The answer in a chat completion's chunks. GeneratorUnavailable for one without an end, without a word, or given up by its engine.

    Of an answer that is left or breaks off nobody tells the usage: what was written of it is counted as `lira_generate_tokens_total{kind}`
    `stopped`, by the engine's running count where it gives one (vLLM), else a token for each piece.
    """
    written, whole = _Written(), False
    try:
        async with aclosing(_contents(stream, written)) as contents:
            async for content in contents:
                yield content
        whole = True
        if written.usage is not None:
            yield written.usage
    finally:
        if not whole:
            observer.count("lira_generate_tokens_total", written.tokens, kind="stopped")


@dataclass(slots=True)
class _Written:
    """What a stream has told so far: pieces, and the usage where the engine counts."""

    pieces: int = 0
    usage: Usage | None = None

    @property
    def tokens(self) -> int:
        return self.usage.written if self.usage is not None else self.pieces


async def _contents(stream: AsyncIterator[Any], written: _Written) -> AsyncGenerator[str, None]:
    """Chunks are read without trust: the client builds them from any JSON."""
    finish: object = None
    async for chunk in stream:
        written.usage = _usage(getattr(chunk, "usage", None)) or written.usage
        choices = getattr(chunk, "choices", None)
        if not isinstance(choices, list) or not choices:
            continue
        finish = getattr(choices[0], "finish_reason", None) or finish
        content = getattr(getattr(choices[0], "delta", None), "content", None)
        if isinstance(content, str) and content:
            written.pieces += 1
            yield content
    if finish is None:
        raise GeneratorUnavailable("the answer has no end: the stream closed early, or is no chat completion")
    if not written.pieces:
        raise GeneratorUnavailable(f"the answer is empty (finish_reason {finish})")
    if finish == "abort":  # vLLM, which is paused or ends
        raise GeneratorUnavailable("the engine gave the answer up")
    if finish == "content_filter":
        raise GeneratorUnavailable("the API's content filter cut the answer off")


class _ToItsEnd(httpx.AsyncByteStream):
    """The body of an answer, read to its end when it is closed after its last event.

    The client (openai 2.54) closes it right after `[DONE]`, with the end of the body unread, and a connection with something unread is not
    used again: each answer would wait for a new one.
    """

    def __init__(self, body: httpx.AsyncByteStream) -> None:
        self._body, self._parts, self._last = body, aiter(body), b""

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        async for part in self._parts:
            self._last = part
            yield part

    async def aclose(self) -> None:
        if self._last.rstrip().endswith(b"[DONE]"):
            with suppress(TimeoutError, httpx.HTTPError):
                async with asyncio.timeout(END_WITHIN_S):
                    async for _ in self._parts:
                        pass
        await self._body.aclose()


async def _read_to_its_end(response: httpx.Response) -> None:
    assert isinstance(response.stream, httpx.AsyncByteStream)
    response.stream = _ToItsEnd(response.stream)


def _usage(told: object) -> Usage | None:
    read, written = getattr(told, "prompt_tokens", None), getattr(told, "completion_tokens", None)
    if not isinstance(read, int) or not isinstance(written, int):
        return None
    cached = getattr(getattr(told, "prompt_tokens_details", None), "cached_tokens", None)
    return Usage(read, written, cached if isinstance(cached, int) else 0)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After` (seconds or a date, RFC 9110 10.2.3); None where neither can be read."""
    given = headers.get("retry-after", "")
    if (seconds := _number(headers.get("retry-after-ms", ""))) is not None:
        return seconds / 1000
    if (seconds := _number(given)) is not None:
        return seconds
    try:
        return max(0.0, email.utils.parsedate_to_datetime(given).timestamp() - time.time())
    except (ValueError, OverflowError, OSError):
        return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and value >= 0 else None


def _cause(error: BaseException) -> str:
    cause = error.__cause__ or error
    return f"{type(cause).__name__} {cause}".strip()
