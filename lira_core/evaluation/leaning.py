"""`lira eval leaning`: is what an utterance leaves to what was said before it put before it, and nothing before what stands alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lira_core.embedding.port import EmbeddingEngine, Heard
from lira_core.evaluation.tsv import DataError
from lira_core.memory.following import FOLLOWS, leant_on
from lira_core.types import Before

FORMS = '{"lines": [text], "after": [index or null]}, {"says": [text], "follows": [bool]} or {"talks": [[{"q": text, "follows": bool}]]}'


@dataclass(frozen=True, slots=True)
class Session:
    """What somebody says one after the other. `after`: of each line the index of the one that it leans on, None where it stands alone."""

    lines: Sequence[str]
    after: Sequence[int | None]


def sessions_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[Session]:
    """Of the forms of `data/lines`, `data/told` and `data/talks` (each talk's questions); DataError where a row has none of them."""
    for number, row in enumerate(rows, 1):
        found = [Session(row["lines"], row["after"])] if "lines" in row and "after" in row else []
        if "says" in row and "follows" in row:
            found.append(Session(row["says"], _before(row["follows"])))
        for talk in row.get("talks", ()):
            found.append(Session([one["q"] for one in talk], _before([one["follows"] for one in talk])))
        if not found or any(len(one.lines) != len(one.after) for one in found):
            raise DataError(f"row {number}: wants {FORMS}, the lists of one length")
        yield from found


def evaluate_leaning(engine: EmbeddingEngine, rows: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Over `sessions_of(rows)`, as a turn hears them. Of the lines that lean on another the share that is put after it (`found`), and after something
    else alone (`astray`); of the others but the first of each session the share that is put after any (`false`). And what went wrong."""
    return asyncio.run(_evaluated(engine, list(sessions_of(rows))))


async def _evaluated(engine: EmbeddingEngine, sessions: Sequence[Session]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    known: dict[str, Heard] = {}

    async def hear(text: str) -> Heard:
        if text not in known:
            known[text] = engine.hear([text])[0]
        return known[text]

    found, astray, false, wrong = [], [], [], []
    for one in sessions:
        for index, text in enumerate(one.lines[1:], 1):
            said = [Before(str(i), line) for i, line in enumerate(one.lines[:index])]
            leant = await leant_on(said, hear) if (await hear(text)).follows >= FOLLOWS else []
            before, wanted = [int(b.turn_id) for b in leant], one.after[index]
            if wanted is None:
                false.append(bool(before))
            else:
                found.append(wanted in before)
                astray.append(bool(before) and wanted not in before)
            if bool(before) if wanted is None else wanted not in before:
                wrong.append({"text": text, "after": None if wanted is None else one.lines[wanted], "put_after": [one.lines[i] for i in before]})
    return {"found": _share(found), "astray": _share(astray), "false": _share(false), "leaning": len(found), "alone": len(false)}, wrong


def _before(follows: Sequence[bool]) -> list[int | None]:
    return [i - 1 if one and i else None for i, one in enumerate(follows)]


def _share(told: Sequence[bool]) -> float | None:
    return round(sum(told) / len(told), 4) if told else None
