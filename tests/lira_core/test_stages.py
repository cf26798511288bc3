"""A stage of a turn: its deadline, its time, and what is said where it fails."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from lira_core.stages import Stages
from lira_core.stores import StoreRejected, StoreUnavailable

LONG_MS = 60_000


async def work(result: Any = "done", after: float = 0.0) -> Any:
    await asyncio.sleep(after)
    if isinstance(result, BaseException):
        raise result
    return result


def stages_of(seen: Any, left: float = 60) -> Stages:
    return Stages(seen, ends=asyncio.get_running_loop().time() + left)


async def test_what_a_stage_gives_is_passed_on_and_timed(seen: Any) -> None:
    stages = stages_of(seen)
    assert await stages.run("recall", work([1]), deadline_ms=LONG_MS, blame="record") == [1]
    assert stages.degraded == []
    assert stages.timings["recall"] >= 0


async def test_a_stage_that_misses_its_deadline_is_left_out_and_what_it_asked_is_named(seen: Any) -> None:
    stages = stages_of(seen)
    assert await stages.run("recall", work(after=60), deadline_ms=10, blame="record") is None
    assert stages.degraded == ["record"]
    assert seen.counted == [("lira_degraded_total", {"stage": "record"})]


@pytest.mark.parametrize("left", [0.01, 0.0, -5.0])
async def test_no_stage_runs_past_the_end_of_the_turn(seen: Any, left: float) -> None:
    stages = stages_of(seen, left)
    assert await stages.run("recall", work(after=60), deadline_ms=LONG_MS, blame="record") is None
    assert stages.degraded == ["record"]


async def test_what_comes_after_a_stage_keeps_its_share_of_the_turn(seen: Any) -> None:
    stages = stages_of(seen, 30)
    assert await stages.run("generate", work(after=60), deadline_ms=LONG_MS, blame="generator", spare_s=29.99) is None
    assert await stages.run("session", work(), deadline_ms=LONG_MS, blame="short_term") == "done"
    assert stages.degraded == ["generator"]


async def test_work_that_ran_out_of_time_is_cancelled(seen: Any) -> None:
    ended = []

    async def slow() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    await stages_of(seen).run("recall", slow(), deadline_ms=10, blame="record")
    assert ended == ["cancelled"]


@pytest.mark.parametrize("error", [StoreUnavailable("the disk is full"), TimeoutError(), ConnectionError("gone")])
async def test_a_part_that_is_away_is_a_warning_without_a_traceback(seen: Any, caplog: pytest.LogCaptureFixture, error: Exception) -> None:
    with caplog.at_level(logging.WARNING):
        await stages_of(seen).run("session", work(error), deadline_ms=LONG_MS, blame="short_term")
    (record,) = caplog.records
    assert (record.levelno, record.exc_info) == (logging.WARNING, None)
    assert type(error).__name__ in record.getMessage()


@pytest.mark.parametrize("error", [StoreRejected("no such table"), KeyError("facts"), ZeroDivisionError()])
async def test_a_fault_of_ours_is_logged_with_its_traceback(seen: Any, caplog: pytest.LogCaptureFixture, error: Exception) -> None:
    with caplog.at_level(logging.WARNING):
        await stages_of(seen).run("session", work(error), deadline_ms=LONG_MS, blame="short_term")
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info
    assert record.exc_info[1] is error


@pytest.mark.parametrize("blame", ["short_term", "record", "vectors"])
async def test_a_fault_of_ours_is_never_blamed_on_a_store(seen: Any, blame: str) -> None:
    stages = stages_of(seen)
    await stages.run("recall", work(KeyError("facts")), deadline_ms=LONG_MS, blame=blame)
    assert stages.degraded == ["recall"]


async def test_a_model_that_fails_is_named_itself_whatever_it_raises(seen: Any) -> None:
    stages = stages_of(seen)
    await stages.run("emotion", work(RuntimeError("bad weights")), deadline_ms=LONG_MS, blame="emotion")
    assert stages.degraded == ["emotion"]


async def test_what_was_missed_twice_is_said_and_counted_once(seen: Any) -> None:
    stages = stages_of(seen)
    for stage in ("session", "recall", "remember"):
        await stages.run(stage, work(StoreUnavailable("away")), deadline_ms=LONG_MS, blame="record")
    assert stages.degraded == ["record"]
    assert len(seen.counted) == 1


async def test_a_turn_that_is_given_up_gives_up_its_stage_and_blames_nobody(seen: Any) -> None:
    stages = stages_of(seen)
    task = asyncio.create_task(stages.run("emotion", work(after=60), deadline_ms=LONG_MS, blame="emotion"))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stages.degraded == []
    assert "emotion" in stages.timings


async def test_stages_side_by_side_add_up_and_the_total_is_the_turns_own(seen: Any) -> None:
    stages = stages_of(seen)
    await asyncio.gather(*(stages.run("recall", work(after=0.05), deadline_ms=LONG_MS, blame="record") for _ in range(3)))
    told = stages.finish()
    assert told["recall"] >= 3 * 50 > 0
    assert told["recall"] > told["total"] >= 50
    assert told is not stages.timings


async def test_each_stage_is_reported_once_when_the_turn_is_over(seen: Any) -> None:
    stages = stages_of(seen)
    for _ in range(3):
        await stages.run("recall", work(), deadline_ms=LONG_MS, blame="record")
    assert seen.observed == []
    stages.finish()
    assert seen.observed == [("lira_turn_seconds", {"stage": "recall"}), ("lira_turn_seconds", {"stage": "total"})]


async def test_each_stage_is_a_span_below_the_turn_s_and_none_tells_what_went_wrong_in_words(seen: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("lira_core.stages.tracer", provider.get_tracer("lira"))
    stages = Stages(seen, ends=asyncio.get_running_loop().time() + 5, turn_id="t1")

    async def fails() -> None:
        raise ConnectionError("I told you a secret")

    await stages.run("emotion", asyncio.sleep(0), deadline_ms=1_000, blame="emotion")
    await stages.run("recall", fails(), deadline_ms=1_000, blame="vectors")
    stages.end()
    emotion, recalled, turn = exporter.get_finished_spans()
    assert [one.name for one in (emotion, recalled, turn)] == ["emotion", "recall", "turn"]
    assert {emotion.parent.span_id, recalled.parent.span_id} == {turn.context.span_id}
    assert dict(turn.attributes) == {"lira.request_id": "t1", "lira.degraded": ("vectors",)}
    assert not any("secret" in str(one.to_json()) for one in (emotion, recalled, turn))
