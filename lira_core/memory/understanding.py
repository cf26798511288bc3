"""What an utterance says and asks, read once per turn by rules and morphemes; no model is called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from lira_core.languages.terms import terms
from lira_core.memory.asking import ask, of_the_last
from lira_core.memory.derivation import RULES
from lira_core.memory.facts import called, extract
from lira_core.memory.following import whole
from lira_core.memory.question import Question
from lira_core.types import Fact, Memory


@dataclass(frozen=True, slots=True)
class Understanding:
    """The facts an utterance states, the question it asks if any, and the terms it is found by.

    `derived` is the number of the rules that read it (`lira_core.memory.derivation`), 0 where it was not read in its time.
    """

    facts: tuple[Fact, ...]
    question: Question | None
    terms: tuple[str, ...]
    derived: int = 0


def understand(text: str, at: datetime) -> Understanding:
    """`at` is when it was said, in the speaker's zone: relative dates are resolved against it. 1.6 to 2.5 ms an utterance (measured)."""
    return Understanding(extract(text, at), ask(text, at), tuple(terms(text)), RULES)


def after(whole: Understanding, last: Understanding) -> Understanding:
    """An utterance with what was said before it: the facts are of what was said `last`, and the feelings asked about, where it names any."""
    return replace(whole, facts=last.facts, question=of_the_last(whole.question, last.question))


def derive(memory: Memory) -> Memory:
    """The memory with the facts and terms that the rules of today find in its text, said when it was said."""
    facts = called(extract(memory.text, memory.timestamp), memory.name)
    return replace(memory, facts=facts, terms=tuple(terms(whole(memory))), derived=RULES)
