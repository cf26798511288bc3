# ruff: noqa: SIM905 (word tables read better in wide rows)
"""Names and numbers of a Korean text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kiwipiepy import Token

from lira_core.generation.claims import Claims, Name, Number
from lira_core.languages.ko.morphemes import tokens
from lira_core.languages.ko.names import full_name, name_spans

_ONES: Final = "영|공 일|하나|한 이|둘|두 삼|셋|세|석 사|넷|네|넉 오|다섯|닷 육|여섯|륙 칠|일곱 팔|여덟 구|아홉".split()
_TENS: Final = "열 스물|스무 서른 마흔 쉰 예순 일흔 여든 아흔".split()
_VALUES: Final = {word: value for value, words in enumerate(_ONES) for word in words.split("|")} | {
    word: 10 * ten for ten, words in enumerate(_TENS, 1) for word in words.split("|")
}
_SMALL: Final = {"십": 10, "백": 100, "천": 1_000}
_LARGE: Final = {"만": 10**4, "억": 10**8, "조": 10**12}
_PART: Final = re.compile("|".join([r"\d[\d,]*(?:\.\d+)?", *sorted([*_VALUES, *_SMALL, *_LARGE], key=len, reverse=True)]))
_SAME: Final = {
    "세": "살", "키로": "kg", "킬로": "kg", "킬로그램": "kg", "킬로미터": "km", "센티": "cm", "센티미터": "cm", "미터": "m", "그램": "g",
    "퍼센트": "%", "프로": "%", "사람": "명", "달": "개월", "차례": "번", "회": "번", "주일": "주", "년": "해",
}  # fmt: skip
_IDLE: Final = frozenset("번 번째 가지 분 마디 걸음 쪽 편 마음".split())
"""Units of manners of speaking, with a small number in words: "두 분", "한 번", "세 가지"."""
_IDLE_MOST: Final = 3
# What a place or a person is called with or without ("제주도", "지은님").
_TAIL: Final = re.compile(r"(?<=..)(?:특별시|광역시|도|시|군|구|동|님|씨)$")
_HONOURED: Final = frozenset({"님", "씨"})


def numbers(text: str) -> tuple[Number, ...]:
    """Every number, in digits or words, with what it counts."""
    found = tokens(text)
    out: list[Number] = []
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and _numeral(found[end]) and (end == at or _goes_on(text, found[end - 1], found[end])):
            end += 1
        if end > at:
            out += _number(text, found, at, end)
        at = max(end, at + 1)
    return tuple(out)


def names(text: str) -> tuple[Name, ...]:
    """Every proper noun, foreign word, telephone number or address, and whatever is called 님, 씨 or "…라는"; the longest where they overlap.

    One syllable is no name to look for: it stands in every text.
    """
    found: list[Name] = []
    for start, end in sorted({*name_spans(text), *_proper(text, tokens(text))}, key=lambda s: (s[0], -s[1])):
        word = text[start:end]
        if (not found or start >= found[-1].end) and (len(word) > 1 or word.isascii()):
            found.append(Name(start, end, tuple(dict.fromkeys((word, _TAIL.sub("", word))))))
    return tuple(found)


CLAIMS: Final = Claims(numbers, names)


def _end(token: Token) -> int:
    return int(token.start + token.len)


def _numeral(token: Token) -> bool:
    if token.tag == "SN":
        return True
    # "이" and "그" are determiners like "두", and no numbers.
    return token.tag in {"NR", "MM"} and token.form != "이" and not token.form.endswith("째") and _spelled(token.form)


def _goes_on(text: str, one: Token, next_one: Token) -> bool:
    """ "1억 2천만" is one number, "109 119" are two."""
    return not text[_end(one) : next_one.start].strip() and not one.tag == next_one.tag == "SN"


def _spelled(form: str) -> bool:
    return "".join(_PART.findall(form)) == form


def _number(text: str, found: Sequence[Token], first: int, after: int) -> Iterator[Number]:
    start, end = found[first].start, _end(found[after - 1])
    value = value_of(text[start:end])
    if value is None:
        return
    unit = None
    if after < len(found) and len(text[end : found[after].start]) <= 1 and found[after].tag in {"NNB", "NNG", "SL", "SW"}:
        form = found[after].form.lower()
        unit, end = _SAME.get(form, form), _end(found[after])
    in_words = not any(c.isdigit() for c in text[start:end])
    idle = in_words and (value == 1 or (value <= _IDLE_MOST and unit in _IDLE))
    yield Number(start, end, value, unit, idle)


def value_of(words: str) -> float | None:
    """What "5만", "백이십만", "스물아홉" or "1,200" is; None for what is no one number ("두세")."""
    total = section = number = 0.0
    for part in _PART.findall(words):
        if part in _SMALL:
            section, number = section + (number or 1) * _SMALL[part], 0.0
        elif part in _LARGE:
            total, section, number = total + (section + number or 1) * _LARGE[part], 0.0, 0.0
        elif number % 10:
            return None
        else:
            number += _VALUES[part] if part in _VALUES else float(part.replace(",", ""))
    return total + section + number


def _proper(text: str, found: Sequence[Token]) -> Iterator[tuple[int, int]]:
    for i, token in enumerate(found):
        before = found[i - 1] if i else None
        after = found[i + 1] if i + 1 < len(found) else None
        counts = before is not None and before.tag == "SN" and _end(before) == token.start
        if (token.tag == "NNP" and token.len > 1) or (token.tag == "SL" and not counts) or token.tag in {"W_SERIAL", "W_URL", "W_EMAIL", "W_HASHTAG"}:
            yield token.start, _end(token)
        if before is None or before.tag not in {"NNG", "NNP", "SL", "XR"}:
            continue
        if token.form in _HONOURED and token.tag in {"XSN", "NNB"}:
            start = _word_start(text, before.start)
            # "고객님" is nobody's name.
            if before.tag != "NNG" or full_name(text[start : _end(before)]):
                yield start, _end(before)
        if token.tag == "VCP" and after is not None and after.form in {"라는", "라고"} and after.tag == "ETM":
            yield _word_start(text, before.start), _end(before)


def _word_start(text: str, at: int) -> int:
    return max(text.rfind(c, 0, at) for c in " \n\"'") + 1
