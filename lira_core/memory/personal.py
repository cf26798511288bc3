"""Whether a statement tells of the speaker's own life, also where no slot of `facts` has a name for what it tells.

A memory that only knew its slots would lose "광주에서 초등학교 3학년 담임 맡고 있어요". So a statement counts as personal when it says enough
(content morphemes) and is anchored in somebody's life: the speaker, their people, a place or name, a time, a number.
"""

from __future__ import annotations

import re
from typing import Final

from lira_core.korean.morphemes import ENGLISH_STOP_TERMS, terms, tokens
from lira_core.korean.people import KIN, PETS
from lira_core.language import language_of

# Content morphemes that a statement needs: below this it is a mood or a backchannel ("나 졸려", "점심 먹었어").
ENOUGH: Final = 3
# What anchors count, and how many points make a statement personal. Chosen on `tests/data/gate_ko.jsonl`.
PERSONAL: Final = 2

_SPEAKER: Final = frozenset({"나", "저", "내", "제", "우리", "저희"})
_LIVED: Final = frozenset({"다니", "살", "키우", "배우", "맡", "사귀", "만나", "결혼", "입사", "퇴사", "취직", "졸업", "입학", "이사", "수술", "입원", "예약", "신청", "임신", "시작", "끊"})
# Endings that command, propose or ask: not a statement.
_NO_STATEMENT: Final = re.compile(r"(?:줘|줄래|주세요|주십시오|해라|하자|할까|을까|ㄹ까|[가-힣]까요?|세요|십시오|자)\s*[.!~ㅋㅎㅠ]*$|\?\s*$")
_HEARSAY: Final = re.compile(r"다더라|다던데|다네요?$|래요?$|대요?$|하더라고요?|뉴스|기사에|사람들은|요즘 애들|요새 애들|물가|정치|날씨|비가 |눈이 (?:오|와|내)")
_SYSTEM: Final = re.compile(r"버튼|로그인|앱이?|알림|오류|에러|화면|업데이트|서버|접속|로딩|기능|button|log ?in|app\b|error|screen|update")
_ENGLISH_ANCHOR: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|we|we're|our|me)\b", re.I)
_ENGLISH_LIVED: Final = re.compile(
    r"\b(?:live|lived|moving|moved|work|working|worked|study|studying|started|quit|joined|adopted|married|engaged|pregnant|born|booked|visit|visiting|training|learning"
    r"|going|got|bought|met|named|called|allergic|birthday|grew|own|teach|teaches|runs|plays?|have|has|had)\b",
    re.I,
)


def is_personal(text: str) -> bool:
    """True for a statement anchored in the speaker's life; for anything but a statement (question, command) False."""
    if _NO_STATEMENT.search(text.strip()) or _SYSTEM.search(text.lower()):
        return False
    return _korean(text) if language_of(text) == "ko" else _english(text)


def _korean(text: str) -> bool:
    if _HEARSAY.search(text) and not any(t.form in _SPEAKER for t in tokens(text)):
        return False
    found = tokens(text)
    forms = {t.form for t in found}
    content = {term for term in terms(text) if len(term) > 1 or term.isascii()}
    if len(content) < ENOUGH:
        return False
    points = 2 * bool(forms & _SPEAKER) + 2 * bool(forms & (KIN.keys() if isinstance(KIN, dict) else set(KIN)))
    points += bool(forms & (PETS.keys() if isinstance(PETS, dict) else set(PETS)))
    points += any(t.tag == "NNP" for t in found) + any(t.tag == "SN" for t in found) + any(t.tag == "EP" and t.form in {"었", "았"} for t in found)
    points += any(t.form.startswith(tuple(_LIVED)) and t.tag[0] in "VXN" for t in found)
    return points >= PERSONAL


def _english(text: str) -> bool:
    words = [w for w in re.findall(r"[a-z']+", text.lower()) if w not in ENGLISH_STOP_TERMS]
    return len(words) >= ENOUGH and bool(_ENGLISH_ANCHOR.search(text)) and bool(_ENGLISH_LIVED.search(text))
