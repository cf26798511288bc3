"""What an utterance leaves to what was said before it: "누구랑?" after "토요일에 뭐 하기로 했지?" is asked in full.

Whether it does is told by a learnt head (`Heard.follows`). What is put before it are the person's own words, back to those that stand alone; the
reader and the comparison learnt from questions put together so (`data/talks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FOLLOWS: Final = 0.5
"""Where the head's 0.5 lies was chosen at questions of people who ask out of the blue (`models/lira-encoder/safety.json`)."""
BACK: Final = 3
"""So many of the person's last utterances of the session are looked at. In `data/talks` nobody asks more than four times on end of one thing."""
LONGEST: Final = 80
"""Of a longer utterance its end is put before (characters): the models learnt from questions of at most 62 pieces, some 130 characters, and what is
asked stands last."""
_ENDS: Final = ".?!…。？！~"


def in_full(before: Sequence[str], follows: Sequence[bool], text: str) -> str | None:
    """`text` after what it wants of `before`, the person's utterances in order: back to the last that follows none. None where there is none.

    `follows`: of each of `before`, whether it wants what was said before it.
    """
    if not before:
        return None
    start = next((i for i in reversed(range(len(before))) if not follows[i]), 0)
    return " ".join([*(_ended(one) for one in before[start:]), text])


def _ended(text: str) -> str:
    """The end of what was said, as a sentence that ends: the next would be read as one with it."""
    text = text.strip()
    if len(text) > LONGEST:
        text = text[-LONGEST:].partition(" ")[2] or text[-LONGEST:]
    return text if text.endswith(tuple(_ENDS)) else f"{text}."
