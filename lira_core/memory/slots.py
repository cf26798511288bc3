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
| None                     | nothing: it happened                     | ate, bought, visited, did, result, felt              |
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
    "gender": "profile",  # "난 여자야" (user, gender, 여자)
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
    "language": "profile",  # "나 영어랑 일본어 할 줄 알아" (user, language, 일본어)
    "marital": "profile",  # "나 결혼했어", "미혼이야" (user, marital, 결혼)
    "personality": "profile",  # "나는 내성적이야", "성격이 급해" (user, personality, 내성적)
    "attribute": "profile",  # "사물함 비밀번호는 1234야": object 1234, what it is of in the key (see `topic_of`)
    # School and work.
    "school": "profile",  # "연세대 다녀" (user, school, 연세대)
    "major": "profile",  # "전공은 심리학" (user, major, 심리학)
    "grade": "profile",  # "대학교 3학년" (user, grade, 3학년)
    "job": "work",  # "간호사로 일해", "나는 개발자야" (user, job, 간호사)
    "workplace": "work",  # "삼성전자 다녀" (user, workplace, 삼성전자); "카페에서 알바해" (user, workplace, 카페)
    "team": "work",  # "마케팅팀에서 일해" (user, team, 마케팅팀)
    "role": "work",  # "우리 팀 팀장이야", "대리야" (user, role, 팀장)
    "boss": "work",  # "우리 팀장님 이름은 박정호야" gives (팀장님, name, 박정호) and (user, boss, 박정호)
    "work_change": "work",  # "퇴사했어", "이직했어", "회사 옮겼어", "승진했어" (user, work_change, 퇴사); also ends the old workplace
    "project": "work",  # "챗봇 프로젝트 하고 있어" (user, project, 챗봇 프로젝트)
    # Taste.
    "like": "taste",  # "커피 좋아해" (user, like, 커피); "커피 끊었어" the same with polarity False
    "dislike": "taste",  # "오이 싫어해", "오이 못 먹어" (user, dislike, 오이); shares the key of like
    "favorite": "taste",  # "제일 좋아하는 과일은 딸기" (user, favorite, 딸기), key favorite:과일
    "hobby": "taste",  # "취미는 등산" (user, hobby, 등산)
    "fear": "taste",  # "고소공포증 있어", "벌레 무서워해" (user, fear, 벌레)
    # Health.
    "allergy": "health",  # "땅콩 알레르기 있어" (user, allergy, 땅콩)
    "condition": "health",  # "고혈압이 있어", "감기 걸렸어", "불면증이야", "허리가 아파" (user, condition, 고혈압)
    "medicine": "health",  # "혈압약 먹고 있어" (user, medicine, 혈압약)
    "injury": "health",  # "발목을 다쳤어", "팔이 부러졌어" (user, injury, 발목)
    "diet": "health",  # "채식해", "다이어트 중", "비건이야" (user, diet, 채식)
    "treatment": "health",  # "수술했어", "치과 치료 받았어", "입원했어" (user, treatment, 맹장 수술)
    "exercise": "health",  # "매주 요가 해", "헬스 다녀" (user, exercise, 요가)
    # People, pets.
    "family": "relation",  # "여동생이 있어", "아들이 둘" (user, family, 여동생)
    "pet": "relation",  # "고양이 두 마리 키워" (user, pet, 고양이)
    "breed": "relation",  # "초코는 푸들이야" (강아지 or 초코, breed, 푸들)
    "partner": "relation",  # "남자친구 이름은 준호", "나 여자친구 있어" (user, partner, 여자친구 or its name)
    "friend": "relation",  # "제일 친한 친구는 유진이야", "민수는 내 친구야" (user, friend, 유진)
    "acquaintance": "relation",  # "민수는 회사 동료야": (user, acquaintance, 민수) with (민수, relation, 회사 동료)
    "relation": "relation",  # what somebody is to the speaker: (민수, relation, 친구)
    "anniversary": "plan",  # "결혼기념일은 5월 2일" (user, anniversary, 결혼기념일) with `when`
    # Time to come, and what lasts.
    "plan": "plan",  # "내일 3시 강남에서 민수랑 미팅" (user, plan, 미팅) with when, place, people
    "goal": "plan",  # "올해 목표는 10kg 감량", "마라톤 완주하고 싶어" (user, goal, 10kg 감량)
    "deadline": "plan",  # "보고서 마감은 금요일이야" (user, deadline, 보고서 마감) with `when`
    "habit": "profile",  # "매일 아침 6시에 일어나" (user, habit, 매일 아침 6시에 일어나기)
    "own": "profile",  # "차는 아반떼야", "아이폰 써" (user, own, 아반떼), key own:차 when the kind is named
    "skill": "profile",  # "피아노 칠 줄 알아", "수영 잘해" (user, skill, 피아노)
    "learning": "profile",  # "요즘 기타 배워", "스페인어 공부해" (user, learning, 기타)
    "memo": "profile",  # "임시 메모: 우유 사기": what was dictated, when no other fact is in it (user, memo, 우유 사기)
    # What happened.
    "travel": "event",  # "제주도 다녀왔어", "부산으로 여행 갔어" (user, travel, 제주도)
    "visit": "event",  # "어제 전시회 갔어" (user, visit, 전시회)
    "met": "event",  # "어제 지수 만났어" (user, met, 지수)
    "ate": "event",  # "점심에 김치찌개 먹었어" (user, ate, 김치찌개)
    "bought": "event",  # "노트북 샀어" (user, bought, 노트북)
    "watched": "event",  # "어제 인터스텔라 봤어" (user, watched, 인터스텔라); books too ("데미안 읽었어")
    "received": "event",  # "친구한테 꽃 받았어" (user, received, 꽃)
    "lost": "event",  # "지갑 잃어버렸어" (user, lost, 지갑)
    "result": "event",  # "토익 900점 받았어", "면접 떨어졌어", "시험 합격했어" (user, result, 면접 떨어졌어)
    "did": "event",  # any other thing done: "RAG 시스템이 완성됐어" (user, did, RAG 시스템이 완성됐어)
    "felt": "event",  # a feeling with its cause: "승진해서 기뻐" (user, felt, 승진해서 기뻐)
}
"""Predicate to category. The order has no meaning."""

SINGLE: Final = frozenset(
    "name nickname age birthday gender blood_type mbti zodiac height weight hometown live_in nationality religion phone marital "
    "school major grade job workplace team role boss diet breed relation partner".split()
)
"""Predicates with one value per subject: key `<predicate>:<subject>`."""

EVENTS: Final = frozenset(p for p, category in PREDICATES.items() if category == "event") | {"work_change", "treatment"}
"""What happened once: no key, nothing replaces it."""


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


def key_of(subject: str, predicate: str, object: str, *, of: str | None = None, people: Sequence[str] = ()) -> str | None:
    """The key of a fact. `of` is the category of a favorite, the attribute asked of, or the kind of thing owned; `people` are a plan's."""
    if predicate in EVENTS:
        return None
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


def same_plan(spoken_of: str, told: str) -> bool:
    """Whether the plan of key `spoken_of` may be that of key `told`: the same, or a bare word for it ("plan:약속" for "plan:민수:약속")."""
    what = spoken_of.removeprefix("plan:")
    return spoken_of == told or (told.startswith("plan:") and told.endswith((f":{what}", f" {what}")))


def topic_of(fact: Fact) -> str | None:
    """The last part of a key: "과일" of favorite:과일, "사물함 비밀번호" of attribute:user:사물함 비밀번호."""
    if fact.key is None:
        return None
    return fact.key.split(":", 2)[2] if fact.key.count(":") > 1 else fact.key.split(":", 1)[1]
