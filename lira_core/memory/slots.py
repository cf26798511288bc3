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

from lira_core.types import USER, Category, Fact

PREDICATES: Final[dict[str, Category]] = {
    # Who the person (or the subject) is.
    "name": "name",  # "제 이름은 지민이야" (user, name, 지민); "강아지 이름은 초코야" (강아지, name, 초코)
    "nickname": "name",  # "별명은 곰돌이야", "토끼라고 불러줘" after a name (user, nickname, 곰돌이)
    "age": "profile",  # "나 27살이야" (user, age, 27살)
    "birthday": "profile",  # "생일은 3월 14일" (user, birthday, 3월 14일) with `when`
    "blood_type": "health",  # "혈액형은 O형" (user, blood_type, O형)
    "mbti": "profile",  # (user, mbti, INFP)
    "zodiac": "profile",  # "띠는 토끼띠야", "별자리는 물병자리야" (user, zodiac, 토끼띠)
    "height": "profile",  # "키가 170이야" (user, height, 170)
    "weight": "profile",  # "몸무게는 60kg" (user, weight, 60kg)
    "hometown": "profile",  # "고향은 대구야", "대구 출신이야" (user, hometown, 대구)
    "live_in": "profile",  # "부산에 살아", "서울로 이사했어" (user, live_in, 부산)
    "nationality": "profile",  # "한국 사람이야" (user, nationality, 한국)
    "religion": "profile",  # "종교는 불교야" (user, religion, 불교)
    "phone": "profile",  # "전화번호는 010-1234-5678이야" (user, phone, 010-1234-5678)
    "attribute": "profile",  # "사물함 비밀번호는 1234야": object 1234, what it is of in the key (see `topic_of`)
    # School and work.
    "school": "profile",  # "연세대 다녀" (user, school, 연세대)
    "major": "profile",  # "전공은 심리학" (user, major, 심리학)
    "grade": "profile",  # "대학교 3학년" (user, grade, 3학년)
    "job": "work",  # "간호사로 일해", "나는 개발자야" (user, job, 간호사)
    "workplace": "work",  # "삼성전자 다녀" (user, workplace, 삼성전자); "카페에서 알바해" (user, workplace, 카페)
    # Taste.
    "like": "taste",  # "커피 좋아해" (user, like, 커피); "커피 끊었어" the same with polarity False
    "dislike": "taste",  # "오이 싫어해", "오이 못 먹어" (user, dislike, 오이); shares the key of like
    "favorite": "taste",  # "제일 좋아하는 과일은 딸기" (user, favorite, 딸기), key favorite:과일
    "hobby": "taste",  # "취미는 등산" (user, hobby, 등산)
    # Health.
    "allergy": "health",  # "땅콩 알레르기 있어" (user, allergy, 땅콩)
    "condition": "health",  # "고혈압이 있어", "감기 걸렸어", "불면증이야", "허리가 아파" (user, condition, 고혈압)
    "medicine": "health",  # "혈압약 먹고 있어" (user, medicine, 혈압약)
    # People, pets.
    "family": "relation",  # "여동생이 있어", "아들이 둘" (user, family, 여동생)
    "pet": "relation",  # "고양이 두 마리 키워" (user, pet, 고양이)
    "partner": "relation",  # "남자친구 이름은 준호", "나 여자친구 있어" (user, partner, 여자친구 or its name)
    "friend": "relation",  # "제일 친한 친구는 유진이야", "민수는 내 친구야" (user, friend, 유진)
    "relation": "relation",  # what somebody is to the speaker: (민수, relation, 친구)
    "anniversary": "plan",  # "결혼기념일은 5월 2일" (user, anniversary, 결혼기념일) with `when`
    # Time to come, and what lasts.
    "plan": "plan",  # "내일 3시 강남에서 민수랑 미팅" (user, plan, 미팅) with when, place, people
    "memo": "profile",  # "임시 메모: 우유 사기": what was dictated, when no other fact is in it (user, memo, 우유 사기)
}
"""Predicate to category. The order has no meaning."""

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


def topic_of(fact: Fact) -> str | None:
    """The last part of a key: "과일" of favorite:과일, "사물함 비밀번호" of attribute:user:사물함 비밀번호."""
    if fact.key is None:
        return None
    return fact.key.split(":", 2)[2] if fact.key.count(":") > 1 else fact.key.split(":", 1)[1]
