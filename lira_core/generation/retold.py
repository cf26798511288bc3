"""What a memory says that answers a question, as Korean indirect speech with everything the answer needs in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from lira_core.generation.dated import dated, to_come
from lira_core.korean.retelling import Clause, adding, because, clauses, told
from lira_core.korean.speech import EXCLAIMS, FEELING_STEMS
from lira_core.memory.question import Question
from lira_core.types import Memory

# Two spoken sentences hold about this much (characters); of a longer memory only what was asked for is told.
ROOM = 110
# Longer than this (characters) two clauses are two sentences.
ONE_BREATH = 62
_MOST = 4

# How the kind of thing a question wants looks in a clause.
_HOLDS = {
    "when": re.compile(r"\d+\s*(?:월|일|시|분|년|주)|요일|오전|오후|주말|작년|내년|올해|부터|까지|새벽|저녁"),
    "where": re.compile(r"에서|[가-힣](?:에|로|으로)\s|[가-힣](?:동|구|시|역|점|집|역|도)(?:\s|$|으로|로|에)"),
    "howmany": re.compile(r"\d|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s*(?:명|살|마리|번|개|잔|시간|달|주|년)|원\b"),
    "why": re.compile(r"서(?:\s|$)|때문|니까|라서|느라|바람에|덕분"),
}


def retold(memory: Memory, now: datetime, question: Question | None = None) -> tuple[str, ...]:
    """One or two pieces of indirect speech ("…다고"), each to be followed by 하셨어요 and the like; none when nothing can be retold."""
    text = dated(memory.text, memory.timestamp, now)
    ahead = to_come(memory.text, memory.timestamp)
    chosen = _chosen(clauses(text, to_come=ahead), question)
    if not chosen:
        return ()
    if question is not None and question.wants == "why" and len(chosen) == 2:
        for event, felt in (chosen, chosen[::-1]):
            if _causes(event, felt):
                return (f"{because(event, honour=False)} {told(felt)}",)
    return _sentences(chosen)


def _chosen(found: Sequence[Clause], question: Question | None) -> list[Clause]:
    said = [c for c in found if c.mood == "statement"]
    said = _without_exclamations(said)
    if not said:
        return []
    asked = frozenset(question.terms) if question else frozenset()
    wants = question.wants if question else "what"
    feels = question is None or wants in {"why", "how"} or bool(question.emotions)
    if not feels:
        # A short word of feeling ("다행이야") beside what happened is left out unless it is asked for.
        facts = [c for c in said if not (c.lemma in FEELING_STEMS and len(c.lead) < 12) or _shared(c, asked)]
        said = facts or said
    if len(said) <= _MOST and sum(len(c.lead) for c in said) <= ROOM:
        return said
    holds = _HOLDS.get(wants)
    scores = [
        3 * _shared(c, asked) + 2 * bool(holds and holds.search(c.lead)) + min(c.weight, 4) / 4 + (c.lemma in FEELING_STEMS) * feels for c in said
    ]
    best = max(range(len(said)), key=lambda i: (scores[i], -i))
    kept = {best}
    # Then its neighbours, the better one first, as long as there is room.
    for i in sorted(range(len(said)), key=lambda i: (abs(i - best) > 1, -scores[i])):
        if len(kept) < _MOST and sum(len(said[j].lead) for j in kept | {i}) <= ROOM:
            kept.add(i)
    return [said[i] for i in sorted(kept)]


def _without_exclamations(said: Sequence[Clause]) -> list[Clause]:
    """ "3월 30일 월요일에 대박!! 1등 했어": what only exclaims goes, the day it names stays."""
    out: list[Clause] = []
    day = ""
    for clause in said:
        if clause.kind == "noun" and clause.lemma in EXCLAIMS:
            day = clause.lead.strip().removesuffix(clause.lemma)
            continue
        out.append(replace(clause, lead=day + clause.lead) if day else clause)
        day = ""
    return out or list(said)


def _shared(clause: Clause, asked: frozenset[str]) -> int:
    words = (clause.lead + clause.lemma).lower()
    return sum(term in words for term in asked)


def _causes(event: Clause, feeling: Clause) -> bool:
    """Whether the first clause reads as the cause of the second."""
    plain = not any(form == "겠" for form, _ in event.tense) and event.kind == "verb" and event.lemma not in FEELING_STEMS | {"울", "미치"}
    return plain and feeling.lemma in FEELING_STEMS and not re.search(r"서\s", feeling.lead)


def _sentences(chosen: Sequence[Clause]) -> tuple[str, ...]:
    groups: list[list[Clause]] = []
    for clause in chosen:
        if (groups and len(groups[-1]) < 2 + (len(chosen) == 3) and sum(len(c.lead) for c in groups[-1]) + len(clause.lead) <= ONE_BREATH) or len(
            groups
        ) == 2:
            groups[-1].append(clause)
        else:
            groups.append([clause])
    return tuple(" ".join([*(adding(c) for c in group[:-1]), told(group[-1])]) for group in groups)
