"""Forgetting because it is said in talk: LIRA names what it would delete, and deletes that at a plain yes.

What a wish means is guessed, so nothing is deleted by the wish alone. What was offered stands in the session and in the offer's own event, nowhere
else: the yes is understood by any replica, and once only, since the offer is deleted with what it names.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from lira_core.generation.grounded import unquoted
from lira_core.language import Language
from lira_core.languages.en import replies as en
from lira_core.languages.ko import replies as ko
from lira_core.languages.ko.wordings import SMALL as KOREAN
from lira_core.memory.following import leaned_on
from lira_core.memory.question import Question
from lira_core.memory.recall import OFFERED, Cue, Found, meant, reading
from lira_core.parts import Parts
from lira_core.reading.port import ANY_OF_IT, OF_IT, WEIGHED
from lira_core.recent import forget_all
from lira_core.safety.wording import WORDING
from lira_core.stages import AWAY
from lira_core.stores import Unfinished
from lira_core.stores.ports import Record
from lira_core.types import Memory, Message, RecalledMemory, Session
from lira_core.utterance import Utterance

log = logging.getLogger(__name__)

Erased = Literal["no", "now", "soon"]
"""Whether this turn deletes what the turn before offered to: `soon` where a store is away and the deletion waits for it."""

LONGEST: Final = 40
"""A yes is no longer (characters)."""
# A yes and nothing else: what deletes for good has to be said so that it cannot be meant of something else. No model decides this.
_YES: Final[dict[Language, re.Pattern[str]]] = {
    "ko": re.compile(
        r"(?:(?:응|웅|어|네|넵|넹|예|잉|그래|그려|그랴|그라제|그러제|그러자|그럽시다|그러(?:시오|세요|십시오)|좋아|맞아|맞소|맞습니다|콜|ㅇㅇ|ㅇㅋ|오케이"
        r"|부탁해|부탁드려|부탁드립니다|그게\s?좋겠어|그렇게\s?해|(?:그렇게\s?)?하(?:시오|세요|십시오|소)|(?:그거|그것|이거)(?=\s)"
        r"|(?:싹\s?|다\s?|꼭\s?|얼른\s?)?(?:지워|잊어|삭제해|(?:지우|잊으|삭제하)(?=시오|세요|십시오|소|라)))"
        r"(?:\s?(?:줘라?|주라|줄래|주세요|주십시오|주시오|주시지요|주소|버려|시오|세요|십시오|소|라))?요?[\s,.!~ㅋㅎㅠㅜ]*)+"
    ),
    "en": re.compile(
        r"(?:(?:yes+|yeah|yep|yup|ya|sure|okay|ok|please|pls|plz|do it|do so|go ahead|go for it|do|correct|exactly|absolutely|definitely"
        r"|that's (?:it|right)|aye|yh|yea|go on(?: then)?|do that|sure thing|bin it|get rid of (?:it|that)|i'd be grateful"
        r"|(?:delete|erase|forget|remove)(?: (?:it|that|this|them|those))?(?: all)?)[\s,.!]*)+",
        re.I,
    ),
}
# A yes before an order to delete, whatever else it says, if nothing in it takes that back or goes further.
_YES_DELETE: Final = re.compile(
    r"(?:응|웅|어|네|넵|넹|예|잉|그래|그려|ㅇㅇ|yes|yeah|yep|sure|ok|okay)(?![가-힣a-z])[\s,.!]+(?!.*(?:말고|[웠었렸]|근데|아니|지\s?마|대신|도\s|까지|\?|n't\b"
    r"|\b(?:but|not|also|too|instead|except|and|(?:delet|eras|remov)ed|forgot)\b)).*(?:지워|지우|잊어|삭제|delete|forget|erase|remove)",
    re.I,
)
# What may stand beside a yes, and is none by itself.
_THANKS: Final = re.compile(r"(?:고마워|고맙습니다|감사해|감사합니다)요?|\band\b|\b(?:thanks|thank you|thx|ty)\b(?: so much| a lot)?", re.I)
# Right after an offer: that was not it, with what is meant instead ("no thanks" and "아니 됐어" name nothing).
_NO: Final = re.compile(
    r"\s*(?:no+|nope|nah|not)\b.*(?:\bthe (?:one|thing|part|bit)\b|\bthe \w+ (?:about|with|of)\b|\bi mean|\b(?:forget|delete|erase)\b)"
    r"|.*말고(?:요|는)?[\s,.]+[가-힣]|\s*(?:아니|아뇨|아냐|ㄴㄴ).*(?:얘기|이야기|말|거|것)(?:요|만요?|야|을|를|은|는|\s?지[워우][가-힣]*)?[\s.~!]*$",
    re.I,
)
# What was said last is meant, whatever else is named.
_JUST: Final = re.compile(r"방금|금방|지금\s?한|\bjust (?:now|said|told|mentioned)\b|\blast (?:thing|bit|part)\b|\bi said (?:that|it)\W*$", re.I)
# Which of it is meant, once LIRA has asked.
_MEANS: Final = re.compile(
    r"(?:얘기|이야기|말|거|것|건)(?:요|이요|예요|이에요|야|만요?|입니다|\s?말(?:이야|이에요|입니다|이여))*[\s.~!]*$"
    r"|\s*(?:the|about|that|what i|my)\b.{1,60}$",
    re.I,
)
_WISHING: Final = frozenset(
    [
        *(
            "지우",
            "지워지",
            "잊",
            "잊어버리",
            "삭제",
            "삭제하",
            "없애",
            "기억",
            "말",
            "말하",
            "말씀",
            "드리",
            "듣",
            "얘기",
            "이야기",
            "이야기하",
            "아까",
            "주",
        ),
        *("하", "pleas", "forget", "delet", "eras", "remov", "said", "say", "told", "tell", "thing", "stuff", "memori", "just", "mention", "want"),
    ]
)
"""Terms that a wish to forget is worded in; the others are of what it means."""


def agrees(text: str) -> bool:
    """Whether an utterance is a yes and nothing else but thanks, in either language."""
    said = _THANKS.sub(" ", text).strip(" ,.!~")
    plain = any(pattern.fullmatch(said) for pattern in _YES.values())
    return len(text) <= LONGEST and (plain or _YES_DELETE.match(said) is not None)


def still_wishes(text: str, messages: Sequence[Message]) -> bool:
    """Whether an utterance goes on with a wish to forget: it says that what LIRA offered was not it, and what is ("아니 그거 말고 애 가졌다는 거"),
    or which was meant, since LIRA has asked ("동생 돈 빌린 이야기 말입니다")."""
    last = messages[-1].content if messages and messages[-1].role == "lira" else ""
    offered = any(last.endswith(say.offer) for say in WORDING.values())
    asked = any(one in last for one in (*KOREAN["forget"], *en.SMALL["forget"]))
    return not agrees(text) and ((offered and _NO.match(text) is not None) or (asked and _MEANS.search(text) is not None))


async def wished(parts: Parts, said: Utterance, cue: Cue, found: Sequence[Found], session: Session) -> tuple[RecalledMemory, ...]:
    """The memories that a wish to forget may mean: those that hold most of its words, else those that the reader takes to be of it; where it names
    nothing the last that was kept of what was said here. Not what was just offered where that was not it ("no, not that, …").

    Raises what the stores raise."""
    recall, named = parts.recall, [term for term in cue.search_terms if term not in _WISHING]
    by_words = [memory_id for one in found if one.path == "fact" for memory_id in one.words]
    nearest = [memory_id for one in found if one.path == "semantic" for memory_id in one.ids]
    here = [m.turn_id for m in session.messages if m.role == "user" and m.turn_id][::-1]
    denied = await _offered(parts.stores.record, said, session) if _NO.match(said.text) else ()

    async def bodies(ids: Sequence[str]) -> list[Memory]:
        return await recall.bodies(said.user_id, [i for i in dict.fromkeys(ids) if i not in denied], found)

    if not named or _JUST.search(said.text):
        memories = (await bodies(here))[:1] if here else []
    elif not (memories := meant(named, found, await bodies(by_words))):
        memories = await _of_it(parts, said.text, named, found, await bodies(nearest[:WEIGHED]))
    return tuple(RecalledMemory(memory, (), 0.0) for memory in memories)


async def _of_it(parts: Parts, text: str, named: Sequence[str], found: Sequence[Found], memories: Sequence[Memory]) -> list[Memory]:
    """What the reader takes to be of what a wish names, the likeliest first; nothing while it is away."""
    question = Question(True, terms=tuple(named), listing=True)
    try:
        async with asyncio.timeout(parts.settings.reading_deadline_ms / 1000):
            read = await reading(parts.reader, question, text, memories, found) if memories else None
    except AWAY as error:
        log.warning("a wish to forget went on without the reader: %s", str(error) or type(error).__name__)
        return []
    likely = sorted(zip(read.sure, memories, strict=True), key=lambda one: -one[0]) if read else []
    return [memory for sure, memory in likely if sure >= OF_IT][:OFFERED] if likely and likely[0][0] >= ANY_OF_IT else []


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
    memories = await record.get(said.user_id, quotes)
    retold = {m.id: unquoted(ko.short(m, at).words if language == "ko" else en.short(m, at)) for m in memories}
    named = _named(retold.values(), last.content.removesuffix(WORDING[language].offer))
    offered = [i for i, words in retold.items() if words in named]
    # What one of them leans on was named with it, where it stands in the offer.
    again = leaned_on(m for m in memories if m.id in offered)
    return tuple(dict.fromkeys([*offered, *(m.id for m in memories if m.id in again and m.text.rstrip(" .!?~") in last.content)]))


def _named(retold: Iterable[str], offer: str) -> set[str]:
    """Which of these the offer names: it rests on them and, as any reply, on whatever shares a word with it, and only what it names was agreed to.

    The longest are looked for first and taken out of the offer: what merely stands within another's words is not named."""
    found = set()
    for words in sorted(retold, key=len, reverse=True):
        if words in offer:
            found.add(words)
            offer = offer.replace(words, "\n")
    return found
