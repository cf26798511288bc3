"""Korean words of feelings, and the GoEmotions labels that they may have been read as, likeliest first."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = (
    ("기쁘|기쁜|기뻐|기뻤|기쁨|꿈만 같|날아갈", "joy excitement pride"),
    ("행복", "joy love"),
    ("즐거|즐겁", "joy amusement"),
    ("신나|신났|신난|짜릿|들떠|들떴|설레|설렜|설렌|기대(?:돼|된|되)", "excitement joy"),
    ("벅차|벅찼|감동|감격|좋았", "joy admiration gratitude"),
    ("후련|안도|안심|다행|마음이 (?:확 )?놓", "relief"),
    ("뿌듯|자랑", "pride joy"),
    ("슬프|슬펐|슬퍼|슬픈|울었|울고|울던|울면|운다고|운 날|눈물|서러|서럽|괴로|괴롭|허전|외로|외롭|마음이? 아", "sadness grief"),
    ("우울|지쳤|지친|지치|힘드|힘들|힘든|속상", "sadness disappointment"),
    ("허탈|좌절|낙담|실망|아쉬|아쉽|서운|섭섭", "disappointment sadness"),
    ("화나|화났|화난|화내|화냈|화낸|화가 나|화가 났|화가 난|분해|분하|분했|분노|열 ?받|빡치|빡쳤|빡친", "anger annoyance"),
    ("짜증|답답|스트레스|황당|귀찮|피곤|불편|하기 싫|바빠|바쁘", "annoyance anger"),
    ("억울", "anger disappointment annoyance"),
    ("불안|긴장|걱정|초조|조마조마|떨렸|떨리|떨려|막막|심란|미치겠", "nervousness fear"),
    ("무서|무섭|두려|두렵|겁나|겁이", "fear nervousness"),
    ("고마|고맙|감사", "gratitude"),
    ("미안|후회|죄책", "remorse disappointment"),
    ("놀라|놀랐|놀란|당황", "surprise confusion"),
    ("창피|부끄|쪽팔|민망", "embarrassment"),
    ("그리워|그리운|그립", "sadness love"),
)
NAMED: Final = tuple((re.compile(rf"(?<![가-힣])(?:{words})"), tuple(labels.split())) for words, labels in _WORDS)
"""A feeling by its word."""
MOOD: Final = re.compile(
    r"(?<![가-힣])(?:(?:기분|감정|심정|심경|마음)\s?상태(?:[는가도](?=\s|$))?|(?:기분|감정|심정|심경)(?:[은는이가도을를](?=\s|$))?"
    r"|마음(?:이|은|도)?\s+(?:좀\s+)?(?:어땠|어떴|어때|어떠|어떤|괜찮))"
)
"""Feelings as such."""
