"""The one place where the parts of LIRA are opened from its settings: for the library, for every deployment and for the tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from lira_core.encoder import encoder_of
from lira_core.memory.summary import Extractive, Writer
from lira_core.model_settings import PREFIX
from lira_core.observe import Observer, Unobserved
from lira_core.settings import Settings, SettingsError
from lira_core.stores import Opening, StoreOptions, StoreRejected, Stores, open_role, open_stores
from lira_core.stores.ports import EncoderId, IndexPlan, Record

if TYPE_CHECKING:
    from lira_core.extracting import Extractor
    from lira_core.generation.openai import OpenAIGenerator
    from lira_core.generation.port import Generator
    from lira_core.generation.resilience import Guarded
    from lira_core.memory.understander_openai import OpenAIUnderstander

# Engines are imported where they are opened: a process that asks another for an emotion does not load ONNX Runtime.


async def open_settled_stores(settings: Settings) -> Stores:
    """The stores that the settings name, by role. StoreRejected, naming the setting, for what cannot be used."""
    return await open_stores(settings.store_urls, options_of(settings), words=settings.words)


@asynccontextmanager
async def stores_to_hand_over(settings: Settings) -> AsyncIterator[Stores]:
    """The same for a part that is made with them and closes them itself: closed here only where it cannot be made."""
    stores = await open_settled_stores(settings)
    try:
        yield stores
    except BaseException:
        await stores.close()
        raise


async def open_record(settings: Settings) -> Record:
    """The record alone, for commands that look at it while LIRA serves."""
    record: Record = await open_role(Opening("record", settings.store_urls["record"], options_of(settings)))
    return record


def open_generator(settings: Settings, observer: Observer | None = None) -> Generator:
    """What writes the answers: `settings.generator`. SettingsError for `vllm`, which is no part of a process."""
    from lira_core.generation.grounded import GroundedResponder

    match settings.generator:
        case "grounded":
            return GroundedResponder()
        case "openai":
            return guarded_generator(open_openai(settings, observer), settings, observer)
        case "vllm":
            raise SettingsError(
                f"{PREFIX}GENERATOR=vllm runs a model inside the graph of Ray Serve, which `lira serve` builds; in one process use openai, with "
                f"{PREFIX}GENERATOR_URL of a server"
            )


def guarded_generator(engine: Generator, settings: Settings, observer: Observer | None = None) -> Guarded:
    """The engine with the deadlines, the retry, the circuit and the bound of the settings."""
    from lira_core.generation.resilience import Bounds, Guarded

    bounds = Bounds(
        first_token_s=settings.generator_first_token_ms / 1000,
        idle_s=settings.generator_idle_ms / 1000,
        total_s=settings.generate_deadline_ms / 1000,
        ongoing=settings.generator_max_ongoing,
        failures=settings.generator_failures,
    )
    return Guarded(engine, bounds, observer or Unobserved())


def chat_fields(settings: Settings) -> dict[str, Any]:
    """Fields of every chat completion, beside the model and what is said; None for one that is left out."""
    # Not `max_tokens`, which OpenAI's newer models refuse; vLLM and llama.cpp (since February 2026) know both.
    return {"max_completion_tokens": settings.generator_max_tokens, "temperature": settings.generator_temperature} | settings.generator_options


def open_openai(settings: Settings, observer: Observer | None = None) -> OpenAIGenerator:
    """The API that the settings name, without anything before it."""
    from lira_core.generation.openai import OpenAIGenerator

    key = settings.generator_api_key
    return OpenAIGenerator(
        url=settings.generator_url or "",
        model=settings.generator_model or "",
        key=key.get_secret_value() if key is not None else None,
        options=chat_fields(settings),
        connect_s=settings.generator_connect_ms / 1000,
        observer=observer,
    )


def open_understander(settings: Settings) -> OpenAIUnderstander | None:
    """The model that finds facts, None where rules alone do. The generator's key and options go to the generator's address alone."""
    if settings.understander == "rules":
        return None
    from lira_core.memory.understander_openai import OpenAIUnderstander

    shared = settings.understander_url is None
    key = settings.understander_api_key or (settings.generator_api_key if shared else None)
    return OpenAIUnderstander(
        url=settings.understander_url or settings.generator_url or "",
        model=settings.understander_model or settings.generator_model or "",
        key=key.get_secret_value() if key is not None else None,
        options=settings.generator_options if shared else {},
        connect_s=settings.generator_connect_ms / 1000,
        within_s=settings.understander_deadline_ms / 1000,
    )


def open_extractor(settings: Settings, record: Record, observer: Observer | None = None) -> Extractor | None:
    """What has the facts of this record found by a model, None where rules alone find them."""
    if (understander := open_understander(settings)) is None:
        return None
    from lira_core.extracting import Extractor

    return Extractor(record, understander, observer or Unobserved(), ongoing=settings.understander_max_ongoing)


def open_writer(settings: Settings) -> Writer:
    """What writes summaries."""
    if settings.summariser == "extractive":
        return Extractive()
    from lira_core.generation.summary_openai import OpenAIWriter

    key = settings.generator_api_key
    return OpenAIWriter(
        url=settings.generator_url or "",
        model=settings.generator_model or "",
        key=key.get_secret_value() if key is not None else None,
        options=settings.generator_options,
        connect_s=settings.generator_connect_ms / 1000,
        within_s=settings.summariser_deadline_ms / 1000,
    )


def options_of(settings: Settings) -> StoreOptions:
    return StoreOptions(
        encoder=encoder_of(settings),
        session_ttl_seconds=settings.session_ttl_seconds,
        session_max_messages=settings.session_max_messages,
        answers_ttl_seconds=settings.idempotency_ttl_seconds,
    )


async def claim_index(record: Record, encoder: EncoderId) -> None:
    """Makes the encoder the one whose index is asked, where there is none yet; what was kept before then waits for its vector.

    `record` was opened with this encoder. StoreRejected when the index is another's.
    """
    while (plan := await record.index_plan()).serving != encoder.name:
        if plan.serving is not None:
            raise StoreRejected(
                f"the index by meaning was made by the encoder {plan.serving}, and LIRA_EMBEDDING_MODEL_DIR names {encoder.name}: "
                "run `lira reindex` with this setting, and start LIRA again when it is done"
            )
        if await record.plan_index(IndexPlan(encoder.name, plan.building), plan):
            await record.requeue()
