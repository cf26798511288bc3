"""How well a memory answers a question: what stands between a recalled memory and a claim.

A handful of signs (a fact that fills the slot, shared words, calibrated certainty, what the question wants and the memory lacks)
are weighed by a logistic regression. `models/make/fit_support.py` fits it on the project's own dialogues.
"""

from __future__ import annotations

import math
import re
from datetime import datetime
from typing import Final

from lira_core.korean.people import same_person
from lira_core.memory.fitting import EXACT, FITS, OTHER, best_fit, coverage
from lira_core.memory.question import Question
from lira_core.types import USER, Memory

ANSWERS: Final = 0.5
"""The least support with which a memory may be used as the answer; below it LIRA says that it does not know.

The intercept of WEIGHTS is placed so that this is where a wrong answer and a missed one are equally likely.
"""

WEIGHTS: Final[dict[str, float]] = {
    "intercept": -2.08,
    "fills": 3.94,
    "unfilled": -0.49,
    "unnamed": -0.93,
    "coverage": 1.56,
    "all_terms": -0.12,
    "certainty": 4.38,
    "both": 0.86,
    "lacks_wanted": -1.24,
    "lacks_subject": -0.24,
    "has_subject": -0.01,
    "then": 0.22,
    "not_then": -0.92,
    "felt": 0.93,
    "wordless": 0.75,
    "inferred": 0.72,
}
"""Logistic regression, fitted by `models/make/fit_support.py`; what each sign is stands in `signs`."""

UNTOLD: Final = 0.4
"""What support is cut to when a measured value is asked for and no fact holds it."""
MEASURED: Final = frozenset({"blood_type", "mbti", "zodiac", "height", "weight", "phone", "birthday", "age"})
"""Slots that facts read reliably and that nobody tells in passing; a name or a job may be told in ways that `facts` misses."""

VALUES: Final = frozenset(
    {"name", "nickname", "age", "birthday", "blood_type", "mbti", "zodiac", "height", "weight", "phone", "job", "medicine", "allergy"}
)
"""Slots that hold one plain value: a statement without it seldom answers, which the weight of `unnamed` says."""
KINDS: Final = frozenset({"favorite", "attribute"})
"""Slots of many kinds, of which a fact of another kind says nothing."""

_TIME: Final = re.compile(
    r"\d|요일|매일|매주|매년|오늘|내일|모레|어제|다음|지난|주말|새벽|아침|저녁|\b(?:day|night|morning|week|month|year|tomorrow|yesterday)", re.I
)
_PLACE: Final = re.compile(r"에서|에\s|으?로\s|\b(?:in|at|to|from)\b")
_PERSON: Final = re.compile(r"이?랑\s|[와과]\s|하고\s|한테|에게|[가-힣]{2,3}이?(?:가|는|은|이)\s|씨|님|\b(?:with|and)\b|(?<!^)\b[A-Z][a-z]+")
_NUMBER: Final = re.compile(
    r"\d|[한두세네]\s?[가-힣]|다섯|여섯|일곱|여덟|아홉|열|스물|서른|마흔|쉰|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twice|once)\b"
)
_WANTED: Final = {"when": _TIME, "where": _PLACE, "who": _PERSON, "howmany": _NUMBER}


def support(question: Question, memory: Memory, certainty: float | None) -> float:
    """In [0, 1]: how likely `memory` answers `question`; at least `ANSWERS` when it may be said.

    `certainty` is the calibrated similarity, None when it is unknown (the session's own lines, an embedder that was missed).
    """
    fit = best_fit(question, memory, certainty)
    found = signs(question, memory, certainty, fit)
    # A blood type that was not told is not told, however near the memory lies; nor does a favourite fruit answer for a colour.
    untold = bool(found["unnamed"]) and question.slots[0][1] in MEASURED
    other = question.wants == "what" and question.slots and question.slots[0][1] in KINDS and (fit or 1.0) < OTHER
    return min(weigh(found), UNTOLD) if untold or other else weigh(found)


def weigh(found: dict[str, float]) -> float:
    """The signs as one probability."""
    return 1 / (1 + math.exp(-(WEIGHTS["intercept"] + sum(WEIGHTS[name] * value for name, value in found.items()))))


def signs(question: Question, memory: Memory, certainty: float | None, fit: float | None) -> dict[str, float]:
    """What speaks for and against, each in [0, 1]; `fit` is `best_fit` of the same pair.

    `fills`: how well a fact fills a slot asked for (a fact of something else counts for nothing); `unfilled`: the question names a slot
    precisely and no fact has it; `unnamed`: and that slot is one plain value. `coverage`: share of the question's terms in the memory;
    `all_terms`: all of them.
    `lacks_wanted`: a time, place, person or number is asked for, and none is there. `lacks_subject`, `has_subject`: somebody else
    is asked about. `then`, `not_then`: of the time asked about, or of another. `felt`: the feeling asked about. `wordless`: the question
    has no terms. `inferred`: no slot of it is known.
    """
    unfilled = (fit or 0.0) < FITS and bool(question.slots) and question.slots[0][1] in EXACT and not question.emotions
    covered = coverage(question, memory)
    # Of what no encoder has read (a line of this session) the words have to tell.
    sure = covered if certainty is None else certainty
    others = [subject for subject, _ in question.slots if subject not in {None, USER}]
    here = any(_speaks_of(subject, memory) for subject in others if subject)
    wanted = _WANTED.get(question.wants)
    told = any(f.when_text or f.place or f.people for f in memory.facts) if question.wants != "howmany" else False
    real = memory.emotion.real if memory.emotion else None
    then = _within(question.when, memory) if question.when else None
    return {
        "fills": fit if fit is not None and fit >= FITS else 0.0,
        "unfilled": float(unfilled),
        "unnamed": float(unfilled and question.slots[0][1] in VALUES),
        "coverage": covered,
        "all_terms": float(covered >= 1),
        "certainty": sure,
        "both": covered * sure,
        "lacks_wanted": float(wanted is not None and not told and not wanted.search(memory.text)),
        "lacks_subject": float(bool(others) and not here),
        "has_subject": float(here),
        "then": float(then is True),
        "not_then": float(then is False),
        "felt": float(real is not None and real.label in question.emotions),
        "wordless": float(not question.terms),
        "inferred": float(not question.slots),
    }


def _speaks_of(subject: str, memory: Memory) -> bool:
    return subject in memory.text or any(
        same_person(subject, fact.subject) or same_person(subject, fact.object) or subject in fact.people for fact in memory.facts
    )


def _within(span: tuple[datetime, datetime], memory: Memory) -> bool:
    """Said in the time asked about, or speaking of it."""
    return any(span[0] <= moment < span[1] for moment in (memory.timestamp, *(f.when for f in memory.facts if f.when)))
