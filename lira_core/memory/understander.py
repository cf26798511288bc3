"""Facts by a model, beside the rules: what it is asked, and what of its answer is believed.

A model says what an utterance states; that it states it is checked here. An object that is not in the utterance is refused, and so is an owner;
what words of time mean is for `lira_core.dates` to say.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Final, Literal, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from lira_core.dates.finding import find
from lira_core.language import language_of
from lira_core.languages.en.facts import make_fact as english
from lira_core.languages.ko.facts.nouns import bare_name
from lira_core.languages.ko.facts.nouns import make_fact as korean
from lira_core.languages.ko.morphemes import tokens
from lira_core.languages.people import ENGLISH_KIN
from lira_core.memory.slots import PREDICATES
from lira_core.types import USER, Fact

FACTS_AT_MOST: Final = 16
"""In one answer: a small model may repeat itself for ever. The fullest utterance of the project's own dialogues states five."""
_SPEAKER: Final = re.compile(r"(?:user|i|me|we|나|저|내|제|우리|저희)$", re.I)
_MINE: Final = re.compile(r"^(?:(?:my|our)\s+|(?:내|제|우리|저희)\s+)", re.I)

_WHOLE_FROM: Final = r"(?<![A-Za-z0-9](?=[A-Za-z0-9]))"
_WHOLE_TO: Final = r"(?!(?<=[A-Za-z0-9])[A-Za-z0-9])"


class UnderstanderAway(ConnectionError):
    """The model cannot be asked now: wait, and ask again."""


class Misread(ValueError):
    """The model's answer to this utterance is of no use, and would not be another time."""


def _known(predicate: str) -> str:
    if predicate not in PREDICATES:
        raise ValueError(f"{predicate} is no predicate")
    return predicate


# What these say reaches the model: their docstrings are part of the schema that it is sent.
class Stated(BaseModel):
    """One fact that the message states."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    owner: str
    predicate: Annotated[str, AfterValidator(_known), WithJsonSchema({"type": "string", "enum": list(PREDICATES)})]
    object: str
    of: str
    status: Literal["holds", "ended", "denied", "supposed"]
    when: str


class Extraction(BaseModel):
    """Everything that the message states."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    facts: Annotated[tuple[Stated, ...], Field(max_length=FACTS_AT_MOST)]


class Understander(Protocol):
    """A model that says what an utterance states."""

    async def read(self, text: str) -> Sequence[Stated]:
        """As the model reads it, unchecked. UnderstanderAway, or Misread, where it does not say."""
        ...

    async def aclose(self) -> None: ...


def believed(text: str, at: datetime, stated: Sequence[Stated]) -> tuple[Fact, ...]:
    """What of it the utterance bears out, in order, with dates resolved against `at`; nothing that is only supposed."""
    said = _Said(text, at)
    return tuple(fact for one in stated if one.status != "supposed" and (fact := said.fact(one)) is not None)


def joined(rules: Sequence[Fact], model: Sequence[Fact]) -> tuple[Fact, ...]:
    """The rules' facts, and what the model found besides: where both fill a slot the rules, which are exact, are believed."""
    known = {_identity(fact) for fact in rules}
    besides = {_identity(fact): fact for fact in model}  # of two the later in the utterance, as among the rules'
    return (*rules, *(fact for identity, fact in besides.items() if identity not in known))


def _identity(fact: Fact) -> object:
    return fact.key or (fact.subject, fact.predicate, fact.object)


class _Said:
    """An utterance in which a model's words are looked for."""

    def __init__(self, text: str, at: datetime) -> None:
        self._text, self._at, self._language = unicodedata.normalize("NFC", text), at, language_of(text)
        self._dates = find(self._text, at)

    def fact(self, stated: Stated) -> Fact | None:
        subject, object = self._subject(stated.owner), self._words(stated.object)
        of = self._words(stated.of)
        if subject is None or object is None or (stated.predicate == "attribute" and of is None):
            return None
        if self._language == "ko" and stated.predicate == "name":
            object = bare_name(object)
        make = korean if self._language == "ko" else english
        when = next((date for date in self._dates if self._overlaps(date.start, date.end, stated.when)), None)
        polarity = stated.status == "holds"
        return make(subject, stated.predicate, object, polarity=polarity, of=of, when=when, now=self._at)

    def _subject(self, owner: str) -> str | None:
        if _SPEAKER.fullmatch(owner.strip()):
            return USER
        named = self._words(_MINE.sub("", owner.strip()))
        if named is None:
            return None
        if self._language == "ko":
            return bare_name(named)
        return named.lower() if named.lower() in ENGLISH_KIN else named

    def _words(self, wanted: str) -> str | None:
        """As they stand in the utterance, without a particle at their end; None when they do not."""
        if (found := self._find(wanted)) is None:
            return None
        start, end = found.span()
        for token in reversed(tokens(self._text)) if self._language == "ko" else ():
            if token.start + token.len == end and token.start > start and token.tag.startswith("J"):
                end = token.start
        return " ".join(self._text[start:end].split()) or None

    def _overlaps(self, start: int, end: int, wanted: str) -> bool:
        found = self._find(wanted)
        return found is not None and found.start() < end and start < found.end()

    def _find(self, wanted: str) -> re.Match[str] | None:
        """Whatever the spaces: Koreans put them as they like. A Latin word or a number is found whole."""
        letters = [re.escape(letter) for letter in unicodedata.normalize("NFC", wanted) if not letter.isspace()]
        if not letters:
            return None
        return re.search(_WHOLE_FROM + r"\s*".join(letters) + _WHOLE_TO, self._text, re.I)
