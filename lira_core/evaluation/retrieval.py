"""`lira eval retrieval`: is the evidence of a question among the first results of a search (LoCoMo's form).

LoCoMo is CC BY-NC 4.0: it serves evaluation only.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from lira_core.lira import Lira
from lira_core.requests import AddMemories, Item, Search

BATCH = 64
ADVERSARIAL = 5  # LoCoMo's category of questions that have no answer
DEPTHS = (3, 5, 10)


def turns(conversation: Mapping[str, Any]) -> list[Item]:
    """Every turn of a conversation as an item to remember; turns of one session are half a minute apart."""
    out = []
    for key, session in conversation.items():
        if re.fullmatch(r"session_\d+", key):
            start = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for i, turn in enumerate(session):
                photo = f" [photo: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
                text, at = f"{turn['speaker']}: {turn['text']}{photo}", start + timedelta(seconds=30 * i)
                out.append(Item(text=text, timestamp=at, metadata={"dia_id": turn["dia_id"]}))
    return out


async def evaluate_retrieval(lira: Lira, samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Fractional recall@3, @5, @10, any@5, MRR and latency over the questions of categories 1 to 4 that have evidence."""
    scores: dict[str, list[float]] = {name: [] for name in (*(f"recall@{k}" for k in DEPTHS), "any@5", "mrr")}
    latency: list[float] = []
    added, add_seconds = 0, 0.0
    for number, sample in enumerate(samples):
        user, said = f"sample-{number}", turns(sample["conversation"])
        began = time.perf_counter()
        for start in range(0, len(said), BATCH):
            await lira.ask(AddMemories(user_id=user, items=tuple(said[start : start + BATCH])))
        add_seconds += time.perf_counter() - began
        added += len(said)
        known = {item.metadata["dia_id"] for item in said}
        for qa in sample["qa"]:
            evidence = {d for e in qa.get("evidence", []) for d in re.findall(r"D\d+:\d+", e)} & known
            if qa["category"] == ADVERSARIAL or not evidence:
                continue
            began = time.perf_counter()
            found = (await lira.ask(Search(user_id=user, query=qa["question"], limit=10))).results
            latency.append(time.perf_counter() - began)
            hits = [rank for rank, hit in enumerate(found) if hit.metadata["dia_id"] in evidence]
            for k in DEPTHS:
                scores[f"recall@{k}"].append(sum(rank < k for rank in hits) / len(evidence))
            scores["any@5"].append(float(any(rank < 5 for rank in hits)))
            scores["mrr"].append(1 / (hits[0] + 1) if hits else 0.0)
    latency.sort()
    return {
        "questions": len(latency),
        "memories": added,
        **{name: round(statistics.mean(values), 4) for name, values in scores.items() if values},
        "search_ms_p50": round(1000 * latency[len(latency) // 2], 1) if latency else None,
        "search_ms_p95": round(1000 * latency[int(len(latency) * 0.95)], 1) if latency else None,
        "adds_per_second": round(added / add_seconds, 1) if add_seconds else None,
    }
