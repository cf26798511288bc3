"""Sessions are summed up beside the turns, and days, weeks and months made of them: derived, so that whatever is lost is made again."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from typing import Final

from lira_core.memory import summary as rules
from lira_core.memory.summary import LONGEST, SETTLED, Extractive, Writer
from lira_core.requests import stamp
from lira_core.stages import AWAY
from lira_core.stores import Forgotten, StoreRejected, Stores
from lira_core.stores.summaries import Utterance
from lira_core.types import Scope, Summary

log = logging.getLogger("lira")

LOOK_SECONDS: Final = 60.0
"""A session is looked at so long after something was said in it: a summary is never asked for by the turn itself."""
LARGER: Final[tuple[tuple[Scope, Scope], ...]] = (("session", "day"), ("day", "week"), ("week", "month"))
PERIOD: Final = 1_000
"""Summaries of the next smaller scope that a day, week or month is made of, at most; a day of five from each of two hundred sessions."""


class Summariser:
    """`zone` says when a day begins."""

    def __init__(self, stores: Stores, writer: Writer, *, zone: tzinfo) -> None:
        self._stores, self._writer, self._zone = stores, writer, zone
        self._noting: set[asyncio.Task[None]] = set()

    def soon(self, user_id: str, session_id: str, received: int) -> None:
        """Something was said and is in the record. Nobody waits for this; what is not noted now is with the session's next turn."""
        task = asyncio.create_task(self.said(user_id, session_id, received))
        self._noting.add(task)
        task.add_done_callback(self._noting.discard)

    async def stop(self) -> None:
        """Waits for what is being noted, and ends what the writer holds."""
        await asyncio.gather(*self._noting)
        await self._writer.aclose()

    async def said(self, user_id: str, session_id: str, received: int) -> None:
        """As `soon`, and waits."""
        try:
            await self._stores.record.resummarise(user_id, session_id, received, LOOK_SECONDS)
        except (*AWAY, StoreRejected) as error:
            log.warning("a session is summed up after its next turn: %s", error)

    async def look(self, user_id: str, session_id: str) -> float | None:
        """Sums the session up as far as it is time to; in how many seconds it is to be looked at again, None when only after another turn."""
        record = self._stores.record
        said = await record.utterances(user_id, session_id, LONGEST)
        settles = _settles_in(said)
        with contextlib.suppress(Forgotten):  # deleted meanwhile: that deletion has let the session wait again
            await self._session(user_id, session_id, said, settled=settles <= 0)
            await self._roll_up(user_id, {one.event.timestamp for one in said})
        waits = rules.parts(len(said), settled=True) != rules.parts(len(said), settled=False)
        return settles if waits and settles > 0 else None

    async def _session(self, user_id: str, session_id: str, said: list[Utterance], *, settled: bool) -> None:
        events = [one.event for one in said]
        kept = await self._stores.record.get(user_id, [event.id for event in events]) if events else []
        made = rules.of_session(events, {memory.id: memory for memory in kept}, settled=settled)
        before = await self._before(user_id, "session", made)
        await self._stores.record.put_summaries(user_id, "session", session_id, [await self._written(one, before) for one in made])

    async def _roll_up(self, user_id: str, moments: set[datetime]) -> None:
        """Every day, week and month that holds one of the moments, anew."""
        for smaller, larger in LARGER:
            for first in sorted({rules.first_day(larger, moment, self._zone) for moment in moments}):
                await self._put(user_id, smaller, larger, first)

    async def _put(self, user_id: str, smaller: Scope, larger: Scope, first: date) -> None:
        start, end = rules.bounds(larger, first, self._zone)
        parts = await self._stores.record.summaries(user_id, smaller, PERIOD, start, end)
        made = rules.rolled_up(user_id, larger, first, self._zone, parts)
        before = await self._before(user_id, larger, [made] if made else [])
        whole: list[Summary] = [await self._written(made, before)] if made else []
        await self._stores.record.put_summaries(user_id, larger, first.isoformat(), whole)

    async def _before(self, user_id: str, scope: Scope, made: Sequence[Summary]) -> list[Summary]:
        """What is in the record of the time of these."""
        if not made:
            return []
        start, end = min(one.start for one in made), max(one.end for one in made)
        return await self._stores.record.summaries(user_id, scope, PERIOD, start, end)

    async def _written(self, summary: Summary, before: Iterable[Summary]) -> Summary:
        """With its text. What a model wrote of the same lines is not asked for again: each turn lets its whole session, day, week and month be
        looked at anew. Where the user's own words stand in for a model that was away, it is."""
        own_words = await Extractive().write(summary.scope, summary.lines)
        known = next((one.text for one in before if one.group == summary.group and one.lines == summary.lines and one.text != own_words), None)
        return replace(summary, text=known or await self._writer.write(summary.scope, summary.lines))


def _settles_in(said: list[Utterance]) -> float:
    """Seconds until nothing has been received for an hour."""
    latest = max((one.received for one in said), default=0)
    return SETTLED.total_seconds() - (stamp() - latest) / 1_000_000
