"""LIRA as a library: `async with Lira.local(path) as lira: reply = await lira.chat(user_id=..., session_id=..., text=...)`."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pathlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar, cast

import orjson

from lira_core import compose, engines, recent, replies
from lira_core.admission import Admission
from lira_core.embedding.port import Embedder
from lira_core.emotion.port import EmotionReader
from lira_core.encoder import certainty_of, encoder_of
from lira_core.events import Done, Recalled, Token, TurnEvent
from lira_core.generation import port
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Generator, Prompt
from lira_core.health import Health
from lira_core.indexing import HOLD_SECONDS, Indexer
from lira_core.language import composed
from lira_core.ledger import Ledger
from lira_core.memory.recall import Recall
from lira_core.memory.understanding import derive, understand
from lira_core.observe import Observer, Unobserved
from lira_core.once import first_time, id_of
from lira_core.parts import Parts
from lira_core.pools import Pools
from lira_core.reading.port import Reader
from lira_core.reconcile import Reconciler
from lira_core.replies import Ids, Page, Readiness, Reply, SessionState, Summaries
from lira_core.requests import (
    AddMemories,
    CheckReady,
    DeleteMemory,
    DeleteSession,
    DeleteUser,
    InvalidRequest,
    Item,
    ListMemories,
    ListSummaries,
    ReadSession,
    Request,
    Say,
    Search,
    SearchEvents,
    with_offset,
)
from lira_core.searching import Searching
from lira_core.settings import Settings, load_settings
from lira_core.stores import StoreRejected, Stores, StoreUnavailable
from lira_core.stores.guarded import guarded
from lira_core.stores.ports import EncoderId, Entry, Unindexed, Write
from lira_core.summarising import Summariser
from lira_core.turn import Turn
from lira_core.types import Decision, Memory
from lira_core.utterance import Utterance

log = logging.getLogger("lira")
A = TypeVar("A")


class Lira:
    """Everything a served LIRA does, over parts that may run here or elsewhere. Use `Lira.local` for one process."""

    def __init__(
        self,
        settings: Settings,
        *,
        emotion: EmotionReader,
        embedder: Embedder,
        reader: Reader,
        stores: Stores,
        generator: Generator | None = None,
        observer: Observer | None = None,
    ) -> None:
        self._settings, self._observer = settings, observer or Unobserved()
        self._stores, self._circuits = guarded(stores, self._observer, deadline_s=settings.store_deadline_ms / 1000)
        self._admission = Admission.of(settings, self._observer)
        self._health = Health()
        self._embedder = self._health.watched_embedder(embedder)
        self._certainty = certainty_of(settings)
        self._pools = Pools()
        self._searching = Searching(self._stores, self._embedder, reader, self._certainty, self._pools, self._health, settings)
        self._claiming: asyncio.Task[None] | None = None
        extractor = compose.open_extractor(settings, self._stores.record, self._observer)
        self._ledger = Ledger(self._stores, skew_s=settings.clock_skew_ms / 1000, extracts=extractor is not None)
        self._indexer = Indexer(self._stores, self._embedder, batch=settings.index_batch)
        self._summariser = Summariser(self._stores, compose.open_writer(settings), zone=settings.zone)
        self._reconciler = Reconciler(
            self._stores, self._ledger, self._indexer, self._summariser, self._observer, every=settings.reconcile_seconds, extractor=extractor
        )
        self._grounded = GroundedResponder()
        model = None if isinstance(generator, GroundedResponder) else generator
        self._generator: Generator = self._health.watched_generator(model) if model else self._grounded
        self._parts = Parts(
            settings,
            self._health.watched_emotion(emotion),
            self._embedder,
            reader,
            self._stores,
            Recall(self._stores, self._certainty, floor=settings.certainty_floor),
            self._generator,
            self._grounded,
            self._ledger,
            self._indexer,
            self._summariser,
            self._pools,
            self._health,
            self._observer,
        )
        self._answers: Mapping[type, Callable[[Any], Awaitable[Any]]] = {
            Say: self._say,
            AddMemories: self._add_memories,
            Search: self._searching.memories,
            SearchEvents: self._searching.events,
            ListMemories: self._list_memories,
            ListSummaries: self._list_summaries,
            DeleteMemory: self._delete_memory,
            DeleteUser: self._delete_user,
            ReadSession: self._read_session,
            DeleteSession: self._delete_session,
            CheckReady: self._check_ready,
        }

    @classmethod
    @asynccontextmanager
    async def local(
        cls, path: str | pathlib.Path | None = None, *, settings: Settings | None = None, observer: Observer | None = None
    ) -> AsyncIterator[Lira]:
        """LIRA in this process. `path` is the folder for its one file (settings.data_dir when None)."""
        settings = settings or load_settings(**({"data_dir": pathlib.Path(path)} if path is not None else {}))
        async with (
            engines.opened_models(settings, observer) as (emotion, embedder),
            engines.closing(engines.open_reader(settings, observer)) as reader,
        ):
            async with compose.stores_to_hand_over(settings) as stores:
                lira = cls(
                    settings,
                    emotion=emotion,
                    embedder=embedder,
                    reader=reader,
                    stores=stores,
                    generator=compose.open_generator(settings, observer),
                    observer=observer,
                )
            try:
                await lira.start()
                yield lira
            finally:
                await lira.close()

    async def start(self) -> None:
        """Loads what the first turn would otherwise wait for, and begins to index and to reconcile.

        StoreRejected when the index is another encoder's. While the record is away that is looked up as soon as it answers.
        """
        await self._pools.run("understand", self._warm_up)
        encoder = encoder_of(self._settings)
        try:
            await compose.claim_index(self._stores.record, encoder)
        except StoreUnavailable:
            self._claiming = asyncio.create_task(self._claim_index_later(encoder))
        self._indexer.start()
        self._reconciler.start()

    async def _claim_index_later(self, encoder: EncoderId) -> None:
        while True:
            await asyncio.sleep(self._settings.reconcile_seconds)
            try:
                return await compose.claim_index(self._stores.record, encoder)
            except StoreUnavailable:
                continue
            except StoreRejected as error:
                log.error("%s", error)
                return None

    def _warm_up(self) -> None:
        now = datetime.now(self._settings.zone)
        for text in ("안녕하세요, 제 이름은 리라예요.", "Hello, my name is Lira."):
            understood = understand(text, now)
            nothing = Decision(False, "none")
            self._grounded.compose(Prompt(text, now, understood.question, understood.facts, None, nothing, ()))

    async def close(self) -> None:
        """Stops reconciling and closes the stores and the generator; what was called stored is on disk already."""
        if self._claiming is not None:
            self._claiming.cancel()
        await self._reconciler.stop()
        await self._indexer.stop()
        await self._summariser.stop()
        for circuit in self._circuits.values():
            await circuit.close()
        await self._stores.close()
        await port.close(self._generator)
        self._pools.close()

    # Asking

    async def ask(self, request: Request[A]) -> A:
        """The answer. InvalidRequest, StoreUnavailable (nothing is lost: ask again) or StoreRejected when there is none."""
        return cast(A, await self._answers[type(request)](request))

    async def ask_json(self, request: Request[Any]) -> bytes:
        """The answer as JSON; one that carries an idempotency key is answered the same whenever it comes."""
        if not isinstance(request, Say | AddMemories) or request.once is None:
            answer: Any = await self.ask(request)
            return replies.encoded(answer)
        async with first_time(
            self._stores.short_term, request.user_id, request.once, request.received, within_s=self._settings.request_deadline_ms / 1000
        ) as taken:
            if taken.answer is not None:
                return taken.answer
            named = _named(request)
            if isinstance(named, Say):
                done = await self._done(named)
                body, quotes = replies.encoded(done.reply), done.quotes
            else:
                body, quotes = orjson.dumps(await self._add_memories(named)), ()
            taken.keep(body, quotes)
            return body

    async def stream(self, request: Say) -> AsyncGenerator[TurnEvent, None]:
        """`Recalled` as soon as all but the answer is known, the pieces of the answer, then `Done`."""
        at = with_offset(request.at)
        moment = at or datetime.now(self._settings.zone)
        said = Utterance(request.id, request.user_id, request.session_id, composed(request.text), moment, request.received, at)
        async with self._admission.turn(request.user_id), aclosing(Turn(said, self._parts).run()) as events:
            async for event in events:
                yield event

    async def stream_json(self, request: Say) -> AsyncGenerator[tuple[str, bytes], None]:
        """The same as (`recall` | `token` | `done`, JSON); with an idempotency key a turn that was answered is told again."""
        if request.once is None:
            async for event in self.stream(request):
                yield _told(event)
            return
        async with first_time(
            self._stores.short_term, request.user_id, request.once, request.received, within_s=self._settings.request_deadline_ms / 1000
        ) as taken:
            if taken.answer is not None:
                reply = orjson.loads(taken.answer)
                yield "recall", orjson.dumps({name: value for name, value in reply.items() if name not in ("reply", "usage")})
                yield "token", orjson.dumps({"text": reply["reply"]})
                yield "done", taken.answer
                return
            async for event in self.stream(_named(request)):
                told = _told(event)
                if isinstance(event, Done):
                    taken.keep(told[1], event.quotes)
                yield told

    async def chat(self, *, user_id: str, session_id: str, text: str, at: datetime | None = None) -> Reply:
        """One turn, whole. `at` is when it was said (with an offset; the clock when None)."""
        return await self.ask(Say(user_id=user_id, session_id=session_id, text=text, at=at))

    # Answering

    async def _say(self, request: Say) -> Reply:
        return (await self._done(request)).reply

    async def _done(self, request: Say) -> Done:
        async for event in self.stream(request):
            if isinstance(event, Done):
                return event
        raise RuntimeError("a turn ended without its reply")

    async def _add_memories(self, request: AddMemories) -> Ids:
        """All or none, durable when this returns. Facts are taken from them as from anything said. Their vectors are waited for half as
        long as a request may take; what is not made by then is made later."""
        now = datetime.now(self._settings.zone)
        memories = await self._pools.run("import", lambda: [_imported(request, place, item, now) for place, item in enumerate(request.items)])
        waits = self._settings.request_deadline_ms / 2000
        await self._ledger.add(Write(request.id, request.user_id, request.received, None, tuple(memories)), waits + HOLD_SECONDS)
        held = [Entry(request.user_id, memory.id, Unindexed(memory, request.received), 1) for memory in memories]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(waits):
                await self._indexer.index(held)
        return Ids(tuple(memory.id for memory in memories))

    async def _list_memories(self, request: ListMemories) -> Page:
        try:
            memories, following = await self._stores.record.page(request.user_id, request.limit, request.cursor)
        except ValueError as error:
            raise InvalidRequest("cursor", "is not one that this route gave") from error
        return Page(tuple(replies.listed(memory) for memory in memories), following)

    async def _list_summaries(self, request: ListSummaries) -> Summaries:
        found = await self._stores.record.summaries(request.user_id, request.scope, request.limit)
        return Summaries(tuple(map(replies.shown_summary, found)))

    async def _delete_memory(self, request: DeleteMemory) -> bool:
        try:
            return await self._ledger.delete_memory(request.user_id, request.memory_id)
        finally:
            recent.forget_all()

    async def _delete_user(self, request: DeleteUser) -> bool:
        try:
            await self._ledger.delete_user(request.user_id)
        finally:
            recent.forget_all()
        return True

    async def _read_session(self, request: ReadSession) -> SessionState:
        return replies.session_state(await self._stores.short_term.read(request.user_id, request.session_id))

    async def _delete_session(self, request: DeleteSession) -> bool:
        await self._ledger.delete_session(request.user_id, request.session_id)
        return True

    async def _check_ready(self, _: CheckReady) -> Readiness:
        """Turns can be taken while what is said can be kept somewhere: in the record, or beside the session until the record is back."""
        states = dict(zip(self._circuits, await asyncio.gather(*(circuit.ping() for circuit in self._circuits.values())), strict=True))
        ready = "ok" in (states["record"], states["short_term"])
        return Readiness(ready, states | self._health.states())

    def check(self) -> None:
        """RuntimeError when this process has to be replaced: its reconciler has ended."""
        if not self._reconciler.alive:
            raise RuntimeError("the reconciler has ended")


R = TypeVar("R", bound=Say | AddMemories)


def _named(request: R) -> R:
    """The request under the id that its idempotency key gives it."""
    assert request.once is not None
    return replace(request, id=id_of(request.user_id, request.once))


def _told(event: TurnEvent) -> tuple[str, bytes]:
    match event:
        case Recalled(opening):
            return "recall", orjson.dumps(opening)
        case Token(text):
            return "token", orjson.dumps({"text": text})
        case Done(reply, _):
            return "done", replies.encoded(reply)


def _imported(request: AddMemories, place: int, item: Item, now: datetime) -> Memory:
    at = with_offset(item.timestamp, f"items.{place}.timestamp") or now
    return derive(Memory(f"{request.id}-{place}", request.user_id, composed(item.text), at, item.session_id, metadata=dict(item.metadata)))
