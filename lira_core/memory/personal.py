# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Whether a statement tells of the speaker's own life, also where no slot of `facts` has a name for what it tells.

A memory that only knew its slots would lose "운동은 수영으로 갈아탔어". So a statement counts as personal when it says enough and is
anchored in a life: the speaker, their people, their things, a day, a place. Korean leaves the speaker out, so an action whose
subject nobody names is the speaker's.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lira_core.dates import find
from lira_core.korean.clauses import Clause, clauses
from lira_core.korean.morphemes import ENGLISH_STOP_TERMS, terms, tokens
from lira_core.korean.names import name_spans
from lira_core.korean.people import KIN, PETS
from lira_core.language import language_of

# Content morphemes that a statement needs: below this it is a mood or a backchannel ("나 졸려", "점심 먹었어").
ENOUGH: Final = 3
# How many points of anchoring make a statement personal. Chosen on tests/data/gate_ko.jsonl and the turns of memory_ko.jsonl.
PERSONAL: Final = 2

_SPEAKER: Final = frozenset({"나", "저", "내", "제", "우리", "저희"})
_ANYBODY: Final = frozenset("사람 사람들 인간 인류 누구나 아이들 어른 남자 여자 남자들 여자들 한국인 한국 세상 인생".split())
_THEY: Final = frozenset({"걔", "얘", "쟤"})
# What people do with their own lives: with nobody named as its subject it is the speaker's doing.
_LIVED: Final = frozenset(
    "다니 살 사 키우 배우 맡 사귀 만나 결혼하 입사하 퇴사하 취직하 졸업하 입학하 이사하 수술하 입원하 예약하 신청하 임신하 시작하 끊 갈아타 갈아입 그만두 옮기 바꾸 먹 마시 피우 지내 일하 근무하 운영하 차리 열 준비하 "
    "공부하 연습하 가 오 다녀오 보 읽 찍 뛰 타 쓰 팔 받 주 보내 잃어버리 다치 삐 골절되 넘어지 미끄러지 치 하 되 빠지 들어가 나가 나오 잡 접 주워오 줍 짓 합격하 떨어지 붙 걸리 이기 지 가입하 등록하 헤어지 싸우 화해하 태어나 자라 쉬 자 "
    "짜 심 기르 고치 만들 굽 담그 올라오 내려가 돌아오 입 신 끼 모으 벌 빌리 갚 맞추 자르 염색하 모시 돌보 가르치 물려받 물려주 아끼 믿 좋아하 싫어하 못하 잘하 맞 안 앓 대 당하 맡기 넣 두 놓".split()
)
# The speaker's body, home and belongings, which need no "my".
_OWN: Final = frozenset(
    "무릎 허리 발목 손목 어깨 다리 머리 목 눈 이빨 치아 배 팔 손 발 등 위 간 심장 피부 손가락 귀 집 방 자취방 원룸 고시원 회사 직장 가게 카페 학교 학원 수업 과제 시험 면접 알바 월급 연차 휴가 생일 차 오토바이 자전거 휴대폰 "
    "노트북 통장 월세 전세 밴드 동아리 논문 전공 취미 체질 운동 식단 약 병원 결혼 임신 출산 예정일 태명 이삿짐 시댁 처가 친정 본가 고향 예약 신청 회식 미팅 약속 모임 공연 여행 수술 러닝".split()
)
# Said of the world, the weather or the app, and of nobody's life.
_WEATHER: Final = re.compile(r"날씨|기온|미세먼지|비\s*(?:가|는)?\s*(?:오|와|온|내리)|눈\s*(?:이|은)?\s*(?:오|와|온|내리)|덥|춥|더워|추워|습하")
_NEWS: Final = re.compile(
    r"뉴스|기사에|사람들은|요즘 애들|요새 애들|물가|정치|대통령|총리|지진|주가|금리|환율|선거|정부|국회|연예인|배우\s*결혼|축구\s*선수|시즌|월드컵|올림픽"
)
_SYSTEM: Final = re.compile(
    r"버튼|로그인|앱이?\b|어플|알림|오류|에러|화면|업데이트|서버\s*(?:가|에)|접속|로딩|기능|글씨\s*(?:가|크기)|글자\s*(?:가|크기)|폰트|인터넷|와이파이가|배터리|저장\s*(?:이|공간|버튼|용량)|button|log ?in|\bapp\b|error|screen|update|website|page",
    re.I,
)
# Endings that command, propose or ask: not a statement. So do promises to LIRA ("이만 줄일게요").
_NO_STATEMENT: Final = re.compile(
    r"(?:해\s?줘|줘|줄래|주세요|주십시오|줄게요?|해라|하자|할까|[가-힣]까요?|십시오|까나|할게요?|쉴게요?|잘게요?|올게요?|죠|남|냐|니)\s*[.!~ㅋㅎㅠㅜ]*$|\?\s*$"
)
_HEARSAY: Final = re.compile(r"(?:다더라|다던데|다네|대|대요|래|래요|다며|더군요?|답니다|하더라고요?)\s*[.!~ㅋㅎㅠㅜ…]*$")
_IF: Final = re.compile(r"만약|라면\s*좋|[았었]으면\s*좋|면\s*좋겠|로또")
# Machines that fail are complaints unless somebody's own life hangs on them.
_BROKEN: Final = re.compile(r"고장|느려|끊겨|꺼져|안\s*켜")
# What has lasted for some time ("다닌 지 반년 됐어") is somebody's.
_SINCE: Final = re.compile(
    r"[은는던ㄴ한된난간산선운온준친진핀인린낀신킨뗀끊은]\s*지\s*(?:벌써\s*)?(?:\d+|[가-힣]+)\s*(?:년|달|개월|주|일|해|반년|돌)[가-힣]*\s*(?:[돼됐된되]|째|넘|지났)|지\s*(?:반년|일주일|보름|열흘|오래)\s*[돼됐된되]"
)
_FINE: Final = re.compile(r"그럭저럭|별일\s*없|그저\s*그|괜찮|나쁘지\s*않")
_ENGLISH_ANCHOR: Final = re.compile(r"\b(?:i|im|i'm|i've|i'd|i'll|my|we|we're|we've|our|me|mine)\b", re.I)
_ENGLISH_DROPPED: Final = re.compile(
    r"^(?:(?:yo|so|also|oh|ok|well|and|anyway|finally|just)[,\s]+)*(?:(?:just|finally|recently|already)\s+)?(?:been|got|gave|had|have|tore|broke|dropped|started|quit|moved|booked|bought|sold|met|passed|failed|lost|found|went|going|working|living|learning|"
    r"training|joined|adopted|signed|switched|born|allergic|married|single|visiting|starting|turned|made|won|took|taking|saw|spent|finished)\b",
    re.I,
)
_ENGLISH_LIVED: Final = re.compile(
    r"\b(?:lives?|lived|living|moving|moved|works?|working|worked|stud(?:y|ies|ying)|started|quit|joined|adopted|married|engaged|pregnant|born|booked|visit|visiting|visits|training|learning|flying|flight|"
    r"going|go|got|bought|met|named|called|allergic|birthday|grew|own|teach|teaches|teaching|runs?|plays?|playing|have|has|had|having|am|is|are|was|were|turned|turns|gave|tore|broke|dropped|passed|failed|doing|"
    r"drink|eat|cook|swim|hate|love|prefer|take|taking|use|drive|wear|keep|told|said|lost|won|made|makes?|sold|spent|switched|hurt|smoke|need|want|plan|planning|can't|cannot|off|into|married|since|been)\b",
    re.I,
)
_ENGLISH_PEOPLE: Final = re.compile(
    r"\b(?:sister|brother|mother|mom|mum|father|dad|wife|husband|son|daughter|boyfriend|girlfriend|partner|friend|roommate|flatmate|cat|dog|boss|colleague|twins|kids?|baby|doctor)s?\b",
    re.I,
)
_ENGLISH_CHAT: Final = re.compile(
    r"\b(?:weather|raining|sunny|news|election|prime minister|president|anyway|tired|bored|sleepy|hungry|cant sleep|can't sleep|long day|see you|talk later|first time using|you)\b|\?\s*$",
    re.I,
)
_EPOCH: Final = datetime.fromisoformat("2026-01-01T12:00:00+09:00")


def is_personal(text: str) -> bool:
    """True for a statement anchored in the speaker's life; for anything but a statement (question, command) False."""
    if language_of(text) == "en":
        return _english(text)
    # Of several sentences one that tells is enough ("운동 시작했어. 넌 어때?").
    return any(_korean(part) for part in re.split(r"(?<=[.!?…])\s+|\n", text)) or _korean(text)


def _korean(text: str) -> bool:
    stripped = re.sub(r"[\sㄱ-ㅎㅏ-ㅣ~^]+$", "", text)
    if _NO_STATEMENT.search(stripped) or _SYSTEM.search(text) or _FINE.search(text) or _IF.search(text):
        return False
    found = tokens(text)
    forms = {t.form for t in found}
    speaker = any(t.form in _SPEAKER and t.tag in {"NP", "MM"} for t in found) or bool(re.search(r"(?:^|\s)(?:난|전|저도|나도|내가|제가)\s", text))
    people = (
        bool(forms & (KIN - PETS - {"아이", "사람", "새", "개", "형", "가족", "선생님", "동료"}))
        or bool(re.search(r"(?<![가-힣])(?:형|아이)(?:은|는|이|가|도)\s", text))
        or bool(name_spans(text))
        or bool(forms & _THEY)
    )
    if (_NEWS.search(text) or _BROKEN.search(text)) and not people and not speaker:
        return False
    if _WEATHER.search(text) and not people and len(found) < 12:
        return False
    if _HEARSAY.search(stripped) and not (speaker or people or _doctor(text)):
        return False
    content = set(terms(text))
    if len(content) < ENOUGH - (speaker or people):
        return False
    told = clauses(text, _EPOCH)
    if not speaker and any(p.case == "topic" and p.text in _ANYBODY for c in told for p in c.phrases):
        return False
    points = 2 * speaker + 2 * people
    points += bool(forms & PETS) + bool(forms & _OWN)
    points += bool(find(text, _EPOCH))
    points += 2 * any(_by_the_speaker(clause) for clause in told)
    points += 2 * bool(_SINCE.search(text))
    if not points:
        return False  # A name and a past make history ("세종대왕이 한글을 만들었어").
    points += any(t.tag == "NNP" for t in found)
    points += any(c.past or c.ending in {"ᆷ", "음"} for c in told)
    return points >= PERSONAL


def about_the_app(text: str) -> bool:
    """Whether it complains of software ("로그인이 안 돼요"), which is about nobody's life."""
    return bool(_SYSTEM.search(text))


def _doctor(text: str) -> bool:
    """What a doctor or an examination said is about the speaker."""
    return bool(re.search(r"의사|병원|검사|검진|진단|깁스|선생님", text))


def _by_the_speaker(clause: Clause) -> bool:
    """An action whose subject nobody names, and which is somebody's doing."""
    if any(p.case == "subject" for p in clause.phrases) or (clause.verb in {"하", "되", "보", "오", "나오"} and not clause.phrases):
        return False
    return clause.verb in _LIVED or (
        clause.noun != "" and clause.verb.endswith("하") and "want" not in clause.flags and bool(clause.phrases or clause.past)
    )


def _english(text: str) -> bool:
    words = [w for w in re.findall(r"[a-z']+", text.lower()) if w not in ENGLISH_STOP_TERMS]
    if len(words) < ENOUGH or _SYSTEM.search(text) or (_ENGLISH_CHAT.search(text) and len(words) < 8):
        return False
    anchored = bool(_ENGLISH_ANCHOR.search(text)) or bool(_ENGLISH_DROPPED.search(text))
    return anchored and (bool(_ENGLISH_LIVED.search(text)) or bool(_ENGLISH_PEOPLE.search(text)))
