"""A plan in Korean: one or two polite sentences, in the person's own words where they are repeated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from lira_core.dates.finding import find, last_day
from lira_core.dates.finding import say as say_when
from lira_core.generation.choice import choose, fitting, fresh
from lira_core.generation.dated import dated
from lira_core.generation.feelings import WARM
from lira_core.generation.knowledge import Answer
from lira_core.generation.plan import Felt, Fitting, HardTime, Listing, Noted, Offer, OnCalendar, OwnName, Plan, Small, Told, Unknown, Welcome, squash
from lira_core.generation.port import Prompt
from lira_core.language import language_of
from lira_core.languages.ko import wordings as say
from lira_core.languages.ko.morphemes import tokens
from lira_core.languages.ko.particles import honoured, is_, topic
from lira_core.languages.ko.retelling import Clause, Sentence, adding, noticing, sentences, told
from lira_core.memory.following import whole
from lira_core.memory.question import Question
from lira_core.responses import RESPONSES
from lira_core.safety.wording import WORDING
from lira_core.types import USER, Fact, Memory

# Longer than this (characters) a clause is not repeated to the person; it would sound like an echo.
LONGEST_ECHO = 45
# A memory up to this long (characters) is told whole, of a longer one the sentence that answers.
ROOM = 80
# So many words at most, before what answers, answer what LIRA said ("오 ai구나.", "고마워요."), and are not told.
OPENING = 2
# Chat that LIRA does not repeat, and idioms that mean nothing of what they say.
_UNSAYABLE = re.compile(r"쩔|쩐|째지|째졌|존나|빡|씨발|시발|병신|지랄|미친|개같|ㄹㅇ|겄|죽겠|죽는 줄|미치겠|돌겠")
_NOUNS = re.compile(r"NN|NR|NP|SN|SL|XSN")
"""What the last morpheme of a noun phrase is, in Kiwi's tags."""
_PROMISES = re.compile(r"(?:기억(?:해 둘|할)|잊지 않을|적어 둘|알아 둘|알고 있을|간직할|담아 둘|챙겨 둘|새겨 둘)게요")
"""Wordings that promise to remember."""


def render(plan: Plan, prompt: Prompt) -> str:
    """The plan in words."""
    match plan:
        case Told():
            return _told(plan, prompt)
        case OwnName(name):
            return f"{is_(honoured(name))}."
        case HardTime():
            return say.HARD_TIME
        case Unknown(question):
            return _unknown(question, prompt)
        case Listing(memories, about):
            return _listed(memories, prompt.at, about)
        case Offer(memories):
            return f"{_listed(memories, prompt.at)} {WORDING['ko'].offer}"
        case Small(kind, name):
            wordings = say.GREETING_NAMED if name else say.SMALL[kind]
            return fresh(wordings, prompt.history, prompt.text, str(len(prompt.history))).format(name=honoured(name or ""))
        case OnCalendar(when, granularity, left):
            return f"{'지금은 ' if granularity == 'minute' else ''}{_left(left)}{is_(say_when(when, granularity, 'ko', prompt.at))}."
        case Welcome(name, again):
            return choose(say.AGAIN if again else say.WELCOME, prompt.text).format(name=honoured(name))
        case Noted(fact, kind):
            return _noted(fact, kind, prompt)
        case Fitting(kind):
            return fitting(RESPONSES[kind].wordings["ko"], _PROMISES, prompt)
        case Felt():
            return _felt(plan, prompt)


# What was told before

_SAID = ("하셨어요", "하셨어요", "말씀하셨어요", "하셨죠")
_ALSO = ("도 하셨어요", "도 말씀하셨어요")


_QUOTE = ("이렇게 말씀하셨어요: {}.", "이런 이야기를 해 주셨어요: {}.", "이렇게 들었어요: {}.")
_QUOTE_ALSO = "이런 말씀도 하셨어요: {}."
_LATER = "그 뒤에는 "
"""Before what changes what is told first."""


@dataclass(frozen=True, slots=True)
class Retold:
    """What was told: "…다고", or, where it is `quoted`, the person's own words, which are told after a colon: "-음이라고", "-요라고" is no Korean."""

    words: str
    quoted: bool


def _told(plan: Told, prompt: Prompt) -> str:
    first, *more = [retold(answer, prompt.at, plan.question.terms) for answer in plan.answers]
    yes = {"yes": "네, ", "no": "아니요, ", None: ""}[plan.verdict]
    also = [
        _LATER + _once(one, prompt)
        if answer.memory.id == plan.answers[0].changed_by
        else _QUOTE_ALSO.format(one.words)
        if one.quoted
        else f"{one.words}{choose(_ALSO, prompt.text, one.words)}."
        for answer, one in zip(plan.answers[1:], more, strict=True)
    ]
    alone = _left(plan.left) or (_alone(plan.answers[0], prompt.at) if first.quoted and not yes and not also else "")
    return " ".join([alone + yes + _once(first, prompt), *also])


def _left(days: int | None) -> str:
    """So many days before something that was asked for: "16일 남았어요. "; nothing where none are asked for."""
    return "" if days is None else "오늘이에요. " if days == 0 else f"{days}일 남았어요. "


def _alone(answer: Answer, now: datetime) -> str:
    """The words that answer, before what was said, where they are clear, a noun and few: "똘이예요. "; else nothing."""
    words = (answer.words or "").strip(" .,!?~")
    if not answer.clear or not words or 2 * len(words) > len(whole(answer.memory)) or not _NOUNS.match(tokens(words)[-1].tag):
        return ""
    return f"{is_(dated(words, answer.memory.timestamp, now))}. "


def _once(told: Retold, prompt: Prompt) -> str:
    return choose(_QUOTE, prompt.text, told.words).format(told.words) if told.quoted else f"{told.words} {choose(_SAID, prompt.text, told.words)}."


def _listed(memories: Sequence[Memory], now: datetime, about: Sequence[str] = ()) -> str:
    """What is told in indirect speech, then what is quoted; either newest first, as `memories` are."""
    said = [short(memory, now, about) for memory in memories]
    plain, quoted = [s.words for s in said if not s.quoted], [s.words for s in said if s.quoted]
    out = [f"{', '.join(plain)} 하셨어요."] if plain else []
    words = " / ".join(quoted)
    return " ".join([*out, (_QUOTE_ALSO if plain else choose(_QUOTE, words)).format(words)] if quoted else out)


def retold(answer: Answer, now: datetime, about: Sequence[str] = ()) -> Retold:
    """A memory, its relative dates made absolute unless it was said today: of a long one what answers.

    Plain sentences become indirect speech. Where one is not plain, or the words that answer would be lost, the person's own words stand.
    """
    memory = answer.memory
    if language_of(whole(memory)) == "en":
        return Retold(whole(memory).rstrip(" .!?"), quoted=True)
    everything = sentences(whole(memory))
    chosen = _answering(everything, answer.words, about, 0 if memory.before else OPENING)
    own = [dated(s.text, memory.timestamp, now, _day_before(s, everything, memory.timestamp)) for s in chosen]
    plain = [c for s, text in zip(chosen, own, strict=True) if (c := s.clause if text == s.text else _clause_of(text)) is not None]
    if not own or len(plain) < len(own):
        return Retold(" ".join(f"{text}." for text in own or [dated(whole(memory), memory.timestamp, now)]).rstrip(" .!?~"), quoted=True)
    return Retold(" ".join([*(adding(c) for c in plain[:-1]), told(plain[-1])]), quoted=False)


def _day_before(sentence: Sentence, everything: Sequence[Sentence], said: datetime) -> date | None:
    """The last day that was named before the sentence."""
    since: date | None = None
    for earlier in everything:
        if earlier is sentence:
            break
        since = last_day(find(earlier.text, said, since), since)
    return since


def _clause_of(text: str) -> Clause | None:
    found = sentences(text)
    return found[0].clause if len(found) == 1 else None


def _answering(found: Sequence[Sentence], words: str | None, about: Sequence[str], opening: int) -> list[Sentence]:
    """All that was told where it is short, but for what only opens it, of `opening` words at most, else the sentences with the words that answer, or
    that share most with what was asked."""
    said = [s for s in found if not s.asks] or list(found)
    held = [i for i, s in enumerate(said) if words and (squash(words) in squash(s.text) or (len(s.text) > 8 and squash(s.text) in squash(words)))]
    if sum(len(s.text) for s in said) <= ROOM:
        first = next((i for i, s in enumerate(said) if i in held[:1] or len(s.text.split()) > opening), 0) if held else 0
        return said[first:]
    return [said[i] for i in held] or [max(said, key=lambda s: (sum(term in s.text for term in about), len(s.text)))]


def short(memory: Memory, now: datetime, about: Sequence[str] = ()) -> Retold:
    """A memory as it is listed."""
    return retold(Answer(memory), now, about)


_SLOT_NAMES = {
    "name": "이름", "nickname": "별명", "age": "나이", "birthday": "생일", "blood_type": "혈액형", "mbti": "MBTI", "height": "키", "weight": "몸무게",
    "hometown": "고향", "live_in": "사는 곳", "nationality": "국적", "religion": "종교", "phone": "전화번호", "school": "학교", "major": "전공",
    "job": "직업", "workplace": "직장", "hobby": "취미", "allergy": "알레르기", "family": "가족", "pet": "반려동물", "plan": "일정",
    "medicine": "드시는 약", "like": "좋아하시는 것", "zodiac": "띠", "anniversary": "기념일",
}  # fmt: skip


def _unknown(question: Question | None, prompt: Prompt) -> str:
    if question is None:
        return say.NOTHING_YET
    what = _asked_for(question)
    return fresh(say.UNKNOWN, prompt.history, prompt.text) if what is None else choose(say.UNKNOWN_OF, prompt.text).format(what=topic(what))


def _asked_for(question: Question) -> str | None:
    whose, predicate = question.slots[0] if question.slots else (None, "")
    name = _SLOT_NAMES.get(predicate)
    return name if name is None or whose in {None, USER} else f"{whose} {name}"


# What was just said


def _echoes(text: str) -> list[Clause]:
    """The plain statements that can be repeated to the person's face."""
    clauses = [s.clause for s in sentences(text) if s.clause is not None and not _UNSAYABLE.search(s.text)]
    return [c for c in clauses if len(c.lead) <= LONGEST_ECHO]


def _noted(fact: Fact, kind: str, prompt: Prompt) -> str:
    text = prompt.text
    words = fact.object.split()
    about = [c for c in _echoes(text) if any(word in c.lead + c.lemma for word in words)]
    after = fitting(say.AFTER[kind], _PROMISES, prompt, kind, otherwise=say.AFTER["relation"])
    if not about:
        heard = fitting(say.AFTER["kept"], _PROMISES, prompt, otherwise=say.HEARD)
        return after if kind == "kept" or after.startswith("네") else f"{heard} {after}"
    return f"{noticing(max(about, key=lambda c: c.weight))}. {after}"


def _felt(plan: Felt, prompt: Prompt) -> str:
    """Empathy, then what is remembered of such a time. What happened is not repeated: what no kind of reply was heard for is irony, dialect or a long
    story, and said back with a feeling put to it it was judged wrong in two of five lines, without it in one of thirty (`docs/quality.md`)."""
    if say.TONES[plan.label] is say.TONES["neutral"]:
        return _heard(prompt)
    first = fresh(say.TONES[plan.label], prompt.history, prompt.text)
    again = retold(Answer(plan.before), prompt.at) if plan.before is not None else None
    # Own words are no part of a sentence of LIRA's ("처음으로라고 하셨는데").
    if again is None or again.quoted or not again.words or len(again.words) > LONGEST_ECHO:
        return f"{first} {fresh(say.MORE, prompt.history, prompt.text)}".rstrip()
    return f"{first} {(say.BEFORE_WARM if plan.label in WARM else say.BEFORE_HEAVY).format(said=again.words)}"


def _heard(prompt: Prompt) -> str:
    """What was told without a feeling. Repeated is only what the person asks to remember: so it shows what is."""
    text, history = prompt.text, prompt.history
    if prompt.decision.reason == "trigger":
        clause = max(_echoes(text), key=lambda c: c.weight, default=None)
        after = fresh(say.AFTER["kept"], history, text, "next")
        return f"{noticing(clause)}. {after}" if clause is not None else after
    if prompt.decision.keep:
        return fresh(say.AFTER["told"], history, text)
    return f"{fresh(say.TONES['neutral'], history, text)} {fresh(say.GO_ON, history, text, 'next')}"
