# ruff: noqa: E501, SIM905 (word lists read better in wide rows)
"""Korean morphemes by kiwipiepy, and the terms by which a text is found again.

One analyser per process: it takes 1 to 2 s and about 240 MB to load (measured with kiwipiepy 0.24.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

from kiwipiepy import Kiwi, PretokenizedToken, Token

from lira_core.languages.en.terms import terms as english_terms
from lira_core.recent import recent

# Sejong tags whose forms carry the topic: nouns, verb and adjective stems, roots, foreign words, numbers.
CONTENT_TAGS = frozenset({"NNG", "NNP", "VV", "VA", "XR", "SL", "SH", "SN", "VV-I", "VV-R", "VA-I", "VA-R"})
# Stems and nouns that nearly every utterance has; matching on them would match everything.
STOP_TERMS = frozenset(
    "있 없 하 되 이 것 거 수 때 말 뭐 무엇 어디 언제 누구 왜 어떻 나 저 내 제 너 우리 저희 좀 더 안 못 오늘 같 알 모르 기억 저장 보 주 가지 그렇 이렇 어떠 "
    "말씀 얘기 이야기 생각 정도 지금".split()
)


# Words that Kiwi's dictionary lacks or takes apart ("아내" as "아" and "나의").
_WORDS = (
    *(
        (word, "NNG")
        for word in (
            "아내 약사 코숏 루이보스차 비건 남친 여친 알러지 자취방 취준생 말티푸 댕댕이 강쥐 홈트 인스타 방탈출 마라탕 탄산수 필라테스 클라이밍 소개팅 집들이 룸메 "
            "화욜 월욜 수욜 목욜 금욜 토욜 일욜 돈까스 출산휴가 태명 임당 유당불내증 민초 컴공 붕어빵 넷플 유튜브 카톡"
        ).split()
    ),
    ("접질리", "VV"),
)


@lru_cache(maxsize=1)
def analyser() -> Kiwi:
    """The process's one Kiwi, without its optional dictionaries: typos and words of several parts cost 200 MB, titles and names of an encyclopedia 75 MB
    and 1 s of the start, and bought nothing (`docs/quality.md`); the names that many know are in its model."""
    kiwi = Kiwi(num_workers=1, load_typo_dict=False, load_multi_dict=False, load_default_dict=False)
    for form, tag in _WORDS:
        kiwi.add_user_word(form, tag, 3.0)
    return kiwi


Known = tuple[int, int, str | list[PretokenizedToken]]
"""(start, end, tag or morphemes) of a part of a text that the analyser need not guess."""
_GOES: Final = re.compile(r"(?<=[가-힣]\s)가(?=[\s.!~ㅋㅎㅠ]*$)")
_GO: Final = (("가", "VV"), ("어", "EF"))
_PREDICATES: Final = frozenset({"VV", "VA", "VX", "VCP", "VCN", "VV-I", "VV-R", "VA-I", "VA-R", "XSV", "XSA", "EF", "EC"})


def analysed(text: str, known: Sequence[Known] = ()) -> tuple[Token, ...]:
    """The morphemes of a text, of which `known` are told to the analyser.

    A particle is never written apart: what stands alone at the end is the verb ("내일 치과 가"), which the analyser takes for one after a vowel.
    Nor is somebody called where something is told of a subject and nothing else says what ("내 이름은 민수야").
    """
    goes = [(m.start(), m.end(), [PretokenizedToken(form, tag, 0, 1) for form, tag in _GO]) for m in _GOES.finditer(text)]
    found = _analysed(text, [*known, *goes])
    are = [(one.start, one.end, [PretokenizedToken("이", "VCP", 0, 0), PretokenizedToken("야", "EF", 0, 1)]) for one in _told_as_called(found)]
    return _analysed(text, [*known, *goes, *are]) if are else found


def _analysed(text: str, known: list[Known]) -> tuple[Token, ...]:
    return tuple(analyser().tokenize(text, normalize_coda=True, pretokenized=sorted(known, key=lambda one: one[:2])))


def _told_as_called(found: Sequence[Token]) -> list[Token]:
    """Each "야" that was taken for a call and ends a sentence with a subject and without a predicate."""
    out = []
    for _, sentence in groupby(found, lambda token: token.sent_position):
        words = [token for token in sentence if token.tag[0] != "S" or token.tag in {"SL", "SN"}]
        before = {token.tag for token in words[:-1]}
        if words and (words[-1].form, words[-1].tag) == ("야", "JKV") and before & {"JX", "JKS"} and not before & _PREDICATES:
            out.append(words[-1])
    return out


@recent
def _tokens(text: str) -> tuple[Token, ...]:
    return analysed(text)


def tokens(text: str) -> tuple[Token, ...]:
    """The morphemes of a text (form, tag, start, len). A turn asks for the same text several times: it is remembered for some seconds."""
    return _tokens(text)


def join(morphemes: Iterable[tuple[str, str]]) -> str:
    """(form, tag) pairs to a sentence; Kiwi picks allomorphs ("을/를", "었/았") and spacing."""
    return str(analyser().join(list(morphemes)))


def terms(text: str) -> list[str]:
    """The content morphemes by which a text is found, with repeats: noun and stem forms, lower-cased.

    A run of nouns also gives the compound ("혈액" + "형" gives "혈액형" too) because writers space compounds freely.
    """
    out: list[str] = []
    run: list[str] = []
    end = -1
    for token in tokens(text):
        noun = token.tag in {"NNG", "NNP", "SL", "XR"} or (token.tag in {"XSN", "XPN"} and bool(run or token.tag == "XPN"))
        if token.tag in CONTENT_TAGS and token.form not in STOP_TERMS:
            form = token.form.lower()
            out.extend(english_terms(form) if token.tag == "SL" else [form])
        if noun and token.start == end:
            run.append(token.form)
        else:
            out.extend(_compound(run))
            run = [token.form] if noun else []
        end = token.start + token.len if noun else -1
    out.extend(_compound(run))
    return out


def _compound(run: Sequence[str]) -> list[str]:
    return ["".join(run).lower()] if len(run) > 1 else []
