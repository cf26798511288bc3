# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Word lists and patterns by which Korean facts are read."""

from __future__ import annotations

import re
from typing import Final

LIKE: Final = frozenset("좋아하 사랑하 즐기 선호하 애정하 즐겨하".split())
DISLIKE: Final = frozenset("싫어하 혐오하 질색하 극혐하 꺼리".split())
EAT: Final = frozenset("먹 마시 사먹 잡수 피우".split())
FAVOURITE: Final = frozenset("제일 가장 젤 최고로".split())
MOVE: Final = frozenset("바뀌 변경되 변경하 바꾸 미루 미뤄지 밀리 연기되 연기하 당기 당겨지 옮기 옮겨지 늦춰지 앞당기".split())
CANCEL: Final = frozenset("취소되 취소하 없어지 무산되 엎어지 파토나 펑크나 깨지".split())
SETTLE: Final = frozenset("잡 잡히 정하 정해지 확정되 확정하 예약하 예약되".split())
# What one does at a set time: with a day to come it is a plan.
PLANNED: Final = frozenset(
    "가 보 하 만나 먹 떠나 출국하 출발하 시작하 시작되 입사하 입학하 졸업하 받 놀 놀러가 치 오 참석하 참가하 방문하 다녀오 뵈 열리 이사가 입대하 전역하 입원하 퇴원하 돌아오 귀국하 쉬 마시 배우 모이 있 끝나".split()
)
TOO_PLAIN: Final = frozenset(
    "밥 점심 저녁 아침 뭐 것 거 그거 이거 저거 그것 이것 생각 말 얘기 이야기 때 수 줄 일 점 사람 걔 얘 나 너 우리 하나 둘 시간 정신 기분 요즘 오늘 내일 어제 다 전부 모두 날 데 곳 쪽 잠 눈 돈 대신 혼자 처음 제일 가장 젤 비밀 바보 저 내".split()
)
SYMPTOMS: Final = tuple("입술이 부|목이 부|가려워|간지러|두드러기|알레르기 반응|알러지 반응|숨이 막|기도가 부".split("|"))
MBTI: Final = re.compile(r"\b([EI][NS][FT][JP])", re.I)
BLOOD: Final = re.compile(r"(?<![A-Za-z])((?:RH[-+]\s?)?(?:AB|A|B|O|에이비|에이|비|오))\s*형", re.I)
AGE: Final = re.compile(
    r"(\d{1,3}\s*(?:살|세)(?![가-힣])|만\s*\d{1,3}\s*세|(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)?\s?(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?\s*살(?![가-힣])|\d{1,2}대\s*(?:초반|중반|후반)?)"
)
COUNTED: Final = re.compile(r"(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든)\s?(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?")
"""An age said by its number alone ("올해 서른둘이야")."""
GRADE: Final = re.compile(r"((?:\d|일|이|삼|사|오|육)\s*학년|고[123]|중[123]|재수생|n수생)")
PHONE: Final = re.compile(r"(0\d{1,2}[-. ]?\d{3,4}[-. ]?\d{4})")
SCHOOL: Final = re.compile(r"(?:대학교|대학원|대학|고등학교|중학교|초등학교|여고|남고|외고|과고|학교|유치원|어린이집|(?<!군)(?<!무)[가-힣]대)$")
ILLNESS: Final = re.compile(
    r"(?:[가-힣](?:증후군|질환|디스크|염|장애)|고혈압|저혈압|당뇨|천식|아토피|두통|난청|결석|통풍|탈모|(?:불면|공포|우울|강박|갈)증|[위폐간장혈뇌]암)$"
)
ALLERGY: Final = re.compile(r"(.+?)\s*(?:에|에는|한테)?\s*(?:알레르기|알러지|앨러지)")
COUNT: Final = re.compile(r"\s*(?:하나|둘|셋|넷|(?:한|두|세|네|다섯|\d+)\s*(?:명|분|마리))$")
MEDICINES: Final = tuple("약 영양제 비타민 유산균 오메가3 철분제 진통제 항생제 인슐린 수면제 소화제 타이레놀".split())
NO_MEDICINES: Final = tuple("치약 예약 계약".split())
# What a plan's noun ends in, besides the nouns of `categories` and `attributes`.
PLAN_END: Final = re.compile(
    r"(?:휴가|제사|계약|마라톤|회식|공연|특강|상담|진료|수술|촬영|출장|돌잔치|상견례|개강|예정일|출국|워크숍|엠티|MT|시험|면접|회의|미팅|약속|예약|여행|모임|결혼식|발표회|검진|콘서트|세미나|고사|평가|수업|대회|마감)$"
)
JOB_END: Final = tuple(
    "개발자 디자이너 기획자 연구원 엔지니어 교사 강사 프로그래머 마케터 간호사 변호사 작가 매니저 컨설턴트 분석가 관리자 치료사 상담사 요리사 조리사 미용사 기사 공무원 회사원 선수 교수 학생 준비생 프리랜서 셰프 의사 사육사 설계사 중개사 회계사 주부 취준생 고시생 알바생 직장인 승무원 플로리스트 변리사 조무사 위생사 영양사 감독 코치 은행원 경찰관 소방관 목사 스님 농부 어부 기관사 조종사 사서 아나운서 PD PM".split()
)
# Slots that are told without a particle ("우리 고양이 이름 나비야", "혈액형 O형이야").
BARE_SLOTS: Final = frozenset("이름 본명 별명 생일 혈액형 MBTI mbti 나이 취미 전공 고향 직업 키 몸무게 별자리 띠 종교".split())
FRIENDS: Final = frozenset("친구 절친 베프 단짝 동창 동기".split())
# Of these one has several, so that each goes by name.
MANY: Final = FRIENDS | frozenset("동료 직장동료 선배 후배 조카 사촌 이웃 팀원 삼촌 이모 고모".split())
