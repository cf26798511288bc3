"""The answer of a turn: what LIRA says itself, what an engine writes, and what of that may leave."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from lira_core.conduct import Conduct
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.grounding import Grounds, sources
from lira_core.generation.port import Generator, GeneratorUnavailable, Prompt, Usage
from lira_core.generation.sentences import Sentences
from lira_core.generation.tidy import Tidier
from lira_core.language import language_of_turn
from lira_core.observe import Observer
from lira_core.safety import care
from lira_core.safety.output import Guard
from lira_core.stages import Stages

TO_ANSWER_S: Final = 1.0
"""Of a turn's time so much is left for an answer without a language model, and for appending it."""


class Stopped(Exception):
    """No more of an answer may leave than `rest`."""

    def __init__(self, rest: str) -> None:
        super().__init__()
        self.rest = rest


class Harmful(Stopped):
    """It encourages harm."""


class Unsupported(Stopped):
    """A sentence of an answer from memory names what nothing supports: `words`."""

    def __init__(self, rest: str, words: tuple[str, ...]) -> None:
        super().__init__(rest)
        self.words = words


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole answer, as it was said, and what it cost an engine that counts."""

    text: str
    usage: Usage | None


class Answering:
    """One turn's answer. `say` is given each piece as soon as it may leave; `checked`: the engine is a language model, whose words are looked at."""

    def __init__(
        self,
        engine: Generator,
        grounded: GroundedResponder,
        stages: Stages,
        observer: Observer,
        say: Callable[[str], None],
        *,
        checked: bool,
        deadline_ms: int,
    ) -> None:
        self._engine, self._grounded, self._stages, self._observer, self._say = engine, grounded, stages, observer, say
        self._checked, self._deadline_ms = checked, deadline_ms
        self._said: list[str] = []
        self._usage: Usage | None = None
        self._began = time.perf_counter()

    async def answer(self, prompt: Prompt, conduct: Conduct) -> Answer:
        """Never empty. What was said is never followed by a second answer: an engine that breaks off in the middle is left at that."""
        if conduct.instead is not None:
            self._out(conduct.instead)
        else:
            if conduct.before:
                self._out(conduct.before + " ")
            await self._write(replace(prompt, guidance=conduct.guidance))
            if conduct.after:
                self._out(" " + conduct.after)
        return Answer("".join(self._said), self._usage)

    async def _write(self, prompt: Prompt) -> None:
        before = len(self._said)
        left = await self._engine_writes(prompt)
        if isinstance(left, Unsupported) and len(self._said) == before:
            self._observer.count("lira_generator_retries_total", reason="ungrounded")
            left = await self._engine_writes(replace(prompt, unsupported=left.words))
        if isinstance(left, Harmful):
            self._observer.count("lira_safety_total", kind="output")
            self._out(
                (" " if len(self._said) > before else "")
                + care(language_of_turn(prompt.text, [m.content for m in prompt.history if m.role == "user"]))
            )
        elif len(self._said) == before:
            self._out(await self._grounded.composed(prompt))

    async def _engine_writes(self, prompt: Prompt) -> Stopped | None:
        """Why the engine was stopped; None where it was not, or failed by itself (then `generator` is degraded)."""
        work = self._stream(prompt)
        left = await self._stages.run("generate", work, deadline_ms=self._deadline_ms, blame="generator", spare_s=TO_ANSWER_S)
        if isinstance(left, Unsupported):
            self._observer.count("lira_ungrounded_total")
        return left

    async def _stream(self, prompt: Prompt) -> Stopped | None:
        leaving = Leaving(prompt) if self._checked else Unchecked()
        before = len(self._said)
        try:
            async with aclosing(self._engine.generate(prompt)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Usage):
                        self._spent(piece)
                    else:
                        self._out(leaving.feed(piece))
                    if leaving.done:
                        break  # and the engine is told
            self._out(leaving.finish())
        except Stopped as stop:
            self._out(stop.rest)
            return stop
        if not "".join(self._said[before:]).strip():
            raise GeneratorUnavailable("the engine wrote nothing")
        return None

    def _out(self, piece: str) -> None:
        if not piece:
            return
        if not self._said:
            self._observer.observe("lira_generate_first_token_seconds", time.perf_counter() - self._began)
        self._said.append(piece)
        self._say(piece)

    def _spent(self, usage: Usage) -> None:
        before = self._usage or Usage(0, 0)
        self._usage = Usage(before.read + usage.read, before.written + usage.written, before.cached + usage.cached)
        for kind, tokens in (("in", usage.read), ("out", usage.written), ("cached", usage.cached)):
            self._observer.count("lira_generate_tokens_total", tokens, kind=kind)


class Unchecked:
    """What the grounded responder says is from memory by how it is made."""

    done = False

    def feed(self, piece: str) -> str:
        return piece

    def finish(self) -> str:
        return ""


class Leaving:
    """What of a language model's words may leave, piece by piece: tidied, never harmful, and of an answer from memory only sentences all of
    whose names, dates, numbers and places are supported."""

    def __init__(self, prompt: Prompt) -> None:
        self._tidy, self._guard = Tidier(), Guard()
        from_memory = prompt.question is not None and prompt.question.about_memory
        self._sentences = Sentences() if from_memory else None
        self._prompt = prompt

    @cached_property
    def _grounds(self) -> Grounds:
        """Made when there is something to look at: it takes milliseconds, and an engine is not to be asked later for it."""
        return Grounds(sources(self._prompt), self._prompt.at)

    @property
    def done(self) -> bool:
        """Nothing more will leave, whatever is fed."""
        return self._tidy.done

    def feed(self, piece: str) -> str:
        """Raises Unsupported or Harmful, with what may still leave; then nothing more may."""
        return self._passed(self._guard.feed(self._tidy.feed(piece)))

    def finish(self) -> str:
        """What was held back to the end; raises as `feed`."""
        return self._passed(self._guard.feed(self._tidy.finish()) + self._guard.finish(), last=True)

    def _passed(self, text: str, *, last: bool = False) -> str:
        if self._sentences is not None:
            whole = [*self._sentences.feed(text), *([self._sentences.finish()] if last else [])]
            for i, sentence in enumerate(whole):
                if words := self._grounds.unsupported(sentence):
                    raise Unsupported("".join(whole[:i]), words)
            text = "".join(whole)
        if self._guard.stopped:
            raise Harmful(text)
        return text
