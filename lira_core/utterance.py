"""What was said in a turn, and how it is understood."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from lira_core.embedding.port import Heard
from lira_core.languages.ko.names import only_a_word
from lira_core.memory.asking import ASKS, MAY_ASK, Asking, asked, of_else
from lira_core.memory.facts import called
from lira_core.memory.gate import only_asks, requested, unwanted
from lira_core.memory.listing import lists, of_days
from lira_core.memory.question import Question
from lira_core.memory.understanding import Understanding
from lira_core.responses import NO_RESPONSE
from lira_core.types import OF_LIRA, OPINIONS, USER, Aim, Before, Manner, SafetyReading, SpeechReading, Tone

SURELY_OF_MEMORY: Final = 0.9
"""From here on a question of memory is no opinion that is asked for, whatever it sounds like: of 356 lines left out that want something else of LIRA
26 that are taken for questions of memory plainly want it below, of 927 questions of memory 5 (29 and 8 without a limit)."""
_OPENS: Final[frozenset[Manner]] = frozenset(("hello", "thanks", "sorry"))
_BETWEEN: Final = re.compile(r"(?<=[.!?…~])\s+|\n+")
OPENING: Final = 4
"""So many words at most are small talk that more follows ("Thank you. It never gets easier, …"); a longer first sentence says more itself."""
_LOOKED_THROUGH: Final = 4
"""Of more sentences a correction is not looked through for a name: each is a pass of the encoder."""
_BY_THEMSELVES: Final[frozenset[Manner]] = frozenset(("hello", "bye", "night", "sorry"))


@dataclass(frozen=True, slots=True)
class Utterance:
    """What was said, by whom, when. `id` names the turn: its event, its memory and the reply's `request_id`.

    `as_of` is `at` when the caller gave it, None when the clock did; `received` is when it reached LIRA, in microseconds since 1970.
    """

    id: str
    user_id: str
    session_id: str
    text: str
    at: datetime
    received: int
    as_of: datetime | None = None


async def in_parts(text: str, heard: Heard, hear: Callable[[str], Awaitable[Heard | None]]) -> Heard:
    """What was heard of an utterance, and of its parts where it has some: of what it tells and what is answered of it (`apart`), and by which name
    whoever corrects LIRA is called, which stands beside what is wrong ("아니 수진이는 내 전여친 이름이라고. 나는 동현이야"). As it was, where a part
    could not be heard."""
    if parts := apart(text, heard):
        told, answered = await asyncio.gather(*map(hear, parts))
        heard = with_parts(heard, told, answered) if told and answered else heard
    sentences = _sentences(text)
    if heard.response == "corrects" and not heard.name and 1 < len(sentences) <= _LOOKED_THROUGH:
        alone = await asyncio.gather(*map(hear, sentences))
        heard = replace(heard, name=next((one.name for one in alone if one and one.name), heard.name))
    return heard


def apart(text: str, heard: Heard) -> tuple[str, str] | None:
    """The parts of an utterance that are heard once more, each by itself: what it tells, and what is answered of it, which is what follows small
    talk, or the question that it ends with. None where all of it is one."""
    first, *rest = _sentences(text) or [""]
    if _opens(heard) and len(first.split()) <= OPENING:
        after = " ".join(rest)
        return (after, after) if len(after.split()) > 1 else None
    return (" ".join([first, *rest[:-1]]), rest[-1]) if rest and rest[-1].endswith("?") else None


def _sentences(text: str) -> list[str]:
    return [one for one in _BETWEEN.split(text.strip()) if one]


def with_parts(heard: Heard, told: Heard, answered: Heard) -> Heard:
    """What was heard, as surely worth keeping as the part that tells something is, where that asks nothing ("최애는 마크야! 너는?"), with what it
    wants of LIRA as the part that is answered does; small talk that opened it is over."""
    speech = heard.speech
    if speech and told.speech and told.speech.asks_memory + told.speech.asks_other < ASKS:
        speech = replace(speech, keep=max(speech.keep, told.speech.keep))
    opened = replace(heard, manner=answered.manner, response=answered.response, tone=answered.tone) if _opens(heard) else heard
    return replace(opened, aim=answered.aim, speech=speech)


def _opens(heard: Heard) -> bool:
    """Whether it is heard as what one says first, whatever follows."""
    return heard.manner in _OPENS or heard.response == "thanks_lira"


@dataclass(frozen=True, slots=True)
class Understood:
    """What rules and models make of an utterance: of it alone, or of it in full, after what it leaves something to (`before`).

    `reading.facts` are of the utterance alone in either case. `heard` None: the encoder was missed. `wishes`: it goes on with a wish to forget
    (`lira_core.forgetting.still_wishes`).
    """

    text: str
    reading: Understanding
    heard: Heard | None
    before: tuple[Before, ...] = ()
    wishes: bool = False

    @property
    def speech(self) -> SpeechReading | None:
        return self.heard.speech if self.heard else None

    @property
    def safety(self) -> SafetyReading | None:
        return self.heard.safety if self.heard else None

    @property
    def manner(self) -> Manner:
        """What somebody asks in so many words to keep ("내 생일 잊지 마"), or wants to be told ("남편 얘기 다 꺼내 봐"), is not to be forgotten,
        whatever it sounds like; what they order to be forgotten is."""
        if self.wishes or unwanted(self.text):
            return "forget"
        heard = self.heard.manner if self.heard else "none"
        return "none" if heard == "forget" and (self._lists or requested(self.text)) else heard

    @property
    def _lists(self) -> bool:
        return self.heard is not None and self.heard.lists

    def small_talk(self, whole: Self | None) -> Manner:
        """As `manner`, but what leans on something said before, with which it is `whole`, neither greets nor takes leave, nor is LIRA asked
        to excuse it ("어디로", "은지랑"; after a funeral "못 가 봐서 너무 죄송해요")."""
        return "none" if whole is not None and self.manner in _BY_THEMSELVES else self.manner

    @property
    def tone(self) -> Tone | None:
        return self.heard.tone if self.heard else None

    def aim(self, question: Question | None) -> Aim:
        """What it wants of LIRA: the likeliest where its `question` is none of memory; where it is one, an opinion that is plainly heard ("나 시험
        붙을 수 있겠지?"; what was told goes first) and nothing else ("나 커피 좋아해?" may be asked of LIRA by its words); what is plainly heard
        where nothing is asked."""
        heard = self.heard.aim if self.heard else None
        if heard is None:
            return "none"
        if question is not None and question.about_memory:
            sure = self.speech is None or self.speech.asks_memory >= SURELY_OF_MEMORY
            return heard.aim if heard.plainly and heard.aim in OPINIONS and not sure else "none"
        return heard.aim if heard.plainly or question is not None else "none"

    @property
    def response(self) -> str:
        """Which of `lira_core.responses` fits it."""
        return self.heard.response if self.heard else NO_RESPONSE

    @property
    def name(self) -> str | None:
        return self.heard.name if self.heard else None

    def named(self, whole: Self | None) -> Understanding:
        """The reading with the speaker's own name as it was heard: also in the `whole` with what was before it, where there is that ("이름은 두부야"
        after a cat was told of; "그 제자 이름은 오세영이라네" after one's own), and only where no dictionary has it for something else. What asks
        and gives nothing away states no facts, whatever the rules read ("3학년이라고 말했지 내가" names nobody)."""
        if only_asks(self.speech):
            return replace(self.reading, facts=())
        name = self.name
        if name and ((whole is not None and whole.name != name) or only_a_word(name, self.text)):
            name = ""
        named = called(self.reading.facts, name)
        facts = tuple(f for f in named if (f.subject, f.predicate) != (USER, "name") or not only_a_word(f.object, self.text))
        return replace(self.reading, facts=facts)

    @property
    def wants_else(self) -> bool:
        """Whether it plainly wants something of LIRA and hardly anything that was told: with what was said before it, it would only sound like a
        question of that ("심심한데 끝말잇기 할래?"). Of 417 questions of `data/talks` that follow another two are such ("그래서 어떻게 하죠?")."""
        if self.heard is None or self.heard.aim is None or self.speech is None:
            return False
        wants = self.heard.aim.plainly and self.heard.aim.aim not in {"self", "musing"}
        return wants and self.speech.asks_memory < MAY_ASK and self.speech.asks_other >= ASKS

    @property
    def passage(self) -> NDArray[np.float32] | None:
        """The vector that it is kept with."""
        return self.heard.passage if self.heard else None

    @property
    def asks(self) -> Asking:
        """Who wants something forgotten is told nothing of it, and who plainly wants something else of LIRA nothing that they told, unless it is an
        opinion, which what was told may settle ("친구들이 한잔하자는데 마셔도 되나"; of 164 such lines left out, beside strangers' memories, the
        reader is asked for 66 and sure enough of none). What is taken for a question of something else, but plainly wants nothing, and what a kind
        of reply fits is told ("잠을 세 시간 잤나"): of 700 lines that do want something none is, of 21 statements of sessions that only sounded like
        one 10 are. What names days and nothing else is asked of what was told of these ("내일 뭐 있어?" sounds like a task)."""
        if self.manner == "forget":
            return Asking(None, reads=False)
        asking, aim = asked(self.reading.question, self.reading.terms, self.speech), self.heard.aim if self.heard else None
        if self._lists and not lists(asking.question):
            return Asking(replace(asking.question or Question(True, terms=self.reading.terms), about_memory=True, listing=True), reads=True)
        if aim is None or asking.question is None or asking.question.about_memory:
            return asking
        if not aim.plainly and self.response != NO_RESPONSE:
            return Asking(None, reads=False)
        if aim.plainly and aim.aim not in OPINIONS and (aim.aim in OF_LIRA or not of_days(asking.question)):
            return of_else(asking.question, reads=False)
        return asking
