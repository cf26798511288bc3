"""The routes of memories: what is kept, found, listed and deleted."""

from __future__ import annotations

import re
from typing import Annotated

import orjson
from fastapi import FastAPI, Query, Request
from starlette.responses import Response

from deployments import schemas
from deployments.asking import Backend, Key, UserId, arrival, json_answer, once_of
from deployments.problems import PROBLEMS, WRITES, Problem
from deployments.schemas import ID_PATTERN
from lira_core import replies
from lira_core.requests import AddMemories, DeleteMemory, DeleteUser, Item, ListMemories, Search


def add_memory_routes(app: FastAPI, backend: Backend) -> None:
    @app.post("/v1/memories", status_code=201, response_model=replies.Ids, responses=WRITES, tags=["memories"])
    async def add_memories(wanted: schemas.AddRequest, request: Request, key: Key = None) -> Response:
        """Stores utterances without asking the gate; all or none."""
        items = tuple(Item(**item.model_dump(exclude_none=True)) for item in wanted.items)
        adding = AddMemories(user_id=wanted.user_id, items=items, **arrival(request), once=once_of(key, request, wanted))
        return json_answer(await backend.ask(adding), 201)

    @app.post("/v1/memories/search", response_model=replies.Found, responses={415: PROBLEMS[415]}, tags=["memories"])
    async def search(wanted: schemas.SearchRequest) -> Response:
        """The user's memories, best first; with `at`, as known then. No floor on certainty."""
        search = Search(user_id=wanted.user_id, query=wanted.query, limit=wanted.limit, at=wanted.at, rerank=wanted.rerank)
        return json_answer(await backend.ask(search))

    @app.get("/v1/memories", response_model=replies.Page, tags=["memories"])
    async def list_memories(
        user_id: UserId,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
        cursor: Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before.")] = None,
    ) -> Response:
        """A page of memories, newest first."""
        return json_answer(await backend.ask(ListMemories(user_id=user_id, limit=limit, cursor=cursor)))

    @app.delete("/v1/memories/{memory_id}", status_code=204, responses={404: PROBLEMS[404]}, tags=["memories"])
    async def delete_memory(memory_id: str, user_id: UserId) -> Response:
        """The memory, what quotes it, and its vector. 404 when it never was this user's."""
        known = re.fullmatch(ID_PATTERN, memory_id) and orjson.loads(await backend.ask(DeleteMemory(user_id=user_id, memory_id=memory_id)))
        if not known:
            raise Problem(404, "This user has no such memory.")
        return Response(status_code=204)

    @app.delete("/v1/memories", status_code=204, tags=["memories"])
    async def delete_user(user_id: UserId) -> Response:
        """Everything of that user in every store, sessions and events included, that reached LIRA before this is answered."""
        await backend.ask(DeleteUser(user_id=user_id))
        return Response(status_code=204)
