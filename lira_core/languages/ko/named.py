"""The morphemes of a text in which names are: the analyser is told of them, since it takes apart those that it does not know."""

from __future__ import annotations

import re
from typing import Final

from kiwipiepy import Token

from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.morphemes import analyser, tokens
from lira_core.languages.ko.names import PLACES, name_spans
from lira_core.languages.people import KIN
from lira_core.recent import recent


@recent
def named_tokens(text: str) -> tuple[Token, ...]:
    """The morphemes, with the names that are in the text told to the analyser."""
    given: list[tuple[int, int, str]] = []
    for start, end in name_spans(text):
        given.append((start, end, "NNP"))
        if _consonant(text[end - 1]) and (little := _LITTLE.match(text, end) or OF_NAME.match(text, end)):
            given.append((*little.span(), "XSN"))
        # What follows a name is a copula, which the analyser would rather see as a particle and a prefix ("지은이고 플로리스트").
        if copula := _AND.match(text, end):
            given += [(*copula.span(1), "VCP")] if copula[1] else []
            given.append((*copula.span(2), "EC"))
    taken = {at for start, end, _ in given for at in range(start, end)}
    for match in _TOWN.finditer(text):
        if match.start() not in taken:
            given.append((*match.span(), "NNP"))
            taken.update(range(*match.span()))
    for match in _JOB_AND.finditer(text):
        if "직업" in kinds_of(match[1]) and match.start() not in taken:
            given += [(*match.span(1), "NNG"), (*match.span(2), "EC")]
    if not given:
        return tokens(text)
    return tuple(analyser().tokenize(text, normalize_coda=True, pretokenized=sorted(given)))


_LITTLE: Final = re.compile(r"이(?=(?:는|가|도|랑|네|를|한테|의|만|씨)(?:[\s,.!?]|$)|네(?:는|가)?\s)")
_AND: Final = re.compile(r"(이)?(고)(?=요?[\s,.]|$)")
# Towns whose names are other words too ("진해 사셔": thick).
_TOWN: Final = re.compile(rf"(?<![가-힣])(?:{'|'.join(sorted(PLACES))})(?=\s*(?:에서|에|으로|로|살|사[시셔는세십]|산다|거주))")
# "승현이 부모님": whose they are, and no subject.
OF_NAME: Final = re.compile(rf"이(?=\s(?:{'|'.join(sorted((k for k in KIN if len(k) > 1), key=len, reverse=True))}))")
# "미용사고" is a hairdresser and no accident.
_JOB_AND: Final = re.compile(r"(?<![가-힣])([가-힣]{2,6})(고)(?=요?[\s,.]|$)")


def _consonant(syllable: str) -> bool:
    return "가" <= syllable <= "힣" and (ord(syllable) - 0xAC00) % 28 > 0
