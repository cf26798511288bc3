"""A generator that keeps nobody waiting twice, before engines that fail: scripted ones, an API over HTTP, and a real one that is killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from lira_core.generation import resilience
from lira_core.generation.openai import OpenAIGenerator
from lira_core.generation.port import (
    Generator,
    GeneratorBusy,
    GeneratorError,
    GeneratorLate,
    GeneratorRejected,
    GeneratorUnavailable,
    Usage,
)
from lira_core.generation.resilience import WAIT_MOST_S, Bounds, Guarded

from .asking import answered, said
from .faulty import Api, answers, black_hole, breaks_off, endless, hangs_up, refuses, silent, stalls
from .llama import CONTEXT, MODEL, llama
from .scripted import Engine

DEADLINE_S = 0.1
FAILURES = 3
USAGE = Usage(7, 2)
PATIENT = Bounds(first_token_s=30, idle_s=30, total_s=30, ongoing=8, failures=FAILURES)
"""For what must not be late on a busy machine."""
QUICK = Bounds(first_token_s=DEADLINE_S, idle_s=DEADLINE_S, total_s=20 * DEADLINE_S, ongoing=8, failures=FAILURES)


WELL = ["네, ", "그래요.", USAGE]
CUT = GeneratorUnavailable("connection reset", again=True)
BROKEN = GeneratorUnavailable("out of memory")
HANGS = [3600]


@pytest.fixture
def guard(seen: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Stands before an engine, with a probe that does not wait long."""
    monkeypatch.setattr(resilience, "PROBE_EVERY_S", 0.01)
    monkeypatch.setattr(resilience, "PROBE_MOST_S", 0.02)
    monkeypatch.setattr(resilience, "BACKOFF_S", 0.001)

    @asynccontextmanager
    async def before(engine: Generator, bounds: Bounds = PATIENT) -> AsyncIterator[Guarded]:
        made = Guarded(engine, bounds, seen)
        yield made
        await made.aclose()

    return before


async def failure(guarded: Generator) -> GeneratorError:
    with pytest.raises(GeneratorError) as caught:
        await answered(guarded)
    return caught.value


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 a circuit tells nobody that it closed
            await asyncio.sleep(0.005)


def outcomes(seen: Any) -> list[str]:
    return [tags["outcome"] for name, tags in seen.counted if name == "lira_generator_calls_total"]


async def test_an_answer_passes_as_it_is(guard: Any, seen: Any) -> None:
    async with guard(Engine(WELL)) as guarded:
        assert await answered(guarded) == (["네, ", "그래요."], USAGE)
    assert outcomes(seen) == ["answered"]


# Deadlines


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [(HANGS, "no first word within 0.1 s"), (["네, ", 3600], "no further word within 0.1 s")],
)
async def test_an_engine_that_is_silent_for_too_long_is_late_and_given_up(guard: Any, seen: Any, steps: list[Any], sentence: str) -> None:
    engine = Engine(steps, HANGS)
    async with guard(engine, QUICK) as guarded:
        error = await failure(guarded)
    assert type(error) is GeneratorLate
    assert sentence in str(error)
    assert engine.open == 0
    assert outcomes(seen) == ["late"]


async def test_an_answer_that_goes_on_and_on_ends_at_the_total_and_what_came_was_seen(guard: Any) -> None:
    engine = Engine([step for _ in range(10_000) for step in ("음 ", 0.01)], WELL)
    pieces: list[str | Usage] = []
    bounds = Bounds(first_token_s=30, idle_s=30, total_s=0.2, ongoing=1)
    async with guard(engine, bounds) as guarded:
        try:
            async for piece in guarded.generate(said()):
                pieces.append(piece)
        except GeneratorUnavailable as error:
            assert "not whole within 0.2 s" in str(error)  # noqa: PT017 what came before it is looked at, too
        assert set(pieces) == {"음 "}
        assert len(pieces) < 10_000
        assert not guarded.circuit.open, "slow is not away"


async def test_a_total_that_passes_before_anything_came_is_late(guard: Any) -> None:
    async with guard(Engine(HANGS), Bounds(first_token_s=30, idle_s=30, total_s=DEADLINE_S, ongoing=1)) as guarded:
        assert "no first word within 0.1 s" in str(await failure(guarded))
        assert guarded.circuit.open


async def test_the_time_that_the_reader_takes_between_two_pieces_is_not_the_engine_s(guard: Any) -> None:
    async with guard(Engine(["네, ", "그래요."]), QUICK) as guarded, aclosing(guarded.generate(said())) as pieces:
        assert await anext(pieces) == "네, "
        await asyncio.sleep(2 * DEADLINE_S)
        assert await anext(pieces) == "그래요."


async def test_a_timeout_of_the_engine_s_own_is_not_taken_for_a_deadline(guard: Any) -> None:
    async with guard(Engine([TimeoutError()])) as guarded:
        with pytest.raises(TimeoutError):
            await answered(guarded)
        assert not guarded.circuit.open


# One retry


async def test_what_failed_at_once_is_asked_again_once(guard: Any, seen: Any) -> None:
    engine = Engine([CUT], WELL)
    async with guard(engine) as guarded:
        assert await answered(guarded) == (["네, ", "그래요."], USAGE)
    assert len(engine.asked) == 2
    assert outcomes(seen) == ["answered"]
    assert ("lira_generator_retries_total", {"reason": "failed"}) in seen.counted


async def test_it_is_asked_again_no_more_than_once(guard: Any) -> None:
    engine = Engine([CUT], [CUT], WELL)
    async with guard(engine) as guarded:
        assert await failure(guarded) is CUT
    assert len(engine.asked) == 2


@pytest.mark.parametrize(
    "steps", [["네, ", CUT], [BROKEN], [GeneratorBusy("429", 0)], [GeneratorRejected("wrong key")], [GeneratorLate("no connection")]]
)
async def test_nothing_is_asked_twice_that_was_seen_refused_or_waited_for(guard: Any, steps: list[Any]) -> None:
    engine = Engine(steps, HANGS)
    async with guard(engine) as guarded:
        assert await failure(guarded) is steps[-1]
        assert engine.asked.count(said().text) == 1


async def test_a_retry_has_no_time_of_its_own(guard: Any) -> None:
    """Both tries are one wait for whoever asked."""
    async with guard(Engine([0.6, CUT], [0.6, *WELL]), Bounds(1, 30, 30, ongoing=1)) as guarded:
        assert isinstance(await failure(guarded), GeneratorUnavailable)


# The circuit


async def test_several_failures_in_a_row_open_the_circuit_and_then_nobody_asks(guard: Any, seen: Any) -> None:
    engine = Engine(*[[BROKEN]] * FAILURES, HANGS)
    async with guard(engine) as guarded:
        for _ in range(FAILURES):
            assert await failure(guarded) is BROKEN
        await until(lambda: engine.asked[-1] != said().text)
        for _ in range(5):
            assert "is asked again as soon as it does" in str(await failure(guarded))
        assert engine.asked.count(said().text) == FAILURES
        assert seen.levels["lira_circuit_state", (("store", "generator"),)] == 1
    assert outcomes(seen) == ["unavailable"] * FAILURES + ["spared"] * 5
    assert ("lira_circuit_open_total", {"store": "generator"}) in seen.counted


async def test_silence_past_a_deadline_opens_it_at_once(guard: Any) -> None:
    engine = Engine(HANGS)
    async with guard(engine, QUICK) as guarded:
        await failure(guarded)
        await failure(guarded)
        assert engine.asked.count(said().text) == 1


async def test_one_probe_closes_it_and_ends_its_own_answer(guard: Any, seen: Any) -> None:
    engine = Engine(*[[BROKEN]] * (FAILURES + 3), ["네, ", 3600], WELL)
    async with guard(engine) as guarded:
        for _ in range(FAILURES):
            await failure(guarded)
        await until(lambda: not guarded.circuit.open)
        assert seen.levels["lira_circuit_state", (("store", "generator"),)] == 0
        assert engine.open == 0
        assert await answered(guarded) == (["네, ", "그래요."], USAGE)
    assert len(engine.asked) == FAILURES + 3 + 1 + 1


async def test_an_answer_in_between_begins_the_count_anew(guard: Any) -> None:
    nearly = [[BROKEN]] * (FAILURES - 1)
    engine = Engine(*nearly, WELL, *nearly, WELL)
    async with guard(engine) as guarded:
        for _ in range(2):
            for _ in range(FAILURES - 1):
                assert await failure(guarded) is BROKEN
            await answered(guarded)
        assert not guarded.circuit.open


@pytest.mark.parametrize("no", [GeneratorBusy("429", 0), GeneratorRejected("wrong key")])
async def test_a_no_is_an_answer_and_opens_nothing(guard: Any, no: GeneratorError) -> None:
    engine = Engine([no])
    async with guard(engine) as guarded:
        for _ in range(2 * FAILURES):
            assert await failure(guarded) is no
        assert not guarded.circuit.open
    assert len(engine.asked) == 2 * FAILURES


async def test_a_probe_that_is_told_to_wait_has_found_the_engine(guard: Any) -> None:
    engine = Engine(*[[BROKEN]] * FAILURES, [GeneratorBusy("429")])
    async with guard(engine) as guarded:
        for _ in range(FAILURES):
            await failure(guarded)
        await until(lambda: not guarded.circuit.open)


async def test_a_reader_that_leaves_is_no_failure_and_ends_the_answer(guard: Any, seen: Any) -> None:
    engine = Engine(["네, ", 3600])
    async with guard(engine) as guarded:
        for _ in range(2 * FAILURES):
            async with aclosing(guarded.generate(said())) as pieces:
                await anext(pieces)
                assert engine.open == 1
        assert engine.open == 0
        assert not guarded.circuit.open
    assert outcomes(seen) == ["left"] * 2 * FAILURES


async def test_closing_it_ends_the_probe_and_closes_the_engine(guard: Any) -> None:
    engine = Engine(HANGS)
    async with guard(engine, QUICK) as guarded:
        await failure(guarded)
        await until(lambda: engine.open == 1)
    assert engine.closed
    assert engine.open == 0


# Backpressure


async def test_after_a_429_nobody_asks_for_as_long_as_it_said(guard: Any, seen: Any) -> None:
    engine = Engine([GeneratorBusy("429", 1.0)], WELL)
    async with guard(engine) as guarded:
        await failure(guarded)
        error = await failure(guarded)
        assert isinstance(error, GeneratorBusy)
        assert error.retry_after is not None
        assert 0 < error.retry_after <= 1
        assert len(engine.asked) == 1
        await asyncio.sleep(1.1)
        assert (await answered(guarded))[0] == ["네, ", "그래요."]
    assert outcomes(seen) == ["busy", "busy", "answered"]


async def test_a_429_that_names_a_day_is_believed_for_a_minute(guard: Any) -> None:
    async with guard(Engine([GeneratorBusy("quota", 86_400)])) as guarded:
        await failure(guarded)
        error = await failure(guarded)
        assert isinstance(error, GeneratorBusy)
        assert error.retry_after is not None
        assert error.retry_after <= WAIT_MOST_S


async def test_more_answers_than_may_be_written_at_once_are_refused_at_once(guard: Any) -> None:
    engine = Engine(["네, ", 3600])
    async with guard(engine, Bounds(30, 30, 30, ongoing=2)) as guarded:
        streams = [guarded.generate(said()) for _ in range(2)]
        for stream in streams:
            await anext(stream)
        error = await failure(guarded)
        assert isinstance(error, GeneratorBusy)
        assert "LIRA_GENERATOR_MAX_ONGOING" in str(error)
        await streams[0].aclose()
        third = guarded.generate(said())
        assert await anext(third) == "네, "
        for stream in (streams[1], third):
            await stream.aclose()


# Over HTTP


def of(url: str, connect_s: float = 30, **options: Any) -> OpenAIGenerator:
    return OpenAIGenerator(url=url, model=MODEL, key=None, options=options, connect_s=connect_s)


async def test_a_dead_engine_costs_the_connect_deadline_once_and_then_nothing(guard: Any) -> None:
    with black_hole() as url:
        async with guard(of(url, connect_s=0.2)) as guarded:
            told = [type(await failure(guarded)) for _ in range(200)]
    assert told == [GeneratorLate] + [resilience.Spared] * 199


async def test_a_server_that_takes_the_request_and_says_nothing_costs_the_first_token_once(guard: Any, api: Api) -> None:
    api.does = silent
    async with guard(of(api.url), Bounds(1, 30, 30, ongoing=8)) as guarded:
        assert isinstance(await failure(guarded), GeneratorLate)
        assert isinstance(await failure(guarded), resilience.Spared)
        api.does = answers("다시 왔어요.")
        await until(lambda: not guarded.circuit.open)
        assert (await answered(guarded))[0] == ["다시 왔어요."]
        await api.until(lambda: api.open == 0)


@pytest.mark.parametrize("first", [hangs_up, refuses(500), refuses(503)])
async def test_a_passing_fault_is_not_noticed(guard: Any, api: Api, first: Any) -> None:
    api.script = [first]
    async with guard(of(api.url)) as guarded:
        assert (await answered(guarded))[0] == ["네, ", "잘 ", "들었어요."]
    assert len(api.asked) == 2


async def test_a_429_of_an_api_is_waited_out_and_is_no_outage(guard: Any, api: Api) -> None:
    api.script = [refuses(429, retry_after="30")]
    async with guard(of(api.url)) as guarded:
        for _ in range(2 * FAILURES):
            error = await failure(guarded)
            assert isinstance(error, GeneratorBusy)
            assert error.retry_after is not None
            assert 0 < error.retry_after <= 30
        assert len(api.asked) == 1
        assert not guarded.circuit.open


@pytest.mark.parametrize(("does", "kind"), [(breaks_off, GeneratorUnavailable), (stalls, GeneratorLate)])
async def test_an_answer_that_breaks_in_the_middle_is_not_begun_anew(guard: Any, api: Api, does: Any, kind: type[GeneratorError]) -> None:
    api.script = [does]
    async with guard(of(api.url), Bounds(30, 1, 30, ongoing=8)) as guarded, aclosing(guarded.generate(said())) as pieces:
        assert await anext(pieces) == "네, "
        with pytest.raises(kind):
            await anext(pieces)
        assert [asked["messages"][-1]["content"] for asked in api.asked].count(api.asked[0]["messages"][-1]["content"]) == 1


async def test_an_answer_past_its_total_ends_at_the_api(guard: Any, api: Api) -> None:
    api.does = endless
    async with guard(of(api.url), Bounds(30, 30, 0.2, ongoing=1)) as guarded:
        assert "not whole" in str(await failure(guarded))
        await api.until(lambda: api.open == 0)


# With a real model


async def test_an_engine_that_is_killed_is_spared_and_taken_up_again_when_it_is_back(guard: Any) -> None:
    with llama(parallel=1) as first:
        port = first.port
        async with guard(of(first.url, max_completion_tokens=CONTEXT, ignore_eos=True)) as guarded:
            async with aclosing(guarded.generate(said())) as pieces:
                await anext(pieces)
                first.kill()
                with pytest.raises(GeneratorUnavailable, match="broke off"):
                    async for _ in pieces:
                        pass
            told = [type(await failure(guarded)) for _ in range(FAILURES)]
            assert told[-1] is resilience.Spared
            with llama(port=port, parallel=1):
                await until(lambda: not guarded.circuit.open)
                async with aclosing(guarded.generate(said())) as again:
                    assert await anext(again)


async def test_more_than_an_engine_can_write_is_refused_and_what_it_writes_is_whole(guard: Any, engine: Any) -> None:
    bounds = Bounds(60, 60, 60, ongoing=2)
    async with guard(of(engine.url, max_completion_tokens=8, ignore_eos=True), bounds) as guarded:
        results = await asyncio.gather(*(answered(guarded) for _ in range(6)), return_exceptions=True)
    whole = [result for result in results if isinstance(result, tuple)]
    assert [usage.written for _, usage in whole if usage] == [8, 8]
    assert [type(result) for result in results if not isinstance(result, tuple)] == [GeneratorBusy] * 4


async def test_what_waits_in_the_engine_s_queue_for_too_long_leaves_it(guard: Any, engine: Any) -> None:
    """Two are written for ever; the third waits for a slot until its first word is due."""
    made = of(engine.url, max_completion_tokens=CONTEXT, ignore_eos=True)
    streams = [made.generate(said()) for _ in range(2)]
    for stream in streams:
        await anext(stream)
    async with guard(of(engine.url, max_completion_tokens=8), Bounds(0.3, 30, 30, ongoing=2)) as guarded:
        assert isinstance(await failure(guarded), GeneratorLate)
    for stream in streams:
        await stream.aclose()
    await engine.until_running(lambda count: count == 0)
