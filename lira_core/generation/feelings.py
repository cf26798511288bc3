"""Which feeling to speak of: the emotion model's reading where the words bear it out, since naming a wrong feeling is worse than naming none."""

from __future__ import annotations

import re

from lira_core.language import language_of
from lira_core.types import EmotionReading

HEAVY = frozenset(
    {"sadness", "grief", "disappointment", "remorse", "fear", "nervousness", "anger", "annoyance", "disapproval", "disgust", "embarrassment"}
)
"""Labels that want care; what is cheerful never meets them."""
WARM = frozenset({"joy", "excitement", "pride", "love", "gratitude", "relief", "optimism", "desire", "amusement", "admiration"})
"""Labels that a cheerful memory suits."""
SORROW = frozenset({"sadness", "grief", "disappointment", "remorse"})
"""Labels whose repetition over turns is noticed."""

# From here on a reading may be spoken of when the words say the same: half of the gate's 0.6, as the original kept emotions from 0.3.
SPOKEN = 0.3
# From here on it may be without a word that bears it out. On the 300 statements of the project's Korean set every reading below these
# that no word bore out and that named a cheerful (a heavy) feeling was wrong or beside the point.
SURE = 0.8
SURE_HEAVY = 0.9
# The emotion model learnt from English: there its reading may be spoken of from here on.
SURE_ENGLISH = 0.6
# Read into almost anything friendly; spoken of only where the words say so.
_SLIPPERY = frozenset({"love", "caring", "desire", "approval", "curiosity", "realization", "surprise", "confusion"})

# What bad news may be read as without sounding odd.
_PLAIN = frozenset({"sadness", "grief", "disappointment", "anger", "fear", "nervousness", "annoyance", "remorse"})
_UNHAPPY = re.compile(r"슬프|슬퍼|우울|외로|속상|힘들|괴로|서운|화나|화가|억울|걱정|불안|무서")

# A word of feeling, or of what moves anybody, and the label it speaks of. The first table outweighs the second: who weeps for joy is glad.
_GLAD = (
    (r"기쁘|기뻐|기뻤|기쁜|기쁨|행복|신나|신났|즐거|꿈만 같|너무 좋|정말 좋|진짜 좋|웃음이 나", "joy"),
    (r"감동|벅차", "joy"),
    (r"뿌듯|자랑스러", "pride"),
    (r"다행|마음이 (?:확 )?놓|안심|발 뻗고", "relief"),
    (r"설레|설렌|설렜|기대(?:돼|된|되)", "excitement"),
    (r"고마(?:워|웠)|고맙|감사", "gratitude"),
)
_GOOD_NEWS = (
    (
        r"합격|승진|뽑혔|당첨|1등|일등|이겼|성공했|완성(?:됐|했)|통과|붙었|상을? (?:받|탔)|취직|취업했|장학금|화해|사귀기로|프러포즈|프로포즈|임신했",
        "joy",
    ),
    (r"맛있|친절|멋지|멋있|최고|예쁘|예뻐|귀엽|귀여|대단", "admiration"),
    (r"재밌|재미있|웃기|웃겨|[ㅋ]{2,}|[ㅎ]{2,}", "amusement"),
)
_SAD_WORDS = (
    (
        r"슬프|슬퍼|우울|외로|외롭|속상|괴로|괴롭|힘들|힘드|힘든|울었|울어|울컥|눈물|무너|비참|죽겠|미치겠|그리워|그립|마음이 (?:계속 )?무거",
        "sadness",
    ),
    (r"서운|실망|아쉽|아쉬|허무|허탈", "disappointment"),
    (r"화나|화가|화났|열받|분하|분해|억울|배신|빡치", "anger"),
    (r"짜증|답답|귀찮|피곤|지쳤|지친|지치|스트레스|하기 싫|불편|바빠|바쁘", "annoyance"),
    (r"걱정|불안|긴장|떨려|떨린|초조|조마조마|심란", "nervousness"),
    (r"무섭|무서|겁나|겁이|두려|두렵", "fear"),
    (r"창피|민망|부끄러|쪽팔", "embarrassment"),
    (r"후회|미안|죄책", "remorse"),
)
_BAD_NEWS = (
    (r"떨어졌|탈락|망했|망쳤|불합격|놓쳤", "disappointment"),
    (r"헤어졌|차였|이별|돌아가셨|무지개다리|죽었|쓰러지", "sadness"),
    (r"잃어버렸|도둑맞|사기|싸웠|혼났|무시(?:했|당)|박살|고장났|뺏", "annoyance"),
    (r"다쳤|삐었|삐끗|골절|깁스|못 자|부러|넘어졌|독감|감기|아파|아프|아픈|쓰려|부어서", "sadness"),
    (r"ㅠ|ㅜ|😭|😢|😞|😡|😤", "sadness"),
)


def feeling(reading: EmotionReading | None, text: str) -> tuple[str, float]:
    """The GoEmotions label to speak of and how sure that is, in [0, 1]; ("neutral", 0.0) where none should be."""
    glad, sad = _first(_GLAD, text), _first(_SAD_WORDS, text)
    if sad and glad is None and _first(_GOOD_NEWS[:1], text) and not _UNHAPPY.search(text):
        glad = "joy"  # Who weeps over good news is not sad.
    if glad or sad:
        return glad or sad or "neutral", max(SPOKEN, reading.score if reading else 0.0)
    real = reading.real if reading else None
    if reading is None or real is None:
        return "neutral", 0.0
    heavy = real.label in HEAVY
    bad, good = _first(_BAD_NEWS, text), _first(_GOOD_NEWS, text)
    if bad:
        return (real.label, real.score) if heavy and real.label in _PLAIN and real.score >= SPOKEN else (bad, max(SPOKEN, real.score))
    if good:
        return (real.label, real.score) if real.label in WARM - _SLIPPERY else (good, max(SPOKEN, real.score))
    english = language_of(text) == "en"
    floor = SURE_ENGLISH if english else SURE_HEAVY if heavy else SURE
    sure = real.score >= floor and (english or real.label not in _SLIPPERY) and reading.label == real.label
    return (real.label, real.score) if sure else ("neutral", 0.0)


def _first(table: tuple[tuple[str, str], ...], text: str) -> str | None:
    return next((label for pattern, label in table if re.search(pattern, text)), None)
