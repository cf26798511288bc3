# ruff: noqa: SIM905 (word lists read better in wide rows)
"""Where one lives, works and studies, whom and what one has, and what one is ill with, in Korean."""

from __future__ import annotations

import re

from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.ko.facts.phrases import (
    bare_name,
    date_words,
    full_text,
    is_illness,
    is_job,
    is_person_word,
    listed_in,
    make_fact,
    objects_of,
    plan_noun,
    things_in,
)
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.ko.facts.words import AGE, ALLERGY, COUNT, COUNTED, SCHOOL, TOO_PLAIN
from lira_core.languages.people import FAMILY, PARTNER, PETS
from lira_core.types import Fact

_FORMERLY = frozenset({"예전", "원래", "옛날"})
_NO_WORKPLACES = TOO_PLAIN | frozenset("회사 집 직장 여행 산책 학교 출장 등산 맛집 쇼핑 병원 학원".split())
_LEAVE = frozenset("퇴사하 그만두 관두 때려치우 잘리 은퇴하".split())
_JOIN = frozenset("취업하 입사하 취직하 이직하".split())


def living(r: Reader, s: Said) -> list[Fact] | None:
    """Where somebody lives, moved to and was born."""
    c, verb = s.clause, s.clause.verb
    if verb == "사" and not c.past and s.rest and s.rest[-1].case in {"at", "bare"} and re.search(r"사시|사셔|사십|사신|산다|삼[.\s]*$", c.text):
        verb = "살" if s.rest[-1].case == "at" or re.search(r"(?:동|구|시|군|읍|면|역|원룸|아파트|빌라)$", s.rest[-1].text) else verb
    if verb in {"살", "거주하", "자취하"}:
        place = next(iter(things_in(s.rest, "at", "from") or things_in(s.rest, "bare")), None)
        formerly = c.past and (bool(_FORMERLY & set(c.adverbs)) or c.ending in {"는데", "다가", "지만"})
        if place is None or place.text in {"혼자", "같이", "집"} or s.wished or formerly:
            return []  # Where one lived says nothing of where one lives.
        return [make_fact(s.subject, "live_in", place.text, polarity=s.positive)]
    if verb in {"이사하", "이사가", "이사오"} or (verb in {"가", "오"} and any(p.text.endswith("이사") for p in s.rest)):
        place = next(iter(things_in(s.rest, "to") or [p for p in things_in(s.rest, "at") if p.text != "이사"]), None)
        if c.past:
            return [make_fact(s.subject, "live_in", place.text)] if place is not None else []
        return [r.planned(s, "이사", s.rest)] if c.dates or "will" in c.flags else []
    if verb in {"태어나", "자라"}:
        place = next(iter(things_in(s.rest, "from", "at")), None)
        if place is not None:
            return [make_fact(s.subject, "hometown", place.text)]
        when, _ = r.dates_of(c)
        long_ago = when is not None and (r.at - when.when).days > 60
        return [make_fact(s.subject, "birthday", date_words(when), when=when, now=r.at)] if when is not None and long_ago else []
    return None


def working(r: Reader, s: Said) -> list[Fact] | None:
    """Where somebody works and studies, and as what."""
    c, verb = s.clause, s.clause.verb
    if verb in {"다니", "재학하"}:
        place = next(iter(things_in(s.rest, "at", "object", "bare", "to")), None)
        if place is None or place.text in _NO_WORKPLACES or "운동" in kinds_of(place.text) or s.wished:
            return []
        where = next((p.text for p in s.rest if p.case == "from"), None)
        gone = c.past and bool(_FORMERLY & set(c.adverbs))
        return [
            make_fact(s.subject, "school" if SCHOOL.search(place.text) else "workplace", place.text, polarity=s.positive and not gone, place=where)
        ]
    if verb in {"일하", "근무하", "재직하", "알바하", "아르바이트하"}:
        return [] if s.wished else _employed(s)
    if verb in _LEAVE | _JOIN or (verb in {"옮기", "접"} and any(p.text.endswith(("회사", "직장", "알바", "가게", "사업", "장사")) for p in s.rest)):
        return _changed(s)
    if verb in {"전공하", "복수전공하"}:
        return [make_fact(s.subject, "major", p.text) for p in objects_of(s.rest)[:1]]
    steady = not c.past and not s.wished and "will" not in c.flags and not c.dates
    if c.noun and verb == f"{c.noun}하" and steady and "직업" in kinds_of(c.noun):
        return [make_fact(s.subject, "job", c.noun)]
    if verb.endswith("되") and c.past:
        return _became(s)
    return None


def _employed(s: Said) -> list[Fact]:
    over = s.clause.past and not s.clause.flags
    out = [make_fact(s.subject, "workplace", p.text, polarity=not over) for p in s.rest if p.case in {"from", "at"} and p.text not in _NO_WORKPLACES]
    return [*out, *(make_fact(s.subject, "job", p.text) for p in s.rest if p.case == "to" and not over)]


def _changed(s: Said) -> list[Fact]:
    if not s.clause.past and s.clause.ending not in {"어서", "아서"}:
        return []
    to = next(iter(things_in(s.rest, "to", "at")), None)
    if s.clause.verb in _LEAVE:
        left = next((p.text for p in s.rest if p.case in {"from", "object", "bare"}), "회사")
        return [make_fact(s.subject, "workplace", left, polarity=False)]
    return [make_fact(s.subject, "workplace", to.text)] if to is not None and to.text not in _NO_WORKPLACES else []


def _became(s: Said) -> list[Fact] | None:
    comp = next((p for p in s.rest if p.case in {"comp", "bare", "subject"}), None)
    text = comp.text if comp is not None else s.clause.noun
    if s.explicit and s.positive and text and is_job(text):
        return [make_fact(s.subject, "job", text)]
    m = AGE.fullmatch(text) or COUNTED.fullmatch(text)
    return [make_fact(s.subject, "age", m.group().strip())] if m and m.group().strip(" 살") else None


def health(r: Reader, s: Said) -> list[Fact] | None:
    """What somebody fell ill with, and what has healed."""
    c, verb = s.clause, s.clause.verb
    words = [re.sub(r"\s*진단$", "", p.text) for p in s.rest if p.case in {"subject", "object", "bare", "at", "topic"}]
    ill = next((w for w in words if is_illness(w)), None)
    if verb in {"낫", "완치되", "회복되"} and c.past:
        return [make_fact(s.subject, "condition", ill, polarity=False)] if ill else []
    fell = verb in {"걸리", "앓", "진단받", "심하", "심해지", "도지", "시달리", "고생하"} or (verb in {"받", "나오"} and "진단" in c.text)
    if not fell:
        return None
    if allergy := next((m for p in s.rest if (m := ALLERGY.match(f"{p.owner} {p.text}" if p.owner in PETS else p.text))), None):
        return [make_fact(s.subject, "allergy", allergy.group(1).strip(), polarity=s.positive)]
    return [make_fact(s.subject, "condition", ill, polarity=s.positive)] if ill else None


def people(r: Reader, s: Said) -> list[Fact] | None:
    """Pets that somebody keeps, and with whom they are together."""
    c, verb = s.clause, s.clause.verb
    if verb in {"키우", "기르", "입양하", "데려오", "분양받"}:
        return [] if s.wished or "will" in c.flags else [fact for p in objects_of(s.rest, listed=True) for fact in _kept(s, p)]
    with_whom = [bare_name(p.text) for p in s.rest if p.case == "with"]
    if verb == "헤어지" and c.past:
        partner = next((p.text for p in s.rest if p.text in PARTNER), None)
        return [make_fact(s.subject, "partner", partner or next(iter(with_whom), "애인"), polarity=False)]
    if verb in {"사귀", "만나"} and s.positive and ("ongoing" in c.flags or (verb == "사귀" and c.past)):
        return [make_fact(s.subject, "partner", name) for name in with_whom[:1]] or None
    return None


def _kept(s: Said, phrase: Phrase) -> list[Fact]:
    text = re.sub(r"\s*마리$", "", COUNT.sub("", phrase.text)).strip()
    words = text.split()
    kin = next((w for w in reversed(words) if w in PETS), None)
    if kin is None and "동물" not in kinds_of(text):
        return [make_fact(s.subject, "family", text)] if text in FAMILY else []
    found = [make_fact(s.subject, "pet", kin or text, polarity=s.positive)]
    if kin and words[-1] != kin and "NNP" in phrase.tags:
        found.append(make_fact(kin, "name", bare_name(words[-1])))
    return found


def having(r: Reader, s: Said) -> list[Fact] | None:
    """What there is: "여동생이 있어", "땅콩 알레르기 있어", "내일 3시에 미팅 있어"."""
    verb = s.clause.verb
    if verb not in {"있", "없", "생기", "잡히"} and not (verb == "" and s.rest):
        return None
    s_positive = s.positive and verb != "없"
    out = [f for p in s.rest if p.case in {"subject", "bare", "topic", "object"} and not p.wh for f in _had(r, s, p, positive=s_positive)]
    if verb == "":
        return [f for f in out if f.predicate == "allergy" or (f.predicate == "plan" and f.when is not None)]
    return out or ([] if verb in {"있", "없"} and "한 적" not in s.clause.text else None)


def _had(r: Reader, s: Said, phrase: Phrase, *, positive: bool) -> list[Fact]:
    text = COUNT.sub("", phrase.text).strip()
    if phrase.owner not in {None, "나"} and phrase.owner not in PETS and not s.explicit:
        return []  # "옆집 아저씨네 강아지" is nobody's the speaker speaks of
    if m := ALLERGY.match(f"{phrase.owner} {text}" if phrase.owner in PETS else text):
        return [make_fact(s.subject, "allergy", t, polarity=positive) for t in listed_in(m.group(1).strip())]
    if text in {"알레르기", "알러지", "앨러지"}:
        sources = [q for q in s.rest if q.case in {"at", "bare", "topic", "object", "with"} and q is not phrase and not is_person_word(q)]
        causes = [full_text(q) for q in sources] or ([phrase.modifier] if phrase.modifier else [])
        return [make_fact(s.subject, "allergy", cause, polarity=positive) for cause in causes]
    if is_illness(text):
        return [make_fact(s.subject, "condition", text, polarity=positive)]
    last = text.split()[-1] if text else ""
    predicate = "family" if last in FAMILY else "pet" if text in PETS else "partner" if text in PARTNER else None
    if predicate is not None:
        return [make_fact(s.subject, predicate, last, polarity=positive)]
    if plan_noun(text) and not s.clause.past:
        return [r.planned(s, text, [q for q in s.rest if q is not phrase], polarity=positive)]
    return []
