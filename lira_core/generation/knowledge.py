"""What is known that answers a question: the memories that the reader is sure of, and what a list may hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from lira_core.generation.feelings import HEAVY, WARM
from lira_core.generation.feelings import SURE as SURELY_FELT
from lira_core.generation.port import Prompt
from lira_core.languages.terms import terms
from lira_core.memory.asking import ask
from lira_core.memory.facts import extract
from lira_core.memory.following import leaned_on, up_to, whole
from lira_core.memory.listing import LISTED
from lira_core.memory.question import Question
from lira_core.reading.port import ANSWERS
from lira_core.safety import said_at_risk
from lira_core.types import OPINIONS, Memory, RecalledMemory

# A question that does not seem to be about the person is answered from memory only when a memory is this sure to answer it.
SURE = 0.75
# Log odds by which an older memory must be surer than a newer one of the same key to be what was asked for.
MUCH_SURER = 2.0
# Log odds within which a newer memory is told beside the surest, though nothing says that it changes it. Of 1,071 questions that 36 people left out
# asked of what they had typed 79 have one within .5: 35 of these answer too, 15 of them where the surest does not. Of 37 from there to 1 nine do, and
# four; what has nothing to do with the question is what users minded.
NEARLY = 0.5


@dataclass(frozen=True, slots=True)
class Answer:
    """A memory that answers, the words of it that do, where the reader named them, and which memory changes what it says. `clear`: the words alone
    are an answer."""

    memory: Memory
    words: str | None = None
    sure: float = 1.0
    changed_by: str | None = None
    clear: bool = False


def known(prompt: Prompt) -> tuple[Answer, ...]:
    """What answers the prompt's question, the surest first; empty when nothing does."""
    question = prompt.question
    if question is None:
        return ()
    if question.just_now and not question.terms and not question.slots:
        return tuple(Answer(memory) for memory in said_here(prompt)[-1:])
    # Of what does not ask for what was told the reader alone knows whether something answers it: that something is about the same is not enough.
    asked_of = prompt.recalled if question.about_memory else [r for r in prompt.recalled if r.sure is not None]
    asked_of = [r for r in asked_of if not _opposed(question, r.memory)]
    # Nor is whoever asks what LIRA thinks ("am I a bad dad?") told whatever is near it.
    least = ANSWERS if question.about_memory and prompt.aim not in OPINIONS else SURE
    sure = sorted((r for r in asked_of if _sure(r) >= least), key=lambda r: -_sure(r))
    answers = _newest_truth(sure, now=prompt.verdict is not None)
    if not answers and question.just_now:
        here = said_here(prompt)
        return tuple(Answer(m) for m in [m for m in here if set(m.terms) & set(question.terms)][-1:] or here[-1:])
    told: dict[str, Answer] = {}
    for answer in (answer for recalled in answers for answer in _as_told(recalled, prompt.recalled)):
        told.setdefault(answer.memory.id, answer)
    return tuple(told.values())


def _opposed(question: Question, memory: Memory) -> bool:
    """Whether what was surely felt is heavy where a light feeling alone is asked about, or light where a heavy one is."""
    asked, felt = set(question.emotions), memory.emotion.real if memory.emotion else None
    if not asked or felt is None or felt.score < SURELY_FELT:
        return False
    return (asked <= HEAVY and felt.label in WARM) or (asked <= WARM and felt.label in HEAVY)


def _as_told(recalled: RecalledMemory, among: Sequence[RecalledMemory]) -> tuple[Answer, ...]:
    """The memory; of what sets right the line that it leans on, that line, and then what changes it."""
    if line := _set_right(recalled, among):
        sure, later = _sure(recalled), replace(recalled.memory, before=())
        return Answer(line.memory, None, sure, later.id), Answer(later, None, sure, recalled.changed_by)
    memory, words = recalled.memory, None
    if recalled.span:
        memory, words = up_to(memory, recalled.span[1] - 1), whole(memory)[slice(*recalled.span)].strip()
    return (Answer(memory, words, _sure(recalled), recalled.changed_by, recalled.clear),)


def _set_right(recalled: RecalledMemory, among: Sequence[RecalledMemory]) -> RecalledMemory | None:
    """The earlier line that the memory leans on and changes: the reader found that it does, or the words that answer stand in that line and the
    reader is surer of both together than of the line alone ("sorry i meant saturday")."""
    if not recalled.memory.before:
        return None
    line = next((r for r in among if r.memory.id == recalled.memory.before[-1].turn_id), None)
    if line is None or line.changed_by == recalled.memory.id:
        return line
    earlier = recalled.span is not None and up_to(recalled.memory, recalled.span[1] - 1) is not recalled.memory
    return line if earlier and odds(_sure(recalled)) - odds(_sure(line)) > NEARLY else None


def to_tell(answers: Sequence[Answer], *, several: bool) -> tuple[Answer, ...]:
    """The surest, and what changes it; or the one after it where several things are asked for, or where it is newer and nearly as sure: what was
    said later adds to what was said before, while an older one would only tell what is no longer so."""
    if len(answers) < 2:
        return tuple(answers)
    first, *others = answers
    second = next((answer for answer in others if answer.memory.id == first.changed_by), others[0])
    newer = second.memory.timestamp > first.memory.timestamp and odds(first.sure) - odds(second.sure) < NEARLY
    told = (first, second) if several or newer or second.memory.id == first.changed_by else (first,)
    again, texts = leaned_on(answer.memory for answer in told), ["".join(whole(answer.memory).casefold().split()) for answer in told]
    # Of lines kept as one the same earlier one may answer twice, alone and after another.
    once = [answer for i, answer in enumerate(told) if not any(texts[i].rstrip(".!?") in text for text in texts[:i])]
    return tuple(answer for answer in once if answer.memory.id not in again)


def at_hand(prompt: Prompt) -> list[Memory]:
    """What was recalled, and the facts of this session's lines, newest first. What else was said in it and is not among the recalled was not worth
    keeping, or asked: what asks without a question mark is a question to the models only."""
    return sorted([*(r.memory for r in prompt.recalled), *(m for m in said_here(prompt) if m.facts)], key=lambda m: m.timestamp, reverse=True)


def with_changes(memories: Sequence[Memory], prompt: Prompt) -> list[Memory]:
    """Memories, and what was recalled that changes what they say, newest first."""
    of = {memory.id for memory in memories}
    changing = {r.changed_by for r in prompt.recalled if r.memory.id in of} - of
    return sorted([*memories, *(r.memory for r in prompt.recalled if r.memory.id in changing)], key=lambda m: m.timestamp, reverse=True)


def to_list(newest_first: Sequence[Memory]) -> tuple[Memory, ...]:
    """What of the memories still holds: of the facts of one key the newest, of the same words one; nothing of who sounded at risk."""
    seen: set[str] = set()
    told = leaned_on(newest_first)
    out = []
    for memory in newest_first:
        keys = {f.key for f in memory.facts if f.key is not None}
        said = "".join(whole(memory).split())
        if said not in seen and not (keys and keys <= seen) and memory.id not in told and not said_at_risk(memory):
            out.append(memory)
        seen |= {said, *keys}
    return tuple(out[:LISTED])


def _newest_truth(answers: Sequence[RecalledMemory], *, now: bool) -> list[RecalledMemory]:
    """Of memories that decide the same thing (a fact of one key) one stays: the newest, unless an older one is much surer, as it is where the
    question asks for what was before. Yes and no are said of what is so `now`: there the newest alone."""
    kept: list[RecalledMemory] = []
    for one in answers:
        rival = next((i for i, other in enumerate(kept) if _keys(one) & _keys(other)), None)
        if rival is None:
            kept.append(one)
        elif one.memory.timestamp > kept[rival].memory.timestamp and (now or odds(_sure(kept[rival])) - odds(_sure(one)) < MUCH_SURER):
            kept[rival] = one
    return kept


def _keys(recalled: RecalledMemory) -> set[str]:
    return {f.key for f in recalled.memory.facts if f.key is not None}


def _sure(recalled: RecalledMemory) -> float:
    """While the reader is away, how certain it is that the memory is about the same thing."""
    return recalled.sure if recalled.sure is not None else recalled.certainty or 0.0


def said_here(prompt: Prompt) -> list[Memory]:
    """The person's statements of this session, oldest first, as memories a minute apart."""
    lines = [message.content for message in prompt.history if message.role == "user"]
    out = []
    for i, text in enumerate(lines):
        at = prompt.at - timedelta(minutes=len(lines) - i)
        if ask(text, at) is None:
            out.append(Memory(f"session:{i}", "", text, at, facts=extract(text, at), terms=tuple(terms(text))))
    return out


def odds(probability: float) -> float:
    """Log odds, finite also at 0 and 1."""
    p = min(max(probability, 1e-6), 1 - 1e-6)
    return math.log(p / (1 - p))
