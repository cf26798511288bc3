"""People, pets and what one has in Korean: relatives, allergies, illnesses, plans."""

from __future__ import annotations

import re

from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Phrase
from lira_core.korean.people import FAMILY, PARTNER, PETS
from lira_core.memory.facts.korean_phrases import bare_name, full_text, is_illness, is_person_word, listed_in, make_fact, objects_of, plan_noun
from lira_core.memory.facts.korean_reader import Reader, Said
from lira_core.memory.facts.korean_words import ALLERGY, COUNT
from lira_core.types import Fact


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
