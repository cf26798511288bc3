"""`lira chat`: a conversation, and under each answer what LIRA felt, recalled and kept."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
from rich.console import Console
from rich.text import Text

from lira_core.lira import Lira
from lira_core.settings import load_settings

Say = Callable[[str], Awaitable[Mapping[str, Any]]]
PATHS = {"semantic": "meaning", "fact": "fact", "emotion": "feeling"}
LEAVE = frozenset({"/quit", "/exit", "/q"})


def chat(*, url: str | None, user: str, session: str | None, data: Path | None) -> None:
    """Talks until Ctrl-D, Ctrl-C or /quit."""
    console = Console()
    session = session or f"terminal-{uuid.uuid4().hex[:8]}"
    try:
        asyncio.run(_talk(console, url, user, session, data))
    except (KeyboardInterrupt, EOFError):
        console.print("\n[dim]다음에 또 이야기해요.[/dim]")


async def _talk(console: Console, url: str | None, user: str, session: str, data: Path | None) -> None:
    async with _partner(url, user, session, data) as say:
        console.print(f"[dim]You are [bold]{user}[/bold] in session {session}. /quit or Ctrl-D ends it; what was kept stays.[/dim]")
        while True:
            text = (await asyncio.to_thread(console.input, "[bold cyan]you  [/bold cyan]")).strip()
            if text in LEAVE:
                return
            if not text:
                continue
            try:
                reply = await say(text)
            except (httpx.HTTPError, ValueError) as error:
                console.print(f"[red]{error}[/red]")
                continue
            console.print(Text.assemble(("lira ", "bold magenta"), reply["reply"]))
            for line in explain(reply):
                console.print(Text("     " + line, style="dim"))


@asynccontextmanager
async def _partner(url: str | None, user: str, session: str, data: Path | None) -> AsyncIterator[Say]:
    """Somebody to talk to: a server when there is a URL, else LIRA in this process."""
    if url is None:
        async with Lira.local(settings=load_settings(**({"data_dir": data} if data else {}))) as lira:

            async def here(text: str) -> Mapping[str, Any]:
                reply: Mapping[str, Any] = orjson.loads(orjson.dumps(await lira.chat(user_id=user, session_id=session, text=text)))
                return reply

            yield here
        return
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:

        async def there(text: str) -> Mapping[str, Any]:
            answer = await client.post("/v1/chat", json={"user_id": user, "session_id": session, "text": text})
            body: Mapping[str, Any] = answer.json()
            if answer.is_error:
                raise ValueError(body.get("detail") or body.get("title") or f"{answer.status_code} from {url}")
            return body

        yield there


def explain(reply: Mapping[str, Any]) -> list[str]:
    """The lines under an answer: the emotion, each recalled memory with its paths, what was kept and why."""
    top = " · ".join(f"{e['label']} {e['score']:.2f}" for e in reply["emotion"]["top"]) or "not read"
    lines = [f"emotion   {top}"]
    for memory in reply["recalled"]:
        paths = "+".join(PATHS[path] for path in memory["paths"])
        certainty = f", certainty {memory['certainty']:.2f}" if memory["certainty"] is not None else ""
        lines.append(f"recalled  {memory['text']}  ({paths}, score {memory['score']:.2f}{certainty}, {memory['timestamp'][:16].replace('T', ' ')})")
    if not reply["recalled"]:
        lines.append("recalled  nothing")
    kept = reply["memory"]
    lines.append(f"kept      {kept['status']}" + (f", because of {kept['reason']}" if kept["reason"] != "none" else ""))
    if reply["degraded"]:
        lines.append("missed    " + ", ".join(reply["degraded"]))
    return lines
