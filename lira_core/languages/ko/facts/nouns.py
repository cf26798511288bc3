# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""What a Korean noun phrase is (a person, an illness, a plan, a job), and how a fact is put together from phrases."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from lira_core.dates.finding import in_words
from lira_core.dates.span import Span
from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.attributes import ATTRIBUTES
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.people import FAMILY, KIN, PARTNER, PETS
from lira_core.memory.slots import PREDICATES, key_of
from lira_core.types import USER, Fact

TOO_PLAIN: Final = frozenset(
    "밥 점심 저녁 아침 뭐 것 거 그거 이거 저거 그것 이것 생각 말 얘기 이야기 때 수 줄 일 점 사람 걔 얘 나 너 우리 하나 둘 시간 정신 기분 요즘 오늘 내일 어제 다 전부 모두 날 데 곳 쪽 잠 눈 돈 대신 혼자 처음 제일 가장 젤 비밀 바보 저 내".split()
)
AGE: Final = re.compile(
    r"(\d{1,3}\s*(?:살|세)(?![가-힣])|만\s*\d{1,3}\s*세|(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)?\s?(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?\s*살(?![가-힣])|\d{1,2}대\s*(?:초반|중반|후반)?)"
)
COUNTED: Final = re.compile(r"(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든)\s?(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?")
"""An age said by its number alone ("올해 서른둘이야")."""
MBTI: Final = re.compile(r"[EI][NS][FT][JP]", re.I)
BLOOD: Final = re.compile(r"(?:RH[-+])?(?:AB|A|B|O|에이비|에이|비|오)형", re.I)
GRADE: Final = re.compile(r"((?:\d|일|이|삼|사|오|육)\s*학년|고[123]|중[123]|재수생)")
SCHOOL: Final = re.compile(r"(?:대학교|대학원|대학|고등학교|중학교|초등학교|여고|남고|외고|과고|학교|유치원|어린이집|(?<!군)(?<!무)[가-힣]대)$")
ALLERGY: Final = re.compile(r"(.+?)\s*(?:에|에는|한테)?\s*(?:알레르기|알러지|앨러지)")
COUNT: Final = re.compile(r"\s*(?:하나|둘|셋|넷|(?:한|두|세|네|다섯|\d+)\s*(?:명|분|마리))$")
FRIENDS: Final = frozenset("친구 절친 베프 단짝 동창 동기".split())
MANY: Final = FRIENDS | frozenset("동료 직장동료 선배 후배 조카 사촌 이웃 팀원 삼촌 이모 고모".split())
"""Of these one has several, so that each goes by name."""
_ILLNESS: Final = re.compile(
    r"(?:[가-힣](?:증후군|질환|디스크|염|장애)|고혈압|저혈압|당뇨|천식|아토피|두통|난청|결석|통풍|탈모|(?:불면|공포|우울|강박|갈)증|[위폐간장혈뇌]암)$"
)
_NO_ILLNESS: Final = re.compile(r"(?:서버|통신|시스템|네트워크|전산|접속)\s*장애$")
_PLAN_END: Final = re.compile(
    r"(?:휴가|제사|계약|마라톤|회식|공연|특강|상담|진료|수술|촬영|출장|돌잔치|상견례|개강|출국|워크숍|엠티|MT|시험|면접|회의|미팅|약속|예약|여행|모임|결혼식|발표회|검진|콘서트|세미나|고사|평가|대회|마감)$"
)
_FACET: Final = re.compile(r"\s+(?:날짜|시간|장소|일정|계획|일자|건)$")
_JOB_END: Final = tuple(
    "개발자 디자이너 기획자 연구원 엔지니어 교사 강사 프로그래머 마케터 간호사 변호사 작가 매니저 컨설턴트 분석가 관리자 치료사 상담사 요리사 조리사 미용사 기사 공무원 회사원 선수 교수 학생 준비생 프리랜서 셰프 의사 사육사 설계사 중개사 회계사 주부 취준생 고시생 알바생 직장인 승무원 플로리스트 변리사 조무사 위생사 영양사 감독 코치 은행원 경찰관 소방관 목사 스님 농부 어부 기관사 조종사 사서 아나운서 PD PM".split()
)


def make_fact(
    subject: str, predicate: str, object: str, *, polarity: bool = True, of: str | None = None, when: Span | None = None,
    now: datetime | None = None, place: str | None = None, people: Sequence[str] = (),
) -> Fact:  # fmt: skip
    """A fact with its category and key; `of` as in `key_of`, the date in words where both `when` and `now` are given."""
    moment = when.when if when is not None and now is not None else None
    words = None if when is None or now is None else date_words(when) if predicate in {"birthday", "anniversary"} else in_words(when, "ko", now)
    key = key_of(subject, predicate, object, of=of, people=people)
    return Fact(subject, predicate, object, PREDICATES[predicate], polarity, key, moment, words, place, tuple(people))


def of_the_speaker(kin: str) -> list[Fact]:
    """That the speaker has whom they speak of ("제 여동생"): a sister, a dog, a boyfriend."""
    predicate = "pet" if kin in PETS else "partner" if kin in PARTNER else "family" if kin in FAMILY - {"가족"} else None
    return [make_fact(USER, predicate, kin)] if predicate else []


def things_in(rest: Sequence[Phrase], *cases: str) -> list[Phrase]:
    """The phrases of these cases that name something."""
    return [p for p in rest if p.case in cases and not p.wh and p.text not in TOO_PLAIN]


def objects_of(rest: Sequence[Phrase]) -> list[Phrase]:
    """What a transitive verb is about; "사과랑 딸기를" is two."""
    joined = [p for p in things_in(rest, "with") if not is_person_word(p)]
    chosen = things_in(rest, "object") or things_in(rest, "bare") or things_in(rest, "topic")
    chosen = chosen or [p for p in things_in(rest, "subject") if not is_person_word(p)]
    return [*joined, *chosen] if chosen else []


def full_text(phrase: Phrase) -> str:
    """The phrase with a short describing modifier: "매운 음식", "단 것"."""
    return f"{phrase.modifier} {phrase.text}" if phrase.modifier and len(phrase.modifier) <= 12 else phrase.text


def listed_in(value: str) -> list[str]:
    """The members of a list in words ("딸기랑 포도")."""
    parts = re.split(r"\s*(?:,|그리고|랑|이랑|하고|및)\s+|(?<=[가-힣])(?:와|과)\s+", value)
    return [p.strip() for p in parts if p.strip()]


def date_words(when: Span) -> str:
    """The day without year and weekday, as birthdays are told."""
    if when.granularity == "year":
        return f"{when.when.year}년"
    return f"{when.when.month}월" if when.granularity == "month" else f"{when.when.month}월 {when.when.day}일"


def bare_name(text: str) -> str:
    """A name without the 이 that follows a consonant in speech ("지민이" is 지민, "민수씨" 민수)."""
    text = re.sub(r"(?<=[가-힣]{2})(?:입니|이에|예)$|\s*(?:씨|군|양)$", "", text.strip())
    words = text.split()
    if len(words) > 1 and words[0] in KIN and words[-1] not in KIN:
        text = words[-1]
    if re.fullmatch(r"[가-힣]{3}", text) and text.endswith("이") and (ord(text[1]) - 0xAC00) % 28 and text not in KIN:
        return text[:-1]
    return text


def nameable(phrase: Phrase) -> bool:
    """Whether somebody may be called so."""
    return bool(phrase.text) and len(phrase.text) <= 20 and not phrase.wh and phrase.text not in TOO_PLAIN and phrase.tags[-1:] != ("NNB",)


def is_person_word(phrase: Phrase) -> bool:
    """Whether the phrase speaks of somebody by kinship, title or name."""
    last = phrase.text.split()[-1] if phrase.text.split() else ""
    return phrase.text in KIN or last in KIN or last.endswith(("씨", "님", "쌤")) or (phrase.case == "person" and "NNP" in phrase.tags)


def is_illness(text: str) -> bool:
    """Whether the words name an illness; a server's 장애 is none."""
    return not _NO_ILLNESS.search(text) and ("병" in kinds_of(text) or bool(_ILLNESS.search(text.replace(" ", ""))))


def plan_noun(text: str) -> str | None:
    """The plan that a phrase names ("치과 예약", "무릎 수술 날짜" is 무릎 수술), None when it names none."""
    text = _FACET.sub("", text)
    words = text.split()
    if not words:
        return None
    known = any(ATTRIBUTES.get(noun) == "plan" or "일정" in kinds_of(noun) for noun in (text.replace(" ", ""), words[-1]))
    return text if known or _PLAN_END.search(words[-1]) else None


def is_job(text: str) -> bool:
    """Whether the words say what somebody does for a living."""
    return "직업" in kinds_of(text) or text.replace(" ", "").endswith(_JOB_END)
