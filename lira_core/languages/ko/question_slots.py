# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Which slots a Korean question names, of whom, and the thing or category that it names.

A slot is named by its noun ("생일", `attributes`) or by a wording that leaves no doubt ("몇 살"). Where neither is said the reader decides alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lira_core.languages.categories import is_kind, kinds_of
from lira_core.languages.ko.attributes import attribute_of
from lira_core.languages.ko.clauses import Clause, Phrase
from lira_core.languages.ko.question_form import asks_itself
from lira_core.languages.people import FAMILY, KIN, PARTNER, PETS, wordings
from lira_core.memory.question import Slot, Wants
from lira_core.types import USER

LIRA: Final = "너"
_FACETS: Final = frozenset("장소 시간 날짜 일시 위치 약속장소 시각 일자".split())
_TITLES: Final = "씨|님|선배|후배|형|오빠|누나|언니|이모|삼촌|쌤|선생님|교수님|팀장님?|부장님?|과장님?|대리님?|사장님?|대표님?|원장님?|할머니|할아버지|아저씨|아줌마"
_KIN_WORD: Final = re.compile(
    rf"(?:친|큰|작은|막내|외|제|우리|저희|울|내)?\s*({'|'.join(sorted(KIN, key=len, reverse=True))})(?=[\s은는이가의도랑을를한에께네,?]|$)"
)
_TO_LIRA: Final = re.compile(r"(?<![가-힣])(?:너|넌|너는|네가|니가|너도|당신\S{0,2}|리라\S{0,2}|널|그쪽\S{0,2})(?=[\s,?]|$)")
_NOT_VALUES: Final = frozenset(
    "이유 이름 뭐 거 것 게 말 얘기 이야기 때 나 내 저 제 우리 날짜 장소 시간 곳 데 일 사람 누구 언제 어디 무슨 무엇 기억 적 정보 대해 줄 수 중 편 분 애 날 맛 도시 동네 병원 회사 대학 학교 요일 약 대신 혼자".split()
)
_TASTES: Final = frozenset("좋아하 싫어하 즐기 좋 싫 먹 마시 드시 키우 끊 피우 되 당기".split())

# What else tells where the slot itself does not.
_BESIDE: Final[dict[str, tuple[str, ...]]] = {
    "age": ("birthday",), "nickname": ("name",), "job": ("workplace",), "workplace": ("job",), "hometown": ("nationality",), "grade": ("school",), "school": ("major",),
    "hobby": ("like",), "allergy": ("condition", "dislike"), "anniversary": ("plan",), "favorite": ("like",), "like": ("favorite", "hobby"), "dislike": ("allergy",), "memo": ("plan", "attribute"),
}  # fmt: skip
_WORDINGS: Final[tuple[tuple[str, str], ...]] = (
    (r"몇\s*(?:살|세)(?![가-힣]*\s*때)", "age"),
    (r"(?:언제|며칠)\S*\s*태어|태어난\s*(?:날|달)|몇\s*년\s*생", "birthday"),
    (r"무슨\s*띠", "zodiac"),
    (r"몇\s*(?:킬로|키로|kg)", "weight"),
    (r"어느\s*나라\s*(?:사람|출신)", "nationality"),
    (r"(?:어디|어느\s*\S+)\s*(?:출신|사람)|태어난\s*(?:곳|데|도시)|어디(?:에?서)?\s*(?:태어|나고\s*자)", "hometown"),
    (r"몇\s*학년", "grade"),
    (r"무슨\s*(?:학과|과(?=[야인예지였라]))", "major"),
    (r"뭐라고\s*(?:부르|불러|불렀)|어떻게\s*(?:부르|불러|불렀)", "nickname"),
    (r"어느\s*(?:대학|학교|고등학교|중학교|대학원)\S*\s*(?:다니|다녀|다닌|나왔|나온|졸업)", "school"),
    (r"어디\s*(?:에|에서|서)?\s*(?:지금\s*)?(?:살(?!\s*까)|사(?:시|세|셔|신|니|냐|는|나)|산(?:다|댔|대)|거주)|(?:살|사)(?:고|는|시는)\s*(?:있는\s*)?(?:곳|데|동네|지역|도시|집)|어느\s*(?:동네|도시|지역|나라|구|동)\S*\s*(?:에\s*)?(?:살|사[는시세]|산)|어디로\s*이사", "live_in"),
    (r"어디(?:에?서)?\s*(?:일(?:하|해|한|했)|근무|다니|다녀|다닌)|어느\s*(?:회사|병원|직장|은행|가게|도시)\S*\s*(?:에서?\s*)?(?:일|근무|다니|다녀|다닌)|(?:무슨|어느)\s*회사", "workplace"),
    (r"(?:무슨|어떤|뭔|하는)\s*일(?:을|를|이)?\s*(?:하|해|한|했|합|뭐|함)|뭐\s*하[는시]\S*\s*(?:사람|분|애)|뭐\s*(?:하고|해서)\s*(?:먹고\s*)?(?:살|사|산)|뭐\s*하시는지", "job"),
    (r"못\s*(?:먹|드|마)|먹으면\s*(?:안|큰일)|마시면\s*안|먹지\s*(?:못|말|않)|피해야|조심해야|가려야|가리는", "food"),
    (r"(?:마셔도|먹어도|드셔도)\s*(?:돼|되|괜찮|될)", "food"),
    (r"무슨\s*병(?!원)|앓|어디(?:가)?\s*(?:아프|아파|아픈|안\s*좋)|아픈\s*(?:데|곳)|진단", "condition"),
    (r"(?:먹는|챙겨\s*먹는|드시는|복용\s*중인|복용하는)\s*(?:\S+\s+)?\S*약(?![속국])|(?:무슨|어떤)\s*약(?![속국])|복용", "medicine"),
    (r"여가|쉬는\s*(?:날|시간)(?:에|엔|에는)?|시간\s*날\s*때|심심할\s*때", "hobby"),
    (r"싫어|싫다|싫은|질색|극혐|혐오|별로라|꺼리|꺼려|안\s*좋아", "dislike"),
    (r"(?:제일|가장|젤)\s*(?:좋|즐)|최애", "favorite"),
    (r"좋아하|좋아한|좋아해|좋아할|좋아함|좋다고|선호|즐겨|꽂힌|꽂혔|즐기|애정하", "like"),
    (r"반려\S*|애완\S*|키우(?:는|고|냐|니|나|지|시)|키워|기르(?:는|고)", "pet"),
    (r"형제|자매|남매|외동|가족(?:이|은|관계)?\s*(?:어떻|몇|누구|뭐)|식구", "family"),
    (r"사귀|사귄|애인|연애", "partner"),
    (r"적어\s*(?:둔|놓)|저장한", "memo"),
)  # fmt: skip
"""Wording to slot; the first that matches decides. "food" is whatever one does not eat, for whatever reason."""
_WORDING_RES: Final = tuple((re.compile(pattern), slot) for pattern, slot in _WORDINGS)
_FOOD: Final = ("allergy", "dislike", "condition", "like")
_TASTE_OBJECT: Final = ("like", "dislike", "favorite", "allergy", "condition")
_PLANNED: Final = re.compile(
    r"기로\s*(?:했|한|하셨|됐|정)|예정(?!일)|일정|약속|계획|스케줄|(?:언제|며칠|몇\s*시)\S*\s*(?:\S+\s*)?(?:가|와|오|온|간|떠나|떠난|출발|시작|만나|나가|열|하|해|한|잡)(?!\S*(?:었|았|했(?!다고|댔)|갔|왔|봤))"
)
_PAST: Final = re.compile(r"[었았했갔왔봤샀](?!다고|댔)")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader of a question has: the words without dates, their phrases, whom it asks about and what it wants."""

    words: str
    phrases: tuple[Phrase, ...]
    wants: Wants
    subject: str | None
    dated: bool = False


def slot_of(phrase: Phrase) -> str | None:
    """The slot that a phrase names, and a plan for "미팅 장소", "면접 시간"."""
    text = re.sub(r"\s+(?:(?:둘|셋|모두|전부|다)\s*)+$|\s*(?:언제|며칠|어디|누구|뭐게?|몇\s*시)$", "", phrase.text)
    words = text.split()
    if len(words) > 1 and words[-1] in _FACETS:
        return attribute_of(" ".join(words[:-1])) or "plan"
    if len(words) == 1 and words[0] not in _FACETS and words[0].endswith(("시간", "장소", "날짜")) and attribute_of(words[0][:-2]) == "plan":
        return "plan"
    return attribute_of(text) or (attribute_of(re.sub(r"(?:을|를|은|는|이|가)$", "", text)) if len(text) > 2 else None)


def subject_of(phrases: Sequence[Phrase], words: str) -> str | None:
    """Whom it asks about: somebody close, a name, `LIRA`, USER, or None when nobody is said."""
    mine = asks_itself(re.sub(r"(?<![가-힣])(?:내|제|우리|울|저희)\s+", " ", words)) or bool(re.search(r"(?<![가-힣])(?:내|제)가(?![가-힣])", words))
    for phrase in phrases:
        if not phrase.wh and phrase.case not in {"with", "person", "than", "by"} and (person := _person(phrase, mine=mine)) is not None:
            return person
    if _TO_LIRA.search(words) and not asks_itself(words):
        return LIRA
    if mine:
        return USER
    if m := _KIN_WORD.match(words.strip()):
        return m.group(1)
    return _named(phrases, words) or (USER if asks_itself(words) else None)


def _person(phrase: Phrase, *, mine: bool) -> str | None:
    """Who owns the phrase, or whom it names by kinship; where the speaker is named too, only the owner of a slot."""
    owner, split = (phrase.owner or "").split()[-1:] or [""], phrase.text.split()
    if owner[0] in KIN and (slot_of(phrase) or not mine):
        return owner[0]
    if phrase.owner and phrase.owner not in {"나", LIRA} and slot_of(phrase):
        return _bare_name(phrase.owner)
    if len(split) > 1 and attribute_of(split[-1]):
        if split[-2] in KIN:
            return split[-2]
        if attribute_of(split[-1]) not in {"plan", "attribute", "phone"} and "NNP" in phrase.tags[:1] and not is_kind(split[0]):
            return _bare_name(" ".join(split[:-1]))
    if mine and not (phrase.text in KIN and phrase.case in {"topic", "subject"} and phrase.owner == "나"):
        return None
    alone = len(split) == 1 or phrase.case in {"topic", "subject", "bare"}
    return split[-1] if split and split[-1] in KIN and alone and not (phrase.text in PETS | {"가족", "친구"} and phrase.case == "comp") else None


def _named(phrases: Sequence[Phrase], words: str) -> str | None:
    """The person or pet called by name whom it asks about ("지은이는", "보람 씨가", "초코")."""
    if m := re.match(rf"\s*([가-힣]{{2,4}})\s+(?:{_TITLES})(?:은|는|이|가|께서|\s|$)", words):
        return m.group(1)
    for phrase in phrases:
        if phrase.case not in {"topic", "subject", "bare"} or phrase.wh or not phrase.tags or phrase.clause is not None:
            continue
        name = _bare_name(phrase.text)
        if not re.fullmatch(r"[가-힣]{2,4}", name) or kinds_of(name) - {"음식", "먹"} or slot_of(phrase) or name in _NOT_VALUES | KIN:
            continue
        marked = (ord(name[-1]) - 0xAC00) % 28 and _marked(name, words)
        if marked or ("NNP" in phrase.tags and set(phrase.tags) <= {"NNP", "XSN", "NNG", "NNB"}):
            return name
    return None


def _marked(name: str, words: str) -> bool:
    """Whether the name stands with its 이 and a particle. Not by a pattern made of the name: `re` would keep it."""
    at = words.find(f"{name}이")
    while at >= 0:
        if not (at and "가" <= words[at - 1] <= "힣") and words.startswith(("는", "가", "랑", "도", "를", "네"), at + len(name) + 1):
            return True
        at = words.find(f"{name}이", at + 1)
    return False


def _described(who: str, words: str) -> bool:
    """Whether something told apart stands before: "어제 만난 민수"."""
    before, found, _ = words.partition(f" {who}")
    return bool(found) and before.rstrip().endswith(tuple("은는던한간온"))


def _bare_name(name: str) -> str:
    name = re.sub(r"\s+(?:씨|님)$", "", name)
    return name[:-1] if 3 <= len(name) <= 4 and name.endswith("이") and (ord(name[-2]) - 0xAC00) % 28 else name


def slots_of(asked: Asked) -> tuple[Slot, ...]:
    """The (subject, predicate) pairs that a fact must have to answer, best first; empty where the wording leaves doubt."""
    words, wants = asked.words, asked.wants
    who = asked.subject if asked.subject not in {None, LIRA} else USER
    worded = next((slot for pattern, slot in _WORDING_RES if pattern.search(words)), None)
    if wants == "why":
        return _spread((who, p) for p in _FOOD) if worded == "food" else ()
    if "이름" in words or "성함" in words:
        return _names(asked, who)
    kept = next((w for p in asked.phrases if not p.wh for w in p.text.split() if w in KIN), None)
    if kept and wants in {"yesno", "howmany"} and re.search(r"(?:있|없)(?:어|나|지|니|냐|다고|음)|몇\s*(?:명|마리)|키우|키워", words):
        return ((USER, "pet" if kept in PETS else "partner" if kept in PARTNER else "family" if kept in FAMILY else "friend"),)
    if wants == "who":
        return _who(asked, who)
    noun = next((slot for p in asked.phrases if (slot := slot_of(p)) not in {None, "plan"}), None)
    slot = worded if worded in {"age", "birthday", "food", "favorite", "dislike", "like"} else noun or worded
    if (
        slot == "food"
        or (slot in {"like", "dislike"} and wants == "yesno")
        or (slot is None and wants == "yesno" and re.search(r"먹|마시|마셔|피우|피워", words))
    ):
        return _spread((who, p) for p in (_FOOD if slot == "food" and wants != "yesno" else _TASTE_OBJECT))
    if slot is not None:
        return _spread((None if p == "plan" else who, p) for p in (slot, *_BESIDE.get(slot, ())))
    ahead = bool(_PLANNED.search(words)) or (asked.dated and not _PAST.search(words))
    if any(slot_of(p) == "plan" for p in asked.phrases) or (ahead and wants in {"when", "where", "what"}):
        return ((None, "plan"),)
    mine = any(p.owner == "나" and p.clause is None and p.text not in KIN and "NNP" not in p.tags for p in asked.phrases if not p.wh)
    return ((USER, "attribute"),) if mine and who == USER and wants in {"what", "howmany"} else ()


def _names(asked: Asked, who: str) -> tuple[Slot, ...]:
    """Whose name it asks for: each owner in turn; somebody known only by what they did, or a thing, names no slot."""
    out: list[Slot] = []
    for phrase in [p for p in asked.phrases if not p.wh and slot_of(p) == "name"] or [Phrase("이름", "bare")]:
        owner = re.sub(r"\s*(?:이름|성함|본명)(?:을|를|은|이)?(?:\s+\S{1,3})*$", "", phrase.text).strip() or (phrase.owner or "")
        last = owner.split()[-1] if owner.split() else ""
        if last in KIN:
            out += [(last, "name"), *([(USER, "pet" if last in PETS else "partner")] if last in PETS | PARTNER else [])]
        elif re.search(r"키우는|기르는|반려|애완", asked.words):
            out += [("반려동물", "name"), (USER, "pet")]
        elif owner in {"나", ""} and phrase.clause is None:
            kind = next((w for q in asked.phrases for w in q.text.split() if w in KIN), None)
            out += [(kind or who, "name")] if kind or asks_itself(asked.words) or who != USER else []
        elif re.fullmatch(r"[가-힣]{2,4}", owner) and set(phrase.tags[:1]) == {"NNP"} and attribute_of(owner) is None:
            out.append((_bare_name(owner), "name"))
    return _spread(out)


def _who(asked: Asked, who: str) -> tuple[Slot, ...]:
    """ "예나가 누구야" asks what she is to the speaker, "우리 팀장 누구지" what he is called, "나 누구게" both of the speaker."""
    if who == USER:
        return ((USER, "name"), (USER, "job")) if re.search(r"(?:나|내가|난|제가|저는?|나는)\s*누구", asked.words) else ()
    told_apart = any(p.modifier or p.clause for p in asked.phrases) or _described(who, asked.words)
    if told_apart or not re.search(r"누구(?:야|지|였|예요|에요|라고|인지|더라|게|죠|임|랬|$)", asked.words):
        return ()
    return _spread([(who, "name"), (who, "relation")]) if who in KIN else ((who, "relation"), (USER, "friend"))


def _spread(out: Iterable[Slot]) -> tuple[Slot, ...]:
    """Somebody close by every word they may have been spoken of; each pair once."""
    spread: list[Slot] = []
    for whom, predicate in out:
        spread += [(w, predicate) for w in wordings(whom)] if whom is not None and whom in KIN else [(whom, predicate)]
    return tuple(dict.fromkeys(spread))


def value_of(segment: Sequence[Clause], asked: Asked, slots: Sequence[Slot]) -> str | None:
    """The thing or the category that is named, where the slot is a taste, an allergy or an attribute; who, where it is family or a pet."""
    predicates = {p for _, p in slots}
    if slots and slots[0][1] == "attribute":
        return next(
            (p.text for p in asked.phrases if not p.wh and p.text not in _NOT_VALUES and p.case in {"subject", "topic", "object", "bare"}), None
        )
    if predicates & {"family", "pet", "partner", "friend"} and "name" not in predicates:
        return next((w for p in asked.phrases for w in p.text.split() if w in KIN), None) or _kind_named(asked.words)
    if not predicates & {"like", "dislike", "favorite", "allergy"}:
        return None
    inner = next((p for p in asked.phrases if p.clause is not None and p.clause.verb in _TASTES and _names_thing(p, asked)), None)
    if inner is not None:
        return re.sub(r"\s*(?:이름|종류)$", "", inner.text)
    if kind := _kind_named(asked.words):
        return kind
    if segment[-1].verb not in _TASTES | {"있"} and not any(c.verb in _TASTES for c in segment):
        return None
    pool = [p for c in reversed(segment) if c.verb in _TASTES | {"있"} for p in c.phrases if _names_thing(p, asked)]
    named = next((p for case in ("object", "bare", "subject", "topic") for p in pool if p.case == case), None)
    return (re.sub(r"\s*(?:알레르기|알러지|종류|중)$", "", named.text) or None) if named is not None else None


def _kind_named(words: str) -> str | None:
    """ "무슨 과일", "최애 음료"."""
    particle = r"(?:을|를|이|가|은|는|에|로|으로|이야|야|예요|이에요|이었지|였지|인지|죠|이죠|지)?(?=[\s?]|$)"
    m = re.search(rf"(?:무슨|어떤|어느|최애)\s+([가-힣A-Za-z]+?){particle}", words)
    return m.group(1) if m and is_kind(m.group(1)) else None


def _names_thing(phrase: Phrase, asked: Asked) -> bool:
    named = bool(phrase.tags) and not phrase.wh and phrase.text not in _NOT_VALUES | KIN | {LIRA} and "NOMINAL" not in phrase.tags
    a_slot = slot_of(phrase) is not None and not (phrase.text.endswith(("알레르기", "알러지")) and " " in phrase.text)
    return named and not a_slot and asked.subject not in {phrase.text, _bare_name(phrase.text)}
