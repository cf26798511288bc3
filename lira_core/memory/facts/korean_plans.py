"""Plans in Korean: made, moved, cancelled."""

from __future__ import annotations

import re
from dataclasses import replace

from lira_core.korean.clauses import Clause, Phrase, nominal
from lira_core.korean.names import is_place
from lira_core.memory.facts.korean_phrases import is_person_word, make_fact, plan_noun, without_facet
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import CANCEL, MOVE, PLANNED, TOO_PLAIN
from lira_core.types import USER, Fact


def planning(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    noun = next((plan for p in rest if p.case in {"subject", "topic", "object", "bare", "to", "at", "from"} and (plan := plan_noun(p.text))), None)
    if verb in MOVE and noun and "want" not in c.flags:
        noun = without_facet(noun)
        if " " not in noun and (caller := r.caller(c)) is not None:
            noun = f"{caller} {noun}"
        to_place = next((p.text for p in rest if p.case == "to" and not plan_noun(p.text)), None)
        fact = r.dated(c, subject, "plan", noun, rest=[p for p in rest if p.case != "from"])
        span, place = r.changed(c, noun)
        if fact.when is None and span is not None:
            fact = r.later(fact, span, None)
        return [replace(fact, place=to_place or place or fact.place)]
    if verb in MOVE and not noun and c.dates and any(p.text.endswith(("시간", "날짜", "장소")) for p in rest):
        words = next(p.text for p in rest if p.text.endswith(("시간", "날짜", "장소")))
        if " " not in words and r.plan is not None:
            when, _ = r.dates_of(c)
            return [r.later(r.plan, when, None)]
        return [r.dated(c, subject, "plan", words.rsplit(" ", 1)[0] if " " in words else "약속")]
    if verb in MOVE and not noun and (to := next((p.text for p in rest if p.case == "to"), None)) and any(p.text.endswith("장소") for p in rest):
        return [replace(r.plan, place=to)] if r.plan is not None else [make_fact(subject, "plan", "약속", place=to)]
    if verb in {"잡", "잡히", "정하", "정해지", "확정되", "확정하", "예약하", "예약되"} and noun and c.dates:
        return [r.dated(c, subject, "plan", without_facet(noun), rest=[p for p in rest if plan_noun(p.text) != noun])]
    if verb in CANCEL and (noun or any(p.text for p in rest)):
        return [make_fact(subject, "plan", noun, polarity=False)] if noun else []
    future = (
        bool(c.dates)
        and not c.past
        and (c.dates[0].when >= r.at.replace(hour=0, minute=0) or c.dates[0].granularity in {"week", "weekend", "month", "year"})
    )
    intends = "will" in c.flags or ("must" in c.flags and (noun is not None or bool(c.dates)))
    if "겠" in c.text and not c.dates and noun is None:
        return None
    if not intends and c.ending in {"어서", "아서", "니까", "으니까", "ᆯ까", "을까"}:
        return None
    if (
        "purpose" in c.flags
        and (future or intends)
        and (goal := next((p for p in rest if p.case in {"object", "bare"} and p.text not in TOO_PLAIN), None))
    ):
        return [
            r.dated(
                c,
                subject,
                "plan",
                f"{goal.text} {verb}러 가기" if verb in {"보", "타", "사"} else f"{goal.text} {nominal(verb)}",
                rest=[p for p in rest if p is not goal],
            )
        ]
    if ("ongoing" in c.flags and not intends) or ("hearsay" in c.flags and subject == USER and not (noun and c.dates)):
        return None
    if intends and not positive and noun:
        return [make_fact(subject, "plan", noun, polarity=False)]
    if not (future or intends) or (c.past and not intends) or not positive:
        return None
    if "want" in c.flags or "may" in c.flags:
        return None
    if verb in {"오", "내리", "춥", "덥"} and any(p.text in {"비", "눈", "태풍", "장마"} for p in rest):
        return []
    if noun is None:
        if verb in {"만나", "뵈", "보"} and any(is_person_word(p) or p.case == "with" for p in rest):
            noun = "약속"
        elif c.noun and c.noun not in TOO_PLAIN:
            extra = next((p.text for p in rest if p.case in {"object", "bare"} and p.text not in TOO_PLAIN and not p.wh), "")
            noun = f"{extra} {c.noun}".strip()
        elif (verb in PLANNED | {"시작되", "있", "끝나"} and c.final) or intends:
            thing = next(
                (
                    p
                    for p in sorted(rest, key=lambda p: bool(re.search(r"(?:기념일|생일|방학|명절|추석|설날|연휴|휴일)$", p.text)))
                    if p.case in {"object", "bare", "to", "at"} and p.text not in TOO_PLAIN - {"저녁", "점심", "밥", "아침"} and not p.wh
                ),
                next((p for p in rest if p.case == "topic" and verb in {"가", "떠나", "오"} and is_place(p.text)), None),
            )
            if thing is None:
                return [] if verb in {"보", "하"} else None
            noun = {
                "가": f"{thing.text} 가기",
                "떠나": f"{thing.text} 여행",
                "먹": f"{thing.text} 식사" if thing.text in {"저녁", "점심", "아침"} else f"{thing.text} 먹기",
                "보": f"{thing.text} 보기",
                "치": f"{thing.text}",
                "받": thing.text,
            }.get(verb, f"{thing.text} {nominal(verb)}")
        else:
            return None
    if not future and not intends:
        return None
    rest = [p for p in rest if plan_noun(p.text) != noun or p.case in {"from", "with"}]
    return [r.dated(c, subject, "plan", noun, rest=rest)]


def moved(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """A plan that changed, before anything else may claim its verb."""
    return planning(r, c, verb, subject, rest, positive, previous, explicit) if verb in MOVE | CANCEL else None
