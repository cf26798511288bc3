"""How Korean sounds: small talk, sorrow."""

from __future__ import annotations

import re

from lira_core.generation.plan import Talk, kinds

_END = r"[\s~!.…?^ㅋㅎㅠㅜ]*$"


_ASKED = (
    r"(?:\s*(?:이?야|이?지|이?죠|이?에요|예요|이?니|이?냐|이?임|인가요?|인지|일까요?|이?더라|이?었지|였지|되지|됐지|알아|알려\s?줘|좀|요))*"
    r"[\s?？!.~ㅋㅎㅠㅜ]*"
)
_STATE = r"^(?:아\s?|오늘\s?|지금\s?|너무\s?|진짜\s?|와\s?)*(?:{})[^\s?？]*(?:\s?(?:진짜|너무))?" + _END.replace("?", "", 1)
"""What somebody says of themselves or of the weather; with a question mark they ask."""
_SORROW = {
    "힘들다": "힘들|힘드", "지친다": "지치|지쳤|지쳐", "우울하다": "우울", "외롭다": "외로|외롭", "슬프다": "슬프|슬퍼", "괴롭다": "괴로|괴롭",
    "불안하다": "불안", "속상하다": "속상", "무기력하다": "무기력", "눈물이 난다": "눈물", "막막하다": "막막",
}  # fmt: skip

TALK = Talk(
    short=24,
    calls=re.compile(r"^(?:리라|LIRA)(?:야|님|씨)?[\s,!]+|[\U0001F000-\U0001FAFF☀-➿\uFE0F]+|[~^]+"),
    small=kinds(
        ("self_day", r"^(?:밥|점심|저녁|아침)(?:은|을)?\s?먹었(?:어|니|어요|나요|냐)\??$|^(?:잘|어떻게)\s?(?:지냈|있었)(?:어|니|어요|나요)\??$"),
        ("morning", r"^(?:좋은\s?아침|굿\s?모닝|잘\s?잤)"),
        ("secret", r"말하지\s?(?:마|말)|비밀이야|비밀로"),
        ("work_done", r"^(?:아\s?|드디어\s?|이제\s?)*퇴근(?:했|이다|!|한다)\S*$"),
        ("cold", _STATE.format("춥|추워")),
        ("hot", _STATE.format("덥|더워")),
        ("hungry", _STATE.format("배고[파프]")),
        ("sleepy", _STATE.format("졸려|졸리")),
        ("tired", _STATE.format("피곤|힘들다$")),
        ("awake", _STATE.format(r"잠\s?(?:이\s?)?안\s?(?:온|와|오)")),
        ("bored", _STATE.format("심심")),
        ("rain", _STATE.format(r"비\s?(?:가\s?)?(?:와|온다|오네|옴)")),
        ("snow", _STATE.format(r"눈\s?(?:이\s?)?(?:와|온다|오네|옴)")),
        ("laugh", r"^(?:ㅋ|ㅎ|하{2,}+|히히|크크|푸하|키키)+[\s!~.]*$"),
        ("tears", r"^(?:ㅠ|ㅜ|흑|엉엉)+[\s!~.]*$"),
        (
            "backchannel",
            r"^(?:응|어|웅|엉|네|넵|넹|예|그래|그렇구나|그렇군|아하|오케이|ㅇㅇ|ㅇㅋ|ok|okay|알겠어|알았어|음|흠|하아?|후우?|휴|에휴|아휴|글쎄|맞아|아니|아니야|아뇨|그냥)+(?:요)?"
            + _END,
        ),
        ("kept", r"^(?:꼭\s*)?(?:기억|저장|메모)\s*(?:해|하)\s*\S*$"),
    ),
    # Of 9,017 questions of data/people with such a word 69 have a yes or no, most of them two questions in one. A topic by itself asks for whatever
    # there is to say of it ("그럼 세탁기는?").
    what=re.compile(
        r"(?<![가-힣])(?:뭐|뭘|뭔|무엇|무슨|누[가구군굴굽]|언제|은제|어디|어딜|어데|워디|어느|어떤|어떻게|며칠|몇|왜|얼마)|[가-힣](?:은|는)\s*\?*$"
    ),
    several=re.compile(
        r"둘\s?다|각각|모두|전부|다\s?말|[가-힣](?:이랑|랑|하고|과|와|그리고)\s.*(?:이름|날짜|시간|장소|나이|직업|뭐|어디|언제|누구|몇|무슨)|어디서.*(?:무슨|몇|뭐|얼마)|몇.*몇"
    ),
    sorrowful=kinds(*_SORROW.items()),
    plans=kinds(
        ("clinic", "병원|치과|수술|검진|검사|진료|치료|입원"),
        ("test", "면접|시험|발표|오디션|수능|자격증|대회|경기|심사|토익"),
        ("trip", "여행|출장|휴가|캠핑|소풍"),
        ("celebrate", "결혼(?!식)|생일|생신|졸업|입학|돌잔치|기념일|출산"),
    ),
    noticed="전문가",
    date=re.compile(
        r"(?:\s*(?:그럼|근데|혹시|음|아))?\s*(?:[은는이가]\s)?\s*(?:날짜(?:가|는)?|언제|(?:몇\s?월\s?)?(?:며칠|몇\s?일)|(?:무슨|뭔|몇)\s?요일)"
        + _ASKED
    ),
    time=re.compile(r"(?:지금|현재)\s*(?:시간|시각)?(?:이|은)?\s*(?:(?:이|은)?\s*몇\s?시)" + _ASKED),
)
