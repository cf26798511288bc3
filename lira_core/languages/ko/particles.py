"""Particles and the copula after any word, whatever script it ends in: Kiwi picks the allomorph by the sound of the last syllable."""

from __future__ import annotations

import re

from lira_core.languages.ko.morphemes import join
from lira_core.languages.ko.speech import KIN
from lira_core.recent import recent

Morpheme = tuple[str, str]

_QUOTES = re.compile(r"[다라냐자]고$")

# A final consonant decides an allomorph; what stands for it in a digit or a Latin letter is how Koreans read it.
_DIGITS = "영일이삼사오육칠팔구"
_UNITS = {"kg": "램", "mg": "램", "g": "램", "cm": "터", "mm": "터", "km": "터", "m": "터", "ml": "터", "l": "터", "%": "트", "℃": "도"}
_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", "이비시디이프지치이이이엘엠엔오피큐알스티유이유스이트", strict=True))
_CLOSED_ENDINGS = {"ng": "응", "ck": "악", "le": "을", "ne": "은", "me": "음", "l": "을", "m": "음", "n": "은", "k": "악", "p": "압"}


def _sound(word: str) -> str:
    """A Hangul syllable that ends as the word is read: "A" -> 이, "Kim" -> 음, "3" -> 삼."""
    unit = re.search(r"\d\s*(kg|mg|g|cm|mm|km|m|ml|l|%|℃)$", word.lower())
    if unit:
        return _UNITS[unit.group(1)]
    last = next((c for c in reversed(word) if c.isalnum()), "이")
    if "가" <= last <= "힣":
        return last
    if last.isdigit() and last.isascii():
        return _DIGITS[int(last)]
    lower = last.lower()
    if lower not in _LETTERS:
        return "이"
    if last.isupper():
        return _LETTERS[lower]
    tail = word.lower()
    return next((s for ending, s in _CLOSED_ENDINGS.items() if tail.endswith(ending)), "이")


@recent
def attach(word: str, *morphemes: Morpheme) -> str:
    """The word with particles or a copula after it, in the right allomorph whatever script it ends in.

    attach("Kim", ("을", "JKO")) -> "Kim을"; attach("A", ("이", "VCP"), ("라고", "EC")) -> "A라고".
    """
    if not word:
        return word
    sound = _sound(word)
    joined = join([(sound, "NNG"), *morphemes])
    if joined.startswith(sound):
        return word + joined[len(sound) :]
    return word[:-1] + joined if word.endswith(sound) else word + joined[1:]


def topic(word: str) -> str:
    """With 은/는."""
    return attach(word, ("은", "JX"))


def is_(word: str) -> str:
    """Polite copula: "A예요", "민수님이에요"."""
    return attach(word, ("이", "VCP"), ("에요" if closed(word) else "예요", "EF"))


def called(word: str) -> str:
    """Quoting copula: "B라고", "초콜릿이라고"; what quotes already ("간다고") stays."""
    if _QUOTES.search(word):
        return word
    return attach(word, ("이", "VCP"), ("라고", "EC"))


def closed(word: str) -> bool:
    """Whether the word is read with a final consonant."""
    return (ord(_sound(word)) - 0xAC00) % 28 > 0


def honoured(name: str) -> str:
    """A person's name with 님; kinship words ("엄마", "친구") and titles stay as they are."""
    last = name.split()[-1] if name.split() else name
    return name if last in KIN or name.endswith(("님", "씨", "분", "들")) else f"{name}님"
