"""What an utterance asks about the person's own past."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from lira_core.korean.clauses import clauses
from lira_core.language import language_of
from lira_core.memory.question_english import ask_english, asks_english, sentences
from lira_core.memory.question_form import asking, segments, spaced
from lira_core.memory.question_korean import ask_korean
from lira_core.memory.question_words import Question, Wants

__all__ = ["Question", "Wants", "ask", "asking", "asks_english", "is_question", "segments", "sentences"]

_EPOCH: Final = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
"""Any moment will do where only the form of a sentence counts."""


def is_question(text: str) -> bool:
    """Whether the utterance asks something, with or without a question mark; a request to tell ("내 이름 말해줘") asks too."""
    if language_of(text) == "en":
        return any(asks_english(part) for part in sentences(text))
    text = spaced(text)
    return any(asking(segments(clauses(text, _EPOCH)), text))


def ask(text: str, at: datetime) -> Question | None:
    """The question in `text`, said at `at`; None when it is none. Of several, the last about the person."""
    return ask_english(text, at) if language_of(text) == "en" else ask_korean(text, at)
