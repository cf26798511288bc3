"""What an utterance leaves to what was said before it: "누구랑?" after "토요일에 뭐 하기로 했지?", "그거 취소됐어" after "내일 치과 가기로 했어".

Whether it does is told by a learnt head (`Heard.follows`). What is put before it are the person's own words, back to those that stand alone; the
reader and the comparison learnt from questions and statements put together so (`data/talks`, `data/told`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from lira_core.embedding.port import Heard
from lira_core.types import Before, Memory

FOLLOWS: Final = 0.5
"""Where the head's 0.5 lies was chosen at sessions left out of training (`models/lira-encoder/leaning.json`)."""
BACK: Final = 3
"""So many of the person's last utterances of the session are looked at, and put before at most. Of 988 lines of `data/lines` that lean on another
59 lean on the third before them; its authors were asked for none further."""
LONGEST: Final = 80
"""Of a longer utterance its end is put before (characters): the models learnt from questions of at most 62 pieces, some 130 characters, and what is
asked stands last."""
_ENDS: Final = ".?!…。？！~"


async def leant_on(said: Sequence[Before], hear: Callable[[str], Awaitable[Heard | None]]) -> list[Before]:
    """Of what the person `said` before what follows it, in order: the last, and what that follows, back to what stands alone. `hear` gives None for
    what could not be heard, which is taken for what stands alone."""
    before = list(said[-1:])
    while len(before) < min(BACK, len(said)):
        earlier = await hear(before[0].text)
        if earlier is None or earlier.follows < FOLLOWS:
            break
        before.insert(0, said[-1 - len(before)])
    return before


def in_full(earlier: Sequence[str], text: str) -> str:
    """`text` after what it leaves something to, the person's utterances in order."""
    return " ".join([*map(_ended, earlier), text])


def before(index: int, follows: Sequence[bool]) -> range:
    """Which of the utterances before that at `index` it is put after: none where it stands alone, else those back to the last that does.

    `follows`: of each utterance, in order, whether it wants what was said before it.
    """
    if not follows[index]:
        return range(0)
    earliest = max(0, index - BACK)
    return range(next((i for i in reversed(range(earliest, index)) if not follows[i]), earliest), index)


def whole(memory: Memory) -> str:
    """What a memory says, with what it leaves something to: as it is embedded, read and told."""
    return in_full([one.text for one in memory.before], memory.text)


def up_to(memory: Memory, place: int) -> Memory:
    """The memory as if nothing had been said after the line that holds the character at `place` of `whole(memory)`: where an earlier line answers,
    what leans on it, or was taken to, adds nothing."""
    end = 0
    for i, one in enumerate(memory.before):
        end += len(_ended(one.text)) + 1
        if place < end:
            return replace(memory, text=one.text, before=memory.before[:i])
    return memory


def leaned_on(memories: Iterable[Memory]) -> set[str]:
    """The ids of what these leave something to, and therefore say again."""
    return {one.turn_id for memory in memories for one in memory.before}


def _ended(text: str) -> str:
    """The end of what was said, as a sentence that ends: the next would be read as one with it."""
    text = text.strip()
    if len(text) > LONGEST:
        text = text[-LONGEST:].partition(" ")[2] or text[-LONGEST:]
    return text if text.endswith(tuple(_ENDS)) else f"{text}."
