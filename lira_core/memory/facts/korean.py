"""Facts of Korean utterances: one clause after another, each read by its verb."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from lira_core.dates import find
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.names import name_spans, own_name
from lira_core.korean.people import KIN
from lira_core.memory.facts.korean_copula import copula
from lira_core.memory.facts.korean_felt import felt
from lira_core.memory.facts.korean_phrases import is_illness, make_fact
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_rules import verb_facts
from lira_core.memory.facts.korean_words import DESCRIBING, EAT, FEELING, MBTI, PLANNED, SYMPTOMS, UPSETS
from lira_core.memory.question import asking, segments
from lira_core.types import USER, Fact

MEMO: Final = re.compile(
    r"^\s*(?:\[?\s*(?:임시\s*)?(?:메모|노트|기록|memo)\s*(?:장)?\s*\]?\s*[:：\-]\s*|(?:이거|이것|이건|다음)?\s*(?:메모|기억|저장|기록)\s*해?\s*(?:줘|둬|놔|주세요|두세요)?\s*[:：]\s*)",
    re.I,
)


def extract(text: str, at: datetime) -> Iterator[Fact]:
    """Facts in the order in which they are said."""
    memo = MEMO.match(text)
    body = text[memo.end() :] if memo else text
    reader = Reader(body, at)
    parts = segments(reader.all)
    asks = asking(parts, body)
    found = list(_read(reader, parts, asks))
    if not all(asks):
        if (name := own_name(body)) is not None:
            found = [make_fact(USER, "name", name), *(f for f in found if not (f.subject == USER and f.predicate == "name"))]
        found += [f for f in _stated(body) if not any(g.subject == USER and g.predicate == f.predicate for g in found)]
    if memo and not found and (said := body.strip(" .!~")):
        spans = find(body, at)
        found.append(make_fact(USER, "memo", said, when=spans[0] if spans else None, now=at))
    yield from found


SCORE: Final = re.compile(
    r"(토익|토플|텝스|오픽|토스|학점|수능|모의고사|JLPT|토픽|텝스|아이엘츠)\s*(?:스피킹|점수|성적)?[^.?!]{0,14}?(\d+(?:\.\d+)?\s*(?:점|급|등급)|IH|AL|IM\d?)"
)


def _stated(text: str) -> Iterator[Fact]:
    """What is told by its form alone, wherever it stands: a personality type, a test score."""
    if (
        (m := MBTI.search(text))
        and not re.search(rf"(?:{'|'.join(sorted(KIN, key=len, reverse=True))})(?:은|는|이|가|도)\s", text)
        and not name_spans(text)
        and "?" not in text
    ):
        yield make_fact(USER, "mbti", m.group(1).upper())
    if (m := SCORE.search(text)) and not re.search(r"싶|목표|까지|넘[어기]|따야|받아야|원해|이상|[?]|친구|동생", text):
        yield make_fact(USER, "attribute", m.group(2), of=f"{m.group(1)} 점수")


def _read(r: Reader, parts: Sequence[list[Clause]], asks: Sequence[bool]) -> Iterator[Fact]:
    """`asks` says which of the `parts` of what is said asks."""
    said: list[Clause] = []
    for segment, question in zip(parts, asks, strict=True):
        usable = segment if not question else _before_the_question(segment)
        for index, clause in enumerate(usable):
            previous = usable[index - 1] if index else None
            found = _clause_facts(r, clause, previous, usable[index + 1] if index + 1 < len(usable) else None)
            said.append(clause)
            yield from r.pending
            r.pending = []
            yield from found
    if not (any(asks) and re.search(r"다고\s*(?:한|했)", r.text)):
        yield from felt(r, said)


def _clause_facts(r: Reader, clause: Clause, previous: Clause | None, following: Clause | None) -> list[Fact]:
    who, rest = r.frame(clause)
    if (
        who == "너"
        or "guess" in clause.flags
        or ("may" in clause.flags and clause.past)
        or (clause.ending in {"면", "으면", "다면", "라면", "려면", "거든"} and "may" not in clause.flags)
    ):
        return _conditional(r, clause, following, rest, who)
    if (
        clause.ending in {"자", "아라", "어라", "세요", "십시오", "을게", "ᆯ게"}
        and clause.final
        and (who in {None, USER} or clause.ending not in {"세요", "십시오"})
        and "will" not in clause.flags
        and clause.verb != "이"
        and not (clause.verb in PLANNED and clause.ending in {"을게", "ᆯ게"})
    ):
        return []
    if who is not None:
        r.carry = who
    if "give" in clause.flags and clause.final and re.search(r"(?:줘|주세요|줄래|주라|주십시오)(?:요)?\s*$", clause.text):
        return []
    if who is None and following is not None and following.verb == "" and len(following.phrases) == 1 and following.phrases[0].case == "subject":
        # "알레르기 있대 우리 애가": the subject said last.
        who = r.person_of(following.phrases[0])
        r.carry = who or r.carry
    explicit = who
    for phrase in rest:
        ill = re.sub(r"\s*(?:때문|탓)$", "", phrase.text)
        if ill != phrase.text and is_illness(ill):
            r.pending.append(make_fact(who or USER, "condition", ill))
    comp = clause.get("comp")
    if comp is not None and comp.clause is not None and who in {None, USER} and comp.clause.verb in DESCRIBING:
        # "대전에서 물리학 전공하는 오세영이라고 합니다" says more than a name.
        r.pending += verb_facts(r, comp.clause, USER, [p for p in comp.clause.phrases if p.text != "나"], None, None, True)
    for phrase in rest:
        if phrase.clause is not None and phrase.text.split()[0] == "지" and re.search(r"지\s*(?:\S+\s*){1,3}(?:[돼됐된되]|째|넘|지났)", clause.text):
            # "담배 끊은 지 한 달 됐어" tells that it lasts.
            lasting = replace(phrase.clause, flags=phrase.clause.flags | {"ongoing"}, past=False)
            found_since = verb_facts(r, lasting, who or USER, [p for p in lasting.phrases if p.text != "나"], None, None, True)
            if found_since:
                return found_since
    if who is None and clause.verb in FEELING - {"좋"}:
        return []
    found = copula(r, clause, who, rest) if clause.verb in {"이", "아니", ""} or (clause.verb == "되" and not clause.noun) else None
    if found is None:
        subject = who or r.carried(clause_is_new_topic=clause.verb in PLANNED and bool(clause.dates))
        found = verb_facts(r, clause, subject, rest, previous, following, explicit is not None)
    found = [kept for fact in found if (kept := r.claimed(fact, clause, explicit)) is not None]
    subject_said = next((p for p in rest if p.case in {"subject", "topic"} and p.tags and not p.wh), None)
    r.other = (clause.sentence, subject_said.text) if subject_said is not None and explicit is None else None
    for fact in found:
        if fact.subject != USER:
            r.carry = fact.subject
        elif fact.predicate in {"pet", "family", "partner"} and fact.object in KIN:
            r.carry_noun = fact.object
            if following is not None or not clause.final or fact.predicate == "pet":
                r.carry = fact.object
        elif explicit == USER:
            r.carry, r.carry_noun = USER, None
    return found


def _conditional(r: Reader, clause: Clause, following: Clause | None, rest: list[Phrase], who: str | None) -> list[Fact]:
    """ "땅콩 먹으면 두드러기 나" is an allergy; any other condition states nothing."""
    if clause.verb in EAT and who != "너" and following is not None and any(s in r.text[clause.end :] for s in SYMPTOMS):
        return [make_fact(who or USER, "allergy", p.text) for p in rest if p.case in {"bare", "object", "topic"}][:1]
    if clause.verb in EAT and who != "너" and any(s in r.text[clause.end :] for s in UPSETS):
        return [make_fact(who or USER, "dislike", p.text) for p in rest if p.case in {"bare", "object", "topic"}][:1]
    return []


def _before_the_question(segment: Sequence[Clause]) -> list[Clause]:
    """Of a segment that ends in a question, what it states before: "나 커피 좋아하는데 너는?"."""
    return [c for c in segment[:-1] if c.ending.endswith(("는데", "ᆫ데", "지만", "고")) and not c.asks and not segment[-1].past]
