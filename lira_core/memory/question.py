"""What a question names exactly: slots, days, feelings, all there is, what was just said. What it asks beyond that is the reader's to find."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final

from lira_core.dates.span import Span

Slot = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what of the person's memory would answer it.

    `about_memory`: it asks about the person's life (their name, taste, plan, people, what they said or felt), not about the world or LIRA.
    `slots`: (subject, predicate) pairs that a fact must have to answer; subject None is whoever; empty when no slot is named by its noun.
    `terms`: content terms that an answering memory should share (without question words, dates, and the nouns of `slots`).
    `emotions`: GoEmotions labels asked about ("언제 기뻤지?" is joy), best first.
    `when`: the span of time asked about ("20일에", "9월에"), from its start to its end, which is excluded.
    `ahead`: for what is to come ("앞으로 뭐 있지?"), whichever day; `when` is then from today on.
    `just_now`: it asks for what was just said ("아까 내가 뭐라고 했지?"). `everything`: for all that is known of the person.
    `listing`: for all that was told of what it names ("뭉치 얘기 다 해봐"), which is heard, not read off its words.
    `mood`: for how they felt, whatever that was ("내 기분 어땠지?"). `until`: of how long it still is until something ("시험까지 며칠 남았어?"),
    the question when that is ("시험 언제야?").
    """

    about_memory: bool
    slots: tuple[Slot, ...] = ()
    terms: tuple[str, ...] = ()
    emotions: tuple[str, ...] = ()
    when: tuple[datetime, datetime] | None = None
    ahead: bool = False
    just_now: bool = False
    everything: bool = False
    listing: bool = False
    mood: bool = False
    until: str | None = None

    @property
    def of_feelings(self) -> bool:
        return self.mood or bool(self.emotions)


_LASTS: Final = {"day": 1, "weekend": 2, "week": 7, "minute": 1, "clock": 1, "part": 1}
"""Days that an expression covers: a time of day asks of its whole day, since what was told may have been told without the hour."""


_AHEAD: Final = timedelta(days=366)
"""As far ahead as somebody is taken to ask who names no day."""

_PARTICLE: Final = re.compile(r"(?:에는|에|엔|은|는|이|가|도|까지|부터|쯤)(?=\s|$)")


def from_now_on(at: datetime) -> tuple[datetime, datetime]:
    """From today on."""
    today = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return today, today + _AHEAD


def asked_span(spans: Sequence[Span]) -> tuple[datetime, datetime] | None:
    """From the start of the first day, week, month or year named to its end; None when only a time of day or nothing is."""
    span = next((s for s in spans if s.day_said and not re.search(r"\d\s*(?:시간|분)|hours?|minutes?", s.text)), None)
    if span is None:
        return None
    start = datetime.combine(span.day, time(), span.when.tzinfo)
    try:
        if span.granularity == "year":
            return start.replace(month=1, day=1), start.replace(year=start.year + 1, month=1, day=1)
        if span.granularity == "month":
            first = start.replace(day=1)
            return first, (first + timedelta(days=32)).replace(day=1)
        return start, start + timedelta(days=_LASTS[span.granularity])
    except (ValueError, OverflowError):
        return None


def undated(words: str, spans: Sequence[Span]) -> str:
    """The words with every date blanked, and the particle that leans on it ("내일은")."""
    for span in reversed(spans):
        particle = _PARTICLE.match(words, span.end)
        end = particle.end() if particle else span.end
        words = words[: span.start] + " " * (end - span.start) + words[end:]
    return words


def emotions_of(words: str, named: Sequence[tuple[re.Pattern[str], tuple[str, ...]]]) -> tuple[str, ...]:
    """The labels of every feeling named, in the order of the language's table."""
    lowered = words.lower()
    return tuple(dict.fromkeys(label for pattern, labels in named if pattern.search(lowered) for label in labels))
