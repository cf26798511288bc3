"""One turn, top to bottom: understand, recall, then answer and remember at the same time, then append the session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from lira_core.embedding.port import Embedder
from lira_core.emotion.port import EmotionReader
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Generator, Prompt
from lira_core.memory.gate import decide
from lira_core.memory.recall import Cue, Found, Recall
from lira_core.memory.understanding import Understanding, understand
from lira_core.observe import Observer
from lira_core.reconcile import Reconciler
from lira_core.reply import Reply
from lira_core.settings import Settings
from lira_core.stages import Stages
from lira_core.stores import Stores
from lira_core.stores.ports import Deferred, Vector
from lira_core.types import BufferEntry, Decision, EmotionReading, Event, Memory, Message, Path, Recalled, Remembered, Session

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said, by whom, when. `id` names the turn: its event, its memory and the reply's `request_id`.

    `as_of` is `at` when the caller gave it, None when the clock did.
    """

    id: str
    user_id: str
    session_id: str
    text: str
    at: datetime
    as_of: datetime | None = None


class Turn:
    """One utterance on its way to an answer. The parts are shared by all turns; the state is this turn's own."""

    def __init__(
        self,
        said: Utterance,
        *,
        settings: Settings,
        emotion: EmotionReader,
        embedder: Embedder,
        stores: Stores,
        recall: Recall,
        generator: Generator,
        fallback: GroundedResponder,
        reconciler: Reconciler,
        observer: Observer,
    ) -> None:
        self.said, self.settings, self.stores, self.recall, self.reconciler = said, settings, stores, recall, reconciler
        self.reader, self.embedder, self.generator, self.fallback, self.observer = emotion, embedder, generator, fallback, observer
        self.stages = Stages(observer)
        self._tasks: list[asyncio.Task[Any]] = []
        self._pieces = asyncio.Queue[str | None]()
        self._writing: asyncio.Task[str]

    async def run(self) -> AsyncIterator[Reply | str]:
        """Yields the reply without its text once everything but the answer is known, then the answer's pieces, then the whole reply."""
        try:
            reply = await self._open()
            yield reply
            while (piece := await self._pieces.get()) is not None:
                yield piece
            text = await self._writing
            await self._append(text, reply.recalled)
            yield replace(reply, text=text, degraded=tuple(self.stages.degraded), timings_ms=self.stages.finish())
        finally:
            for task in self._tasks:
                task.cancel()

    async def _open(self) -> Reply:
        said = self.said
        reading = self._start(self._read_emotion())
        vector = self._start(self._embed())
        session = self._start(self._read_session())
        understood = await self._understand()
        cue = Cue(said.at, understood.terms, understood.facts, understood.question, said.as_of, said.id)
        found = [
            self._start(self._by_meaning(cue, vector)),
            self._start(self._by_fact(cue)),
            self._start(self._by_feeling(cue, reading)),
        ]
        emotion = await reading
        decision = decide(said.text, emotion, understood.facts, understood.question, threshold=self.settings.emotion_gate)
        self.observer.count("lira_gate_total", decision="keep" if decision.keep else "skip", reason=decision.reason)
        recalled = await self._merge(cue, [await task for task in found])

        remembering = self._start(self._remember(self._memory(decision, emotion, understood), decision))
        prompt = Prompt(said.text, said.at, understood.question, understood.facts, emotion, decision, recalled, (await session).messages)
        self._writing = self._start(self._answer(prompt))
        remembered = await remembering
        return Reply("", said.id, emotion, recalled, remembered, tuple(self.stages.degraded), dict(self.stages.timings))

    def _start(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    # What the utterance is

    async def _understand(self) -> Understanding:
        # In a thread: an utterance takes 2 ms, but 4,000 characters take most of a second, for which no other turn should wait.
        work = asyncio.to_thread(understand, self.said.text, self.said.at)
        understood = await self.stages.run("understand", work, deadline_ms=self.settings.recall_deadline_ms, blame="understanding")
        return understood or Understanding((), None, ())

    async def _read_emotion(self) -> EmotionReading | None:
        reading = await self.stages.run("emotion", self.reader.read(self.said.text), deadline_ms=self.settings.emotion_deadline_ms, blame="emotion")
        if reading is not None:
            self.observer.count("lira_emotion_total", label=reading.label)
        return reading

    async def _embed(self) -> Vector | None:
        work = self.embedder.embed([("query", self.said.text)])
        vectors = await self.stages.run("embedding", work, deadline_ms=self.settings.embedding_deadline_ms, blame="embedding")
        return None if vectors is None else vectors[0]

    async def _read_session(self) -> Session:
        work = self.stores.short_term.read(self.said.user_id, self.said.session_id, self.said.at, self.settings.history_messages)
        session = await self.stages.run("session", work, deadline_ms=self.settings.session_deadline_ms, blame="short_term")
        return session or Session()

    # What it brings back: three paths, each as soon as its input is there

    async def _by_meaning(self, cue: Cue, vector: asyncio.Task[Vector | None]) -> Found:
        if (known := await vector) is None:
            return Found("semantic")
        return await self._path("semantic", self.recall.semantic(self.said.user_id, cue, known), blame="vectors")

    async def _by_fact(self, cue: Cue) -> Found:
        return await self._path("fact", self.recall.fact(self.said.user_id, cue), blame="record")

    async def _by_feeling(self, cue: Cue, reading: asyncio.Task[EmotionReading | None]) -> Found:
        if cue.question:
            labels: tuple[str, ...] = cue.question.emotions
        else:
            real = known.real if (known := await reading) else None
            labels = (real.label,) if real and real.score >= self.settings.emotion_gate else ()
        if not labels:
            return Found("emotion")
        return await self._path("emotion", self.recall.emotion(self.said.user_id, labels, self.settings.emotion_gate), blame="record")

    async def _path(self, path: Path, work: Awaitable[Found], *, blame: str) -> Found:
        began = time.perf_counter()
        found = await self.stages.run("recall", work, deadline_ms=self.settings.recall_deadline_ms, blame=blame)
        self.observer.observe("lira_recall_seconds", time.perf_counter() - began, path=path)
        return found or Found(path)

    async def _merge(self, cue: Cue, found: list[Found]) -> tuple[Recalled, ...]:
        work = self.recall.merge(self.said.user_id, cue, found, self.settings.recall_limit)
        recalled = await self.stages.run("recall", work, deadline_ms=self.settings.recall_deadline_ms, blame="record") or ()
        for path in (path for one in recalled for path in one.paths):
            self.observer.count("lira_recalled_total", path=path)
        return recalled

    # What is kept of it, while the answer is written

    def _memory(self, decision: Decision, emotion: EmotionReading | None, understood: Understanding) -> Memory | None:
        said = self.said
        if not decision.keep:
            return None
        return Memory(said.id, said.user_id, said.text, said.at, said.session_id, decision.reason, emotion, understood.facts, understood.terms)

    async def _remember(self, memory: Memory | None, decision: Decision) -> Remembered:
        """Durable in the record before it is called stored; where the record is down, queued in short-term memory."""
        said, kept = self.said, memory.id if memory else None
        event = Event(said.id, said.user_id, said.session_id, "user", said.text, said.at)
        deadline = self.settings.remember_deadline_ms
        work = self._written(self.stores.memories.write(said.user_id, event, memory))
        if await self.stages.run("remember", work, deadline_ms=deadline, blame="record"):
            if memory:
                # Not waited for: the index is derived from the record, and a vector that is missing is made later.
                self.reconciler.index_soon(memory)
            return Remembered("stored" if memory else "skipped", decision.reason, kept)
        work = self._written(self.stores.short_term.defer(said.user_id, Deferred(event, memory)))
        deferred = await self.stages.run("remember", work, deadline_ms=deadline, blame="short_term")
        if not memory:
            return Remembered("skipped", decision.reason)
        return Remembered("queued", decision.reason, kept) if deferred else Remembered("failed", decision.reason)

    @staticmethod
    async def _written(write: Awaitable[None]) -> bool:
        await write
        return True

    async def _answer(self, prompt: Prompt) -> str:
        """The generator's answer; where it fails, what is missing is the grounded responder's."""
        answer: list[str] = []

        async def write() -> bool:
            began = time.perf_counter()
            async for piece in self.generator.generate(prompt):
                if not answer:
                    self.observer.observe("lira_generate_first_token_seconds", time.perf_counter() - began)
                answer.append(piece)
                self._pieces.put_nowait(piece)
            return True

        whole = await self.stages.run("generate", write(), deadline_ms=self.settings.generate_deadline_ms, blame="generator")
        if not whole or not "".join(answer).strip():
            answer.append((" " if answer else "") + await asyncio.to_thread(self.fallback.compose, prompt))
            self._pieces.put_nowait(answer[-1])
        self._pieces.put_nowait(None)
        self.observer.count("lira_generate_tokens_total", len(answer))
        return "".join(answer)

    async def _append(self, text: str, recalled: tuple[Recalled, ...]) -> None:
        said = self.said
        messages = [Message("user", said.text), Message("lira", text)]
        buffer = [BufferEntry(r.memory.text, r.memory.timestamp) for r in recalled]
        event = Event(f"{said.id}:reply", said.user_id, said.session_id, "lira", text, said.at)
        deadline = self.settings.session_deadline_ms
        await asyncio.gather(
            self.stages.run(
                "session",
                self.stores.short_term.append(said.user_id, said.session_id, messages, buffer, said.at, said.id),
                deadline_ms=deadline,
                blame="short_term",
            ),
            self.stages.run("session", self.stores.memories.write(said.user_id, event, None), deadline_ms=deadline, blame="record"),
        )
