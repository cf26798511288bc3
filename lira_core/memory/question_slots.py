# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Which slots a Korean question names, of whom, and the thing or category that it names.

A wrong precise slot is worse than none: a memory without the named slot is held not to answer. So a pattern stands here only where its wording leaves no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lira_core.korean.attributes import ATTRIBUTES, attribute_of
from lira_core.korean.categories import is_kind, kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import FAMILY, KIN, PARTNER, PETS, wordings
from lira_core.memory.question_form import asks_itself
from lira_core.memory.question_words import Slot, Wants
from lira_core.types import USER

LIRA: Final = "너"
_FACETS: Final = frozenset("장소 시간 날짜 일시 위치 약속장소 시각 일자".split())
_PLAN_NOUNS: Final = (
    "|".join(sorted((n for n, p in ATTRIBUTES.items() if p == "plan" and len(n) > 1 and n not in {"이사"}), key=len, reverse=True))
    + "|특강|산행|출근|개강|개업|촬영|출사|축제|결승|마라톤|대국|공개방송|정기점검"
)
_PLAN_NOUN: Final = re.compile(rf"(?:{_PLAN_NOUNS})$")
_PLAN_NAMED: Final = re.compile(rf"(?:{_PLAN_NOUNS})(?=[\s은는이가을를도에랑의]|하|$|날|장소|시간|때|본)")
_BOSSES: Final = frozenset("팀장님 팀장 상사 부장님 부장 사장님 사장 대표님".split())
_TITLES: Final = "씨|님|선배|후배|형|오빠|누나|언니|이모|삼촌|쌤|선생님|교수님|팀장님?|부장님?|과장님?|대리님?|사장님?|대표님?|원장님?|실장님?|할머니|할아버지|아저씨|아줌마"
_KIN_WORD: Final = re.compile(
    r"(?<![가-힣])(?:친|큰|작은|막내|첫째|둘째|셋째|외|제|우리|저희|울|내)?\s*("
    + "|".join(sorted(KIN, key=len, reverse=True))
    + r")(?=[\s은는이가의도랑을를한에께네,?]|$)"
)
_OF_SOMEBODY: Final = frozenset("name birthday age job hobby blood_type mbti weight height breed major".split())
NOT_VALUES: Final = frozenset(
    "이유 이름 뭐 거 것 게 말 얘기 이야기 때 나 내 저 제 우리 날짜 장소 시간 곳 데 일 사람 누구 언제 어디 무슨 무엇 기억 적 정보 대해 줄 수 중 편 분 애 날 맛 도시 동네 병원 회사 대학 학교 요일 색상 과 팀 사이 점 후 전 뒤 요즘 혹시 약 다음날 전날 당일 아침 저녁 점심".split()
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader of a question has: the words without dates, their phrases and verbs, whom it asks about and what it wants."""

    words: str
    phrases: tuple[Phrase, ...]
    verbs: tuple[str, ...]
    wants: Wants
    subject: str | None
    emotions: tuple[str, ...] = ()
    dated: bool = False


def slot_of(phrase: Phrase) -> str | None:
    """The slot that a phrase names, and a plan for "미팅 장소", "면접 시간"."""
    text = re.sub(r"\s+(?:(?:둘|셋|모두|전부|다)\s*)+$|\s*(?:언제|며칠|어디|누구|뭐게?|몇\s*시)$", "", phrase.text)
    if attribute_of(text) is None and (bare := re.sub(r"(?:을|를|은|는|이|가)$", "", text)) and attribute_of(bare) is not None and len(bare) > 1:
        text = bare
    words = text.split()
    if len(words) > 1 and words[-1] in _FACETS:
        return attribute_of(" ".join(words[:-1])) or "plan"
    if text in {"약속장소", "약속시간"} or (
        len(words) == 1 and words[0] not in _FACETS and words[0].endswith(("시간", "장소", "날짜")) and attribute_of(words[0][:-2]) == "plan"
    ):
        return "plan"
    found = attribute_of(text)
    return "plan" if found is None and words and _PLAN_NOUN.search(words[-1]) else found


def subject_of(phrases: Sequence[Phrase], words: str) -> str | None:
    """Whom it asks about: somebody close, a name, `LIRA`, USER, or None when nobody is said."""
    mine = asks_itself(re.sub(r"(?<![가-힣])(?:내|제|우리|울|저희)\s+", " ", words)) or bool(re.search(r"(?<![가-힣])(?:내|제)가(?![가-힣])", words))
    for phrase in phrases:
        if phrase.wh or phrase.case in {"with", "person", "than", "by"}:
            continue
        owner = (phrase.owner or "").split()[-1:] or [""]
        if owner[0] in KIN and (slot_of(phrase) or not mine):
            return owner[0]
        if phrase.owner and phrase.owner not in {"나", LIRA} and slot_of(phrase):
            return _bare_name(phrase.owner)
        split = phrase.text.split()
        if len(split) > 1 and attribute_of(split[-1]) and split[-2] in KIN:
            return split[-2]
        if (
            len(split) > 1
            and attribute_of(split[-1]) in _OF_SOMEBODY
            and "NNP" in phrase.tags[:1]
            and not is_kind(split[0])
            and split[0] not in {"영어", "전화", "핸드폰"}
        ):
            return _bare_name(" ".join(split[:-1]))
        if mine and not (phrase.text in KIN and phrase.case in {"topic", "subject"} and phrase.owner == "나"):
            continue
        if (
            split
            and split[-1] in KIN
            and (len(split) == 1 or phrase.case in {"topic", "subject", "bare"})
            and not (phrase.text in PETS | {"가족", "친구"} and phrase.case == "comp")
        ):
            return split[-1]
    if re.search(r"(?<![가-힣])(?:너|넌|너는|네가|니가|너도|당신\S{0,2}|리라\S{0,2}|널|그쪽\S{0,2})(?=[\s,?]|$)", words) and not asks_itself(words):
        return LIRA
    if mine:
        return USER
    if m := _KIN_WORD.match(words.strip()):
        return m.group(1)
    if (name := named(phrases, words)) is not None:
        return name
    return USER if asks_itself(words) else None


def named(phrases: Sequence[Phrase], words: str) -> str | None:
    """The person or pet called by name whom it asks about ("지은이는", "보람 씨가", "초코")."""
    if m := re.match(rf"\s*([가-힣]{{2,4}})\s+(?:{_TITLES})(?:은|는|이|가|께서|\s|$)", words):
        return m.group(1)
    for phrase in phrases:
        if phrase.case not in {"topic", "subject", "bare"} or phrase.wh or not phrase.tags or phrase.clause is not None:
            continue
        name = _bare_name(phrase.text)
        if (
            not re.fullmatch(r"[가-힣]{2,4}", name)
            or (kinds_of(name) and "음식" not in kinds_of(name))
            or slot_of(phrase)
            or name in NOT_VALUES | KIN
        ):
            continue
        if "NNP" in phrase.tags and set(phrase.tags) <= {"NNP", "XSN", "NNG", "NNB"}:
            return name
        # A given name with its 이 ("지은이는", "구름이가") that the dictionary knows as a noun.
        if (ord(name[-1]) - 0xAC00) % 28 and _marked(name, words):
            return name
    return None


def _marked(name: str, words: str) -> bool:
    """Whether the name stands with its 이 and a particle. Not by a pattern made of the name: `re` would keep it."""
    at = words.find(f"{name}이")
    while at >= 0:
        if not (at and "가" <= words[at - 1] <= "힣") and words.startswith(("는", "가", "랑", "도", "를", "네"), at + len(name) + 1):
            return True
        at = words.find(f"{name}이", at + 1)
    return False


def _bare_name(name: str) -> str:
    name = re.sub(r"\s+(?:씨|님)$", "", name)
    if 3 <= len(name) <= 4 and name.endswith("이") and (ord(name[-2]) - 0xAC00) % 28:
        return name[:-1]
    return name


# Wording to slots; the first rule that matches in each group decides for that group.
_TASTE_OBJECT: Final = ("like", "dislike", "favorite", "allergy", "diet", "habit", "condition")
_PROFILE: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"몇\s*(?:살|세)(?![가-힣]*\s*때)|나이(?:가|는|를|도)?\s*(?:몇|어떻|뭐|얼마|알|말|기억|좀|$)|연세|춘추", ("age", "birthday")),
    (r"(?:생일|생신)(?:이|은|을|도|은요|날이|날은)?\s*(?:정확히\s*)?(?:언제|언젠|며칠|몇\s*월|뭐|날짜|알|기억|말|좀|이?랑|$)|(?:언제|며칠)\S*\s*(?:생일|생신|태어)|생년월일|태어난\s*(?:날|달)|몇\s*년\s*생", ("birthday",)),
    (r"혈액형|피\s*형", ("blood_type",)),
    (r"(?i:mbti)|엠비티아이", ("mbti",)),
    (r"무슨\s*띠|별자리|띠가\s*뭐", ("zodiac",)),
    (r"(?<![가-힣])(?:키|신장)(?:가|는)?\s*(?:몇|얼마|어떻)", ("height",)),
    (r"몸무게|체중|몇\s*(?:킬로|키로|kg)", ("weight",)),
    (r"국적|어느\s*나라\s*(?:사람|출신)", ("nationality", "hometown")),
    (r"고향|(?:어디|어느\s*\S+)\s*(?:출신|사람)|태어난\s*(?:곳|데|도시)|어디(?:에?서)?\s*(?:태어|나고\s*자)", ("hometown",)),
    (r"종교|무슨\s*교|어느\s*교", ("religion",)),
    (r"전화\s*번호|핸드폰\s*번호|휴대폰\s*번호|연락처|폰\s*번호", ("phone",)),
    (r"몇\s*학년", ("grade", "school")),
    (r"전공|무슨\s*(?:학과|과(?=[야인예지였라]|\s*(?:다니|다녀|나왔|$)))", ("major",)),
    (r"별명|닉네임|애칭|뭐라고\s*(?:부르|불러|불렀)|어떻게\s*(?:부르|불러|불렀)", ("nickname", "name")),
    (r"성격", ("personality",)),
    (r"성별", ("gender",)),
    (r"결혼\s*기념일|기념일|주년", ("anniversary", "plan")),
    (r"결혼\s*(?:했|한\s*(?:거|사람)|하셨)|미혼|기혼|유부|싱글", ("marital", "partner", "plan")),
    (r"(?:남자|여자)(?:라고|야|인가|인지|였|이?냐|맞|임)", ("gender",)),
)  # fmt: skip
_HOMES: Final = re.compile(
    r"어디\s*(?:에|에서|서)?\s*(?:지금\s*)?(?:살(?!\s*까)|사(?:시|세|셔|신|니|냐|는|나)|산(?:다|댔|대|다고|댄)|거주)|(?:살|사)(?:고|는|시는)\s*(?:있는\s*)?(?:곳|데|동네|지역|도시|집|나라)|어느\s*(?:동네|도시|지역|나라|구|동|아파트)\S*\s*(?:에\s*)?(?:살|사[는시세]|산|거주)|(?:^|\s)(?:집|자취방|본가|시댁|처가|친정|주소|거주지)(?:이|은|는|가)?\s*어디|어디로\s*이사|이사\s*(?:간|한|온)\s*(?:곳|데|집|동네)|사는지"
)
_JOBS: Final = re.compile(
    r"(?:무슨|어떤|뭔|하는)\s*일(?:을|를|이)?\s*(?:하|해|한|했|합|뭐|함)|직업|뭐\s*하[는시]\S*\s*(?:사람|분|애|양반)|뭐\s*(?:하고|하면서|해서|해)\s*(?:먹고\s*)?(?:살|사|산)|밥벌이|생계|본업|뭐\s*하시는지|(?<![가-힣])하는\s*일"
)
_WORKS: Final = re.compile(
    r"어디(?:에?서)?\s*(?:일(?:하|해|한|했)|근무|다니|다녀|다닌|다님|장사|가게\s*(?:를\s*)?하)|어느\s*(?:회사|병원|직장|은행|학교|가게|\S*청|도시|지역)\S*\s*(?:에서?\s*)?(?:일|근무|다니|다녀|다닌)|(?:직장|일터|근무지|회사|알바)(?:이|가|은|는)?\s*(?:이름(?:이|은)?\s*)?(?:어디|뭐|무슨)|(?:무슨|어느)\s*회사"
)
_FOODS: Final = re.compile(
    r"못\s*(?:먹|드|마|삼키)|안\s*(?:먹|마시)는|먹으면\s*(?:안|큰일)|마시면\s*안|먹지\s*(?:못|말|않)|피해야|피하는|조심해야|가려야|가리는|편식|(?:먹|마)(?:으|셔)?면\s*\S*(?:탈|올라|붓|가렵)"
)
_LIKES: Final = re.compile(
    r"좋아하|좋아한|좋아해|좋아할|좋아함|좋다고|최애|선호|즐겨|꽂힌|꽂혔|꽂혀|빠진|빠져|빠졌|즐기|애정하|아끼는|덕질|입에\s*달고|당긴|당기|당겨|땡긴|땡기|땡겨"
)
_HATES: Final = re.compile(r"싫어|싫다|싫은|질색|극혐|혐오|못\s*(?:참|견디)|별로라|꺼리|꺼려|안\s*좋아")
_CUES: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"알레르기|알러지|앨러지", ("allergy", "condition", "dislike")),
    (r"무슨\s*병(?!원)|병명|지병|앓|어디(?:가)?\s*(?:아프|아파|아픈|안\s*좋)|아픈\s*(?:데|곳)|건강\s*(?:상태|은|이)|진단", ("condition", "injury", "treatment", "result")),
    (r"다쳤|다친|다치|부러졌|부러진|삐었|접질", ("injury", "condition")),
    (r"취미|여가|소일거리|쉬는\s*(?:날|시간)(?:에|엔|에는)?|(?:주말|휴일)(?:에는|에|마다|엔)?\s*(?:보통|주로)|시간\s*날\s*때|심심할\s*때", ("hobby", "exercise", "habit", "like")),
    (r"(?:무슨|어떤|하는)\s*운동|운동(?:은|을|이)?\s*(?:뭐|뭘|무엇|있)", ("exercise", "hobby", "habit", "learning")),
    (r"(?:할|칠|다룰|연주할|켤|불|탈)\s*줄|연주|특기|잘하는|악기", ("skill", "learning", "hobby")),
    (r"(?:무슨|어떤|어느)\s*(?:언어|나라\s*말)|외국어|몇\s*개\s*국어", ("language", "learning", "skill")),
    (r"배우(?:는|고|러|ᆫ|기)|배운|배워|공부하(?:는|고)\s*(?:게|거|것|있)", ("learning", "skill", "goal")),
    (r"무서워하|겁\s*(?:내|나)|공포증|못\s*(?:타|만지)", ("fear", "dislike")),
    (r"채식|비건|페스코|다이어트|식단(?!\S*\s*(?:바꾼|바꿨))", ("diet", "like", "habit")),
    (r"반려\S*|애완\S*|키우(?:는|고|냐|니|나|지|시)|키워|기르(?:는|고)|길러", ("pet",)),
    (r"형제|자매|남매|외동|가족(?:이|은|관계)?\s*(?:어떻|몇|누구|뭐|구성)|식구", ("family",)),
    (r"준비(?:하|한|해)(?!야)", ("goal", "learning", "plan")),
    (r"사귀|사귄|연애|썸|애인|짝사랑", ("partner", "relation", "like")),
    (r"장래\s*희망|버킷|(?<![가-힣])꿈(?:이|은)\s*(?:뭐|무엇|뭔)|목표|포부|다짐|(?:하|되|가|사|배우|먹|보|받)고\s*싶", ("goal", "plan", "like")),
    (r"마감|제출|언제까지", ("deadline", "plan")),
    (r"무슨\s*차(?=[를을야였예\s])|어떤\s*차(?=[를을야였예\s])|차종|뭐\s*타고\s*다|(?:차|폰|핸드폰|휴대폰|노트북|자전거)(?:는|은|가|이)?\s*(?:뭐(?:야|예|였|지|더)|무슨|어떤|기종)", ("own", "bought")),
    (r"메모|적어\s*(?:둔|놓)|저장한", ("memo", "plan", "attribute")),
    (r"비밀번호|비번|사물함", ("attribute",)),
    (r"무슨\s*팀|어느\s*(?:팀|부서)|부서|소속(?:이|은)", ("team", "job", "workplace")),
    (r"직급|직책|직함|포지션|역할", ("role", "job")),
    (r"어느\s*(?:대학|학교|고등학교|중학교|대학원)\S*\s*(?:다니|다녀|다닌|나왔|나온|졸업)|(?:학교|대학)(?:는|은|가|이)?\s*어디(?!\s*갔|서\s*(?:봤|하))", ("school", "major")),
)  # fmt: skip
_MEDICINE: Final = re.compile(
    r"(?:무슨|어떤)\s*약(?![속국])|(?:먹는|챙겨\s*먹는|드시는|복용\s*중인|복용하는)\s*(?:\S+\s+)?\S*약(?![속국])|[가-힣]*약\s*이름|(?<!계)(?<!예)약(?:이|은)?\s*뭐|영양제|복용"
)
_EVENTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"선물\S*\s*(?:뭐|뭘)?\s*\S*받|받은\s*선물|받았|받은\s*(?:거|게|것)", ("received", "result")),
    (r"(?<![가-힣])(?:샀|사\s*왔|산\s*(?:거|게|것|날|데|곳|물건|지)|구매|구입|질렀|지른)", ("bought", "own")),
    (r"점수|몇\s*점|성적|등수|몇\s*등|합격|붙었|떨어졌|떨어진|결과", ("result", "did")),
    (r"잃어버|분실", ("lost",)),
    (r"(?:영화|드라마|책|만화|공연|전시)\S*\s*.*(?:봤|본|읽)|뭐\s*(?:봤|읽)", ("watched", "did")),
    (r"(?:뭐|뭘|누구랑|어디서|무슨|어떤).*(?:먹었|먹은|드셨|마셨|마신\s)", ("ate", "did")),
    (r"(?:누구|누굴|언제|어디서).*(?:만났|만난)", ("met", "plan", "did")),
    (r"어디(?:로|에|를)?\s*(?:갔|다녀왔|여행\s*갔|놀러\s*갔)|어디\s*\S*\s*(?:다녀왔|갔다)", ("travel", "visit", "did")),
    (r"퇴사|이직|취직|취업|승진|입사", ("work_change", "workplace", "plan")),
    (r"수술|입원|시술|검사|검진", ("treatment", "result", "condition")),
)  # fmt: skip
_PLANNED: Final = re.compile(
    r"기로\s*(?:했|한|하셨|됐|정)|예정(?!일)|일정|약속|계획|스케줄|할\s*일|(?:언제|며칠|몇\s*시)\S*\s*(?:\S+\s*)?(?:가|와|오|온|간|떠나|떠난|출발|시작|만나|보|나가|나간|나와|나온|열|하|해|한|잡)(?!\S*(?:었|았|했(?!다고|댔)|갔|왔|봤))|뭐\s*(?:있|하는\s*날)|(?:가|오|하|만나|떠나)는\s*(?:거|게|건)?\s*맞"
)
_RES: Final = {id(table): tuple((re.compile(pattern), slots) for pattern, slots in table) for table in (_PROFILE, _CUES, _EVENTS)}


def slots_of(asked: Asked) -> tuple[Slot, ...]:
    """The (subject, predicate) pairs that a fact must have to answer, best first; empty where the wording leaves doubt."""
    words, subject, wants = asked.words, asked.subject, asked.wants
    who = subject if subject not in {None, LIRA} else USER
    assert who is not None
    out: list[Slot] = []
    if subject is None and wants == "how" and not re.search(r"[었았였했됐왔갔]", words):
        return ()

    def add(predicates: Iterable[str], of: str | None = who) -> None:
        out.extend((of, p) for p in predicates)

    if (
        asked.emotions
        and (wants in {"why", "when", "what", "how"} or re.search(r"(?:일|적)\S*", words))
        and not re.search(r"좋았던\s*(?:곳|데|식당|카페)", words)
    ):
        return _spread([(who, "felt"), *([(who, p) for p in ("result", "work_change", "did")])])
    if wants == "why":
        return _spread([(who, p) for p in ("allergy", "dislike", "condition", "like")]) if _FOODS.search(words) else ()
    if wants == "who" and re.search(
        r"(?:하는|하던|했던|한|간|온|된|난|ᆫ|은|던|산|사는|다니는|좋아하는|싫어하는)\s*(?:사람|애|친구|분|동료|아이|학생|언니|오빠|형|누나)\S*\s*(?:이름\S*\s*)?(?:누구|뭐)|누가",
        words,
    ):
        return ()
    if (
        wants == "who"
        and re.search(r"누구(?:랑|하고|와)|누가\s*(?:오|온|올)", words)
        and re.search(r"기로|간다|가는|온다|오는|만나|보는|약속", words)
    ):
        return ((None, "plan"), (None, "travel"), (None, "did"))
    kin = subject in KIN
    things = [p for p in asked.phrases if not p.wh]
    names = [p for p in asked.phrases if slot_of(p) == "name"]
    if _MEDICINE.search(words) and wants in {"what", "howmany", "yesno"}:
        return _spread([(who, "medicine"), (who, "habit")])
    if names or re.search(r"이름|성함", words):
        return _names(asked, names, who)
    kept = next((w for p in things for w in p.text.split() if w in KIN), None)
    if (
        kept
        and wants in {"yesno", "howmany"}
        and re.search(r"있(?:어|나|지|니|냐|었|는지|음|다고)|없(?:어|나|지)|몇\s*(?:명|마리)|키우|키워|기르", words)
        and not re.search(r"적\s*(?:이\s*)?있|어디|같이|[이가랑은는]\s*\S+\s*(?:고|어|아)\s*있", words)
    ):
        return ((USER, "pet" if kept in PETS else "partner" if kept in PARTNER else "family" if kept in FAMILY else "friend"),)
    if wants == "who" and (kin or re.search(r"누구(?:야|지|였|예요|에요|라고|인지|더라|게|죠|임|랬|$)", words)):
        return _who(asked, who)
    for pattern, predicates in _RES[id(_PROFILE)]:
        if pattern.search(words):
            return _spread([(who, p) for p in predicates])
    if _HOMES.search(words) and not re.search(r"누구(?:랑|하고)|같이\s*사|사무실|가게|(?:어디|뭐)\S*\s*샀", words):
        return _spread([(who, "live_in"), *([(who, "plan")] if "이사" in words else [])])
    if _WORKS.search(words) and not re.search(r"회사\s*(?:동료|사람|선배|상사|근처)|붙었|합격|지망|지원", words):
        return _spread([(who, p) for p in (("workplace", "job", "school") if "다니" in words or "다녀" in words else ("workplace", "job", "team"))])
    if _JOBS.search(words) and not re.search(r"일\S*\s*(?:있었|있나|생겼)", words):
        return _spread([(who, p) for p in ("job", "workplace", "role")])
    if (
        subject not in {None, USER, LIRA}
        and re.search(r"뭐\s*(?:하시(?:는|지|죠|나|냐)|하신(?:다|댔)|하[지니냐]\s*$|한다|한댔|해\s*[?]?$|하더라|하는지)", words)
        and not asked.dated
    ):
        return _spread([(who, p) for p in ("job", "workplace", "school", "role")])
    out += _tastes(asked, who)
    for pattern, predicates in _RES[id(_CUES)]:
        if pattern.search(words) and not any(p in {predicate for _, predicate in out} for p in predicates[:1]):
            out += [(None if p in {"plan", "deadline"} else who, p) for p in predicates]
    past_event = bool(
        re.search(
            r"(?:었|았|였|했|갔|왔|봤|샀|셨)(?:었)?(?:지|죠|더라|나|냐|니|어|던|게)|(?<![가-힣])(?:산|먹은|간|받은|본|만난)\s*(?:거|게|것|날|곳|데|사람|식당)",
            re.sub(r"기로\s*했|다고\s*했", "", words),
        )
    )
    happened = [predicates for pattern, predicates in _RES[id(_EVENTS)] if pattern.search(words)]
    if past_event and happened and not out and happened[0][0] not in {"treatment", "work_change"} and "기로" not in words:
        return _spread([(who, p) for p in happened[0]])
    plans = any(slot_of(p) in {"plan", "deadline"} for p in asked.phrases) or (wants in {"when", "where"} and _PLAN_NAMED.search(words))
    if not out and (plans or _PLANNED.search(words) or (asked.dated and re.search(r"뭐|무슨|어디|누구|약속", words) and not past_event)):
        add(("plan", "deadline", "travel", "did", "result"), None)
    for predicates in happened:
        if not (out and out[0][1] not in {"plan"}):
            out += [(who if who != USER or predicates[0] != "treatment" else USER, p) for p in predicates if (who, p) not in out]
    if not out and re.search(r"어디", words) and re.search(r"여행|휴가|놀러|떠나|떠난|간다|간댔|가기로", words):
        add(("plan", "travel", "goal"), None)
    if not out and who == USER and wants in {"what", "howmany"}:
        out += [
            (USER, "attribute")
            for p in things
            if p.owner == "나" and p.clause is None and slot_of(p) is None and p.text not in KIN and "NNP" not in p.tags
        ][:1]
    return _spread(out)


def _names(asked: Asked, names: Sequence[Phrase], who: str) -> tuple[Slot, ...]:
    """Whose name it asks for: each owner in turn; somebody known only by what they did, or a thing, names no slot."""
    out: list[Slot] = []
    for phrase in names or [Phrase("이름", "bare")]:
        owner = re.sub(r"\s*(?:이름|성함|본명|실명|성명)(?:을|를|은|이)?(?:\s+\S{1,3})*$", "", phrase.text).strip() or (phrase.owner or "")
        last = owner.split()[-1] if owner.split() else ""
        if last in KIN:
            out += [
                (last, "name"),
                *([(USER, "pet")] if last in PETS else [(USER, "partner")] if last in PARTNER else [(USER, "boss")] if last in _BOSSES else []),
            ]
        elif re.search(r"키우는|기르는|반려|애완", asked.words):
            out += [("반려동물", "name"), (USER, "pet")]
        elif owner in {"나", ""} and phrase.clause is None:
            kind = next((w for q in asked.phrases for w in q.text.split() if w in KIN), None)
            if kind or asks_itself(asked.words) or who != USER:
                out.append((kind or who, "name"))
        elif re.fullmatch(r"[가-힣]{2,4}", owner) and set(phrase.tags[:1]) <= {"NNP"} and phrase.tags and attribute_of(owner) is None:
            out.append((_bare_name(owner), "name"))
    return _spread(out)


def _who(asked: Asked, who: str) -> tuple[Slot, ...]:
    """ "예나가 누구야" asks what she is to the speaker, "우리 팀장 누구지" what he is called, "나 누구게" both of the speaker."""
    if asked.subject == USER and re.search(r"(?:나|내가|난|제가|저는?|나는|내가)\s*누구", asked.words):
        return ((USER, "name"), (USER, "job"))
    if re.search(r"좋아하는|최애", asked.words):
        return _spread([(who, "favorite"), (who, "like")])
    if (
        asked.subject in KIN
        and not any(p.modifier or p.clause for p in asked.phrases)
        and not re.search(r"(?:[가-힣](?:은|는|던|ᆫ))\s+" + who, asked.words)
    ):
        more: list[Slot] = (
            [(USER, "boss")]
            if who in _BOSSES
            else [(USER, "partner")]
            if who in PARTNER
            else [(USER, "friend")]
            if who in {"친구", "절친", "베프"}
            else []
        )
        return _spread([(who, "name"), (who, "relation"), *more])
    said = asked.words.lstrip()
    if asked.subject not in {None, USER, LIRA} | KIN and said.startswith(who) and re.match(r"이?(?:는|은|가)?\s*누구", said[len(who) :]):
        return ((who, "relation"), (USER, "friend"), (USER, "acquaintance"))
    return ()


def _tastes(asked: Asked, who: str) -> list[Slot]:
    words, wants = asked.words, asked.wants
    object_asked = wants == "yesno"
    if wants == "who" or (re.search(r"있다고|있었|있나|있어", words) and re.search(r"좋아하는\s*사람", words)):
        return []
    if _FOODS.search(words):
        return [(who, p) for p in ("allergy", "dislike", "diet", "condition", "like")]
    if re.search(r"(?:마셔도|먹어도|드셔도)\s*(?:돼|되|괜찮|될)", words):
        return [(who, p) for p in ("like", "dislike", "allergy", "diet", "condition", "habit")]
    if _HATES.search(words):
        return [(who, p) for p in (("dislike", "allergy", "fear") if not object_asked else ("dislike", "like", "favorite", "allergy"))]
    if _LIKES.search(words):
        if object_asked:
            return [(who, p) for p in _TASTE_OBJECT]
        return [(who, p) for p in (("favorite", "like", "hobby") if re.search(r"제일|가장|젤|최고|최애", words) else ("like", "favorite", "hobby"))]
    if re.search(r"(?:먹|마시|마셔|드시|피우|피워|끊|마신)", words) and not re.search(r"(?:먹었|먹은|마셨|드셨)", words):
        if object_asked:
            return [(who, p) for p in _TASTE_OBJECT]
        if wants == "what":
            return [(who, p) for p in ("like", "habit", "favorite", "diet")]
    return []


def _spread(out: Iterable[Slot]) -> tuple[Slot, ...]:
    """Somebody close by every word they may have been spoken of; each pair once."""
    spread: list[Slot] = []
    for whom, predicate in out:
        spread += [(w, predicate) for w in wordings(whom)] if whom is not None and whom in KIN else [(whom, predicate)]
    return tuple(dict.fromkeys(spread))


def value_of(segment: Sequence[Clause], asked: Asked) -> str | None:
    """The thing or the category that is named; only a question of taste, of food, of pets or of skills names one."""
    words = asked.words
    for phrase in asked.phrases:
        if (
            phrase.clause is not None
            and phrase.clause.verb
            in {"좋아하", "싫어하", "즐기", "좋", "즐겨 먹", "먹", "마시", "무서워하", "키우", "배우", "꽂히", "빠지", "피하", "하", "치", "다루"}
            and phrase.text not in NOT_VALUES
            and "NOMINAL" not in phrase.tags
            and (phrase.clause.verb not in {"하", "치"} or is_kind(phrase.text))
        ):
            return re.sub(r"\s*(?:이름|종류)$", "", phrase.text)
    if m := re.search(
        r"(?:무슨|어떤|어느)\s+([가-힣A-Za-z]+?)(?:을|를|이|가|은|는|에서|에|로|으로|이야|야|예요|이에요|이었지|였지|인지|죠|이죠|지)?(?=[\s?]|$)",
        words,
    ):
        noun = m.group(1)
        if noun not in NOT_VALUES and is_kind(noun) and ATTRIBUTES.get(noun) is None:
            return noun
    last = segment[-1]
    taste = {p for _, p in _tastes(asked, USER)} or re.search(r"키우|키워|배우|배워|알레르기|알러지|있|하|가|다니|잘", " ".join([words, last.verb]))
    if (asked.wants in {"yesno", "what", "why"} and taste) and last.verb in {
        "좋아하", "싫어하", "좋", "싫", "먹", "마시", "있", "키우", "배우", "잘하", "못하", "끊", "피우", "즐기", "되", "하", "당기", "땡기",
    }:  # fmt: skip
        pool = [*last.phrases, *(p for c in segment[:-1] for p in c.phrases if c.verb in {"먹", "마시", "좋아하"})]
        for case in ("object", "bare", "subject", "topic"):
            for phrase in pool:
                if (
                    phrase.case == case
                    and not phrase.wh
                    and phrase.text not in NOT_VALUES | KIN | {LIRA}
                    and phrase.tags
                    and "NOMINAL" not in phrase.tags
                    and phrase.text.split()[-1] not in {"때", "중", "대신", "데리고", "혼자", "선배", "날"}
                    and phrase.text != asked.subject
                    and _bare_name(phrase.text) != asked.subject
                    and (slot_of(phrase) is None or (phrase.text.endswith(("알레르기", "알러지")) and " " in phrase.text))
                    and (
                        last.verb not in {"있", "하", "되"}
                        or re.search(r"알레르기|알러지", words)
                        or is_kind(phrase.text)
                        or (last.verb != "있" and asked.wants == "yesno")
                    )
                ):
                    return re.sub(r"\s*(?:알레르기|알러지|종류|중)$", "", phrase.text) or None
    if (
        asked.wants == "yesno"
        and re.search(r"키우|키워|있", words)
        and (kept := next((w for p in asked.phrases for w in p.text.split() if w in KIN), None))
    ):
        return kept
    for phrase in asked.phrases:
        if is_kind(phrase.text) and slot_of(phrase) is None and _tastes(asked, USER):
            return phrase.text
    if re.search(r"뭐|무엇|뭘", words) and segment[-1].verb == "마시" and not any(c.dates for c in segment):
        return "음료"
    if m := re.search(r"최애\s*([가-힣]+?)(?:이|가|은|는)?(?=[\s?]|$)", words):
        return m.group(1)
    return None
