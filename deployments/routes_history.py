"""The routes of what was said: everything by words, summaries of it, and the session of now."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, Query
from starlette.responses import Response

from deployments import schemas
from deployments.asking import Backend, UserId, json_answer
from deployments.problems import PROBLEMS
from deployments.schemas import ID_PATTERN
from lira_core import replies
from lira_core.requests import DeleteSession, ListSummaries, ReadSession, SearchEvents
from lira_core.types import Scope

SessionId = Annotated[str, Path(pattern=ID_PATTERN)]


def add_history_routes(app: FastAPI, backend: Backend) -> None:
    @app.post("/v1/events/search", response_model=replies.FoundEvents, responses={415: PROBLEMS[415]}, tags=["memories"])
    async def search_events(wanted: schemas.SearchRequest) -> Response:
        """Everything the user said and LIRA answered, kept as a memory or not, by words, best first, each with what was said around it."""
        return json_answer(await backend.ask(SearchEvents(user_id=wanted.user_id, query=wanted.query, limit=wanted.limit, at=wanted.at)))

    @app.get("/v1/summaries", response_model=replies.Summaries, tags=["memories"])
    async def summaries(
        user_id: UserId,
        scope: Annotated[Scope, Query(description="Of what: sessions, or the days, weeks or months that they were in.")],
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> Response:
        """What was said, shortly, newest first, each with the ids of the utterances that it rests on. Made some time after it was said."""
        return json_answer(await backend.ask(ListSummaries(user_id=user_id, scope=scope, limit=limit)))

    @app.get("/v1/sessions/{session_id}", response_model=replies.SessionState, tags=["sessions"])
    async def session(session_id: SessionId, user_id: UserId) -> Response:
        """Short-term memory; empty when the session is absent, expired or somebody else's."""
        return json_answer(await backend.ask(ReadSession(user_id=user_id, session_id=session_id)))

    @app.delete("/v1/sessions/{session_id}", status_code=204, tags=["sessions"])
    async def delete_session(session_id: SessionId, user_id: UserId) -> Response:
        """Log-out: the session is empty at once."""
        await backend.ask(DeleteSession(user_id=user_id, session_id=session_id))
        return Response(status_code=204)
