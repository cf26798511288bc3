# ruff: noqa: E501 (patterns read better in wide rows)
"""Whether a Korean utterance asks, by its form: its mark, its ending, its question word, as a request to tell, or as a bare topic ("내 딸 이름은")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lira_core.languages.ko.attributes import ATTRIBUTES
from lira_core.languages.ko.clauses import Clause
from lira_core.languages.ko.speech import ASKS

_SPELLINGS: Final = (
    (re.compile(r"(?<![가-힣])(?:머|모)(?=(?:야|임|였|지|더라|예요|냐|라고|했|\s*(?:\?|$)))"), "뭐"),
    (re.compile(r"(?<![가-힣])(내|제|울|우리)(?=(?:이름|생일|나이|직업|직장|회사|취미|전공|학교|혈액형|별명|고향|동생|강아지|고양이|남편|아내|엄마|아빠|딸|아들)(?![가-힣]{3}))"), r"\1 "),
)  # fmt: skip
_INDEFINITE: Final = re.compile(
    r"(?:누군|뭔|언젠|어딘|무언)가|누가\s|누구나|아무|며칠\s*(?:전|뒤|동안|째)|얼마\s*(?:전|안)|뭐\s*(?:좀|든|하러)|왜냐|언제(?:든|나)|어디(?:든|나)|왜\s*이렇게|얼마나\s*\S+(?:는지|던지)|무슨\s*일이\s*있"
)
_WH: Final = re.compile(r"(?<![가-힣])(?:뭐|뭘|뭔|무엇|무슨|누구|누가|언제|어디|어느|어떤|어떻|어때|며칠|몇|왜|얼마)")
_ENDS: Final = re.compile(
    r"(?:지|죠|지요|더라|던가|게|게요|다며|라며|임|랬음|댔음|인지|는지|야|예요|에요|이요|가요|대|래|나|하|해|뭐|언제|어디|누구|며칠|(?:뭐|누구|언제|어디|며칠|얼마)이?냐고요?)[\s.~!ㅋㅎㅠㅜ]*$"
)
"""How a sentence ends that asks where it has a question word; what happened already asks only with its mark ("어디 갔어")."""
_TELL: Final = re.compile(
    r"(?:말|얘기|이야기|대답|설명|정리|요약)\s*(?:좀\s*)?해\s*(?:줘|주|봐|줄|달)|알려\s*(?:줘|주|줄|달|봐)|가르쳐\s*(?:줘|주|줄)|맞[춰혀]\s*(?:봐|볼|보)|말해\s*$"
)
_KNOW: Final = re.compile(
    r"(?<![가-힣])(?:알(?:지|죠|아요|니|냐|나|고\s*있[가-힣]{0,3})|아(?:세요|시죠|시나요|십니까))[\s.~!]*$|기억\s*(?:나|해|하(?:지|죠|니|냐|세요|시죠|시나요))(?:요)?[\s.~!]*$"
)
_SAID: Final = re.compile(r"(?:(?:다|라|자)고\s*(?:했|그랬)|기로\s*(?:했|한)|[댔랬])(?:지|죠|나|었나|더라)(?:요)?[\s.~!]*$")
_SELF: Final = re.compile(
    r"(?:^|[\s,.\"'(])(?:나|내|제|저|난|전|날|울|우리|저희)(?:는|은|가|의|를|도|한테|랑|에|에게|만|네|보고|더러|이|요)?(?:게서?|\s*에\s*대해서?)?(?=[\s,?!.]|$)"
)


def spelled(text: str) -> str:
    """Chat spellings as the dictionary has them ("내이름 머임" is "내 이름 뭐임")."""
    for pattern, right in _SPELLINGS:
        text = pattern.sub(right, text)
    return text


def asks_itself(words: str) -> bool:
    """Whether it names the speaker."""
    return bool(_SELF.search(words))


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


def asking(parts: Sequence[Sequence[Clause]], text: str) -> list[bool]:
    """Of each segment of `text` whether it asks."""
    return [_asks(segment, text) for segment in parts]


def _asks(segment: Sequence[Clause], text: str) -> bool:
    start, end = segment[0].start, max(c.end for c in segment)
    # Kiwi reads "아세요" as a sigh and an ending, which leaves it out of the clause.
    rest = re.match(r"[가-힣]{0,4}(?:\s*아(?:세요|시\S*))?(?=[\s.,~!?？ㄱ-ㅣ]|$)", text[end:])
    stop = end + (rest.end() if rest else 0)
    if re.match(r"[\s.,~!…ㄱ-ㅣ]{0,20}[?？]", text[stop : stop + 21]) or re.search(r"[?？]", text[start:end]):
        return True
    words, last = text[start : end if segment[-1].final else stop].rstrip(" .~!"), segment[-1]
    if _TELL.search(words) or _SAID.search(words) or (_KNOW.search(words) and asks_itself(words)):
        return True
    if last.final and last.ending in ASKS and "will" not in last.flags:
        return True
    if _WH.search(_INDEFINITE.sub("＿", words)) and _ENDS.search(words):
        return not last.past or last.ending in {"지", "죠", "지요", "더라", "게", "게요", "음", "ᆷ"}
    fragment = re.search(r"([가-힣A-Za-z]+?)(?:은|는)?(?:\s*좀)?$", words) if not any(c.verb or c.dates for c in segment) else None
    return fragment is not None and fragment[1] in ATTRIBUTES and " " in words and not text[stop:].strip(" .~!")
