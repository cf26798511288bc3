"""Facts of Korean utterances: one clause after another, each read by its verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from lira_core.dates import find
from lira_core.languages.ko.clauses import Clause
from lira_core.languages.ko.facts.copula import copula
from lira_core.languages.ko.facts.life import having, health, living, people, working
from lira_core.languages.ko.facts.phrases import make_fact
from lira_core.languages.ko.facts.plans import moved, planning
from lira_core.languages.ko.facts.reader import YOU, Reader, Rule, Said
from lira_core.languages.ko.facts.taste import eating, taste, turning
from lira_core.languages.ko.facts.words import EAT, PLANNED, SYMPTOMS
from lira_core.languages.ko.names import own_name
from lira_core.languages.ko.question_form import asking, segments
from lira_core.languages.people import KIN
from lira_core.types import USER, Fact

RULES: Final[tuple[Rule, ...]] = (turning, taste, moved, eating, living, people, health, working, having, planning)
"""What reads a verb: the first that takes the clause has it."""
_MEMO: Final = re.compile(
    r"^\s*(?:\[?\s*(?:임시\s*)?(?:메모|노트|기록|memo)\s*(?:장)?\s*\]?\s*[:：\-]\s*|(?:이거|이것|이건|다음)?\s*(?:메모|기억|저장|기록)\s*해?\s*(?:줘|둬|놔|주세요|두세요)?\s*[:：]\s*)",
    re.I,
)
_SUPPOSED: Final = re.compile(r"(?<![가-힣])(?:만약|만일|혹시라도)(?![가-힣]*히)")
_CONDITION: Final = frozenset({"면", "으면", "다면", "라면", "려면"})
_ASKED_FOR: Final = re.compile(r"(?:줘|주세요|줄래|주라|주십시오)(?:요)?\s*$")


def extract(text: str, at: datetime) -> Iterator[Fact]:
    """Facts in the order in which they are said."""
    memo = _MEMO.match(text)
    body = text[memo.end() :] if memo else text
    reader = Reader(body, at)
    parts = segments(reader.all)
    asks = asking(parts, body)
    found = list(_read(reader, parts, asks))
    if not all(asks) and (name := own_name(body)) is not None:
        found = [make_fact(USER, "name", name), *(f for f in found if not (f.subject == USER and f.predicate == "name"))]
    if memo and not found and (said := body.strip(" .!~")):
        found.append(make_fact(USER, "memo", said, when=next(iter(find(body, at)), None), now=at))
    yield from found


def _read(r: Reader, parts: Sequence[list[Clause]], asks: Sequence[bool]) -> Iterator[Fact]:
    """`asks` says which of the `parts` of what is said asks."""
    for segment, question in zip(parts, asks, strict=True):
        usable = segment if not question else _before_the_question(segment)
        if usable and _SUPPOSED.search(r.text[usable[0].start : usable[-1].end]):
            continue
        for index, clause in enumerate(usable):
            following = usable[index + 1] if index + 1 < len(usable) else None
            found = _clause_facts(r, clause, usable[index - 1] if index else None, following)
            yield from r.pending
            r.pending = []
            yield from found


def _before_the_question(segment: Sequence[Clause]) -> list[Clause]:
    """Of a segment that ends in a question, what it states before: "나 커피 좋아하는데 너는?"."""
    return [c for c in segment[:-1] if c.ending.endswith(("는데", "ᆫ데", "지만", "고")) and not c.asks and not segment[-1].past]


def _clause_facts(r: Reader, clause: Clause, previous: Clause | None, following: Clause | None) -> list[Fact]:
    who, rest = r.frame(clause)
    if who == YOU or "guess" in clause.flags or ("may" in clause.flags and clause.past):
        return []
    if clause.ending in _CONDITION and "may" not in clause.flags:
        return _reaction(r, clause, following, Said(clause, who or USER, tuple(rest), who is not None))
    if _commands(clause, who) or (previous is not None and previous.ending in _CONDITION and "will" in clause.flags and not clause.dates):
        return []
    if following is not None and who is None and following.verb == "" and len(following.phrases) == 1 and following.phrases[0].case == "subject":
        who = r.person_of(following.phrases[0])  # "알레르기 있대 우리 애가": the subject said last.
    r.carry = who or r.carry
    said = Said(clause, who or r.carried, tuple(rest), who is not None, previous)
    found = _lasting(r, said) or _told(r, said)
    found = [kept for fact in found if (kept := r.claimed(fact, said)) is not None]
    for fact in found:
        if fact.subject != USER:
            r.carry = fact.subject
        elif fact.predicate in {"pet", "family", "partner"} and fact.object in KIN:
            r.carry_noun = fact.object
            if following is not None or not clause.final or fact.predicate == "pet":
                r.carry = fact.object
        elif who == USER:
            r.carry, r.carry_noun = USER, None
    return found


def _told(r: Reader, said: Said) -> list[Fact]:
    clause = said.clause
    if clause.verb in {"이", "아니", ""} and (stated := copula(r, said)) is not None:
        return stated
    return next((found for rule in RULES if (found := rule(r, said)) is not None), [])


def _commands(clause: Clause, who: str | None) -> bool:
    """Whether somebody is told or asked to do it; "7시에 갈게" is a plan and no command."""
    if "give" in clause.flags and clause.final and _ASKED_FOR.search(clause.text):
        return True
    polite = clause.ending in {"세요", "십시오"} and who in {None, USER}
    plain = clause.ending in {"자", "아라", "어라"} or (clause.ending in {"을게", "ᆯ게"} and clause.verb not in PLANNED)
    return clause.final and (polite or plain) and "will" not in clause.flags and clause.verb != "이"


def _lasting(r: Reader, said: Said) -> list[Fact]:
    """ "담배 끊은 지 한 달 됐어" tells that it lasts, "안 한 지 3년" nothing."""
    for phrase in said.rest:
        inner = phrase.clause
        if inner is not None and phrase.text.split()[0] == "지" and re.search(r"지\s*(?:\S+\s*){1,3}(?:[돼됐된되]|째|넘|지났)", said.clause.text):
            lasts = replace(inner, flags=inner.flags | {"ongoing"}, past=False)
            return _told(r, Said(lasts, said.subject, tuple(p for p in inner.phrases if p.text != "나"), True)) if not inner.negated else []
    return []


def _reaction(r: Reader, clause: Clause, following: Clause | None, said: Said) -> list[Fact]:
    """ "땅콩 먹으면 두드러기 나" is an allergy; any other condition states nothing."""
    if clause.verb not in EAT or following is None or not any(s in r.text[clause.end :] for s in SYMPTOMS):
        return []
    return [make_fact(said.subject, "allergy", p.text) for p in said.rest if p.case in {"bare", "object", "topic"}][:1]
