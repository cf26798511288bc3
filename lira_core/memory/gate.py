# ruff: noqa: E501 (tables and patterns read better in wide rows)
"""The gate: whether an utterance is worth keeping, and why.

The order of reasons: an explicit request first (the person decides), then a feeling, then a fact. The order only names the reason;
whether it is kept does not depend on it. What is never kept: a pure recall question, whatever it feels like, and `neutral` alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lira_core.memory.asking import ASKS
from lira_core.memory.question import Question
from lira_core.types import USER, Decision, EmotionReading, Fact, SpeechReading

KEEP: Final = 0.3
"""The calibrated probability that an utterance is worth keeping from which on it is kept. What is not kept is lost, and one memory too many costs
little: of people left out of training .96 of what is worth it is kept here, and .92 of what is kept is worth it (at .5: .95 and .94; at .2: .97, .90)."""
KEEP_FELT: Final = 0.2
"""The same where a real feeling is strong: what moved somebody is kept unless it is plainly said in passing."""

GIVEN_AWAY: Final = 0.5

_GIVE: Final = r"(?:줘|주라|주세|주시|주십|줄래|줄\s*수|줄\s*거|주렴|주길|주면|줬으면|둬|두라|두세|두자|두렴|두길|놔|놓아|놔줘|다오|달라)"
_KOREAN: Final = re.compile(
    rf"""
    (?:기억|저장|메모|기록|입력|명심|암기|필기)\s*(?:을|를|좀|꼭|도|에)?\s*(?:좀\s*|꼭\s*)?해\s*{_GIVE}
  | (?:기억|명심)\s*하고\s*(?:좀\s*)?있어\s*{_GIVE}
  | (?:꼭|반드시|잘|좀|이거|이건|이것|그거|내\s*말)\s*(?:꼭\s*)?(?:기억|저장|메모|명심)\s*해(?:라|요)?\s*(?:[.!~]|$)
  | (?:[.!,]|[다어아야지요해]\s)\s*(?:꼭\s*)?(?:기억|저장|메모|명심)\s*해(?:라|요)?\s*[.!~ㅋㅎ]*\s*$
  | (?:기억|저장|메모|명심)\s*(?:해라|하세요|하십시오|하도록|하렴|해야\s*(?:돼|해|된다|합니다|해요|돼요))(?!\s*\?)
  | (?:기억|염두)\s*에\s*(?:새겨|남겨|담아|넣어|둬|두)\s*{_GIVE}?
  | 잊(?:지|으면|어버리지|어먹지)\s*(?:는\s*|도\s*)?(?:마|말|않[게도아]|안\s*(?:돼|되)|좀\s*마)
  | 까먹(?:지|으면)\s*(?:는\s*)?(?:마|말|않[게도아]|안\s*(?:돼|되))
  | 적어\s*(?:좀\s*)?{_GIVE} | 알아\s*(?:둬|두세|둬라|두라|두렴)(?!\S*야)
  | 외워\s*{_GIVE} | 새겨\s*(?:둬|들어) | 남겨\s*(?:줘|둬|주세)
  | ^\s*\[?\s*(?:임시\s*)?(?:메모|기록|노트)\s*\]?\s*[:：] | (?:나중에|이따|다음에)\s*(?:다시\s*)?(?:물어볼|말해\s*달라|알려\s*달라|상기)
  | 리마인드\s*해 | 상기시켜\s*(?:줘|주)
    """,
    re.X,
)
_ENGLISH: Final = re.compile(
    r"(?:^|[.!,;]\s*|\bplease\s+|\bcan you\s+|\bcould you\s+|\bi (?:want|need) you to\s+|\band\s+)(?:remember|memorize|note|save|keep in mind|make a note|take note|write down|jot down|store|bear in mind)"
    r"(?:\s+(?:that|this|it|down|of|my|i|to|the|me)\b|\s*[:,.!]|\s*$)|\b(?:don't|do not|never|don’t)\s+forget\b|\bkeep (?:this|that|it) in mind\b|\bremember this\b|^\s*(?:memo|note)\s*:",
    re.I,
)
_NOT_A_REQUEST: Final = re.compile(
    r"(?:기억|저장|메모|기록)\s*해\s*(?:줘서|줘도|준|줬(?!으면)|주니|주고|줘야|둔|놨|놓았|둬서|주셔서|주던|주는|줄\s*수\s*있는\s*(?:앱|기능)|주지)|(?:기억|저장|메모)\s*해\s*(?:놨|뒀|둔)|잊지\s*(?:못|않았|않고|않을)"
)
_NOT_ENGLISH: Final = re.compile(
    r"\b(?:don't|do|can't|cannot|didn't|couldn't|i|you) (?:remember|recall)\b(?!.*\bplease remember\b)|\bremember (?:when|what|where|who|how|my \w+\?)|i (?:always |often |sometimes )?(?:forgot|forget)",
    re.I,
)
# "기억하니?", "do you remember?": asks for what was told, and requests nothing.
_PURE: Final = re.compile(r"^[^.!,:]{0,12}기억\S*\s*\?\s*$")
# Of a question these only say that something is asked.
_ASKING_LABELS: Final = frozenset({"curiosity", "confusion", "realization", "surprise"})


def requested(text: str) -> bool:
    """Whether the person asks to keep this ("기억해줘", "잊지 마", "remember that ..."); "저장 버튼이 안 눌려" and "기억나?" do not."""
    if _NOT_A_REQUEST.search(text):
        return bool(_KOREAN.search(_NOT_A_REQUEST.sub(" ", text)))
    if _KOREAN.search(text):
        return True
    return (
        bool(_ENGLISH.search(text))
        and not (_NOT_ENGLISH.search(text) and not re.search(r"forget\b|remember (?:that|this)", text, re.I))
        and not re.search(r"\bi (?:don't|do not|never) forget\b|\?\s*$", text, re.I)
    )


_UNWANTED: Final = re.compile(
    r"(?:얘기|이야기|말|거|것|건|기억|내용)(?:은|는|을|를|도|만)?\s*(?:(?:좀|다|싹|전부|제발|그냥)\s*)*(?:잊어|지워|지우|삭제해?)(?:버려)?\s?(?:줘라?|주라|주세요|주십시오|주시오"
    r"|주이소|라고?|시오|세요)?요?[\s.~!ㅋㅎㅠㅜ]*$"
    r"|^\W*(?:(?:oh|ok|okay|actually|no|wait|sorry|and|please|pls|plz)\W+)*(?:(?:can|could|would|will) (?:you|u) )?(?:please |pls |plz )?"
    r"(?:forget|delete|erase|remove) (?:(?:about )?(?:what|that|everything) i\b|i (?!t\b)\w+ |about (?:the|my)\b|(?:that|the) last (?:thing|bit|part)\b"
    r"|(?:the|my|that)\b.{1,40}\b(?:i \w+|thing|bit|part|stuff|story)\b)",
    re.I,
)


def unwanted(text: str) -> bool:
    """Whether the person orders something that was told to be forgotten, in so many words ("팀장 얘기 지우라고", "please forget about the meeting")."""
    return bool(_UNWANTED.search(text))


def only_asks(speech: SpeechReading | None) -> bool:
    """Whether an utterance asks and is not worth keeping for what it gives away."""
    return speech is not None and speech.asks_memory + speech.asks_other >= ASKS and speech.keep < KEEP


def decide(
    text: str,
    emotion: EmotionReading | None,
    facts: Sequence[Fact],
    question: Question | None,
    speech: SpeechReading | None,
    *,
    threshold: float,
) -> Decision:
    """Keep or skip, with the reason.

    `threshold`: the least score of a feeling that is worth keeping. `emotion` None (the analyser was missed) leaves request and fact;
    `speech` None (the encoder was missed) leaves what the person asked to keep, strong feelings and what the rules read a fact in.
    """
    if requested(text) and not (question is not None and question.about_memory and not facts and re.search(r"\?\s*$", text) and _PURE.search(text)):
        return Decision(True, "trigger")
    felt = _strong(emotion, question, threshold)
    keep = speech.keep if speech else float(bool(facts) or (felt and question is None))
    if felt and keep >= KEEP_FELT:
        return Decision(True, "emotion")
    # A question is kept for what it gives away ("나 땅콩 알레르기 있는 거 잊지 않았지?") where that is likelier than not.
    asks = (
        speech is not None and speech.status == "question" and not facts and keep < GIVEN_AWAY and max(speech.asks_memory, speech.asks_other) >= ASKS
    )
    # By which name somebody wants to be called is not lost, however it is said.
    named = any((fact.subject, fact.predicate) == (USER, "name") for fact in facts)
    return Decision(True, "fact") if (keep >= KEEP or named) and not asks else Decision(False, "none")


def _strong(emotion: EmotionReading | None, question: Question | None, threshold: float) -> bool:
    if emotion is None:
        return False
    feelings = [e for e in emotion.top if e.label != "neutral" and not (question is not None and e.label in _ASKING_LABELS)]
    return any(e.score >= threshold for e in feelings)
