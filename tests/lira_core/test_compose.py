"""The parts that the settings name."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

import pytest

from lira_core import compose
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import GeneratorBusy, close
from lira_core.settings import Settings, SettingsError, load_settings

from .generation.asking import answered, said
from .generation.faulty import Api, endless, serving
from .memory.answering import states

KEY = "sk-lira-0123456789"


def asking(api: Api, **fields: Any) -> Settings:
    return load_settings(**({"generator": "openai", "generator_url": api.url, "generator_model": "small"} | fields))


def test_answers_are_composed_where_nothing_else_is_set(settings: Settings) -> None:
    assert isinstance(compose.open_generator(settings), GroundedResponder)


def test_a_model_in_the_graph_is_not_opened_in_one_process(settings: Settings) -> None:
    with pytest.raises(SettingsError, match=r"LIRA_GENERATOR=vllm runs a model inside the graph.*LIRA_GENERATOR_URL"):
        compose.open_generator(load_settings(generator="vllm"))


async def test_an_api_is_asked_as_the_settings_say(seen: Any) -> None:
    async with serving() as api:
        settings = asking(api, generator_api_key=KEY, generator_max_tokens=99, generator_options={"temperature": None, "seed": 7})
        generator = compose.open_generator(settings, seen)
        assert (await answered(generator))[0] == ["네, ", "잘 ", "들었어요."]
        asked = api.asked[0]
        assert (asked["model"], asked["max_completion_tokens"], asked["seed"]) == ("small", 99, 7)
        assert "temperature" not in asked
        assert api.headers[0]["authorization"] == f"bearer {KEY}"
        await close(generator)
    assert ("lira_generator_calls_total", {"outcome": "answered"}) in seen.counted


async def test_an_api_is_asked_within_the_bounds_of_the_settings() -> None:
    async with serving() as api:
        api.does = endless
        generator = compose.open_generator(asking(api, generator_max_ongoing=1))
        async with aclosing(generator.generate(said())) as pieces:
            await anext(pieces)
            with pytest.raises(GeneratorBusy):
                await answered(generator)
        await close(generator)


async def test_facts_are_asked_as_the_settings_say_and_a_key_goes_where_it_belongs() -> None:
    async with serving() as own, serving() as shared:
        own.does = shared.does = states()
        generating = {"generator_url": shared.url, "generator_model": "large", "generator_api_key": KEY, "generator_options": {"seed": 7}}
        for settings in (
            load_settings(understander="openai", **generating),
            load_settings(understander="openai", understander_url=own.url, understander_model="small", **generating),
        ):
            understander = compose.open_understander(settings)
            assert understander is not None
            await understander.read("안녕")
            await understander.aclose()
    assert (shared.asked[0]["model"], shared.asked[0]["seed"], shared.headers[0]["authorization"]) == ("large", 7, f"bearer {KEY}")
    assert (own.asked[0]["model"], "seed" in own.asked[0]) == ("small", False)
    assert KEY not in str(own.headers)


def test_rules_alone_find_facts_where_nothing_else_is_set(settings: Settings) -> None:
    assert compose.open_understander(settings) is None
