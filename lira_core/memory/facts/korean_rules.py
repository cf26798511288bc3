"""Which rule reads a Korean verb: the first that takes the clause has it."""

from __future__ import annotations

from typing import Final

from lira_core.korean.clauses import Clause, Phrase
from lira_core.memory.facts.korean_doing import activity, done, events, skills
from lira_core.memory.facts.korean_health import health
from lira_core.memory.facts.korean_life import business, living, working
from lira_core.memory.facts.korean_people import having, people
from lira_core.memory.facts.korean_plans import moved, planning
from lira_core.memory.facts.korean_reader import Reader, Rule
from lira_core.memory.facts.korean_taste import eating, taste, turning
from lira_core.types import Fact

RULES: Final[tuple[Rule, ...]] = (
    skills, turning, taste, moved, eating, business,
    living, people, health, working, having, planning, events, activity, done,
)  # fmt: skip


def verb_facts(
    r: Reader, clause: Clause, subject: str, rest: list[Phrase], previous: Clause | None, following: Clause | None, explicit: bool
) -> list[Fact]:
    verb, positive = clause.verb, not clause.negated and "cannot" not in clause.flags
    for rule in RULES:
        found = rule(r, clause, verb, subject, rest, positive, previous, explicit)
        if found is not None:
            return found
    return []
