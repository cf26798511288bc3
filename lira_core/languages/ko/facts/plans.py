"""Plans in Korean: made, moved, cancelled."""

from __future__ import annotations

from dataclasses import replace

from lira_core.languages.ko.clauses import Phrase, nominal
from lira_core.languages.ko.facts.phrases import is_person_word, make_fact, plan_noun, things_in, without_facet
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.ko.facts.words import CANCEL, MOVE, PLANNED, SETTLE, TOO_PLAIN
from lira_core.types import Fact

_MEALS = frozenset({"저녁", "점심", "아침", "밥"})


def moved(r: Reader, s: Said) -> list[Fact] | None:
    """A plan that changed or is off, before anything else may claim its verb."""
    c, noun = s.clause, _noun(s)
    off = c.verb in CANCEL or "없던 일" in c.text
    if not off and c.verb not in MOVE:
        return None
    if off:
        return [make_fact(s.subject, "plan", without_facet(noun), polarity=False)] if noun and (c.past or "will" in c.flags or c.final) else []
    facet = next((p.text for p in s.rest if p.text.split()[-1:] and p.text.endswith(("시간", "날짜", "장소"))), None)
    to = next((p.text for p in s.rest if p.case == "to" and not plan_noun(p.text)), None)
    if noun is not None and "want" not in c.flags:
        fact = r.planned(s, without_facet(noun), [p for p in s.rest if p.case != "from"])
        span, place = r.changed(c)
        return [replace(r.later(fact, span if fact.when is None else None, None), place=to or place or fact.place)]
    if facet is None or not (c.dates or to):
        return None
    if r.plan is not None and " " not in facet:
        return [r.later(r.plan, r.dates_of(c)[0], to if facet.endswith("장소") else None)]
    return [replace(r.planned(s, facet.rsplit(" ", 1)[0] if " " in facet else "약속", s.rest), place=to if facet.endswith("장소") else None)]


def planning(r: Reader, s: Said) -> list[Fact] | None:
    """What is to come: with a day of its own, or a thing that is always planned ("수술 받기로 했어")."""
    c, noun = s.clause, _noun(s)
    if c.verb in SETTLE and noun and c.dates:
        return [r.planned(s, without_facet(noun), [p for p in s.rest if plan_noun(p.text) != noun])]
    span = c.dates[0] if c.dates else None
    soon = span is not None and (span.when >= r.at.replace(hour=0, minute=0) or span.granularity in {"week", "weekend", "month", "year"})
    future = soon and not c.past
    intends = "will" in c.flags or ("must" in c.flags and (noun is not None or span is not None))
    if not (future or intends) or (s.wished and not future) or "want" in c.flags or "guess" in c.flags or "may" in c.flags:
        return None
    if ("ongoing" in c.flags and not intends) or ("hearsay" in c.flags and not s.explicit and not (noun and span)):
        return None
    if (not intends and c.ending in {"어서", "아서", "니까", "으니까", "ᆯ까", "을까"}) or ("겠" in c.text and span is None):
        return None
    if c.verb in {"오", "내리", "춥", "덥"} and any(p.text in {"비", "눈", "태풍", "장마"} for p in s.rest):
        return []
    if not s.positive:
        return [make_fact(s.subject, "plan", noun, polarity=False)] if noun and intends else None
    what = noun or _doing(s, dated=span is not None)
    return [r.planned(s, what, [p for p in s.rest if plan_noun(p.text) != what or p.case in {"from", "with"}])] if what else None


def _noun(s: Said) -> str | None:
    cases = {"subject", "topic", "object", "bare", "to", "at", "from"}
    named = next((plan for p in s.rest if p.case in cases and (plan := plan_noun(p.text))), None)
    return named or (plan_noun(s.clause.noun) if s.clause.noun and s.clause.verb not in MOVE | CANCEL else None)


def _doing(s: Said, *, dated: bool) -> str | None:
    """What is to be done, as a thing ("강릉 가기"); without a day only whom one meets is a plan."""
    verb = s.clause.verb
    if verb in {"만나", "뵈", "보"} and any(is_person_word(p) or p.case == "with" for p in s.rest):
        return "약속"
    if not dated:
        return None
    thing = next((p for p in _things(s)), None)
    if s.clause.noun and s.clause.noun not in TOO_PLAIN:
        return f"{thing.text if thing is not None and thing.case in {'object', 'bare'} else ''} {s.clause.noun}".strip()
    if thing is None or verb not in PLANNED:
        return None
    meal = "식사" if thing.text in _MEALS else "먹기"
    told = {"떠나": f"{thing.text} 여행", "먹": f"{thing.text} {meal}", "치": thing.text, "받": thing.text}
    return told.get(verb, f"{thing.text} {nominal(verb)}")


def _things(s: Said) -> list[Phrase]:
    meals = [p for p in s.rest if p.case in {"object", "bare"} and p.text in _MEALS]
    return things_in(s.rest, "object", "bare", "to", "at") or meals
