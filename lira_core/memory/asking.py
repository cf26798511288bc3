"""Whether an utterance asks, and for what: the model decides, the rules say what it names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from lira_core.language import language_of
from lira_core.languages.en import question as en
from lira_core.languages.ko import question as ko
from lira_core.memory.question import Question
from lira_core.types import SpeechReading

ASKS: Final = 0.5
"""The probability is calibrated: from here on it is likelier than not."""
MAY_ASK: Final = 0.1
"""Where it may be a question about the person after all, the reader is asked too where the rules read a question or asking anything is likelier than
not, and answers only when it is quite sure: a pass of the reader costs less than telling somebody that one did not understand. By the heads of
before those of 26 November, of what people left out of training say and ask (persons, labelled lines, sessions) .971, .958 and .962 of the questions
of memory reach the reader, and .015, .058 and .042 of what asks nothing is taken for a question; by 0.2, and by whatever was likeliest called a
question, .975, .972 and .981, and .014, .065 and .074."""


@dataclass(frozen=True, slots=True)
class Asking:
    """`question` as the answer treats it, None when nothing is asked; `reads`: the reader is worth asking."""

    question: Question | None
    reads: bool


def asked(question: Question | None, terms: tuple[str, ...], speech: SpeechReading | None) -> Asking:
    """`question` is what the rules read, `terms` the utterance's, `speech` what the model heard; without it the rules alone decide."""
    if speech is None:
        return Asking(question, question is not None and question.about_memory)
    reads = speech.asks_memory >= MAY_ASK
    ahead = question is not None and question.ahead and question.about_memory  # "앞으로 뭐 있지?" names all that it asks for
    if speech.asks_memory >= ASKS or (reads and ahead):
        return Asking(replace(question or Question(True, terms=terms), about_memory=True), reads)
    if speech.asks_memory + speech.asks_other >= ASKS or (question is not None and reads):
        return of_else(question or Question(False, terms=terms), reads=reads)
    return Asking(None, reads=False)


def of_else(question: Question, *, reads: bool) -> Asking:
    """What is rather asked of something else. The days that it names count where it may ask for what was told of them after all ("내일 뭐 있어?")."""
    return Asking(replace(question, about_memory=False, slots=(), everything=False, when=question.when if reads else None), reads)


def unread(question: Question | None, speech: SpeechReading | None) -> bool:
    """Whether the model hears a question, perhaps of memory, where the rules read none."""
    heard = speech is not None and speech.asks_memory >= MAY_ASK and speech.asks_memory + speech.asks_other >= ASKS
    return question is None and heard


def of_the_last(whole: Question | None, last: Question | None) -> Question | None:
    """A question with what was said before it: the feelings asked about are those that it names itself, where it names any."""
    if whole is None or last is None or not last.of_feelings:
        return whole
    return replace(whole, emotions=last.emotions, mood=last.mood)


def ask(text: str, at: datetime) -> Question | None:
    """What the rules read: the question in `text`, said at `at`; None when it is none. Of several, the last about the person."""
    pack = en if language_of(text) == "en" else ko
    until = pack.until(text)
    question = pack.ask(until or text, at)
    return replace(question, until=until) if question is not None else None
