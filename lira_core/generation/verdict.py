"""Yes or no: whether what was told answers a yes/no question, and how; unsure is an answer too."""

from __future__ import annotations

import re

from lira_core.korean.categories import kinds_of
from lira_core.korean.morphemes import terms, tokens
from lira_core.korean.speech import KIN, TIMES
from lira_core.memory.question import Question
from lira_core.types import Fact

# "내 생일 알지?", "좋아하는 과목은?": asked with the grammar of yes or no, or with none, but it is the thing that is wanted.
_WANTS_THE_THING = re.compile(
    r"알(?:아|지|죠|고|려|까|겠|어)|아(?:세|시|십)|기억|말해|알려|(?<=[가-힣])(?:은|는|이|가|을|를)\s*[?？]*\s*$|(?:이름|누구|뭐|무슨|어디|언제|몇)"
)
_ENDED = re.compile(
    r"끊|그만두|그만뒀|그만둔|접었|접고|취소|헤어졌|헤어지|질렸|질리|(?<![가-힣])(?:안|못)(?:\s+|(?=[먹마써쓰가해하좋키피타봐보나입들뛰]))[가-힣]|않|없|싫|금지|포기|팔았|탈락|떨어졌|떨어지|쳐다보기도|갈아탔"
)
_WISHES = re.compile(r"고\s?싶|싶다|할까|예정|준비")
_EXISTS = re.compile(r"있(?:었|나|어|니|냐|지|던|다고|으|죠|습|는|을)|적\s?있")
_NEGATED = re.compile(r"(?<![가-힣])(?:안|못)\s?(?!녕)[가-힣]|않|그만|끊|없|싫|취소|피해|조심")
_OPPOSITES = (
    ("붙", "떨어"), ("합격", "불합격|떨어|탈락"), ("왼손", "오른손"), ("남자", "여자"), ("기혼", "미혼"), ("결혼했", "미혼|이혼"),
    ("싸우|싸운|싸웠", "화해"),
    ("외동", "동생이|언니가|오빠가|형이|누나가"), ("아침형", "저녁형|야행"), ("큰", "작은"), ("채식", "고기를 먹|고기도 먹"), ("첫째", "둘째|막내"),
)  # fmt: skip
_LOOSE = TIMES | {"나", "저", "내", "제", "너", "거", "것", "말", "씨", "적", "때", "아직", "혹시", "사람", "상태", "이번"}


def verdict(question: Question, asked: str, said: str, fact: Fact | None) -> bool | None:
    """Of a question as asked and what is told in answer: True for yes, False for no, None where it is neither or unsure."""
    if question.wants != "yesno" or _WANTS_THE_THING.search(asked):
        return None
    nouns = [n for n in _nouns(asked) if n not in _LOOSE]
    denied = bool(_NEGATED.search(asked))
    for one, other in _OPPOSITES:
        for mine, theirs in ((one, other), (other, one)):
            if re.search(mine, asked) and re.search(theirs, said) and not re.search(theirs, asked):
                return denied
    shared = [part for part in re.split(r"(?<=[고서데])\s|[,.]", said) if any(n in part for n in nouns)]
    if shared and any(_ENDED.search(part) for part in shared):
        return denied
    if _EXISTS.search(asked) and "남자친구" not in asked and "여자친구" not in asked:
        if _WISHES.search(said) or (_ENDED.search(said) and not denied):
            return None
        return True
    if re.search(r"헤어", said) and re.search(r"(?:남자|여자)친구|[남여]친|애인", asked):
        return False
    if _WISHES.search(said) and not _WISHES.search(asked):
        return False if _ENDED.search(said) and shared else None
    if nouns and nouns[-1] not in said and _another_of_its_kind(nouns[-1], said, fact):
        return False
    asked_terms = set(terms(asked)) - _LOOSE
    if asked_terms and asked_terms <= set(terms(said)) and not denied and not _ENDED.search(said):
        return None if _of_oneself(asked) and _of_another(said) else True
    return None


_SELF = re.compile(r"(?<![가-힣])(?:나|내가|난|나는|저|제가|전|저는|저희|우리)(?![가-힣])")
_OTHERS = KIN | {"동기", "옆집", "이웃", "동료", "알바", "조교", "반장", "조장"}


def _of_oneself(asked: str) -> bool:
    return bool(_SELF.search(asked)) and not any(word in KIN for word in _words(asked))


def _of_another(said: str) -> bool:
    return any(word in _OTHERS for word in _words(said))


def _words(text: str) -> list[str]:
    return [re.sub(r"(?:은|는|이|가|도|을|를|랑|이랑)$", "", word) for word in text.split()] + text.split()


def _nouns(text: str) -> list[str]:
    """Nouns with what is written together with them ("대학생"), without those that only say whose they are."""
    runs: list[tuple[int, str]] = []
    for t in tokens(text):
        if t.tag in {"NNG", "NNP", "SL", "XR"} or (t.tag == "XSN" and runs and runs[-1][0] == t.start):
            glued = bool(runs) and runs[-1][0] == t.start
            runs[len(runs) - glued :] = [(t.start + t.len, (runs[-1][1] if glued else "") + t.form)]
    return [form for _, form in runs if form not in KIN]


def _another_of_its_kind(value: str, said: str, fact: Fact | None) -> bool:
    """Whether another thing is told where this one was asked about: another job, another of two names with one ending ("대학생", "고등학생")."""
    kinds = set(kinds_of(value))
    if len(value) > 2 and re.search(rf"[가-힣]{value[-2:]}", said):
        return True
    for noun in _nouns(said):
        if noun != value and kinds & set(kinds_of(noun)) & {"직업", "성별", "혈액형", "종교"}:
            return True
    return fact is not None and fact.predicate in {"job", "gender", "mbti", "blood_type"} and "직업" in kinds
