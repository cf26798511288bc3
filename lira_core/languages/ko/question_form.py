# ruff: noqa: E501 (patterns read better in wide rows)
"""Whether a Korean utterance asks: by its mark, its ending, its question word, as a request to tell, or as a bare topic ("내 딸 이름은")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lira_core.languages.ko.clauses import Clause

_SPELLINGS: Final = (
    (
        re.compile(
            r"(?<![가-힣])(?:머(?=야|얌|임|였|엿|지(?!\w)|더라|예요|에요|여|냐|니(?!\w)|게(?!\w)|라|했|하(?!나)|먹|\s*(?:\?|$))|모(?=야(?![가-힣])|지(?!\w)|더라|예요|냐(?!\w)))"
        ),
        "뭐",
    ),
    (re.compile(r"(?<![가-힣])(?:먼|몬)(?=지(?!\w)|데(?!\w)|가요|가(?!\w))"), "뭔"),
    (re.compile(r"(?<![가-힣])모(?=하[는냐니고지](?!비)|해(?![가-힣]))"), "뭐"),
    (re.compile(r"엿(?=지|죠|더라|나|어)"), "였"),
    (re.compile(r"(?<=[가-힣])즤"), "지"),
    (re.compile(r"됬"), "됐"),
)
_SPACED: Final = (
    (re.compile(r"(?<![가-힣])(내|제|울|우리)(?=(?:이름|생일|나이|직업|직장|회사|취미|전공|학교|혈액형|별명|고향|동생|강아지|고양이|남편|아내|엄마|아빠|딸|아들)(?![가-힣]{3}))"), r"\1 "),
    (re.compile(r"(?<=[다라자냐])(?=(?:그랬|그러셨|그런|했)(?:지|죠|더라|나|어))"), " "),
    (re.compile(r"(?<![가-힣])(뭐|무엇)라(?=\s*(?:했|그랬))"), r"\1라고"),
    (re.compile(r"(?<=[은는이가을를])(?=(?:뭐|무슨|언제|어디|누구|며칠)(?:[야예였더지죠가에로라인]|$))"), " "),
)  # fmt: skip

_WH_WORD: Final = r"(?:뭐|뭘|뭣|뭔(?!가)|무엇|무얼|무슨|누구|누가|누굴|누군(?!가)|뉘|언제|언젠(?!가)|언젤|어디|어딜|어딘(?!가)|어딨|어느|어떤|어떻|어케|어때|며칠|몇|왜|왤|얼마|웬)"
_WH: Final = re.compile(rf"(?<![가-힣]){_WH_WORD}")
# Where a question word asks nothing: 누군가, 며칠 전, 어느 날, 뭐 좀, 언제 한번, 왜냐하면 ...
_INDEFINITE: Final = re.compile(
    r"(?<![가-힣])(?:뭔가|누군가|언젠가|어딘가|어쩐지|왠지|왜냐\S*|왜인지|뭐든\S*|뭐라도|뭐랄까|뭐니\s*뭐니|무엇이든|무엇보다\S*|누구나|누구든\S*|누구라도|누구도|언제나|언제든\S*|언제까지나|언제\s*(?:한\s*번|한번|같이|시간\s*되면)|어디든\S*|어디\s*가서|어느\s*(?:날|새|정도|덧|순간)|어느새|어느덧|어떻게든|어떤\s*(?:날|때|사람(?:은|이|들))(?!\S*\s*(?:뭐|누))|얼마\s*(?:안|뒤|후)|얼마나\s+\S+(?:지|는지)(?=\s*(?:몰라|모르))|얼마\s*전|몇몇|며칠\s*(?:전|뒤|후|째|간|만|동안|안|씩|내내|밤|사이)|몇\s*(?:년|달|개월|주|일|시간|분|번|차례|가지|십|백|천|만)\s*(?:이나|전|뒤|후|째|간|만|동안|씩|안)|몇\s*번|뭐\s*(?:좀|하나|어때|어떻|그냥|그런|그렇|그럭|별|다\s|괜찮|그래|이런|아무)|뭐\s*,|뭐를\s*좀|누구\s*(?:좀|처럼)|어디\s*(?:좀|한번)|무슨\s*\S+도)"
)
_QUIET: Final = re.compile(r"몰라|모르|까먹|잊어버|궁금|고민|생각\s*(?:중|해\s*보)|물어(?:봤|보|볼)|물었|묻더라|여쭤")
# Why, what a, how!: what one sighs rather than asks.
_SIGH: Final = re.compile(
    r"(?:왜|어쩜|어찌)\s*(?:이렇|이리|이럼|이래|이러|이케|일케|저렇|저래|저러|요렇|요래|맨날|자꾸|하필)|왜이[렇래리러]|왤케|왜케|왜캐|인생\s*왜|이게\s*(?:무슨|뭐|뭔)|이거\s*(?:뭐|무슨)\S*\s*(?:고생|난리|짓)|무슨\s*소용|웬\s*(?:떡|일)|(?:진짜|도대체|대체)\s*(?:왜|언제|뭐가)|언제\s*끝나\S*\s*(?:진짜|정말|ㅠ)|언제\s*(?:끝나냐|되나\s*싶|다\s)|어떻게\s*(?:이래|이럴|그래|그럴|이렇)|어떻게\s*기다리|얼마나\s[^?]*(?:는지|던지|[은ᆫ한운쁜픈난]지|았지|었지|했지)(?!\s*(?:알|아세|아시|기억|말))|어떡하|어쩌|뭐\s*어쩌|어떡해"
)
_REPORT: Final = re.compile(
    r"(?:다|라|자|냐|요)고\s*(?:했|하셨|그랬|그러셨|말했|말씀|얘기했|이야기했|들었)|(?:댔|랬)(?:었)?(?:지|죠|나|더라|어\s*\?|던가)|(?:다|라|자)\s*(?:그랬|그러셨|했)(?:지|죠|더라|나)|기로\s*(?:했|하셨|한|됐|돼)"
)
_TELL: Final = re.compile(
    r"(?:말|얘기|이야기|대답|설명|확인|정리|요약|나열|언급)\s*(?:좀\s*)?(?:해|하여)\s*(?:줘|주|봐|보|줄|달|봅|볼)|알려\s*(?:줘|주|줄|달|다오|봐)|가르쳐\s*(?:줘|주|줄)|읊어|맞[춰혀]\s*(?:봐|볼|보)|떠올려|찾아\s*(?:줘|주|줄|봐)|상기\s*시켜|기억\s*(?:해\s*내|하는\s*대로)|되짚어|다시\s*말해|불러\s*봐|(?:뭔지|언젠지|어딘지|누군지|인지|는지|ᆫ지|이름|나이|날짜|시간|생일|취미|직업)\s*(?:좀\s*)?말해\s*$"
)
_KEEP: Final = re.compile(r"(?:추천|노래|소설|시|농담|기억|저장|메모|기록|명심)\s*(?:좀\s*)?(?:해|불러|하고)\s*(?:줘|둬|주|놔|봐|달)")
_KNOW: Final = re.compile(
    r"(?<![가-힣])알(?:아|지|죠|아요|니|냐|나|나요|까|고\s*있[가-힣]{0,3}|고\s*계[가-힣]{0,4}|려나|음|겠어)\s*[?!.~ㅋㅎㅠㅜ\s]*$|(?<![가-힣])아(?:세요|시죠|시나요|십니까|시는지|시지|셔)\s*[?.!~\s]*$"
    r"|기억\s*(?:은\s*|도\s*|을\s*|이\s*)?(?:나|남|해|하|함|있)\s*(?:고\s*(?:있|계)[가-힣]{0,4}|니|냐|지|죠|세요|시죠|시나요|시나|십니까|시는지|시지|나요|나|요|려나)?\s*[?!.~ㅋㅎ\s]*$|까먹(?:은|었)\s*(?:거|건|니|어)|잊(?:었|어버린|은)\s*(?:거|건|니)"
)
# Endings that ask by themselves.
_ASKING: Final = re.compile(
    r"^(?:니|냐|으냐|느냐|냐고|나요|ᆫ가요|은가요|는가요|던가요|던가|ᆫ가|은가|는가|을까|ᆯ까|을까요|ᆯ까요|습니까|ᆸ니까|으니|을래|ᆯ래|을래요|ᆯ래요|까|까요|남|련|는감|더냐|으려나|려나|려나요|을라나|ᆯ라나)$"
)
# The end of a sentence that asks where it has a question word.
_CLIPPED: Final = re.compile(
    rf"(?:지|쥐|죠|지요|더라|더라요|던가|드라|냐|니|나|가|까|게|게요|댔어|랬어|다며|라며|다면서|임|심|함|됨|음|감|삼|옴|감|대|래|댔음|랬음|는지|ᆫ지|인지|였음|었음)$|{_WH_WORD}(?:부터|까지|이?랑|하고|에서|에|서|로)?$|(?<![가-힣])(?:몇|무슨|어느)\s*[가-힣]{{1,5}}(?:이랑|에서|에|부터|까지)?$|(?:이|가|은|는)\s*(?:뭐|며칠|언제|어디|누구)$"
)
_NEUTRAL: Final = re.compile(r"(?:야|얌|예요|에요|이에요|이예요|여요|요|어|아|해|돼|여|데|셔|려|라|ᆫ다|한다|ᆫ대|ᆫ대요|[가-힣])$")
# Question words that hardly mean "some".
_SURE: Final = re.compile(
    rf"(?<![가-힣])(?:어느|무슨|며칠|얼마|왜|뭐\S*(?:야|얌|예요|에요)|몇\s*(?:살|시|월|일|학년|층|호|명|마리|개|점|키로|킬로|kg|년|반)|누구(?:야|예요|에요|랑|네|한테)|언제(?:야|예요|에요|부터|까지)?|어디(?:야|예요|에요)|어떤\s*\S+(?:을|를|이야|예요)|{_WH_WORD}\S*(?:라고|라구))"
)
_WISH: Final = re.compile(
    r"(?:야지|야겠\S*|자|을게|ᆯ게|을게요|ㄹ게|[갈할볼살을먹]게|[갈할볼살]래|줘|주세요|주라|봐|고\s*싶\S*|을\s*거야|ᆯ\s*거야|[할갈볼살]\s*거야|했으면|듯(?:해|하다|싶다|요|이)?|러\s*(?:다녀|가|와|간다|가요)|잖아|잖아요|거든|거든요|네|네요|구나|군|더라고|더라구|더라고요|더라구요|는데|은데|ᆫ데|인데|지만|니까|어서|아서|고|면|다가|라서)$"
)
_CHECK: Final = re.compile(r"(?:맞|그렇|아니|했|였|었|았)(?:지|죠|나|나요|던가|던가요|었나|었나요|습니까)\s*[?!.~ㅋㅎㅠㅜ]*$")
_SELF: Final = re.compile(
    r"(?:^|[\s,.\"'(])(?:나|내|제|저|난|전|날|울|우리|저희)(?:는|은|가|의|를|도|한테|랑|에|에게|만|네|보고|더러|이|요)?(?:게서?|\s*에\s*대해서?)?(?=[\s,?!.]|$)"
)
_TOPIC: Final = re.compile(r"[가-힣A-Za-z0-9](?:은|는|이는)$")
_ASKED_NOUN: Final = re.compile(
    r"(?:^|\s)(?:이름|성함|별명|생일|생신|나이|연세|혈액형|mbti|엠비티아이|직업|전화번호|번호|비밀번호|비번|키|몸무게|고향|주소|날짜|시간|장소|일시|위치|이유)(?:이?랑\s*(?:이름|날짜|시간|장소))?(?:\s*좀)?$",
    re.I,
)
_TAIL: Final = re.compile(r"(?:[\s.,~!?？;:^♡♥❤ㄱ-ㅎㅏ-ㅣ]|[\U0001F000-\U0001FAFF☀-➿️‍])*")
"""Matched on the words spelt backwards: what is sought from the front and has to reach the end is tried at every character."""


def spelled(text: str) -> str:
    """Chat spellings as the dictionary has them, every character where it was ("머임" is "뭐임")."""
    for pattern, right in _SPELLINGS:
        text = pattern.sub(right, text)
    return text


def spaced(text: str) -> str:
    """`spelled`, and spaces where writers drop them ("내이름", "간다그랬지")."""
    text = spelled(text)
    for pattern, right in _SPACED:
        text = pattern.sub(right, text)
    return text


def has_question_word(words: str) -> bool:
    """Whether a question word asks in it; "누군가", "며칠 전", "뭐 좀" do not."""
    return bool(_WH.search(_INDEFINITE.sub(lambda m: "＿" * len(m.group()), words)))


def reports(words: str) -> bool:
    """Whether it asks back what was said ("간다고 했지", "산댔죠")."""
    return bool(_REPORT.search(words))


def sighs(words: str) -> bool:
    """Whether its question word sighs ("왜 이렇게 힘들지")."""
    return bool(_SIGH.search(words)) and not reports(words)


def tells(words: str) -> bool:
    """Whether it requests to be told ("알려줘", "말해봐")."""
    return bool(_TELL.search(words)) and not _KEEP.search(words)


def knows(words: str) -> bool:
    """Whether it asks if something is known or remembered ("알아?", "기억하세요")."""
    return bool(_KNOW.search(words.strip())) and not re.search(r"(?:잘|못|안|내가|나는|난|저는|제가|다)\s*(?:아직\s*)?(?:알아|알지|기억)", words)


def asks_itself(words: str) -> bool:
    """Whether it names the speaker."""
    return bool(_SELF.search(words))


def segments(found: Sequence[Clause]) -> list[list[Clause]]:
    """Clauses up to each that ends a sentence: what is asked or said at once."""
    out: list[list[Clause]] = []
    current: list[Clause] = []
    for clause in found:
        if current and clause.sentence != current[-1].sentence:
            out.append(current)
            current = []
        current.append(clause)
        if clause.final and clause.verb:
            out.append(current)
            current = []
    if current:
        out.append(current)
    return out


def asking(parts: Sequence[Sequence[Clause]], text: str) -> list[bool]:
    """Of each segment of `text` whether it asks."""
    text = spelled(text)
    return [_asks(segment, text) for segment in parts]


def _asks(segment: Sequence[Clause], text: str) -> bool:
    start, end = segment[0].start, max(c.end for c in segment)
    # Kiwi reads "아세요" as a sigh and an ending, which leaves it out of the clause.
    rest = re.match(r"[가-힣]{0,4}(?:\s*아(?:세요|시\S*))?(?=[\s.,~!?？ㄱ-ㅣ]|$)", text[end:])
    after = text[end + (rest.end() if rest else 0) :]
    mark = re.match(r"(?:[\s.,~!…ㄱ-ㅎㅏ-ㅣ]|[\U0001F000-\U0001FAFF☀-➿️‍])*", after)
    last = segment[-1]
    words = text[start : end + (rest.end() if rest and not last.final else 0)]
    if after[mark.end() if mark else 0 :].startswith(("?", "？")) or re.search(r"[?？]", text[start:end]):
        return True
    tail = _TAIL.match(words[::-1])
    bare = words[: len(words) - tail.end()] if tail else words
    if re.search(r"^(?:안녕|반갑)", bare) or not bare:
        return False
    if tells(bare):
        return True
    if last.ending and _ASKING.match(last.ending) and last.final and "will" not in last.flags:
        return True
    if sighs(bare) or (_QUIET.search(bare) and not knows(bare)):
        return False
    asking = has_question_word(bare)
    if knows(bare):
        return (
            asking
            or bool(_ASKED_NOUN.search(re.sub(r"(?:은|는|이|가|을|를|도)?\s*(?:혹시\s*)?\S+(?:\s*있\S*)?$", "", bare)))
            or (asks_itself(bare) and "기억" in bare and not last.negated)
        )
    if asking:
        return _asks_with_word(bare, last)
    if _CHECK.search(bare) and not last.negated:
        return (
            reports(bare)
            or bool(re.search(r"맞(?:지|죠|나|나요|던가|습니까)$", bare))
            or (asks_itself(bare) and bool(re.search(r"(?:나|나요|던가|던가요)$", bare)))
        )
    if reports(bare) and re.search(r"(?:지|죠|나|나요|던가|더라|며|면서)$", bare):
        return True
    if last.ending == "나" and last.final:
        return asks_itself(bare) and not last.negated
    if not any(c.verb for c in segment) and not any(c.dates for c in segment):
        if _TOPIC.search(bare) and len(segment) == 1 and (any(p.clause or p.owner for p in last.phrases) or _ASKED_NOUN.search(bare[:-1])):
            return not re.search(r"\w", text[end:])
        if _ASKED_NOUN.search(bare) and not text[:start].strip() and not text[end:].strip(" .~좀") and len(bare) > 3:
            return True
    return False


def _asks_with_word(words: str, last: Clause) -> bool:
    masked = _INDEFINITE.sub(lambda m: "＿" * len(m.group()), words)
    if _WISH.search(words) and not reports(words):
        return False
    # "언제 오냐고 물어봤어", "뭐 먹을지 정했어": the question word belongs to what somebody else asks.
    asked = list(_WH.finditer(masked))[-1]
    between = masked[asked.end() :]
    if re.search(r"(?:냐고|느냐|는지|ᆫ지|은지|을지|[할갈볼살올될줄]지|인지)\s*(?:는|도|를|가)?\s+\S", between) and not knows(words):
        return False
    if last.final and last.ending in {"지", "죠", "지요", "더라", "게", "게요", "던가", "냐", "니", "나", "대", "래", "ᆫ대", "는대"}:
        return True
    if _CLIPPED.search(words):
        return not re.search(r"(?:뭐|어디|누가|언제)\s*\S*(?:음|함|감|옴|삼)$", words) or bool(_SURE.search(masked))
    if _SURE.search(masked):
        # "회사 사람들이 나보고 뭐라고 했어" tells; "내가 뭐라고 했어" asks.
        return not re.search(r"뭐라고\s*(?:했|하)(?:어|더라고|어요)$", words) or bool(re.search(r"(?:내가|제가|나\s*(?:방금|아까)?)\s*뭐라고", words))
    past = last.past or bool(re.search(r"(?:었|았|였|했|갔|왔|봤|샀)(?:어|어요|음|다)$", words))
    return not past and bool(_NEUTRAL.search(words)) and (asks_itself(words) or bool(re.search(r"[가-힣](?:은|는)\s", words)))
