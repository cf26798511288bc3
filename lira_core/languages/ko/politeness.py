"""The politeness of an answer: a sentence that ends familiarly gets the polite ending, where there is exactly one."""

from __future__ import annotations

import re
from typing import Final

from kiwipiepy import Token

from lira_core.languages.ko.morphemes import join, tokens
from lira_core.languages.ko.names import looks_like_name

# Familiar endings that 요 makes polite as they stand (해체 and 해요체 differ by it alone).
_WITH_YO: Final = frozenset("어 지 네 군 는군 ᆯ게 을게 ᆯ까 을까 ᆯ래 을래 은데 ᆫ데 는데 거든 잖아 ᆫ가 은가 는가 더라고".split())  # noqa: SIM905
# Those that give way to another: Kiwi conjugates the stem before it.
_OTHERS: Final = {"다": "어요", "ᆫ다": "어요", "는다": "어요", "구나": "군요", "는구나": "는군요"}
# Nearly all that is written ends so; the analyser need not be asked.
_POLITE: Final = re.compile(r"(?:요|니다|니까|죠)\W*$")
_MARKS: Final = ("SF", "SP", "SW", "SS", "SE", "SO", "W_")


def polite(sentence: str) -> str:
    """The sentence with its last ending in 해요체; as it is where it ends politely, in no ending, or in one that has no exact counterpart."""
    if _POLITE.search(sentence):
        return sentence
    found = [t for t in tokens(sentence) if not t.tag.startswith(_MARKS)]
    if not found or found[-1].tag != "EF":
        return sentence
    last, end = found[-1], found[-1].start + found[-1].len
    if last.form in _WITH_YO:
        return f"{sentence[:end]}요{sentence[end:]}"
    if last.form in {"야", "다"} and len(found) > 2 and found[-2].tag in {"VCP", "VCN"}:
        return f"{sentence[: end - 1]}{_copula(found)}{sentence[end:]}"
    if last.form not in _OTHERS:
        return sentence
    word = [t for t in found if t.word_position == last.word_position]
    morphemes = [(t.form, t.tag) for t in word]
    start = word[0].start
    if join(morphemes) != sentence[start:end]:
        return sentence
    return sentence[:start] + join([*morphemes[:-1], (_OTHERS[last.form], "EF")]) + sentence[end:]


def _copula(found: list[Token]) -> str:
    """학생이야 and 아니야 take 에요, 커피야 takes 예요. The 이 of "지은이야" is the copula's, not the name's."""
    noun, copula = found[-3], found[-2]
    named = noun.form.endswith("이") and looks_like_name(noun.form[:-1])
    return "에요" if copula.len or copula.tag == "VCN" or named else "예요"
