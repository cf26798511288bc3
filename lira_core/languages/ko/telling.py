"""A fact as a clause that LIRA can put into any ending, and several facts as one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lira_core.languages.ko.particles import Morpheme, honoured, object_, subject, topic, toward, with_
from lira_core.languages.ko.retelling import Clause, statement
from lira_core.languages.ko.speech import ELDERS
from lira_core.languages.people import KIN
from lira_core.memory.slots import topic_of
from lira_core.types import USER, Fact

# "<topic>은 <object>이다": what a slot is called.
CALLED = {
    "nickname": "별명", "birthday": "생일", "blood_type": "혈액형", "mbti": "MBTI", "height": "키", "weight": "몸무게", "hometown": "고향",
    "nationality": "국적", "religion": "종교", "phone": "전화번호", "major": "전공", "hobby": "취미",
    "zodiac": "띠",
}  # fmt: skip
# "<object>이다" about the person: no name for the slot is needed.
_BEING = frozenset({"job", "age", "grade"})
# "<object>을 <verb>".
_DOING: dict[str, tuple[Morpheme, ...]] = {
    "like": (("좋아하", "VV"),),
    "dislike": (("싫어하", "VV"),),
    "pet": (("키우", "VV"),),
    "medicine": (("먹", "VV"), ("고", "EC"), ("있", "VX")),
}


def clause_of(fact: Fact, now: datetime | None = None) -> Clause | None:
    """The fact as a clause, the person as its subject left out; None where the person's own words say it better.

    With `now`, a plan that is over is told in the past.
    """
    mine = fact.subject == USER
    own = mine or fact.subject in ELDERS
    whose = "" if mine else f"{topic(_whose(fact))} "
    thing = fact.object
    if not fact.polarity:
        return None
    if fact.predicate == "name":
        return statement(honoured(thing), kind="copula") if mine else statement(f"{_of(fact)}이름은 {thing}", kind="copula", mine=False)
    if fact.predicate == "plan":
        return _plan(fact, now)
    if fact.predicate in _DOING:
        return statement(f"{whose}{object_(thing)} ", *_DOING[fact.predicate], kind="verb", mine=own)
    if fact.predicate == "favorite":
        kind = topic_of(fact)
        named = kind and kind not in thing.lower() and kind not in {"것", "거", fact.subject}
        if named:
            like = "좋아하시는" if own else "좋아하는"
            return statement(f"{whose}제일 {like} {topic(kind or '')} {thing}", kind="copula", mine=False)
        return statement(f"{whose}{object_(thing)} 제일 ", ("좋아하", "VV"), kind="verb", mine=own)
    if fact.predicate == "allergy":
        what = thing if thing.endswith(("알레르기", "알러지")) else f"{thing} 알레르기"
        return statement(f"{whose}{subject(what)} ", ("있", "VA"), kind="adjective", mine=own)
    if fact.predicate == "live_in":
        return statement(f"{whose}{thing}에 ", ("살", "VV"), kind="verb", mine=own)
    if fact.predicate == "school":
        return statement(f"{whose}{thing}에 ", ("다니", "VV"), kind="verb", mine=own)
    if fact.predicate == "workplace":
        return statement(f"{whose}{thing}에서 ", ("일", "NNG"), ("하", "XSV"), kind="verb", mine=own)
    if fact.predicate in {"family", "partner", "friend"} and mine:
        return _person(fact)
    if fact.predicate == "relation":
        return statement(f"{topic(honoured(fact.subject))} {thing}", kind="copula", mine=False)
    if fact.predicate == "anniversary" and fact.when_text:
        return statement(f"{topic(thing)} {fact.when_text}", kind="copula", mine=False)
    if fact.predicate == "attribute":
        kind = topic_of(fact)
        if kind and kind != thing.lower():
            return statement(f"{_of(fact)}{topic(kind)} {thing}", kind="copula", mine=False)
        return None
    if fact.predicate in CALLED:
        return statement(f"{_of(fact)}{topic(CALLED[fact.predicate])} {thing}", kind="copula", mine=False)
    if fact.predicate in _BEING:
        return statement(f"{whose}{thing}", kind="copula", mine=own)
    if fact.predicate == "memo":
        return statement(thing, kind="copula", mine=False, past=True)
    return None


def _whose(fact: Fact) -> str:
    return honoured(fact.subject) if fact.category != "relation" and fact.subject not in KIN else fact.subject


def _of(fact: Fact) -> str:
    return "" if fact.subject == USER else f"{fact.subject} "


def _person(fact: Fact) -> Clause:
    """Somebody the person has ("여동생이 있으세요"), or who that is ("준호님이에요")."""
    thing = fact.object
    last = thing.split()[-1]
    if last in KIN or fact.predicate == "family":
        return statement(f"{subject(thing)} ", ("있", "VA"), kind="adjective")
    return statement(honoured(thing), kind="copula", mine=False)


def _plan(fact: Fact, now: datetime | None) -> Clause:
    """When, where, with whom, what; past once it is over."""
    mine = fact.subject == USER
    past = now is not None and fact.when is not None and fact.when < now
    travels = fact.object.endswith(("여행", "출장", "휴가", "소풍", "캠핑")) and fact.place is not None
    names = [honoured(person) for person in fact.people if person not in fact.object]
    place = "" if not fact.place or fact.place in fact.object else toward(fact.place) if travels else f"{fact.place}에서"
    parts = ["" if mine else topic(_whose(fact)), at_time(fact.when_text), place, with_(listed(names)) if names else ""]
    lead = " ".join([part for part in parts if part] + [object_(fact.object) if travels else subject(fact.object), ""])
    if travels:
        return statement(lead, ("가", "VV"), kind="verb", mine=mine, past=past)
    return statement(lead, ("있", "VA"), kind="adjective", mine=mine, past=past)


def at_time(when: str | None) -> str:
    """With 에, except after words that take none ("내일", "매주 토요일마다")."""
    if not when:
        return ""
    return when if when.endswith(("오늘", "내일", "모레", "어제", "마다", "에")) else f"{when}에"


def listed(words: Sequence[str]) -> str:
    """ "A", "A와 B", "A, B와 C"."""
    if len(words) == 1:
        return words[0]
    return ", ".join([*words[:-2], f"{with_(words[-2])} {words[-1]}"])


def merged(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of one person and one predicate with several values as one: like(커피) and like(딸기) become like(커피와 딸기)."""
    groups: dict[tuple[str, str, bool], list[Fact]] = {}
    for fact in facts:
        joins = fact.predicate in {"like", "dislike", "hobby", "allergy", "pet", "family"}
        groups.setdefault((fact.subject, fact.predicate if joins else f"{fact.predicate}:{fact.key or fact.object}", fact.polarity), []).append(fact)
    out = []
    for group in groups.values():
        values = list(dict.fromkeys(f.object for f in group))[:3]
        first = group[0]
        out.append(first if len(values) == 1 else Fact(first.subject, first.predicate, listed(values), first.category, first.polarity, first.key))
    return out
