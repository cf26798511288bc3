"""Reading: which of several memories answer a question, with which words, and whether yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

CANDIDATES = 6
"""Candidates that a reader sees at once, at some 12 ms of a core each: of 1,587 questions of people left out of training .760 are rightly answered or
left alone with six, .762 with five, .756 with four, .761 with ten; the encoder's nearest, where a turn's come of words and slots too."""
WEIGHED = 16
"""The best by meaning and words that are weighed in a search, and where all that was told about something is asked for, at some 6 ms of two cores
each. Of people who have told thirteen things (`ranking.READER_SHARE`) ten make no difference; in long conversations what answers is further down."""
ANSWERS = 0.5
"""LIRA answers from a candidate that is at least so `sure`, which is calibrated so that there most questions are rightly answered or rightly left
alone, of people left out of training."""
OF_IT = 0.4
"""Where all that was told about something is asked for, what is at least so likely of it is told: of 96 questions of 24 people by an author set aside
.67 of what is of it is among the five told at most, and .87 of what is told is of it; from .3 on .71 and .80, from .5 on .65 and .90."""
ANY_OF_IT = 0.7
"""And none of it where nothing is so likely: of the questions of the 48 people whom this was fitted on .95 have something that is, of other people's
questions put to them .15 (from .6 on .96 and .25, from .8 on .91 and .09)."""
SAYS = 0.5
"""A yes or no is said where it is likelier than not that the statement answers and says so: what was told is said back with it, and answers by itself
where it is left out. Of 454 questions of yes or no that people left out of training asked .57 get the right one then and .14 the wrong one, and 25 of
522 that nothing answers and 11 of 660 others one that was not asked for (by the surest statement; from .65 on .46, .08, 6 and 7)."""
CLEAR = 0.6
"""The words that answer are told by themselves, before what was said, from so likely a beginning and end on: of 1,196 statements that answer
what people left out of training asked a fifth have it, and .88 of those overlap by half with what their author marked (.59 of all)."""
Verdict = Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """What may answer: the words, and the cosine in [-1, 1] of question and words, None where no encoder saw them. What is `listed` is told
    whatever the reader makes of it, as all there is of a day is: what changes it is looked for too. `named`: of the question's terms that any of
    the candidates holds the share that this one does, in [0, 1]; it counts where all that was told about something is asked for."""

    text: str
    cosine: float | None
    listed: bool = False
    named: float = 0.0


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader made of a question and its candidates, each list in the order they were given.

    `sure` is the probability in [0, 1] that the candidate is evidence. `spans` are the first character of the words that answer and the one after
    the last, in the candidate's text, `clear` which of them are likely enough to stand alone (`CLEAR`); empty where an engine does not say.
    `changed_by` is which candidate changes what it says, the newest of them; None where none does, where that has nothing to do with the question,
    or where it was not looked for, since it neither answers nor is listed. `verdict` is what the newest of those that answer, from the surest on, or
    what changes the surest says to a question of yes or no; None where it is no such question or where neither is likely enough (`SAYS`).
    """

    sure: tuple[float, ...]
    spans: tuple[tuple[int, int], ...]
    changed_by: tuple[int | None, ...]
    verdict: Verdict | None
    clear: tuple[bool, ...] = ()


class ReadingEngine(Protocol):
    """A model in this process; blocking, so callers run it in a thread."""

    def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        """`candidates`: at most CANDIDATES, in order of time, the oldest first."""
        ...

    def weigh(self, question: str, candidates: Sequence[Candidate], *, listing: bool = False) -> tuple[float, ...]:
        """How `sure` each is and nothing else, in any order and as many as there are: what a search ranks by. `listing`: the question asks for all
        that was told about something, and it is how likely each is of that."""
        ...


class Reader(Protocol):
    """What a turn and a search ask, wherever the model runs."""

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading: ...

    async def weigh(self, question: str, candidates: Sequence[Candidate], *, listing: bool = False) -> tuple[float, ...]: ...
