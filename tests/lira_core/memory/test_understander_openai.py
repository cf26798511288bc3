"""Facts asked of a real llama.cpp server, and of an API that answers everything but what it was asked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from datetime import datetime

import pytest

from lira_core.memory.understander import Misread, Stated, UnderstanderAway, believed
from lira_core.memory.understander_openai import OpenAIUnderstander

from ..generation.faulty import Api, Behaviour, hangs_up, nobody, refuses, serving, silent
from ..generation.llama import llama
from .answering import completes, sends, stated, states

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
TEXT = "나는 부산에 살아"
KEY = "sk-lira-0123456789"
Opened = Callable[..., OpenAIUnderstander]


@pytest.fixture
async def opened() -> AsyncIterator[Opened]:
    """Opens an understander of an address."""
    made: list[OpenAIUnderstander] = []

    def open(url: str, *, model: str = "small", within_s: float = 60, **options: object) -> OpenAIUnderstander:
        made.append(OpenAIUnderstander(url=url, model=model, key=KEY, options=options, connect_s=2, within_s=within_s))
        return made[-1]

    yield open
    for one in made:
        await one.aclose()


@pytest.fixture
async def api() -> AsyncIterator[Api]:
    async with serving() as running:
        yield running


async def test_a_real_model_answers_in_the_form_that_is_asked_for_and_what_it_makes_up_is_not_believed(opened: Opened) -> None:
    with llama(key=KEY) as engine:
        understander = opened(engine.url, within_s=300)
        answer = await understander.read(TEXT)
        assert all(isinstance(one, Stated) for one in answer)
        assert all(fact.object in TEXT for fact in believed(TEXT, AT, answer))
        with pytest.raises(Misread, match="was cut off"):
            await opened(engine.url, within_s=300, max_completion_tokens=3).read(TEXT)


async def test_the_utterance_is_all_that_is_sent_of_a_person_and_the_list_of_predicates_is_closed(opened: Opened, api: Api) -> None:
    api.does = states(stated(predicate="live_in", object="부산"))
    assert await opened(api.url, seed=7, temperature=None).read(TEXT) == (Stated(**stated(predicate="live_in", object="부산")),)
    (asked,) = api.asked
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    assert asked["messages"][1]["content"] == TEXT
    assert (asked["seed"], "temperature" in asked, asked["max_completion_tokens"]) == (7, False, 1_024)
    schema = asked["response_format"]["json_schema"]
    assert schema["strict"] is True
    assert "live_in" in schema["schema"]["$defs"]["Stated"]["properties"]["predicate"]["enum"]


@pytest.mark.parametrize(
    "does",
    [
        completes("I am sorry, I cannot."),
        completes('{"facts": [{"predicate": "like"}]}'),
        completes('{"facts": [' + json.dumps(stated(predicate="enemy", object="부산")) + "]}"),
        completes('{"memories": []}'),
        completes('{"facts": ["부산"]}'),
        completes(None),
        completes(None, refusal="no"),
        completes('{"facts": [', finish="length"),
        completes("", finish="content_filter"),
        sends('{"id": "1", "object": "chat.completion", "created": 1, "model": "small", "choices": []}'),
        refuses(400, f"no schema for {KEY}: {TEXT}"),
        refuses(413),
        refuses(422),
    ],
)
async def test_an_answer_of_no_use_is_told_from_a_model_that_is_away_and_quotes_nobody(opened: Opened, api: Api, does: Behaviour) -> None:
    api.does = does
    with pytest.raises(Misread) as told:
        await opened(api.url).read(TEXT)
    assert KEY not in str(told.value)
    assert TEXT not in str(told.value)
    assert len(api.asked) == 1


@pytest.mark.parametrize(
    "does", [sends("<html>It works!</html>", "text/html"), sends("[]"), hangs_up, refuses(500), refuses(429), refuses(401), refuses(404)]
)
async def test_a_model_that_is_away_can_be_asked_again(opened: Opened, api: Api, does: Behaviour) -> None:
    api.does = does
    with pytest.raises(UnderstanderAway, match=api.url) as told:
        await opened(api.url).read(TEXT)
    assert KEY not in str(told.value)


async def test_what_passes_by_itself_is_asked_again_at_once(opened: Opened, api: Api) -> None:
    api.script, api.does = [refuses(503), hangs_up], states()
    assert await opened(api.url).read(TEXT) == ()
    assert len(api.asked) == 3


async def test_a_model_that_says_nothing_is_given_up_on(opened: Opened, api: Api) -> None:
    api.does = silent
    with pytest.raises(UnderstanderAway, match="Timeout"):
        await opened(api.url, within_s=0.2).read(TEXT)
    await api.until(lambda: api.open == 0)


async def test_an_address_where_nobody_listens_is_away(opened: Opened) -> None:
    with pytest.raises(UnderstanderAway, match="no answer from"):
        await opened(nobody()).read(TEXT)
