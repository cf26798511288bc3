"""Every setting of LIRA, in one tree: environment names are the fields' names in capitals after `LIRA_`.

`docs/settings.md` is made from this file (`python -m lira_core.settings`), and a test keeps it true.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from lira_core.model_settings import PREFIX, ModelSettings
from lira_core.stores.ports import Role

_SERVICE = re.compile(r"\w+_SERVICE_(HOST|PORT(_\w+)?)|\w+_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?")
_LINK = re.compile(r"(tcp|udp|sctp)://")
EXAMPLES = "https://api.upstage.ai/v1 or http://127.0.0.1:8080/v1"
ONGOING_TURNS = 16
ONGOING_TURNS_OF_A_MODEL = 256
LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


class SettingsError(ValueError):
    """A setting that stops the start; the message is a sentence that says which and what to change."""


class Settings(ModelSettings):
    """The tree. Defaults are the local profile: one machine, one file, bundled models, no key, no network."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, env_ignore_empty=True)

    # Serving
    host: str = Field("127.0.0.1", description="Address to bind to. Anything but loopback needs `LIRA_ALLOW_UNAUTHENTICATED=true`.")
    port: int = Field(8000, ge=1, le=65535, description="HTTP port.")
    allow_unauthenticated: bool = Field(False, description="Serve beyond loopback although nobody has to prove who they are.")
    max_body_bytes: int = Field(
        8_388_608, ge=1024, description="A request body larger than this is answered 413 (256 memories of 4,000 escaped Hangul are 6.1 MB)."
    )
    max_ongoing_turns: int | None = Field(
        None,
        ge=1,
        description="Turns that one orchestrator works on at once. Default: 16 with the grounded responder (more only wait for the same cores), "
        "256 with a language model, where a turn is seconds of waiting.",
    )
    max_queued_requests: int = Field(400, ge=1, description="Turns that may wait before an orchestrator; then 503 at once.")
    queue_patience_ms: int = Field(
        2_000,
        ge=1,
        description="While turns have waited without a pause for 5 s, who would wait longer than this for others gets 503 at once. Shorter makes "
        "what is accepted faster under overload, and refuses more: 2,000 is reckoned for 64 who talk without a pause on two cores "
        "(48 wait, 33 ms each).",
    )
    max_turns_per_user: int = Field(256, ge=1, description="Turns of one user at once, those that wait among them; then 429.")
    request_deadline_ms: int = Field(20_000, ge=100, description="A whole turn may take this long; then 503. The original LIRA allowed 20 s.")

    # What it tells of itself
    log_format: Literal["text", "json"] = Field(
        "text", description="How logs are written: lines to read, or a JSON object each, with the `request_id`. Never what people say."
    )
    log_dir: Path | None = Field(
        None, description="Of `lira serve`: where each replica writes its log. Default: among Ray's files, which go when LIRA ends."
    )
    otlp_endpoint: str | None = Field(
        None, description="Of `lira serve`: where traces are sent, by OTLP over HTTP, such as `http://127.0.0.1:4318`. Default: nowhere."
    )
    trace_share: float = Field(
        0.01, ge=0, le=1, description="The share of requests that are traced, unless their `traceparent` says; as Ray Serve's own."
    )

    # Stores, by role
    data_dir: Path = Field(Path("data"), description="Where the local profile keeps its one file, `lira.db`.")
    short_term_url: str | None = Field(
        None,
        description="Short-term memory, and what waits while the record is away: `sqlite:///PATH`, `redis://HOST:6379/0`, `rediss://…`. "
        "Default: `sqlite:///` + the file in `LIRA_DATA_DIR`.",
    )
    record_url: str | None = Field(
        None, description="The record (events, memories, facts): `sqlite:///PATH`, `mongodb://HOST/DATABASE`, `mongodb+srv://…`. Default: as above."
    )
    vectors_url: str | None = Field(
        None,
        description="The index by meaning: `sqlite:///PATH`, `weaviate://HOST:8080?grpc_port=50051`, `weaviates://…`, `milvus://HOST:19530`, "
        "`milvus:///PATH.db`. Default: as above.",
    )
    words: Literal["record", "vectors"] = Field(
        "record",
        description="Which store finds by words: the record (at once), or an index that can (Weaviate; as soon as the memory is indexed).",
    )
    store_deadline_ms: int = Field(
        2_000,
        ge=1,
        description="An operation of a store that takes longer counts as unavailable, and the store is not asked again until it answers a ping.",
    )
    clock_skew_ms: int = Field(
        0,
        ge=0,
        le=10_000,
        description="By how much the clocks of LIRA's hosts may differ. A deletion waits twice as long before it answers, "
        "so that what was said before it and after it is told apart on every host. 0 for one host.",
    )
    idempotency_ttl_seconds: float = Field(86_400, gt=0, description="How long the answer to a request with an `Idempotency-Key` is kept.")
    session_ttl_seconds: float = Field(86_400, gt=0, description="A session is forgotten this long after its last turn (24 h, as in seed 000).")
    session_max_messages: int = Field(
        1_000,
        ge=2,
        description="A session keeps its newest messages up to this many (a turn is two). At 4,000 characters each that is 12 MB of Hangul at most.",
    )
    reconcile_seconds: float = Field(2.0, gt=0, description="How often deferred writes, unfinished deletions and unindexed memories are looked for.")
    index_batch: int = Field(
        8,
        ge=1,
        le=1_024,
        description="Memories embedded in one call when they are indexed: on a CPU eight short texts take some 30 ms, for which a turn may wait; "
        "a GPU takes hundreds.",
    )

    # What writes the answer (docs/generators.md)
    generator: Literal["grounded", "openai", "vllm"] = Field(
        "grounded",
        description="What writes the answer: `grounded` composes it from the recalled memories, without a language model; `openai` asks any API "
        "that speaks OpenAI's chat completions (OpenAI, Upstage Solar, vLLM's server, llama.cpp); `vllm` runs a model inside the graph.",
    )
    generator_url: str | None = Field(
        None, description="Of `openai`: the API's base, such as `https://api.upstage.ai/v1` or `http://127.0.0.1:8080/v1`."
    )
    generator_model: str | None = Field(None, description="Of `openai`: the model's name, as the API lists it.")
    generator_api_key: SecretStr | None = Field(None, description="Of `openai`: the key, for an API that asks for one. Never logged.")
    generator_max_tokens: int = Field(
        512,
        ge=1,
        description="Tokens of an answer, at most (the original LIRA: 1,024, seed 004: 200). 512 at 64 a second fill `LIRA_GENERATE_DEADLINE_MS`.",
    )
    generator_temperature: float = Field(
        0.1, ge=0, le=2, description="How freely words are chosen: low keeps to the memories (the original LIRA: 0.1)."
    )
    generator_options: Annotated[dict[str, Any], NoDecode] = Field(
        default_factory=dict,
        description="Of `openai` and `vllm`: further fields of every request, as a JSON object; they win over LIRA's own, and null leaves one out. "
        'For a model that takes no temperature: `{"temperature": null, "reasoning_effort": "low"}`.',
    )
    generator_connect_ms: int = Field(
        2_000, ge=1, description="Connecting to the API: one lost SYN is sent again after 1 s (RFC 6298), and TLS takes two more round trips."
    )
    generator_first_token_ms: int = Field(
        4_000,
        ge=1,
        description="To the first word: half of `LIRA_GENERATE_DEADLINE_MS`, so that the other half can be written in. Raise both for a model on a "
        "CPU: llama.cpp reads some hundred tokens a second there.",
    )
    generator_idle_ms: int = Field(
        2_000, ge=1, description="Between two words: an engine that writes ten tokens a second, which is slow to read, has missed twenty."
    )
    generator_failures: int = Field(
        3, ge=1, description="Failures in a row after which the engine is not asked until it answers a probe; one alone may be a cut connection."
    )
    generator_max_ongoing: int = Field(
        64,
        ge=1,
        description="Answers that one process has written at once (with a language model an orchestrator takes `LIRA_MAX_ONGOING_TURNS`, 256 turns); "
        "beyond it the grounded answer is given at once. Lower it to what the engine writes side by side.",
    )

    # What finds facts in what was said, beside the answers (docs/facts.md)
    understander: Literal["rules", "openai"] = Field(
        "rules",
        description="What finds facts in what is kept: `rules` alone, or `openai`: a model too, asked some seconds after the answer.",
    )
    understander_url: str | None = Field(None, description="Of `openai`: the API's base. Default: that of the generator, with its key and options.")
    understander_model: str | None = Field(None, description="Of `openai`: the model's name. Default: the generator's.")
    understander_api_key: SecretStr | None = Field(None, description="Of `openai`: the key of `LIRA_UNDERSTANDER_URL`. Never logged.")
    understander_deadline_ms: int = Field(
        30_000, ge=1, description="A model's whole answer about one utterance: nobody waits for it, and 300 tokens at ten a second are slow."
    )
    understander_max_ongoing: int = Field(
        2, ge=1, description="Utterances that a model is asked about at once; answers that people wait for may be written by the same server."
    )

    # What writes summaries, beside the answers
    summariser: Literal["extractive", "openai"] = Field(
        "extractive",
        description="What writes summaries of sessions, days, weeks and months: `extractive` lets the user's own words stand, `openai` has the API "
        "of `LIRA_GENERATOR_URL` write them, with its model, key and options; where it is away or says what was not said, the own words stand.",
    )
    summariser_deadline_ms: int = Field(
        15_000, ge=1, description="A model's whole summary: nobody waits for it, and 150 tokens at ten a second are slow."
    )

    disclosure_hours: float = Field(
        3,
        ge=0,
        description="LIRA says by itself that it is an AI at a new person's first turn, in each span of so many hours in which a talk goes on (New "
        "York's S-3008 and California's SB 243: three), and once a day to who comes back after longer; 0 for the first turn alone.",
    )

    # Memory
    emotion_gate: float = Field(
        0.6,
        ge=0,
        le=1,
        description="A real emotion from this score on keeps an utterance, and asks recall by feeling (seed 000: 0.6 after tests at 0.5).",
    )
    certainty_floor: float = Field(
        0.7, ge=0, le=1, description="Recall by meaning takes memories from this calibrated certainty on (seed 000, after Sentence-BERT)."
    )
    recall_limit: int = Field(3, ge=1, le=3, description="Memories per answer, at most (seed 000, after Cowan 2001: three to four items).")
    history_messages: int = Field(20, ge=0, le=200, description="Messages of the session that an answer may rest on.")
    timezone: str = Field("Asia/Seoul", description="The zone in which a turn without `at` is said (for 내일, 오후 3시).")

    # Deadlines per stage, milliseconds; a stage that misses its own, or the turn's end, is left out and named under `degraded`
    # (200 turns at once on two cores queue for some 3 s, so that a burst is served late rather than degraded)
    emotion_deadline_ms: int = Field(6_000, ge=1, description="Reading the emotion.")
    embedding_deadline_ms: int = Field(6_000, ge=1, description="Embedding the utterance.")
    session_deadline_ms: int = Field(3_000, ge=1, description="Reading or appending the session.")
    reading_deadline_ms: int = Field(6_000, ge=1, description="The reader's pass over a question and what may answer it.")
    recall_deadline_ms: int = Field(3_000, ge=1, description="Each of the three paths of recall, once its input is there.")
    remember_deadline_ms: int = Field(6_000, ge=1, description="Writing to the record.")
    generate_deadline_ms: int = Field(8_000, ge=1, description="A generator's whole answer; then the grounded responder answers.")

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError(f"{name!r} is not an IANA time zone; write one such as Asia/Seoul or Europe/Berlin") from error
        return name

    @field_validator("otlp_endpoint")
    @classmethod
    def _collector(cls, url: str | None) -> str | None:
        if url and not re.match(r"https?://[^/?#]+(/[^?#]*)?$", url):
            raise ValueError("is no address of a collector; write one such as http://127.0.0.1:4318")
        return (url or "").rstrip("/") or None

    @field_validator("generator_api_key", "understander_api_key", "embedding_api_key")
    @classmethod
    def _sendable_key(cls, key: SecretStr | None) -> SecretStr | None:
        """Without the line's end that a key read from a file has."""
        if key is None or not (told := key.get_secret_value().strip()):
            return None
        if not told.isascii() or not told.isprintable() or " " in told:
            raise ValueError("holds a space or a character that no HTTP header takes; copy the key anew")
        return SecretStr(told)

    @field_validator("generator_options", mode="before")
    @classmethod
    def _own_fields(cls, given: object) -> dict[str, Any]:
        try:
            options = json.loads(given) if isinstance(given, str) else given
        except ValueError:
            options = None
        if not isinstance(options, dict):
            raise ValueError('is no JSON object; write one such as {"reasoning_effort": "low"}')
        if taken := sorted({"model", "messages", "stream"} & set(options)):
            raise ValueError(f"{' and '.join(taken)} cannot be given here; LIRA writes them, and the model is {PREFIX}GENERATOR_MODEL")
        return options

    @model_validator(mode="after")
    def _generator(self) -> Self:
        if self.generator != "openai":
            return self
        if not self.generator_url:
            raise ValueError(f"{PREFIX}GENERATOR=openai needs {PREFIX}GENERATOR_URL, such as {EXAMPLES}")
        _check_base("GENERATOR", self.generator_url)
        if not self.generator_model:
            raise ValueError(f"{PREFIX}GENERATOR=openai needs {PREFIX}GENERATOR_MODEL, a name that {self.generator_url} lists under /models")
        return self

    @model_validator(mode="after")
    def _understander(self) -> Self:
        if self.understander != "openai":
            return self
        url = self.understander_url or self.generator_url
        if not url:
            raise ValueError(f"{PREFIX}UNDERSTANDER=openai needs {PREFIX}UNDERSTANDER_URL, or the generator's, such as {EXAMPLES}")
        _check_base("UNDERSTANDER" if self.understander_url else "GENERATOR", url)
        if not (self.understander_model or self.generator_model):
            raise ValueError(f"{PREFIX}UNDERSTANDER=openai needs {PREFIX}UNDERSTANDER_MODEL, a name that {url} lists under /models")
        return self

    @model_validator(mode="after")
    def _summariser(self) -> Self:
        if self.summariser == "openai":
            if not self.generator_url:
                raise ValueError(f"{PREFIX}SUMMARISER=openai needs {PREFIX}GENERATOR_URL, such as {EXAMPLES}")
            _check_base("GENERATOR", self.generator_url)
            if not self.generator_model:
                raise ValueError(f"{PREFIX}SUMMARISER=openai needs {PREFIX}GENERATOR_MODEL, a name that {self.generator_url} lists under /models")
        return self

    @model_validator(mode="after")
    def _combination(self) -> Self:
        if self.host not in LOOPBACK and not self.allow_unauthenticated:
            raise ValueError(
                f"{PREFIX}HOST={self.host} is not loopback, and there is no authentication: "
                f"bind to 127.0.0.1, or set {PREFIX}ALLOW_UNAUTHENTICATED=true to serve everybody who can reach it"
            )
        if self.store_deadline_ms >= self.request_deadline_ms:
            raise ValueError(
                f"{PREFIX}STORE_DEADLINE_MS={self.store_deadline_ms} is no less than a whole request may take "
                f"({PREFIX}REQUEST_DEADLINE_MS={self.request_deadline_ms}): lower it"
            )
        return self

    @property
    def ongoing_turns(self) -> int:
        """`max_ongoing_turns`, its default filled in."""
        return self.max_ongoing_turns or (ONGOING_TURNS if self.generator == "grounded" else ONGOING_TURNS_OF_A_MODEL)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def store_urls(self) -> dict[Role, str]:
        """The URL of each role, its default filled in."""
        default = f"sqlite:///{(self.data_dir / 'lira.db').absolute()}"
        return {"short_term": self.short_term_url or default, "record": self.record_url or default, "vectors": self.vectors_url or default}


SECRETS = frozenset(name for name, field in Settings.model_fields.items() if field.annotation == SecretStr | None)
"""Settings whose value no message shows."""


def _check_base(whose: str, given: str) -> None:
    try:
        url = urlsplit(given)
    except ValueError:
        url = urlsplit("")
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ValueError(f"{PREFIX}{whose}_URL is no base of an API; write one such as {EXAMPLES}")
    if url.username or url.password:
        raise ValueError(f"{PREFIX}{whose}_URL holds a password; put it in {PREFIX}{whose}_API_KEY, which is never shown")


def load_settings(**overrides: Any) -> Settings:
    """The settings from the environment, `overrides` first. Raises SettingsError with a sentence that says what to change."""
    for name in sorted(n for n in os.environ if n.upper().startswith(PREFIX)):
        if from_kubernetes(name.upper(), os.environ[name]):
            if (field := name.upper().removeprefix(PREFIX).lower()) in Settings.model_fields:
                overrides.setdefault(field, Settings.model_fields[field].get_default(call_default_factory=True))
            continue
        if name.upper().removeprefix(PREFIX).lower() not in Settings.model_fields:
            known = [PREFIX + field.upper() for field in Settings.model_fields]
            near = difflib.get_close_matches(name.upper(), known, 1)
            raise SettingsError(f"{name} is not a setting of LIRA" + (f"; did you mean {near[0]}?" if near else "; docs/settings.md lists them."))
    try:
        return Settings(**overrides)
    except ValidationError as error:
        raise SettingsError("; ".join(_sentence(e) for e in error.errors())) from None


def from_kubernetes(name: str, value: str) -> bool:
    """Whether Kubernetes put the variable there, for a Service whose name begins with `lira` (its Docker-link variables)."""
    return bool(_SERVICE.fullmatch(name)) or (name.endswith("_PORT") and bool(_LINK.match(value)))


def _sentence(error: Any) -> str:
    message = str(error["msg"]).removeprefix("Value error, ")
    name = "_".join(str(part) for part in error["loc"]).upper()
    shown = "" if name.lower() in SECRETS else f" (it is {error['input']!r})"
    return f"{PREFIX}{name}: {message}{shown}" if name else message


def _default(name: str) -> str:
    default = Settings.model_fields[name].default
    if name in ("generator_options", "emotion_labels"):
        return "`{}`"
    if name.endswith("_model_dir"):
        return f"the bundled `models/{Settings.model_fields[name].get_default(call_default_factory=True).name}`"
    return "" if default is None else f"`{str(default).lower() if isinstance(default, bool) else default}`"


def as_markdown() -> str:
    """The page docs/settings.md."""
    rows = [f"| `{PREFIX}{name.upper()}` | {_default(name)} | {field.description} |" for name, field in Settings.model_fields.items()]
    return (
        "# Settings\n\nEvery setting is an environment variable. An unknown `LIRA_` name stops the start.\n"
        "Made from `lira_core/settings.py` by `python -m lira_core.settings > docs/settings.md`.\n\n"
        "| name | default | what it does |\n|---|---|---|\n" + "\n".join(rows) + "\n"
    )


if __name__ == "__main__":
    sys.stdout.write(as_markdown())
