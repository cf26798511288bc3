# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Facts of Korean utterances: one clause after another, each read by its verb."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from lira_core.dates import Span, find
from lira_core.korean.attributes import ATTRIBUTES, attribute_of
from lira_core.korean.categories import kind_name, kinds_of
from lira_core.korean.clauses import Clause, Phrase, clauses, nominal
from lira_core.korean.names import is_place, name_spans, own_name
from lira_core.korean.people import FAMILY, KIN, OTHERS, PARTNER, PETS
from lira_core.memory.question import asks_korean, segments
from lira_core.memory.slots import PREDICATES, SINGLE, key_of
from lira_core.types import USER, Fact

_LIKE: Final = frozenset("좋아하 사랑하 즐기 선호하 애정하 즐겨하 즐겨먹 최애하".split())
_DISLIKE: Final = frozenset("싫어하 혐오하 질색하 극혐하 꺼리 피하".split())
_EAT: Final = frozenset("먹 마시 들이키 처먹 사먹 해먹 시켜먹 잡수".split())
_BUY: Final = frozenset("사 구매하 구입하 주문하 지르 장만하 결제하".split())
_MOVE: Final = frozenset("바뀌 변경되 변경하 바꾸 미루 미뤄지 연기되 연기하 당기 당겨지 옮기 옮겨지 늦춰지 앞당기".split())
_CANCEL: Final = frozenset("취소되 취소하 없어지 무산되 엎어지 파토나 깨지".split())
_GO: Final = frozenset("가 다녀오 갔다오 놀러가 여행하 방문하 들르 떠나 다녀가 들리 오 출국하 출장가".split())
_PLANNED: Final = frozenset(
    "가 보 하 만나 먹 떠나 출국하 이사하 결혼하 출발하 시작하 입사하 입학하 졸업하 발표하 받 놀 놀러가 치 오 참석하 참가하 면접보 퇴사하 출산하 방문하 다녀오 뵈 열리 찍 이사가 "
    "입대하 전역하 복직하 휴가가 개강하 수술하 여행하 입원하 퇴원하 출근하 캠핑하 데이트하 등록하 돌아오 귀국하 쉬 마시 회식하 배우 이직하 데리 모이 공연하".split()
)
_INJURE: Final = frozenset("삐끗 다치 부러지 삐 접질리 베이 데이 삐끗하 찢어지 골절되 금가 까지 부러뜨리".split())
_WORK_CHANGE: Final = frozenset("퇴사하 이직하 취업하 입사하 승진하 취직하 해고되 복직하 휴직하 전직하 창업하 잘리 은퇴하 정년퇴직하 개업하".split())
_FEELING: Final = frozenset(
    "기쁘 슬프 행복하 우울하 속상하 화나 짜증나 불안하 걱정되 걱정하 외롭 설레 뿌듯하 서운하 억울하 답답하 무섭 힘들 지치 떨리 신나 즐겁 감동하 감동받 고맙 감사하 미안하 후회하 후회되 부끄럽 창피하 허전하 섭섭하 "
    "괴롭 스트레스받 두렵 긴장되 긴장하 실망하 놀라 당황하 자랑스럽 그립 심심하 좋 열받 빡치 아쉽 후련하 홀가분하 막막하 초조하 편안하 만족하 울적하 쓸쓸하 공허하 벅차 황당하 질투나 허무하 민망하 당황스럽 감격하 "
    "실망스럽 기분좋 힘드 서럽 안타깝 뭉클하 울 마음아프 짜증나하 불쾌하 쪽팔리 들뜨".split()
)
_HABIT_WORDS: Final = frozenset("매일 항상 맨날 늘 자주 주로 보통 꼬박꼬박 매번 종종".split())
_FAVOURITE: Final = frozenset("제일 가장 젤 최고로".split())
_DESCRIBING: Final = frozenset({"전공하", "다니", "일하", "살", "키우", "좋아하", "배우", "근무하"})
_TOO_PLAIN: Final = frozenset(
    "밥 점심 저녁 아침 뭐 것 거 그거 이거 저거 그것 이것 생각 말 얘기 이야기 때 수 줄 일 점 사람 걔 얘 나 너 우리 하나 둘 시간 정신 기분 요즘 오늘 내일 어제 다 전부 모두 날 데 곳 쪽 잠 눈 돈 대신 혼자 처음 제일 가장 젤 일부러 직접 따로 소리 고함 비명 바람 덕분 때문 탓".split()
)
_DIETS: Final = (
    "채식",
    "비건",
    "베지테리언",
    "페스코",
    "락토",
    "다이어트",
    "저탄고지",
    "키토",
    "간헐적 단식",
    "단식",
    "소식",
    "글루텐프리",
    "할랄",
    "저염식",
    "금주",
    "금연",
)
_UPSETS: Final = ("배탈", "탈 나", "탈이 나", "설사", "속이 안", "속 안", "체해", "토해", "더부룩", "배 아", "배가 아", "속이 쓰")
_SYMPTOMS: Final = ("입술이 부", "목이 부", "가려워", "간지러", "두드러기", "알레르기 반응", "알러지 반응", "숨이 막", "기도가 부")
_BREEDS: Final = frozenset(
    "푸들 말티즈 포메라니안 치와와 시츄 비숑 웰시코기 진돗개 리트리버 골든리트리버 래브라도 시바견 시바이누 닥스훈트 말티푸 요크셔테리어 슈나우저 보더콜리 허스키 사모예드 비글 퍼그 코카스파니엘 믹스견 토이푸들 "
    "코리안숏헤어 코숏 러시안블루 페르시안 샴 스코티시폴드 먼치킨 랙돌 브리티시숏헤어 뱅갈 노르웨이숲 아비시니안 터키시앙고라 치즈냥이 삼색이 턱시도 비숑프리제 믹스".split()
)
_CATS: Final = frozenset("코리안숏헤어 코숏 러시안블루 페르시안 샴 스코티시폴드 먼치킨 랙돌 브리티시숏헤어 뱅갈 노르웨이숲 아비시니안 터키시앙고라 치즈냥이 삼색이 턱시도".split())
_FULL_NAME: Final = re.compile(
    r"(?:남궁|황보|제갈|선우|독고|[김이박최정강조윤장임한오서신권황안송류유홍전고문양손배백허남심노하곽성차주우구민진나엄원채천방공현함변염여추도소석설마길연위표명기반라왕금옥육인맹제모탁국어은편용])[가-힣]{2}"
)
_MBTI: Final = re.compile(r"\b([EI][NS][FT][JP])", re.I)
_BLOOD: Final = re.compile(r"(?<![A-Za-z])((?:RH[-+]\s?)?(?:AB|A|B|O|에이비|에이|비|오))\s*형", re.I)
_NATIVE_AGE: Final = r"(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)?\s?(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?"
_AGE: Final = re.compile(
    rf"(\d{{1,3}}\s*(?:살|세)(?![가-힣])|만\s*\d{{1,3}}\s*세|{_NATIVE_AGE}\s*살(?![가-힣])|\d{{1,2}}대\s*(?:초반|중반|후반)?|\d{{1,2}}개월)"
)
_BIRTH_YEAR: Final = re.compile(r"((?:19|20)?\d{2}년생)")
_GRADE: Final = re.compile(r"((?:\d|일|이|삼|사|오|육)\s*학년|고[123]|중[123]|재수생|n수생)")
_PHONE: Final = re.compile(r"(0\d{1,2}[-. ]?\d{3,4}[-. ]?\d{4})")
_SCHOOL: Final = re.compile(r"(대학교|대학원|대학|고등학교|중학교|초등학교|여고|남고|외고|과고|학교|유치원|어린이집|[가-힣]{1,4}대)$")
_ILLNESS: Final = re.compile(
    r"(증|증후군|병|염|통|암|장애|디스크|고혈압|저혈압|당뇨|천식|비염|아토피|빈혈|감기|독감|몸살|코로나|두통|편두통|난청|역류|결석|통풍|혈압|콜레스테롤|생리통|탈모)$"
)
_MEMO: Final = re.compile(
    r"^\s*(?:\[?\s*(?:임시\s*)?(?:메모|노트|기록|memo)\s*(?:장)?\s*\]?\s*[:：\-]\s*|(?:이거|이것|이건|다음)?\s*(?:메모|기억|저장|기록)\s*해?\s*(?:줘|둬|놔|주세요|두세요)?\s*[:：]\s*)",
    re.I,
)
_ALLERGY: Final = re.compile(r"(.+?)\s*(?:에|에는|한테)?\s*(?:알레르기|알러지|앨러지)")
_MY_ROLES: Final = frozenset(
    "팀장 과장 대리 사원 인턴 부장 차장 대표 반장 회장 매니저 주임 실장 이사 사장 부회장 총무 조장 원장 신입사원 신입 파트장 리더 본부장".split()
)
_JOB_END: Final = (
    "개발자",
    "디자이너",
    "기획자",
    "연구원",
    "엔지니어",
    "교사",
    "강사",
    "프로그래머",
    "마케터",
    "간호사",
    "변호사",
    "작가",
    "매니저",
    "컨설턴트",
    "애널리스트",
    "사업",
    "자영업",
    "과학자",
    "분석가",
    "운영자",
    "관리자",
    "치료사",
    "상담사",
    "요리사",
    "조리사",
    "미용사",
    "기사",
    "직원",
    "공무원",
    "회사원",
    "대원",
    "선수",
    "교수",
    "학생",
    "준비생",
    "프리랜서",
    "크리에이터",
    "유튜버",
    "셰프",
    "의사",
    "관",
    "사육사",
    "설계사",
    "중개사",
    "회계사",
    "주부",
    "백수",
    "취준생",
    "고시생",
    "수험생",
    "휴학생",
    "대학생",
    "대학원생",
    "고등학생",
    "중학생",
    "초등학생",
    "알바생",
    "담당자",
    "PD",
    "pd",
    "직장인",
    "담임",
    "소장",
    "점장",
    "원장",
    "편집장",
    "사장",
    "군인",
    "해병대",
    "승무원",
    "스튜어디스",
    "플로리스트",
    "변리사",
    "조무사",
    "위생사",
    "영양사",
    "사육사",
    "재활사",
    "설비사",
    "감독",
    "코치",
    "영업",
    "담당",
    "사무직",
    "생산직",
    "계약직",
    "정규직",
    "카페 사장",
    "웹툰 작가",
    "은행원",
    "경찰관",
    "소방관",
    "목사",
    "신부",
    "스님",
    "농부",
    "어부",
    "기관사",
    "조종사",
    "파일럿",
    "사서",
    "아나운서",
    "PM",
)
# What one runs for a living ("횟집 하세요", "카페를 하고 있어요").
_BUSINESS: Final = re.compile(
    r"(?:집|카페|가게|식당|약국|치과|병원|의원|한의원|학원|농사|농장|과수원|목장|양식장|회사|공방|펜션|게스트하우스|게하|민박|모텔|택시|화물차|장사|세탁소|미용실|이발소|네일샵|편의점|서점|책방|꽃가게|문구점|마트|슈퍼|정육점|철물점|포차|주점|"
    r"술집|호프|분식|부동산|공장|사업|자영업|쇼핑몰|스튜디오|사진관|헬스장|체육관|도장|태권도장|어린이집|유치원|고깃집|숙소|사무실|가맹점|프랜차이즈|노점|대리운전|배달|과외|번역|유튜브|방송|펍|바|샵)$"
)
# Where one is employed, when it stands before what one is ("로펌 변호사", "종합병원 간호사").
_EMPLOYER: Final = re.compile(r"(?:회사|병원|은행|청|로펌|전자|그룹|마트|사무소|공사|공단|학교|식당|카페|센터|연구소|공장|대학|법인|백화점|호텔|출판사|방송국|신문사|여행사|건설|보험|증권|스타트업|기업|학원|병동)$")
_PLACE_OF_GOODS: Final = frozenset(
    "차 자동차 집 자전거 오토바이 노트북 컴퓨터 아이패드 태블릿 아이폰 갤럭시 카메라 면허 운전면허 아파트 스마트워치 드론 맥북 전기차 킥보드 텐트 캠핑카 자격증 땅 가게".split()
)
# Slots that are told without a particle ("우리 고양이 이름 나비야", "혈액형 O형이야").
_BARE_SLOTS: Final = frozenset("이름 본명 별명 생일 혈액형 MBTI mbti 나이 취미 전공 고향 직업 키 몸무게 별자리 띠 종교".split())
_FRIENDS: Final = frozenset("친구 절친 베프 단짝 동창 동기".split())
# Of these one has several, so that each goes by name.
_MANY: Final = _FRIENDS | frozenset("동료 직장동료 선배 후배 조카 사촌 이웃 동서 제자 팀원 삼촌 이모 고모".split())
_PERSONAL: Final = (
    "내향적",
    "외향적",
    "내성적",
    "외성적",
    "집순이",
    "집돌이",
    "아침형 인간",
    "저녁형 인간",
    "야행성",
    "왼손잡이",
    "오른손잡이",
    "양손잡이",
    "완벽주의자",
    "올빼미형",
    "길치",
    "음치",
    "몸치",
    "낙천적",
    "긍정적",
    "소심한 편",
    "내향인",
    "외향인",
    "기계치",
    "곱슬머리",
)
_HIGH: Final = ("약", "영양제", "비타민", "유산균", "오메가3", "철분제", "진통제", "항생제", "인슐린", "수면제", "소화제", "타이레놀", "홍삼")


def extract(text: str, at: datetime) -> Iterator[Fact]:
    """Facts in the order in which they are said."""
    memo = _MEMO.match(text)
    body = text[memo.end() :] if memo else text
    found = list(_Reader(body, at).facts())
    if (name := own_name(body)) is not None and not asks_all(body, at):
        found = [_fact(USER, "name", name), *(f for f in found if not (f.subject == USER and f.predicate == "name"))]
    if not asks_all(body, at):
        found += [f for f in _stated(body) if not any(g.subject == USER and g.predicate == f.predicate for g in found)]
    if memo and not found and (said := body.strip(" .!~")):
        spans = find(body, at)
        found.append(_fact(USER, "memo", said, when=spans[0] if spans else None, now=at))
    yield from found


_SCORE: Final = re.compile(r"(토익|토플|텝스|오픽|토스|학점|수능|모의고사|JLPT|토픽|텝스|아이엘츠)\s*(?:스피킹|점수|성적)?[^.?!]{0,14}?(\d+(?:\.\d+)?\s*(?:점|급|등급)|IH|AL|IM\d?)")


def _stated(text: str) -> Iterator[Fact]:
    """What is told by its form alone, wherever it stands: a personality type, a test score."""
    if (m := _MBTI.search(text)) and not re.search(rf"(?:{'|'.join(sorted(KIN, key=len, reverse=True))})(?:은|는|이|가|도)\s", text) and not name_spans(text) and "?" not in text:
        yield _fact(USER, "mbti", m.group(1).upper())
    if (m := _SCORE.search(text)) and not re.search(r"싶|목표|까지|넘[어기]|따야|받아야|원해|이상|[?]|친구|동생", text):
        yield _fact(USER, "attribute", m.group(2), of=f"{m.group(1)} 점수")


def asks_all(text: str, at: datetime) -> bool:
    """Whether every sentence asks."""
    return all(asks_korean(segment, text) for segment in segments(clauses(text, at)))


def _fact(
    subject: str, predicate: str, object: str, *, polarity: bool = True, of: str | None = None, when: Span | None = None, until: Span | None = None,
    now: datetime | None = None, place: str | None = None, people: Sequence[str] = (),
) -> Fact:  # fmt: skip
    moment, words = None, None
    if when is not None and now is not None:
        moment, words = when.when, when.say("ko", now)
        if predicate in {"birthday", "anniversary"}:
            words = re.sub(r"^\d{4}년 |\s*[월화수목금토일]요일.*$", "", words)
        elif until is not None:
            words = f"{words}부터 {until.say('ko', now)}까지"
    return Fact(
        subject, predicate, object, PREDICATES[predicate], polarity, key_of(subject, predicate, object, of=of, people=people), moment, words, place, tuple(people)
    )


class _Reader:
    """Reads one utterance; remembers who was spoken of last, since Korean leaves the subject out."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.at = text, at
        self.carry: str | None = None
        self.carry_noun: str | None = None
        self.all = clauses(text, at)
        self.names = name_spans(text)
        self.other: tuple[int, str] | None = None
        self.pending: list[Fact] = []
        self.met: str | None = None
        self.plan: Fact | None = None

    def facts(self) -> Iterator[Fact]:
        said: list[Clause] = []
        for segment in segments(self.all):
            question = asks_korean(segment, self.text)
            usable = segment if not question else _before_the_question(segment)
            for index, clause in enumerate(usable):
                previous = usable[index - 1] if index else None
                found = self._clause(clause, previous, usable[index + 1] if index + 1 < len(usable) else None)
                said.append(clause)
                yield from self.pending
                self.pending = []
                yield from found
        if not (re.search(r"다고\s*(?:한|했)", self.text) and any(asks_korean(segment, self.text) for segment in segments(self.all))):
            yield from self._felt(said)

    # Who, and what of.

    def _person(self, phrase: Phrase) -> str | None:
        """The name by which a phrase speaks of somebody, None when it is a thing."""
        text = re.sub(r"\s*(?:하나|둘|셋|넷|(?:한|두|세|네|다섯|\d+)\s*(?:명|분|마리))$", "", phrase.text).strip()
        if text == "나":
            return USER
        if text in {"애", "애기", "아기", "꼬맹이"} and phrase.case in {"topic", "subject"}:
            return "아이"
        if text in {"두 분", "두분"} and re.search(r"부모|엄마|아빠|어머니|아버지", self.text):
            return "부모님"
        if text in {"너", "당신", "리라", "니", "넌", "자기"} or text.lower() == "lira":
            return "너"
        if phrase.owner == "나":
            text = text.removeprefix("집 ")
        if text in {"첫째", "둘째", "셋째", "막내"} and self.carry_noun in {"아들", "딸"}:
            return f"{text} {self.carry_noun}"
        if text in KIN:
            return text
        words = text.split()
        if len(words) > 1 and words[-1] in KIN and (len(words) == 2 or words[-2] not in KIN):
            return words[-1] if words[0] in {"우리", "첫째", "둘째", "집", "회사", "작은", "큰", "막내"} and words[-1] in FAMILY | PETS else text
        for i, word in enumerate(words[:-1]):
            if (
                word in KIN
                and words[-1] not in ATTRIBUTES
                and i == len(words) - 2
                and phrase.tags
                and (self._named_here(phrase) or (word in PETS and len(words[-1]) <= 4 and phrase.case != "object"))
            ):
                return self._introduce(word, _bare_name(words[-1]))
        if phrase.owner and phrase.owner in KIN and phrase.tags and self._named_here(phrase):
            return self._introduce(phrase.owner, _bare_name(text))
        if phrase.owner in {"옆집", "이웃"} and text in KIN:
            return f"{phrase.owner} {text}"
        if phrase.tags and set(phrase.tags) <= {"NNP", "XSN"} and 1 < len(text) <= 5 and not kinds_of(text) and not is_place(text) and phrase.case in {"topic", "subject"}:
            return _bare_name(text)
        if len(text) > 2 and text.endswith(("씨", "님", "이형", "누나", "언니", "오빠", "쌤")):
            return text
        return None

    def _named_here(self, phrase: Phrase) -> bool:
        """Whether the phrase ends in a personal name."""
        return phrase.tags[-1:] == ("NNP",) or any(a <= phrase.end - 1 < b for a, b in self.names)

    def _introduce(self, kin: str, name: str) -> str:
        """ "딸 수아가", "친구 지은이랑": who that is. Of friends there are many: each goes by the name; the subject to speak of comes back."""
        if kin in _MANY:
            self.pending += [_fact(name, "relation", kin), _fact(USER, "friend" if kin in _FRIENDS else "acquaintance", name)]
            return name
        self.pending.append(_fact(kin, "name", name))
        if kin in PETS:
            self.pending.append(_fact(USER, "pet", kin))
        elif kin in PARTNER:
            self.pending.append(_fact(USER, "partner", kin))
        elif kin in FAMILY:
            self.pending.append(_fact(USER, "family", kin))
        return kin

    def _frame(self, clause: Clause) -> tuple[str | None, list[Phrase]]:
        """(whose clause it is, the other phrases). None: nobody named."""
        who: str | None = None
        weak = False
        rest: list[Phrase] = []
        source: Phrase | None = None
        for i, phrase in enumerate(clause.phrases):
            if (
                phrase.case in {"topic", "subject", "bare"}
                and (who is None or who == USER)
                and (phrase.case != "bare" or (i == 0 and len(clause.phrases) > 1) or phrase.text in {"나", "너"})
            ):
                person = self._person(phrase) if attribute_of(phrase.text) is None or phrase.text in KIN else None
                existing = (
                    clause.verb in {"있", "없", "생기"}
                    and phrase.case == "subject"
                    and person in KIN
                    and all(q.tags and set(q.tags) <= {"NR", "SN", "NNB", "MM"} for q in clause.phrases[i + 1 :])
                )
                if person is not None and not existing and (who is None or person == "너"):
                    who, source = person, phrase
                    weak = person not in {USER, "너"} and phrase.text not in KIN
                    continue
            rest.append(phrase)
            introduced = phrase.owner in KIN and bool(phrase.tags) and self._named_here(phrase)
            if introduced and phrase.owner is not None and phrase.case not in {"topic", "subject"} and clause.verb != "이":
                known = self._introduce(phrase.owner, _bare_name(phrase.text))
                who = known if who is None and phrase.case == "bare" and clause.verb == "" else who
            elif who is None and phrase.case in {"topic", "subject", "bare", "comp"} and phrase.owner in KIN and attribute_of(phrase.text) is None and phrase.text not in KIN:
                who = phrase.owner
        if weak and source is not None and not rest and clause.verb in _LIKE | _DISLIKE | _EAT | _BUY | {"좋", "싫"}:
            return None, [source]
        if weak and source is not None and clause.verb in {"좋", "싫", "맛있", "무섭"}:
            return None, [source, *rest]
        return who, rest

    def _named(self, phrase: Phrase, who: str | None) -> tuple[str, str] | None:
        """(subject, predicate) for a phrase like "제 이름", "민수 생일", "강아지 이름"."""
        predicate = attribute_of(phrase.text)
        if predicate is None:
            return None
        words = phrase.text.split()
        subject = USER if phrase.owner == "나" else phrase.owner
        if len(words) > 1 and words[-1] in ATTRIBUTES and words[-2] in KIN:
            subject = words[-2]
        if subject is None and len(words) > 1 and words[-1] in ATTRIBUTES:
            before = " ".join(words[:-1])
            last = before.split()[-1]
            if last in KIN:
                subject = last
            elif predicate in {"name", "birthday", "age", "job", "blood_type", "mbti", "hobby", "phone"} and before not in {
                "내",
                "제",
                "영어",
                "실제",
                "음력",
                "양력",
                "핸드폰",
                "전화",
            }:
                subject = before
        if subject is not None and subject != USER:
            subject = re.sub(r"^(?:우리|내|제|저희)\s*", "", subject)
            subject = subject.split()[-1] if subject.split()[-1] in KIN else subject
        if (
            subject is None
            and who is None
            and predicate in {"name", "age", "breed", "birthday", "job", "nickname"}
            and self.carry in {None, USER}
            and self.carry_noun
        ):
            subject = self.carry_noun
        return subject or who or self._carried(clause_is_new_topic=False), predicate

    def _carried(self, *, clause_is_new_topic: bool) -> str:
        return self.carry if self.carry and not clause_is_new_topic else USER

    # One clause.

    def _clause(self, clause: Clause, previous: Clause | None, following: Clause | None) -> list[Fact]:
        who, rest = self._frame(clause)
        if who == "너" or "guess" in clause.flags or ("may" in clause.flags and clause.past) or (clause.ending in {"면", "으면", "다면", "라면", "려면", "거든"} and "may" not in clause.flags):
            return self._conditional(clause, following, rest, who)
        if (
            clause.ending in {"자", "아라", "어라", "세요", "십시오", "을게", "ᆯ게"}
            and clause.final
            and "will" not in clause.flags
            and clause.verb != "이"
            and not (clause.verb in _PLANNED and clause.ending in {"을게", "ᆯ게"})
        ):
            return []
        if who is not None:
            self.carry = who
        if "give" in clause.flags and clause.final and re.search(r"(?:줘|주세요|줄래|주라|주십시오)(?:요)?\s*$", clause.text):
            return []
        if who is None and following is not None and following.verb == "" and len(following.phrases) == 1 and following.phrases[0].case == "subject":
            # "알레르기 있대 우리 애가": the subject said last.
            who = self._person(following.phrases[0])
            self.carry = who or self.carry
        explicit = who
        for phrase in rest:
            ill = re.sub(r"\s*(?:때문|탓)$", "", phrase.text)
            if ill != phrase.text and _is_illness(ill):
                self.pending.append(_fact(who or USER, "condition", ill))
        comp = clause.get("comp")
        if comp is not None and comp.clause is not None and who in {None, USER} and comp.clause.verb in _DESCRIBING:
            # "대전에서 물리학 전공하는 오세영이라고 합니다" says more than a name.
            self.pending += self._verb(comp.clause, USER, [p for p in comp.clause.phrases if p.text != "나"], None, None, True)
        for phrase in rest:
            if phrase.clause is not None and phrase.text.split()[0] == "지" and re.search(r"지\s*(?:\S+\s*){1,3}(?:[돼됐된되]|째|넘|지났)", clause.text):
                # "담배 끊은 지 한 달 됐어" tells that it lasts.
                lasting = replace(phrase.clause, flags=phrase.clause.flags | {"ongoing"}, past=False)
                found_since = self._verb(lasting, who or USER, [p for p in lasting.phrases if p.text != "나"], None, None, True)
                if found_since:
                    return found_since
        if who is None and clause.verb in _FEELING - {"좋"}:
            return []
        found = self._copula(clause, who, rest) if clause.verb in {"이", "아니", ""} or (clause.verb == "되" and not clause.noun) else None
        if found is None:
            subject = who or self._carried(clause_is_new_topic=clause.verb in _PLANNED and bool(clause.dates))
            found = self._verb(clause, subject, rest, previous, following, explicit is not None)
        found = [self._claimed(fact, clause, explicit) for fact in found]
        found = [fact for fact in found if fact is not None]
        subject_said = next((p for p in rest if p.case in {"subject", "topic"} and p.tags and not p.wh), None)
        self.other = (clause.sentence, subject_said.text) if subject_said is not None and explicit is None else None
        for fact in found:
            if fact.subject != USER:
                self.carry = fact.subject
            elif fact.predicate in {"pet", "family", "partner"} and fact.object in KIN:
                self.carry_noun = fact.object
                if following is not None or not clause.final or fact.predicate == "pet":
                    self.carry = fact.object
            elif explicit == USER:
                self.carry, self.carry_noun = USER, None
        return found

    def _claimed(self, fact: Fact, clause: Clause, explicit: str | None) -> Fact | None:
        """A slot of one value is the speaker's only when nobody and nothing else is what the clause speaks of ("보리가 열두 살이고")."""
        if fact.predicate == "met" and re.search(r"[가-힣]", fact.object):
            self.met = fact.object.split()[-1]
        if fact.predicate == "plan" and fact.polarity:
            self.plan = fact
        if fact.subject != USER or fact.predicate not in SINGLE - {"name", "nickname"} or explicit is not None:
            return fact
        if self.met is not None and re.search(r"(?:대|래|대요|래요|다더라|라더라)\s*[.!~]*\s*$", self.text[clause.end :] or clause.text):
            # "민수 만났어. 판교에서 개발자 한대": told of whom one met.
            return replace(fact, subject=self.met, key=key_of(self.met, fact.predicate, fact.object))
        said = next((p for p in clause.phrases if p.case == "subject" or (p.case == "topic" and p.particle in {"은", "는"})), None)
        other = said.text if said is not None and said.tags and not said.wh else None
        if other is None and self.other is not None and self.other[0] == clause.sentence and fact.predicate in {"age", "breed"}:
            other = self.other[1]
        if (
            other is None
            or attribute_of(other) is not None
            or other in {"둘", "둘이", "셋", "셋이", "넷이", "혼자", "나", "지금", "여기", "지금 집", "사는 곳", fact.object}
            or (said is not None and (said.owner == "나" or said.clause is not None or "NOMINAL" in said.tags))
            or kinds_of(other) & {"병", "일정"}
            or fact.object in other
        ):
            return fact
        if fact.predicate in {"age", "breed", "job", "live_in", "school", "grade", "workplace"} and re.fullmatch(r"[가-힣]{1,4}(?: 씨)?", other):
            return replace(fact, subject=other, key=key_of(other, fact.predicate, fact.object)) if self._somebody(other) or fact.predicate in {"age", "breed"} else None
        return None

    def _somebody(self, word: str) -> bool:
        return word in KIN or word.endswith("씨") or any(self.text[a:b] == word for a, b in self.names)

    def pet_said(self) -> str:
        """The pet that the text speaks of."""
        return next((w for c in self.all for p in c.phrases for w in p.text.split() if w in PETS), "반려동물")

    def caller(self, clause: Clause) -> str | None:
        """Who called about it in the same sentence: "두레전자에서 연락 왔는데 면접이 ..." is about 두레전자."""
        for earlier in self.all:
            if earlier.sentence == clause.sentence and earlier.end <= clause.end and re.search(r"연락|전화|메일|문자|통보|공지", earlier.text):
                return next((p.text for p in earlier.phrases if p.case in {"from", "person"} and p.text != "나"), None)
        return None

    def _conditional(self, clause: Clause, following: Clause | None, rest: list[Phrase], who: str | None) -> list[Fact]:
        """ "땅콩 먹으면 두드러기 나" is an allergy; any other condition states nothing."""
        if clause.verb in _EAT and who != "너" and following is not None and any(s in self.text[clause.end :] for s in _SYMPTOMS):
            return [_fact(who or USER, "allergy", p.text) for p in rest if p.case in {"bare", "object", "topic"}][:1]
        if clause.verb in _EAT and who != "너" and any(s in self.text[clause.end :] for s in _UPSETS):
            return [_fact(who or USER, "dislike", p.text) for p in rest if p.case in {"bare", "object", "topic"}][:1]
        return []

    def _when(self, clause: Clause) -> tuple[Span | None, Span | None]:
        spans = clause.dates or next((c.dates for c in self.all if c.sentence == clause.sentence and not c.verb and c.dates), ())
        if len(spans) > 1 and "부터" in self.text[spans[0].end : spans[1].start + 1]:
            return spans[0], spans[1]
        exact = [s for s in spans if s.day_said] or list(spans)
        return (exact[0] if exact else None), None

    def _dated(
        self, clause: Clause, subject: str, predicate: str, object: str, *, polarity: bool = True, rest: Sequence[Phrase] = (), of: str | None = None
    ) -> Fact:
        when, until = self._when(clause)
        place = next((p.text for p in rest if p.case == "from" and not _is_person_word(p)), None)
        if place is None and clause.verb in _GO | {"도착하", "모이", "있", "여행가"}:
            place = next((p.text for p in rest if p.case in {"to", "at"} and not _is_person_word(p) and p.text != object), None)
        if place is None and (m := re.match(r"(.+?)\s*(?:여행|출장)$", object)):
            place = m.group(1)
        people: list[str] = [
            _bare_name(p.text) for p in rest if p.case in {"with", "person"} and (p.particle != "" or _is_person_word(p)) and p.text not in {object, "나"} and "NOMINAL" not in p.tags
        ]
        if clause.verb in {"만나", "뵈"}:
            people += [
                f"{p.owner} {p.text}" if p.owner not in {None, "나"} else _bare_name(p.text)
                for p in rest
                if p.case in {"object", "bare"} and p.text not in _TOO_PLAIN and not p.wh and not re.match(r"\d", p.text)
            ]
        return _fact(
            subject,
            predicate,
            object,
            polarity=polarity,
            of=of,
            when=when,
            until=until,
            now=self.at,
            place=place,
            people=tuple(dict.fromkeys(people)),
        )

    def _copula(self, clause: Clause, who: str | None, rest: list[Phrase]) -> list[Fact] | None:
        comp = clause.get("comp") or (rest[-1] if rest and clause.verb in {"", "되"} else None)
        others = [p for p in rest if p is not comp]
        joined = [
            p
            for p in others
            if p.case == "with"
            and p.particle in {"랑", "이랑", "와", "과", "하고"}
            and comp is not None
            and p.end < comp.start <= p.end + 6
            and p.tags
        ]
        positive = clause.verb != "아니" and not clause.negated
        if comp is not None and (comp.wh or comp.text.split()[0] in {"뭐", "누구", "어디", "언제"}):
            return []
        value = (comp.text if clause.verb == "이" and comp.clause is not None and comp.clause.phrases else _full(comp)) if comp is not None else ""
        if comp is not None and clause.verb == "이" and not others and len(words := comp.text.split()) == 2 and words[0] in _BARE_SLOTS:
            # "우리 고양이 이름 나비야", without the particle.
            others = [Phrase(words[0], "topic", "", comp.owner, comp.modifier, comp.clause, comp.tags[:1], comp.start, comp.start + len(words[0]))]
            comp = Phrase(words[1], "comp", "", None, "", None, comp.tags[1:], comp.end - len(words[1]), comp.end)
            value, rest = comp.text, [*others, comp]
        if joined and comp is not None and clause.verb == "이":
            value = self.text[joined[0].start : comp.end]
            others = [p for p in others if p not in joined]
        when, until = self._when(clause)
        topic = next((p for p in others if p.case in {"topic", "subject"}), None) or (others[0] if others else None)
        if (listed := self._listed_names(clause)) is not None:
            return listed
        if (planned := self._planned_noun(clause, comp, topic, when, who, rest)) is not None:
            return planned
        if clause.verb == "아니":
            topic = topic or comp
            comp = next((p for p in rest if p.case == "comp" or (p.case == "subject" and p is not topic)), comp)
            value = comp.text if comp is not None else value
        if (
            comp is not None
            and topic is not None
            and clause.verb == "이"
            and (slot := attribute_of(comp.text)) in {"hobby", "goal", "skill", "job", "habit"}
            and attribute_of(topic.text) is None
            and (topic.case == "subject" or "NOMINAL" in topic.tags)
        ):
            return [_fact(who or (comp.owner if comp.owner in KIN else None) or USER, slot, _full(topic), polarity=positive)]
        # A quotation: "민수라고 불러줘", "저는 김서연이라고 해요".
        if clause.verb == "이" and comp is not None and ("quoted" in clause.flags or clause.ending in {"라고", "이라고"}):
            after = self.text[clause.end : clause.end + 12]
            if ("quoted" in clause.flags or re.match(r"\s*(?:불러|부르|불리|해|합니|하)", after)) and (
                topic is None or self._named(topic, who) is not None or topic.case == "with"
            ):
                subject, predicate = (self._named(topic, who) if topic is not None else None) or (who or USER, "name")
                if re.match(r"\s*(?:불러|부르|불리)", after) and topic is None and who is None and re.search(r"이름", self.text):
                    predicate = "nickname"
                if _nameable(comp) or predicate != "name":
                    return [_fact(subject, predicate, _bare_name(value) if predicate in {"name", "nickname"} else value)]
        # "X는 Y야" where X is a slot, a category asked of, a plan or a thing of mine.
        if comp is not None and when is not None and clause.dates and clause.verb in {"이", ""} and (m := re.search(r"(생일|생신|(?:\d+\s*주년\s*)?(?:결혼\s*)?기념일|\d+주년)$", comp.text)):
            if m[1] in {"생일", "생신"} and (whose := comp.owner or who) is not None and attribute_of(comp.text) == "birthday":
                subject = USER if whose == "나" else whose
                return [_fact(subject, "birthday", _date_words(when), when=when, now=self.at)]
            if m[1] not in {"생일", "생신"}:
                of = re.sub(r"^\d+\s*주년\s*", "", comp.text) if "기념일" in comp.text else comp.text
                return [_fact(USER, "anniversary", comp.text, of=of, when=when, now=self.at)]
        if comp is not None and when is not None and clause.verb == "" and attribute_of(comp.text) == "birthday" and comp is topic or (
            comp is not None and when is not None and clause.verb == "" and attribute_of(comp.text) == "birthday" and topic is None
        ):
            return [_fact(who or (comp.owner if comp.owner in KIN else None) or USER, "birthday", _date_words(when), when=when, now=self.at)]
        if topic is not None and when is not None and re.search(r"(?:\d+|백|천)\s*(?:일|주년|주기)$|기념일$", topic.text):
            partner = next((f"{p.text}{p.particle} " for p in rest if p.case == "with"), "")
            return [_fact(USER, "anniversary", f"{partner}{topic.text}", of=topic.text, when=when, now=self.at)]
        if topic is not None:
            subject_predicate = self._named(topic, who)
            modified = self._modified_topic(clause, topic, value, who, positive)
            if modified is not None:
                return modified
            if subject_predicate is not None:
                return self._attribute(clause, subject_predicate, topic, comp, value, when, until, positive, rest)
            if topic.owner == "나" and len(value) == 1 and comp is not None and re.search(r"[주날달쯤]$", value) and re.search(r"\d", clause.text):
                value = clause.text[len(topic.text) :].lstrip("은는이가 ").split(topic.text)[-1].strip("은는이가 ")
                value = re.sub(r"(?:이야|야|이에요|예요|입니다)$", "", value)
            if topic.owner == "나" and value and not _is_person_word(topic):
                return [_fact(USER, "attribute", value, of=topic.text, polarity=positive)]
            if re.search(r"(비밀번호|번호|비번|아이디|사이즈|주소|계좌|암호|와이파이)$", topic.text.replace(" ", "")) and value:
                return [_fact(self._carried(clause_is_new_topic=True), "attribute", value, of=topic.text, polarity=positive)]
        if not value:
            if when is not None and clause.verb == "이" and who is not None and who != USER:
                return []
            return None if clause.verb == "" else []
        return self._is_a(clause, who, comp, value, others, positive)

    def _planned_noun(
        self, clause: Clause, comp: Phrase | None, topic: Phrase | None, when: Span | None, who: str | None, rest: list[Phrase]
    ) -> list[Fact] | None:
        """Plans said without a verb of their own: "다음 주 수요일 10시에 치과 예약!", "화요일에 시험임", "장소는 여의도예요"."""
        if clause.past or clause.negated or clause.verb not in {"", "이"}:
            return None
        if self.plan is not None and topic is not None and comp is not None and topic.text in {"장소", "시간", "날짜", "약속 장소"} and comp is not topic:
            if topic.text.endswith("장소") and comp.case in {"comp", "bare"} and not comp.wh:
                return [replace(self.plan, place=comp.text)] if comp.text not in {"그대로", "똑같", "미정"} else []
            return [self._later(self.plan, when, None)] if when is not None else []
        if self.plan is not None and topic is None and comp is not None and who is None and re.search(r"(?:집|역|앞|식당|카페|호텔|센터|공원|건물|호점|층|로비)$", comp.text):
            return [self._later(self.plan, when, comp.text)]
        if topic is not None and comp in {None, topic} and when is not None and clause.dates and clause.verb == "이" and _plan_noun(topic.text) and attribute_of(topic.text) is None:
            owner = f"{topic.owner} " if topic.owner not in {None, "나"} else ""
            return [self._dated(clause, USER, "plan", f"{owner}{topic.text}", rest=[p for p in rest if p is not topic])]
        said = comp if comp is not None and comp.case in {"comp", "bare"} else None
        if said is not None and topic in {None, said} and who in {None, USER}:
            if (m := re.fullmatch(r"(.+?)\s*(?:금지|중단)", said.text)) and "운동" in kinds_of(m[1]):
                return [_fact(USER, "exercise", m[1], polarity=False)]
            if m := re.fullmatch(r"((?:첫째|둘째|셋째|쌍둥이)?\s*임신)\s*(?:중|\d+\s*(?:주|개월)(?:차)?)?", said.text):
                return [_fact(USER, "condition", m[1])]
        if comp is not None and topic is not None and topic.text.endswith("예정일") and when is not None and clause.dates:
            return [_fact(USER, "plan", topic.text if " " in topic.text else f"출산 {topic.text}", of=topic.text, when=when, now=self.at)]
        if said is None or when is None or not clause.dates or (said.clause is not None and said.clause.past):
            return None
        name = re.sub(r"\s*(?:신청\s*완료|예약\s*완료|등록\s*완료|확정|신청|접수)$", "", said.text)
        if _plan_noun(name) is None or when.when.date() < self.at.date() or (topic is not None and topic is not said and topic.case in {"topic", "subject"}):
            return None
        if who not in {None, USER} or re.search(r"기념일$|생일$|생신$", name):
            return None
        return [self._dated(clause, USER, "plan", name, rest=[p for p in rest if p is not said])]

    def _listed_names(self, clause: Clause) -> list[Fact] | None:
        """ "강아지가 셋이에요. 보리, 쌀, 귀리." and "고양이 두 마리 키워요. 나비랑 까망이요": what they are called."""
        if clause.verb not in {"", "이"} or self.carry_noun is None or clause.past or clause.negated or clause.dates:
            return None
        words = [p.text for p in clause.phrases]
        if len(words) < 2 or any(p.case not in {"bare", "with", "comp"} or p.wh or p.owner or p.modifier or len(p.text) > 4 for p in clause.phrases):
            return None
        if not re.search(r"마리|[둘셋넷]|[두세네]\s*명|쌍둥이|형제|자매", self.text[: clause.start]):
            return None
        return [_fact(self.carry_noun, "name", ", ".join(_bare_name(w) for w in words))]

    def _later(self, plan: Fact, when: Span | None, place: str | None) -> Fact:
        """The plan with what a following sentence adds: its hour, its place."""
        if when is None:
            return replace(plan, place=place or plan.place)
        if not when.day_said and plan.when is not None:
            moment = plan.when.replace(hour=when.when.hour, minute=when.when.minute)
            words = replace(when, when=moment, day_said=True).say("ko", self.at)
            return replace(plan, when=moment, when_text=words, place=place or plan.place)
        return replace(plan, when=when.when, when_text=when.say("ko", self.at), place=place or plan.place)

    def changed(self, clause: Clause, noun: str) -> tuple[Span | None, str | None]:
        """What a following sentence says of a change: "수술 날짜가 바뀌었어요. 5월 13일로요", "장소 바뀜. 정자동 말고 서현역"."""
        after = self.text[clause.end :]
        if re.match(r"\s*[.!~…]*\s*$", after):
            return None, None
        span = next((s for c in self.all if c.start >= clause.end - 1 for s in c.dates), None)
        found = re.search(r"(?:말고|대신|아니고|에서)\s+([가-힣A-Za-z0-9 ]{2,20}?)(?:으로|로|에서)?\s*(?:[.,!]|$)", after)
        return span, found[1].strip() if found and not re.search(r"[월일시]$", found[1]) else None

    def _modified_topic(self, clause: Clause, topic: Phrase, value: str, who: str | None, positive: bool) -> list[Fact] | None:
        """ "제일 좋아하는 과일은 딸기", "사는 곳은 대전", "다니는 회사는 네이버", "태어난 날은 5월 1일"."""
        inner = topic.clause
        if inner is None:
            if topic.text.startswith("최애") and value:
                return [_fact(who or USER, "favorite", value, of=kind_name(topic.text.removeprefix("최애").strip() or "것"))]
            return None
        inside = next((p for p in inner.phrases if p.case in {"subject", "bare", "topic"}), None)
        subject = who or (self._person(inside) if inside is not None else None) or (topic.owner if topic.owner in KIN else None) or USER
        when, _ = self._when(clause)
        if inner.verb in _LIKE | {"좋"} and value:
            best = bool(_FAVOURITE & set(inner.adverbs)) or topic.text not in {"것", "거"}
            things = _list_of(value)
            if best and len(things) == 1:
                return [_fact(subject, "favorite", things[0], of=kind_name(topic.text), polarity=positive)]
            return [_fact(subject, "like", t, polarity=positive) for t in things]
        if inner.verb in _DISLIKE | {"싫"} or (inner.verb in _EAT and inner.negated):
            return [_fact(subject, "dislike", t, polarity=positive) for t in _list_of(value)] if value else []
        slots = {
            "살": "live_in",
            "사": "live_in",
            "거주하": "live_in",
            "다니": "workplace",
            "일하": "workplace",
            "태어나": "birthday",
            "근무하": "workplace",
            "키우": "pet",
            "하": "job",
            "배우": "learning",
            "친하": "friend",
            "쓰": "own",
            "타": "own",
        }
        predicate = slots.get(inner.verb)
        if predicate is None:
            return None
        if inner.verb == "태어나" and topic.text not in {"날", "날짜"}:
            predicate = "hometown"
        if predicate == "workplace" and "학교" in topic.text:
            predicate = "school"
        if inner.verb == "하" and topic.text != "일":
            return None
        if predicate == "birthday" and when is not None:
            return [_fact(subject, "birthday", _date_words(when), when=when, now=self.at)]
        if not value:
            return None
        if predicate == "friend":
            return [_fact(subject, "friend", _bare_name(value)), *([_fact(_bare_name(value), "relation", "친구")] if subject == USER else [])]
        return [_fact(subject, predicate, value, polarity=positive, of=topic.text if predicate == "own" else None)]

    def _attribute(
        self,
        clause: Clause,
        slot: tuple[str, str],
        topic: Phrase,
        comp: Phrase | None,
        value: str,
        when: Span | None,
        until: Span | None,
        positive: bool,
        rest: list[Phrase],
    ) -> list[Fact]:
        subject, predicate = slot
        extra: list[Fact] = []
        kin = subject.split()[-1] if subject != USER else ""
        if kin in FAMILY - {"가족"}:
            extra = [_fact(USER, "family", kin)]
        elif kin in PETS:
            extra = [_fact(USER, "pet", kin)]
        if predicate in {"birthday", "anniversary", "deadline", "plan"}:
            if when is not None:
                if predicate == "plan":
                    return [self._dated(clause, subject, "plan", topic.text, rest=[p for p in rest if p is not topic], polarity=positive)]
                of = topic.text if predicate != "birthday" else None
                object = _date_words(when) if predicate == "birthday" else topic.text
                return [_fact(subject, predicate, object, of=of, when=when, now=self.at), *extra]
            if predicate == "plan" and comp is not None and topic.text in {"계획", "일정", "예정"}:
                return [self._dated(clause, subject, "plan", value)]
            if predicate == "plan" and comp is not None and value:
                if value in {"취소", "연기"}:
                    return [_fact(subject, "plan", topic.text, polarity=value != "취소")]
                return [_fact(subject, "plan", topic.text, place=value)] if clause.verb == "이" and comp.tags[-1:] == ("NNP",) else []
            if predicate == "birthday" and value:
                return [_fact(subject, predicate, value), *extra]
            return []
        if not value or comp is None:
            return []
        if predicate in {"name", "nickname"}:
            if topic.text.replace(" ", "") in {"회사이름", "직장이름", "가게이름"}:
                return [_fact(USER, "workplace", value)]
            if not _nameable(comp) and predicate == "name":
                return []
            name = _bare_name(value)
            if joined := re.search(r"(?:이랑|랑|와|과|하고|,)\s", value):
                name = value if joined else name
            facts = [_fact(subject, predicate, name, polarity=positive), *extra]
            if kin in {"팀장님", "부장님", "사장님", "상사", "대표님", "팀장", "과장님"}:
                facts.append(_fact(USER, "boss", name))
            if kin in PARTNER:
                facts.append(_fact(USER, "partner", kin))
            return facts
        if predicate == "age" and (m := _AGE.search(clause.text)):
            return [_fact(subject, "age", m.group().strip()), *extra]
        if predicate == "mbti" and (m := _MBTI.search(value)):
            return [_fact(subject, "mbti", m.group().upper())]
        if predicate == "blood_type":
            return [_fact(subject, "blood_type", value if value.endswith("형") else f"{value}형", polarity=positive)]
        if predicate in {"hobby", "goal", "pet", "skill", "medicine", "condition", "exercise", "allergy", "habit"}:
            things = _list_of(value) if predicate != "goal" else [value]
            return [_fact(subject, predicate, t, polarity=positive) for t in things]
        if predicate == "own":
            return [_fact(subject, "own", value, of=topic.text, polarity=positive)]
        if (
            predicate == "live_in"
            and topic.text == "집"
            and clause.verb == "이"
            and comp.tags[-1:] == ("NNG",)
            and not re.search(r"[시군구동역]$", value)
        ):
            return []
        if predicate in {"phone"} and (m := _PHONE.search(value)):
            return [_fact(subject, "phone", m.group())]
        if predicate in {"partner", "friend"} or topic.text in OTHERS:
            return [_fact(subject, predicate, _bare_name(value))]
        if predicate == "memo":
            return [_fact(subject, predicate, value)]
        return [_fact(subject, predicate, value, polarity=positive), *extra]

    def _is_a(self, clause: Clause, who: str | None, comp: Phrase | None, value: str, others: list[Phrase], positive: bool) -> list[Fact]:
        """ "나는 Y야", "여동생은 Y야", "Y야"."""
        assert comp is not None
        subject = who or self._carried(clause_is_new_topic=False)
        squashed = value.replace(" ", "")
        found: list[Fact] = []
        topic = next((p for p in others if p.case in {"topic", "subject"}), None)
        if topic is not None and topic.text in PETS | FAMILY and re.fullmatch(r"(?:하나|둘|셋|넷|다섯|(?:한|두|세|네|다섯|\d+)\s*(?:마리|명))", value):
            self.carry_noun = topic.text
            return [_fact(USER, "pet" if topic.text in PETS else "family", topic.text)]
        about_a_thing = who is None and topic is not None and topic.text not in {"지금", "여기", "저기"}
        if about_a_thing and not (squashed.endswith("별로") or squashed in {"최고", "최애"} or "무조건" in clause.adverbs):
            return []
        if topic is not None and squashed.endswith("별로"):
            return [_fact(subject, "dislike", _full(topic))]
        if topic is not None and "무조건" in clause.adverbs and kinds_of(topic.text) | kinds_of(value) and clause.verb == "이":
            return [_fact(subject, "like", value)]
        if topic is not None and squashed in {"최애"}:
            return [_fact(subject, "like", _full(topic))]
        if set(comp.tags) == {"NR"} and re.match(r"(열|스물|스무|서른|마흔|쉰|예순|일흔|여든)", squashed):
            return [_fact(subject, "age", value)]
        if re.search(r"차이$", squashed):
            return []
        if (m := _AGE.search(squashed if " " not in value else value)) and m.group().strip(" 살"):
            found.append(_fact(subject, "age", m.group().strip()))
            rest = value.replace(m.group(), "").strip()
            value, squashed = rest, rest.replace(" ", "")
            if not rest or rest in {"초반", "중반", "후반"}:
                return found
        if comp.modifier and (inner := comp.clause) is not None and inner.verb in {"살", "거주하", "다니", "일하"}:
            found += self._verb(inner, subject, [p for p in inner.phrases if p.text != "나"], None, None, True)
        if m := _BIRTH_YEAR.search(value):
            return [*found, _fact(subject, "birthday", m.group())]
        if (m := _MBTI.fullmatch(squashed)) is not None:
            return [*found, _fact(subject, "mbti", m.group().upper())]
        if (m := _BLOOD.fullmatch(squashed)) is not None:
            return [*found, _fact(subject, "blood_type", squashed)]
        if m := _GRADE.search(value):
            found.append(_fact(subject, "grade", m.group().strip()))
            school, rest_words = value[: m.start()].strip(), value[m.end() :].strip()
            if _FULL_NAME.fullmatch(rest_words) and subject == USER:
                found.append(_fact(USER, "name", rest_words))
            words = school.split()
            if len(words) > 1 and _SCHOOL.search(words[0]) and not _SCHOOL.search(words[-1]):
                found += [_fact(subject, "school", words[0]), _fact(subject, "major", " ".join(words[1:]))]
            elif school and _SCHOOL.search(school):
                found.append(_fact(subject, "school", school))
            elif school.endswith(("과", "학부", "공학", "학")):
                found.append(_fact(subject, "major", school))
            return found
        if value.endswith("출신"):
            place = value.removesuffix("출신").strip()
            return [*found, _fact(subject, "school" if _SCHOOL.search(place) else "hometown", place)] if place else found
        if m := _ALLERGY.match(value):
            return [*found, _fact(subject, "allergy", m.group(1).strip(), polarity=positive)]
        if m := re.fullmatch(r"([가-힣]{2,})파", squashed):
            return [*found, _fact(subject, "like", m.group(1))] if m.group(1) in {"민초", "부먹", "찍먹", "얼죽아", "뜨아", "아아"} or kinds_of(m.group(1)) else found
        if (m := re.match(r"(?:내\s*)?(?:최애|소울\s*푸드|인생)\s*(\S*)$", value)) and topic is None and (before := self._spoken_of(clause)) is not None:
            return [*found, _fact(subject, "like", before), *([_fact(subject, "favorite", before, of=kind_name(m.group(1)))] if m.group(1) else [])]
        if value.endswith(("팬", "덕후", "마니아", "매니아", "러버", "광팬")):
            thing = re.sub(r"\s*(?:광팬|팬|덕후|마니아|매니아|러버)$", "", value).strip()
            return [*found, _fact(subject, "like", thing)] if thing else found
        if any(squashed.startswith(d.replace(" ", "")) for d in _DIETS):
            return [*found, _fact(subject, "diet", value, polarity=positive)]
        if squashed in {"남자", "여자", "남성", "여성"}:
            return [*found, _fact(subject, "gender", value, polarity=positive)]
        if squashed in {"미혼", "기혼", "유부남", "유부녀", "싱글", "솔로", "돌싱", "신혼", "신혼부부"}:
            return [*found, _fact(subject, "marital", value, polarity=positive)]
        if re.fullmatch(r"(기독교|불교|천주교|무교|이슬람교|원불교)(인|신자)?", squashed):
            return [*found, _fact(subject, "religion", value)]
        if re.search(r"(한국|일본|중국|미국|영국|프랑스|독일|베트남|캐나다|호주|대만|태국)\s*(사람|인)$", value):
            return [*found, _fact(subject, "nationality", value)]
        if re.search(r"\s사람$", value) and comp.tags[:1] == ("NNP",):
            return [*found, _fact(subject, "hometown", value.rsplit(" ", 1)[0])]
        if squashed.endswith("띠") or (squashed.endswith("자리") and len(squashed) > 3):
            return [*found, _fact(subject, "zodiac", value)]
        if any(p in value for p in _PERSONAL):
            return [*found, _fact(subject, "personality", value, polarity=positive)]
        if _ILLNESS.search(squashed) and subject:
            return [*found, _fact(subject, "condition", value, polarity=positive)]
        if squashed in _BREEDS or any(squashed.endswith(b) for b in _BREEDS if len(b) > 2):
            return [*found, _fact(subject, "breed", value)] if subject != USER else found
        last = value.split()[-1] if value.split() else ""
        if comp.owner == "나" or (who not in {None, USER} and last in KIN):
            if who is not None and last in {"첫째", "둘째", "셋째", "막내", "맏이"} and any(p in self.text for p in PETS if len(p) > 1):
                return [*found, _fact(who, "relation", value)]
            if who not in {None, USER} and last in KIN | {"짝꿍", "짝", "동창", "동기"}:
                assert who is not None
                predicate = (
                    "friend"
                    if last in {"친구", "절친", "베프", "단짝"}
                    else "partner"
                    if last in PARTNER
                    else "family"
                    if last in FAMILY
                    else "acquaintance"
                )
                return [*found, _fact(who, "relation", value), _fact(USER, predicate, who)]
            return found
        if last in _MY_ROLES and who is not None:
            team = " ".join(value.split()[:-1])
            return [*found, _fact(subject, "role", last), *([_fact(subject, "team", team)] if team.endswith("팀") else [])]
        if _is_job(squashed, comp):
            words = value.split()
            employer = next((i for i in range(len(words) - 1, 0, -1) if _EMPLOYER.search(words[i - 1])), 0)
            if employer and words[-1] not in {"사장", "점장", "주인", "원장", "대표"} and not _SCHOOL.search(words[employer - 1]):
                same = words[0] == "같은"
                return [
                    *found,
                    *([] if same else [_fact(subject, "workplace", " ".join(words[:employer]))]),
                    _fact(subject, "job", " ".join(words[employer:]), polarity=positive),
                ]
            workplace = " ".join(value.split()[:-1])
            job = value
            if workplace and comp.tags[:1] == ("NNP",) and kinds_of(value.split()[-1]):
                found.append(_fact(subject, "school" if _SCHOOL.search(workplace) else "workplace", workplace))
                job = value.split()[-1]
            return [*found, _fact(subject, "job", job, polarity=positive)]
        if squashed.endswith("팀") and who is not None:
            return [*found, _fact(subject, "team", value)]
        if (
            subject != USER
            and subject.split()[-1] in KIN
            and who is not None
            and _nameable(comp)
            and ("NNP" in comp.tags or (len(comp.tags) >= len(value) and re.fullmatch(r"[가-힣]{2,3}", value)))
            and clause.verb == "이"
        ):
            extra = [_fact(USER, "pet", subject)] if subject in PETS else [_fact(USER, "family", subject)] if subject in FAMILY else []
            return [*found, _fact(subject, "name", _bare_name(value)), *extra]
        introduced = (
            who is None
            and not others
            and clause is next((c for c in self.all if c.verb not in {"안녕하", "반갑"}), None)
            and "NNP" in comp.tags
            and _FULL_NAME.fullmatch(value)
        )
        if introduced and clause.verb == "이" and not found:
            return [_fact(USER, "name", value, polarity=positive)]
        if who == USER and clause.verb == "이" and not found and _nameable(comp) and not kinds_of(value) and (
            set(comp.tags) <= {"NNP"} or re.fullmatch(r"[A-Z][A-Za-z]*", value) or (_FULL_NAME.fullmatch(value) and set(comp.tags) != {"NNG"})
        ):  # fmt: skip
            return [_fact(USER, "name", _bare_name(value), polarity=positive)]
        return found

    def _spoken_of(self, clause: Clause) -> str | None:
        """What the sentence before speaks of ("돼지국밥이지. 소울푸드임", "딸기라떼는 포기 못 해. 내 최애임")."""
        for earlier in reversed([c for c in self.all if c.end <= clause.start and clause.sentence - c.sentence <= 1]):
            for phrase in earlier.phrases:
                if phrase.case in {"topic", "object", "comp", "subject", "bare"} and kinds_of(phrase.text) and not phrase.wh:
                    return _full(phrase)
        return None

    def _verb(
        self, clause: Clause, subject: str, rest: list[Phrase], previous: Clause | None, following: Clause | None, explicit: bool
    ) -> list[Fact]:
        verb, positive = clause.verb, not clause.negated and "cannot" not in clause.flags
        for rule in _RULES:
            found = rule(self, clause, verb, subject, rest, positive, previous, explicit)
            if found is not None:
                return found
        return []

    def _felt(self, said: Sequence[Clause]) -> Iterator[Fact]:
        """A feeling of the speaker with what it is about: the clause before it, or the sentence next to it."""
        for index, clause in enumerate(said):
            body = next((p for p in clause.phrases if p.case in {"subject", "bare"} and p.text in {"손", "치", "가슴", "심장", "마음", "다리", "목소리", "눈물"}), None)
            if (
                body is not None
                and clause.verb in {"떨리", "두근거리", "벅차", "무너지", "찢어지", "쿵쾅거리", "뛰", "아프", "무겁", "먹먹하", "철렁하", "놓이"}
                and (len(clause.phrases) > 1 or index)
                and self._frame(clause)[0] in {None, USER}
            ):
                self.pending = []
                before = said[index - 1] if index and said[index - 1].sentence == clause.sentence else None
                yield self._with_date([clause], self.text[before.start if before else clause.start : clause.end])
                return
            feeling = (
                clause.verb in _FEELING
                or (clause.noun in {"우울", "행복", "속상", "스트레스"} and clause.verb.endswith("하"))
                or (clause.verb == "나" and any(p.text in {"화", "짜증", "눈물"} for p in clause.phrases))
                or (clause.verb in {"좋", "나쁘", "더럽"} and any(p.text.endswith("기분") for p in clause.phrases))
                or (clause.verb == "받" and any("스트레스" in p.text for p in clause.phrases))
            )
            if not feeling or (
                clause.verb == "좋"
                and not any(p.text.endswith("기분") for p in clause.phrases)
                and not (index and said[index - 1].ending in {"어서", "아서", "여서"})
            ):
                continue
            who, rest = self._frame(clause)
            self.pending = []
            if who not in {None, USER}:
                continue
            before = said[index - 1] if index else None
            if before is not None and before.sentence == clause.sentence and not before.final and before.ending not in {"면", "으면"}:
                start = before.start
                if index > 1 and said[index - 2].sentence == clause.sentence and not said[index - 2].final:
                    start = said[index - 2].start
                yield self._with_date(said[max(0, index - 2) : index + 1], self.text[start : clause.end])
                return
            causes = (
                [
                    p
                    for p in rest
                    if (p.case in {"subject", "topic", "object", "from"} or p.text.endswith("때문"))
                    and not p.text.endswith(("기분", "마음", "하루", "오늘"))
                    and p.text not in _TOO_PLAIN
                    and len(p.text) > 1
                ]
                if clause.verb != "좋"
                else []
            )
            if causes or clause.get("person"):
                yield self._with_date([clause], clause.text)
                return
            other = [
                c
                for c in said
                if c is not clause
                and c.verb
                and c.verb not in _FEELING
                and c.verb not in {"안녕하", "기억하"}
                and (c.past or c.verb in {"이", "있"})
                and c.phrases
            ]
            if other:
                start = next((c.start for c in said if c.sentence == other[0].sentence), other[0].start)
                yield self._with_date(other, self.text[start : max(c.end for c in said if c.sentence == other[0].sentence)])
                return

    def _with_date(self, said: Sequence[Clause], words: str) -> Fact:
        span = next((s for c in said for s in c.dates), None)
        return _fact(USER, "felt", re.sub(r"\s+", " ", words).strip(" .!,~"), when=span, now=self.at)


Rule = Callable[[_Reader, Clause, str, str, list[Phrase], bool, Clause | None, bool], list[Fact] | None]
"""A rule answers None when the clause is not its business, and the facts (perhaps none) when it is."""


def _things(rest: Sequence[Phrase], *cases: str) -> list[Phrase]:
    return [p for p in rest if p.case in cases and not p.wh and p.text not in _TOO_PLAIN]


def _objects(rest: Sequence[Phrase], *, listed: bool = False) -> list[Phrase]:
    """What a transitive verb is about; `listed` takes "사과랑 딸기를" as two."""
    found = _things(rest, "object")
    loose = _things(rest, "bare")
    topics = _things(rest, "topic")
    joined = [p for p in _things(rest, "with") if not _is_person_word(p) and p.particle in {"랑", "이랑", "와", "과", "하고"}] if listed else []
    chosen = found or loose or topics or [p for p in _things(rest, "subject") if not _is_person_word(p)]
    if listed and found and loose:
        chosen = [*loose, *found]
    return [*joined, *chosen] if chosen else []


def _taste(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    likes, dislikes = verb in _LIKE, verb in _DISLIKE
    if verb == "들" and any(p.text == "마음" for p in rest):
        likes, rest = True, [p for p in rest if p.text != "마음"]
    if verb in {"좋", "싫", "맛있"}:
        targets = [p for p in rest if p.case in {"subject", "bare"} or (p.case == "topic" and explicit)]
        targets = [
            p
            for p in targets
            if p.text not in _TOO_PLAIN
            and not p.text.endswith(("기분", "날씨", "컨디션", "몸", "사이", "상태", "성격", "머리", "눈", "건강", "결과"))
        ]
        if verb == "싫" and any("NOMINAL" in p.tags and p.text.endswith("기") for p in targets):
            shown = [p for p in rest if p.case == "topic" and kinds_of(p.text)]
            return [_fact(subject, "dislike", _full(p)) for p in shown]
        firm = explicit or c.adverbs or verb == "싫" or "좋더라" in c.text
        if not targets or c.past or verb == "맛있" or not firm:
            return [] if verb == "맛있" else None
        if any(p.case == "than" for p in rest) or not set(c.adverbs) - {
            "더",
            "제일",
            "가장",
            "젤",
            "이제",
            "정말",
            "진짜",
            "너무",
            "완전",
            "훨씬",
            "참",
            "안",
            "별로",
            "요즘",
            "역시",
            "난",
            "지금",
        }:
            likes, dislikes, rest = verb == "좋", verb == "싫", [p for p in rest if p.case != "topic" or p in targets]
            if "별로" in c.adverbs:
                positive = False
            targets = [p for p in targets if p.case == "subject"] or targets
        else:
            return None
    elif likes or dislikes:
        if "want" in c.flags or (c.verb == "피하" and not c.phrases):
            return []
        targets = _objects(rest, listed=True)
        if not targets and previous is not None and not previous.final and previous.verb not in _LIKE | _DISLIKE:
            targets = _things(previous.phrases, "topic")[:1]
            targets = [p for p in targets if not _is_person_word(p)]
        if "별로" in c.adverbs:
            positive = False
    else:
        return None
    out: list[Fact] = []
    dropped = previous is not None and previous.verb == "말" and previous.ending == "고"
    if dropped and previous is not None:
        out += [_fact(subject, "like", _full(p), polarity=False) for p in _things(previous.phrases, "bare", "object", "topic")]
    formerly = c.past and (
        bool({"예전", "옛날", "원래"} & set(c.adverbs))
        or any(p.text in {"어릴 때", "어렸을 때", "전", "한때"} for p in rest)
        or c.ending in {"는데", "지만", "었는데"}
    )
    for phrase in targets:
        text = _full(phrase)
        if likes and positive and not formerly and _FAVOURITE & set(c.adverbs):
            category = next((p.text.removesuffix(" 중").strip() for p in rest if p.text.endswith(" 중") or p.text.endswith("중에서")), None)
            kinds = (
                [kind_name(category)]
                if category
                else sorted(k for k in kinds_of(text) if k in {"과일", "음료", "운동", "색", "계절", "동물", "꽃", "음악", "음식"})[:1]
            )
            out += [_fact(subject, "favorite", text, of=k) for k in kinds[:1]]
        if phrase.text == text and phrase.case in {"topic"} and text.endswith(" 중"):
            continue
        out.append(_fact(subject, "like" if likes else "dislike", text, polarity=positive and not formerly))
    return out


def _eating(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb == "끊" and any(re.search(r"(?:표|티켓|항공권|영수증|이용권|회원권|정기권|PT|피티|학원)(?:를|을|도)?$", p.text) for p in rest):
        return [r._dated(c, subject, "bought", _full(p), rest=rest) for p in _objects(rest)[:1]]
    if verb in {"끊", "줄이"}:
        things = [p for p in _objects(rest) if p.text not in {"연락", "전화", "인연", "말"}]
        return [_fact(subject, "like", _full(p), polarity=False) for p in things] if c.past or "will" in c.flags or "ongoing" in c.flags or c.ending in {"고", "ᆷ", "음"} else []
    if verb not in _EAT and verb != "복용하" and verb != "피우":
        return None
    things = _objects(rest)
    if verb == "먹" and any(p.text in {"겁", "마음", "나이", "욕", "더위"} for p in rest):
        return []
    medicine = [p for p in things if p.text.endswith(_HIGH) and p.text not in {"치약", "예약", "계약"}]
    if medicine and positive:
        return [_fact(subject, "medicine", _full(p)) for p in medicine if len(p.text) > 1 or c.repeats or "ongoing" in c.flags]
    if not positive and not c.past:
        if "안" in c.adverbs and not (
            explicit or {"이제", "요즘", "원래", "더", "절대"} & set(c.adverbs) or any(p.case == "topic" for p in rest) or "want" in c.flags
        ):
            return [_fact(subject, "dislike", _full(p)) for p in things if kinds_of(p.text)]
        ended = {"이제", "요즘", "더", "더이상"} & set(c.adverbs)
        return [
            _fact(subject, "like" if ended and "못" not in c.adverbs else "dislike", _full(p), polarity=not (ended and "못" not in c.adverbs))
            for p in things
        ]
    if "want" in c.flags or not positive:
        return []
    if (c.dates and "will" in c.flags) or (c.dates and not c.past and c.dates[0].when.date() > r.at.date()):
        return None
    if c.past:
        return [r._dated(c, subject, "ate", _full(p), rest=rest) for p in things]
    if c.repeats or _HABIT_WORDS & set(c.adverbs):
        return [
            _fact(subject, "habit", _nominalised(r, c)),
            *(_fact(subject, "like", _full(p)) for p in things if {"자주", "맨날", "항상", "주로"} & set(c.adverbs)),
        ]
    if (
        {"이제", "요즘"} & set(c.adverbs)
        or (previous is not None and previous.negated and previous.verb == verb)
        or (previous is not None and previous.verb in {"말", "끊"} and not previous.final)
        or any(re.search(re.escape(p.text) + r"만\s", c.text) and p.case in {"bare", "object"} for p in rest)
    ):
        return [_fact(subject, "like", _full(p)) for p in things]
    return []


def _turning(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """Tastes that come, go, or show in a turn of phrase."""
    if verb in {"꽂히", "빠지", "반하", "입문하"} and (c.past or c.ending in {"ᆷ", "음", "어서", "아서"}):
        things = _things(rest, "at")
        out = []
        for p in things:
            *old, new = re.split(r"\s*대신\s*", p.text)
            out += [_fact(subject, "hobby" if _is_pastime(o) else "like", o, polarity=False) for o in old if o]
            out.append(_fact(subject, "hobby" if _is_pastime(new) else "like", new if old else _full(p)))
        return out or None
    if verb in {"질리", "물리"} and c.past:
        return [_fact(subject, "like", _full(p), polarity=False) for p in _things(rest, "bare", "topic", "object", "subject", "at")[:1] if p.text != "모기"]
    if verb == "맞" and not positive and not c.past:
        things = [p for p in _things(rest, "topic", "bare", "subject") if kinds_of(p.text)]
        return [_fact(subject, "dislike", _full(p)) for p in things] or None
    if (verb in {"맡", "대"} and "못" in c.adverbs) or (verb in {"쳐다보", "보"} and "cannot" in c.flags):
        things = [p for p in rest if p.case in {"topic", "bare", "at"} and p.text not in {"냄새", "입", "손", "꼴"} | _TOO_PLAIN]
        return [_fact(subject, "dislike", _full(p)) for p in things[:1]] or None
    if verb in {"포기", "포기하"} and (not positive or "못" in c.adverbs):
        things = [p for p in _things(rest, "topic", "object", "bare") if kinds_of(p.text)]
        return [_fact(subject, "like", _full(p)) for p in things] or None
    if verb == "살" and "못" in c.adverbs and previous is not None and previous.verb == "없":
        return [_fact(subject, "like", _full(p)) for p in previous.phrases if p.case in {"bare", "subject", "topic"} and p.text not in _TOO_PLAIN][:1]
    if verb == "당기" and not c.past and positive and not any(_plan_noun(p.text) for p in rest):
        return [_fact(subject, "like", _full(p)) for p in _things(rest, "subject", "bare") if kinds_of(p.text)] or None
    if verb in {"갈아타", "바꾸"} and (target := next((p for p in rest if p.case == "to"), None)) is not None:
        if "운동" in kinds_of(target.text) or any(p.text == "운동" for p in rest):
            return [_fact(subject, "exercise", target.text)]
        if c.past and verb == "바꾸" and (old := next((p for p in rest if p.case == "object"), None)) is not None and not _plan_noun(old.text) and not c.dates:
            return [_fact(subject, "attribute", target.text, of=old.text)]
    if verb in {"바뀌", "변경되", "바꾸"} and (named := next((p for p in rest if _is_code(p.text)), None)) is not None:
        value = next((p.text for p in rest if p.case == "to"), None) or (m.group(1) if (m := re.search(r"(\S+?)(?:으로|로)\s*(?:바뀌|바꾸|바꿨|변경)", c.text)) else None)
        own = f"{named.owner} {named.text}" if named.owner not in {None, "나"} else named.text
        return [_fact(subject, "attribute", value, of=re.sub(r"\s*\d+$", "", own))] if value else []
    return None


def _is_pastime(text: str) -> bool:
    return bool(kinds_of(text) & {"취미", "악기", "게임", "스포츠", "운동"}) or text.endswith(("도예", "공예", "뜨개질", "자수", "캠핑", "낚시", "서핑", "사진", "그림", "글쓰기", "요리", "베이킹", "식물", "가드닝"))


def _is_code(text: str) -> bool:
    return bool(re.search(r"(?:비밀번호|비번|번호|아이디|주소|휴무|휴무일|영업시간|계좌|암호|마감시간)(?:\s*\d+)?$", text.replace(" ", "")))


def _business(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """What somebody runs or does for a living, said with 하다 ("횟집 하세요"), and where one was married off to or emigrated."""
    place = next((p.text for p in rest if p.case == "from"), None)
    here = [_fact(subject, "live_in", place)] if place is not None and subject != USER and not re.search(r"(?:회사|병원|학교|집|가게)$", place) else []
    thing = c.noun if verb == f"{c.noun}하" and c.noun else next((p.text for p in rest if p.case in {"object", "bare"}), "")
    if verb in {"운영하", "경영하", "차리", "개업하", "창업하", "오픈하"} and (owned := next((p for p in rest if p.case in {"object", "bare"}), None)) is not None:
        return [_fact(subject, "job", f"{owned.text} 운영"), *here]
    if verb == "짓" and thing.endswith("농사"):
        return [_fact(subject, "job", thing), *here]
    steady = not c.past and c.ending not in {"어서", "아서"} and "want" not in c.flags and "will" not in c.flags and not c.dates
    if verb == f"{c.noun}하" and c.noun and steady and "give" not in c.flags and ("직업" in kinds_of(c.noun) or _BUSINESS.search(c.noun)) and not r.text.startswith("메모"):
        named = re.search(rf"['\"‘“](.+?)['\"’”]\s*(?:이)?라는\s*{re.escape(c.noun)}", r.text)
        label = [_fact(subject, "workplace", f"{named[1]}")] if named else []
        if "직업" in kinds_of(c.noun):
            return [_fact(subject, "job", c.noun), *here]
        return [_fact(subject, "job", f"{c.noun} 운영" if not c.noun.endswith(("농사", "택시", "장사", "배달", "과외", "번역", "사업", "자영업", "대리운전")) else c.noun), *label, *here]
    if verb in {"시집가", "장가가", "이민가", "유학가", "이주하", "이민하"} or (verb == "가" and any(p.text in {"이민", "유학", "시집", "파견"} for p in rest)):
        where = next((p.text for p in rest if p.case in {"to", "at"} and p.text not in {"이민", "유학"}), None)
        if c.past and where is not None:
            return [_fact(subject, "live_in", where)]
    if verb == "맡" and "ongoing" in c.flags and (role := next((p.text for p in rest if p.case in {"object", "bare"}), None)) is not None:
        return [_fact(subject, "job" if role.endswith("담임") else "role", role), *here]
    if verb == "되" and c.past and positive and (comp := next((p for p in rest if p.case in {"comp", "bare"}), None)) is not None and explicit:
        if _is_job(comp.text.replace(" ", ""), comp):
            return [_fact(subject, "job", comp.text)]
    if verb == "되" and c.past and (m := _AGE.search(c.text)) and m.group().strip(" 살") and not re.search(r"지\s*$", c.text[: m.start()]):
        return [_fact(subject, "age", m.group().strip())] if "개월" not in m.group() or subject != USER else None
    if verb == "되" and c.past and (m := re.search(r"(열|스물|스무|서른|마흔|쉰|예순|일흔|여든)\s?(하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?(?=\s*(?:이|가)?\s*[돼됐된되])", c.text)):
        return [_fact(subject, "age", m.group().strip())]
    if verb in {"치", "연주하", "켜", "불"} and not c.past and not c.flags and c.ending in {"ᆷ", "음", "어", "어요", "ᆫ다", "ᆸ니다", "습니다"} and positive:
        played = [p for p in rest if p.case in {"object", "bare"} and "악기" in kinds_of(p.text)]
        return [_fact(subject, "skill", p.text.split()[-1]) for p in played] or None
    return None


def _living(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb == "사" and not c.past and rest and rest[-1].case in {"at", "bare"} and re.search(r"사시|사셔|사십|사신", c.text):
        verb = "살"  # Kiwi reads the honorific "사십니다" as buying.
    if verb == "사" and not c.past and rest and re.search(r"(?:동|구|시|군|읍|면|역|원룸|오피스텔|아파트|빌라|고시원|기숙사|자취방|근처|옆)$", rest[-1].text) and re.search(r"산다|삼[.\s]*$", c.text):
        verb = "살"
    if verb in {"살", "거주하", "자취하", "지내"}:
        place = next(iter(_things(rest, "at", "from") or _things(rest, "bare")), None)
        alone = [p for p in rest if p.case == "with"]
        if place is None or place.text in {"혼자", "같이", "집", "잘"} or "want" in c.flags:
            if "want" in c.flags and place is not None:
                return [_fact(subject, "goal", f"{place.text}에 살기")]
            return [_fact(subject, "habit", _nominalised(r, c))] if (alone or "혼자" in c.adverbs) and verb != "지내" else []
        if c.past and positive and ({"예전", "원래", "옛날"} & set(c.adverbs) or c.ending in {"는데", "다가", "지만"}):
            return []  # Where one lived says nothing of where one lives.
        if (verb == "지내" and place.case not in {"at", "from"}) or (c.past and "예전" in c.adverbs):
            return [_fact(subject, "live_in", place.text, polarity=False)] if c.past and "예전" in c.adverbs else []
        return [_fact(subject, "live_in", place.text, polarity=positive)]
    if verb in {"이사하", "이사가", "이사오"} or (verb in {"가", "오"} and any(p.text.endswith("이사") for p in rest)):
        place = next(iter(_things(rest, "to") or [p for p in _things(rest, "at") if p.text != "이사"]), None)
        if c.past and place is not None:
            return [_fact(subject, "live_in", place.text)]
        if c.past:
            return [r._dated(c, subject, "did", "이사")]
        return [r._dated(c, subject, "plan", "이사", rest=rest)] if c.dates or "will" in c.flags else []
    if verb in {"태어나", "자라"}:
        place = next(iter(_things(rest, "from", "at")), None)
        if place is not None:
            return [_fact(subject, "hometown", place.text)] if verb == "태어나" or (previous is None or previous.verb != "태어나") else []
        when, _ = r._when(c)
        if subject in KIN and c.past and (when is None or (r.at - when.when).days < 60):
            return [r._dated(c, subject, "did", "태어남")]
        return [_fact(subject, "birthday", _date_words(when), when=when, now=r.at)] if when is not None else []
    return None


def _working(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb in {"다니", "재학하"} or (verb in {"다니"} and "ongoing" in c.flags):
        place = next(iter(_things(rest, "at", "object", "bare", "to")), None)
        if place is None:
            return []
        text = place.text
        kinds = kinds_of(text)
        if text.endswith(("교회", "성당", "절")):
            return [_fact(subject, "religion", text)]
        if "운동" in kinds or text.endswith(("헬스장", "헬스", "요가", "필라테스", "수영장", "체육관", "도장", "클라이밍장")):
            return [_fact(subject, "exercise", text, polarity=positive)]
        if text.endswith(("병원", "치과", "한의원")) and not explicit and c.repeats:
            return [_fact(subject, "treatment", text)]
        if text.endswith("학원"):
            return [_fact(subject, "learning", text, polarity=positive)]
        if _SCHOOL.search(text) and text not in {"군대", "무대"}:
            where = next((p.text for p in rest if p.case == "from"), None)
            return [_fact(subject, "school", text, polarity=positive, place=where)]
        if text in {"여행", "회사", "직장", "산책", "학교", "출장", "등산", "맛집", "쇼핑"}:
            return [_fact(subject, "hobby", text)] if text in {"등산", "여행", "맛집"} else []
        if "purpose" in c.flags:
            return None
        return [_fact(subject, "workplace", text, polarity=positive and not ("예전" in c.adverbs and c.past))]
    if verb in {"일하", "근무하", "재직하", "알바하", "아르바이트하", "활동하", "종사하"}:
        if "want" in c.flags or (c.past and not {"예전"} & set(c.adverbs) and not c.flags):
            if "want" not in c.flags:
                return None
            return [_fact(subject, "goal", _nominalised(r, c))]
        out: list[Fact] = []
        for p in rest:
            if p.case in {"from", "at"} and p.text not in _TOO_PLAIN | {"회사", "집", "직장"}:
                words = p.text.split()
                out.append(_fact(subject, "team" if p.text.endswith(("팀", "부서")) else "workplace", p.text, polarity=not c.past))
                if len(words) > 1 and words[-1].endswith("팀"):
                    out.append(_fact(subject, "workplace", " ".join(words[:-1])))
            elif p.case == "to" and not c.past:
                out.append(_fact(subject, "job", p.text))
        if verb in {"알바하", "아르바이트하"} and out:
            out.append(_fact(subject, "job", f"{out[0].object} 알바"))
        return out
    if verb in _WORK_CHANGE or (
        verb in {"그만두", "때려치우", "옮기", "바꾸", "관두", "접"} and any(p.text.endswith(("회사", "직장", "일", "알바", "아르바이트", "배달", "가게", "사업", "장사", "병원", "학교")) for p in rest)
    ):
        what = c.noun or _nominalised(r, c)
        if "will" in c.flags:
            return [r._dated(c, subject, "plan", what, rest=rest)]
        if not c.past and "ongoing" not in c.flags and c.ending not in {"어서", "아서"}:
            return (
                [r._dated(c, subject, "plan", what, rest=rest)]
                if c.dates or "will" in c.flags
                else [_fact(subject, "goal", what)]
                if "want" in c.flags
                else []
            )
        place = next(iter(_things(rest, "at", "to")), None)
        out = [r._dated(c, subject, "work_change", what if c.noun else c.text)]
        if place is not None and verb in {"취업하", "입사하", "취직하", "이직하", "옮기"}:
            out.append(_fact(subject, "workplace", place.text))
        elif place is not None and verb == "승진하":
            out.append(_fact(subject, "role", place.text))
        elif verb in {"그만두", "관두", "접"} and (gone := next((p.text for p in rest if p.text.endswith(("알바", "아르바이트", "배달", "장사", "사업"))), None)):
            out.append(_fact(subject, "job", gone, polarity=False))
        elif verb in {"퇴사하", "그만두", "관두", "때려치우", "잘리", "은퇴하"} and subject == USER:
            left = next((p.text for p in rest if p.case in {"from", "object", "bare"}), "회사")
            out.append(_fact(subject, "workplace", left, polarity=False))
        return out
    if verb in {"전공하", "복수전공하"}:
        return [_fact(subject, "major", p.text) for p in _objects(rest)[:1]]
    if verb in {"배우", "공부하", "연습하", "수강하", "독학하", "과외하"}:
        things = _objects(rest)
        if c.past and not c.flags and verb == "배우" and not c.dates:
            return [_fact(subject, "skill", _full(p)) for p in things]
        if c.past and "ongoing" not in c.flags and c.dates:
            return [r._dated(c, subject, "did", c.text)] if things else []
        if "want" in c.flags:
            return [_fact(subject, "goal", f"{things[0].text} {c.noun or '배우기'}")] if things else []
        if verb == "공부하" and not c.past and (campus := next((p.text for p in rest if p.case == "from" and _SCHOOL.search(p.text)), None)) and things:
            return [_fact(subject, "school", campus), _fact(subject, "major", things[0].text)]
        return [_fact(subject, "learning", _full(p), polarity=positive) for p in things] if not c.past or "become" in c.flags else []
    if verb in {"준비하", "개발하", "만들", "진행하", "쓰", "연구하", "기획하"} and ("ongoing" in c.flags):
        things = _objects(rest)
        if verb == "쓰" and not any(p.text.endswith(("소설", "글", "논문", "책", "일기", "시", "블로그")) for p in things):
            return None
        predicate = "goal" if verb == "준비하" else "project"
        return [_fact(subject, predicate, f"{_full(p)} 준비" if verb == "준비하" else _full(p)) for p in things]
    if verb == "졸업하" and (course := next((p.text for p in rest if re.search(r"(?:학과|과|학부|전공)$", p.text)), None)) is not None:
        *school, major = course.split()
        return [r._dated(c, subject, "did", f"{course} 졸업"), _fact(subject, "major", major), *([_fact(subject, "school", school[0])] if school and _SCHOOL.search(school[0]) else [])]
    if verb in {"졸업하", "입학하", "휴학하", "편입하", "전학하"} and c.past:
        place = next(iter(_things(rest, "at", "object", "bare", "to")), None)
        out = [r._dated(c, subject, "did", f"{place.text} {c.noun}" if place else c.noun)]
        if place is not None and verb in {"입학하", "편입하", "졸업하"} and place.text not in {"대학", "학교", "대학교", "대학원"}:
            out.append(_fact(subject, "school", place.text))
        return out
    return None


def _people(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb in {"키우", "기르", "입양하", "데려오", "분양받", "줍", "주워오", "들이"}:
        out = []
        called = previous is not None and previous.verb == "이" and previous.ending.endswith("라고") and previous.get("comp", "bare")
        for p in _objects(rest, listed=True):
            text = re.sub(r"\s*(?:(?:한|두|세|네|다섯|\d+)\s*)?마리$", "", p.text).strip()
            kin = next((w for w in reversed(text.split()) if w in PETS), None)
            if kin is None and (breed := next((w for w in text.split() if w in _BREEDS), None)) is not None:
                kin = _species(breed)
                out.append(_fact(kin, "breed", breed))
                if called:
                    out.append(_fact(kin, "name", _bare_name(called.text)))
            if kin is None and "동물" not in kinds_of(text) and text not in _BREEDS:
                if verb == "키우" and "ongoing" in c.flags | {"ongoing"} and text and not _is_person_word(p):
                    out.append(_fact(subject, "own", text))
                elif kin is None and text in FAMILY:
                    out.append(_fact(subject, "family", text))
                continue
            out.append(
                _fact(subject, "pet", kin or text, polarity=positive and "want" not in c.flags)
                if "want" not in c.flags
                else _fact(subject, "goal", f"{kin or text} 키우기")
            )
            if "마리" in p.text and kin:
                out[-1] = Fact(**{**{f: getattr(out[-1], f) for f in Fact.__slots__}, "object": kin})
            name = text.split()[-1]
            if kin and name != kin and name not in _BREEDS and "NNP" in p.tags:
                out.append(_fact(kin, "name", _bare_name(name)))
        return out
    if verb in {"짓", "지어주"} and any(p.text.endswith("이름") for p in rest):
        named = re.search(r"이름(?:은|을|도)?\s*['\"]?([가-힣A-Za-z]{1,8}?)['\"]?(?:이라고|라고|으로|로)\s", c.text)
        return [_fact(r.carry_noun or (subject if subject != USER else r.pet_said()), "name", named[1])] if named else []
    if verb == "헤어지":
        partner = next((p.text for p in rest if p.case in {"with", "object"} and p.text in PARTNER), None)
        return [r._dated(c, subject, "did", c.text), _fact(subject, "partner", partner or next((_bare_name(p.text) for p in rest if p.case == "with"), "애인"), polarity=False)] if c.past else []
    if verb in {"결혼하", "이혼하", "약혼하"} and c.past:
        return [_fact(subject, "marital", c.noun), *([r._dated(c, subject, "did", c.noun, rest=rest)] if c.dates else [])]
    if verb in {"사귀", "연애하", "만나"} and "ongoing" in c.flags:
        return [_fact(subject, "partner", _bare_name(p.text)) for p in rest if p.case in {"with", "bare", "object"}][:1] or (
            [_fact(subject, "partner", "애인")] if verb == "연애하" else []
        )
    if verb == "사귀" and c.past:
        return [_fact(subject, "partner", _bare_name(p.text)) for p in rest if p.case == "with"][:1]
    if verb == "만나" and c.past:
        return [
            r._dated(c, subject, "met", _bare_name(p.text), rest=rest)
            for p in [q for q in rest if not re.match(r"\d+\s*(?:년|달|개월|주|일|번)", q.text) and q.case in {"with", "object", "bare"} and not q.wh][:2]
        ]
    if verb in {"돌아가", "죽", "떠나"} and subject not in {USER} and c.past and subject in KIN:
        return [_fact(subject, "condition", "돌아가심" if verb == "돌아가" else "세상을 떠남")]
    return None


def _species(breed: str) -> str:
    return "고양이" if breed in _CATS else "강아지"


def _health(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    words = [p.text for p in rest]
    if verb == "하" and "삐끗" in c.adverbs:
        verb = "삐끗"
    if verb in _INJURE:
        part = next((p for p in rest if p.case in {"object", "subject", "bare", "at"} and p.text not in _TOO_PLAIN and not _is_person_word(p)), None)
        if (verb in {"베이", "데이", "까지"} and part is None) or verb == "까지":
            return None
        return [r._dated(c, subject, "injury", part.text if part else c.text)] if c.past or "ongoing" in c.flags or c.ending in {"어서", "아서", "ᆷ", "음"} else []
    if (verb.startswith("골절") or (verb == "나가" and c.ending in {"어서", "아서"} or verb == "나가" and c.past)) and (
        part := next((p for p in rest if p.case in {"subject", "bare", "object"} and re.search(r"(?:무릎|손목|발목|허리|어깨|팔|다리|손가락|발가락|갈비뼈|쇄골|인대|이빨|목)$", p.text)), None)
    ) is not None:
        return [r._dated(c, subject, "injury", part.text)]
    if verb in {"오", "나오"} and c.past or verb == "오" and c.ending in {"네요", "네"}:
        ill = next((p for p in rest if p.case in {"subject", "bare"} and _is_illness(p.text)), None)
        if ill is not None:
            return [_fact(subject, "condition", ill.text)]
    if verb in {"아프", "편찮", "쑤시", "결리", "저리", "붓", "쓰리"}:
        part = next(
            (
                p
                for p in rest
                if p.case in {"subject", "bare", "topic"}
                and p.text not in {"마음", "나", "가슴", "오늘", "몸"} | _TOO_PLAIN
                and not _is_person_word(p)
            ),
            None,
        )
        if part is not None:
            return [_fact(subject, "condition", f"{part.text} 통증")] if positive else []
        if verb in {"아프", "편찮"} and subject != USER:
            return [_fact(subject, "condition", "아픔")] if positive else []
        return []
    if verb in {"걸리", "앓", "진단받", "심하", "심해지", "도지", "생기", "시달리", "고생하"} or (
        verb in {"받", "나오"} and any("진단" in w for w in words)
    ):
        if allergy := next((m for p in rest if (m := _ALLERGY.match(f"{p.owner} {p.text}" if p.owner in PETS else p.text))), None):
            return [_fact(subject, "allergy", allergy.group(1).strip(), polarity=positive)]
        ill = next((p for p in rest if _is_illness(re.sub(r"\s*진단$", "", p.text))), None)
        if ill is not None:
            return [_fact(subject, "condition", re.sub(r"\s*진단$", "", ill.text), polarity=positive)]
        return None if verb not in {"앓", "심하"} else []
    if verb in {"낫", "완치되", "회복되", "완치하"} and c.past:
        ill = next((p for p in rest if p.case in {"subject", "bare", "topic"}), None)
        return (
            [_fact(subject, "injury" if ill.text not in kinds_of(ill.text) and not _is_illness(ill.text) else "condition", ill.text, polarity=False)]
            if ill is not None
            else []
        )
    if "will" in c.flags and c.dates and verb in {"받", "수술하", "입원하"}:
        return None
    if verb in {"수술하", "입원하", "퇴원하"} or (verb == "받" and any(w.endswith(("수술", "치료", "진료", "시술", "검진", "깁스")) for w in words)):
        what = next((w for w in words if w.endswith(("수술", "치료", "진료", "시술", "검진"))), None) or (
            " ".join([*[w for w in words if w not in _TOO_PLAIN and not w.startswith("나")][:1], c.noun]).strip()
        )
        if c.past or "ongoing" in c.flags:
            return [r._dated(c, subject, "treatment", what)]
        return [r._dated(c, subject, "plan", what, rest=rest)] if c.dates or "will" in c.flags else []
    if verb in {"채식하", "단식하", "금주하", "금연하", "다이어트하", "소식하", "절식하"}:
        return [_fact(subject, "diet", c.noun, polarity=positive)] if not c.past or "ongoing" in c.flags else []
    if verb == "하" and any(d in w for w in words for d in _DIETS):
        return [_fact(subject, "diet", words[-1], polarity=positive)]
    if verb in {"무서워하", "두려워하", "무섭", "무서워지"} and positive:
        things = [p for p in rest if p.case in {"object", "subject", "bare"} and p.text not in _TOO_PLAIN]
        return [_fact(subject, "fear", _full(p)) for p in things] if things and not c.past and (verb.endswith("하") or explicit) else None
    if verb in {"알레르기", "알러지"}:
        return [_fact(subject, "allergy", _full(p)) for p in _objects(rest)]
    return None


def _having(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb not in {"있", "없", "계시", "생기", "가지", "잡히", "많", "들어오"} and not (verb == "" and rest):
        return None
    positive = positive and verb != "없"
    if verb in {"있", "계시"} and subject != USER and r._somebody(subject) and (where := next((p.text for p in rest if p.case == "at"), None)) is not None:
        kind = "job" if where in {"군대", "부대"} else "workplace" if where.endswith(("회사", "병원", "은행", "지사", "본사")) else "live_in"
        if kind == "job" or (kind != "live_in") or not re.search(r"집|방|카페|학교|병원|밖|앞|옆|위|안|밑", where):
            return [_fact(subject, kind, "군인" if kind == "job" else where)]
    out: list[Fact] = []
    for p in rest:
        if p.case not in {"subject", "bare", "topic", "object"} or p.wh:
            continue
        text = re.sub(r"\s*(?:이|가)?\s*(?:하나|둘|셋|넷|(?:한|두|세|네|다섯|\d+)\s*(?:명|분|마리|개|대))$", "", p.text).strip()
        if m := _ALLERGY.match(f"{p.owner} {text}" if p.owner in PETS else text):
            out += [_fact(subject, "allergy", t, polarity=positive) for t in _list_of(m.group(1).strip())]
        elif text in {"알레르기", "알러지", "앨러지"}:
            sources = [q for q in rest if q.case in {"at", "bare", "topic", "object", "with"} and q is not p and not _is_person_word(q)]
            if p.modifier and not sources:
                out.append(_fact(subject, "allergy", p.modifier, polarity=positive))
            out += [_fact(subject, "allergy", _full(q), polarity=positive) for q in sources] or (
                [_fact(subject, "allergy", "알레르기", polarity=False)] if not positive else []
            )
        elif text.endswith("공포증"):
            out.append(_fact(subject, "fear", text, polarity=positive))
        elif _is_illness(text):
            out.append(_fact(subject, "condition", text, polarity=positive))
        elif text.split()[-1:] and text.split()[-1] in FAMILY and verb != "많":
            out.append(_fact(subject, "family", text.split()[-1], polarity=positive))
        elif text in PETS:
            out.append(_fact(subject, "pet", text, polarity=positive))
        elif text in PARTNER:
            out.append(_fact(subject, "partner", text, polarity=positive))
        elif (plan := _plan_noun(text)) and verb != "많":
            out.append(r._dated(c, subject, "plan", plan, polarity=positive, rest=[q for q in rest if q is not p]))
        elif text.replace(" ", "") in _PLACE_OF_GOODS and p.case != "topic":
            out.append(_fact(subject, "own", text, polarity=positive))
        elif text in {"취미", "꿈", "목표"}:
            continue
    if verb == "" and not any(f.predicate in {"allergy"} or (f.predicate in {"plan"} and f.when is not None) for f in out):
        out = []
    if not out and verb in {"있"} and any(p.text in {"관심"} for p in rest):
        return [_fact(subject, "like", p.text) for p in rest if p.case == "at"]
    if not out and verb in {"있", "없"} and "한 적" in c.text:
        return None
    return out or ([] if verb in {"있", "없", "많", ""} else None)


def _planning(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    noun = next((plan for p in rest if p.case in {"subject", "topic", "object", "bare", "to", "at", "from"} and (plan := _plan_noun(p.text))), None)
    if verb in _MOVE and noun and not ("want" in c.flags):
        noun = _without_facet(noun)
        if " " not in noun and (caller := r.caller(c)) is not None:
            noun = f"{caller} {noun}"
        to_place = next((p.text for p in rest if p.case == "to" and not _plan_noun(p.text)), None)
        fact = r._dated(c, subject, "plan", noun, rest=[p for p in rest if p.case != "from"])
        span, place = r.changed(c, noun)
        if fact.when is None and span is not None:
            fact = r._later(fact, span, None)
        return [replace(fact, place=to_place or place or fact.place)]
    if verb in _MOVE and not noun and c.dates and any(p.text.endswith(("시간", "날짜", "장소")) for p in rest):
        words = next(p.text for p in rest if p.text.endswith(("시간", "날짜", "장소")))
        if " " not in words and r.plan is not None:
            when, _ = r._when(c)
            return [r._later(r.plan, when, None)]
        return [r._dated(c, subject, "plan", words.rsplit(" ", 1)[0] if " " in words else "약속")]
    if verb in _MOVE and not noun and (to := next((p.text for p in rest if p.case == "to"), None)) and any(p.text.endswith("장소") for p in rest):
        return [replace(r.plan, place=to)] if r.plan is not None else [_fact(subject, "plan", "약속", place=to)]
    if verb in {"잡", "잡히", "정하", "정해지", "확정되", "확정하", "예약하", "예약되"} and noun and c.dates:
        return [r._dated(c, subject, "plan", _without_facet(noun), rest=[p for p in rest if _plan_noun(p.text) != noun])]
    if verb in _CANCEL and (noun or any(p.text for p in rest)):
        return [_fact(subject, "plan", noun, polarity=False)] if noun else []
    future = (
        bool(c.dates)
        and not c.past
        and (c.dates[0].when >= r.at.replace(hour=0, minute=0) or c.dates[0].granularity in {"week", "weekend", "month", "year"})
    )
    intends = "will" in c.flags or ("must" in c.flags and (noun is not None or bool(c.dates)))
    if "겠" in c.text and not c.dates and noun is None:
        return None
    if not intends and c.ending in {"어서", "아서", "니까", "으니까", "ᆯ까", "을까"}:
        return None
    if "purpose" in c.flags and (future or intends) and (goal := next((p for p in rest if p.case in {"object", "bare"} and p.text not in _TOO_PLAIN), None)):
        return [r._dated(c, subject, "plan", f"{goal.text} {verb}러 가기" if verb in {"보", "타", "사"} else f"{goal.text} {nominal(verb)}", rest=[p for p in rest if p is not goal])]
    if ("ongoing" in c.flags and not intends) or ("hearsay" in c.flags and subject == USER and not (noun and c.dates)):
        return None
    if intends and not positive and noun:
        return [_fact(subject, "plan", noun, polarity=False)]
    if not (future or intends) or (c.past and not intends) or not positive:
        return None
    if "want" in c.flags or "may" in c.flags:
        return None
    if verb in {"오", "내리", "춥", "덥"} and any(p.text in {"비", "눈", "태풍", "장마"} for p in rest):
        return []
    if noun is None:
        if verb in {"만나", "뵈", "보"} and any(_is_person_word(p) or p.case == "with" for p in rest):
            noun = "약속"
        elif c.noun and c.noun not in _TOO_PLAIN:
            extra = next((p.text for p in rest if p.case in {"object", "bare"} and p.text not in _TOO_PLAIN and not p.wh), "")
            noun = f"{extra} {c.noun}".strip()
        elif (verb in _PLANNED | {"시작되", "있", "끝나"} and c.final) or intends:
            thing = next(
                (
                    p
                    for p in sorted(rest, key=lambda p: bool(re.search(r"(?:기념일|생일|방학|명절|추석|설날|연휴|휴일)$", p.text)))
                    if p.case in {"object", "bare", "to", "at"} and p.text not in _TOO_PLAIN - {"저녁", "점심", "밥", "아침"} and not p.wh
                ),
                next((p for p in rest if p.case == "topic" and verb in {"가", "떠나", "오"} and is_place(p.text)), None),
            )
            if thing is None:
                return [] if verb in {"보", "하"} else None
            noun = {
                "가": f"{thing.text} 가기",
                "떠나": f"{thing.text} 여행",
                "먹": f"{thing.text} 식사" if thing.text in {"저녁", "점심", "아침"} else f"{thing.text} 먹기",
                "보": f"{thing.text} 보기",
                "치": f"{thing.text}",
                "받": thing.text,
            }.get(verb, f"{thing.text} {nominal(verb)}")
        else:
            return None
    if not future and not intends:
        return None
    rest = [p for p in rest if _plan_noun(p.text) != noun or p.case in {"from", "with"}]
    return [r._dated(c, subject, "plan", noun, rest=rest)]


def _moved(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """A plan that changed, before anything else may claim its verb."""
    return _planning(r, c, verb, subject, rest, positive, previous, explicit) if verb in _MOVE | _CANCEL else None


def _skills(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if "skill" in c.flags:
        things = _objects(rest, listed=True)
        return [_fact(subject, "language" if "언어" in kinds_of(p.text) else "skill", _full(p), polarity=positive) for p in things] or [
            _fact(subject, "skill", c.noun or nominal(verb), polarity=positive)
        ]
    if verb in {"잘하", "못하", "서투르"} or (verb in {"치", "부르", "추", "그리", "하"} and "잘" in c.adverbs):
        things = [p for p in rest if p.case in {"object", "bare", "subject", "topic"} and p.text not in _TOO_PLAIN]
        good = positive and verb not in {"못하", "서투르"}
        return [_fact(subject, "language" if "언어" in kinds_of(p.text) else "skill", _full(p), polarity=good) for p in things] if not c.past else []
    if c.noun == "운전" and not positive:
        return [_fact(subject, "skill", "운전", polarity=False)]
    if "want" in c.flags and c.final and verb not in {"죽", "자", "쉬", "울", "먹", "토하", "싶"} and positive:
        return [_fact(subject, "goal", _nominalised(r, c))] if c.phrases and any(p.text not in _TOO_PLAIN for p in rest) else []
    if verb == "되" and ("want" in c.flags or any(p.text in {"꿈", "목표"} for p in rest)):
        comp = next((p for p in rest if p.case == "comp"), None)
        return [_fact(subject, "goal", f"{comp.text} 되기")] if comp else []
    return None


def _activity(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    things = _objects(rest)
    noun = c.noun or (things[0].text if things and verb in {"하", "치", "타", "가", "뛰", "나가"} else "")
    steady = (
        bool(c.repeats)
        or "ongoing" in c.flags
        or bool(_HABIT_WORDS & set(c.adverbs))
        or bool({"요즘", "취미"} & set(c.adverbs))
        or "become" in c.flags
        or verb in {"시작하"}
    )
    if (
        (verb.endswith("하") or verb in {"치", "타", "뛰", "가", "나가"})
        and noun
        and ("운동" in kinds_of(noun) or noun == "운동" or noun.endswith("운동"))
        and not (c.past and "become" not in c.flags and not c.repeats)
    ):
        if "want" in c.flags:
            return [_fact(subject, "goal", noun)]
        if steady or (explicit and not c.dates):
            out = [_fact(subject, "exercise", noun, polarity=positive)]
            return [*out, _fact(subject, "habit", _nominalised(r, c))] if c.repeats else out
    if verb in {"들어가", "가입하"} and c.past and (club := next((p for p in rest if p.text.endswith(("동아리", "동호회", "모임", "크루", "클럽", "밴드"))), None)) is not None:
        return [_fact(subject, "hobby", _full(club))]
    if verb == "등록하" and c.past and things:
        target = things[0].text
        return [_fact(subject, "exercise" if "운동" in kinds_of(target) or target.startswith(("헬스", "PT", "피티")) else "learning", target)]
    if verb in {"보", "듣", "타"} and "못" in c.adverbs and not c.past and things:
        return [_fact(subject, "dislike", _full(p)) for p in things if not _is_person_word(p)]
    if verb == "시작하" and c.past and things:
        target = things[0].text
        return [_fact(subject, "habit" if "NOMINAL" in things[0].tags else "exercise" if "운동" in kinds_of(target) else "diet" if any(d in target for d in _DIETS) else "learning", target)]
    if verb in {"쓰", "사용하", "타", "몰"} and not c.past and positive and things and (explicit or "ongoing" in c.flags):
        return (
            [_fact(subject, "own", _full(things[0]), of={"타": "차", "몰": "차"}.get(verb))]
            if (things[0].tags and things[0].tags[0] in {"NNP", "SL"}) or _known_goods(things[0].text)
            else []
        )
    if (c.repeats or (_HABIT_WORDS & set(c.adverbs) and explicit)) and verb and not c.past and "must" not in c.flags:
        return [_fact(subject, "habit", _nominalised(r, c), polarity=positive)]
    return None


def _events(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    objects = _objects(rest)
    if verb in {"합격하", "불합격하", "탈락하", "떨어지", "붙", "통과하", "통과되", "낙방하", "우승하", "당첨되", "수상하"}:
        what = [p for p in rest if p.text not in _TOO_PLAIN and not _is_person_word(p)]
        if verb in {"떨어지", "붙"} and not any(
            _plan_noun(p.text)
            or p.text.endswith(("시험", "면접", "대학", "대학교", "전형", "회사", "고시", "오디션", "서류", "자격증"))
            or _SCHOOL.search(p.text)
            for p in what
        ):
            return None
        return [r._dated(c, subject, "result", c.text)] if c.past or c.ending in {"어서", "아서"} else []
    if (
        verb in {"받", "맞", "나오", "따"}
        and (c.past or c.ending in {"어서", "아서"})
        and re.search(r"\d+\s*(?:점|등|등급|학점)|[ABCF][+]?(?:학점)?\b|만점|장학금|자격증|면허|상", c.text)
    ):
        return [r._dated(c, subject, "result", c.text)]
    if not c.past:
        if verb in {"읽", "보", "정주행하"} and "ongoing" in c.flags and positive:
            return [_fact(subject, "watched", _full(p)) for p in objects if not _is_person_word(p)]
        if verb in {"가", "다녀오"} and "once" in c.flags and positive:
            return [_fact(subject, "travel", p.text) for p in _things(rest, "at", "bare", "to", "object")][:1]
        return None
    if not positive:
        return []
    if verb in _BUY and objects:
        bought = [r._dated(c, subject, "bought", _full(p), rest=rest) for p in objects if p.text not in _TOO_PLAIN]
        cars = [
            _fact(subject, "own", _full(p), of="차")
            for p in objects
            if "차량" in kinds_of(p.text) or any(q.case == "to" and q.text.endswith("차") for q in rest)
        ]
        return [*bought, *cars]
    if verb in {"보", "시청하", "관람하", "읽", "감상하"} and objects:
        if any(_plan_noun(p.text) in {"시험", "면접", "수능", "토익"} for p in objects) or "try" in c.flags:
            return [r._dated(c, subject, "did", c.text)]
        if any(p.text.endswith(("시험", "고사", "면접", "모의고사", "수능")) for p in [*objects, *rest]):
            return [r._dated(c, subject, "result", c.text)]
        return [r._dated(c, subject, "watched", _full(p), rest=rest) for p in objects if p.text not in _TOO_PLAIN and not _is_person_word(p)]
    if verb in _GO or (verb in {"하"} and any(p.text.endswith("여행") for p in objects)):
        place = next(iter(_things(rest, "at", "to") or [p for p in _things(rest, "object", "bare", "from") if not _is_person_word(p)]), None)
        place = next(
            (p for p in [place, *_things(rest, "bare", "object")] if p is not None and p.text not in {"봄", "여름", "가을", "겨울", "방학", "휴가"}),
            None,
        )
        if place is None or (verb == "오" and place.case not in {"at", "to"}):
            return None
        travel = (
            any("여행" in p.text or "출장" in p.text for p in rest)
            or verb in {"여행하", "떠나"}
            or bool(
                re.search(
                    r"(도|섬|시|유럽|일본|미국|태국|베트남|대만|중국|호주|캐나다|제주|부산|강릉|경주|여수|속초|오사카|도쿄|파리|런던|뉴욕|다낭|방콕|하와이|후쿠오카|스페인|이탈리아|프랑스|전주)$",
                    place.text,
                )
            )
        )
        where = next(
            (p.text for p in rest if p.case in {"to", "at"} and p.text not in {"여행", "봄", "여름", "가을", "겨울", "방학", "휴가"}), place.text
        )
        where = re.sub(r"\s*(?:여행|출장)$", "", where) if travel and where not in {"여행", "출장"} else where
        if where in {"집", "회사", "학교", "화장실"}:
            return None
        return [r._dated(c, subject, "travel" if travel else "visit", where, rest=[p for p in rest if p.text != where])]
    if verb == "받" and objects:
        return [
            r._dated(c, subject, "received", _full(p), rest=rest) for p in objects if p.text not in _TOO_PLAIN | {"전화", "연락", "문자", "스트레스"}
        ]
    if verb in {"잃어버리", "분실하", "잃", "도둑맞", "털리"} and objects:
        return [r._dated(c, subject, "lost", _full(p), rest=rest) for p in objects]
    return None


def _done(
    r: _Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """What the speaker did or had happen, when nothing finer is known: it must be past, and said to be theirs or dated or awaited."""
    mine = explicit or bool(c.dates) or bool({"드디어", "결국", "처음"} & set(c.adverbs)) or any(p.owner == "나" for p in rest)
    weather = any(p.text in {"비", "눈", "바람", "날씨", "해"} for p in rest)
    content = [p for p in rest if p.text not in _TOO_PLAIN and not p.wh] or (c.noun and c.noun not in {"안녕", "기억", "말", "생각"})
    if (
        c.past
        and mine
        and content
        and not weather
        and positive
        and c.verb not in {"이", "있", "없", "되", "같", "그러", "하", "알", "모르", "죽", "안녕하", "보이"}
        and "hearsay" not in c.flags
        and (c.final or c.ending in {"어서", "는데", "고", "아서"})
    ):
        return [r._dated(c, subject, "did", c.text, rest=rest)]
    return None


_RULES: Final[tuple[Rule, ...]] = (
    _skills, _turning, _taste, _moved, _eating, _business,
    _living, _people, _health, _working, _having, _planning, _events, _activity, _done,
)  # fmt: skip


def _before_the_question(segment: Sequence[Clause]) -> list[Clause]:
    """Of a segment that ends in a question, what it states before: "나 커피 좋아하는데 너는?"."""
    return [c for c in segment[:-1] if c.ending.endswith(("는데", "ᆫ데", "지만", "고")) and not c.asks and not segment[-1].past]


def _full(phrase: Phrase) -> str:
    """The phrase with a short describing modifier: "매운 음식", "단 것"."""
    return f"{phrase.modifier} {phrase.text}" if phrase.modifier and len(phrase.modifier) <= 12 else phrase.text


def _list_of(value: str) -> list[str]:
    parts = re.split(r"\s*(?:,|그리고|랑|이랑|하고|및)\s+|(?<=[가-힣])(?:와|과)\s+", value)
    return [p.strip() for p in parts if p.strip()]


def _date_words(when: Span) -> str:
    return (
        f"{when.when.month}월 {when.when.day}일"
        if when.granularity not in {"month", "year"}
        else f"{when.when.year}년"
        if when.granularity == "year"
        else f"{when.when.month}월"
    )


def _bare_name(text: str) -> str:
    """A name without the 이 that follows a consonant in speech ("지민이" is 지민, "민수씨" 민수)."""
    text = re.sub(r"(?<=[가-힣]{2})(?:입니|이에|예)$|\s*(?:씨|군|양)$", "", text.strip())
    words = text.split()
    if len(words) > 1 and words[0] in KIN and words[-1] not in KIN:
        text = words[-1]
    if re.fullmatch(r"[가-힣]{3}", text) and text.endswith("이") and (ord(text[1]) - 0xAC00) % 28 and text not in KIN:
        return text[:-1]
    return text


def _nameable(phrase: Phrase) -> bool:
    text = phrase.text
    return (
        bool(text)
        and len(text) <= 20
        and not phrase.wh
        and text not in _TOO_PLAIN
        and text not in {"비밀", "것", "저", "내", "바보", "사람"}
        and phrase.tags[-1:] != ("NNB",)
    )


def _is_person_word(phrase: Phrase) -> bool:
    text = phrase.text
    last = text.split()[-1] if text.split() else ""
    return text in KIN or last in KIN or last.endswith(("씨", "님", "쌤")) or (phrase.case == "person" and "NNP" in phrase.tags)


def _is_illness(text: str) -> bool:
    squashed = text.replace(" ", "")
    if re.search(r"(?:서버|통신|시스템|네트워크|전산|접속)\s*장애$", text):
        return False
    return "병" in kinds_of(text) or bool(
        _ILLNESS.search(squashed)
        and len(squashed) > 1
        and squashed
        not in {
            "보통",
            "교통",
            "전통",
            "소통",
            "유통",
            "고통",
            "암",
            "화병",
            "꽃병",
            "물병",
            "검증",
            "인증",
            "영수증",
            "신분증",
            "자격증",
            "면허증",
            "소염",
            "궁금증",
            "증",
            "병",
            "통",
            "염",
        }
    )


def _plan_noun(text: str) -> str | None:
    """The plan that a phrase names ("치과 예약", "팀 회의"), None when it names none."""
    if not text:
        return None
    last = text.split()[-1]
    squashed = text.replace(" ", "")
    for noun in (squashed, last):
        if ATTRIBUTES.get(noun) == "plan" or ("일정" in kinds_of(noun) and noun not in {"병원", "이사님"}):
            return text
    if last in {"날짜", "시간", "장소", "일정", "계획", "일자"} and " " in text:
        return text if _plan_noun(text.rsplit(" ", 1)[0]) else None
    return (
        text
        if last.endswith(
            (
                "휴가",
                "제사",
                "계약",
                "마라톤",
                "회식",
                "공연",
                "특강",
                "집결",
                "상담",
                "진료",
                "수술",
                "촬영",
                "출장",
                "돌잔치",
                "상견례",
                "출근",
                "개강",
                "예정일",
                "출국",
                "티켓팅",
                "워크숍",
                "엠티",
                "MT",
                "시험",
                "면접",
                "회의",
                "미팅",
                "약속",
                "예약",
                "여행",
                "모임",
                "결혼식",
                "발표회",
                "검진",
                "콘서트",
                "세미나",
                "고사",
                "평가",
                "수업",
                "대회",
            )
        )
        else None
    )


def _without_facet(noun: str) -> str:
    """The plan of "무릎 수술 날짜", "팀 회식 장소", "휴가 계획"."""
    return re.sub(r"\s+(?:날짜|시간|장소|일정|계획|일자)$", "", noun)


def _is_job(squashed: str, phrase: Phrase) -> bool:
    return "직업" in kinds_of(phrase.text) or squashed.endswith(_JOB_END)


def _known_goods(text: str) -> bool:
    return any(text.replace(" ", "").startswith(g) for g in _PLACE_OF_GOODS | {"갤럭시", "아이폰", "맥북", "안드로이드"})


def _nominalised(r: _Reader, clause: Clause) -> str:
    """The clause as a thing one does: "매일 아침 6시에 일어나기", "마라톤 완주"."""
    words = [p for p in clause.phrases if p.text != "나" and p.tags]
    text = clause.text
    verb_end = clause.noun if clause.noun and clause.verb.endswith("하") else nominal(clause.verb)
    head = " ".join(_with_particle(p) for p in words)
    repeats = f"{clause.repeats} " if clause.repeats and clause.repeats in text else ""
    if repeats and re.search(re.escape(clause.repeats) + r"에", text):
        repeats = f"{clause.repeats}에 "
    adverbs = " ".join(a for a in clause.adverbs if a in _HABIT_WORDS | {"같이", "혼자"})
    return re.sub(r"\s+", " ", f"{repeats}{adverbs} {head} {verb_end}").strip()


def _with_particle(phrase: Phrase) -> str:
    keep = phrase.particle if phrase.case in {"from", "at", "to", "with", "person"} else ""
    return f"{_full(phrase)}{keep}"
