"""One turn, top to bottom: understand, recall, then answer and remember at the same time, then append the session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Literal, TypeVar

from lira_core import replies
from lira_core.answering import TO_ANSWER_S, Answer, Answering
from lira_core.conduct import Conduct, Standing, conduct, standing
from lira_core.embedding.port import Heard
from lira_core.events import Done, Recalled, Token, TurnEvent
from lira_core.forgetting import Erased, agrees, erased, still_wishes, wished
from lira_core.generation.feelings import alike
from lira_core.generation.port import Prompt
from lira_core.languages.terms import terms
from lira_core.ledger import Outcome
from lira_core.memory import recall
from lira_core.memory.asking import ask, unread
from lira_core.memory.following import FOLLOWS, in_full, leant_on
from lira_core.memory.gate import decide
from lira_core.memory.listing import lists
from lira_core.memory.quoting import quoted
from lira_core.memory.recall import Cue, Found
from lira_core.memory.summary import MOST
from lira_core.memory.understanding import Understanding, after, understand
from lira_core.parts import Parts
from lira_core.reading.port import Reading, Verdict
from lira_core.replies import Opening, Reply
from lira_core.requests import stamp
from lira_core.safety import risk_of, since_care
from lira_core.safety.identity import asked_of_lira
from lira_core.stages import Stages
from lira_core.stores import Forgotten, StoreUnavailable
from lira_core.stores.ports import SessionTurn, Unindexed, Write
from lira_core.types import (
    USER,
    Before,
    BufferEntry,
    Decision,
    EmotionReading,
    Event,
    Memory,
    Message,
    Path,
    RecalledMemory,
    Remembered,
    Risk,
    SafetyReading,
    Session,
)
from lira_core.utterance import Understood, Utterance, in_parts

T = TypeVar("T")

TOLD_AFTER_S = 0.010
"""The answer may begin this long after everything is recalled, whether what was said is on the disk by then or not."""
TO_DECIDE_S = 2.0
"""What is waited for first leaves this much: to decide what is kept and what is recalled, and to answer."""


class Turn:
    """One utterance on its way to an answer: the parts are shared by all turns, the state is this turn's own.

    It ends within `settings.request_deadline_ms` of when it was received, whatever its stages do. TimeoutError, with nothing kept, when
    that has passed before it begins.
    """

    def __init__(self, said: Utterance, parts: Parts) -> None:
        self.said, self.parts, self.settings, self.stores = said, parts, parts.settings, parts.stores
        left = parts.settings.request_deadline_ms / 1000 - max(0, stamp() - said.received) / 1_000_000
        if left <= 0:
            raise TimeoutError("the turn waited longer than a request may take before it could begin")
        self.stages = Stages(parts.observer, ends=asyncio.get_running_loop().time() + left, turn_id=said.id)
        self._tasks: list[asyncio.Task[Any]] = []
        self._pieces = asyncio.Queue[str | None]()
        self._told = False

    async def run(self) -> AsyncGenerator[TurnEvent, None]:
        """`Recalled` once everything but the answer is known, the answer's pieces, then `Done`."""
        try:
            opening, remembering, prompt, manner = await self._open()
            writing = self._start(self._write(prompt, manner))
            await asyncio.wait({remembering}, timeout=TOLD_AFTER_S)
            yield Recalled(self._so_far(opening, remembering))
            while (piece := await self._pieces.get()) is not None:
                yield Token(piece)
            answer = await writing
            quotes = await self._append(answer.text, prompt)
            remembered = await remembering
            if self._told:
                self.parts.summariser.soon(self.said.user_id, self.said.session_id, self.said.received)
            body = {name: getattr(opening, name) for name in ("request_id", "emotion", "recalled")}
            yield Done(
                Reply(
                    **body,
                    reply=answer.text,
                    usage=replies.spent(answer.usage),
                    memory=replies.kept(remembered),
                    degraded=tuple(self.stages.degraded),
                    timings_ms=self.stages.finish(),
                ),
                (self.said.id, *quotes),
            )
        finally:
            for task in self._tasks:
                task.cancel()
            self.stages.end()

    async def _open(self) -> tuple[Opening, asyncio.Task[Remembered], Prompt, Conduct]:
        said = self.said
        reading = self._start(self._read_emotion())
        hearing = self._start(self._hear(said.text))
        session = self._start(self._read_session())
        stands, summary, erasing = self._start(self._stands(session)), self._start(self._read_summary()), self._start(self._erase(session))
        alone = replace(await self._understood(said.text, hearing), wishes=still_wishes(said.text, (await session).messages))
        forgotten = await erasing
        whole = await self._in_full(alone, session) if forgotten == "no" else None
        understood = alone.named(whole)
        alone = told = asking = replace(alone, reading=understood)
        cue = Cue(said.at, understood.terms, understood.facts, understood.question, said.as_of, said.id)
        paths = self._paths(cue, hearing, reading)
        emotion, safety = await reading, alone.safety
        risk = self._start(self._risk_of(safety))
        if whole:
            whole = replace(whole, reading=after(whole.reading, understood))
            if whole.asks.reads:
                asking, safety = whole, asked_of_lira(alone.safety, whole.safety)
                cue = replace(cue, terms=whole.reading.terms, facts=(), question=whole.reading.question)
                paths = self._paths(cue, self._start(asyncio.sleep(0, whole.heard)), reading)
            elif alone.asks.question is None:
                told = whole
        asks = asking.asks
        decision = await self._decide(emotion, replace(understood, question=asks.question), told)
        # As soon as it is known what is worth keeping it is on its way to the disk.
        memory = self._memory(decision, emotion, alone, told, at_risk=await risk == "surely")
        remembering = self._start(self._remember(memory, decision, understood.terms, told))
        found, heard_before, verdict = [await task for task in paths], (await session).messages, None
        if forgotten != "no":
            recalled: tuple[RecalledMemory, ...] = ()  # found while it was being deleted
        elif told.manner == "forget":
            recalled = await self._fetch(wished(self.parts, said, cue, found, await session)) or ()
        elif asks.reads:
            recalled, verdict = await self._read(asking.text, replace(cue, question=asks.question), found)
        else:
            recalled = await self._rank(cue, found)
        prompt = Prompt(
            said.text, said.at, asks.question, understood.facts, emotion, decision, recalled, heard_before, verdict, await risk, await summary,
            speech=told.speech.status if told.speech else None, manner=alone.small_talk(whole), tone=alone.tone, aim=alone.aim(asks.question),
            response=alone.response,
        )  # fmt: skip
        manner = await self._conduct(prompt, await stands, safety, forgotten)
        shown = tuple(replies.shown(one) for one in recalled[: self.settings.recall_limit])
        kept = Remembered("queued", decision.reason, said.id) if decision.keep else Remembered("skipped", decision.reason)
        opening = Opening(request_id=said.id, emotion=replies.shown_emotion(emotion), recalled=shown, memory=replies.kept(kept))
        return opening, remembering, prompt, manner

    def _so_far(self, opening: Opening, remembering: asyncio.Task[Remembered]) -> Opening:
        """With what is known of remembering: `queued` (not on the disk yet) until it is done."""
        kept = replies.kept(remembering.result()) if remembering.done() else opening.memory
        return replace(opening, memory=kept, degraded=tuple(self.stages.degraded), timings_ms=dict(self.stages.timings))

    def _start(self, work: Coroutine[None, None, T]) -> asyncio.Task[T]:
        task = asyncio.create_task(work)
        self._tasks.append(task)
        return task

    # What the utterance is

    async def _understood(self, text: str, hearing: asyncio.Task[Heard | None]) -> Understood:
        """By rules and models. What only the models hear as a question the rules read as one, for what it names ("anything today")."""
        reading, heard = await self._read_by_rules(understand, text) or Understanding((), None, ()), await hearing
        heard = await in_parts(text, heard, self._hear) if heard else None
        if heard is not None and unread(reading.question, heard.speech):
            reading = replace(reading, question=await self._read_by_rules(ask, f"{text}?"))
        return Understood(text, reading, heard)

    async def _read_by_rules(self, rules: Callable[[str, datetime], T | None], text: str) -> T | None:
        work = self.parts.pools.run("understand", rules, text, self.said.at)
        return await self.stages.run("understand", work, deadline_ms=self.settings.recall_deadline_ms, blame="understanding", spare_s=TO_DECIDE_S)

    async def _risk_of(self, safety: SafetyReading | None) -> Risk:
        """Looked at whatever happens: on the event loop, where no thread got round to it."""
        work = self.parts.pools.run("understand", risk_of, self.said.text, safety)
        heard = await self.stages.run("safety", work, deadline_ms=self.settings.recall_deadline_ms, blame="understanding", spare_s=TO_ANSWER_S)
        return heard or risk_of(self.said.text, safety)

    async def _decide(self, emotion: EmotionReading | None, understood: Understanding, told: Understood) -> Decision:
        """What somebody wants forgotten is not kept with their wish."""
        if told.manner == "forget":
            return Decision(False, "none")
        threshold, speech = self.settings.emotion_gate, told.speech
        work = self.parts.pools.run("understand", decide, self.said.text, emotion, understood.facts, understood.question, speech, threshold=threshold)
        decision = await self.stages.run("gate", work, deadline_ms=self.settings.recall_deadline_ms, blame="understanding", spare_s=TO_ANSWER_S)
        decision = decision or Decision(False, "none")
        self.parts.observer.count("lira_gate_total", decision="keep" if decision.keep else "skip", reason=decision.reason)
        return decision

    async def _read_emotion(self) -> EmotionReading | None:
        work = self.parts.emotion.read(self.said.text)
        reading = await self.stages.run("emotion", work, deadline_ms=self.settings.emotion_deadline_ms, blame="emotion", spare_s=TO_DECIDE_S)
        if reading is None:
            self.parts.health.note("emotion", failed=True)
        else:
            self.parts.observer.count("lira_emotion_total", label=reading.label)
        return reading

    async def _hear(self, text: str) -> Heard | None:
        work = self.parts.embedder.hear(text)
        heard = await self.stages.run("embedding", work, deadline_ms=self.settings.embedding_deadline_ms, blame="embedding", spare_s=TO_DECIDE_S)
        if heard is None:
            self.parts.health.note("embedding", failed=True)
        return heard

    async def _stands(self, reading: asyncio.Task[Session]) -> Standing:
        """The record is asked where the session is empty; while it is away nobody is new."""
        session = await reading
        if session.messages:
            return Standing(last=session.last_updated)
        asking = standing(self.stores.record, self.said.user_id, self.said.as_of)
        deadline = self.settings.recall_deadline_ms
        return await self.stages.run("session", asking, deadline_ms=deadline, blame="record", spare_s=TO_DECIDE_S) or Standing()

    async def _conduct(self, prompt: Prompt, stands: Standing, safety: SafetyReading | None, forgotten: Erased) -> Conduct:
        """Decided before anything is written; care at least where that fails."""
        deciding = partial(conduct, prompt, stands, safety, every=timedelta(hours=self.settings.disclosure_hours), forgotten=forgotten)
        work = self.parts.pools.run("understand", deciding)
        decided = await self.stages.run("safety", work, deadline_ms=self.settings.recall_deadline_ms, blame="understanding", spare_s=TO_ANSWER_S)
        if (manner := decided or deciding()).kind != "none":
            self.parts.observer.count("lira_safety_total", kind=manner.kind)
        return manner

    async def _erase(self, reading: asyncio.Task[Session]) -> Erased:
        if not agrees(self.said.text):
            return "no"
        work = erased(self.parts, self.said, await reading)
        return await self.stages.run("forget", work, deadline_ms=self.settings.remember_deadline_ms, blame="record", spare_s=TO_ANSWER_S) or "no"

    async def _read_summary(self) -> str:
        """Of what was said in this session before its last turns; for a language model, which is sent those alone."""
        if self.settings.generator == "grounded":
            return ""
        work = self.stores.record.summaries(self.said.user_id, "session", MOST)
        found = await self.stages.run("summary", work, deadline_ms=self.settings.recall_deadline_ms, blame="record", spare_s=TO_DECIDE_S)
        return "\n".join(one.text for one in reversed(found or ()) if one.group == self.said.session_id)

    async def _read_session(self) -> Session:
        work = self.stores.short_term.read(self.said.user_id, self.said.session_id, self.said.at, self.settings.history_messages)
        session = await self.stages.run("session", work, deadline_ms=self.settings.session_deadline_ms, blame="short_term", spare_s=TO_DECIDE_S)
        return session or Session()

    async def _in_full(self, alone: Understood, session: asyncio.Task[Session]) -> Understood | None:
        """The utterance after what it leaves something to, back to what stands alone; None where there is none, of a wish to forget or
        for something else, and of what asks for all there is, which names it."""
        wish = alone.manner == "forget" or alone.wants_else
        if alone.heard is None or alone.heard.follows < FOLLOWS or wish or lists(alone.asks.question):
            return None
        said = [Before(m.turn_id, m.content) for m in since_care((await session).messages) if m.role == "user" and m.turn_id]
        if not (before := await leant_on(said, self._hear)):
            return None
        whole = await self._understood(text := in_full([one.text for one in before], alone.text), self._start(self._hear(text)))
        return replace(whole, before=tuple(before)) if whole.heard else None

    # What it brings back: three paths, each as soon as its input is there, then one fetch
    def _paths(self, cue: Cue, hearing: asyncio.Task[Heard | None], reading: asyncio.Task[EmotionReading | None]) -> list[asyncio.Task[Found]]:
        return [self._start(self._by_meaning(cue, hearing)), self._start(self._by_fact(cue)), self._start(self._by_feeling(cue, reading))]

    async def _by_meaning(self, cue: Cue, hearing: asyncio.Task[Heard | None]) -> Found:
        if (heard := await hearing) is None:
            return Found("semantic")
        return await self._path("semantic", self.parts.recall.semantic(self.said.user_id, cue, heard.vector), blame="vectors")

    async def _by_fact(self, cue: Cue) -> Found:
        return await self._path("fact", self.parts.recall.fact(self.said.user_id, cue), blame="record")

    async def _by_feeling(self, cue: Cue, reading: asyncio.Task[EmotionReading | None]) -> Found:
        real, gate = known.real if cue.question is None and (known := await reading) else None, self.settings.emotion_gate
        felt = sorted(alike(real.label)) if real and real.score >= gate else ()
        if not (felt or (cue.question and cue.question.of_feelings)):
            return Found("emotion")
        return await self._path("emotion", self.parts.recall.emotion(self.said.user_id, cue, felt, gate), blame="record")

    async def _path(self, path: Path, work: Awaitable[Found], *, blame: str) -> Found:
        began = time.perf_counter()
        found = await self.stages.run("recall", work, deadline_ms=self.settings.recall_deadline_ms, blame=blame, spare_s=TO_ANSWER_S)
        self.parts.observer.observe("lira_recall_seconds", time.perf_counter() - began, path=path)
        return found or Found(path)

    async def _fetch(self, fetching: Awaitable[T]) -> T | None:
        return await self.stages.run("recall", fetching, deadline_ms=self.settings.recall_deadline_ms, blame="record", spare_s=TO_ANSWER_S)

    async def _rank(self, cue: Cue, found: list[Found]) -> tuple[RecalledMemory, ...]:
        """What may be brought up unasked."""
        candidates = await self._fetch(self.parts.recall.candidates(self.said.user_id, cue, self.parts.recall.unasked(cue, found)))
        if candidates is None or not candidates.memories:
            return ()
        ranking = self.parts.pools.run("rank", recall.rank, cue, self.parts.recall.signs(found), candidates, self.settings.recall_limit)
        deadline = self.settings.recall_deadline_ms
        return self._counted(await self.stages.run("rank", ranking, deadline_ms=deadline, blame="understanding", spare_s=TO_ANSWER_S) or ())

    async def _read(self, question: str, cue: Cue, found: list[Found]) -> tuple[tuple[RecalledMemory, ...], Verdict | None]:
        """What answers the question, by the reader; while it is away, what is certainly about the same thing."""
        memories = recall.in_order_of_time(await self._fetch(self.parts.recall.bodies(self.said.user_id, recall.shortlist(cue, found), found)) or ())
        if not memories:
            return (), None
        reading = await self._ask_reader(recall.reading(self.parts.reader, cue.question, question, memories, found))
        if reading is None:
            return await self._rank(cue, found), None
        recalled = recall.read(cue, self.parts.recall.signs(found), memories, reading, self.settings.recall_limit)
        return self._counted(recalled), reading.verdict

    async def _ask_reader(self, work: Awaitable[Reading]) -> Reading | None:
        deadline = self.settings.reading_deadline_ms
        reading = await self.stages.run("reading", work, deadline_ms=deadline, blame="reader", spare_s=TO_ANSWER_S)
        self.parts.health.note("reader", failed=reading is None)
        return reading

    def _counted(self, recalled: tuple[RecalledMemory, ...]) -> tuple[RecalledMemory, ...]:
        for path in (path for one in recalled for path in one.paths):
            self.parts.observer.count("lira_recalled_total", path=path)
        return recalled

    # What is kept of it, while the answer is written

    def _memory(self, decision: Decision, emotion: EmotionReading | None, alone: Understood, told: Understood, *, at_risk: bool) -> Memory | None:
        said, reading = self.said, told.reading
        if not decision.keep:
            return None
        kept = Memory(said.id, said.user_id, said.text, said.at, said.session_id, decision.reason, emotion, reading.facts, reading.terms)
        tone = alone.tone or "neutral"
        name = None if alone.name is None else next((fact.object for fact in reading.facts if (fact.subject, fact.predicate) == (USER, "name")), "")
        return replace(kept, derived=reading.derived, before=told.before, at_risk=at_risk, tone=tone, name=name)

    async def _remember(self, memory: Memory | None, decision: Decision, found_by: tuple[str, ...], told: Understood) -> Remembered:
        """Durable in the record before it is called stored; where the record is away, waiting in the outbox."""
        said = self.said
        leans_on = tuple(one.turn_id for one in memory.before) if memory else ()
        event = Event(said.id, said.user_id, said.session_id, "user", said.text, said.at, said.id, leans_on, found_by)
        outcome = await self._keep("remember", Write(said.id, said.user_id, said.received, event, (memory,) if memory else ()))
        self._told = outcome == "stored"
        if memory is None or outcome == "forgotten":
            return Remembered("skipped", decision.reason)
        if outcome == "stored":
            # Not waited for: the index is derived from the record, and a vector that is missing is made later.
            self.parts.indexer.soon(Unindexed(memory, said.received), told.passage)
        return Remembered(outcome, decision.reason, None if outcome == "failed" else memory.id)

    async def _keep(self, stage: str, write: Write) -> Outcome | Literal["failed"]:
        keeping = self.parts.ledger.keep(write)
        outcome = await self.stages.run(stage, keeping, deadline_ms=self.settings.remember_deadline_ms, blame="record")
        if outcome == "queued":
            self.stages.miss("record", stage, StoreUnavailable("the record is away; the write waits for it"))
        elif outcome == "forgotten":
            self.parts.observer.count("lira_forgotten_total")
        return outcome or "failed"

    async def _write(self, prompt: Prompt, conduct: Conduct) -> Answer:
        checked = self.settings.generator != "grounded"
        answering = Answering(
            self.parts.generator,
            self.parts.fallback,
            self.stages,
            self.parts.observer,
            self._pieces.put_nowait,
            checked=checked,
            # A language model has its deadlines around it, which end its answer in their own name.
            deadline_ms=self.settings.request_deadline_ms if checked else self.settings.generate_deadline_ms,
        )
        try:
            return await answering.answer(prompt, conduct)
        finally:
            self._pieces.put_nowait(None)

    async def _append(self, text: str, prompt: Prompt) -> tuple[str, ...]:
        """The session and the reply's event, each naming the memories that the reply rests on, with which they are deleted; those."""
        said, recalled = self.said, [r.memory for r in prompt.recalled]
        drawn_on, found_by = await self.parts.pools.run("rank", lambda: (quoted(text, prompt.history), tuple(terms(text))))
        quotes = tuple(dict.fromkeys([m.id for m in recalled] + drawn_on))
        messages = (Message("user", said.text, said.id), Message("lira", text, said.id))
        buffer = tuple(BufferEntry(m.text, m.timestamp, memory_id=m.id) for m in recalled)
        event = Event(f"{said.id}:reply", said.user_id, said.session_id, "lira", text, said.at, said.id, quotes, found_by)

        async def append() -> None:
            try:
                turn = SessionTurn(said.id, said.received, said.at, messages, buffer, quotes)
                await self.stores.short_term.append(said.user_id, said.session_id, turn)
            except Forgotten:
                self.parts.observer.count("lira_forgotten_total")

        await asyncio.gather(
            self.stages.run("session", append(), deadline_ms=self.settings.session_deadline_ms, blame="short_term"),
            self._keep("remember_reply", Write(event.id, said.user_id, said.received, event)),
        )
        return quotes
