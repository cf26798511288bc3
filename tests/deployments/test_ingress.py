"""How the ingress speaks to the orchestrator: deadlines, one retry, and every failure a problem."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from ray.exceptions import ActorUnavailableError
from ray.serve.exceptions import BackPressureError

from deployments.http import make_app
from deployments.ingress import RemoteOrchestrator
from deployments.problems import Problem
from lira_core.stores.ports import StoreError

TURN = ("u", "s", "안녕", None, "id-1")
LOST = ActorUnavailableError("gone", None)


class Response:
    """What a handle gives for a call: awaited once or iterated, and cancellable."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes, self.cancelled = outcomes, False

    def __await__(self) -> Any:
        return self._result().__await__()

    async def _result(self) -> Any:
        async for outcome in self:
            return outcome

    async def __aiter__(self) -> AsyncIterator[Any]:
        for outcome in self.outcomes:
            if isinstance(outcome, Exception):
                raise outcome
            if outcome is asyncio.sleep:
                await asyncio.sleep(60)
            yield outcome

    def cancel(self) -> None:
        self.cancelled = True


class Handle:
    """A handle whose calls go as scripted; remembers the arguments."""

    def __init__(self, *responses: Response) -> None:
        self.responses, self.calls = list(responses), []

    def options(self, **_: Any) -> Handle:
        return self

    def __getattr__(self, method: str) -> Any:
        handle = self

        class Method:
            def remote(self, *args: Any) -> Response:
                handle.calls.append((method, args))
                return handle.responses[len(handle.calls) - 1]

        return Method()


def orchestrator(*responses: Response, deadline: float = 5) -> tuple[RemoteOrchestrator, Handle]:
    handle = Handle(*responses)
    return RemoteOrchestrator(handle, deadline), handle  # type: ignore[arg-type]


async def test_a_turn_whose_replica_died_is_made_once_more_with_the_same_id() -> None:
    remote, handle = orchestrator(Response(LOST), Response({"reply": "네"}))
    assert await remote.chat(*TURN) == {"reply": "네"}
    assert handle.calls == [("chat", TURN)] * 2


async def test_a_turn_that_is_lost_twice_is_503_with_retry_after() -> None:
    remote, handle = orchestrator(Response(LOST), Response(LOST))
    with pytest.raises(Problem) as told:
        await remote.chat(*TURN)
    assert told.value.status == 503
    assert told.value.retry_after
    assert len(handle.calls) == 2


async def test_an_import_is_not_repeated() -> None:
    remote, handle = orchestrator(Response(LOST), Response(["a"]))
    with pytest.raises(Problem) as told:
        await remote.add_memories("u", [{"text": "a"}])
    assert told.value.status == 503
    assert len(handle.calls) == 1


@pytest.mark.parametrize("error", [BackPressureError(9, 9), StoreError("the record is down")])
async def test_a_full_queue_and_a_store_that_is_down_are_503_with_retry_after(error: Exception) -> None:
    remote, handle = orchestrator(Response(error))
    with pytest.raises(Problem) as told:
        await remote.chat(*TURN)
    assert told.value.status == 503
    assert told.value.retry_after
    assert len(handle.calls) == 1


async def test_a_turn_over_the_deadline_is_503_and_its_call_is_cancelled() -> None:
    slow = Response(asyncio.sleep)
    remote, _ = orchestrator(slow, deadline=0.05)
    with pytest.raises(Problem) as told:
        await remote.chat(*TURN)
    assert told.value.status == 503
    assert told.value.retry_after
    assert slow.cancelled


async def test_a_caller_that_leaves_cancels_the_call() -> None:
    slow = Response(asyncio.sleep)
    remote, _ = orchestrator(slow)
    task = asyncio.create_task(remote.chat(*TURN))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.cancelled


async def test_a_mistake_of_ours_is_500_without_a_traceback() -> None:
    remote, _ = orchestrator(Response(KeyError("secret")))
    with pytest.raises(Problem) as told:
        await remote.chat(*TURN)
    assert told.value.status == 500
    assert "secret" not in told.value.detail


async def test_a_stream_begins_anew_only_while_nothing_was_sent() -> None:
    remote, handle = orchestrator(Response(LOST), Response({"event": "recall"}, LOST))
    seen = []

    async def listen() -> None:
        async for event in remote.chat_stream(*TURN):
            seen.append(event)

    with pytest.raises(Problem) as told:
        await listen()
    assert seen == [{"event": "recall"}]
    assert told.value.status == 503
    assert len(handle.calls) == 2


async def test_a_stream_over_the_deadline_ends() -> None:
    slow = Response({"event": "recall"}, asyncio.sleep)
    remote, _ = orchestrator(slow, deadline=0.05)
    with pytest.raises(Problem):
        _ = [event async for event in remote.chat_stream(*TURN)]
    assert slow.cancelled


def door(*responses: Response) -> httpx.AsyncClient:
    async def metrics() -> str:
        return ""

    app = make_app(orchestrator(*responses)[0], metrics=metrics, max_body_bytes=10_000)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://lira")


SAID = {"user_id": "u", "session_id": "s", "text": "안녕"}


async def test_a_stream_that_breaks_tells_so_in_an_error_event() -> None:
    async with door(Response({"event": "recall", "data": {}}, LOST)) as http:
        answer = await http.post("/v1/chat", json=SAID | {"stream": True})
    *_, last = answer.text.strip().split("\n\n")
    assert answer.status_code == 200
    assert last.startswith('event: error\ndata: {"type":')
    assert '"status":503' in last


async def test_a_stream_that_never_begins_is_a_status() -> None:
    async with door(Response(BackPressureError(9, 9))) as http:
        answer = await http.post("/v1/chat", json=SAID | {"stream": True})
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert answer.headers["content-type"] == "application/problem+json"


async def test_not_ready_is_503_with_each_dependency() -> None:
    async with door(Response({"record": "StoreError: no disk"})) as http:
        answer = await http.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["dependencies"]["record"] == "StoreError: no disk"


async def test_nothing_to_ask_is_not_ready() -> None:
    async with door(Response(LOST), Response(LOST)) as http:
        assert (await http.get("/readyz")).status_code == 503


async def test_an_answer_that_nobody_foresaw_is_500_as_a_problem() -> None:
    async with door(Response("not a reply")) as http:
        answer = await http.post("/api/lira/generate", json=SAID)
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in answer.text


async def test_without_serve_in_front_the_request_id_is_in_the_header() -> None:
    async with door(Response({})) as http:
        assert len((await http.get("/healthz")).headers["x-request-id"]) == 32
