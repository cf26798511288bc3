# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""What an utterance asks about the person's own past."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from lira_core.dates import find
from lira_core.korean.attributes import ATTRIBUTES, attribute_of
from lira_core.korean.categories import is_kind, kind_name, kinds_of
from lira_core.korean.clauses import Clause, Phrase, clauses
from lira_core.korean.morphemes import terms as terms_of
from lira_core.korean.people import ENGLISH_KIN, FAMILY, KIN, PARTNER, PETS, wordings
from lira_core.language import language_of
from lira_core.types import USER

Wants = Literal["what", "who", "where", "when", "why", "how", "howmany", "yesno"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and what of the person's memory would answer it.

    `about_memory`: it asks about the person (their name, taste, plan, what they said or felt), not about the world or LIRA.
    `slots`: (subject, predicate) pairs that a fact must have to answer, best first; subject None is whoever;
    empty when the question names no known slot. `terms`: content terms that an answering memory should share
    (the terms of the question less the question words). `value`: the object a yes/no or taste question
    names ("내가 커피를 좋아하나?" names "커피"), or the category asked for ("좋아하는 과일" names "과일").
    `emotion`: GoEmotions labels asked about ("언제 기뻤지?" is joy), best first.
    `session_only`: it asks for what was just said ("아까 내가 뭐라고 했지?").
    """

    wants: Wants
    about_memory: bool
    slots: tuple[tuple[str | None, str], ...] = ()
    terms: tuple[str, ...] = ()
    value: str | None = None
    emotions: tuple[str, ...] = ()
    session_only: bool = False


EMOTION_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "기쁘": ("joy", "excitement", "pride"), "기뻐": ("joy", "excitement"), "행복": ("joy", "love"), "즐거": ("joy", "amusement"), "즐겁": ("joy", "amusement"), "신나": ("excitement", "joy"), "신났": ("excitement", "joy"),
    "좋았": ("joy", "admiration"), "슬프": ("sadness", "grief"), "슬펐": ("sadness", "grief"), "슬퍼": ("sadness", "grief"), "우울": ("sadness", "disappointment"), "속상": ("sadness", "disappointment", "annoyance"),
    "힘들": ("sadness", "disappointment", "nervousness"), "힘든": ("sadness", "disappointment", "nervousness"), "화나": ("anger", "annoyance"), "화났": ("anger", "annoyance"), "화가": ("anger", "annoyance"), "화낸": ("anger", "annoyance"),
    "짜증": ("annoyance", "anger"), "불안": ("nervousness", "fear"), "걱정": ("nervousness", "fear", "caring"), "무서": ("fear", "nervousness"), "무섭": ("fear", "nervousness"), "긴장": ("nervousness", "fear"), "설레": ("excitement", "desire"),
    "뿌듯": ("pride", "joy"), "자랑": ("pride",), "고마": ("gratitude",), "고맙": ("gratitude",), "감사": ("gratitude",), "미안": ("remorse",), "후회": ("remorse", "disappointment"), "외로": ("sadness",), "외롭": ("sadness",),
    "서운": ("disappointment", "sadness"), "실망": ("disappointment",), "놀라": ("surprise",), "놀랐": ("surprise",), "울었": ("sadness", "grief"), "스트레스": ("annoyance", "nervousness"), "억울": ("anger", "disappointment"),
    "기쁨": ("joy",), "기뻤": ("joy", "excitement"), "아쉬": ("disappointment",), "창피": ("embarrassment",), "부끄": ("embarrassment",), "답답": ("annoyance", "disappointment"), "지쳤": ("sadness", "disappointment"), "지친": ("sadness", "disappointment"),
    "그리": ("sadness", "love"), "떨렸": ("nervousness",), "떨리": ("nervousness",),
    "happy": ("joy", "excitement"), "glad": ("joy",), "sad": ("sadness", "grief"), "angry": ("anger", "annoyance"), "mad": ("anger",), "upset": ("sadness", "disappointment", "annoyance"), "annoyed": ("annoyance",), "excited": ("excitement", "joy"),
    "nervous": ("nervousness", "fear"), "worried": ("nervousness", "fear"), "anxious": ("nervousness", "fear"), "afraid": ("fear",), "scared": ("fear",), "proud": ("pride",), "grateful": ("gratitude",), "sorry": ("remorse",), "lonely": ("sadness",),
    "disappointed": ("disappointment",), "stressed": ("nervousness", "annoyance"), "depressed": ("sadness",), "embarrassed": ("embarrassment",), "surprised": ("surprise",),
}  # fmt: skip
"""The beginning of a feeling's word to the GoEmotions labels it may have been read as, likeliest first."""

# Sentence endings that ask by themselves, and those that ask with a question word or in a recall ("뭐였지", "좋아한댔지").
_ASKING: Final = re.compile(
    r"^(?:니|냐|으냐|느냐|나요|ᆫ가요|은가요|는가요|던가요|던가|ᆫ가|은가|는가|을까|ᆯ까|을까요|ᆯ까요|습니까|ᆸ니까|으니|는지|ᆫ지|을래|ᆯ래|을래요|ᆯ래요|까|까요|남|련|대니|다니|는감|더냐|던지|냐고|려나|으려나|려나요|게요)$"
)
_WITH_WH: Final = re.compile(
    r"^(?:지|죠|지요|더라|더라고|더라요|었더라|나|던|야|어|아|여|어요|아요|에요|예요|이에요|여요|다|ᆫ다고|다고|라고|는데|ᆫ데|은데|고|ᆫ다|대|ᆫ대|래|을지|ᆯ지|요|었지)$"
)
_ASK_ME: Final = re.compile(
    r"(?:말|얘기|이야기|대답|설명|확인|정리|요약|나열|언급)\s*(?:좀\s*)?(?:해|하여)\s*(?:줘|주|봐|줄|달)|알려\s*(?:줘|주|줄|달|다오)|가르쳐\s*(?:줘|주|줄)|읊어|맞[춰혀]\s*(?:봐|볼)|떠올려|찾아\s*(?:줘|주|줄|봐)|상기\s*시켜|기억\s*(?:해\s*내|하는\s*대로)|되짚어|다시\s*말해|불러\s*봐"
)
_REMEMBER: Final = re.compile(
    r"기억\s*(?:나|하|해|을|이|은|도)?\s*(?:하고\s*있|해\s*(?:\?|$|요)|나(?:\?|$|요|니|냐|지|세요|시)|하(?:니|냐|지|세요|시|나요|죠|고)|하[니냐]|해\?|나$|해$|있)|알(?:아|고\s*있|지|죠|아요|고있|잖|려나|까|겠|니|냐|아\?)|까먹(?:은|었)|잊(?:었|어버린|은)\s*(?:거|건|니|어\?)"
)
_SELF: Final = re.compile(
    r"(?:^|[\s,.])(?:나|내|제|저|난|전|나는|내가|제가|나의|저의|저는|나한테|내게|나랑|날|나를|저를|나에|저에|우리|저희|나도|저도|나만|울)(?=$|[\s가-힣]*)(?:는|가|의|를|도|한테|랑|에|만|요|이|에게|에 대해)?(?=[\s,?]|$)"
)
_LIRA: Final = re.compile(
    r"(?:^|[\s,.])(?:너|넌|너는|네가|니가|너도|네|니|당신|당신은|리라|리라는|리라야|너의|너희|널|너랑|자기소개|그쪽)(?=[\s,?]|$)|\blira\b", re.I
)
_WORLD: Final = re.compile(r"날씨|기온|뉴스|환율|주가|미세먼지|대통령|수도는|몇 년도에|맛집 추천|추천해|번역해|계산해|로또")
_JUST_NOW: Final = re.compile(r"아까|방금|좀\s*전|조금\s*전|금방|바로\s*전|지금까지|이번\s*대화|아깐")
_SAID: Final = re.compile(
    r"뭐(?:라고|라|라구)\s*(?:했|그랬|말했|얘기했|하였)|무슨\s*(?:말|얘기|이야기)|(?:한|했던|하던|말한|얘기한)\s*(?:말|얘기|이야기|거|것|게)"
)
_PAST_ASK: Final = re.compile(
    r"(?:었|았|였|했|랬|댔|됐|갔|왔|봤|샀|났|졌)(?:지|죠|더라|던가|었나|나|나요|니|냐|는지|을까|다고)|더라|더라\?|다고\s*했|라고\s*했|댔(?:지|죠)|랬(?:지|죠)|던가"
)
_ADVICE: Final = re.compile(
    r"(?:뭐|무엇|어디|어느|어떤|무슨|언제|누구|어떻게|왜).{0,14}(?:[하먹가보입사](?<!야 하)지|ᆯ까|을까|할까|갈까|볼까|먹을까|살까|입을까|할까요|까|까요|좋을까|야\s*(?:돼|되|하|할))\s*\??\s*$"
)
_ALLOWED: Final = re.compile(r"(?:도|어도|아도|여도)\s*(?:돼|되|괜찮|될|됩|좋|상관)")

_ANY: Final = re.compile("")
_VERB_SLOTS: Final[dict[str, tuple[str, ...]]] = {
    "좋아하": ("favorite", "like", "hobby"), "좋": ("favorite", "like"), "사랑하": ("like", "partner"), "즐기": ("like", "hobby", "exercise"), "즐겨하": ("hobby", "like", "exercise"), "선호하": ("like", "favorite"), "싫어하": ("dislike", "like"),
    "싫": ("dislike", "like"), "살": ("live_in",), "거주하": ("live_in",), "이사하": ("live_in", "did", "plan"), "이사가": ("live_in", "plan"), "태어나": ("hometown", "birthday"), "다니": ("workplace", "school", "job", "learning", "exercise"),
    "일하": ("workplace", "job", "team"), "근무하": ("workplace", "job", "team"), "전공하": ("major",), "키우": ("pet",), "기르": ("pet",), "배우": ("learning", "skill"), "공부하": ("learning", "goal", "major"), "준비하": ("goal", "learning", "plan"),
    "다치": ("injury", "condition"), "아프": ("condition", "injury", "treatment"), "앓": ("condition",), "걸리": ("condition",), "수술하": ("treatment", "condition", "plan"), "입원하": ("treatment", "condition"), "만나": ("plan", "met", "partner"), "사": ("bought",),
    "구매하": ("bought",), "구입하": ("bought",), "받": ("received", "result", "treatment"), "보": ("watched", "plan", "did"), "읽": ("watched", "learning"), "잃어버리": ("lost",), "잘하": ("skill", "language"), "못하": ("skill",), "무서워하": ("fear", "dislike"),
    "끊": ("like", "dislike", "diet"), "일어나": ("habit",), "자": ("habit",), "운동하": ("exercise", "habit"), "합격하": ("result",), "떨어지": ("result",), "붙": ("result",), "졸업하": ("school", "did"), "결혼하": ("marital", "plan", "anniversary", "did"),
    "사귀": ("partner",), "먹": ("ate", "habit", "like", "dislike", "favorite", "medicine", "allergy", "diet", "plan"), "마시": ("like", "habit", "dislike", "ate", "favorite", "allergy"), "가": ("plan", "travel", "visit", "did"), "다녀오": ("travel", "visit", "plan"),
    "여행하": ("travel", "plan"), "타": ("own",), "몰": ("own",), "쓰": ("own", "project"), "퇴사하": ("work_change", "workplace"), "이직하": ("work_change", "workplace"), "취직하": ("work_change", "workplace", "job"), "취업하": ("work_change", "workplace", "job"),
    "승진하": ("work_change", "role", "felt"), "치": ("skill", "learning", "exercise", "plan"), "부르": ("nickname", "name"), "불리": ("nickname", "name"), "복용하": ("medicine",), "되": ("goal", "job"), "개발하": ("project",), "만들": ("project", "did"), "여행가": ("plan", "travel"),
    "피하": ("allergy", "dislike", "diet"), "꺼리": ("dislike", "allergy"), "조심하": ("allergy", "condition", "diet"), "선물받": ("received",), "놀러가": ("visit", "travel", "plan"), "하": (), "출국하": ("plan", "travel"), "이혼하": ("marital",),
}  # fmt: skip
# Wordings that no single noun or verb gives away. First match decides nothing alone: all that match add their slots, in order.
_PHRASINGS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        r"못\s*먹|안\s*먹|먹으면\s*안|먹지\s*(?:못|말|않)|먹어도|못\s*마|안\s*마|마시면\s*안|피해야|조심해야|가리는|편식",
        ("allergy", "dislike", "diet", "condition", "like"),
    ),
    (r"마셔도|드셔도", ("allergy", "dislike", "like", "condition", "diet")),
    (
        r"(?:하는|무슨|어떤|뭔)\s*일|뭐\s*하는\s*사람|뭐\s*해서\s*먹고|생계|밥벌이|일을\s*(?:하|해)|직업|뭐\s*하고\s*살",
        ("job", "workplace", "role", "team"),
    ),
    (
        r"사는\s*(?:곳|데|동네|지역|도시|집)|어디\s*(?:에\s*)?(?:살|산|사는|거주|사냐|사니|사세|삽니)|집(?:이|은)?\s*어디|거주지|어느\s*(?:동네|도시|지역)|사는지",
        ("live_in",),
    ),
    (r"태어난\s*(?:날|달)|몇\s*월\s*며칠|귀\s*빠진", ("birthday",)),
    (r"태어난\s*(?:곳|데|도시)|어디\s*(?:출신|사람)|출신|고향", ("hometown",)),
    (r"몇\s*년\s*생", ("birthday", "age")),
    (r"언제까지|제출|내야\s*(?:하|되|돼)", ("deadline", "plan")),
    (r"못\s*(?:보|듣|타)", ("dislike", "fear", "skill")),
    (r"(?:할|칠|다룰|연주할|켤|불)\s*줄|악기", ("skill", "learning", "hobby")),
    (r"다쳤|다친|다치", ("injury", "condition")),
    (r"\d+\s*일(?:이|은|날)?\s|주년|기념일", ("anniversary",)),
    (r"몇\s*(?:살|세)|나이", ("age", "birthday")),
    (r"키우는|기르는|반려|애완|같이\s*사는\s*동물", ("pet", "name", "breed")),
    (r"쉬는\s*(?:날|시간)|주말(?:에|마다|엔)\s*(?:뭐|주로|보통|뭘)|여가|시간\s*날\s*때|심심할\s*때|취미", ("hobby", "exercise", "like", "habit")),
    (r"(?:무슨|어떤|어느|뭔)\s*(?:운동)|운동(?:은|을)?\s*(?:뭐|무엇|뭘)", ("exercise", "hobby", "like", "learning")),
    (r"어느\s*(?:회사|직장)|무슨\s*회사|직장|회사", ("workplace", "job", "work_change", "team")),
    (r"무슨\s*(?:과|학과|전공)", ("major",)),
    (r"어느\s*(?:학교|대학)|무슨\s*(?:학교|대학)", ("school",)),
    (r"몇\s*학년", ("grade", "school")),
    (r"무슨\s*팀|어느\s*(?:팀|부서)|무슨\s*부서", ("team",)),
    (r"누구(?:랑|와|하고)\s*(?:만나|보기로|가기로|약속|미팅|먹기로|갔|봤|먹었|놀)", ("plan", "met", "ate", "watched", "travel", "visit")),
    (r"형제|자매|남매|가족", ("family", "name")),
    (r"무슨\s*약|약\s*(?:먹|이름|뭐)|복용", ("medicine",)),
    (r"왜\s*.*(?:힘들|우울|슬프|슬펐|기뻤|기쁘|화|속상|짜증|불안|행복|울|스트레스|걱정)|이유", ("felt",)),
    (r"무슨\s*일(?:이|정)?\s*(?:있|였|이었)", ("felt", "did", "plan", "result")),
    (r"뭐라고\s*(?:부르|불러)|어떻게\s*(?:부르|불러)|누구(?:야|지|게|였|인지|예요|일까|죠|라고|인가)", ("name", "nickname")),
    (
        r"(?:다음|이번|오늘|내일|모레|주말|앞으로)\s*.*(?:뭐|무슨|뭘|어디|약속|일정|계획|할\s*일|있)|하기로|가기로|만나기로|먹기로|보기로",
        ("plan", "deadline"),
    ),
    (r"(?:어제|그제|지난|저번|작년).*(?:뭐|뭘|어디|누구|무슨|했)", ("did", "ate", "visit", "travel", "watched", "met", "bought")),
    (r"비밀번호|비번|번호", ("attribute", "phone")),
    (r"하고\s*싶|되고\s*싶|가고\s*싶|사고\s*싶|먹고\s*싶|배우고\s*싶|꿈|목표|이루", ("goal",)),
    (r"건강|아픈\s*(?:데|곳)|어디(?:가)?\s*(?:아프|아픈|안\s*좋)|지병", ("condition", "injury", "treatment", "allergy", "medicine")),
    (r"알레르기|알러지|앨러지", ("allergy",)),
    (r"뭐\s*타고|무슨\s*차|차종|어떤\s*차", ("own",)),
    (r"무슨\s*띠|별자리", ("zodiac",)),
    (r"몇\s*시에\s*(?:일어나|자|출근|퇴근|기상)", ("habit",)),
    (r"못\s*하는|잘\s*하는|할\s*줄\s*아는", ("skill",)),
    (r"무서워하는|무서워|공포", ("fear", "dislike")),
    (r"채식|비건|다이어트|식단", ("diet",)),
    (r"메모|적어\s*(?:둔|놓)|저장한|기억해\s*달라고|기억하라고", ("memo", "plan", "attribute")),
    (r"결혼\s*기념일|기념일", ("anniversary",)),
    (r"남자친구|여자친구|남친|여친|애인", ("partner", "name")),
    (r"상사|팀장", ("boss", "name")),
    (r"언제", ("plan", "birthday", "anniversary", "deadline")),
)
_PHRASING_RES: Final = tuple((re.compile(pattern), slots) for pattern, slots in _PHRASINGS)
# Wordings so wide that they count only behind what nouns and verbs say, and the last of them only when nothing else did.
_WIDE: Final = ("(?:다음", "(?:어제", "무슨\\s*일", "왜\\s*", "뭐라고", "메모", "남자친구", "상사", "누구(?:랑", "비밀번호")
_FACETS: Final = frozenset("장소 시간 날짜 일시 위치 요일 약속장소 시각 일자".split())


def _slot_of(phrase: Phrase) -> str | None:
    """`attribute_of`, and a plan for "미팅 장소", "면접 시간"."""
    text = phrase.text
    words = text.split()
    if len(words) > 1 and words[-1] in _FACETS:
        return attribute_of(" ".join(words[:-1])) or "plan"
    if text in {"약속장소", "약속시간"} or (
        len(words) == 1 and words[0] not in _FACETS and words[0].endswith(("시간", "장소", "날짜")) and attribute_of(words[0][:-2]) == "plan"
    ):
        return "plan"
    return attribute_of(text)


_STOP_NOUNS: Final = frozenset(
    "이유 이름 뭐 거 것 게 말 얘기 이야기 때 나 내 저 제 우리 날짜 장소 시간 곳 데 일 사람 누구 언제 어디 무슨 무엇 기억 적 정보 대해 줄 수 중".split()
)


def is_question(text: str) -> bool:
    """Whether the utterance asks something, with or without a question mark; a request to tell ("내 이름 말해줘") asks too."""
    if language_of(text) == "en":
        return _english_asks(text)
    return any(asks_korean(segment, text) for segment in segments(clauses(text, _EPOCH)))


def ask(text: str, at: datetime) -> Question | None:
    """The question in `text`, said at `at`; None when it is none. Of several, the last about the person."""
    if language_of(text) == "en":
        return _ask_english(text, at)
    found: Question | None = None
    parts = segments(clauses(text, at))
    for i, segment in enumerate(parts):
        if not asks_korean(segment, text):
            continue
        if i and not any(p for c in segment for p in c.phrases if not p.wh) and not _SAID.search(segment[0].text):
            # "나 못 먹는 과일 있다고 했잖아, 뭐였지?": what it asks about was said just before.
            segment = [*parts[i - 1], *segment]
        words = text[segment[0].start : parts[i + 1][0].start if i + 1 < len(parts) else len(text)].strip()
        if i and re.fullmatch(r"\s*(?:너\s*)?(?:혹시\s*)?(?:기억\S*|알\S*)(?:\s*있\S*)?\s*[?!.~]*\s*", words) and (found is None):
            # "제 이름은 A예요, 기억하죠?" states; "내 이름 뭐게, 기억나?" has asked already.
            before = [c for p in parts[:i] for c in p]
            found = Question("yesno", False, terms=_terms(" ".join(c.text for c in before)))
            continue
        question = _ask_korean(segment, words, at)
        if found is None or question.about_memory or not found.about_memory:
            found = question
    return found


# Korean: is it one?


def segments(found: Sequence[Clause]) -> list[list[Clause]]:
    """Clauses up to each that ends a sentence: what is asked or said at once."""
    out: list[list[Clause]] = []
    current: list[Clause] = []
    for clause in found:
        if current and clause.sentence != current[-1].sentence:
            out.append(current)
            current = []
        current.append(clause)
        if clause.final and clause.verb:
            out.append(current)
            current = []
    if current:
        out.append(current)
    return out


def asks_korean(segment: Sequence[Clause], text: str) -> bool:
    """Whether a segment of `text` asks, by its mark, its ending, its question word or as a request to tell."""
    last = segment[-1]
    after = re.match(r"[\s.,~!ㅋㅎㅠㅜ]*", text[last.end :])
    marked = text[last.end + (after.end() if after else 0) :].startswith(("?", "？")) or "?" in text[segment[0].start : last.end]
    if marked:
        return True
    words = text[segment[0].start : max(c.end for c in segment)]
    if _ASK_ME.search(words) and not re.search(r"기억\s*해\s*(?:줘|둬|주세요|놔)", words):
        return not re.search(r"(?:추천|노래|소설|시|농담)\s*(?:해|불러)", words)
    if last.ending and _ASKING.match(last.ending) and not (last.ending in {"게요", "다니", "니"} and not last.final):
        return not ("will" in last.flags and last.ending in {"게요"})
    asking = any(c.asks for c in segment)
    if (
        asking
        and "좀" not in words
        and (last.final or not last.ending)
        and (last.ending == "" or _WITH_WH.match(last.ending) or last.ending.endswith(("더라", "지", "죠", "나")))
    ):
        return not re.search(
            r"왜냐|뭔가|언젠가|누군가|어딘가|아무|뭐든|어디든|누구든|어떤\s|어느\s(?:날|정도)|뭐랄까|얼마나\s+[가-힣]+(?:는지|[ㄴ은]지)\s*(?:몰라|모르)|몰라|모르겠",
            words,
        ) or ("어떤" in words and last.ending in {"지", "죠", "더라"})
    if last.ending in {"지", "죠", "더라", "나", "던가", "었더라"} and re.search(
        r"(?:다|라|자|냐)고\s*(?:했|그랬|말했)|댔(?:지|죠|나)|랬(?:지|죠|나)|였더라", words
    ):
        return True
    if last.ending == "나" and last.final and last.verb not in {"기억"}:
        return bool(_SELF.search(words)) and not last.negated
    return (
        bool(
            re.search(r"기억\s*(?:나|하니|해|하지|하고\s*있)\s*(?:요|지|죠|니|냐)?\s*[.!~]*$", words.strip())
            and (_SELF.search(words) or any(attribute_of(p.text) for c in segment for p in c.phrases))
        )
        and not last.negated
        and not re.search(r"(?:나는|난|내가|저는|이|가)\s*(?:아직|잘|다|생생|또렷)?\s*기억나", words)
    )


# Korean: what does it ask?


def _ask_korean(segment: Sequence[Clause], words: str, at: datetime) -> Question:
    phrases = [p for c in segment for p in _with_inner(c)]
    verbs = [
        "살" if c.verb == "사" and "시" in c.text and any(p.text.startswith("어디") for p in c.phrases) else c.verb for c in segment if c.verb
    ] + [c.verb for p in phrases if (c := p.clause) is not None and c.verb]
    wants = _wants(words, phrases)
    subject = _subject(phrases, words)
    lira = (
        bool(_LIRA.search(words)) and not re.search(r"(?:나|내|저|제|우리|날|나를|저를)(?:\s|[가-힣]{0,2}\s)", f" {words} ".replace("네 ", ""))
    ) or subject == "너"
    slots = _slots(phrases, verbs, words, subject, wants)
    value = _value(segment, phrases, words)
    emotions = _emotions(" ".join([words, *verbs]))
    if value is None and subject in KIN and slots and slots[0][0] == USER and slots[0][1] in {"family", "pet", "partner", "friend"}:
        value = subject
    personal = bool(_SELF.search(words))
    recall = bool(_REMEMBER.search(words) or _PAST_ASK.search(words))
    names_mine = any(_slot_of(p) or p.text in KIN or p.owner in KIN or p.owner == "나" for p in phrases)
    names_mine = names_mine or (bool(slots) and slots[0][1] == "anniversary")
    third = subject not in {None, USER, "너"}
    honorific = (
        not third
        and wants not in {"when", "howmany"}
        and bool(re.search(r"(?:으?세요|으?시나요|으?십니까|으?신가요|으?셨어요|으?시죠)\s*\??\s*$", words.strip()))
        and not personal
        and not re.search(r"기억|아세요|아시|뭐라고", words)
    )
    said = bool(_SAID.search(words))
    advice = bool(_ADVICE.search(words.strip())) and not _PAST_ASK.search(words) and not recall and not _ALLOWED.search(words) and not names_mine
    memo = "메모" in words
    about = (
        (personal or said or memo or names_mine or third or (recall and bool(slots)))
        and not lira
        and not honorific
        and not _WORLD.search(words)
        and not (advice and not third)
    )
    if about and not personal and not recall and not said and not memo and not names_mine and third:
        about = bool(slots)
    if about and not personal and not recall and not memo and subject in {None, USER}:
        # "면접 언제야?" is mine; "기타가 뭐야?", "여행 어디가 좋아?" are the world's.
        mine = any(_slot_of(p) is not None for p in phrases) or (bool(slots) and slots[0][1] == "anniversary")
        about = (
            mine
            and (wants in {"when", "where", "who"} or "있" in verbs or wants == "what")
            and not re.search(
                r"어때|좋을|무슨\s*뜻|란\s|이란|뭐야\s*\?*$"
                if not any(p.owner == "나" for p in phrases) and wants == "what"
                else r"어때|좋을|무슨\s*뜻",
                words,
            )
        )
    profile = [p for p in phrases if _slot_of(p) not in {None, "plan", "deadline", "attribute", "anniversary", "memo"}]
    if about and not personal and not recall and not third and profile and not any(p.owner for p in phrases):
        # "이름이 뭐예요?", "취미가 뭐야?" ask LIRA; "이름이 뭐였지?" does not.
        about = False
    if (
        re.search(
            r"(?:나|저)(?:한테|에게|를|을|에\s*대해서?|에\s*관해|에\s*대한)\s*.*(?:뭐|무엇|아는|알|기억|정보)|날\s*(?:알|기억)|내가\s*누구|나\s*누구|내가\s*(?:어떤|무슨)\s*사람|나\s*누군지",
            words,
        )
        and not lira
    ):
        about = True
        if not slots or re.search(r"누구|누군", words):
            slots = ((USER, "name"), (USER, "job"), *slots)
    session_only = about and bool(_JUST_NOW.search(words)) and (said or memo or not slots)
    if about and wants == "yesno" and any(c.noun in {"기억"} for c in segment) and not value:
        wants = "what"
    spans = find(words, at)
    undated = words
    for span in reversed(spans):
        undated = undated[: span.start] + " " + undated[span.end :]
    return Question(wants, about, slots if about else (), _terms(undated), value, emotions, session_only)


def _with_inner(clause: Clause) -> list[Phrase]:
    return [q for p in clause.phrases for q in ([*p.clause.phrases, p] if p.clause is not None else [p])]


def _wants(words: str, phrases: Sequence[Phrase]) -> Wants:
    if "장소" in words and re.search(r"날짜|시간|언제", words):
        return "what"
    if re.search(r"왜|이유|때문|원인|계기", words):
        return "why"
    if re.search(r"언제|몇\s*시|며칠|몇\s*월|무슨\s*요일|날짜|몇\s*일|시간이|시간은", words) and not re.search(r"장소", words):
        return "when"
    if re.search(r"어디(?!가\s*(?:아프|다))|장소|어느\s*(?:동네|도시|나라|지역|역)|사는\s*(?:곳|데)", words):
        return "where"
    if re.search(r"누구|누가|누굴|누군|뉘|누구랑", words):
        return "who"
    if re.search(r"몇\s|몇(?:살|명|마리|개|번|학년)|얼마", words):
        return "howmany"
    if re.search(r"어떻게|어떤\s*식", words):
        return "how"
    if any(p.wh for p in phrases) or re.search(r"뭐|무엇|뭘|뭔|무슨|어떤|어느|뭣|뭐더라", words) or _ASK_ME.search(words):
        return "what"
    if re.search(r"기억|알(?:아|지|고|죠|려)", words) and any(_slot_of(p) for p in phrases):
        return "what"
    if re.search(r"(?:거|것|게|음식|과일|데)\s*(?:가|이)?\s*(?:있|없|뭐)", words) and any(
        p.clause is not None or "NOMINAL" in p.tags for p in phrases
    ):
        return "what"
    return "yesno"


def _subject(phrases: Sequence[Phrase], words: str) -> str | None:
    """Whom it asks about: somebody close, a name, "너" for LIRA, USER, or None when nobody is said."""
    mine = bool(_SELF.search(words))
    for phrase in phrases:
        if phrase.owner and phrase.owner not in {"나", "너"} and (phrase.owner.split()[-1] in KIN or _slot_of(phrase)):
            return phrase.owner.split()[-1] if phrase.owner.split()[-1] in KIN else phrase.owner
        if phrase.case == "with" or phrase.case == "person":
            continue
        if phrase.text in KIN and not (phrase.text in PETS | {"가족", "친구"} and phrase.case == "comp"):
            return phrase.text
        split = phrase.text.split()
        if len(split) > 1 and attribute_of(split[-1]) and split[0] not in {"영어"}:
            owner = " ".join(split[:-1])
            if owner.split()[-1] in KIN:
                return owner.split()[-1]
            if (
                attribute_of(split[-1]) in {"name", "birthday", "age", "job", "hobby", "blood_type", "mbti"}
                and owner not in {"내", "제", "전화", "핸드폰"}
                and not is_kind(owner)
                and "NNP" in phrase.tags[:1]
            ):
                return owner
        if len(split) > 1 and split[-1] in KIN and phrase.case in {"topic", "subject", "bare"}:
            return split[-1]
    for phrase in phrases:
        if phrase.text == "너" or phrase.owner == "너":
            return USER if mine else "너"
    if not mine:
        for phrase in phrases:
            if (
                phrase.case in {"topic", "subject", "bare"}
                and phrase.tags
                and set(phrase.tags) <= {"NNP", "XSN"}
                and not kinds_of(phrase.text)
                and not phrase.wh
                and not _slot_of(phrase)
                and 2 <= len(phrase.text) <= 4
            ):
                return (
                    phrase.text.removesuffix("이")
                    if len(phrase.text) == 3 and phrase.text.endswith("이") and (ord(phrase.text[1]) - 0xAC00) % 28
                    else phrase.text
                )
    return USER if mine else None


def _slots(phrases: Sequence[Phrase], verbs: Sequence[str], words: str, subject: str | None, wants: Wants) -> tuple[tuple[str | None, str], ...]:
    who: str = subject or USER
    out: list[tuple[str | None, str]] = []

    def add(predicates: Iterable[str], of: str | None = who) -> None:
        out.extend((of, p) for p in predicates)

    kin = subject is not None and subject in KIN
    for phrase in phrases:
        if phrase.wh and _slot_of(phrase) is None:
            continue
        predicate = _slot_of(phrase)
        if phrase.text == subject and kin:
            continue
        if predicate is not None:
            if phrase.clause is not None and phrase.clause.verb in {"좋아하", "싫어하", "좋", "즐기"}:
                continue
            if predicate == "live_in" and phrase.text in {"집", "동네", "지역"} and not re.search(r"어디|위치|주소", words):
                continue
            if predicate == "plan":
                add(["plan", "deadline", "did", "result"], None if who == USER else who)
                if phrase.text.endswith(("여행", "출장")):
                    add(["travel", "visit"])
            elif predicate == "school":
                add(["school", "grade", "major"])
            elif predicate == "own":
                add(["own", "attribute"])
            else:
                add([predicate])
                if predicate == "name" and subject in PETS | {"반려동물", "애완동물"}:
                    add(["pet"], USER)
                if predicate == "age":
                    add(["birthday"])
                if predicate in {"pet", "condition"}:
                    add({"pet": ["name"], "condition": ["allergy", "injury", "treatment"]}[predicate], None if predicate == "pet" else who)
        inner = phrase.clause
        if inner is not None and inner.verb in {"좋아하", "즐기", "좋"}:
            best = phrase.text in {"거", "것", "게", "일"}
            add(["like", "favorite", "hobby"] if best else ["favorite", "like", "hobby"])
        elif inner is not None and inner.verb == "싫어하":
            add(["dislike", "like", "fear"])
    wide = [(pattern, predicates) for pattern, predicates in _PHRASING_RES if pattern.pattern.startswith(_WIDE)]
    narrow = [pair for pair in _PHRASING_RES[:-1] if pair not in wide]
    by_verb: list[tuple[re.Pattern[str], tuple[str, ...]]] = [(_ANY, _VERB_SLOTS.get(verb, ())) for verb in verbs]
    for pattern, predicates in [*narrow, *by_verb, *wide, *(_PHRASING_RES[-1:] if not out and not any(p for _, p in by_verb) else ())]:
        if predicates and pattern.search(words):
            if predicates[0] == "name" and out and (pattern, predicates) in wide:
                continue  # "좋아하는 가수 누구야" asks no name of the person.
            if predicates[0] in {"name"} and kin and "name" in predicates:
                add(["name", "relation"])
            elif predicates[0] == "workplace" and re.search(r"회사\s*(?:동료|사람|선배|상사)", words):
                continue
            elif predicates[0] == "plan" and who != USER and not kin:
                add(predicates, None)
            else:
                add(predicates)
    if kin:
        assert subject is not None
        if "있" in verbs or "없" in verbs or wants == "howmany":
            predicate = "pet" if subject in PETS else "partner" if subject in PARTNER else "family" if subject in FAMILY else "friend"
            add([predicate], USER)
        elif not out or (wants == "who" or re.search(r"이름|누구", words)):
            add(["name", "relation"])
            add(["boss"], USER) if subject in {"팀장님", "상사", "부장님", "사장님"} else None
            add(["partner" if subject in PARTNER else "friend"], USER) if subject in PARTNER | {"친구", "절친"} else None
    if _emotions(" ".join([words, *verbs])) and (wants in {"why", "when", "what"} or "일" in words):
        out.insert(0, (USER, "felt"))
        add(["work_change", "result", "did"], USER)
    if wants == "who" and any("직업" in kinds_of(p.text) for p in phrases) and all(p.clause is None for p in phrases):
        out = [(None, "job"), *out]
    things = [p for p in phrases if p.owner == "나" and _slot_of(p) is None and p.text not in KIN]
    if things:
        add(["attribute"])
    if (subject is not None and subject in PETS | {"반려동물", "애완동물"}) or (any(p == "pet" for _, p in out) and "이름" in words):
        kept = subject if subject in PETS else "반려동물"
        out = (
            [(kept, "name"), *((kept, p) if p in {"age", "breed"} else (s, p) for s, p in out if (s, p) != (USER, "name"))]
            if "이름" in words
            else out
        )
    spread: list[tuple[str | None, str]] = []
    for whom, predicate in out:
        spread += [(w, predicate) for w in wordings(whom)] if whom is not None and whom in KIN else [(whom, predicate)]
    return tuple(dict.fromkeys(spread))


def _value(segment: Sequence[Clause], phrases: Sequence[Phrase], words: str) -> str | None:
    """The thing or the category that is named."""
    for phrase in phrases:
        if (
            phrase.clause is not None
            and phrase.clause.verb in {"좋아하", "싫어하", "즐기", "좋", "즐겨 먹", "먹", "마시", "무서워하", "키우", "배우"}
            and phrase.text not in {"거", "것", "게", "일", "음"} | _STOP_NOUNS
            and "NOMINAL" not in phrase.tags
        ):
            return re.sub(r"\s*(?:이름|종류)$", "", phrase.text)
    if m := re.search(
        r"(?:무슨|어떤|어느)\s+([가-힣A-Za-z]+?)(?:을|를|이|가|은|는|에|로|으로|이야|야|예요|이에요|이었지|였지|인지)?(?=[\s?]|$)", words
    ):
        noun = m.group(1)
        if noun not in _STOP_NOUNS | {"요일"} and (ATTRIBUTES.get(noun) is None or is_kind(noun)):
            return noun
    last = segment[-1]
    if last.verb in {"좋아하", "싫어하", "좋", "싫", "먹", "마시", "있", "하", "키우", "배우", "잘하", "못하", "끊", "가", "다니"} or last.noun:
        for case in ("object", "bare", "subject", "topic"):
            for phrase in last.phrases:
                if (
                    phrase.case == case
                    and not phrase.wh
                    and phrase.text not in _STOP_NOUNS | KIN | {"너"}
                    and phrase.tags
                    and "NOMINAL" not in phrase.tags
                    and (_slot_of(phrase) is None or (phrase.text.endswith(("알레르기", "알러지")) and " " in phrase.text))
                    and not (case in {"topic", "subject"} and "NNP" in phrase.tags)
                ):
                    text = re.sub(r"\s*(?:알레르기|알러지)$", "", phrase.text)
                    return text or None
    for phrase in phrases:
        if is_kind(phrase.text) and _slot_of(phrase) is None:
            return phrase.text
    if re.search(r"뭐|무엇|뭘", words) and any(c.verb in {"마시", "먹"} and not c.dates for c in segment):
        return "음료" if any(c.verb == "마시" for c in segment) else None
    if m := re.search(r"최애\s*([가-힣]+?)(?:이|가|은|는)?(?=[\s?]|$)", words):
        return m.group(1)
    return None


def _emotions(words: str) -> tuple[str, ...]:
    lowered = words.lower()
    return tuple(
        dict.fromkeys(
            label
            for start, labels in EMOTION_WORDS.items()
            if start in lowered and not (start == "그리" and "그리워" not in lowered and "그리운" not in lowered)
            for label in labels
        )
    )


_QUESTION_TERMS: Final = frozenset(
    "뭐 무엇 어디 언제 누구 왜 몇 무슨 어떤 어느 기억 기억나 알 알리 말 말하 하 나 내 저 제 우리 이유 이름 거 것 뭘 더라 혹시 얘기 아까 방금 대해 대하 정보 까먹 잊 말해주 가르치 맞추 물어보 얼마".split()
) - {"이름"}


def _terms(words: str) -> tuple[str, ...]:
    return tuple(t for t in terms_of(words) if t not in _QUESTION_TERMS)


# English.

_EN_START: Final = re.compile(
    r"^(?:hey|hi|so|and|but|well|lira|please|um|ok|okay|by the way)?[,\s]*(?:what|what's|whats|who|who's|whose|where|where's|when|when's|why|how|which|do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had|may|remember what|any idea)\b",
    re.I,
)
_EN_TELL: Final = re.compile(
    r"\b(?:tell|remind)\s+me\b|\bdo you (?:remember|know|recall)\b|\bremember (?:my|what|where|when|who)\b|\bcan you (?:tell|recall|remember)", re.I
)
_EN_ME: Final = re.compile(r"\b(?:i|i'm|i've|i'd|me|my|mine|myself|we|our)\b", re.I)
_EN_YOU: Final = re.compile(
    r"\b(?:your|yours|yourself)\b|\b(?:are|do|did|were|have|would|could|can|will) you\b|\byou (?:like|are|think|feel|live)\b", re.I
)
_EN_SLOTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"\bnick ?name\b|\bcall(?:ed)? me\b|call me\b", ("nickname", "name")), (r"\bname\b|\bwho am i\b|\bam i called\b", ("name",)), (r"\bhow old\b|\bage\b", ("age", "birthday")), (r"\bbirthday\b|\bborn\b(?=.*(?:when|day|date))|when (?:was|were) i born", ("birthday",)),
    (r"\bblood ?type\b", ("blood_type",)), (r"\bmbti\b|personality type", ("mbti",)), (r"\bhome ?town\b|\bfrom\b(?=\W*$)|where (?:was i|am i) (?:born|from)|grow up|grew up", ("hometown",)), (r"\blive\b|\bliving\b|\baddress\b|\bmoved? to\b", ("live_in",)),
    (r"\bschool\b|\buniversity\b|\bcollege\b|\bstudy(?:ing)? at\b", ("school",)), (r"\bmajor\b", ("major",)), (r"\bjob\b|\bfor a living\b|\bprofession\b|\boccupation\b|\bdo i do\b|\bwork as\b", ("job", "workplace", "role")),
    (r"\bwork\b|\bcompany\b|\bemployer\b|\bworkplace\b", ("workplace", "job", "team")), (r"\bboss\b|\bmanager\b", ("boss", "name")), (r"\bteam\b", ("team",)), (r"\bhobb|\bfree time\b|\bfor fun\b|\bspare time\b|\bweekends\b", ("hobby", "like", "exercise")),
    (r"\bfavou?rite\b", ("favorite", "like")), (r"\b(?:dislike|hate|can't stand|don't like|not like)\b", ("dislike", "like")), (r"\blike\b|\blove\b|\benjoy\b|\bprefer\b", ("like", "favorite", "hobby", "dislike")), (r"\ballerg", ("allergy",)),
    (r"\bcan(?:'t| not|not)? (?:i )?(?:eat|drink|have)\b|\b(?:avoid|not eat|never eat)\b|\bdiet\b|should i not", ("allergy", "dislike", "diet", "condition")), (r"\bill(?:ness)?\b|\bsick\b|\bcondition\b|\bhealth\b|\bsuffer", ("condition", "injury", "allergy", "treatment")),
    (r"\bmedic(?:ine|ation)\b|\bpills?\b", ("medicine",)), (r"\binjur|\bhurt\b|\bbroke\b|\bsprain", ("injury", "condition")), (r"\bexercise\b|\bwork ?out\b|\bsport", ("exercise", "hobby", "like")), (r"\bpets?\b", ("pet", "name")), (r"\bsiblings?\b|\bfamily\b|\bkids?\b|\bchildren\b", ("family", "name")),
    (r"\bgirlfriend\b|\bboyfriend\b|\bpartner\b|\bdating\b", ("partner", "name")), (r"\bbest friend\b|\bfriends?\b", ("friend", "name")), (r"\banniversary\b", ("anniversary",)),
    (r"\bplans?\b|\bmeeting\b|\bappointment\b|\bschedule\b|\binterview\b|\bexam\b|\btrip\b|\bflight\b|\bdentist\b|\bwedding\b|\bparty\b|\bconcert\b|\b(?:am|are) (?:i|we) (?:going|meeting|doing|seeing)\b|\bdinner\b|\blunch\b|\btomorrow\b|\bnext\b", ("plan", "deadline", "travel")), (r"\bgoal\b|\bdream\b|\bwant to\b|\bsaving for\b", ("goal",)),
    (r"\bcar\b|\bphone\b|\bdrive\b|\bown\b", ("own", "attribute")), (r"\blearning\b|\bstudying\b", ("learning", "skill")), (r"\bspeak\b|\blanguages?\b", ("language", "learning")), (r"\bplay\b|\binstrument", ("skill", "learning", "hobby", "exercise")), (r"\bate\b|\beat\b|\bhad for\b|\bhave for\b", ("ate", "like", "dislike")), (r"\bbuy\b|\bbought\b", ("bought",)),
    (r"\bwatch(?:ed)?\b|\bread\b|\bsaw\b|\bsee\b", ("watched", "plan")), (r"\bvisit(?:ed)?\b|\btravel|\bgo\b|\bwent\b|\bbeen\b|\bvacation\b", ("travel", "visit", "plan")), (r"\bmeet\b|\bmet\b", ("met", "plan")), (r"\bpass(?:ed)?\b|\bscore\b|\bresult\b|\bfail", ("result",)), (r"\bafraid\b|\bfear\b|\bscared of\b", ("fear",)),
    (r"\bpassword\b|\bnumber\b|\bcode\b|\blocker\b", ("attribute", "phone")), (r"\bmemo\b|\bnote\b", ("memo",)), (r"\bmarried\b|\bsingle\b", ("marital", "partner")), (r"\bwake up\b|\bget up\b|\bevery (?:day|morning)\b|\broutine\b", ("habit",)), (r"\bwhen\b", ("plan", "birthday", "deadline")),
    (r"\bbreed\b", ("breed",)), (r"\bproject\b", ("project",)), (r"\bheight\b|\btall\b", ("height",)), (r"\bdrink\b", ("like", "dislike", "allergy")),
)  # fmt: skip
_EN_SLOT_RES: Final = tuple((re.compile(pattern, re.I), slots) for pattern, slots in _EN_SLOTS)
_EN_QUESTION_TERMS: Final = frozenset("what who where when why how which rememb tell know remind recal told said say call name".split()) - {"name"}


def _english_asks(text: str) -> bool:
    return any(asks_english(part) for part in sentences(text))


def sentences(text: str) -> list[str]:
    return [s.strip() for s in re.findall(r"[^.?!\n]+[.?!]*", text) if s.strip()]


def asks_english(sentence: str) -> bool:
    if sentence.endswith("?"):
        return True
    if re.match(r"(?:please\s+)?(?:remember|don't forget|note) that\b", sentence, re.I):
        return False
    if _EN_TELL.search(sentence):
        return True
    return bool(_EN_START.match(sentence)) and not re.match(
        r"(?:when|what a|how (?:nice|great|lovely|cool|awful|sad)|do not|don't|is it|may (?:you|god)|have a|will do|which is|who knows|while)\b",
        sentence,
        re.I,
    )


def _ask_english(text: str, at: datetime) -> Question | None:
    asked = [s for s in sentences(text) if asks_english(s)]
    if not asked:
        return None
    mine = [s for s in asked if _EN_ME.search(s)]
    words = (mine or asked)[-1]
    lowered = words.lower()
    possessive = re.search(r"\bmy\s+(?:\w+\s+)?(" + "|".join(sorted(map(re.escape, ENGLISH_KIN), key=len, reverse=True)) + r")(?:'s)?\b", lowered)
    name = re.search(r"\b(?:does|is|did|was)\s+([A-Z][a-z]+)\b|\b([A-Z][a-z]+)'s\b", words)
    subject: str = (
        possessive.group(1)
        if possessive
        else (name.group(1) or name.group(2))
        if name and (name.group(1) or name.group(2)) not in {"What", "Where", "Who", "When", "How", "Why"} and not re.search(r"\bmy\b", lowered)
        else USER
    )
    slots: list[tuple[str | None, str]] = []
    for pattern, predicates in _EN_SLOT_RES:
        if pattern.search(lowered):
            slots += [(None if p in {"plan", "deadline"} else subject, p) for p in predicates]
    if subject in ENGLISH_KIN and not slots:
        slots += [(subject, "name"), (USER, "pet"), (USER, "family")]
    if subject in ENGLISH_KIN and re.search(r"\bdo i have\b", lowered):
        slots.insert(0, (USER, "pet" if subject in {"dog", "cat", "pet"} else "family"))
    wants: Wants = "yesno"
    for word, want in (
        ("why", "why"),
        ("when", "when"),
        ("what time", "when"),
        ("what day", "when"),
        ("where", "where"),
        ("who", "who"),
        ("how many", "howmany"),
        ("how old", "howmany"),
        ("how", "how"),
        ("what", "what"),
        ("which", "what"),
    ):
        if re.search(rf"\b{word}", lowered):
            wants = want  # type: ignore[assignment]
            break
    if wants == "yesno" and _EN_TELL.search(words):
        wants = "what"
    emotions = _emotions(" ".join(w for w in re.findall(r"[a-z]+", lowered)))
    if emotions and wants in {"why", "what", "when"}:
        slots.insert(0, (USER, "felt"))
    lira = bool(
        _EN_YOU.search(re.sub(r"\b(?:do|can|could|would|will) you (?:please )?(?:still )?(?:remember|know|recall|tell|remind)", "", lowered))
    ) and not re.search(r"\b(?:my|i)\b", lowered)
    about = (
        not lira
        and (bool(_EN_ME.search(re.sub(r"\b(?:tell|remind|show|give|help) me\b", "", lowered))) or (subject != USER and bool(slots)))
        and not re.search(r"weather|news|should i (?:eat|wear|do|watch|buy|cook)|can i help|recommend", lowered)
    )
    if re.search(r"\babout me\b|\bknow me\b|who am i", lowered):
        about = True
    value = None
    if (
        m := re.search(r"favou?rite\s+(?:kind of |type of )?([a-z ]+?)(?:\?|$|\s+(?:is|was|again|do|of)\b)", lowered)
        or re.search(r"\b(?:what|which)\s+(?:kind of |type of |sort of )?([a-z]+)\s+(?:do|did|am|can) i\b", lowered)
        or re.search(
            r"\b(?:like|love|hate|eat|drink|enjoy|allergic to|have)\s+(?!to\b|for\b|a\b|an\b|any\b|that\b|it\b)([a-z][a-z ]*?)\s*(?:\?|$)", lowered
        )
    ):
        value = kind_name(m.group(1)) if is_kind(m.group(1)) else m.group(1).strip()
        if value in {"time", "day"}:
            value = None
    del at
    terms = tuple(t for t in terms_of(words) if t not in _EN_QUESTION_TERMS)
    said = bool(re.search(r"\bdid i (?:just )?(?:say|tell|mention)", lowered))
    return Question(
        wants,
        about,
        tuple(dict.fromkeys(slots)) if about else (),
        terms,
        value,
        emotions,
        about and said and bool(re.search(r"\bjust\b|\bearlier\b|\ba (?:moment|minute) ago\b", lowered)),
    )


_EPOCH: Final = datetime.fromisoformat("2000-01-01T00:00:00+00:00")
"""Any moment will do where only the form of a sentence counts."""
