# ruff: noqa: E501 (word tables read better in wide rows)
"""Word tables by which retelling knows whose sentence it is and how it ends. Stems and endings are Kiwi's forms."""

from __future__ import annotations

from lira_core.languages.people import KIN as RELATIVES


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELDERS = _words("엄마 아빠 어머니 아버지 어머님 아버님 할머니 할아버지 외할머니 외할아버지 부모님 장모님 장인어른 시어머니 시아버지 선생님 교수님")
"""Whom LIRA honours too when they are the subject."""
KIN = RELATIVES | ELDERS | _words("영감 영감님 아이들 애들 애 친구들 사람들 사람 부모 대표 담임")
"""Nouns that stand for somebody (a name gets 님, these do not)."""
TIMES = _words(
    "오늘 어제 내일 모레 그제 지금 요즘 요새 아침 점심 저녁 밤 새벽 오전 오후 주말 평일 이번 다음 지난주 이번주 다음주 작년 "
    "올해 내년 주 달 년 월 일 시 분 월요일 화요일 수요일 목요일 금요일 토요일 일요일 매일 항상 최근 방금 아까 나중 이제 하루 "
    "하루종일 종일 때 날 번 동안 전 후 뒤 중 정도 시간 진짜 정말 완전 엄청 제일 가장 조금 많이 혼자 다 모두 계속 자주"
)
HAS = _words("있 없 아프 필요하 싶")
"""Adjectives whose subject is a thing of the speaker's: "머리가 아파", "미팅이 있어"."""
PERSONS = _words(
    "나 저 우리 저희 너 네 니 당신 자네 자기 본인 걔 얘 쟤 그 그녀 누구 아무 모두 다들 남 의사 간호사 원장 직원 손님 학생 교수 여자 남자"
)
# Verbs whose subject is a thing: "시험 끝났어", "미팅 4시로 바뀌었어", "비 와".
THINGS_DO = _words(
    "바뀌 바뀌게되 미뤄지 밀리 당겨지 늘어나 줄어들 취소되 연기되 변경되 완성되 마감되 시작되 끝나 생기 망하 오르 내리 태어나 깨지 부서지 터지 사라지 "
    "열리 나오 남 막히 고장나 무너지 되 붙 줄 늘 나 잘되"
)
LINKS = _words(
    "그래서 그리고 그런데 근데 하지만 아니 사실 솔직히 참 아무튼 그러니까 그니까 암튼 그냥 글쎄 있잖아 저기 그래도 그럼 왜냐면 왜냐하면 일단 자"
)
WH = _words("뭐 무엇 뭣 무슨 어느 어떤 언제 어디 누구 왜 몇 얼마 얼마나 어떻 어떻게 어떡하 뭘 며칠")
ENDINGS = _words(
    "어 어요 다 ᆫ다 는다 ᆸ니다 습니다 네 네요 거든 거든요 잖아 잖아요 지 지요 죠 구나 는구나 군요 는데 ᆫ데 은데 는데요 ᆫ데요 은데요 고 고요 "
    "야 예요 에요 이에요 여요 세요 으세요 셔 셔요 으셔 으셔요 십니다 ᆯ게 을게 ᆯ게요 을게요 ᆷ 음"
)
"""How a plain statement ends."""
ASKS = _words("나 나요 니 냐 ᆯ까 을까 ᆯ까요 을까요 는가 ᆫ가 은가 는가요 ᆫ가요 은가요 느냐 습니까 ᆸ니까 는지 ᆫ지 은지 려나 을려나 ᆯ래 을래 ᆯ래요 을래요")
PROMISES = _words("ᆯ게 을게 ᆯ게요 을게요")
RESPECTFUL = _words("세요 으세요 셔 셔요 으셔 으셔요 십니다")
NOTED = _words("ᆷ 음")
"""The tenseless ending of notes and chat: "치킨 먹음" may be past or not."""
QUOTES_OTHERS = _words(
    "다고 ᆫ다고 는다고 라고 으라고 자고 냐고 느냐고 다는 ᆫ다는 는다는 라는 자는 냐는 다던 ᆫ다던 는다던 라던 다면서 ᆫ다면서 대 ᆫ대 는대 래 으래 다며 라며"
)
"""Endings inside a sentence by which somebody is quoted."""
FEELING_STEMS = _words(
    "기쁘 행복하 즐겁 신나 좋 슬프 우울하 힘들 지치 외롭 화나 짜증나 속상하 억울하 무섭 두렵 불안하 걱정되 걱정 긴장되 긴장하 떨리 "
    "설레 부끄럽 창피하 미안하 후회되 후회하 답답하 허무하 실망하 실망스럽 고맙 감사하 뿌듯하 자랑스럽 편하 편안하 안심되 놀라 놀랍 "
    "당황하 혼란스럽 궁금하 싫 밉 서운하 서럽 괴롭 피곤하 그립 감동하 감동받 귀찮 막막하 쓸쓸하 허전하 벅차 황홀하 만족하 흐뭇하 심란하 "
    "초조하 다행 찝찝하 역겹 징그럽 무기력하 재밌 재미있 신기하 부럽 질투나 눈물나 속상 우울 힘나 겁나 열받 빡치 민망하 죄송하 비참하 허탈하 "
    "막막 먹먹하"
)
"""Predicates that are a feeling, not what happened."""
