"""Turns at a steady rate against a server, and the account of what was promised: every answer is kept, to be compared with what is there."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
import uuid
from dataclasses import dataclass, field

import httpx

SECONDS = float(os.environ.get("LIRA_TEST_LOAD_SECONDS", "9"))
"""How long a test loads the server. 60 for the figures of docs/reliability.md."""
RATE = float(os.environ.get("LIRA_TEST_LOAD_RATE", "5"))
"""Turns a second. Two cores also run the servers, and SecantusDB (in Python) takes some 100 ms of them for a turn."""
GIVE_UP_S = 30.0
FIRST_DEADLINE_S = 2.2
"""LIRA_STORE_DEADLINE_MS and a little: by then a circuit is open."""


@dataclass(frozen=True)
class Turn:
    """One turn as it was answered. `status` 0: the connection broke."""

    user: str
    text: str
    began: float
    seconds: float
    status: int
    kept: str = ""
    degraded: tuple[str, ...] = ()
    retry_after: str = ""


@dataclass
class Load:
    """Talks for `users` at `rate` turns a second until `seconds` are over."""

    url: str
    users: list[str]
    rate: float = RATE
    seconds: float = SECONDS
    turns: list[Turn] = field(default_factory=list)

    async def run(self) -> None:
        numbers, begun = itertools.count(), time.monotonic()
        async with httpx.AsyncClient(base_url=self.url, timeout=GIVE_UP_S, limits=httpx.Limits(max_connections=400)) as client:
            under_way: set[asyncio.Task[None]] = set()
            while (passed := time.monotonic() - begun) < self.seconds:
                number = next(numbers)
                await asyncio.sleep(max(0.0, number / self.rate - passed))
                user = self.users[number % len(self.users)]
                task = asyncio.create_task(self._say(client, user, f"{secret(user)} {number}번 약속이 있어. 기억해줘."))
                under_way.add(task)
                task.add_done_callback(under_way.discard)
            await asyncio.gather(*under_way)

    async def _say(self, client: httpx.AsyncClient, user: str, text: str) -> None:
        began = time.monotonic()
        body = {"user_id": user, "session_id": f"{user}-s", "text": text}
        try:
            answer = await client.post("/v1/chat", json=body)
        except httpx.TransportError:
            self.turns.append(Turn(user, text, began, time.monotonic() - began, 0))
            return
        kept, degraded, retry_after = "", (), answer.headers.get("retry-after", "")
        if answer.status_code == 200:
            reply = answer.json()
            kept, degraded = reply["memory"]["status"], tuple(reply["degraded"])
        self.turns.append(Turn(user, text, began, time.monotonic() - began, answer.status_code, kept, degraded, retry_after))

    def acknowledged(self) -> set[tuple[str, str]]:
        return {(turn.user, turn.text) for turn in self.turns if turn.kept in ("stored", "queued")}

    def figures(self, began: float, ended: float) -> dict[str, float | None]:
        """Of a fault between two moments; the 95th percentile before it, and in it once the first deadline has passed, the 99th from its begin."""
        return {
            "turns": len(self.turns),
            "refused": sum(turn.status == 503 for turn in self.turns),
            "queued": sum(turn.kept == "queued" for turn in self.turns),
            "p95_ms_before": self._p95(0, began),
            "p95_ms_in_it": self._p95(began + FIRST_DEADLINE_S, ended),
            "p95_ms": self._p95(0, float("inf")),
            "p99_ms_before": self._percentile(0.99, 0, began),
            "p99_ms_in_it": self._percentile(0.99, began, ended),
        }

    def _p95(self, begin: float, end: float) -> float | None:
        return self._percentile(0.95, begin, end)

    def _percentile(self, share: float, begin: float, end: float) -> float | None:
        took = sorted(turn.seconds for turn in self.turns if begin <= turn.began < end)
        return round(1000 * took[int(len(took) * share)]) if took else None


def people(count: int) -> list[str]:
    run = uuid.uuid4().hex[:8]
    return [f"load-{run}-{number}" for number in range(count)]


def secret(user: str) -> str:
    """A word that belongs to one user alone."""
    return "비밀" + user.replace("-", "")


async def memories(client: httpx.AsyncClient, user: str) -> list[str]:
    """The texts of all that is kept of a user."""
    texts: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        answer = await client.get("/v1/memories", params={"user_id": user, "limit": 200} | ({"cursor": cursor} if cursor else {}))
        if answer.status_code == 503:  # not whole again yet: begin anew
            texts, cursor = [], ""
            await asyncio.sleep(0.2)
            continue
        page = answer.raise_for_status().json()
        texts += [memory["text"] for memory in page["results"]]
        cursor = page["next_cursor"]
    return texts
