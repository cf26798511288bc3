"""The grounded responder: composes the answer from what was recalled and the session, without a language model.

It never says what no memory supports, and says 모르겠어요 where nothing does.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor

from lira_core.generation.plan import plan
from lira_core.generation.port import Prompt, Usage
from lira_core.language import language_of_turn
from lira_core.languages.en import replies as en
from lira_core.languages.en import talk as en_talk
from lira_core.languages.ko import replies as ko
from lira_core.languages.ko import talk as ko_talk
from lira_core.safety import care

THREADS = 2
"""Composing is Python under one interpreter lock; a second thread serves while the first holds a long text."""
_PIECES = re.compile(r"\S+\s*")
# Rule 3 of seed 000: no quotation marks in an answer.
_QUOTES = re.compile(r"[\"“”„«»「」『』`]")


class GroundedResponder:
    """A Generator that is always there: about a millisecond, no state, no network."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lira-compose")

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        """The answer word by word."""
        for piece in _PIECES.findall(await self.composed(prompt)):
            yield piece

    async def composed(self, prompt: Prompt) -> str:
        """`compose` in a thread: a long text costs Kiwi tens of milliseconds, for which no other turn should wait."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self.compose, prompt)

    @staticmethod
    def compose(prompt: Prompt) -> str:
        """The whole answer in the language of the utterance; never empty."""
        language = language_of_turn(prompt.text, [m.content for m in prompt.history if m.role == "user"])
        if prompt.risk == "surely":
            return care(language)
        render, talk = (ko.render, ko_talk.TALK) if language == "ko" else (en.render, en_talk.TALK)
        answer = render(plan(prompt, talk), prompt)
        return unquoted(answer) or ("네, 듣고 있어요." if language == "ko" else "I'm listening.")


def unquoted(answer: str) -> str:
    """As an answer leaves: without quotation marks, in single spaces."""
    return " ".join(_QUOTES.sub("", answer).split())
