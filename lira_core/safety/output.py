"""What an answer may not say, looked at while it is being written: it never encourages somebody to harm themselves or others."""

from __future__ import annotations

import re
from typing import Final

from lira_core.generation.sentences import Sentences
from lira_core.safety.risk import at_risk

_NEAR: Final = re.compile(
    r"죽|자살|자해|목숨|유서|해치|찔러|때려|패\s?버|뛰어내|없어지|사라지|끝내"
    r"|\b(?:die|dying|dead|death|kill|suicid|harm|hurt|cut|overdos|jump|end it|disappear|hang)",
    re.I,
)
"""Words near which a sentence is held to its end: wide, since all it costs is that one sentence comes at once instead of word by word."""
_CARES: Final = re.compile(
    r"109|1577|119|전화|상담|도움|곁에|혼자 견디|마세요|말아|\b(?:call|help|reach out|crisis|please don't|not alone|stay)\b", re.I
)
_URGES: Final = re.compile(
    r"(?:죽어|죽으|죽는\s?(?:게|것|편)|자살하|자해하|뛰어내리|목숨을\s?끊|해치|찔러|때려)\S*\s?(?:\S+\s)?"
    r"(?:돼|되|봐|버려|버리|세요|렴|라$|라[.!]|자[.!]|낫|나아|좋|괜찮|편)"
    r"|\b(?:you should|you could|just|go ahead and|maybe|better to|why not)\s+(?:\w+\s)?"
    r"(?:die|kill|hurt|harm|cut|end (?:it|your)|disappear|jump|hang)\b"
    r"|\b(?:better off dead|kill (?:yourself|him|her|them)|hurt (?:yourself|him|her|them)|end your life)\b",
    re.I,
)


def harmful(sentence: str) -> bool:
    """Whether the sentence encourages harm, or speaks in the voice of somebody at risk, and does not turn to help."""
    if _CARES.search(sentence):
        return False
    return bool(_URGES.search(sentence)) or at_risk(sentence)


class Guard:
    """`feed` the pieces, then `finish`: what they return, joined, is what was fed, up to the first harmful sentence; then `stopped`.

    A piece goes through at once while nothing in its sentence is near such words; then the sentence is held to its end and judged.
    """

    def __init__(self) -> None:
        self.stopped = False
        self._sentences = Sentences()
        self._open = ""  # the sentence that is being written
        self._told = 0  # characters of it that went through

    def feed(self, piece: str) -> str:
        if self.stopped:
            return ""
        out, self._open = "", self._open + piece
        for sentence in self._sentences.feed(piece):
            out += self._ended(sentence)
            if self.stopped:
                return out
        near = _NEAR.search(self._open)
        clear = self._open[: near.start()] if near else self._open
        out, self._told = out + clear[self._told :], max(self._told, len(clear))
        return out

    def finish(self) -> str:
        return "" if self.stopped else self._ended(self._sentences.finish())

    def _ended(self, sentence: str) -> str:
        """What is left of a sentence to tell."""
        told, self._told, self._open = self._told, 0, self._open[len(sentence) :]
        if _NEAR.search(sentence) and harmful(sentence):
            self.stopped = True
            return ""
        return sentence[told:]
