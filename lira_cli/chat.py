"""`lira chat`: a conversation, and under each answer what LIRA felt, recalled and kept."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

from lira_cli.partner import Unanswered, partner
from lira_core.requests import InvalidRequest, Say

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
    async with partner(url, data) as lira:
        console.print(f"[dim]You are [bold]{user}[/bold] in session {session}. /quit or Ctrl-D ends it; what was kept stays.[/dim]")
        while True:
            text = (await asyncio.to_thread(console.input, "[bold cyan]you  [/bold cyan]")).strip()
            if text in LEAVE:
                return
            if not text:
                continue
            try:
                reply = orjson.loads(orjson.dumps(await lira.ask(Say(user_id=user, session_id=session, text=text))))
            except (Unanswered, InvalidRequest) as error:
                console.print(f"[red]{error}[/red]")
                continue
            console.print(Text.assemble(("lira ", "bold magenta"), reply["reply"]))
            for line in explain(reply):
                console.print(Text("     " + line, style="dim"))


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
