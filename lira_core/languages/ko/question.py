# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""What a Korean question asks of the speaker's memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from lira_core.languages.ko.clauses import Clause, Phrase, clauses, clean
from lira_core.languages.ko.morphemes import terms as terms_of
from lira_core.languages.ko.question_form import asking, asks_itself, has_question_word, knows, reports, segments, sighs, spaced, tells
from lira_core.languages.ko.question_slots import LIRA, Asked, slot_of, slots_of, subject_of, value_of
from lira_core.languages.people import KIN
from lira_core.memory.question import Question, Slot, Wants, asked_span, dates_of, emotions_of, undated
from lira_core.types import USER

_WORLD: Final = re.compile(
    r"날씨|기온|뉴스|환율|주가|미세먼지|대통령|수도(?:는|가|이)|인구|맛집|추천|번역|계산(?:해|하)|로또|운세|레시피|(?:만드는|하는)\s*(?:법|방법)|방법\s*(?:좀|이|은)|검색|무슨\s*뜻|뜻이\s*뭐|영어로|우리나라|지금\s*몇\s*시|오늘\s*(?:이\s*)?(?:며칠|몇\s*(?:일|월)|무슨\s*요일)|가격(?:이|은)|얼마(?:야|예요)"
    r"|^\s*(?:올해\s*|이번\s*|내년\s*)?(?:크리스마스|성탄절|추석|설날?|어린이날|어버이날|한글날|수능)\S*\s*(?:이|은|는)?\s*(?:언제|며칠|무슨\s*요일)"
)
_ADVICE: Final = re.compile(
    r"(?:[먹하가입사보쓰마살자놀갈할볼]|마시|만나)지\s*[?!.~ㅋㅎㅠ]*$|[가-힣]까요?\s*[?!.~ㅋㅎㅠ]*$|(?:해|가|어|아)야\s*(?:돼|되|하|할|될)\S*\s*[?!.~ㅋㅎㅠ]*$|어떡|어쩌|어떻게\s*(?:해|하지|하면|할)|(?:돼|되|괜찮)\S{0,2}\s*\?*$|어때\s*\?*$"
)
_ALLOWED: Final = re.compile(r"(?:먹|마셔|마시|드셔|먹어)\S{0,2}(?:도|면)\s*(?:안\s*)?(?:돼|되|괜찮|될|좋)|피해야|조심해야|가려야")
_RECALLED: Final = re.compile(
    r"[었았였했갔왔봤샀났졌됐렸랐셨댔랬줬썼](?:었)?(?:지|죠|더라|던가|던|나|나요|는지|다며)|더라|던가|였|이었|다며|라며|다면서"
)
_SAID: Final = re.compile(
    r"(?:뭐|무엇)(?:라고|라구)\s*(?:했|그랬|말했|얘기했|하였|말씀)|무슨\s*(?:말|얘기|이야기)|(?:내가|나|제가|저)\s*\S*\s*(?:한|했던|하던|말한|얘기한)\s*(?:말|얘기|이야기|거|것|게)"
)
_JUST_NOW: Final = re.compile(r"아까|방금|좀\s*전|조금\s*전|금방|바로\s*전|지금까지|이번\s*대화|아깐")
_OF_ME: Final = re.compile(
    r"(?:나|저)(?:한테|에게|를|을|에\s*대해서?|에\s*관해|에\s*대한)\s*.*(?:뭐|무엇|아는|알|기억|정보)|날\s*(?:알|기억)|내가\s*(?:누구|누군)|(?<![가-힣])(?:나|난|저|전)\s*누[구군]|내가\s*(?:어떤|무슨)\s*사람"
)
_POLITE: Final = re.compile(r"(?:으?세요|으?시나요|으?십니까|으?신가요|으?셨어요|으?셨나요|으?시죠)\s*[?~!]*$")
_CHATTER: Final = frozenset("밥 점심 저녁 아침 식사 오늘 어제 지금 요즘 하루 주말 잘 뭐 하 먹 자 지내 보내 쉬 잠 기분 커피 심심 바쁘".split())
_WANTS: Final[tuple[tuple[re.Pattern[str], Wants], ...]] = (
    (re.compile(r"(?<![가-힣])왜(?![냐인])|왤|이유|때문에|뭐\s*땜|원인|계기"), "why"),
    (re.compile(r"언제|언젠|몇\s*시(?!간)|며칠(?!째)|몇\s*월|무슨\s*요일|몇\s*일(?!째)|(?:날짜|일시|시간)(?:가|이|는|은|이?랑|와|를|을)?\s*(?:뭐|어떻|몇|알|기억|좀|말|$|\?)"), "when"),
    (re.compile(r"^(?!.*어디).*(?:누구|누가|누굴|누군)"), "who"),
    (re.compile(r"어디(?!가\s*(?:아프|아파|다))|어딘|어딜|어딨|장소|어느\s*(?:동네|도시|나라|지역|역|동|구|병원|회사|식당)|사는\s*(?:곳|데|동네)|주소|위치"), "where"),
    (re.compile(r"몇(?!몇)|얼마"), "howmany"),
    (re.compile(r"어떻게|어떤\s*식|어땠|어케"), "how"),
)  # fmt: skip
"""The first that matches the words without dates says what is wanted."""
_DROPPED: Final = frozenset(
    "뭐 무엇 어디 언제 누구 왜 몇 무슨 어떤 어느 며칠 얼마 기억 기억나 알 알리 말 말하 말씀 하 하하 나 내 저 제 우리 이유 거 것 뭘 더라 혹시 얘기 이야기 아까 방금 대해 대하 정보 까먹 잊 말해주 가르치 맞추 물어보 날 일 사람 애 분 곳 데 적 시 월 달 년 살 점 마리 명 "
    "요즘 요새 최근 전 이제 아직 지금 정확 결국 다시 예전 뒤 때문 땜 계기 원인 편 정도 둘 셋 다음 이번 지난 그러 이러 그렇 이렇 있 없 되 맞 부르 올해 이 가지 주로 보통 새로 초 말 중순 처음 무렵 즈음 하루종일".split()
)
_SLOT_NOUNS: Final[dict[str, frozenset[str]]] = {
    "name": frozenset("이름 성함 본명".split()), "nickname": frozenset("별명 닉네임 애칭".split()), "age": frozenset("나이 연세".split()), "birthday": frozenset("생일 생신".split()), "job": frozenset("직업 일".split()),
    "live_in": frozenset("동네 도시 집 지역 살 사 나라".split()), "hobby": frozenset("취미 쉬".split()), "plan": frozenset("날짜 시간 장소 일정 약속 계획 스케줄 예정 요일 위치 마감일".split()),
    "workplace": frozenset("직장 회사 다니 도시".split()), "blood_type": frozenset("혈액형 혈액 형".split()), "mbti": frozenset({"mbti", "엠비티아이"}), "major": frozenset({"전공", "과"}), "school": frozenset({"학교", "대학", "다니"}), "hometown": frozenset({"고향"}),
    "weight": frozenset({"몸무게"}), "height": frozenset({"키"}), "like": frozenset({"좋아하"}), "favorite": frozenset({"좋아하"}), "dislike": frozenset({"싫어하"}), "medicine": frozenset({"약", "챙기"}), "grade": frozenset({"학년"}),
    "allergy": frozenset("알레르기 알러지".split()), "condition": frozenset({"병", "걸리"}), "pet": frozenset({"키우"}),
}  # fmt: skip


LOOKED_AT: Final = 50
"""Of a text that asks more often only the last so many questions are read: nobody's question has as many before it."""


def ask(text: str, at: datetime) -> Question | None:
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
    """What the segment asks; None where it only asks whether LIRA remembers what was asked before. `first`: none before it asks."""
    segment, end = parts[i], parts[i + 1][0].start if i + 1 < len(parts) else len(text)
    words = text[segment[0].start : end].strip()
    if i and re.fullmatch(r"(?:너\s*)?(?:혹시\s*)?(?:기억\S*|알\S*|아(?:세요|시\S*))(?:\s*있\S*)?\s*[?!.~]*", words):
        # "제 이름은 A예요, 기억하죠?" states; "내 이름 뭐게, 기억나?" has asked already.
        return Question("yesno", False, terms=_terms(" ".join(c.text for p in parts[:i] for c in p), ())) if first else None
    quotes = re.match(r"(?:라)?고\s", words)  # "손이 떨린다" + "고 한 일, 기억하세요?"
    bare = not any(not p.wh for c in segment for p in c.phrases) and not _SAID.search(words)
    if i and (quotes or bare):
        # "나 못 먹는 과일 있다고 했잖아, 뭐였지?": what it asks about was said just before.
        segment = [*parts[i - 1], *segment]
        words = text[segment[0].start : end].strip()
    return _ask(segment, words, at)


def _ask(segment: Sequence[Clause], words: str, at: datetime) -> Question:
    spans = dates_of(words, at)
    plain = undated(words, spans)
    phrases = tuple(q for c in segment for p in c.phrases for q in ([*p.clause.phrases, p] if p.clause is not None else [p]))
    emotions = emotions_of(plain)
    wants = _wants(words, plain, phrases)
    if wants == "yesno" and emotions and "기억" in plain:
        wants = "what"
    asked = Asked(re.sub(r"\s+", " ", plain).strip(" ?!.~ㅋㅎㅠㅜ…"), phrases, wants, subject_of(phrases, words), plain != words)
    about = _about_memory(asked, words)
    slots = slots_of(asked) if about and not emotions else ()
    terms = _terms(plain, slots)
    if about and emotions:
        terms = tuple(t for t in terms if t not in {"기분", "순간"})
    session_only = about and bool(_JUST_NOW.search(words)) and (bool(_SAID.search(words)) or "메모" in words or not slots)
    when = asked_span(spans) if about else None
    return Question(wants, about, slots, terms, value_of(segment, asked, slots), emotions, session_only, when)


def _wants(words: str, plain: str, phrases: Sequence[Phrase]) -> Wants:
    if "장소" in words and re.search(r"날짜|시간|언제", words):
        return "what"
    if (found := next((wants for pattern, wants in _WANTS if pattern.search(plain)), None)) is not None:
        return found
    bare = plain.strip(" ?.~!")
    asks = any(p.wh for p in phrases) or has_question_word(plain) or tells(plain)
    named = (knows(plain) or "기억" in plain) and any(slot_of(p) for p in phrases)
    fragment = bool(re.search(r"(?:은|는)$", bare)) or bool(re.search(r"(?:이름|직업|나이|번호)(?:\s*좀)?$", bare))
    thing = re.search(r"(?:거|것|게|음식|과일|데)\s*(?:가|이)?\s*(?:있|없)", words) and any(
        p.clause is not None or "NOMINAL" in p.tags for p in phrases
    )
    if re.search(r"(?:날짜|시간|생일)(?:\s*좀)?$", bare):
        return "when"
    return "what" if asks or named or fragment or thing else "yesno"


def _about_memory(asked: Asked, words: str) -> bool:
    """Whether it asks of the speaker's life, its people, things and plans, and not of LIRA, the world, or what to do.

    Where the encoder has heard the utterance, its word counts instead of this (`memory.asking`).
    """
    personal, third, reported = asks_itself(words), asked.subject not in {None, USER, LIRA}, reports(words)
    recalled = reported or bool(_RECALLED.search(words)) or knows(words)
    if _OF_ME.search(words):
        return True
    if asked.subject == LIRA or (re.search(r"\blira\b|리라", words, re.I) and not personal) or (sighs(words) and not reported):
        return False
    if _WORLD.search(words) and not (reported or (personal and recalled)):
        return False
    planned = any(slot_of(p) == "plan" for p in asked.phrases)
    if _ADVICE.search(words.strip()) and not _ALLOWED.search(words) and not recalled:
        return (third or planned or (personal and asked.wants in {"when", "where", "who"})) and not re.search(r"까요?\s*[?.!~]*$", words)
    content = [t for t in _terms(words, ()) if t not in _CHATTER]
    if personal or third:
        return True
    if recalled:
        # "오늘 뭐 했어?", "점심 드셨어요?" are said to LIRA.
        return reported or asked.wants != "yesno" or bool(content)
    owned = any(p.clause is not None or p.modifier or p.owner or len(p.text.split()) > 1 for p in asked.phrases if not p.wh)
    if not (owned or planned) or (_POLITE.search(words.strip()) and asked.wants not in {"when", "who"}):
        return False
    return bool(content) and (asked.wants != "yesno" or planned)


def _terms(words: str, slots: Sequence[Slot]) -> tuple[str, ...]:
    """Content terms; a name without its 이, a noun without its 들, and what the first slot says by itself left out."""
    asking = r"(?:다|라|자|냐)고\s*(?:했|하셨|그랬|그러셨|말했|말씀하셨|얘기했|한)\S*|기억\S*|알려\s*\S+|말해\s*\S+|가르쳐\s*\S+|(?<![가-힣])(?:며칠|얼마)\S*(?:\s*전에?)?|때문에|땜에"
    whole = list(dict.fromkeys(terms_of(re.sub(asking, " ", words))))
    said = _SLOT_NOUNS.get(slots[0][1], frozenset()) if slots else frozenset()
    return tuple(t for t in whole if t not in _DROPPED | said and not (t.isdigit() and len(whole) > 1) and not _part_of(t, whole))


def _part_of(term: str, whole: Sequence[str]) -> bool:
    """지은이 beside 지은, 부모 beside 부모님, 민 and 서 beside 민서."""
    marked = len(term) > 2 and term[-1] in "이들님네" and term[:-1] in whole and term not in KIN
    of_kin = any(other in KIN and other != term and (other.startswith(term) or other.endswith(term)) for other in whole)
    return marked or of_kin or (len(term) == 1 and "가" <= term <= "힣" and any(len(other) > 1 and term in other for other in whole))
