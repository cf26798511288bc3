"""What the HTTP surface accepts, as pydantic models: every bound of every field stands here. What it answers stands in `lira_core.replies`."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Json, WithJsonSchema

from lira_core import replies

TEXT_LIMIT = 4_000
ITEMS_LIMIT = 256
METADATA_DEPTH = 16
ID_PATTERN = r"^[A-Za-z0-9._:-]{1,128}$"
YEARS = (1900, 2200)
"""Times outside are mistakes (a wrong unit, a placeholder), and would overflow when shifted by an offset or an expiry."""
HALF_PAIR = "must not contain half of a surrogate pair"
"""Also what is said for pydantic's `string_unicode`, which is found before a validator of ours is asked."""


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not contain NUL (U+0000)")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(HALF_PAIR) from None
    return text


def _spoken(text: str) -> str:
    if not any(c.isprintable() and not c.isspace() for c in text):
        raise ValueError("must not be blank")
    return _storable(text)


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        moment = value
    elif isinstance(value, str):
        try:
            moment = datetime.fromisoformat(_storable(value))  # Python's reads no further than a NUL
        except ValueError:
            raise ValueError("must be an ISO 8601 time with an offset, such as 2026-10-03T09:12:00+09:00") from None
    else:
        raise ValueError("must be a string, such as 2026-10-03T09:12:00+09:00")
    if moment.tzinfo is None:
        raise ValueError("has no offset: add one, such as +09:00 or Z")
    if not YEARS[0] <= moment.year < YEARS[1]:
        raise ValueError(f"must lie between {YEARS[0]} and {YEARS[1]}")
    moment.astimezone(UTC)
    return moment


def _plain(metadata: dict[str, Any]) -> dict[str, Any]:
    """JSON that every store can hold: no NaN, no NUL, no half pairs, not deeper than METADATA_DEPTH."""
    waiting: list[tuple[Any, int]] = [(metadata, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > METADATA_DEPTH:
            raise ValueError(f"must not be nested deeper than {METADATA_DEPTH}")
        if isinstance(value, str):
            _storable(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise ValueError("must not contain NaN or Infinity")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ValueError("must not contain an integer beyond 64 bits")
        elif isinstance(value, dict):
            waiting += [(inner, depth + 1) for pair in value.items() for inner in pair]
        elif isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value]
    return metadata


Id = Annotated[str, Field(pattern=ID_PATTERN, description="1 to 128 of letters, digits, `.`, `_`, `-`, `:`.")]
Text = Annotated[str, Field(min_length=1, max_length=TEXT_LIMIT), AfterValidator(_spoken)]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "description": "ISO 8601 with an offset."}),
]
KEY_PATTERN = r"^[\x21-\x7e]{1,255}$"
Metadata = Annotated[dict[str, Any], AfterValidator(_plain)]


class Body(BaseModel):
    """A request body: its fields are exactly those named, and no type is guessed (`"1"` is no number)."""

    model_config = ConfigDict(extra="forbid", strict=True)


class ChatRequest(Body):
    user_id: Id
    session_id: Id
    text: Text
    stream: bool = Field(False, description="Answer as `text/event-stream`: one `recall`, then `token`s, then one `done`.")
    at: Moment | None = Field(None, description="When it was said, for importing and evaluating; the clock when absent.")


class GenerateRequest(Body):
    user_id: Id
    session_id: Id
    text: Text


class Item(Body):
    text: Text
    timestamp: Moment | None = None
    session_id: Id | None = None
    metadata: Metadata | None = None


class AddRequest(Body):
    user_id: Id
    items: list[Item] = Field(min_length=1, max_length=ITEMS_LIMIT)


class SearchRequest(Body):
    user_id: Id
    query: Text
    limit: int = Field(10, ge=1, le=50)
    at: Moment | None = None
    rerank: bool = Field(True, description="Whether the best are read with the query, which puts what answers it first and takes longer.")


class GenerateEmotion(BaseModel):
    emotion_1st_label: str | None
    emotion_1st_score: float | None
    emotion_2nd_label: str | None
    emotion_2nd_score: float | None
    emotion_3rd_label: str | None
    emotion_3rd_score: float | None
    emotion_mode: str


class GenerateReply(BaseModel):
    output: str
    emotion: GenerateEmotion


class Health(BaseModel):
    """Each dependency: `ok`, `degraded` or `down`."""

    status: str
    dependencies: dict[str, str]


class RecallEvent(BaseModel):
    """The first event of a stream: the reply without `reply`. A memory that is not on the disk yet is `queued`."""

    event: Literal["recall"]
    data: Json[replies.Opening]


class Piece(BaseModel):
    text: str


class TokenEvent(BaseModel):
    """A piece of the answer."""

    event: Literal["token"]
    data: Json[Piece]


class DoneEvent(BaseModel):
    """The last event: the whole reply."""

    event: Literal["done"]
    data: Json[replies.Reply]


class ErrorEvent(BaseModel):
    """Instead of the rest, where a stream breaks: a problem."""

    event: Literal["error"]
    data: Json[dict[str, Any]]


StreamEvent = RecallEvent | TokenEvent | DoneEvent | ErrorEvent
