"""What is said, in either language: from a prompt to a plan without a word of it. The languages' renderers put a plan into words.

What differs between the languages by nature, how small talk, a loss or a question about LIRA sounds, is their `Talk`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from lira_core.dates.finding import find, find_asked
from lira_core.generation.feelings import CROSS, HEAVY, WARM, alike, feeling
from lira_core.generation.knowledge import Answer, at_hand, known, to_list, to_tell, with_changes
from lira_core.generation.port import Prompt
from lira_core.languages.people import PETS
from lira_core.memory.following import leaned_on, whole
from lira_core.memory.listing import days_left, of_days, told_of, within
from lira_core.memory.question import Question, undated
from lira_core.reading.port import Verdict
from lira_core.responses import LOW, NO_RESPONSE
from lira_core.safety import at_risk, said_at_risk
from lira_core.types import OF_LIRA, OPINIONS, USER, Fact, Manner, Memory

HEARD: Final[frozenset[Manner]] = frozenset(("hello", "bye", "night", "thanks", "sorry", "forget"))
"""The manners of small talk; the others are for `lira_core.conduct`."""

Kinds = tuple[tuple[str, re.Pattern[str]], ...]


def kinds(*rows: tuple[str, str]) -> Kinds:
    """Patterns, each with the kind of what it finds."""
    return tuple((kind, re.compile(pattern, re.I)) for kind, pattern in rows)


@dataclass(frozen=True, slots=True)
class Talk:
    """How a language sounds: patterns, each with the kind of what it finds.

    `small`: small talk of at most `short` characters, beside what is heard as that (`Prompt.manner`). `several`: more than one thing is asked
    for; `what`: it is asked who, what or when, to which no yes or no answers. `sorrowful`: each with the feeling as
    it is said again. `plans`: what kind of plan it is. `noticed`: the word by which LIRA has noticed sorrow before. `date`: all that is left of a
    question without the day that it names which asks for its date; `time`: of one that asks what time it is.
    """

    short: int
    calls: re.Pattern[str]
    small: Kinds
    several: re.Pattern[str]
    what: re.Pattern[str]
    sorrowful: Kinds
    plans: Kinds
    noticed: str
    date: re.Pattern[str]
    time: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Told:
    """It was told: from these memories, with these words of them. `left`: days until then, where these are asked for and not over."""

    answers: tuple[Answer, ...]
    question: Question
    verdict: Verdict | None = None
    left: int | None = None


@dataclass(frozen=True, slots=True)
class OwnName:
    name: str


@dataclass(frozen=True, slots=True)
class HardTime:
    """What answers was said by somebody at risk: it is not quoted back."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nothing that was told answers; without a question nothing was told at all."""

    question: Question | None


@dataclass(frozen=True, slots=True)
class Listing:
    """All there is, newest first; `about`: the terms of what it is about, where something is named."""

    memories: tuple[Memory, ...]
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """What a wish to forget seems to mean: it is deleted if they say yes (`lira_core.forgetting`)."""

    memories: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class Small:
    """Small talk, or what LIRA has a ready answer to, by its kind or what it aims at; `name` is the person's, where it is known."""

    kind: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class OnCalendar:
    """A day that was named, with its date, or what time it is: no memory answers that better than the calendar. `left` as of `Told`."""

    when: datetime
    granularity: Literal["day", "minute"]
    left: int | None = None


@dataclass(frozen=True, slots=True)
class Welcome:
    name: str
    again: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """A fact just told is taken up, and followed by what fits its `kind`."""

    fact: Fact
    kind: str


@dataclass(frozen=True, slots=True)
class Fitting:
    """A reply of this kind of `lira_core.responses`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Felt:
    """A feeling is taken up; `before` is a memory of the same one."""

    label: str
    before: Memory | None = None


Plan = Told | OwnName | HardTime | Unknown | Listing | Offer | Small | OnCalendar | Welcome | Noted | Fitting | Felt


def plan(prompt: Prompt, talk: Talk) -> Plan:
    """What kind of utterance it is, and what is said to it."""
    return _small_talk(prompt, talk) or _on_calendar(prompt, talk) or _remembered(prompt, talk) or _taken_up(prompt, talk)


def first_kind(of: Kinds, text: str) -> str | None:
    """The kind of the first pattern that finds something."""
    return next((kind for kind, pattern in of if pattern.search(text)), None)


# Small talk


def _small_talk(prompt: Prompt, talk: Talk) -> Plan | None:
    text = talk.calls.sub("", prompt.text).strip()
    if prompt.manner == "forget" and (memories := tuple(r.memory for r in prompt.recalled if not said_at_risk(r.memory))):
        again = leaned_on(memories)  # what leans on it says it too
        return Offer(tuple(memory for memory in memories if memory.id not in again))
    # Before the heads, to which a word by itself ("응", "ㅎㅎㅎ", "배고파") sounds like any greeting.
    kind = first_kind(talk.small, text) if text and len(text) <= talk.short and not prompt.facts else None
    if kind is not None and not (kind == "kept" and prompt.question is not None):
        return Small(kind)
    if prompt.manner in HEARD and not (prompt.manner == "hello" and prompt.facts) and not any(map(_is_own_name, prompt.facts)):
        return Small(prompt.manner, _own_name(prompt) if prompt.manner == "hello" else None)
    return None if text else Small("backchannel")


def _on_calendar(prompt: Prompt, talk: Talk) -> OnCalendar | None:
    if prompt.question is None:
        return None
    words, at = prompt.question.until or talk.calls.sub("", prompt.text), prompt.at
    if talk.time.fullmatch(words):
        return OnCalendar(at, "minute")
    counted = prompt.question.until is not None
    spans = find(words, at) if counted else find_asked(words, at)  # what is counted to is yet to come
    if len(spans) != 1 or spans[0].granularity != "day" or not talk.date.fullmatch(undated(words, spans)):
        return None
    left = (spans[0].day - at.date()).days
    return OnCalendar(spans[0].when, "day", left if counted and left >= 0 else None)


def _own_name(prompt: Prompt) -> str | None:
    return max(_own_names(prompt).items(), default=(None, None))[1]


def _own_names(prompt: Prompt) -> dict[datetime, str]:
    """By which names the person has said that they are called, with when."""
    return {r.memory.timestamp: f.object for r in prompt.recalled for f in r.memory.facts if _is_own_name(f)}


def _is_own_name(fact: Fact) -> bool:
    return (fact.subject, fact.predicate) == (USER, "name")


# What was told before


def _remembered(prompt: Prompt, talk: Talk) -> Plan | None:
    question = prompt.question
    if question is None:
        return None
    if not question.about_memory and prompt.aim in OF_LIRA:
        return None
    if (listed := _listed(prompt, question)) is not None:
        return _told_of_all(prompt, question, listed)
    if answers := known(prompt):
        if question.mood and not question.terms and (felt := to_list(sorted((a.memory for a in answers), key=lambda m: m.timestamp, reverse=True))):
            return Listing(felt)
        return _answer(prompt, question, answers, talk)
    # What sounds like an opinion asked for, or like something told, is met as that where nothing is known.
    met = prompt.aim != "none" or prompt.response != NO_RESPONSE
    return _untold(prompt, question) if question.about_memory and not met else None


def _untold(prompt: Prompt, question: Question | None) -> Plan:
    """ "땅콩 알레르기 있는 거 잊지 않았지?" is kept for what it gives away: nobody says that they were never told."""
    return Small("kept") if prompt.decision.reason in {"fact", "trigger"} else Unknown(question)


def _answer(prompt: Prompt, question: Question, answers: Sequence[Answer], talk: Talk) -> Plan:
    # What was said at risk is not told back; it is remembered gently where nothing else answers.
    if not (answers := [answer for answer in answers if not said_at_risk(answer.memory)]):
        return HardTime()
    first = answers[0]
    if (USER, "name") in question.slots[:1]:
        held = first.words or whole(first.memory)
        if names := [f.object for f in first.memory.facts if _is_own_name(f) and f.object in held]:
            return OwnName(names[0])
    told = to_tell(answers, several=bool(talk.several.search(prompt.text)))
    judges = (question.about_memory or prompt.aim not in OPINIONS) and _of_whom_asked(prompt, first.memory) and not talk.what.search(prompt.text)
    if question.until is not None:
        # What changes the surest is what is so now; where it names no day ("팬미팅은 온라인으로 바뀌었어") the surest of what answers and does.
        changing = [one for one in told if one.memory.id == first.changed_by]
        for one in (*changing, *answers):
            if (left := days_left(one.memory, prompt.at)) is not None:
                return Told((one,), question, left=left)
    # Who is there from the 12th to the 19th is there on the 15th, which the reader does not count out.
    return Told(told, question, prompt.verdict if judges and not within(first.memory, question) else None)


def _of_whom_asked(prompt: Prompt, memory: Memory) -> bool:
    """Whether the memory can say yes or no: not where all it states is of somebody whom the question does not name."""
    subjects = {fact.subject for fact in memory.facts}
    return not subjects or USER in subjects or any(subject.lower() in prompt.text.lower() for subject in subjects)


def _told_of_all(prompt: Prompt, question: Question, listed: Sequence[Memory]) -> Plan:
    """One thing and what changes it are told as such, not as a list."""
    if not listed:
        return _untold(prompt, None if question.everything else question)
    if len(listed) == 2 and any(r.memory.id == listed[1].id and r.changed_by == listed[0].id for r in prompt.recalled):
        return Told((Answer(listed[1], changed_by=listed[0].id), Answer(listed[0])), question)
    return Listing(tuple(sorted(listed, key=_day_of(prompt, question))) if question.ahead else tuple(listed), question.terms)


def _day_of(prompt: Prompt, question: Question) -> Callable[[Memory], datetime]:
    """When what a memory speaks of is to be; of what changes a memory, when that was to be."""
    changes = {r.changed_by: r.memory for r in prompt.recalled if r.changed_by is not None}

    def day(memory: Memory) -> datetime:
        return told_of(changes.get(memory.id, memory), question) or told_of(memory, question) or memory.timestamp

    return day


def _listed(prompt: Prompt, question: Question) -> tuple[Memory, ...] | None:
    """What there is of days, of something or of everything, where that is asked; empty where it is asked about memory and there is nothing."""
    memories = at_hand(prompt)
    if question.listing:
        return to_list([r.memory for r in sorted(prompt.recalled, key=lambda r: r.memory.timestamp, reverse=True)])
    if of_days(question) and not question.everything:
        memories = with_changes([m for m in memories if told_of(m, question)], prompt)
    elif not question.everything:
        return None
    listed = to_list(memories)
    # "앞으로 뭐 하고 싶다고 했지?" may be answered by what names no day.
    return listed if listed or (question.about_memory and not question.ahead) else None


def squash(text: str) -> str:
    """Without spaces, as texts are compared."""
    return "".join(text.split())


# What was just said


def _taken_up(prompt: Prompt, talk: Talk) -> Plan:
    # Who dies in a film is mourned by nobody here.
    label = feeling(prompt) if prompt.speech != "fiction" else "neutral"
    fact = _leading_fact(prompt.facts, label)
    if fact is not None and _is_own_name(fact):
        return Welcome(fact.object, fact.object in _own_names(prompt).values())
    asks = prompt.question is not None and prompt.response == NO_RESPONSE
    wants = asks or (prompt.aim != "none" and not prompt.facts)
    if wants and not (prompt.aim == "musing" and label != "neutral"):  # what is felt about "버스는 왜 안 오냐" matters more than why
        return Small(prompt.aim if prompt.aim != "none" else "wondering" if label in HEAVY else "task")
    before = _same_feeling(prompt, label)
    fits = prompt.response != NO_RESPONSE and not (prompt.response == LOW and label in CROSS)
    if fits and before is None and prompt.decision.reason != "trigger":
        return Fitting(prompt.response)
    return Noted(fact, _kind_of(fact, prompt, talk)) if fact is not None else Felt(label, before)


_ORDER = ("name", "plan", "health", "taste", "relation", "work", "profile")


def _leading_fact(facts: Sequence[Fact], label: str) -> Fact | None:
    """The fact to take up; None where there is none or a feeling matters more: any but what one is called."""
    first = min(facts, key=lambda f: (_ORDER.index(f.category), f.subject != USER), default=None)
    return first if first is not None and (label == "neutral" or _is_own_name(first)) else None


def _kind_of(fact: Fact, prompt: Prompt, talk: Talk) -> str:
    if fact.key and any(
        f.key == fact.key and (f.object, f.polarity, f.when) != (fact.object, fact.polarity, fact.when)
        for r in prompt.recalled
        for f in r.memory.facts
    ):
        return "changed"
    if prompt.decision.reason == "trigger" or (prompt.decision.keep and (fact.predicate == "memo" or not fact.polarity)):
        return "kept"
    if fact.category == "plan":
        return (first_kind(talk.plans, fact.object) or first_kind(talk.plans, prompt.text) or "plan") if fact.predicate == "plan" else "plan"
    if fact.predicate in {"dislike", "allergy"}:
        return "careful" if fact.predicate == "allergy" else "distaste"
    if fact.predicate == "pet" or fact.subject in PETS:
        return "pet"
    return "relation" if fact.category == "name" or (fact.category == "work" and fact.subject != USER) else fact.category


def _same_feeling(prompt: Prompt, label: str) -> Memory | None:
    """A recalled memory of the same feeling; a cheerful one never meets a heavy heart."""
    if label not in HEAVY | WARM or any(at_risk(m.content) for m in prompt.history if m.role == "user"):
        return None
    here = {squash(prompt.text), *(squash(m.content) for m in prompt.history)}
    for one in prompt.recalled:
        memory = one.memory
        same = memory.tone in alike(label) and not {"emotion", "semantic"}.isdisjoint(one.paths)
        if same and squash(memory.text) not in here and not said_at_risk(memory) and memory.timestamp < prompt.at:
            return memory
    return None
