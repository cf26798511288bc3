"""OpenAI's chat completions as pydantic models: what is asked, as far as LIRA looks at it, and what is answered.

Fields of the specification that are not here (`temperature`, `max_tokens`, `stop`, `tools`, ...) are accepted and not looked at. One that
asks for what cannot be given is here with the only value that it may have.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, Json, ValidationError, ValidatorFunctionWrapHandler, WithJsonSchema, WrapValidator

from deployments.schemas import HALF_PAIR, Id
from lira_core import replies

MODEL = "lira"
"""The one model; a request may name any other, so that a client changes its base URL alone."""


def _otherwise(message: str) -> WrapValidator:
    """What is said of any other value but a string that is broken."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            half = any(wrong["type"] == "string_unicode" for wrong in error.errors())
            raise ValueError(HALF_PAIR if half else message) from None

    return WrapValidator(check)


def _no(value: bool) -> bool:
    if value:
        raise ValueError("must be false")
    return value


# A `Literal[False]` takes 0 too.
No = Annotated[bool, AfterValidator(_no), WithJsonSchema({"type": "boolean", "const": False})]


class Asked(BaseModel):
    """A part of a request: fields that it does not have are not looked at, and no type is guessed."""

    model_config = ConfigDict(extra="ignore", strict=True)


class ChatMessage(Asked):
    """A line of the talk. Only the last one of the user is looked at: what was said before, LIRA remembers itself."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Annotated[str | list[dict[str, Any]] | None, _otherwise("must be a string, an array of parts, or null")] = Field(
        None, description="Of the last user message: 1 to 4,000 characters, or parts `{type: text, text}`, which are joined by a line break."
    )


class StreamOptions(Asked):
    include_usage: bool | None = Field(None, description="One more chunk, with the tokens, where a language model counted them.")


class Metadata(Asked):
    session_id: Id | None = None


class ResponseFormat(Asked):
    type: Annotated[Literal["text"], _otherwise("must be text: LIRA talks, and promises no JSON")]


class ChatCompletionRequest(Asked):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"model": MODEL, "user": "u1", "messages": [{"role": "user", "content": "나는 딸기를 좋아해"}]}]}
    )

    messages: list[ChatMessage] = Field(min_length=1, description="The last of them that is the user's is the turn.")
    model: str | None = Field(None, max_length=256, description="Any; the answer repeats it.")
    user: Id | None = Field(None, description="Whose memory. Required, here or as `safety_identifier` or header `X-User-Id`.")
    safety_identifier: Id | None = Field(None, description="OpenAI's newer name of `user`.")
    metadata: Metadata | None = Field(None, description="`session_id`: the session.")
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: Annotated[Annotated[int, Field(ge=1, le=1)] | None, _otherwise("must be 1: LIRA gives one answer")] = None
    response_format: ResponseFormat | None = None
    logprobs: Annotated[No | None, _otherwise("must be false: LIRA has no probabilities of tokens")] = None
    top_logprobs: Annotated[Annotated[int, Field(ge=0, le=0)] | None, _otherwise("must be 0: LIRA has no probabilities of tokens")] = None
    modalities: Annotated[list[Literal["text"]] | None, _otherwise("must be text alone: LIRA does not speak aloud")] = None
    tool_choice: Annotated[Literal["none", "auto"] | None, _otherwise("must be auto or none: LIRA calls no tools")] = None
    function_call: Annotated[Literal["none", "auto"] | None, _otherwise("must be auto or none: LIRA calls no functions")] = None


class Extension(BaseModel):
    """What LIRA tells beside OpenAI's fields; each as in the answer of `/v1/chat`."""

    request_id: str
    recalled: tuple[replies.ShownMemory, ...]
    emotion: replies.ReadEmotion
    memory: replies.Kept
    degraded: tuple[str, ...]


class CachedTokens(BaseModel):
    cached_tokens: int


class CompletionUsage(BaseModel):
    """Tokens as the engine counts them."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: CachedTokens


class AssistantMessage(BaseModel):
    role: Literal["assistant"]
    content: str
    refusal: None


class Choice(BaseModel):
    index: Literal[0]
    message: AssistantMessage
    logprobs: None
    finish_reason: Literal["stop"]


class ChatCompletion(BaseModel):
    """An answered turn. `usage` is null where no language model wrote the answer."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: CompletionUsage | None
    lira: Extension


class Delta(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None


class ChunkChoice(BaseModel):
    index: Literal[0]
    delta: Delta
    logprobs: None
    finish_reason: Literal["stop"] | None


class ChatCompletionChunk(BaseModel):
    """A piece of a streamed answer. `lira` is in the first (of `memory` and `degraded` so far) and in the one with `finish_reason`."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: CompletionUsage | None = None
    lira: Extension | None = None


class Error(BaseModel):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorReply(BaseModel):
    error: Error


class ChunkEvent(BaseModel):
    """An event of a stream; a stream that breaks ends with an error instead of the rest."""

    data: Json[ChatCompletionChunk | ErrorReply]


class LastEvent(BaseModel):
    data: Literal["[DONE]"]


ChatCompletionEvent = ChunkEvent | LastEvent


class Model(BaseModel):
    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class Models(BaseModel):
    object: Literal["list"]
    data: list[Model]
