"""The morphemes of a text in which names are: the analyser is told of them, since it takes apart those that it does not know."""

from __future__ import annotations

import re
from typing import Final

from kiwipiepy import Token

from lira_core.languages.ko.morphemes import Known, analysed, tokens
from lira_core.languages.ko.names import name_spans
from lira_core.languages.people import KIN
from lira_core.recent import recent


@recent
def named_tokens(text: str) -> tuple[Token, ...]:
    """The morphemes, with the names that are in the text told to the analyser."""
    given: list[Known] = []
    for start, end in name_spans(text):
        given.append((start, end, "NNP"))
        if _consonant(text[end - 1]) and (little := _LITTLE.match(text, end) or OF_NAME.match(text, end)):
            given.append((*little.span(), "XSN"))
        # What follows a name is a copula, which the analyser would rather see as a particle and a prefix ("지은이고 플로리스트").
        if copula := _AND.match(text, end):
            given += [(*copula.span(1), "VCP")] if copula[1] else []
            given.append((*copula.span(2), "EC"))
    if not given:
        return tokens(text)
    return analysed(text, given)


_LITTLE: Final = re.compile(r"이(?=(?:는|가|도|랑|네|를|한테|의|만|씨)(?:[\s,.!?]|$)|네(?:는|가)?\s)")
_AND: Final = re.compile(r"(이)?(고)(?=요?[\s,.]|$)")
# "승현이 부모님": whose they are, and no subject.
OF_NAME: Final = re.compile(rf"이(?=\s(?:{'|'.join(sorted((k for k in KIN if len(k) > 1), key=len, reverse=True))}))")


def _consonant(syllable: str) -> bool:
    return "가" <= syllable <= "힣" and (ord(syllable) - 0xAC00) % 28 > 0
