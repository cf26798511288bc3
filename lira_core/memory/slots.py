# ruff: noqa: SIM905 (tables and patterns read better in wide rows)
"""The slot vocabulary: every predicate a `Fact` may have, and how its key says what a newer statement replaces.

Subjects are `USER` or the person, pet or thing as named by the speaker without possessive ("여동생", "민수", "강아지", "sister").

Keys: the subject is left out of a taste or a plan of the speaker, since those are by far the most common.

| key                      | decides                                  | example                                              |
|--------------------------|------------------------------------------|------------------------------------------------------|
| `<predicate>:<subject>`  | a slot with one value                    | `name:user`, `live_in:여동생`, `job:user`            |
| `taste:<object>`         | like and dislike of one object           | `taste:커피`; of somebody else `taste:민수:커피`     |
| `favorite:<category>`    | the best of a kind                       | `favorite:과일`; `favorite:민수:과일`                |
| `plan:<what>`            | a meeting, a trip, an exam to come       | `plan:미팅`; a moved one has the same (`plan_topic`) |
| `plan:<who>:<what>`      | a plan named by nothing but its company  | `plan:지은:약속`                                     |
| `<predicate>:<object>`   | a slot with many values, each on its own | `allergy:땅콩`, `pet:강아지`, `hobby:등산`           |
| `attribute:<subject>:<of>` | any other "X of mine is Y"             | `attribute:user:사물함 비밀번호`                     |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lira_core.types import USER, Category

_OF_CATEGORY: Final[dict[Category, str]] = {
    "name": "name nickname",
    "profile": "age birthday mbti zodiac height weight hometown live_in nationality religion phone attribute memo school major grade",
    "work": "job workplace",
    "taste": "like dislike favorite hobby",
    "health": "blood_type allergy condition medicine",
    "relation": "family pet partner friend relation",
    "plan": "anniversary plan",
}
PREDICATES: Final[dict[str, Category]] = {name: category for category, names in _OF_CATEGORY.items() for name in names.split()}
"""Predicate to category. A taste that ended has polarity False ("커피 끊었어"), `relation` says what somebody is to the speaker, `attribute` whatever
else "X of mine is Y" says, `memo` what was dictated and states nothing else."""

SINGLE: Final = frozenset(
    "name nickname age birthday blood_type mbti zodiac height weight hometown live_in nationality religion phone "
    "school major grade job workplace relation partner".split()
)
"""Predicates with one value per subject: key `<predicate>:<subject>`."""

_FACET: Final = re.compile(r"\s*(?:날짜|시간|장소|일정|일자|시각|계획|약속 장소|약속 시간)$")
_ROUND: Final = re.compile(r"^(?:(?:올|이번|다음|지난|첫|새)\s?(?:봄|여름|가을|겨울|해|주|달)?|정기|최종|\d+차)\s+|(?<=\s)(?:\d+차|최종|정기)\s+")
_ACT: Final = re.compile(r"\s+(?:가기|여행|출장|방문|예약|예약하기|받기|진료|신청|보러 가기)$|\s+trip$|^(?:trip to|flight to|visit to)\s+")
GENERIC_PLANS: Final = frozenset("약속 만남 식사 저녁 점심 모임 일정".split())
"""Plans whose word says nothing of what it is: with whom belongs to their key."""


def plan_topic(what: str) -> str:
    """What a plan is of, however it is told: "오사카 여행" and "오사카 가기" are 오사카, "무릎 수술 날짜" is 무릎 수술."""
    topic = _FACET.sub("", what.strip().lower()) or what.strip().lower()
    topic = re.sub(r"^(?:올|이번|다음)\s?(?:봄|여름|가을|겨울)\s*", "", _ROUND.sub("", topic)) or topic
    return _ACT.sub("", topic).strip() or topic


def key_of(subject: str, predicate: str, object: str, *, of: str | None = None, people: Sequence[str] = ()) -> str:
    """The key of a fact. `of` is the category of a favorite, or the attribute asked of; `people` are a plan's."""
    if predicate in SINGLE:
        return f"{predicate}:{subject}"
    stem = "taste" if predicate in {"like", "dislike"} else predicate
    topic = (of if of is not None else object).lower()
    if predicate == "plan":
        topic = plan_topic(topic)
        if topic in GENERIC_PLANS and people:
            topic = f"{'·'.join(sorted(people))}:{topic}"
    if predicate == "attribute":
        return f"attribute:{subject}:{topic}"
    return f"{stem}:{topic}" if subject == USER else f"{stem}:{subject}:{topic}"
