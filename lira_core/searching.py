"""Searching what a user said: memories by meaning and words, old talk by words."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime

from lira_core import replies
from lira_core.embedding.certainty import Certainty
from lira_core.embedding.port import Embedder
from lira_core.health import Health
from lira_core.language import composed
from lira_core.languages.terms import terms
from lira_core.memory import ranking
from lira_core.memory.following import whole
from lira_core.pools import Pools
from lira_core.reading.port import WEIGHED, Candidate, Reader
from lira_core.replies import Found, FoundEvents
from lira_core.requests import Search, SearchEvents, with_offset
from lira_core.settings import Settings
from lira_core.stages import AWAY
from lira_core.stores import Stores
from lira_core.stores.ports import Hit
from lira_core.types import Path, RecalledMemory

log = logging.getLogger("lira")
# How deep each side of a search looks before the two are merged: deep enough that the true one is on one of the lists.
SEARCH_DEPTH = 200
# Of the best so many are looked at beside what was said right before and after them.
NEIGHBOURS = 60
# Different words of a question about old talk that are looked for; a sentence has some ten, more is a text that somebody pasted.
SEARCH_TERMS = 32
# What was said before a hit, and after it, that is shown with it.
AROUND = 2


class Searching:
    """Both searches, over the stores, the encoder and the reader."""

    def __init__(
        self, stores: Stores, embedder: Embedder, reader: Reader, certainty: Certainty, pools: Pools, health: Health, settings: Settings
    ) -> None:
        self._stores, self._embedder, self._reader, self._certainty = stores, embedder, reader, certainty
        self._pools, self._health = pools, health
        self._deadline_s = settings.reading_deadline_ms / 1000

    async def memories(self, request: Search) -> Found:
        """By meaning and words together, and by how sure the best are to answer, best first."""
        at, words = with_offset(request.at), await self._pools.run("understand", terms, composed(request.query))
        by_meaning, by_words = await asyncio.gather(
            self._near(request.user_id, composed(request.query), at), self._stores.lexical.lexical(request.user_id, words, SEARCH_DEPTH, at)
        )
        degraded = ["vectors"] if by_meaning is None else []
        near, held = {hit.id: hit.score for hit in by_meaning or ()}, {hit.id: hit.score for hit in by_words}
        best = ranking.best(ranking.hybrid(near, held), max(NEIGHBOURS, request.limit))
        bodies = {memory.id: memory for memory in await self._stores.record.get(request.user_id, best)}
        parts = ranking.neighboured(ranking.hybrid_parts(near, held), {key: memory.timestamp for key, memory in bodies.items()})
        scores = _sums(parts)
        if request.rerank and scores:
            read = ranking.best(scores, WEIGHED)
            sure = await self._sure(composed(request.query), [Candidate(whole(bodies[key]), near.get(key)) for key in read])
            if sure is None:
                degraded.append("reader")
            else:
                parts = ranking.reranked(parts, dict(zip(read, sure, strict=True)))
                scores = _sums(parts)
        found = []
        for key in ranking.best(scores, request.limit):
            sides: list[tuple[Path, bool]] = [("semantic", key in near), ("fact", key in held)]
            certainty = self._certainty(near[key]) if key in near else None
            paths = tuple(path for path, there in sides if there)
            found.append(replies.found(RecalledMemory(bodies[key], paths, scores[key], certainty, parts[key])))
        return Found(tuple(found), tuple(degraded))

    async def _sure(self, query: str, candidates: Sequence[Candidate]) -> tuple[float, ...] | None:
        """None while the reader is away, or takes too long: then the order is that of meaning and words."""
        sure = None
        try:
            async with asyncio.timeout(self._deadline_s):
                sure = await self._reader.weigh(query, candidates)
        except AWAY as error:
            log.warning("a search went on without the reader: %s", str(error) or type(error).__name__)
        self._health.note("reader", failed=sure is None)
        return sure

    async def events(self, request: SearchEvents) -> FoundEvents:
        """By words, each with what was said around it."""
        at, words = with_offset(request.at), await self._pools.run("understand", terms, composed(request.query))
        asked, record = list(dict.fromkeys(words))[:SEARCH_TERMS], self._stores.record
        hits = await record.said(request.user_id, asked, request.limit, at)
        scenes = await record.scenes(request.user_id, [hit.id for hit in hits], AROUND, at)
        return FoundEvents(tuple(map(replies.found_event, scenes)))

    async def _near(self, user_id: str, query: str, at: datetime | None) -> list[Hit] | None:
        """None while the index or the encoder is away: then the words alone find."""
        try:
            vectors = await self._embedder.embed([("query", query)])
            return await self._stores.vectors.search(user_id, vectors[0], SEARCH_DEPTH, at)
        except AWAY as error:
            log.warning("a search went on without meaning: %s", error)
            return None


def _sums(parts: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {key: sum(adds.values()) for key, adds in parts.items()}
