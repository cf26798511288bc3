# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""What a Korean question asks of the speaker's memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from lira_core.korean.clauses import Clause, Phrase, clauses, clean
from lira_core.korean.morphemes import terms as terms_of
from lira_core.korean.people import KIN
from lira_core.memory.question_form import asking, asks_itself, has_question_word, knows, reports, segments, sighs, spaced, tells
from lira_core.memory.question_slots import LIRA, Asked, slot_of, slots_of, subject_of, value_of
from lira_core.memory.question_words import Question, Slot, Wants, asked_span, dates_of, emotions_of, undated
from lira_core.types import USER

_WORLD: Final = re.compile(
    r"날씨|기온|몇\s*도(?:야|예요|가|에서)|뉴스|환율|주가|코스피|비트코인|미세먼지|대통령|총리|수도(?:는|가|이)|인구|맛집|추천|번역|계산(?:해|하)|로또|운세|레시피|만드는\s*(?:법|방법)|하는\s*(?:법|방법)|방법\s*(?:좀|이|은)|꿀팁|요약해|검색|무슨\s*뜻|뜻이\s*뭐|뜻(?:은|이야|인)|영어로|의미가|차이(?:가|점|는)?\s*(?:뭐|있)|원리|(?:더하기|곱하기|빼기|나누기)|우리나라|지구|태양계|한국\s*(?:여름|겨울|은|의|이)|세계에서|발매|개봉|순위|지금\s*몇\s*시|오늘\s*(?:이\s*)?(?:며칠|몇\s*(?:일|월)|무슨\s*요일)|내일\s*(?:이\s*)?(?:며칠|무슨\s*요일)(?:이|야|지|예)|몇\s*년도에|유통기한|가격(?:이|은)|얼마(?:야|예요|나\s*해|정도\s*해)"
)
_HOLIDAY: Final = re.compile(
    r"^\s*(?:올해\s*|이번\s*|내년\s*)?(?:크리스마스|성탄절|추석|설날?|어린이날|어버이날|한글날|광복절|수능|발렌타인데이|화이트데이|할로윈|복날|말복|초복|중복|동지|하지|춘분|입춘)\S*\s*(?:이|은|는)?\s*(?:언제|며칠|무슨\s*요일)"
)
_DEFINITION: Final = re.compile(
    r"(?:이란|란|이라는\s*건|(?:이|가|은|는|이라는\s*게|라는\s*게|라는\s*건)?)\s*(?:뭐|뭔|뭘|무엇|무슨\s*뜻)\s*(?:야|예요|에요|이야|인가요|인가|인지|일까요?|까요?|죠|지|가요|임|입니까|냐|니|이에요)?\s*(?:알아|아세요|알려\s*줘\S*)?\s*[?!.~]*$"
)
_ADVICE: Final = re.compile(
    r"(?:[먹하가입사보쓰마살자놀갈할볼]|마시|만나)지\s*[?!.~ㅋㅎㅠ]*$|(?:ㄹ|을|[할갈볼살쓸칠탈둘줄날올될릴일놀울풀만잘들]|[가-힣]+[볼갈할줄])까요?\s*[?!.~ㅋㅎㅠ]*$|좋을까|나을까|(?:해|가|어|아)야\s*(?:돼|되|하|할|될)\S*\s*[?!.~ㅋㅎㅠ]*$|(?:으면|면)\s*(?:좋|될|되)\S*\s*[?!.~]*$|어떡|어쩌|어떻게\s*(?:해|하지|하면|할)|(?:돼|되|괜찮)\S{0,2}\s*\?*$|어때\s*\?*$|어떨까"
)
_ALLOWED: Final = re.compile(
    r"(?:먹|마셔|마시|드셔|먹어)\S{0,2}(?:도|면)\s*(?:안\s*)?(?:돼|되|괜찮|될|좋)|피해야|조심해야|가려야|가야\s*(?:돼|되)는지|까지\s*(?:가|내|와)야"
)
_RECALLED: Final = re.compile(
    r"(?:었|았|였|했|갔|왔|봤|샀|났|졌|됐|렸|랐|꼈|겼|쳤|켰|섰|썼|셨|뒀|웠|췄|녔|폈|뗐|댔|랬|뺐|쐈|꿨|줬|텼|뎠|폈|혔)(?:었)?(?:지|죠|더라|던가|던|나|나요|는지|을까|다며)|더라|던가|였|이었|더냐|다며|라며|다면서"
)
_SAID: Final = re.compile(
    r"(?:뭐|무엇)(?:라고|라구)\s*(?:했|그랬|말했|얘기했|하였|말씀)|무슨\s*(?:말|얘기|이야기)|(?:내가|나|제가|저)\s*\S*\s*(?:한|했던|하던|말한|얘기한)\s*(?:말|얘기|이야기|거|것|게)"
)
_JUST_NOW: Final = re.compile(r"아까|방금|좀\s*전|조금\s*전|금방|바로\s*전|지금까지|이번\s*대화|아깐")
_OF_ME: Final = re.compile(
    r"(?:나|저)(?:한테|에게|를|을|에\s*대해서?|에\s*관해|에\s*대한)\s*.*(?:뭐|무엇|아는|알|기억|정보)|날\s*(?:알|기억)|내가\s*(?:누구|누군)|(?<![가-힣])(?:나|난|저|전)\s*누[구군]|내가\s*(?:어떤|무슨)\s*사람"
)
_HONORIFIC: Final = re.compile(r"(?:으?세요|으?시나요|으?십니까|으?신가요|으?셨어요|으?셨나요|으?시죠)\s*[?~!]*$")
_CHATTER: Final = frozenset("밥 점심 저녁 아침 식사 오늘 어제 지금 요즘 하루 주말 잘 뭐 하 먹 자 지내 보내 잘지내 쉬 잠 기분 커피 심심 바쁘".split())
_GENERAL: Final = re.compile(
    r"(?:많|적당|더우|더워|추우|추워|나아|낫|빠르|비싸|쉬워|어려워|재밌|맛있|예쁘|예뻐|유명|끝나|좋아질)\S{0,4}\s*[?!.~ㅋㅎㅠ]*$|겠(?:죠|지)|(?:요즘|다들)\s*(?:애들|사람들|다들)|사람\s*(?:많|있겠)"
)

_DROPPED: Final = frozenset(
    "뭐 무엇 어디 언제 누구 왜 몇 무슨 어떤 어느 며칠 얼마 기억 기억나 알 알리 말 말하 말씀 하 하하 나 내 저 제 우리 이유 거 것 뭘 더라 혹시 얘기 이야기 아까 방금 대해 대하 정보 까먹 잊 말해주 가르치 맞추 물어보 날 일 사람 애 분 곳 데 적 시 월 달 년 살 점 마리 명 "
    "요즘 요새 최근 전 이제 아직 지금 정확 결국 다시 예전 전 뒤 때문 땜 계기 원인 편 정도 둘 셋 다음 이번 지난 그러 이러 그렇 이렇 있 없 되 맞 부르 올해 이 가지 주로 보통 새로 초 말 중순 처음 무렵 즈음 하루종일".split()
)
_DATED: Final = frozenset(
    "plan deadline travel did result ate bought received met watched visit felt work_change treatment injury condition anniversary lost".split()
)
"""Slots of what happens on a day; who one is and what one likes hold for longer than the day they were told."""
_SLOT_NOUNS: Final[dict[str, frozenset[str]]] = {
    "name": frozenset("이름 성함 본명".split()), "nickname": frozenset("별명 닉네임 애칭".split()), "age": frozenset("나이 연세".split()), "birthday": frozenset("생일 생신".split()), "job": frozenset("직업 일".split()),
    "live_in": frozenset("동네 도시 집 지역 살 사 나라".split()), "hobby": frozenset("취미 쉬".split()), "plan": frozenset("날짜 시간 장소 일정 약속 계획 스케줄 예정 요일 위치".split()), "deadline": frozenset("날짜 마감일".split()),
    "workplace": frozenset("직장 회사 다니 도시".split()), "blood_type": frozenset("혈액형 혈액 형".split()), "mbti": frozenset({"mbti", "엠비티아이"}), "major": frozenset({"전공", "과"}), "school": frozenset({"학교", "대학", "다니"}), "hometown": frozenset({"고향"}),
    "weight": frozenset({"몸무게"}), "height": frozenset({"키"}), "like": frozenset({"좋아하"}), "favorite": frozenset({"좋아하"}), "dislike": frozenset({"싫어하"}), "goal": frozenset({"목표", "꿈"}), "medicine": frozenset({"약", "챙기"}), "grade": frozenset({"학년"}),
    "exercise": frozenset({"운동"}), "relation": frozenset(), "felt": frozenset({"기분", "일", "순간"}), "allergy": frozenset("알레르기 알러지".split()), "condition": frozenset({"병", "걸리"}), "result": frozenset({"결과"}), "pet": frozenset({"키우"}),
}  # fmt: skip


LOOKED_AT: Final = 50
"""Of a text that asks more often only the last so many questions are read: nobody's question has as many before it."""


def ask_korean(text: str, at: datetime) -> Question | None:
    """The question in `text`; None when it is none. Of several, the last about the person."""
    text = clean(spaced(text))
    parts = segments(clauses(text, at))
    asks = [i for i, asked in enumerate(asking(parts, text)) if asked]
    last: Question | None = None
    for i in reversed(asks[-LOOKED_AT:]):
        question = _question(parts, i, text, at, first=i == asks[0])
        if question is not None and question.about_memory:
            return question
        last = last or question
    return last


def _question(parts: Sequence[list[Clause]], i: int, text: str, at: datetime, *, first: bool) -> Question | None:
    """What the segment asks; None where it only asks whether LIRA remembers what was said or asked before. `first`: none before it asks."""
    segment = parts[i]
    words = text[segment[0].start : parts[i + 1][0].start if i + 1 < len(parts) else len(text)].strip()
    if i and re.fullmatch(r"\s*(?:너\s*)?(?:혹시\s*)?(?:기억\S*|알\S*|아(?:세요|시\S*))(?:\s*있\S*)?\s*[?!.~]*\s*", words):
        # "제 이름은 A예요, 기억하죠?" states; "내 이름 뭐게, 기억나?" has asked already.
        if not first:
            return None
        if re.search(r"(?:일|거|것|말|얘기|날|적)\s*,?\s*$", text[: segment[0].start].strip()):
            return _ask([*parts[i - 1], *segment], text[parts[i - 1][0].start :].strip(), at)
        before = [c for p in parts[:i] for c in p]
        return Question("yesno", False, terms=_terms(" ".join(c.text for c in before), ()))
    if i and re.match(r"(?:라)?고\s", words):
        # "손이 떨린다" + "고 한 일, 기억하세요?": a quotation is read as a sentence of its own.
        segment = [*parts[i - 1], *segment]
    elif i and not any(p for c in segment for p in c.phrases if not p.wh) and not _SAID.search(words):
        # "나 못 먹는 과일 있다고 했잖아, 뭐였지?": what it asks about was said just before.
        segment = [*parts[i - 1], *segment]
    words = text[segment[0].start : parts[i + 1][0].start if i + 1 < len(parts) else len(text)].strip()
    return _ask(segment, words, at)


def _ask(segment: Sequence[Clause], words: str, at: datetime) -> Question:
    spans = dates_of(words, at)
    span = asked_span(spans)
    plain = undated(words, spans)
    phrases = tuple(p for c in segment for p in _with_inner(c))
    verbs = tuple(c.verb for c in [*segment, *(p.clause for p in phrases if p.clause is not None)] if c.verb)
    wants = _wants(words, plain, phrases)
    emotions = emotions_of(plain)
    subject = subject_of(phrases, words)
    if wants == "yesno" and emotions and "기억" in plain:
        wants = "what"
    asked = Asked(re.sub(r"\s+", " ", plain).strip(" ?!.~ㅋㅎㅠㅜ…"), phrases, verbs, wants, subject, emotions, bool(spans))
    about = _about_memory(asked, words, segment)
    slots = slots_of(asked) if about else ()
    if about and _OF_ME.search(words) and not (slots and not re.search(r"누구|누군", words)) and not _specific(asked):
        slots = tuple(dict.fromkeys(((USER, "name"), (USER, "job"), *slots)))
    if slots and slots[0][1] not in _DATED:
        span = None
    value = value_of(segment, asked) if about or wants == "yesno" else None
    if value is None and subject in KIN and slots and slots[0] in {(USER, "family"), (USER, "pet"), (USER, "partner"), (USER, "friend")}:
        value = subject
    said, memo = bool(_SAID.search(words)), "메모" in words
    session_only = about and bool(_JUST_NOW.search(words)) and (said or memo or not slots)
    return Question(wants, about, slots, _terms(plain if span else words, slots), value, emotions, session_only, span if about else None)


def _specific(asked: Asked) -> bool:
    """ "나한테 알레르기 일으키는 과일 뭐였지" asks more than "나에 대해 뭐 알아"."""
    return bool(_terms(re.sub(r"대해|대한|누구|누군|사람|아는|알", " ", asked.words), ()))


def _with_inner(clause: Clause) -> list[Phrase]:
    return [q for p in clause.phrases for q in ([*p.clause.phrases, p] if p.clause is not None else [p])]


def _wants(words: str, plain: str, phrases: Sequence[Phrase]) -> Wants:
    if re.search(r"(?<![가-힣])왜(?![냐인])|왤|이유|때문에\s*\S*|뭐\s*땜|원인|계기", words):
        return "why"
    if "장소" in words and re.search(r"날짜|시간|언제", words):
        return "what"
    if re.search(
        r"언제|언젠|몇\s*시(?!간)|며칠(?!째)|몇\s*월|무슨\s*요일|몇\s*일(?!째)|(?:날짜|일시|시간)(?:가|이|는|은|이?랑|와|를|을)?\s*(?:언제|뭐|며칠|어떻|어떻게|시간|장소|몇|알|기억|좀|말|$|\?)",
        plain,
    ):
        return "when"
    if re.search(r"누구|누가|누굴|누군|뉘", plain) and not re.search(r"어디", plain):
        return "who"
    if re.search(
        r"어디(?!가\s*(?:아프|아파|다))|어딘|어딜|어딨|장소|어느\s*(?:동네|도시|나라|지역|역|동|구|병원|회사|식당)|사는\s*(?:곳|데|동네)|주소|위치",
        plain,
    ):
        return "where"
    if re.search(r"몇(?!몇)|얼마", plain):
        return "howmany"
    if re.search(r"어떻게|어떤\s*식|어땠|어케", plain):
        return "how"
    if re.search(r"(?:했|였|었|았)(?:었)?(?:나|나요|던가|던가요|는지)\s*[?.~!]*$", plain) and not has_question_word(plain):
        return (
            "what"
            if re.search(
                r"(?:못\s*먹는|피해야\s*(?:하|되|될|할)|가리는)\s*\S+\s*(?:있|뭐)|(?:줄\s*아는|챙겨\s*먹는|다니는|하는|해\s*온)\s*\S+(?:이|가)?\s*있",
                plain,
            )
            and "혹시" not in plain
            else "yesno"
        )
    if any(p.wh for p in phrases) or has_question_word(plain) or tells(plain):
        return "what"
    if (knows(plain) or "기억" in plain) and any(slot_of(p) for p in phrases):
        return "what"
    if re.search(r"(?:은|는)\s*[?.~!]*$", plain.strip()) and not re.search(r"(?:하|먹|가|있|없)(?:은|는)\s*[?.~!]*$", plain.strip()):
        return "what"
    if not any(p.clause or p.case for p in phrases if p.case == "comp") and re.search(
        r"(?:이름|날짜|시간|생일|직업|나이|번호)(?:\s*좀)?\s*[?.~!]*$", plain.strip()
    ):
        return "when" if re.search(r"(?:날짜|시간|생일)(?:\s*좀)?\s*[?.~!]*$", plain.strip()) else "what"
    if re.search(r"(?:거|것|게|음식|과일|데)\s*(?:가|이)?\s*(?:있|없|뭐)", words) and any(
        p.clause is not None or "NOMINAL" in p.tags for p in phrases
    ):
        return "what"
    return "yesno"


def _about_memory(asked: Asked, words: str, segment: Sequence[Clause]) -> bool:
    """Every question about the speaker's life, its people, things and plans; not one about LIRA, the world, or what to do."""
    personal = asks_itself(words)
    third = asked.subject not in {None, USER, LIRA}
    reported = reports(words)
    recalled = reported or bool(_RECALLED.search(words)) or (knows(words) and not _DEFINITION.search(words))
    if _OF_ME.search(words):
        return True
    if asked.subject == LIRA or (re.search(r"\blira\b|리라", words, re.I) and not personal):
        return False
    if sighs(words) and not reported:
        return False
    if _WORLD.search(words) and not (reported or (personal and recalled)):
        return False
    if _HOLIDAY.search(words):
        return False
    advice = bool(_ADVICE.search(words.strip())) and not _ALLOWED.search(words) and not recalled
    if advice and not (third and not re.search(r"까요?\s*\??$", words)):
        planned = any(slot_of(p) == "plan" for p in asked.phrases) and asked.wants in {"when", "where", "who"}
        return (planned and not re.search(r"까요?\s*[?.!~]*$|좋|나을", words)) or (
            personal
            and asked.wants in {"when", "where", "who"}
            and bool(re.search(r"(?:가지|오지|있지|살지|다니지|하지|만나지|보지|나가지)\s*\??$", words))
        )
    mine = any(slot_of(p) or (p.text.split()[-1:] and p.text.split()[-1] in KIN) or p.owner == "나" or (p.owner or "") in KIN for p in asked.phrases)
    if not personal and not third and asked.wants == "yesno" and not reported and not _content(words):
        return False
    if personal or third or recalled:
        if not personal and not reported and not third and asked.wants == "yesno" and _GENERAL.search(words):
            return False
        if not personal and not third and not mine and _HONORIFIC.search(words.strip()) and not knows(words) and asked.wants not in {"when", "who"}:
            return "뭐" not in words or bool(_content(words))
        return True
    if _GENERAL.search(words):
        return False
    profile = [p for p in asked.phrases if slot_of(p) not in {None, "plan", "deadline", "attribute", "anniversary", "memo", "school", "workplace"}]
    if profile and not any(p.owner or p.clause or p.modifier for p in asked.phrases) and not tells(words):
        # "이름이 뭐예요?", "취미가 뭐야?" ask LIRA; "딸 이름이 뭐야", "이름이 뭐였지?" do not.
        return len(profile[0].text.split()) > 1 and profile[0].tags[:1] != ("MM",)
    if _DEFINITION.search(words) and not (mine and any(p.clause or p.modifier or p.owner for p in asked.phrases)):
        return any(p.clause is not None or p.modifier for p in asked.phrases if not p.wh) or bool(re.search(r"이름|날짜|시간|일정", words))
    if _HONORIFIC.search(words.strip()) and asked.wants not in {"when", "who"} and not knows(words):
        return False
    if re.search(r"어떻게", words) or re.search(r"[가-힣]에(?:는)?\s*(?:뭐|뭘|무엇)\S*\s*(?:좋|먹)", words):
        return False
    if not has_question_word(words) and not tells(words):
        # A bare yes or no with nobody named is a chat with LIRA ("커피 좋아해?"), unless it is of what only the speaker has ("병원 예약 있어?").
        return any(slot_of(p) in {"plan", "deadline", "anniversary"} for p in asked.phrases) or bool(
            re.search(
                r"(?:은|는)\s*[?.~!]*$|(?:이름|날짜|시간|생일|직업|나이|번호|장소)(?:\s*좀)?\s*[?.~!]*$|맞(?:지|죠|나요?|아)\s*\?*$", words.strip()
            )
        )
    if re.search(r"여행\s*어디가|어디가\s*(?:좋|예쁘|맛있|유명)|뭐가\s*(?:좋|맛있|나)|뭘\s*(?:챙|준비해야|사야)|언제가\s*좋", words):
        return False
    return bool(_content(words)) or any(not p.wh and p.text in KIN for p in asked.phrases)


def _content(words: str) -> list[str]:
    """What it speaks of besides meals, days and greetings, which one says to LIRA ("점심 뭐 먹었어?")."""
    return [t for t in _terms(words, ()) if t not in _CHATTER]


def _terms(words: str, slots: Sequence[Slot]) -> tuple[str, ...]:
    """Content terms; a name without its 이, a noun without its 들, and what the first slot says by itself left out."""
    cleaned = re.sub(
        r"(?:다|라|자|냐)고\s*(?:했|하셨|그랬|그러셨|말했|말씀하셨|얘기했|한)\S*|기억\S*|알려\s*\S+|말해\s*\S+|가르쳐\s*\S+|(?<![가-힣])(?:며칠|얼마)\S*(?:\s*전에?)?|때문에|땜에|얼마\s*전에?",
        lambda m: " " * 1,
        words,
    )
    whole = list(dict.fromkeys(terms_of(cleaned)))
    said = _SLOT_NOUNS.get(slots[0][1], frozenset()) if slots else frozenset()
    if slots and slots[0][1] in {"plan", "deadline"}:
        said |= _SLOT_NOUNS["plan"]
    out = []
    for term in whole:
        if term in _DROPPED or term in said or (term.isdigit() and len(whole) > 1):
            continue
        if len(term) > 2 and term[-1] in "이들님네" and term[:-1] in whole and term not in KIN:
            continue  # 지은이 beside 지은
        if any(other in KIN and other != term and other.startswith(term) | other.endswith(term) for other in whole):
            continue  # 부모 beside 부모님
        if len(term) == 1 and any(len(other) > 1 and term in other and other != term and "가" <= term <= "힣" for other in whole):
            continue  # 민 and 서 of 민서
        out.append(term)
    return tuple(out)
