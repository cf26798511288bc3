"""A LIRA that answers as scripted: for what stands in front of one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import orjson

from lira_core import requests
from lira_core.requests import (
    AddMemories,
    CheckReady,
    DeleteMemory,
    DeleteSession,
    DeleteUser,
    ListMemories,
    ListSummaries,
    ReadSession,
    Say,
    Search,
    SearchEvents,
)

SAID = {"user_id": "u", "session_id": "s", "text": "안녕"}
EMOTION = {"label": "joy", "score": 0.9, "top": [{"label": "joy", "score": 0.9}, {"label": "love", "score": 0.2}]}
OPENING = {"request_id": "r", "emotion": EMOTION, "recalled": [], "memory": {"status": "stored", "reason": "fact", "id": "r"}, "degraded": []}
REPLY = OPENING | {"timings_ms": {"total": 1.5}, "reply": "네."}
READY = {"ready": True, "dependencies": {"record": "ok", "emotion": "degraded"}}
SESSION = {"chat_history": [], "recalled_ltm_buffer": [], "last_updated": None, "expires_in": 0}
ANSWERS: dict[type, Any] = {
    Say: REPLY,
    AddMemories: {"ids": ["a"]},
    Search: {"results": [], "degraded": []},
    SearchEvents: {"results": []},
    ListMemories: {"results": [], "next_cursor": None},
    ListSummaries: {"results": []},
    DeleteMemory: True,
    DeleteUser: True,
    ReadSession: SESSION,
    DeleteSession: True,
    CheckReady: READY,
}


class Scripted:
    """Answers as scripted, remembers what it was asked, and whether what it was at was ended."""

    def __init__(self) -> None:
        self.answers = dict(ANSWERS)
        self.events: list[Any] = [("recall", orjson.dumps(OPENING)), ("token", b'{"text":"\xeb\x84\xa4"}'), ("done", orjson.dumps(REPLY))]
        self.asked: list[Any] = []
        self.closed = False

    async def ask(self, request: requests.Request[Any]) -> bytes:
        self.asked.append(request)
        answer = self.answers[type(request)]
        if isinstance(answer, Exception):
            raise answer
        if answer is asyncio.sleep:
            try:
                await asyncio.sleep(60)
            finally:
                self.closed = True
        return orjson.dumps(answer)

    async def stream(self, request: Say) -> AsyncGenerator[tuple[str, bytes], None]:
        self.asked.append(request)
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                if event is asyncio.sleep:
                    await asyncio.sleep(60)
                yield event
        finally:
            self.closed = True
