# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Where a Korean text names somebody: personal names in the places where speakers put them.

An analyser that does not know a name takes it apart ("지은이고" as a noun and a prefix, "이하늘" as a particle and the sky). So names are
found first, by where they stand and by their syllables, and the analyser is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lira_core.languages.ko.morphemes import analyser
from lira_core.languages.people import KIN
from lira_core.recent import recent

SURNAMES: Final = frozenset(
    "김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권 황 안 송 류 유 홍 전 고 문 양 손 배 백 허 남 심 노 하 곽 성 차 주 우 구 민 나 진 지 엄 채 원 천 방 공 현 함 변 염 여 추 도 소 석 설 선 "
    "마 길 연 위 표 명 기 반 라 왕 금 옥 육 인 맹 제 모 탁 국 어 은 편 용 남궁 황보 제갈 선우 독고".split()
)
# Syllables of given names, from the registers of the last sixty years' most given names; particles and endings ("는", "을", "게") are in none.
_FIRST: Final = frozenset(
    "가강건겸경고광교구규근금기길나남노누다단달대도동두라란래려로루름리린만명모무문미민반배범별병보복봄부빈사상새서석선설성세소솔송수숙순슬승시신아안애양여연영예오옥온완용우욱운원월유윤율은을의이인일자잔장재정제조종"
    "주준중지진차찬창채천철초춘치태택하한해향허혁현형혜호홍화환효후훈휘희"
)
_LAST: Final = frozenset(
    "강건겸경곤관광구국권규균근금기길나남녀누늘단담대덕도동두라란람랑래량려련렬령로록루룡름리린림만명모묵문미민박배백범별병보봄봉빈빛상새서석선설섭성세소솔솜수숙순슬승식신실심아안애양연열영예오옥온완용우욱운웅원월유윤"
    "율은을의이익인일자재전정제조종주준중지진찬창채천철초춘충탁태택평필하학한해향혁현협형혜호홍화환효후훈휘희"
)
_KIN: Final = (
    "|".join(sorted((k for k in KIN if len(k) > 1 or k in {"형", "딸"}), key=len, reverse=True))
    + "|영감|처|올케|동서|동기|제자|팀원|반장|조장|의뢰인|멘토|대표"
)
# What may follow a name.
_COPULA: Final = (
    r"(?:이라고|라고|이고요|고요|이고|고|이야|야|이에요|예요|에요|입니다|이요|이라서|라서|이라|라|임|이래|래|인데|이었|였)(?![가-힣]*(?:서|면)\b)"
)
_PARTICLE: Final = r"(?:이)?(?:는|은|가|도|랑|한테|네|의|를|을|와|과|하고|에게|씨|쌤|만|이)?"
_BREAK: Final = r"(?=[\s,.!?~ㅋㅎㅠ]|$)"
_INTRODUCED: Final = tuple(
    re.compile(p)
    for p in (
        rf"(?:^|[\s,.!?~])(?:나는|난|저는|전|나|저|제가|내가)\s+(?P<n>[가-힣]{{2,4}}?)(?:{_COPULA}{_BREAK}|(?=\s*[!,.]|\s+[가-힣]{{3}}(?:[.!,]|$)))",
        r"(?<![가-힣])(?:내|제|나의|저의)\s*(?:이름|본명|성함)(?:은|이)?\s*(?P<n>[가-힣]{1,4}?)(?:" + _COPULA + r")?(?=[\s,.!?~ㅋㅎㅠ]|$)",
        rf"(?:이름|본명|성함)(?:은|이)\s*(?P<n>[가-힣]{{1,4}}?){_COPULA}{_BREAK}",
        rf"^(?:(?:안녕하세요|안녕하십니까|안녕|반갑습니다|반가워요|처음\s*뵙겠습니다)[\s.,!~]*)?(?P<n>[가-힣]{{2,4}}?)(?:이라고|라고|입니다|이에요|예요|이야|야){_BREAK}",
        rf"(?:^|[\s,.!?~]){_COPULA}?\s*(?P<full>[가-힣]{{3}})(?:이에요|예요|이야|야|입니다|\s*[!.])",
        r"^(?P<full>[가-힣]{3})(?=\s*[.,!]\s*\d{1,2}\s*(?:살|세))",
    )
)
_OF_KIN: Final = tuple(
    re.compile(p)
    for p in (
        rf"(?<![가-힣])(?:우리\s*|제\s*|내\s*)?(?:{_KIN})\s+(?P<n>[가-힣]{{2,3}}?){_PARTICLE}{_BREAK}",
        rf"(?<![가-힣])(?:{_KIN})(?:은|는|이|가)?\s+(?P<n>[가-힣]{{2,3}}?){_COPULA}{_BREAK}",
        rf"(?:{_KIN})\s*이름(?:은|이)?\s*(?P<n>[가-힣]{{1,4}}?)(?:{_COPULA})?{_BREAK}",
        r"(?<![가-힣])(?P<n>[가-힣]{2,3}?)(?:이)?(?:라고|라는)\s*(?:있|친구|애|사람|선배|후배|동생|언니|오빠|형|누나|조교|분이)",
        r"(?<![가-힣])(?P<n>[가-힣]{2,3})\s+(?:누나|언니|오빠|형|선배|씨|쌤|선생님|교수님|변호사님|팀장님|과장님|대리님|부장님|이모|삼촌|할머니)(?=[은는이가랑도과와의고]|네|한테|하고|님|[\s,.!]|$)",
    )
)


# What may follow a whole name.
_NAME_ENDS: Final = re.compile(rf"{_COPULA}|[\s.,!?~ㅋㅎ]|$")

# Somebody known by now: a name alone before a particle of subjects and company.
_SPOKEN_OF: Final = re.compile(r"(?<![가-힣])(?P<n>[가-힣]{2})(?:이)?(?:는|가|랑|한테|네)(?=[\s,])")


@recent
def _only_nouns(word: str) -> bool:
    return all(t.tag in {"NNG", "NNP", "XPN", "XSN", "NR", "XR"} for t in analyser().tokenize(word))


@recent
def _common(word: str) -> bool:
    """Whether the dictionary has it as an ordinary word or a place."""
    found = analyser().tokenize(word)
    if len(found) != 1 or found[0].id <= 2 or found[0].tag == "IC":
        return False
    return found[0].tag != "NNP" or _place(word) or not (_given(word) or (len(word) == 3 and word[0] in SURNAMES))


_NAMES_IT: Final = r"(?:이름|본명|성함)(?:은|이|도)?\s*(?:그냥\s*|바로\s*)?{0}|{0}(?:이|으로|로)?(?:라고|라)?\s*(?:해요?(?![가-힣])|합니다|하면\s*돼|함(?![가-힣])|불러|부르|불리)"
"""That this very word is a name: "제 이름은 가을이에요", "보리라고 불러". Not "이름이 수진 씨래요. 간호사라네요", nor "딸이라고 하네요"."""


def only_a_word(name: str, text: str) -> bool:
    """Whether what was taken for a name is an ordinary word, a place or a sentence ("추석", "춘천", "운다", "민호만"), and nothing in the
    text says that it is a name."""
    if re.fullmatch("[가-힣 ]+", name) is None or re.search(_NAMES_IT.format(re.escape(name)), text):
        return False
    last = analyser().tokenize(name)[-1]
    only = last.form in {"만", "도"} and last.tag == "JX" and last.start > 1 and re.search(rf"{re.escape(name)}\s+[가-힣]", text) is not None
    return all(map(_common, name.split())) or last.tag == "EF" or only


@recent
def _adverb(word: str) -> bool:
    return [token.tag for token in analyser().tokenize(word)] in (["MAG"], ["MAJ"])


PLACES: Final = frozenset(
    "서울 부산 대구 인천 광주 대전 울산 세종 수원 성남 용인 고양 안양 안산 의정부 전주 군산 익산 목포 여수 순천 창원 진주 김해 진해 통영 거제 포항 경주 안동 구미 청주 충주 천안 아산 공주 원주 강릉 속초 춘천 동해 삼척 제주 서귀포 "
    "일산 분당 판교 양양 철원 한국 미국 일본 중국 인도 태국 영국 호주 대만 몽골 독일 이천 여주 파주 김포 나주 영주 상주 남원 영광 보성 하동 남해 고성 양산 밀양".split()
)


def is_place(word: str) -> bool:
    """Whether a proper noun is rather a place than a person: a known city, or one that ends as places do ("태백산", "후평동")."""
    return word in PLACES or (
        len(word) > 2
        and word.endswith(("산", "시", "도", "구", "군", "역", "대", "사", "동", "강", "섬", "국", "항", "읍", "리", "천", "호", "궁", "촌"))
        and not full_name(word)
    )


def _place(word: str) -> bool:
    return word in PLACES


def _given(word: str) -> bool:
    return len(word) == 2 and word[0] in _FIRST and word[1] in _LAST


def full_name(word: str) -> bool:
    """Surname and a given name of two syllables ("이하늘", "김서연"); also a two-syllable surname."""
    return (len(word) == 3 and word[0] in SURNAMES and (_given(word[1:]) or _common(word[1:]))) or (
        len(word) == 4 and word[:2] in SURNAMES and _given(word[2:])
    )


def looks_like_name(word: str) -> bool:
    """Whether a word can be somebody's name and is no ordinary word."""
    if word in KIN or _place(word):
        return False
    if len(word) == 2:
        return _given(word) and not _common(word)
    return full_name(word) and not _common(word) and word[-1] not in "은는이가을를"


@recent
def name_spans(text: str) -> tuple[tuple[int, int], ...]:
    """(start, end) of every personal name found, in order, not overlapping."""
    found: dict[int, int] = {}
    for pattern in _INTRODUCED:
        for match in pattern.finditer(text):
            group = "full" if "full" in pattern.groupindex else "n"
            word = match.group(group)
            if (full_name(word) and not _common(word)) if group == "full" else (looks_like_name(word) or _by_itself(pattern, word)):
                found.setdefault(match.start(group), match.end(group))
    for pattern in _OF_KIN:
        for match in pattern.finditer(text):
            start, end = match.span("n")
            word = match.group("n")
            # "다정이는", "하늘이랑": the 이 after a consonant marks a name even where the word is an ordinary one.
            marked = len(word) == 2 and (ord(word[-1]) - 0xAC00) % 28 and re.match(r"이(?:는|가|랑|네|도|한테|를)", text[end:]) is not None
            if looks_like_name(word) or (marked and _given(word)) or ("이름" in match.group() and _nameable(word)):
                found.setdefault(start, end)
    for match in _SPOKEN_OF.finditer(text):
        if looks_like_name(match["n"]) and _only_nouns(match["n"]):
            found.setdefault(*match.span("n"))
    for given in dict.fromkeys(text[start:end] for start, end in found.items() if end - start == 2):
        # "서연이야 김서연": the whole name beside the given one.
        for first, last in _with_surname(given, text):
            found.setdefault(first, last)
    out: list[tuple[int, int]] = []
    for start, end in sorted(found.items()):
        if not out or start >= out[-1][1]:
            out.append((start, end))
    return tuple(out)


def _with_surname(given: str, text: str) -> Iterator[tuple[int, int]]:
    """Where the given name stands as the end of a whole one. Not by a pattern made of the name: `re` would keep it for good."""
    at = text.find(given)
    while at >= 0:
        for first in range(at - 1, max(at - 3, -1), -1):
            before = text[first - 1] if first else ""
            if text[first:at] in SURNAMES and not "가" <= before <= "힣" and _NAME_ENDS.match(text, at + len(given)):
                yield first, at + len(given)
        at = text.find(given, at + 1)


def _by_itself(pattern: re.Pattern[str], word: str) -> bool:
    """After "my name is", an ordinary word is a name too ("제 이름은 하늘이에요"), but for an adverb ("내 이름 이제 서윤이야")."""
    return "이름" in pattern.pattern and _nameable(word) and not _adverb(word)


def _nameable(word: str) -> bool:
    return (
        (2 <= len(word) <= 4 or (len(word) == 1 and word in _FIRST and word not in "은이"))
        and word not in {"이름", "을", "를"}
        and not word.startswith(("뭐", "뭔", "무엇", "누구", "기억", "알", "아세", "어떻", "아직", "비밀", "말", "모르"))
    )
