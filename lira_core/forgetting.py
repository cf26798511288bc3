"""Forgetting because it is said in talk: LIRA names what it would delete, and deletes that at a plain yes.

What a wish means is guessed, so nothing is deleted by the wish alone. What was offered stands in the session and in the offer's own event, nowhere
else: the yes is understood by any replica, and once only, since the offer is deleted with what it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from lira_core.generation.grounded import unquoted
from lira_core.language import Language
from lira_core.languages.en import replies as en
from lira_core.languages.ko import replies as ko
from lira_core.memory.recall import Cue, Found, Recall, meant
from lira_core.parts import Parts
from lira_core.recent import forget_all
from lira_core.safety.wording import WORDING
from lira_core.stores import Unfinished
from lira_core.stores.ports import Record
from lira_core.types import Message, RecalledMemory, Session
from lira_core.utterance import Utterance

Erased = Literal["no", "now", "soon"]
"""Whether this turn deletes what the turn before offered to: `soon` where a store is away and the deletion waits for it."""

LONGEST: Final = 40
"""A yes is no longer (characters)."""
# A yes and nothing else: what deletes for good has to be said so that it cannot be meant of something else. No model decides this.
_YES: Final[dict[Language, re.Pattern[str]]] = {
    "ko": re.compile(
        r"(?:(?:응|웅|어|네|넵|넹|예|그래|그러자|좋아|맞아|ㅇㅇ|ㅇㅋ|오케이|부탁해|그렇게\s?해|(?:싹\s?|다\s?|꼭\s?)?(?:지워|잊어|삭제해))"
        r"(?:\s?(?:줘|주라|줄래|주세요|주십시오|버려))?요?[\s,.!~ㅋㅎㅠㅜ]*)+"
    ),
    "en": re.compile(
        r"(?:(?:yes|yeah|yep|yup|ya|sure|okay|ok|please|do it|go ahead|do|(?:delete|erase|forget|remove) (?:it|that|this|them|those)(?: all)?)"
        r"[\s,.!]*)+",
        re.I,
    ),
}


def agrees(text: str) -> bool:
    """Whether an utterance is a yes and nothing else, in either language."""
    return len(text) <= LONGEST and any(pattern.fullmatch(text.strip()) for pattern in _YES.values())


async def wished(recall: Recall, said: Utterance, cue: Cue, found: Sequence[Found], history: Sequence[Message]) -> tuple[RecalledMemory, ...]:
    """The memories that a wish to forget may mean: those that hold most of its words, else the last that was kept of what was said here.

    Raises what the stores raise."""
    by_words = [memory_id for one in found if one.path == "fact" for memory_id in one.words]
    memories = meant(cue, found, await recall.bodies(said.user_id, by_words, found))
    if not memories:
        here = [m.turn_id for m in history if m.role == "user" and m.turn_id]
        memories = (await recall.bodies(said.user_id, here[::-1]))[:1] if here else []
    return tuple(RecalledMemory(memory, (), 0.0) for memory in memories)


async def erased(parts: Parts, said: Utterance, session: Session) -> Erased:
    """Deletes what LIRA has just offered to, to who agrees (`agrees`), as anything is deleted: for good, with what rests on it.

    Raises StoreUnavailable where a deletion is neither done nor noted: nobody is told then that it is."""
    done: Erased = "no"
    try:
        for memory_id in await _offered(parts.stores.record, said, session):
            try:
                await parts.ledger.delete_memory(said.user_id, memory_id)
                done = "now" if done == "no" else done
            except Unfinished:
                done = "soon"
    finally:
        if done != "no":
            forget_all()
    return done


async def _offered(record: Record, said: Utterance, session: Session) -> tuple[str, ...]:
    """The ids of what LIRA has just offered to delete."""
    last = session.messages[-1] if session.messages else None
    if last is None or last.role != "lira" or not last.turn_id:
        return ()
    language = next((language for language, say in WORDING.items() if last.content.endswith(say.offer)), None)
    if language is None:
        return ()
    scenes = await record.scenes(said.user_id, [f"{last.turn_id}:reply"], 0)
    quotes = [i for scene in scenes for i in scene.event.quotes]
    if not quotes:
        return ()
    at = scenes[0].event.timestamp
    retold = {m.id: unquoted(ko.short(m, at).words if language == "ko" else en.short(m, at)) for m in await record.get(said.user_id, quotes)}
    named = _named(retold.values(), last.content.removesuffix(WORDING[language].offer))
    return tuple(i for i, words in retold.items() if words in named)


def _named(retold: Iterable[str], offer: str) -> set[str]:
    """Which of these the offer names: it rests on them and, as any reply, on whatever shares a word with it, and only what it names was agreed to.

    The longest are looked for first and taken out of the offer: what merely stands within another's words is not named."""
    found = set()
    for words in sorted(retold, key=len, reverse=True):
        if words in offer:
            found.add(words)
            offer = offer.replace(words, "\n")
    return found
