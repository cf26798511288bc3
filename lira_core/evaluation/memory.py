"""`lira eval memory`: conversations are replayed in this process, then questions are asked in a new session.

The form of the file is that of the replay tool: one user a line, with `sessions` (turns a minute apart) and `probes`; a probe may have `before`,
what is asked in its session ahead of it.
"""

from __future__ import annotations

import asyncio
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from lira_core.evaluation.tsv import DataError
from lira_core.lira import Lira
from lira_core.requests import Search

# Users replayed side by side: enough to batch the models, and to show users that get mixed up.
WORKERS = 8
INDEXED_WITHIN_S, LOOK_EVERY_S = 15.0, 0.05
"""Recall promises to be whole within ten seconds."""
APART = timedelta(seconds=20)
"""Between two questions of one session."""


def squash(text: str) -> str:
    """Without spaces and case, as replies are compared."""
    return "".join(text.lower().split())


def passes(reply: str, probe: Mapping[str, Any]) -> bool:
    """Holds any of `expect_any` (when there are some) and none of `expect_none`."""
    said = squash(reply)
    wanted = [squash(s) for s in probe.get("expect_any", [])]
    return (not wanted or any(s in said for s in wanted)) and not any(squash(s) in said for s in probe.get("expect_none", []))


async def indexed(lira: Lira, user_id: str, text: str) -> None:
    """Waits until what was kept last is found by meaning: vectors are made beside the turns, and no person asks a tenth of a second after telling."""
    for _ in range(round(INDEXED_WITHIN_S / LOOK_EVERY_S)):
        found = (await lira.ask(Search(user_id=user_id, query=text, limit=50, rerank=False))).results
        if any(one.text == text and one.certainty is not None for one in found):
            return
        await asyncio.sleep(LOOK_EVERY_S)


async def evaluate_memory(lira: Lira, users: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The pass rate, by kind too, how much of the evidence was recalled, and each failed probe with what was answered."""
    for number, user in enumerate(users, 1):
        if missing := [key for key in ("user", "sessions", "probes") if key not in user]:
            raise DataError(f"row {number}: wants user, sessions and probes, lacks {', '.join(missing)}")
        for part, wanted in (("sessions", ("id", "at", "turns")), ("probes", ("kind", "text", "at"))):
            if missing := [key for key in wanted if not all(key in one for one in user[part])]:
                raise DataError(f"row {number}: each of its {part} wants {', '.join(wanted)}, one lacks {', '.join(missing)}")
    slots = asyncio.Semaphore(WORKERS)

    async def play(user: Mapping[str, Any]) -> None:
        async with slots:
            kept = None
            for session in user["sessions"]:
                start = datetime.fromisoformat(session["at"])
                for i, text in enumerate(session["turns"]):
                    reply = await lira.chat(user_id=user["user"], session_id=session["id"], text=text, at=start + timedelta(minutes=i))
                    kept = text if reply.memory.status == "stored" else kept
            if kept is not None:
                await indexed(lira, user["user"], kept)

    async def ask(user: Mapping[str, Any], number: int, probe: Mapping[str, Any]) -> dict[str, Any]:
        async with slots:
            texts, at = [*probe.get("before", ()), probe["text"]], datetime.fromisoformat(probe["at"])
            for i, text in enumerate(texts, 1 - len(texts)):
                reply = await lira.chat(user_id=user["user"], session_id=f"probe{number}", text=text, at=at + i * APART)
        said = {s["id"]: s["turns"] for s in user["sessions"]}
        evidence = [said[name][int(i)] for name, i in (e.rsplit(":", 1) for e in probe.get("evidence", []))]
        recalled = [r.text for r in reply.recalled]
        share = sum(text in recalled for text in evidence) / len(evidence) if evidence else None
        return {
            **probe,
            "user": user["user"],
            "passed": passes(reply.text, probe),
            "reply": reply.text,
            "recalled": recalled,
            "evidence_recall": share,
        }

    await asyncio.gather(*(play(user) for user in users))
    results = await asyncio.gather(*(ask(user, i, probe) for user in users for i, probe in enumerate(user["probes"])))
    kinds: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        kinds[result["kind"]].append(result["passed"])
    shares = [result["evidence_recall"] for result in results if result["evidence_recall"] is not None]
    return {
        "pass_rate": round(sum(r["passed"] for r in results) / len(results), 4) if results else 0.0,
        "evidence_recall": round(statistics.mean(shares), 4) if shares else None,
        "by_kind": {kind: round(sum(passed) / len(passed), 4) for kind, passed in sorted(kinds.items())},
        "probes": len(results),
    }, [result for result in results if not result["passed"]]
