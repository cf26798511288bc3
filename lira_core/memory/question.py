# ruff: noqa: E501 (tables read better in wide rows)
"""What a question is, the words for feelings, and the span of time that a question names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from lira_core.dates import Span, find

Wants = Literal["what", "who", "where", "when", "why", "how", "howmany", "yesno"]
Slot = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what of the person's memory would answer it.

    `about_memory`: it asks about the person's life (their name, taste, plan, people, what they said or felt), not about the world or LIRA.
    `slots`: (subject, predicate) pairs that a fact must have to answer, best first; subject None is whoever;
    empty when the question names no known slot. `terms`: content terms that an answering memory should share
    (without question words, dates, and the nouns that `slots` already say). `value`: the object a yes/no or taste question
    names ("내가 커피를 좋아하나?" names "커피"), or the category asked for ("좋아하는 과일" names "과일").
    `emotions`: GoEmotions labels asked about ("언제 기뻤지?" is joy), best first.
    `session_only`: it asks for what was just said ("아까 내가 뭐라고 했지?").
    `when`: the span of time asked about ("20일에", "9월에"), from its start to its end, which is excluded.
    """

    wants: Wants
    about_memory: bool
    slots: tuple[Slot, ...] = ()
    terms: tuple[str, ...] = ()
    value: str | None = None
    emotions: tuple[str, ...] = ()
    session_only: bool = False
    when: tuple[datetime, datetime] | None = None


EMOTION_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "기쁘": ("joy", "excitement", "pride"), "기뻐": ("joy", "excitement"), "기뻤": ("joy", "excitement"), "기쁜": ("joy", "excitement", "pride"), "기쁨": ("joy",), "행복": ("joy", "love"), "즐거": ("joy", "amusement"), "즐겁": ("joy", "amusement"),
    "신나": ("excitement", "joy"), "신났": ("excitement", "joy"), "신난": ("excitement", "joy"), "좋았": ("joy", "admiration"), "벅차": ("joy", "pride"), "벅찼": ("joy", "pride"), "감동": ("joy", "admiration", "gratitude"), "감격": ("joy", "gratitude"), "짜릿": ("excitement",),
    "꿈만 같": ("joy", "excitement"), "후련": ("relief",), "안도": ("relief",), "안심": ("relief",), "다행": ("relief",), "날아갈": ("joy", "excitement"), "들떠": ("excitement",), "들떴": ("excitement",), "뿌듯": ("pride", "joy"), "자랑": ("pride",),
    "슬프": ("sadness", "grief"), "슬펐": ("sadness", "grief"), "슬퍼": ("sadness", "grief"), "슬픈": ("sadness", "grief"), "우울": ("sadness", "disappointment"), "속상": ("sadness", "disappointment", "annoyance"), "눈물": ("sadness", "grief", "joy"),
    "울었": ("sadness", "grief"), "울고": ("sadness", "grief"), "운다고": ("sadness", "grief"), "울던": ("sadness", "grief"), "울면": ("sadness", "grief"), "운 날": ("sadness", "grief"), "서러": ("sadness",), "서럽": ("sadness",), "마음 아": ("sadness",), "마음이 아": ("sadness",),
    "힘들": ("sadness", "disappointment", "nervousness"), "힘든": ("sadness", "disappointment", "nervousness"), "괴로": ("sadness",), "괴롭": ("sadness",), "막막": ("nervousness", "sadness"), "심란": ("nervousness", "sadness"), "허전": ("sadness",), "허탈": ("disappointment",), "좌절": ("disappointment",), "낙담": ("disappointment",),
    "화나": ("anger", "annoyance"), "화났": ("anger", "annoyance"), "화가 나": ("anger", "annoyance"), "화가 났": ("anger", "annoyance"), "화가 난": ("anger", "annoyance"), "화낸": ("anger", "annoyance"), "화내": ("anger", "annoyance"), "화냈": ("anger", "annoyance"), "화난": ("anger", "annoyance"), "분해": ("anger",), "분하": ("anger",), "분했": ("anger",), "분노": ("anger",),
    "열받": ("anger", "annoyance"), "열 받": ("anger", "annoyance"), "빡치": ("anger", "annoyance"), "빡쳤": ("anger", "annoyance"), "빡친": ("anger", "annoyance"), "짜증": ("annoyance", "anger"), "억울": ("anger", "disappointment", "annoyance"), "미치겠": ("nervousness", "annoyance", "sadness"), "스트레스": ("annoyance", "nervousness"),
    "불안": ("nervousness", "fear"), "걱정": ("nervousness", "fear", "caring"), "초조": ("nervousness",), "무서": ("fear", "nervousness"), "무섭": ("fear", "nervousness"), "두려": ("fear", "nervousness"), "두렵": ("fear", "nervousness"), "긴장": ("nervousness", "fear"), "떨렸": ("nervousness",), "떨리": ("nervousness",), "설레": ("excitement", "desire"), "설렜": ("excitement", "desire"),
    "고마": ("gratitude",), "고맙": ("gratitude",), "감사": ("gratitude",), "미안": ("remorse",), "후회": ("remorse", "disappointment"), "외로": ("sadness",), "외롭": ("sadness",), "서운": ("disappointment", "sadness"), "섭섭": ("disappointment", "sadness"), "실망": ("disappointment",),
    "놀라": ("surprise",), "놀랐": ("surprise",), "놀란": ("surprise",), "당황": ("surprise", "confusion", "embarrassment"), "황당": ("surprise", "annoyance"), "아쉬": ("disappointment",), "아쉽": ("disappointment",), "창피": ("embarrassment",), "부끄": ("embarrassment",), "쪽팔": ("embarrassment",), "민망": ("embarrassment",),
    "답답": ("annoyance", "disappointment"), "지쳤": ("sadness", "disappointment"), "지친": ("sadness", "disappointment"), "그리워": ("sadness", "love"), "그리운": ("sadness", "love"), "그립": ("sadness", "love"),
    "happy": ("joy", "excitement"), "glad": ("joy",), "thrilled": ("joy", "excitement"), "overjoyed": ("joy", "excitement"), "delighted": ("joy",), "over the moon": ("joy", "excitement"), "relieved": ("relief",), "sad": ("sadness", "grief"), "heartbroken": ("sadness", "grief"), "devastated": ("sadness", "grief"), "crying": ("sadness", "joy"), "cried": ("sadness", "joy"), "cry": ("sadness", "joy"), "in tears": ("sadness", "joy"),
    "angry": ("anger", "annoyance"), "mad": ("anger",), "furious": ("anger",), "upset": ("sadness", "disappointment", "annoyance"), "annoyed": ("annoyance",), "frustrated": ("annoyance", "disappointment"), "excited": ("excitement", "joy"),
    "nervous": ("nervousness", "fear"), "worried": ("nervousness", "fear"), "anxious": ("nervousness", "fear"), "afraid": ("fear",), "scared": ("fear",), "proud": ("pride",), "grateful": ("gratitude",), "thankful": ("gratitude",), "guilty": ("remorse",), "sorry": ("remorse",), "lonely": ("sadness",),
    "disappointed": ("disappointment",), "stressed": ("nervousness", "annoyance"), "depressed": ("sadness",), "embarrassed": ("embarrassment",), "ashamed": ("embarrassment", "remorse"), "surprised": ("surprise",), "shocked": ("surprise",),
}  # fmt: skip
"""The beginning of a feeling's word to the GoEmotions labels it may have been read as, likeliest first."""

_FEELINGS: Final = tuple((re.compile(rf"\b{word}\b" if word.isascii() else rf"(?<![가-힣]){word}"), labels) for word, labels in EMOTION_WORDS.items())


_REPORTED: Final = re.compile(
    r"(?:다|라|자|냐)고\s*(?:했|그랬|말했|하셨)|기로\s*(?:했|한|하였|됐|된|정)|(?:댔|랬)(?:지|죠|나|더라|어)|(?:다|라)\s*그랬"
)
_LASTS: Final = {"day": 1, "weekend": 2, "week": 7, "minute": 1, "clock": 1, "part": 1}
"""Days that an expression covers: a time of day asks of its whole day, since what was told may have been told without the hour."""


def emotions_of(words: str) -> tuple[str, ...]:
    """The labels of every feeling named, in the order of the table."""
    lowered = words.lower()
    return tuple(dict.fromkeys(label for pattern, labels in _FEELINGS if pattern.search(lowered) for label in labels))


def dates_of(words: str, at: datetime) -> tuple[Span, ...]:
    """The dates in a question. "20일에 온다고 했지" reports in the past what may be yet to come: the report is not read for the day's sake."""
    reported = _REPORTED.search(words)
    # "주말 알바" works at every weekend, "주말에" is the coming or the last one.
    spans = tuple(s for s in find(words, at) if s.text.strip() != "주말" or re.match(r"에|날|동안|까지", words[s.end :]))
    if reported is None:
        return spans
    before = {(s.start, s.end): s for s in find(words[: reported.start()], at)}
    return tuple(before.get((s.start, s.end), s) for s in spans)


def asked_span(spans: tuple[Span, ...]) -> tuple[datetime, datetime] | None:
    """From the start of the first day, week, month or year named to its end; None when only a time of day or nothing is."""
    span = next((s for s in spans if s.day_said and not re.search(r"\d\s*(?:시간|분)|hours?|minutes?", s.text)), None)
    if span is None:
        return None
    start = span.when.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if span.granularity == "year":
            return start.replace(month=1, day=1), start.replace(year=start.year + 1, month=1, day=1)
        if span.granularity == "month":
            first = start.replace(day=1)
            return first, (first + timedelta(days=32)).replace(day=1)
        return start, start + timedelta(days=_LASTS[span.granularity])
    except (ValueError, OverflowError):
        return None


def undated(words: str, spans: tuple[Span, ...]) -> str:
    """The words with every date blanked."""
    for span in reversed(spans):
        words = words[: span.start] + " " * (span.end - span.start) + words[span.end :]
    return words
