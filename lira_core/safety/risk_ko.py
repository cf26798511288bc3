"""How Korean sounds when somebody may think of harming themselves: words, and verbs that are about the speaker."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kiwipiepy import Token

from lira_core.languages.ko.morphemes import tokens

# Matched on the text without spaces, because people in distress do not mind their spacing.
_WORDS = re.compile(
    "|".join(
        (
            r"죽고[싶시]|죽구싶|듁고싶|뒤지고싶|뒈지고싶|디지고싶",
            r"죽어버리고|죽어버릴[까래게거것]|죽어버렸으면|죽어야(?:겠|지|만|할|돼|되|해)",
            r"죽는(?:게|것이|편이)(?:더|차라리|훨씬)?(?:나[을아은]|낫|편[하할해])",
            r"(?:나|내가|난|저|제가|전|그냥|차라리|콱|확|이대로|다같이|혼자)죽(?:을래|을까(?!봐)|으련다|을거|을것|으려고|으면|었으면|자)",
            r"죽으면(?:다|편|끝|좋|그만|되|돼)|죽을(?:준비|결심|각오를했|방법|생각(?:이|만|을|뿐))|죽는(?:방법|법을|생각|상상)",
            r"죽음을(?:생각|선택|택)",
            r"(?:우울|괴로|외로|힘들|살기).{0,6}죽을(?:것|거)같",
            r"(?:우울해|괴로워|외로워)서?(?:진짜|정말|너무)?죽겠",
            r"극단적(?:인)?선택|스스로목숨|목숨을?(?:끊|버리)|동반자살",
            r"손목을?(?:긋|그[었을어으])|칼로(?:나를|내|제|손목|몸)|목을?(?:맬|매고|매달|매려)|목매[고달]|투신하?|번개탄",
            r"뛰어내리(?:고싶|면|려|ㄹ까|자)|뛰어내릴(?:까|래|거|생각)|(?:수면제|약)[을를]?(?:한꺼번에|잔뜩|한움큼|다)(?:먹|삼키|털어)",
            r"(?:왜|뭐하러|뭐땜에|뭣하러)(?:이렇게)?(?:살아야|태어났)",
            r"살(?:아갈|아야할)?(?:이유|가치|의미|의욕|희망|자신|용기)(?:가|이|도|를|을)?(?:없|모르|못찾|잃)",
            r"살아(?:서뭐|봤자|뭐하|있을(?:이유|가치))|살고싶은(?:마음|생각)(?:이|도)?(?:없|안)",
            r"더(?:는|이상|이상은)(?:도저히)?(?:못(?:살|버티|견디)|살(?:수|고싶|기)|버틸|견딜)",
            r"(?:삶|인생|생)을?(?:그만|끝내|마감|포기|놓아|내려놓)|다(?:내려놓고|놓아버리고)싶|(?:이)?세상을?(?:떠나고|등지고|뜨고)싶",
            r"하늘나라(?:에|로)?가고",
            r"태어나지(?:말|않았|않는게)|안태어났으면|영원히(?:자고|잠들고|쉬고)싶|(?:잠|자다).{0,4}(?:안깨|깨지않|깨어나지(?:않|말))",
            r"눈을?(?:안떴으면|뜨지않았으면|감고싶)",
            r"그만살고싶|(?:^|내가|나는|난|나도|그냥|세상에서|콱|확)없어(?:지고싶|져버리고싶|졌으면)",
            r"(?:내가|나같은[건거]|나만|나는|내존재가?)(?:이세상에|세상에)?(?:없(?:는게|어지는게|는편이|어야|어져야|어도되|어도돼))",
        )
    )
)
# Words that squashed together others would seem to hold ("혼자 살아요", "이유서").
_WHOLE = re.compile(r"(?<![혼각남여])자살(?!골|률|예방|방지|하지)|(?<![가-힣])(?:자해(?!공갈)|유서(?:를|\s?쓰|\s?썼))")
_IDIOMS = re.compile(
    "|".join(
        (
            r"죽고[싶시](?:냐|니|지\?|나\?)",
            r"죽고싶(?:지(?:는)?않(?!은데|지만)|진않(?!은데|지만))",
            r"죽고싶을(?:만큼|정도로).{0,6}(?:맛|예[쁘뻐]|귀[여엽]|좋|행복|웃[기겨]|재[미밌]|창피|쪽팔|민망|부끄)",
            r"(?:자살|자해)(?:예방|방지)?(?:교육|캠페인|포스터|뉴스|기사|드라마|영화|소설|통계|다리|하지(?:마|말))",
            # Who says that they do not: care at a denial drives them away, and the head still hears what it would.
            r"(?:자살|자해)\s*(?:할|하려는|하고\s*싶은)?\s*(?:생각|마음|뜻|의도|계획)\s*(?:은|는|이|도)?\s*(?:전혀|절대|추호도)?\s*없(?!다고\s*(?:는|하면|할|말)|다면|지\s*(?:는\s*)?않|진\s*않|는\s*(?:건|게)\s*아)",
            r"(?:배고[파프]|졸[려리]|더[워우]|추[워우]|웃[겨기]|귀여워|예뻐|좋아|보고싶어|심심해|배불러|궁금해|피곤해|바빠)서?(?:진짜|정말|너무|나)?죽",
        )
    )
)
# Whose end "끝내고 싶다" means when it is one's own; any other object is a piece of work.
_ALL = frozenset(
    "것 거 걸 삶 인생 생 목숨 모두 전부 다 고통 이제 그만 그냥 빨리 진짜 정말 모든 오늘 내일 지금 여기".split()  # noqa: SIM905 (a table reads better in a row)
)
_SELF = frozenset({"나", "저", "내", "제"})


def sounds_at_risk(text: str) -> bool:
    """Whether the words of a text in Korean say it."""
    compact = _IDIOMS.sub("", re.sub(r"[\s.,~…]+", "", text.lower()))
    plain = _IDIOMS.sub("", text.lower())
    return bool(_WORDS.search(compact) or _WHOLE.search(plain)) or _wants_to_be_gone(tokens(text))


def _wants_to_be_gone(morphemes: Sequence[Token]) -> bool:
    """ "살기 싫다", "사라지고 싶다", "끝내고 싶다", where the verb is about the speaker and not about a place or a thing."""
    for i, token in enumerate(morphemes):
        if not token.tag.startswith("VV") or token.form not in {"살", "사라지", "끝내"}:
            continue
        after = [t.form for t in morphemes[i + 1 : i + 7]]
        before = [t for t in morphemes[:i] if t.sent_position == token.sent_position]
        wants = "싶" in after and not any(f in {"않", "말"} for f in after[after.index("싶") :])
        unwilling = ("싫" in after) or ("싶" in after and "않" in after) or (any(t.form == "안" for t in before[-2:]) and "싶" in after)
        hopes = "으면" in after[:3] or ("면" in after[:3] and any(f in {"좋", "하", "싶"} for f in after))
        if token.form == "살" and unwilling and not _somewhere(before):
            return True
        if token.form == "사라지" and (wants or hopes) and not _other_subject(before):
            return True
        if token.form == "끝내" and wants and not _other_object(before):
            return True
    return False


def _somewhere(before: Sequence[Token]) -> bool:
    """A place to live in or somebody to live with: then it is about housing."""
    places = {"여기", "거기", "저기", "이곳", "동네", "집", "혼자", "같이", "함께"}
    return any(
        (t.tag == "JKB" and t.form in {"에", "에서", "서", "랑", "이랑", "와", "과", "하고", "로", "으로", "처럼"}) or t.form in places
        for t in before
    ) and not any(t.form in {"세상", "이승"} for t in before)


def _other_subject(before: Sequence[Token]) -> bool:
    return any(t.tag == "JKS" and i > 0 and before[i - 1].form not in _SELF for i, t in enumerate(before))


def _other_object(before: Sequence[Token]) -> bool:
    objects = [before[i - 1].form for i, t in enumerate(before) if t.tag == "JKO" and i > 0]
    if before and before[-1].tag in {"NNG", "NNP"}:
        objects.append(before[-1].form)
    return any(o not in _ALL for o in objects)
