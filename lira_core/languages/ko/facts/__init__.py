"""Facts of Korean utterances: one clause after another, each read by its verb.

Names, days, and what a slot's noun says are exact, and decide what replaced what; whatever else was told the reader finds in the words themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from lira_core.dates.finding import find
from lira_core.languages.ko.asking import asking, segments
from lira_core.languages.ko.attributes import attribute_of
from lira_core.languages.ko.clauses import Clause
from lira_core.languages.ko.facts.being import being
from lira_core.languages.ko.facts.life import having, health, living, taste, working
from lira_core.languages.ko.facts.nouns import make_fact
from lira_core.languages.ko.facts.plans import PLANNED, planning
from lira_core.languages.ko.facts.reader import YOU, Reader, Rule, Said
from lira_core.languages.people import KIN
from lira_core.types import USER, Fact

RULES: Final[tuple[Rule, ...]] = (living, taste, health, working, having, planning)
"""What reads a verb: the first that takes the clause has it."""
_MEMO: Final = re.compile(
    r"^\s*(?:\[?\s*(?:임시\s*)?(?:메모|노트|기록|memo)\s*\]?\s*[:：]\s*|(?:이거|이것)?\s*(?:메모|기억|저장|기록)\s*해?\s*(?:줘|둬|주세요)?\s*[:：]\s*)",
    re.I,
)
_CHANGES: Final = frozenset({"바꾸", "바뀌"})
"""What was changed is what the next clause tells the new value of."""
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
    if memo and not found and (said := body.strip(" .!~")):
        found.append(make_fact(USER, "memo", said, when=next(iter(find(body, at)), None), now=at))
    yield from found


def _read(r: Reader, parts: Sequence[list[Clause]], asks: Sequence[bool]) -> Iterator[Fact]:
    """`asks` says which of the `parts` of what is said asks."""
    for segment, question in zip(parts, asks, strict=True):
        # Of what ends in a question, what it states before: "나 커피 좋아하는데 너는?".
        stated = [c for c in segment[:-1] if c.ending.endswith(("는데", "ᆫ데", "지만", "고")) and not c.asks and not segment[-1].past]
        usable = stated if question else segment
        if usable and _SUPPOSED.search(r.text[usable[0].start : usable[-1].end]):
            continue
        for index, clause in enumerate(usable):
            found = _stated(r, clause, usable[index - 1] if index else None, last=index + 1 == len(usable))
            yield from r.pending
            r.pending = []
            yield from found


def _stated(r: Reader, clause: Clause, previous: Clause | None, *, last: bool) -> list[Fact]:
    who, rest = r.frame(clause)
    if who == YOU or "guess" in clause.flags or ("may" in clause.flags and clause.past) or clause.ending in _CONDITION or _commands(clause, who):
        return []
    if previous is not None and previous.ending in _CONDITION and "will" in clause.flags and not clause.dates:
        return []
    r.carry = who or r.carry
    said = Said(clause, who or r.carried, tuple(rest), who is not None, previous)
    found = being(r, said) if clause.verb in {"이", "아니", ""} else None
    if found is None:
        found = next((read for rule in RULES if (read := rule(r, said)) is not None), [])
    found = [fact for fact in found if r.claimed(fact, said)]
    r.changed = next((p for p in rest if attribute_of(p.text) is not None), None) if clause.verb in _CHANGES else None
    for fact in found:
        if fact.subject != USER:
            r.carry = fact.subject
        elif fact.predicate in {"pet", "family", "partner"} and fact.object in KIN:
            r.carry_noun = fact.object
            if not last or not clause.final or fact.predicate == "pet":
                r.carry = fact.object
        elif who == USER:
            r.carry, r.carry_noun = USER, None
    return found


def _commands(clause: Clause, who: str | None) -> bool:
    """Whether somebody is told or asked to do it; "7시에 갈게" is a plan and no command."""
    if "give" in clause.flags and clause.final and _ASKED_FOR.search(clause.text):
        return True
    polite = clause.ending in {"세요", "십시오"} and who in {None, USER}
    plain = clause.ending in {"자", "아라", "어라"} or (clause.ending in {"을게", "ᆯ게"} and clause.verb not in PLANNED)
    return clause.final and (polite or plain) and "will" not in clause.flags and clause.verb != "이"
