"""How the ingress speaks to the orchestrator: deadlines, one retry, and every failure a problem."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from ray.exceptions import ActorUnavailableError, RayTaskError
from ray.serve.exceptions import BackPressureError

from deployments import ingress
from deployments.http import make_app
from deployments.ingress import RemoteOrchestrator
from deployments.problems import Problem
from lira_core.admission import Refused
from lira_core.requests import AddMemories, CheckReady, DeleteMemory, DeleteSession, DeleteUser, InvalidRequest, Item, ListMemories, Say
from lira_core.stores import Forgotten, StoreRejected, StoreUnavailable, Unfinished

TURN = Say(user_id="u", session_id="s", text="안녕")
LOST = ActorUnavailableError("gone", None)
RECALL, DONE = ("recall", b"{}"), ("done", b'{"reply":"x"}')


class Response:
    """What a handle gives for a call: awaited once or iterated, and cancellable. A refusal is an answer; other errors are raised."""

    def __init__(self, *outcomes: Any) -> None:
        self.outcomes, self.cancelled = outcomes, False

    def __await__(self) -> Any:
        return self._result().__await__()

    async def _result(self) -> Any:
        async for outcome in self:
            return outcome

    async def __aiter__(self) -> AsyncIterator[Any]:
        for outcome in self.outcomes:
            if isinstance(outcome, Exception) and not isinstance(outcome, Refused):
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
                handle.calls.append((method, *args))
                return handle.responses[len(handle.calls) - 1]

        return Method()


def orchestrator(*responses: Response, deadline: float = 5) -> tuple[RemoteOrchestrator, Handle]:
    handle = Handle(*responses)
    return RemoteOrchestrator(handle, deadline), handle  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _arrives_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingress, "ON_THE_WAY_S", 0.05)


async def problem_of(remote: RemoteOrchestrator, request: Any = TURN) -> Problem:
    with pytest.raises(Problem) as told:
        await remote.ask(request)
    return told.value


@pytest.mark.parametrize("request_", [TURN, AddMemories(user_id="u", items=(Item(text="a"),)), DeleteUser(user_id="u"), CheckReady()])
async def test_what_was_lost_with_its_replica_is_asked_once_more_under_the_same_id(request_: Any) -> None:
    remote, handle = orchestrator(Response(LOST), Response(b"{}"))
    assert await remote.ask(request_) == b"{}"
    assert handle.calls == [("ask", request_)] * 2


async def test_what_is_lost_twice_is_503_with_retry_after() -> None:
    remote, handle = orchestrator(Response(LOST), Response(LOST))
    told = await problem_of(remote)
    assert (told.status, bool(told.retry_after)) == (503, True)
    assert len(handle.calls) == 2


@pytest.mark.parametrize("error", [BackPressureError(9, 9), StoreUnavailable("the record is down")])
async def test_a_full_queue_and_a_store_that_is_away_are_503_with_retry_after(error: Exception) -> None:
    remote, handle = orchestrator(Response(error))
    told = await problem_of(remote)
    assert (told.status, bool(told.retry_after)) == (503, True)
    assert len(handle.calls) == 1, "who is busy is not asked again at once"


@pytest.mark.parametrize(("reason", "status"), [("queue", 503), ("user", 429)])
async def test_a_refusal_is_given_back_whole_or_streamed(reason: Any, status: int) -> None:
    remote, handle = orchestrator(Response(Refused(reason)), Response(Refused(reason)))
    told = await problem_of(remote)
    with pytest.raises(Problem) as streamed:
        await anext(remote.stream(TURN))
    assert [(one.status, one.retry_after) for one in (told, streamed.value)] == [(status, 1)] * 2
    assert len(handle.calls) == 2, "who is refused is not asked for again at once"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidRequest("cursor", "is not one that this route gave"), 422),
        (Forgotten("user u was deleted"), 409),
        (StoreRejected("no such table: facts"), 500),
        (KeyError("secret"), 500),
        (StoreUnavailable("disk full"), 503),
    ],
)
@pytest.mark.parametrize("by_ray", [True, False], ids=["as Ray wraps it", "as it is"])
async def test_every_failure_of_the_core_has_its_status_and_tells_no_secret(error: Exception, status: int, by_ray: bool) -> None:
    raised = RayTaskError("ask", "a traceback", error).as_instanceof_cause() if by_ray else error
    remote, _ = orchestrator(Response(raised))
    told = await problem_of(remote)
    assert told.status == status
    assert not {"secret", "facts", "disk", "traceback"} & set(told.detail.lower().replace(":", " ").split())


async def test_a_field_that_the_core_refuses_is_named() -> None:
    remote, _ = orchestrator(Response(RayTaskError("ask", "", InvalidRequest("cursor", "is broken")).as_instanceof_cause()))
    told = await problem_of(remote, ListMemories(user_id="u", cursor="x"))
    assert told.errors == [{"field": "cursor", "message": "is broken"}]


DELETE = DeleteMemory(user_id="u", memory_id="m")


@pytest.mark.parametrize(
    ("request_", "error", "says"),
    [
        (DELETE, Unfinished("away"), "A store is not available. The deletion is noted, and will be finished when the store is back."),
        (DELETE, StoreUnavailable("away"), "count nothing as deleted, and try again"),
        (DeleteUser(user_id="u"), StoreUnavailable("away"), "count nothing as deleted, and try again"),
        (DeleteSession(user_id="u", session_id="s"), StoreUnavailable("away"), "count nothing as deleted, and try again"),
        (AddMemories(user_id="u", items=()), StoreUnavailable("away"), "A store is not available; try again in a moment."),
        (TURN, StoreUnavailable("away"), "A store is not available; try again in a moment."),
    ],
)
async def test_where_a_store_is_away_only_a_deletion_that_is_noted_is_said_to_be_finished_later(request_: Any, error: Exception, says: str) -> None:
    remote, _ = orchestrator(Response(RayTaskError("ask", "a traceback", error).as_instanceof_cause()))
    told = await problem_of(remote, request_)
    assert (told.status, told.retry_after) == (503, 2)
    assert says in told.detail


@pytest.mark.parametrize("error", [StoreRejected("no such table"), KeyError("secret")])
async def test_a_mistake_of_ours_is_logged_with_what_it_was(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    remote, _ = orchestrator(Response(error))
    with caplog.at_level(logging.ERROR):
        await problem_of(remote)
    assert [bool(record.exc_info) for record in caplog.records] == [True]


async def test_a_turn_over_the_deadline_is_503_names_it_and_its_call_is_cancelled() -> None:
    slow = Response(asyncio.sleep)
    remote, _ = orchestrator(slow, deadline=0.05)
    told = await problem_of(remote)
    assert (told.status, bool(told.retry_after)) == (503, True)
    assert "0.05 s" in told.detail
    assert slow.cancelled


async def test_the_second_try_has_what_is_left_of_the_first_ones_time() -> None:
    slow = Response(asyncio.sleep)
    remote, handle = orchestrator(Response(LOST), slow, deadline=0.05)
    assert (await problem_of(remote)).status == 503
    assert slow.cancelled
    assert len(handle.calls) == 2


async def test_a_probe_waits_short_and_an_import_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingress, "READY_WITHIN_S", 0.01)
    monkeypatch.setattr(ingress, "IMPORT_WITHIN_S", 0.03)
    for request, named in ((CheckReady(), "0.01 s"), (AddMemories(user_id="u", items=()), "0.03 s")):
        remote, _ = orchestrator(Response(asyncio.sleep), deadline=60)
        assert named in (await problem_of(remote, request)).detail


async def test_a_caller_that_leaves_cancels_the_call() -> None:
    slow = Response(asyncio.sleep)
    remote, handle = orchestrator(slow)
    task = asyncio.create_task(remote.ask(TURN))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.cancelled
    assert len(handle.calls) == 1


# Streams


async def heard(remote: RemoteOrchestrator, into: list[Any]) -> None:
    async for event in remote.stream(TURN):
        into.append(event)


async def test_a_stream_begins_anew_while_nothing_was_sent() -> None:
    remote, handle = orchestrator(Response(LOST), Response(RECALL, DONE))
    seen: list[Any] = []
    await heard(remote, seen)
    assert seen == [RECALL, DONE]
    assert handle.calls == [("stream", TURN)] * 2


async def test_a_stream_that_was_begun_is_never_told_twice() -> None:
    remote, handle = orchestrator(Response(RECALL, LOST), Response(RECALL, DONE))
    seen: list[Any] = []
    with pytest.raises(Problem) as told:
        await heard(remote, seen)
    assert seen == [RECALL]
    assert told.value.status == 503
    assert len(handle.calls) == 1


async def test_a_stream_that_is_lost_twice_is_503() -> None:
    remote, handle = orchestrator(Response(LOST), Response(LOST))
    with pytest.raises(Problem) as told:
        await heard(remote, [])
    assert (told.value.status, len(handle.calls)) == (503, 2)


async def test_a_stream_over_the_deadline_ends_and_its_call_is_cancelled() -> None:
    slow = Response(RECALL, asyncio.sleep)
    remote, _ = orchestrator(slow, deadline=0.05)
    with pytest.raises(Problem) as told:
        await heard(remote, [])
    assert told.value.status == 503
    assert slow.cancelled


async def test_a_listener_that_leaves_a_stream_cancels_its_call() -> None:
    slow = Response(RECALL, asyncio.sleep)
    remote, _ = orchestrator(slow)
    seen: list[Any] = []
    task = asyncio.create_task(heard(remote, seen))
    async with asyncio.timeout(10):
        while not seen:  # noqa: ASYNC110 a list tells nobody that it grew
            await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.cancelled


# Through the door


def door(*responses: Response) -> httpx.AsyncClient:
    async def metrics(everything: bool) -> str:
        return ""

    app = make_app(orchestrator(*responses)[0], metrics=metrics, max_body_bytes=10_000)
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, raise_app_exceptions=False), base_url="http://lira")


SAID = {"user_id": "u", "session_id": "s", "text": "안녕"}


async def test_a_stream_that_breaks_tells_so_in_an_error_event() -> None:
    async with door(Response(RECALL, LOST)) as http:
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


async def test_nothing_to_ask_is_not_ready() -> None:
    async with door(Response(LOST), Response(LOST)) as http:
        assert (await http.get("/readyz")).status_code == 503


async def test_an_answer_that_nobody_foresaw_is_500_as_a_problem() -> None:
    async with door(Response(b'"not a reply"')) as http:
        answer = await http.post("/api/lira/generate", json=SAID)
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert "Traceback" not in answer.text


async def test_without_serve_in_front_the_request_id_is_in_the_header() -> None:
    async with door(Response(b'{"ready":true,"dependencies":{}}')) as http:
        assert len((await http.get("/healthz")).headers["x-request-id"]) == 32
