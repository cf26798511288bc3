# ruff: noqa: E501 (tables and patterns read better in wide rows)
"""The gate: whether an utterance is worth keeping, and why.

The order of reasons: an explicit request first (the person decides), then a feeling, then a fact. The order only names the reason;
whether it is kept does not depend on it. What is never kept: a pure recall question, whatever it feels like, and `neutral` alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lira_core.korean.morphemes import terms
from lira_core.memory.personal import about_the_app, is_personal
from lira_core.memory.question import Question
from lira_core.types import Decision, EmotionReading, Fact

# Content morphemes with which a mild feeling is about something.
LEAST: Final = 3

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
_PURE: Final = re.compile(r"^[^.!,:]{0,12}기억\\S*\\s*\\?\\s*$")
# Of a question these only say that something is asked.
_ASKING_LABELS: Final = frozenset({"curiosity", "confusion", "realization", "surprise"})
# The model scores these high for a laugh, a thank-you or an "oh" in passing: alone they say nothing worth keeping.
_LIGHT_LABELS: Final = frozenset(
    {
        "amusement",
        "approval",
        "admiration",
        "gratitude",
        "optimism",
        "caring",
        "surprise",
        "realization",
        "excitement",
        "desire",
        "disapproval",
        "relief",
    }
)
_CHAT: Final = re.compile(
    r"^[\sㄱ-ㅎㅏ-ㅣ!?.~^]*(?:안녕|하이|헬로|hi|hello|hey|응|네|예|아니|그래|고마워|감사|굿|ok|오케이|잘\s*자|좋은\s*(?:아침|하루|밤)|thanks?|thank you|bye|ㅎㅇ|ㅂㅇ|ㄱㅅ|반가|수고)[가-힣a-z]{0,6}[\sㄱ-ㅎㅏ-ㅣ!?.~^]*$",
    re.I,
)
# A feeling that is named outright, strongly enough to stand without what it is about.
_FELT: Final = re.compile(
    r"기쁘|기뻐|기뻤|슬프|슬퍼|슬펐|행복|우울|속상|화가?\s*(?:나|났|난)|화났|열\s*받|빡[치쳐친]|짜증|분[하해]|억울|불안|무섭|무서|두렵|두려|외롭|외로|설레|설렌|설렜|뿌듯|자랑스|서운|섭섭|답답|괴롭|괴로|힘들|지쳤|지친|떨[려린렸리]|신[나났난]|즐거|즐겁|감동|눈물|울었|울고|펑펑"
    r"|미안|죄송|죄책|후회|부끄|창피|허전|그리워|그립|보고\s*싶|실망|배신|당황|놀[라랐]|소름|벅[차찼]|후련|홀가분|막막|초조|긴장|걱정|절망|비참|한심|싫다|싫어|역겹|징그|혐오|질투|따뜻했|두근|심장이|가슴이|미치겠|미칠|죽겠|사랑해|고마워|감사|감격|황홀|쪽팔|쥐구멍|분통|분노|공포|좌절|허무|공허|안도|다행"
    r"|\b(?:happy|sad|angry|furious|mad|upset|excited|nervous|anxious|worried|proud|grateful|thankful|sorry|lonely|disappointed|stressed|depressed|embarrassed|afraid|scared|terrified|frustrated|thrilled|devastated|heartbroken|relieved|hurt|annoyed|"
    r"exhausted|overwhelmed|ashamed|guilty|miserable|cried|crying|sobbing|miss(?:ed)? (?:him|her|them|you)|love|hate|hated|ecstatic|disgust\w*|jealous|betrayed|shaking|gutted|joy|tears)\b",
    re.I,
)
_STRONG: Final = re.compile(
    r"너무|정말|진짜|완전|엄청|넘\s|개[가-힣]|존[나맛]|미치|죽겠|펑펑|눈물|!!|ㅠㅠ|ㅜㅜ|…|\b(?:so|very|really|absolutely|totally|literally|completely)\b|!",
    re.I,
)
# What the model takes for a feeling and is none worth keeping: a state of the body, boredom, weather, "not bad".
_PASSING: Final = re.compile(
    r"심심|졸리|졸려|졸립|배고|배부|피곤|나쁘지\s*않|그저\s*그|그럭저럭|그냥\s*그|쏘쏘|날씨|더워|덥다|덥네|춥다|춥네|추워|i guess|\bit'?s fine\b|not bad|\bso-?so\b|\b(?:bored|sleepy|tired|hungry)\b",
    re.I,
)
_PASSING_MUCH: Final = re.compile(r"(?:심심|졸리|졸려|졸립|배고|배부|피곤|더워|추워)\S*\s*(?:죽겠|미치겠|미칠)\S*")
# Requests to LIRA: to do, to tell, to play something.
_COMMAND: Final = re.compile(
    r"(?:줘|줄래|주세요|주라|주십시오|해봐|봐봐|틀어|켜|꺼|알려|추천|골라|불러|들려|보여|해라|하자)\s*(?:요)?\s*[.!~?ㅋㅎㅠ]*$|^(?:can|could|would|will) you\b|^(?:please\s+)?(?:play|tell|show|give|find|search|translate|set|open|turn|write|make|recommend|sing|stop)\b",
    re.I,
)


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


def decide(text: str, emotion: EmotionReading | None, facts: Sequence[Fact], question: Question | None, *, threshold: float) -> Decision:
    """Keep or skip, with the reason.

    `threshold`: the least score of a feeling that is worth keeping. `emotion` None (the analyser was missed) leaves request and fact.
    """
    if requested(text) and not (question is not None and question.about_memory and not facts and re.search(r"\?\s*$", text) and _PURE.search(text)):
        return Decision(True, "trigger")
    recall_only = question is not None and question.about_memory and not facts
    personal = (question is None or not question.about_memory) and is_personal(text)
    if (
        not recall_only
        and not _CHAT.match(text)
        and _strong(emotion, question, threshold)
        and _worth_it(text, emotion, question, bool(facts) or personal, threshold)
    ):
        return Decision(True, "emotion")
    if facts or personal:
        return Decision(True, "fact")
    return Decision(False, "none")


def _strong(emotion: EmotionReading | None, question: Question | None, threshold: float) -> bool:
    if emotion is None:
        return False
    feelings = [e for e in emotion.top if e.label != "neutral" and not (question is not None and e.label in _ASKING_LABELS)]
    return any(e.score >= threshold for e in feelings)


def _worth_it(text: str, emotion: EmotionReading | None, question: Question | None, tells: bool, threshold: float) -> bool:
    """Whether a strong score stands for a feeling with content: it is named outright, or comes with something of the speaker's life."""
    named = bool(_FELT.search(_PASSING_MUCH.sub(" ", text)))
    if _COMMAND.search(text) and not named:
        return False
    if question is not None:
        return named and bool(_STRONG.search(text))
    if _PASSING.search(text) and not (named and _STRONG.search(text)):
        return False
    if about_the_app(text) and not named:
        return False
    if tells:
        return True
    assert emotion is not None
    heavy = any(e.label not in _LIGHT_LABELS | {"neutral"} and e.score >= threshold for e in emotion.top)
    return named and (heavy or bool(_STRONG.search(text)) or len(set(terms(text))) >= LEAST)
