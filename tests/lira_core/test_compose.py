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
