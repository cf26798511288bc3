# ruff: noqa: SIM905 (word lists read better in wide rows)
""" "X is Y" in Korean: slots told by their noun, names, days, favourites, plans, and what somebody is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from lira_core.dates.span import Span
from lira_core.languages.categories import kind_name
from lira_core.languages.ko.attributes import attribute_of
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.ko.facts.nouns import (
    AGE,
    BLOOD,
    COUNTED,
    FRIENDS,
    GRADE,
    MBTI,
    SCHOOL,
    bare_name,
    date_words,
    full_text,
    is_illness,
    is_job,
    is_person_word,
    listed_in,
    make_fact,
    nameable,
    plan_noun,
)
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.people import KIN
from lira_core.types import USER, Fact

_SEVERAL = frozenset({"hobby", "pet", "medicine", "condition", "allergy"})
# What is left of "이름이라고", "이름이라서", where the copula was read as a particle.
_SAYS_SO = re.compile(r"라(?:서|고요?|니까요?|며|는데|던데|도)?")
# Slots that are told without a particle ("우리 고양이 이름 나비야", "혈액형 O형이야").
_BARE_SLOTS = frozenset("이름 본명 별명 생일 혈액형 MBTI mbti 나이 취미 전공 고향 직업".split())
_CODE = re.compile(r"(?:비밀번호|번호|비번|아이디|주소|계좌|암호|와이파이)$")
_OF_A_DAY = re.compile(r"(?:생일|생신|기념일)$")
_NO_NAMERS = re.compile(r"다들|사람들|애들|친구들|모두")


@dataclass(frozen=True, slots=True)
class Equation:
    """ "<topic>은 <value>이다": either may be missing."""

    topic: Phrase | None
    comp: Phrase | None
    value: str
    when: Span | None
    positive: bool


def being(r: Reader, said: Said) -> list[Fact] | None:
    """What a clause with a copula or without a verb states; None where it has no value, and no verb either."""
    said, eq = _equation(r, said)
    if eq.comp is not None and (eq.comp.wh or eq.comp.text.split()[0] in {"뭐", "누구", "어디", "언제"}):
        return []
    for reading in (_plan, _called, _day, _favourite, _slot):
        if (found := reading(r, said, eq)) is not None:
            return found
    if not eq.value or eq.comp is None:
        return None if said.clause.verb == "" else []
    about_a_thing = not said.explicit and eq.topic is not None and eq.topic.text not in {"지금", "여기", "저기"}
    return [] if about_a_thing else _is_a(said, eq.comp, eq.value, positive=eq.positive)


def _equation(r: Reader, said: Said) -> tuple[Said, Equation]:
    clause, rest = said.clause, said.rest
    comp = clause.get("comp") or (rest[-1] if rest and clause.verb == "" else None)
    if comp is not None and clause.verb == "이" and len(rest) == 1 and len(words := comp.text.split()) == 2 and words[0] in _BARE_SLOTS:
        name = Phrase(words[0], "topic", "", comp.owner, comp.modifier, comp.clause, comp.tags[:1], comp.start, comp.start + len(words[0]))
        comp = Phrase(words[1], "comp", "", None, "", None, comp.tags[1:], comp.end - len(words[1]), comp.end)
        rest = (name, comp)
    others = [p for p in rest if p is not comp]
    if comp is not None and comp.case == "topic":
        others, comp = [comp, *others], None  # "내 생일은 3월 14일"
    value = "" if comp is None else full_text(comp)
    joined = [p for p in others if comp is not None and p.case == "with" and p.end < comp.start <= p.end + 6 and p.tags]
    if comp is not None and joined and clause.verb == "이":
        value, others = r.text[joined[0].start : comp.end], [p for p in others if p not in joined]
    topic = next((p for p in others if p.case in {"topic", "subject"}), None) or (others[0] if others else r.changed)
    if clause.verb == "아니":
        comp = next((p for p in rest if p.case == "comp" or (p.case == "subject" and p is not topic)), comp)
        value = comp.text if comp is not None else value
    return replace(said, rest=rest), Equation(topic, comp, value, r.date_of(clause), clause.verb != "아니" and not clause.negated)


def _plan(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """Plans said without a verb of their own: "다음 주 수요일 10시에 치과 예약!", "화요일에 시험임", "면접은 목요일이야"."""
    clause, topic, comp = said.clause, eq.topic, eq.comp
    if eq.when is None or clause.past or clause.negated or clause.verb not in {"", "이"} or (said.explicit and said.subject != USER):
        return None
    if topic is not None and (comp is None or comp is topic or clause.dates) and (what := plan_noun(topic.text)):
        return [r.planned(said, what, [p for p in said.rest if p is not topic])]
    if (
        comp is None
        or (topic is not None and topic.case in {"topic", "subject"})
        or eq.when.when.date() < r.at.date()
        or not (what := plan_noun(comp.text))
    ):
        return None
    return [r.planned(said, what, [p for p in said.rest if p is not comp])]


def _called(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """ "민수라고 불러줘", "저는 김서연이라고 해요"; what others call somebody is no name."""
    clause, topic, comp = said.clause, eq.topic, eq.comp
    if clause.verb != "이" or comp is None or not ("quoted" in clause.flags or clause.ending in {"라고", "이라고"}):
        return None
    asked = re.match(r"\s*(?:불러\s*(?:줘|주|도)|해|합니|하고)", r.text[clause.end : clause.end + 12])
    named = r.slot_named(topic, said.subject if said.explicit else None) if topic is not None else None
    if ("quoted" not in clause.flags and asked is None) or (topic is not None and named is None and topic.case != "with") or not nameable(comp):
        return None
    subject, predicate = named or (said.subject if said.explicit else USER, "name")
    return [] if _NO_NAMERS.search(r.text[: comp.start]) else [make_fact(subject, predicate, bare_name(eq.value))]


def _day(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """Birthdays and anniversaries: "3월 2일이 엄마 생신이야", "내 생일 5월 1일", "결혼기념일은 5월 2일"."""
    nouns = [p for p in (eq.comp, eq.topic) if p is not None and _OF_A_DAY.search(p.text)]
    if eq.when is None or not nouns:
        return None
    noun = nouns[0]
    if attribute_of(noun.text) == "birthday":
        subject, _ = r.slot_named(noun, said.subject if said.explicit else None) or (USER, "")
        return [make_fact(subject, "birthday", date_words(eq.when), when=eq.when, now=r.at)]
    return [make_fact(noun.owner if noun.owner in KIN else USER, "anniversary", noun.text, when=eq.when, now=r.at)]


def _favourite(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """ "제일 좋아하는 과일은 딸기", "민수가 싫어하는 건 오이야"."""
    topic = eq.topic
    inner = topic.clause if topic is not None else None
    if topic is None or inner is None or inner.verb not in {"좋아하", "싫어하", "좋", "싫"}:
        return None
    inside = next((p for p in inner.phrases if p.case in {"subject", "bare", "topic"}), None)
    person = r.person_of(inside) if inside is not None else None
    if not eq.value or any(p.text != "나" and (p is not inside or person is None) for p in inner.phrases):
        return []  # "민수 싫어하는 거 비밀이야" says nothing of what is disliked
    subject, things = (said.subject if said.explicit else None) or person or USER, listed_in(eq.value)
    if inner.verb in {"싫어하", "싫"}:
        return [make_fact(subject, "dislike", t, polarity=eq.positive) for t in things]
    if len(things) == 1 and ({"제일", "가장", "젤"} & set(inner.adverbs) or topic.text not in {"것", "거"}):
        return [make_fact(subject, "favorite", things[0], of=kind_name(topic.text), polarity=eq.positive)]
    return [make_fact(subject, "like", t, polarity=eq.positive) for t in things]


def _slot(r: Reader, said: Said, eq: Equation) -> list[Fact] | None:
    """ "내 이름은 지민이야", "혈액형 O형", "내 사물함 번호는 12번이야": the noun says what it is."""
    topic, comp, value = eq.topic, eq.comp, eq.value
    if topic is None:
        return None
    named = r.slot_named(topic, said.subject if said.explicit else None)
    if named is None or named[1] == "attribute":
        mine = topic.owner == "나" or _CODE.search(topic.text.replace(" ", ""))
        if not mine or is_person_word(topic):
            return None if named is None else []
        return [make_fact(USER, "attribute", value, of=topic.text, polarity=eq.positive)] if value else None
    subject, predicate = named
    if comp is None or not value or predicate == "plan":
        return []
    if predicate == "name" and subject == USER and topic.owner != "나":
        return []  # whose name it is that is told without saying whose, a model hears
    if predicate in {"name", "nickname"}:
        if _SAYS_SO.fullmatch(value):
            return []
        if topic.text.replace(" ", "") in {"회사이름", "직장이름"}:
            return [make_fact(USER, "workplace", value)]
        several = re.search(r"(?:이랑|랑|와|과|하고|,)\s", value)
        return [make_fact(subject, predicate, value if several else bare_name(value), polarity=eq.positive)] if nameable(comp) else []
    if predicate in _SEVERAL:
        return [make_fact(subject, predicate, t, polarity=eq.positive) for t in listed_in(value)]
    if predicate == "live_in" and topic.text == "집" and not re.search(r"[시군구동역]$", value):
        return []  # "집은 난장판이야"
    if predicate == "age":
        value = m.group().strip() if (m := AGE.search(said.clause.text)) else value
    return [make_fact(subject, predicate, value.upper() if predicate == "mbti" else value, polarity=eq.positive)]


def _is_a(said: Said, comp: Phrase, value: str, *, positive: bool) -> list[Fact]:
    """ "나는 27살 간호사야", "여동생은 지은이야", "민수는 내 친구야"."""
    subject, found = said.subject, list[Fact]()
    if set(comp.tags) == {"NR"} and COUNTED.match(value.replace(" ", "")):
        return [make_fact(subject, "age", value)]
    if (m := AGE.search(value)) and m.group().strip(" 살"):
        if value.endswith("차이"):
            return []
        found, value = [make_fact(subject, "age", m.group().strip())], value.replace(m.group(), "").strip()
    squashed = value.replace(" ", "")
    if not value:
        return found
    if MBTI.fullmatch(squashed) or BLOOD.fullmatch(squashed):
        predicate = "blood_type" if BLOOD.fullmatch(squashed) else "mbti"
        return [make_fact(subject, predicate, squashed.upper() if predicate == "mbti" else squashed)]
    if m := GRADE.search(value):
        school = [make_fact(subject, "school", w) for w in value[: m.start()].split() if SCHOOL.search(w)]
        return [*found, make_fact(subject, "grade", m.group().strip()), *school]
    if value.endswith("출신") and (place := value.removesuffix("출신").strip()):
        return [make_fact(subject, "school" if SCHOOL.search(place) else "hometown", place)]
    if is_illness(value):
        return [make_fact(subject, "condition", value, polarity=positive)]
    return [*found, *_standing(said, comp, value, positive=positive)]


def _standing(said: Said, comp: Phrase, value: str, *, positive: bool) -> list[Fact]:
    """Who somebody is to the speaker, what they do, what they are called."""
    subject, last = said.subject, value.split()[-1]
    other = said.explicit and subject != USER
    if comp.owner == "나" or (other and last in KIN):
        return [make_fact(subject, "relation", value)] if other and last in KIN | FRIENDS else []
    if is_job(value):
        return [make_fact(subject, "job", value, polarity=positive)]
    if not other or said.clause.verb != "이" or not nameable(comp) or subject.split()[-1] not in KIN:
        return []
    personal = "NNP" in comp.tags or (len(comp.tags) >= len(value) and re.fullmatch(r"[가-힣]{2,3}", value))
    return [make_fact(subject, "name", bare_name(value))] if personal else []
