# ruff: noqa: SIM905 (word lists read better in wide rows)
"""Plans in Korean: made, moved, cancelled."""

from __future__ import annotations

from dataclasses import replace

from lira_core.languages.ko.clauses import nominal
from lira_core.languages.ko.facts.nouns import TOO_PLAIN, is_person_word, make_fact, plan_noun, things_in
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.types import Fact

_MOVE = frozenset("바뀌 변경되 변경하 바꾸 미루 미뤄지 밀리 연기되 연기하 당기 당겨지 옮기 옮겨지 늦춰지 앞당기".split())
_CANCEL = frozenset("취소되 취소하 없어지 무산되 엎어지 깨지".split())
# What one does at a set time: with a day to come it is a plan.
PLANNED = frozenset(
    "가 보 하 만나 먹 떠나 출국하 출발하 시작하 시작되 입사하 입학하 졸업하 받 놀 놀러가 치 오 참석하 참가하 방문하 다녀오 뵈 열리 "
    "이사하 이사가 입대하 전역하 입원하 퇴원하 돌아오 귀국하 배우 모이 있 끝나 잡 잡히 정하 정해지 확정되 예약하".split()
)


def planning(r: Reader, s: Said) -> list[Fact] | None:
    """What is to come, with a day of its own or as a plan by its noun ("수술 받기로 했어"); a plan that changed or is off."""
    c, noun = s.clause, _noun(s)
    if c.verb in _CANCEL or "없던 일" in c.text:
        return [make_fact(s.subject, "plan", noun, polarity=False)] if noun else None
    if c.verb in _MOVE:
        if noun is None or "want" in c.flags:
            return None
        to = next((p.text for p in s.rest if p.case == "to" and not plan_noun(p.text)), None)
        changed = r.planned(s, noun, [p for p in s.rest if p.case != "from"])
        return [replace(changed, place=to or changed.place)]
    if c.verb not in PLANNED and not noun:
        return None
    span = c.dates[0] if c.dates else None
    soon = span is not None and (span.when >= r.at.replace(hour=0, minute=0) or span.granularity in {"week", "weekend", "month", "year"})
    settled = c.verb in {"잡", "잡히", "정하", "정해지", "확정되", "예약하"}
    future = soon and (settled or not c.past)
    intends = "will" in c.flags or ("must" in c.flags and (noun is not None or span is not None))
    if not (future or intends) or {"want", "guess", "may", "hearsay"} & c.flags or ("ongoing" in c.flags and not intends) or not s.positive:
        return None
    if (not intends and c.ending in {"어서", "아서", "니까", "으니까"}) or ("겠" in c.text and span is None):
        return None
    what = noun or _doing(s, dated=span is not None)
    return [r.planned(s, what, [p for p in s.rest if plan_noun(p.text) != what or p.case in {"from", "with"}])] if what else None


def _noun(s: Said) -> str | None:
    named = next((what for p in s.rest if p.case not in {"with", "person", "than"} and (what := plan_noun(p.text))), None)
    return named or (plan_noun(s.clause.noun) if s.clause.noun and s.clause.verb not in _MOVE | _CANCEL else None)


def _doing(s: Said, *, dated: bool) -> str | None:
    """What is to be done, as a thing ("강릉 가기"); without a day only whom one meets is a plan."""
    verb = s.clause.verb
    if verb in {"만나", "뵈", "보"} and any(is_person_word(p) or p.case == "with" for p in s.rest):
        return "약속"
    thing = next(iter(things_in(s.rest, "object", "bare", "to", "at")), None)
    if not dated or (thing is not None and thing.text in {"비", "눈", "태풍"}):
        return None
    if s.clause.noun and s.clause.noun not in TOO_PLAIN:
        return f"{thing.text if thing is not None and thing.case in {'object', 'bare'} else ''} {s.clause.noun}".strip()
    return f"{thing.text} {nominal(verb)}" if thing is not None else None
