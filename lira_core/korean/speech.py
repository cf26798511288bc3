# ruff: noqa: E501 (word tables read better in wide rows)
"""Word tables by which retelling knows whose sentence it is and how it ends. Stems and endings are Kiwi's forms."""

from __future__ import annotations

from lira_core.korean.people import KIN as RELATIVES


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELDERS = _words("엄마 아빠 어머니 아버지 어머님 아버님 할머니 할아버지 외할머니 외할아버지 부모님 장모님 장인어른 시어머니 시아버지 선생님 교수님")
"""Whom LIRA honours too when they are the subject."""
KIN = (
    ELDERS
    | RELATIVES
    | _words(
        "친구 동생 여동생 남동생 누나 언니 오빠 형 남편 아내 와이프 아들 딸 아이 애 아기 남자친구 여자친구 남친 여친 애인 가족 사촌 "
        "조카 이모 고모 삼촌 영감 영감님 첫째 둘째 셋째 막내 동료 상사 팀장 부장 과장 사장 대표 선배 후배 룸메이트 룸메 담임 강아지 고양이 아이들 애들 친구들 사람들 "
        "사람 부모 손자 손녀 며느리 사위"
    )
)
"""Nouns that stand for somebody (a name gets 님, these do not)."""
TIMES = _words(
    "오늘 어제 내일 모레 그제 지금 요즘 요새 아침 점심 저녁 밤 새벽 오전 오후 주말 평일 이번 다음 지난주 이번주 다음주 작년 "
    "올해 내년 주 달 년 월 일 시 분 월요일 화요일 수요일 목요일 금요일 토요일 일요일 매일 항상 최근 방금 아까 나중 이제 하루 "
    "하루종일 종일 때 날 번 동안 전 후 뒤 중 정도 시간 진짜 정말 완전 엄청 제일 가장 조금 많이 혼자 다 모두 계속 자주"
)
BODY = _words("머리 배 허리 다리 목 어깨 무릎 눈 귀 이 이빨 가슴 속 손 발 팔 등 발목 손목 몸 마음 위 잇몸 허벅지 종아리 손가락 발가락")
# What a person has inside: "화가 나", "기분이 좋아" honour the person though the grammar's subject is the feeling.
FEELINGS = _words("화 짜증 겁 눈물 걱정 신경 정신 생각 마음 기분 의욕 자신감 자신 용기 기운 엄두 힘 잠 입맛 컨디션 열 관심 고민 후회 기억")
FELT = _words("걱정되 부담되 긴장되 기대되 후회되 이해되 생각나 그리워지 보고싶 속상하 걱정스럽 부담스럽 무섭 그립 부럽 싫")
# Adjectives about things: without a first person nobody is honoured ("맛있다니", never "맛있으시다니").
OF_THINGS = _words(
    "맛있 맛없 재미있 재밌 재미없 예쁘 비싸 싸 크 작 높 길 짧 춥 덥 따뜻하 시원하 어둡 밝 시끄럽 어렵 쉽 멋지 멋있 귀엽 "
    "웃기 이상하 신기하 많 적 깨끗하 더럽 늦 가깝 멀 뜨겁 차갑 달 짜 맵 쓰 같 아름답 완벽하 대단하 굉장하 엄청나 그렇 이렇 "
    "어떻 다르 비슷하 심하 최고 순하 얌전하 똑똑하 짧"
)
ABSTRACT = _words(
    "별로 엉망 보통 다행 큰일 문제 최고 사실 느낌 생각 진짜 정말 거 것 테스트 끝 시작 처음 마지막 비밀 농담 장난 행운 기적 걱정 최악 지옥 천국 날 "
    "하루 시간 일 말 얘기 이야기 소식 기분 현실 운명"
)
"""Nouns that say how things are, not who somebody is: "다행이라니", never "다행이시라니"."""
BRINGS_ABOUT = _words("어서 아서 여서 니까 으니까 라서 길래")
"""Connectives after which the subject mostly is another: "동생이 울어서 안아 줬어"."""
PEOPLE_END = (
    "생",
    "사",
    "원",
    "자",
    "관",
    "학년",
    "살",
    "잡이",
    "님",
    "이과",
    "문과",
    "형",
    "인",
    "주부",
    "백수",
    "팬",
    "대리",
    "과장",
    "팀장",
    "부장",
    "파",
)
"""How nouns end that say what somebody is."""
PERSONS = _words("조교 의사 간호사 원장 직원 손님 학생 애 아이 조장 의뢰인 하청업체 아무 누구 걔 얘 쟤 그 그녀 이 사람 다들 모두 남")
# Adjectives that say how something is for the speaker, so that "나는 딸기가 좋아" honours the speaker.
EXPERIENCE = _words("있 없 좋 싫 아프 그립 무섭 필요하 많 어렵 힘들 부럽 귀찮 두렵 좋아지 싫어지")
# Verbs whose bare noun before them is their subject, which is a thing: "시험 끝났어", "비 와".
THINGS_DO = _words(
    "바뀌 미뤄지 당겨지 늘어나 줄어들 취소되 연기되 끝나 생기 망하 오르 내리 죽 태어나 깨지 부서지 터지 사라지 열리 나오 남 막히 "
    "고장나 무너지 되 붙 줄 늘"
)
NEVER_PEOPLE = _words("잘되 바뀌 미뤄지 당겨지 취소되 연기되 변경되 완성되 고장나 끝나 시작되 마감되")
"""Verbs that never have the speaker as their subject."""
COMES = _words("비 눈 택배 전화 문자 연락 답장 메일 소식 버스")
TRANSITIVE = _words("좋아하 싫어하 먹 마시 사 보 배우 키우 기르 읽 잃어버리 끊 듣 쓰 만들 치 타 받 공부하 준비하 시작하")
FIRST = _words("나 저 내 제")
US = _words("우리 저희")
YOU = _words("너 네 니 당신 자네")
# Particles that carry a meaning of their own, so the pronoun before them cannot simply go.
CARRIED = _words("보다 처럼 만 밖에 까지 부터 같이 만큼 마저 조차 대로")
TRIGGERS = _words("기억 저장 메모 기록 입력 등록")
FORGETS = _words("잊 잊어버리 까먹")
LINKS = _words(
    "그래서 그리고 그런데 근데 하지만 아니 사실 솔직히 참 아무튼 그러니까 그니까 암튼 그냥 글쎄 있잖아 저기 그래도 그럼 왜냐면 왜냐하면 일단 자"
)
ASKS = _words("나 나요 니 냐 ᆯ까 을까 ᆯ까요 을까요 는가 ᆫ가 은가 는가요 ᆫ가요 은가요 느냐 습니까 ᆸ니까 는지 ᆫ지 은지 려나 을려나 ᆯ래 을래 ᆯ래요 을래요")
PROMISES = _words("ᆯ게 을게 ᆯ게요 을게요 ᆯ래 을래 ᆯ래요 을래요 ᆯ라고 을라고 ᆯ라고요")
COMMANDS = _words("어라 아라 거라 너라 라 십시오 으십시오 으라")
PROPOSES = _words("자 ᆸ시다 읍시다 자고 자구")
CAUSES = _words("어서 아서 여서 라서 이라서 어서요 라서요 니까 으니까 느라 느라고 는데 ᆫ데 은데 는데요 ᆫ데요 은데요 ᆫ다고 다고 라고")
"""Connectives that, where they end what is said, give the cause of what was said before."""
HEARSAY = _words(
    "대 대요 ᆫ대 ᆫ대요 는대 는대요 래 래요 이래 이래요 다네 ᆫ다네 는다네 라네 다네요 ᆫ다네요 는다네요 라네요 답니다 ᆫ답니다 는답니다 랍니다 다던데 ᆫ다던데 는다던데"
)
"""Endings by which somebody else is quoted."""
TOLD_TO = _words("래 으래 래요 으래요")
"""After a verb: somebody told the speaker to ("쉬래")."""
RESPECTFUL = _words("세요 으세요 셔 셔요 으셔 으셔요 십니다 으십니다 시네요 시더라")
WITNESSED = _words("더라 더라고 더라고요 더라구요 더라구 더군 더군요 던데 던데요")
"""Endings of what the speaker saw: mostly others do it, and it is past."""
NOTED = _words("ᆷ 음 슴")
"""The tenseless ending of notes and chat ("치킨 먹음")."""
DONE = _words(
    "끊 사 받 가 오 나오 들어가 나가 다녀오 갔다오 주워오 가져오 데려오 짓 먹 맞 망하 망치 떨어지 붙 합격하 취소하 취소되 바뀌 바꾸 옮기 이사하 "
    "이사가 이사오 헤어지 사귀 잃어버리 다치 부러지 골절되 삐 넘어지 걸리 갈아타 그만두 접 시작하 신청하 예약하 구하 만나 끝나 끝내 졸업하 입사하 퇴사하 "
    "이직하 승진하 결혼하 낳 뚫 고치 올라가 내려가 늦 까먹 울 싸우 화해하 정하 정해지 확정되 잡히 잡 결정하 등록하 완료하 되 보 입양하 걸 내 심 만들 찍 "
    "팔 빌리 지 이기 지르 째지 당하 당첨되 돌아가시"
)
"""Verbs whose tenseless note tells what has happened."""
REGULARLY = _words("씩 매일 맨날 항상 자주 늘 마다 무조건 주로 보통 가끔 매주 매달 평소")
STEADS = _words("대신 덕분 덕 탓 입장 생각")
"""Nouns that need to be said whose they are: "내 대신"."""
EXCLAIMS = _words("대박 헐 와 아싸 굿 진짜 정말 완전 실화 최고 ㄹㅇ 레알")
"""Nouns and adverbs that, where they stand alone, only exclaim."""
UNENDING = _words("영 좀 막 너무 아주 매우 그냥 왜냐면 특히")
THAT_ONE = _words("걔 얘 쟤")
HOMES = ("동", "구", "시", "군", "읍", "면", "원룸", "투룸", "아파트", "빌라", "오피스텔", "기숙사", "고시원", "자취방", "집", "주택", "서울", "부산")
THINGS_COME_OUT = _words("나오 터지 깨지 생기 끝나 고장나 오르 늘 줄 막히")
FEELING_STEMS = _words(
    "기쁘 행복하 즐겁 신나 좋 슬프 우울하 힘들 지치 외롭 화나 짜증나 속상하 억울하 무섭 두렵 불안하 걱정되 걱정 긴장되 긴장하 떨리 "
    "설레 부끄럽 창피하 미안하 후회되 후회하 답답하 허무하 실망하 실망스럽 고맙 감사하 뿌듯하 자랑스럽 편하 편안하 안심되 놀라 놀랍 "
    "당황하 혼란스럽 궁금하 싫 밉 서운하 서럽 괴롭 피곤하 그립 감동하 감동받 귀찮 막막하 쓸쓸하 허전하 벅차 황홀하 만족하 흐뭇하 심란하 "
    "초조하 다행 찝찝하 역겹 징그럽 무기력하 재밌 재미있 신기하 부럽 질투나 눈물나 속상 우울 힘나 겁나 열받 빡치 민망하 죄송하 비참하 허탈하 "
    "막막 먹먹하"
)
"""Predicates that are a feeling, not what happened."""
