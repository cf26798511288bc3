"""How the models fare, told from the calls that turns make."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

import numpy as np
import pytest

from lira_core import health
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorRejected, GeneratorUnavailable, Usage, close
from lira_core.health import Health
from lira_core.types import EmotionReading, EmotionScore

WELL = {"emotion": "ok", "embedding": "ok", "reader": "ok", "generator": "ok"}
JOY = EmotionReading((EmotionScore("joy", 0.9),))


class Model:
    """Both models in one, which fail when told so."""

    error: Exception | None = None

    async def read(self, text: str) -> EmotionReading:
        if self.error:
            raise self.error
        return JOY

    async def embed(self, texts: Sequence[Any]) -> Any:
        if self.error:
            raise self.error
        return np.ones((len(texts), 2), np.float32)

    async def generate(self, prompt: Any) -> AsyncGenerator[Any, None]:
        self.open = True
        try:
            yield "네, "
            if self.error:
                raise self.error
            yield Usage(7, 1)
        finally:
            self.open = False


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is: the last number."""
    times = [1_000.0]
    monkeypatch.setattr(health.time, "monotonic", lambda: times[-1])
    return times


async def test_models_that_nobody_has_asked_are_well() -> None:
    assert Health().states() == WELL


async def test_what_a_model_answers_is_passed_on(model: Model) -> None:
    watched = Health()
    assert await watched.watched_emotion(model).read("기뻐") is JOY
    assert (await watched.watched_embedder(model).embed([("query", "가"), ("query", "나")])).shape == (2, 2)


@pytest.mark.parametrize("error", [ConnectionError("gone"), TimeoutError(), ValueError("ours")])
async def test_a_model_that_failed_is_degraded_and_the_failure_is_passed_on(model: Model, error: Exception) -> None:
    watched = Health()
    model.error = error
    with pytest.raises(type(error)):
        await watched.watched_emotion(model).read("기뻐")
    assert watched.states() == WELL | {"emotion": "degraded"}
    with pytest.raises(type(error)):
        await watched.watched_embedder(model).embed([("query", "가")])
    assert watched.states() == WELL | {"emotion": "degraded", "embedding": "degraded"}


async def test_a_model_that_answers_again_is_well_at_once(model: Model) -> None:
    watched = Health()
    emotion, embedder = watched.watched_emotion(model), watched.watched_embedder(model)
    model.error = ConnectionError("gone")
    for call in (emotion.read("가"), embedder.embed([("query", "가")])):
        with pytest.raises(ConnectionError):
            await call
    model.error = None
    await emotion.read("가")
    await embedder.embed([("query", "가")])
    assert watched.states() == WELL


async def test_a_failure_that_is_long_past_says_nothing_of_now(model: Model, clock: list[float]) -> None:
    watched = Health()
    model.error = ConnectionError("gone")
    with pytest.raises(ConnectionError):
        await watched.watched_emotion(model).read("가")
    clock.append(clock[0] + health.REMEMBERED_S)
    assert watched.states()["emotion"] == "degraded"
    clock.append(clock[0] + health.REMEMBERED_S + 0.1)
    assert watched.states()["emotion"] == "ok"


async def written(generator: Any) -> list[Any]:
    return [piece async for piece in generator.generate(None)]


async def test_what_a_generator_writes_is_passed_on(model: Model) -> None:
    watched = Health()
    assert await written(watched.watched_generator(model)) == ["네, ", Usage(7, 1)]
    assert watched.states() == WELL


@pytest.mark.parametrize("error", [GeneratorUnavailable("gone"), GeneratorRejected("wrong key"), ValueError("ours")])
async def test_a_generator_that_breaks_off_is_degraded_until_an_answer_is_whole(model: Model, error: Exception) -> None:
    watched = Health()
    generator = watched.watched_generator(model)
    model.error = error
    with pytest.raises(type(error)):
        await written(generator)
    assert watched.states() == WELL | {"generator": "degraded"}
    model.error = None
    await written(generator)
    assert watched.states() == WELL


async def test_a_generator_that_is_busy_is_there(model: Model) -> None:
    watched = Health()
    model.error = GeneratorBusy("429")
    with pytest.raises(GeneratorError):
        await written(watched.watched_generator(model))
    assert watched.states() == WELL


async def test_an_answer_that_nobody_reads_on_is_closed_and_says_nothing_of_the_generator(model: Model) -> None:
    watched = Health()
    pieces = watched.watched_generator(model).generate(None)  # type: ignore[arg-type]
    await anext(pieces)
    assert model.open
    await pieces.aclose()
    assert not model.open
    assert watched.states() == WELL


async def test_what_the_generator_holds_is_closed_where_it_holds_anything(model: Model) -> None:
    held = Health().watched_generator(model)
    await close(held)

    async def aclose() -> None:
        model.error = ValueError("closed")

    model.aclose = aclose  # type: ignore[attr-defined]
    await close(held)
    assert model.error is not None
