""" "X is Y" in Korean: slots, names, plans and tastes told with a copula or with no verb at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lira_core.dates import Span
from lira_core.languages.categories import kind_name
from lira_core.languages.ko.attributes import attribute_of
from lira_core.languages.ko.clauses import Clause, Phrase
from lira_core.languages.ko.facts.being import is_a
from lira_core.languages.ko.facts.phrases import (
    bare_name,
    date_words,
    full_text,
    is_person_word,
    listed_in,
    make_fact,
    nameable,
    of_the_speaker,
    plan_noun,
)
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.ko.facts.words import AGE, BARE_SLOTS, DISLIKE, EAT, FAVOURITE, LIKE, MBTI, PHONE
from lira_core.languages.people import KIN, PARTNER
from lira_core.types import USER, Fact

_SEVERAL = frozenset({"hobby", "pet", "medicine", "condition", "allergy"})
_CODE = re.compile(r"(비밀번호|번호|비번|아이디|사이즈|주소|계좌|암호|와이파이)$")
_PLACE = re.compile(r"(?:집|역|앞|식당|카페|호텔|센터|공원|건물|호점|층|로비)$")
# "사는 곳은", "다니는 회사는": which slot a described noun names.
_DESCRIBED = {"살": "live_in", "사": "live_in", "거주하": "live_in", "다니": "workplace", "일하": "workplace", "근무하": "workplace"}


@dataclass(frozen=True, slots=True)
class Equation:
    """ "<topic>은 <value>이다": either may be missing."""

    topic: Phrase | None
    comp: Phrase | None
    value: str
    when: Span | None
    positive: bool


def copula(r: Reader, said: Said) -> list[Fact] | None:
    """What the clause states; None where it has no value, and no verb either."""
    clause = said.clause
    said, eq = _equation(r, said)
    if eq.comp is not None and (eq.comp.wh or eq.comp.text.split()[0] in {"뭐", "누구", "어디", "언제"}):
        return []
    for reading in (_planned_noun, _pastime, _called, _dated_day):
        if (found := reading(r, said, eq)) is not None:
            return found
    if eq.topic is not None:
        named = r.slot_named(eq.topic, said.subject if said.explicit else None)
        if (described := _described_topic(r, said, eq)) is not None:
            return described
        if named is not None:
            return _attribute(r, said, named, eq.topic, eq.comp, eq.value, eq.positive)
        if eq.topic.owner == "나" and eq.value and not is_person_word(eq.topic):
            return [make_fact(USER, "attribute", eq.value, of=eq.topic.text, polarity=eq.positive)]
        if _CODE.search(eq.topic.text.replace(" ", "")) and eq.value:
            return [make_fact(USER, "attribute", eq.value, of=eq.topic.text, polarity=eq.positive)]
    if not eq.value or eq.comp is None:
        return None if clause.verb == "" else []
    return is_a(r, said, eq.comp, eq.value, eq.topic, positive=eq.positive)


def _equation(r: Reader, said: Said) -> tuple[Said, Equation]:
    clause, rest = said.clause, said.rest
    comp = clause.get("comp") or (rest[-1] if rest and clause.verb == "" else None)
    if comp is not None and clause.verb == "이" and len(rest) == 1 and len(words := comp.text.split()) == 2 and words[0] in BARE_SLOTS:
        # "우리 고양이 이름 나비야", without the particle.
        name = Phrase(words[0], "topic", "", comp.owner, comp.modifier, comp.clause, comp.tags[:1], comp.start, comp.start + len(words[0]))
        comp = Phrase(words[1], "comp", "", None, "", None, comp.tags[1:], comp.end - len(words[1]), comp.end)
        rest = (name, comp)
    others = [p for p in rest if p is not comp]
    if comp is not None and comp.case == "topic":
        others, comp = [comp, *others], None  # "내 생일은 3월 14일"
    value = "" if comp is None else comp.text if clause.verb == "이" and comp.clause is not None and comp.clause.phrases else full_text(comp)
    if (
        comp is not None
        and clause.verb == "이"
        and (joined := [p for p in others if p.case == "with" and p.end < comp.start <= p.end + 6 and p.tags])
    ):
        value = r.text[joined[0].start : comp.end]
        others = [p for p in others if p not in joined]
    topic = next((p for p in others if p.case in {"topic", "subject"}), None) or (others[0] if others else None)
    if clause.verb == "아니":
        topic = topic or comp
        comp = next((p for p in rest if p.case == "comp" or (p.case == "subject" and p is not topic)), comp)
        value = comp.text if comp is not None else value
    positive = clause.verb != "아니" and not clause.negated
    return replace(said, rest=rest), Equation(topic, comp, value, r.dates_of(clause)[0], positive)


def _planned_noun(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """Plans said without a verb of their own: "다음 주 수요일 10시에 치과 예약!", "화요일에 시험임", "장소는 여의도예요"."""
    clause, topic, comp = said.clause, eq.topic, eq.comp
    mine = not said.explicit or said.subject == USER
    if clause.past or clause.negated or clause.verb not in {"", "이"}:
        return None
    if r.plan is not None and comp is not None and topic is not None and topic is not comp and topic.text in {"장소", "시간", "날짜", "약속 장소"}:
        if not topic.text.endswith("장소"):
            return [r.later(r.plan, eq.when, None)] if eq.when is not None else []
        return [replace(r.plan, place=comp.text)] if not comp.wh and comp.text not in {"그대로", "똑같", "미정"} else []
    if r.plan is not None and topic is None and comp is not None and not said.explicit and _PLACE.search(comp.text):
        return [r.later(r.plan, eq.when, comp.text)]
    if eq.when is None or not clause.dates or not mine:
        return None
    if topic is not None and (comp is None or comp is topic) and clause.verb == "이" and plan_noun(topic.text) and attribute_of(topic.text) is None:
        return [r.planned(said, topic.text, _without(said.rest, topic))]
    if comp is None or comp.case not in {"comp", "bare"} or (comp.clause is not None and comp.clause.past) or eq.when.when.date() < r.at.date():
        return None
    name = re.sub(r"\s*(?:신청\s*완료|예약\s*완료|등록\s*완료|확정|신청|접수)$", "", comp.text)
    if plan_noun(name) is None or (topic is not None and topic is not comp and topic.case in {"topic", "subject"}):
        return None
    return [r.planned(said, name, _without(said.rest, comp))]


def _without(rest: Sequence[Phrase], phrase: Phrase) -> list[Phrase]:
    return [p for p in rest if p is not phrase]


def _pastime(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """ "도자기 만드는 게 취미예요": the slot is said last."""
    if eq.comp is None or eq.topic is None or attribute_of(eq.comp.text) != "hobby" or attribute_of(eq.topic.text) is not None:
        return None
    return [make_fact(said.subject, "hobby", full_text(eq.topic), polarity=eq.positive)]


def _called(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """ "민수라고 불러줘", "저는 김서연이라고 해요"; what others call somebody is no name."""
    clause, topic, comp = said.clause, eq.topic, eq.comp
    if clause.verb != "이" or comp is None or not ("quoted" in clause.flags or clause.ending in {"라고", "이라고"}):
        return None
    after = re.match(r"\s*(불러\s*(?:줘|주|도)|해|합니|하고)", r.text[clause.end : clause.end + 12])
    who = said.subject if said.explicit else None
    named = r.slot_named(topic, who) if topic is not None else None
    if ("quoted" not in clause.flags and after is None) or (topic is not None and named is None and topic.case != "with") or not nameable(comp):
        return None
    if re.search(r"(?:다들|사람들|애들|친구들|모두)", r.text[: comp.start]):
        return []
    subject, predicate = named or (who or USER, "name")
    if after is not None and after[1].startswith("불러") and topic is None and who is None and "이름" in r.text:
        predicate = "nickname"
    return [make_fact(subject, predicate, bare_name(eq.value) if predicate in {"name", "nickname"} else eq.value)]


def _dated_day(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """Birthdays and anniversaries: "3월 2일이 엄마 생신이야", "내 생일 5월 1일", "결혼기념일은 5월 2일"."""
    noun = eq.comp if eq.comp is not None and eq.comp.case != "topic" and _of_a_day(eq.comp) else eq.topic
    if eq.when is None or noun is None or not _of_a_day(noun):
        return None
    owner = noun.owner if noun.owner in KIN else None
    if attribute_of(noun.text) == "birthday":
        subject, _ = r.slot_named(noun, said.subject if said.explicit else None) or (USER, "")
        return [make_fact(owner or subject, "birthday", date_words(eq.when), when=eq.when, now=r.at)]
    return [make_fact(owner or USER, "anniversary", noun.text, when=eq.when, now=r.at)]


def _of_a_day(phrase: Phrase) -> bool:
    return bool(re.search(r"생일|생신|기념일$|\d+\s*주년$", phrase.text)) and not re.search(r"선물|파티|케이크", phrase.text)


def _described_topic(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """ "제일 좋아하는 과일은 딸기", "사는 곳은 대전", "다니는 회사는 네이버"."""
    topic, value = eq.topic, eq.value
    assert topic is not None
    inner = topic.clause
    if inner is None:
        if not topic.text.startswith("최애") or not value:
            return None
        return [make_fact(said.subject, "favorite", value, of=kind_name(topic.text.removeprefix("최애").strip() or "것"))]
    inside = next((p for p in inner.phrases if p.case in {"subject", "bare", "topic"}), None)
    person = r.person_of(inside) if inside is not None else None
    subject = (said.subject if said.explicit else None) or person or (topic.owner if topic.owner in KIN else None) or USER
    if any(p.case in {"object", "bare"} and p.text != "나" and (p is not inside or person is None) for p in inner.phrases):
        return []  # "민수 싫어하는 거 비밀이야" says nothing of what is disliked
    if value and (inner.verb in LIKE | DISLIKE | {"좋", "싫"} or (inner.verb in EAT and inner.negated)):
        return _described_taste(subject, inner, topic, value, positive=eq.positive)
    predicate = _DESCRIBED.get(inner.verb)
    if predicate is None or not value:
        return None
    return [make_fact(subject, "school" if "학교" in topic.text else predicate, value, polarity=eq.positive)]


def _described_taste(subject: str, inner: Clause, topic: Phrase, value: str, *, positive: bool) -> list[Fact]:
    things = listed_in(value)
    if inner.verb not in LIKE | {"좋"}:
        return [make_fact(subject, "dislike", t, polarity=positive) for t in things]
    best = bool(FAVOURITE & set(inner.adverbs)) or topic.text not in {"것", "거"}
    if best and len(things) == 1:
        return [make_fact(subject, "favorite", things[0], of=kind_name(topic.text), polarity=positive)]
    return [make_fact(subject, "like", t, polarity=positive) for t in things]


def _attribute(r: Reader, said: Said, slot: tuple[str, str], topic: Phrase, comp: Phrase | None, value: str, positive: bool) -> list[Fact]:
    """What the slot of (subject, predicate) is said to be."""
    subject, predicate = slot
    if predicate == "plan":
        return _slot_plan(r, said, topic, comp, value, positive=positive)
    if not value or comp is None:
        return []
    of_whom = of_the_speaker(subject) if subject not in PARTNER or predicate in {"name", "nickname"} else []
    if predicate in {"name", "nickname"}:
        return _name(subject, predicate, topic, comp, value, positive=positive, of_whom=of_whom)
    if predicate == "attribute":
        return [make_fact(subject, predicate, value, of=topic.text, polarity=positive)]
    if predicate == "age" and (m := AGE.search(said.clause.text)):
        return [make_fact(subject, "age", m.group().strip()), *of_whom]
    if predicate == "mbti" and (m := MBTI.search(value)):
        return [make_fact(subject, "mbti", m.group().upper())]
    if predicate == "blood_type":
        return [make_fact(subject, "blood_type", value if value.endswith("형") else f"{value}형", polarity=positive)]
    if predicate in _SEVERAL:
        return [make_fact(subject, predicate, t, polarity=positive) for t in listed_in(value)]
    if predicate == "live_in" and topic.text == "집" and comp.tags[-1:] == ("NNG",) and not re.search(r"[시군구동역]$", value):
        return []  # "집은 난장판이야"
    if predicate == "phone":
        return [make_fact(subject, "phone", m.group())] if (m := PHONE.search(value)) else []
    if predicate in {"partner", "friend"}:
        return [make_fact(subject, predicate, bare_name(value))]
    return [make_fact(subject, predicate, value, polarity=positive), *of_whom]


def _slot_plan(r: Reader, said: Said, topic: Phrase, comp: Phrase | None, value: str, *, positive: bool) -> list[Fact]:
    if said.clause.dates or r.dates_of(said.clause)[0] is not None:
        return [r.planned(said, topic.text, [p for p in said.rest if p is not topic], polarity=positive)]
    if comp is None or not value:
        return []
    if value in {"취소", "연기"}:
        return [make_fact(said.subject, "plan", topic.text, polarity=value != "취소")]
    return [make_fact(said.subject, "plan", topic.text, place=value)] if said.clause.verb == "이" and comp.tags[-1:] == ("NNP",) else []


def _name(subject: str, predicate: str, topic: Phrase, comp: Phrase, value: str, *, positive: bool, of_whom: list[Fact]) -> list[Fact]:
    if topic.text.replace(" ", "") in {"회사이름", "직장이름", "가게이름"}:
        return [make_fact(USER, "workplace", value)]
    if not nameable(comp):
        return []
    several = re.search(r"(?:이랑|랑|와|과|하고|,)\s", value)
    return [make_fact(subject, predicate, value if several else bare_name(value), polarity=positive), *of_whom]
