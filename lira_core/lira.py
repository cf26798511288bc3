"""LIRA as a library: `async with Lira.local(path) as lira: reply = await lira.chat(user_id=..., session_id=..., text=...)`."""

from __future__ import annotations

import asyncio
import contextlib
import pathlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from lira_core.embedding.certainty import Certainty
from lira_core.embedding.local import LocalEmbedder
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.port import Embedder
from lira_core.emotion.local import LocalEmotion
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.emotion.port import EmotionReader
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Generator, Prompt
from lira_core.korean.morphemes import terms
from lira_core.memory import ranking
from lira_core.memory.facts import extract
from lira_core.memory.recall import Recall
from lira_core.memory.understanding import understand
from lira_core.observe import Observer, Unobserved
from lira_core.reconcile import Reconciler
from lira_core.reply import Reply, recalled_dict, with_offset
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores, open_stores
from lira_core.stores.observed import observed
from lira_core.turn import Turn, Utterance
from lira_core.types import Decision, Memory, Path, Recalled

# How deep each side of a search looks before the two are merged: deep enough that the true one is on one of the lists.
SEARCH_DEPTH = 200


class Lira:
    """Everything a served LIRA does, over parts that may run here or elsewhere. Use `Lira.local` for one process."""

    def __init__(
        self,
        settings: Settings,
        *,
        emotion: EmotionReader,
        embedder: Embedder,
        stores: Stores,
        generator: Generator | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._settings, self._emotion, self._embedder = settings, emotion, embedder
        self._observer = observer or Unobserved()
        self._stores = stores = observed(stores, self._observer)
        self._grounded = GroundedResponder()
        self._generator = generator or self._grounded
        self._certainty = Certainty.load(settings.embedding_model_dir)
        self._recall = Recall(stores.memories, stores.vectors, self._certainty, floor=settings.certainty_floor)
        self._reconciler = Reconciler(stores, embedder, every=settings.reconcile_seconds)

    @classmethod
    @asynccontextmanager
    async def local(
        cls, path: str | pathlib.Path | None = None, *, settings: Settings | None = None, observer: Observer | None = None
    ) -> AsyncIterator[Lira]:
        """LIRA in this process. `path` is the folder for its one file (settings.data_dir when None)."""
        settings = settings or load_settings(**({"data_dir": pathlib.Path(path)} if path is not None else {}))
        emotion, embedder = LocalEmotion(OnnxEmotion(settings.emotion_model_dir)), LocalEmbedder(OnnxEncoder(settings.embedding_model_dir))
        lira = cls(settings, emotion=emotion, embedder=embedder, stores=stores_of(settings), observer=observer)
        await lira.start()
        try:
            yield lira
        finally:
            await lira.close()
            await emotion.close()
            await embedder.close()

    async def start(self) -> None:
        """Loads what the first turn would otherwise wait for, and begins to reconcile."""
        await asyncio.to_thread(self._warm_up)
        self._reconciler.start()

    def _warm_up(self) -> None:
        now = datetime.now(self._settings.zone)
        for text in ("안녕하세요, 제 이름은 리라예요.", "Hello, my name is Lira."):
            understood = understand(text, now)
            nothing = Decision(False, "none")
            self._grounded.compose(Prompt(text, now, understood.question, understood.facts, None, nothing, ()))

    async def close(self) -> None:
        """Stops reconciling and closes the stores; what was called stored is on disk already."""
        await self._reconciler.stop()
        await self._stores.close()

    # Talking

    def chat_stream(
        self, *, user_id: str, session_id: str, text: str, at: datetime | None = None, request_id: str | None = None
    ) -> AsyncIterator[Reply | str]:
        """A Reply without its text as soon as all but the answer is known, the pieces of the answer, then the whole Reply.

        `at` is when it was said (with an offset; the clock when None). `request_id` makes a retry of the same turn idempotent.
        """
        at = with_offset(at)
        said = Utterance(request_id or uuid.uuid4().hex, user_id, session_id, text, at or datetime.now(self._settings.zone), at)
        return Turn(
            said,
            settings=self._settings,
            emotion=self._emotion,
            embedder=self._embedder,
            stores=self._stores,
            recall=self._recall,
            generator=self._generator,
            fallback=self._grounded,
            reconciler=self._reconciler,
            observer=self._observer,
        ).run()

    async def chat(self, *, user_id: str, session_id: str, text: str, at: datetime | None = None, request_id: str | None = None) -> Reply:
        """One turn, whole."""
        events = [event async for event in self.chat_stream(user_id=user_id, session_id=session_id, text=text, at=at, request_id=request_id)]
        whole = events[-1]
        assert isinstance(whole, Reply)
        return whole

    # Memories

    async def add_memories(self, user_id: str, items: Sequence[Mapping[str, Any]]) -> list[str]:
        """Stores `{"text", "timestamp"?, "session_id"?, "metadata"?}` items without asking the gate; their ids, in order.

        All or none, durable when this returns. Facts are taken from them as from anything said. Their vectors are waited for half as
        long as a request may take; what is not made by then is made later.
        """
        now = datetime.now(self._settings.zone)
        memories = await asyncio.to_thread(lambda: [_imported(user_id, item, now) for item in items])
        await self._stores.memories.write_many(user_id, memories)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settings.request_deadline_ms / 2000):
                await self._reconciler.index(memories)
        return [memory.id for memory in memories]

    async def search(self, user_id: str, query: str, limit: int, at: datetime | None = None) -> list[dict[str, Any]]:
        """The user's memories by meaning and words together, best first; with `at`, as known then."""
        at, query_terms = with_offset(at), await asyncio.to_thread(terms, query)
        near, matches = await asyncio.gather(self._near(user_id, query), self._stores.memories.by_terms(user_id, query_terms))
        words = ranking.bm25(matches, query_terms)
        scores = ranking.hybrid(near, {key: words[key] for key in ranking.best(words, SEARCH_DEPTH)})
        found = []
        for memory in await self._stores.memories.get(user_id, ranking.best(scores, len(scores))):
            if at is None or memory.timestamp <= at:
                sides: list[Path] = []
                if memory.id in near:
                    sides.append("semantic")
                if memory.id in words:
                    sides.append("fact")
                certainty = self._certainty(near[memory.id]) if memory.id in near else None
                recalled = Recalled(memory, tuple(sides), scores[memory.id], certainty)
                found.append(recalled_dict(recalled) | {"metadata": dict(memory.metadata)})
            if len(found) == limit:
                break
        return found

    async def list_memories(self, user_id: str, limit: int, cursor: str | None = None) -> dict[str, Any]:
        """A page, newest first. ValueError on a cursor that this method did not give."""
        memories, following = await self._stores.memories.page(user_id, limit, cursor)
        return {"results": [_listed(memory) for memory in memories], "next_cursor": following}

    async def delete_memory(self, user_id: str, memory_id: str) -> bool:
        """True when it was this user's."""
        deleted = await self._stores.memories.delete(user_id, memory_id)
        if deleted:
            await self._stores.vectors.delete(user_id, [memory_id])
        return deleted

    async def delete_user(self, user_id: str) -> None:
        """Everything of a user in every store. The waiting writes go first, so that none of them comes back."""
        await self._stores.short_term.delete_user(user_id)
        await self._stores.memories.delete_user(user_id)
        await self._stores.vectors.delete_user(user_id)

    # Sessions

    async def session(self, user_id: str, session_id: str) -> dict[str, Any]:
        """The session as it is now; an empty one when it is absent, expired or somebody else's."""
        session = await self._stores.short_term.read(user_id, session_id)
        return {
            "chat_history": [{"role": m.role, "content": m.content} for m in session.messages],
            "recalled_ltm_buffer": [{"source": b.source, "text": b.text, "timestamp": b.timestamp.isoformat()} for b in session.recalled],
            "last_updated": session.last_updated.isoformat() if session.last_updated else None,
            "expires_in": session.expires_in,
        }

    async def delete_session(self, user_id: str, session_id: str) -> None:
        """The session is empty at once (log-out)."""
        await self._stores.short_term.delete(user_id, session_id)

    async def ready(self) -> dict[str, str]:
        """Each dependency: `ok`, or what is wrong with it."""
        checks: dict[str, Awaitable[Any]] = {
            "short_term": self._stores.short_term.ping(),
            "record": self._stores.memories.ping(),
            "vectors": self._stores.vectors.ping(),
            "emotion": self._emotion.read("안녕"),
            "embedding": self._embedder.embed([("query", "안녕")]),
        }
        results = await asyncio.gather(
            *(asyncio.wait_for(check, self._settings.embedding_deadline_ms / 1000) for check in checks.values()), return_exceptions=True
        )
        return {
            name: "ok" if not isinstance(result, BaseException) else f"{type(result).__name__}: {result}"
            for name, result in zip(checks, results, strict=True)
        }

    async def _near(self, user_id: str, query: str) -> dict[str, float]:
        """Cosine by memory id."""
        vectors = await self._embedder.embed([("query", query)])
        return dict(await self._stores.vectors.search(user_id, vectors[0], SEARCH_DEPTH))


def stores_of(settings: Settings) -> Stores:
    """The stores that the settings name, by role."""
    return open_stores(
        settings.store_url("short_term"),
        settings.store_url("record"),
        settings.store_url("vectors"),
        ttl_seconds=settings.session_ttl_seconds,
        max_messages=settings.session_max_messages,
    )


def _imported(user_id: str, item: Mapping[str, Any], now: datetime) -> Memory:
    text, at = item["text"], with_offset(item.get("timestamp")) or now
    return Memory(
        uuid.uuid4().hex,
        user_id,
        text,
        at,
        item.get("session_id"),
        facts=extract(text, at),
        terms=tuple(terms(text)),
        metadata=item.get("metadata") or {},
    )


def _listed(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "text": memory.text,
        "timestamp": memory.timestamp.isoformat(),
        "session_id": memory.session_id,
        "reason": memory.reason,
        "emotion": {"label": memory.emotion.label, "score": round(memory.emotion.score, 4)} if memory.emotion else None,
        "metadata": dict(memory.metadata),
    }
