# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""What a Korean question names: a slot by its noun, days, a feeling, all there is, what was just said.

Whether it asks, and whether about the person, is the model's to say (`memory.asking`); where the model was missed, the form does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from lira_core.dates.finding import find, find_asked
from lira_core.dates.span import Span
from lira_core.languages.categories import is_kind
from lira_core.languages.ko.asking import asking, asks_itself, segments, spelled
from lira_core.languages.ko.attributes import attribute_of
from lira_core.languages.ko.clauses import WH, Clause, Phrase, clauses, clean
from lira_core.languages.ko.feelings import MOOD, NAMED
from lira_core.languages.ko.morphemes import terms as terms_of
from lira_core.languages.ko.names import looks_like_name
from lira_core.languages.people import KIN, wordings
from lira_core.memory.question import Question, Slot, asked_span, emotions_of, from_now_on, undated
from lira_core.types import USER

_EVERYTHING: Final = re.compile(
    r"(?<![가-힣])(?:나|저)(?:를|에\s*대해서?|에\s*관해|에\s*대한)\s*.*(?:뭐|뭘|무엇|아는|알|기억|정보)|^(?:너\s*)?(?:혹시\s*)?날\s*(?:알|기억)|내가\s*(?:어떤|무슨)\s*사람"
)
_JUST_NOW: Final = re.compile(r"아까|방금|좀\s*전|조금\s*전|금방|바로\s*전|지금까지|이번\s*대화|아깐")
_AHEAD: Final = re.compile(r"앞으로(?:의)?|다가[오올]\S?|(?<![가-힣])남은|(?<![가-힣])예정(?!일)|다음에(?=\s*(?:또\s*)?(?:뭐|무슨|무엇))")
"""What is to come, whichever day."""
_EACH: Final = re.compile(r"뭐|무엇|무슨|어떤|모두|전부|다(?=\s)|정리|알려|말해")
_TO_LIRA: Final = re.compile(r"(?<![가-힣])(?:너|넌|너는|네가|니가|너도|당신\S{0,2}|리라\S{0,2}|널|그쪽\S{0,2})(?=[\s,?]|$)")
_REASON: Final = re.compile(r"(?<![가-힣])왜(?![냐인])|이유|계기|어쩌다")
_ALL: Final = re.compile(r"(?:\s+(?:둘|셋|모두|전부|다|좀))+$")
_WORDINGS: Final = (
    (re.compile(r"(?:^|\s)(?:나|난|내가|저|제가)\s*누(?:구(?:야|예요|이?게|라고|였|지|임|인지)|군지)"), ("name",)),
    (re.compile(r"몇\s*(?:살|세)(?![가-힣]*\s*때)"), ("age", "birthday")),
    (re.compile(r"어디\s*(?:에|에서|서)?\s*(?:지금\s*)?(?:살|사(?:시|세|셔|신|니|냐|는|나)|산(?:다|댔|대))|사는\s*(?:곳|데|동네)"), ("live_in",)),
    (re.compile(r"(?:뭐|뭘|무엇을?|무얼)\s*(?:제일\s*|가장\s*)?좋아"), ("like", "favorite")),
)
"""The wordings that name a slot without its noun and leave no doubt."""
_UNTIL: Final = re.compile(
    r"(?P<what>.*?[가-힣A-Za-z\d)])(?:\s*언제[가-힣]*[\s?.,!~]+)?(?:\s?까지(?:\s*(?:이제|앞으로|아직))?\s*(?:DAYS|얼마나?)|(?:[이가은는])?\s*DAYS)"
    r"(?:이나|정도|쯤)?\s*(?:더\s*)?(?:남[가-힣]+(?:\s?[거건것][가-힣]*)?|뒤[가-힣]*|자면\s?[가-힣]+)[\s?!.~ㅋㅎㅠㅜ]*".replace(
        "DAYS", r"(?:[며메]칠|몇\s?(?:일|밤|주|달|개월))"
    )
)
_REPORTED: Final = re.compile(
    r"(?:다|라|자|냐)고\s*(?:했|그랬|말했|하셨)|기로\s*(?:했|한|하였|됐|된|정)|(?:댔|랬)(?:지|죠|나|더라|어)|(?:다|라)\s*그랬"
)
_RECALLED: Final = re.compile(r"[었았였했갔왔봤샀났됐셨댔랬]\S?(?:지|죠|더라|나요?)|더라|기로\s*[했한]")
_DROPPED: Final = frozenset(
    "뭐 무엇 어디 언제 누구 왜 몇 무슨 어떤 어느 며칠 얼마 기억 기억나 알 알리 말 말하 말씀 하 하하 나 내 저 제 우리 이유 거 것 뭘 더라 혹시 얘기 이야기 아까 방금 대해 대하 정보 까먹 잊 말해주 가르치 맞추 물어보 날 일 사람 애 분 곳 데 적 시 월 달 년 살 점 마리 명 "
    "요즘 요새 최근 전 이제 아직 지금 정확 결국 다시 예전 뒤 때문 땜 계기 원인 편 정도 둘 셋 다음 이번 지난 그러 이러 그렇 이렇 있 없 되 맞 부르 올해 이 가지 주로 보통 새로 초 말 중순 처음 무렵 즈음 하루종일 기분 순간 일정 약속 정리 요약 날짜 장소 시간 계획 스케줄 요일".split()
)
"""Terms of nearly every question: no memory is found by them."""
LOOKED_AT: Final = 50
"""Of a text that asks more often only the last so many questions are read: nobody's question has as many before it."""


def ask(text: str, at: datetime) -> Question | None:
    """What the question in `text` names; None when none is asked. Of several, the last about the person."""
    text = clean(spelled(text))
    parts = segments(clauses(text, at))
    asks = [i for i, one in enumerate(asking(parts, text)) if one]
    last: Question | None = None
    for i in reversed(asks[-LOOKED_AT:]):
        question = _named(parts[i], text, at)
        if i and not (question.slots or question.terms or question.emotions or question.everything or question.just_now):
            # "나 못 먹는 과일 있다고 했잖아, 뭐였지?": what it asks about was said just before.
            question = _named([*parts[i - 1], *parts[i]], text, at)
        if question.about_memory:
            return question
        last = last or question
    return last


def until(text: str) -> str | None:
    """Of a question how long it still is until something the question when that is: "시험까지 며칠 남았어?" is "시험 언제야?"."""
    found = _UNTIL.fullmatch(text.strip())
    return f"{found['what']} 언제야?" if found else None


def _named(segment: Sequence[Clause], text: str, at: datetime) -> Question:
    words = text[segment[0].start : max(c.end for c in segment) + 4].strip()
    spans = _dates(words, at)
    plain = undated(words, spans)
    ahead = bool(_AHEAD.search(plain))
    plain = _AHEAD.sub(lambda m: " " * len(m[0]), plain)
    emotions = emotions_of(plain, NAMED)
    nouns, slots = _slots([p for c in segment for p in _phrases(c)], plain)
    close = any(p.text in KIN or p.owner in KIN for c in segment for p in c.phrases)
    mine = asks_itself(words) or bool(slots) or close or bool(_RECALLED.search(words))
    said = set(terms_of(" ".join(nouns))) | ({"좋아하", "살", "사", "나이"} if slots and not nouns else set())
    terms = tuple(t for t in dict.fromkeys(terms_of(MOOD.sub(" ", plain))) if t not in _DROPPED | said and not t.isdigit())
    # "내 일정 뭐 있어?" names no day either, and asks for none that is over.
    ahead = not spans and (ahead or (bool(slots) and not terms and bool(_EACH.search(plain)))) and all(slot[1] == "plan" for slot in slots)
    return Question(
        about_memory=(mine or (ahead and not terms)) and not _TO_LIRA.search(words),
        slots=() if emotions or _REASON.search(words) else slots,
        terms=terms,
        emotions=emotions,
        when=from_now_on(at) if ahead else asked_span(spans),
        ahead=ahead,
        just_now=bool(_JUST_NOW.search(words)) and not slots,
        everything=bool(_EVERYTHING.search(plain)),
        mood=not emotions and bool(MOOD.search(plain)),
    )


def _phrases(clause: Clause) -> Iterator[Phrase]:
    for phrase in clause.phrases:
        if phrase.clause is not None:
            yield from phrase.clause.phrases
        yield phrase


def _slots(phrases: Sequence[Phrase], words: str) -> tuple[list[str], tuple[Slot, ...]]:
    """The nouns that name a slot, and for each whose it is."""
    spoken_of = next((p.text.split()[-1] for p in phrases if p.case in {"topic", "subject", "bare"} and p.text.split()[-1] in KIN), None)
    named = next((_bare(p.text) for p in phrases if p.case in {"topic", "subject"} and looks_like_name(_bare(p.text))), None)
    anyone = spoken_of or named or (USER if asks_itself(words) else None)
    slots: list[Slot] = []
    nouns: list[str] = []
    for phrase in phrases:
        predicate = attribute_of(_ALL.sub("", phrase.text))
        whose = _whose(phrase, anyone) if predicate else None
        if predicate == "plan":
            slots.append((None, predicate))
        elif predicate and whose:
            slots += [(one, predicate) for one in (wordings(whose) if whose in KIN else (whose,))]
            nouns.append(_ALL.sub("", phrase.text).split()[-1])
    if anyone and not slots and any(p.text.split()[-1] != "것" and is_kind(p.text.split()[-1]) for p in phrases) and "좋아하" in words:
        slots += [(anyone, "like"), (anyone, "favorite")]  # "내가 좋아하는 과일이 뭐더라"
    for pattern, predicates in _WORDINGS:
        if not slots and anyone and pattern.search(words):
            slots += [(one, p) for one in (wordings(anyone) if anyone in KIN else (anyone,)) for p in predicates]
    return nouns, tuple(dict.fromkeys(slots))


def _whose(phrase: Phrase, anyone: str | None) -> str | None:
    """Whose slot a phrase names ("아들 이름", "민수 생일"); None where it is a thing's, or of somebody known only by what they did."""
    before = " ".join(word for word in _ALL.sub("", phrase.text).split()[:-1] if word not in WH) or (phrase.owner or "")
    last = before.split()[-1] if before.split() else ""
    if last in KIN:
        return last
    if before and phrase.owner != "나":
        return _bare(before) if looks_like_name(_bare(before)) else None
    return None if phrase.clause is not None or (before and before != "나") else anyone


def _bare(name: str) -> str:
    """A name without its 씨 or 이."""
    name = re.sub(r"\s*(?:씨|님)$", "", name)
    return name[:-1] if 3 <= len(name) <= 4 and name.endswith("이") and (ord(name[-2]) - 0xAC00) % 28 else name


def _dates(words: str, at: datetime) -> tuple[Span, ...]:
    """The dates in a question. "20일에 온다고 했지" reports in the past what may be yet to come: the report is not read for the day's sake."""
    # "주말 알바" works at every weekend, "주말에" is the coming or the last one.
    spans = tuple(s for s in find_asked(words, at) if s.text.strip() != "주말" or re.match(r"에|날|동안|까지", words[s.end :]))
    if (reported := _REPORTED.search(words)) is None:
        return spans
    before = {(s.start, s.end): s for s in find(words[: reported.start()], at)}
    return tuple(before.get((s.start, s.end), s) for s in spans)
