"""Whom a command talks to: LIRA in this process, or a running server. Both are asked by the same requests and give the same replies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import httpx
from pydantic import TypeAdapter

from lira_core import replies
from lira_core.requests import AddMemories, DeleteMemory, Item, ListMemories, ListSummaries, Request, Say, Search

A = TypeVar("A")
WITHIN_S = 120
"""A server bounds each request itself; this is for one that hangs."""


class Unanswered(ConnectionError):
    """A server is not there, refused, or answered something else than LIRA does; the message is for a person."""


class Partner(Protocol):
    """Whoever answers LIRA's requests."""

    async def ask(self, request: Request[A]) -> A:
        """The answer. InvalidRequest, StoreError or Unanswered when there is none."""
        ...


@asynccontextmanager
async def partner(url: str | None, data: Path | None) -> AsyncIterator[Partner]:
    """The server at `url`; without one LIRA in this process, on the file in `data` (the settings' own when None)."""
    if url is None:
        from lira_core.lira import Lira  # the models' libraries, which a client of a server never needs
        from lira_core.settings import load_settings

        async with Lira.local(settings=load_settings(**({"data_dir": data} if data else {}))) as lira:
            yield lira
        return
    async with httpx.AsyncClient(base_url=url, timeout=WITHIN_S) as client:
        yield Remote(client)


class Remote:
    """A server, over its HTTP surface."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

    async def ask(self, request: Request[A]) -> A:
        return cast(A, await self._ask(request))

    async def _ask(self, request: Request[Any]) -> Any:
        match request:
            case Say():
                said = {"user_id": request.user_id, "session_id": request.session_id, "text": request.text, "at": _time(request.at)}
                return await self._read(replies.Reply, "POST", "/v1/chat", json=_given(said))
            case AddMemories():
                adding = {"user_id": request.user_id, "items": [_item(item) for item in request.items]}
                return await self._read(replies.Ids, "POST", "/v1/memories", json=adding)
            case Search():
                at, rerank = _time(request.at), request.rerank
                asked = {"user_id": request.user_id, "query": request.query, "limit": request.limit, "at": at, "rerank": rerank}
                return await self._read(replies.Found, "POST", "/v1/memories/search", json=_given(asked))
            case ListMemories():
                page = {"user_id": request.user_id, "limit": request.limit, "cursor": request.cursor}
                return await self._read(replies.Page, "GET", "/v1/memories", params=_given(page))
            case ListSummaries():
                scope = {"user_id": request.user_id, "scope": request.scope, "limit": request.limit}
                return await self._read(replies.Summaries, "GET", "/v1/summaries", params=scope)
            case DeleteMemory():
                path = f"/v1/memories/{request.memory_id}"
                return (await self._send("DELETE", path, missing=True, params={"user_id": request.user_id})).status_code != httpx.codes.NOT_FOUND
            case _:
                raise TypeError(f"{type(request).__name__} is asked of no server")

    async def _read(self, kind: type[A], method: str, path: str, **body: Any) -> A:
        answer = await self._send(method, path, **body)
        try:
            return TypeAdapter(kind).validate_json(answer.content)
        except ValueError as error:
            raise Unanswered(f"{self._client.base_url} answered {method} {path} otherwise than this version of LIRA does") from error

    async def _send(self, method: str, path: str, *, missing: bool = False, **body: Any) -> httpx.Response:
        """The response; a 404 too where it is a `missing` thing's."""
        try:
            answer = await self._client.request(method, path, **body)
        except httpx.HTTPError as error:
            raise Unanswered(f"no answer from {self._client.base_url}: {error or type(error).__name__}; is `lira serve` running there?") from error
        if answer.is_success or (missing and answer.status_code == httpx.codes.NOT_FOUND):
            return answer
        raise Unanswered(_detail(answer) or f"{answer.status_code} from {self._client.base_url}{path}")


def _detail(answer: httpx.Response) -> str | None:
    """What an RFC 9457 problem says."""
    try:
        problem = answer.json()
    except ValueError:
        return None
    return str(problem.get("detail") or problem.get("title") or "") if isinstance(problem, dict) else None


def _item(item: Item) -> dict[str, Any]:
    return _given({"text": item.text, "timestamp": _time(item.timestamp), "session_id": item.session_id, "metadata": dict(item.metadata) or None})


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _time(moment: Any) -> str | None:
    return moment.isoformat() if moment is not None else None
