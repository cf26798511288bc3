"""People, pets and belongings in Korean."""

from __future__ import annotations

import re

from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import FAMILY, KIN, PARTNER, PETS
from lira_core.memory.facts.korean_phrases import bare_name, full_text, is_illness, is_person_word, listed_in, make_fact, objects_of, plan_noun
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import ALLERGY, BREEDS, CATS, PLACE_OF_GOODS
from lira_core.types import USER, Fact


def people(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb in {"키우", "기르", "입양하", "데려오", "분양받", "줍", "주워오", "들이"}:
        out = []
        called = previous is not None and previous.verb == "이" and previous.ending.endswith("라고") and previous.get("comp", "bare")
        for p in objects_of(rest, listed=True):
            text = re.sub(r"\s*(?:(?:한|두|세|네|다섯|\d+)\s*)?마리$", "", p.text).strip()
            kin = next((w for w in reversed(text.split()) if w in PETS), None)
            if kin is None and (breed := next((w for w in text.split() if w in BREEDS), None)) is not None:
                kin = _species(breed)
                out.append(make_fact(kin, "breed", breed))
                if called:
                    out.append(make_fact(kin, "name", bare_name(called.text)))
            if kin is None and "동물" not in kinds_of(text) and text not in BREEDS:
                if verb == "키우" and "ongoing" in c.flags | {"ongoing"} and text and not is_person_word(p):
                    out.append(make_fact(subject, "own", text))
                elif kin is None and text in FAMILY:
                    out.append(make_fact(subject, "family", text))
                continue
            out.append(
                make_fact(subject, "pet", kin or text, polarity=positive and "want" not in c.flags)
                if "want" not in c.flags
                else make_fact(subject, "goal", f"{kin or text} 키우기")
            )
            if "마리" in p.text and kin:
                out[-1] = Fact(**{**{f: getattr(out[-1], f) for f in Fact.__slots__}, "object": kin})
            name = text.split()[-1]
            if kin and name != kin and name not in BREEDS and "NNP" in p.tags:
                out.append(make_fact(kin, "name", bare_name(name)))
        return out
    if verb in {"짓", "지어주"} and any(p.text.endswith("이름") for p in rest):
        named = re.search(r"이름(?:은|을|도)?\s*['\"]?([가-힣A-Za-z]{1,8}?)['\"]?(?:이라고|라고|으로|로)\s", c.text)
        return [make_fact(r.carry_noun or (subject if subject != USER else r.pet_said()), "name", named[1])] if named else []
    if verb == "헤어지":
        partner = next((p.text for p in rest if p.case in {"with", "object"} and p.text in PARTNER), None)
        return (
            [
                r.dated(c, subject, "did", c.text),
                make_fact(subject, "partner", partner or next((bare_name(p.text) for p in rest if p.case == "with"), "애인"), polarity=False),
            ]
            if c.past
            else []
        )
    if verb in {"결혼하", "이혼하", "약혼하"} and c.past:
        return [make_fact(subject, "marital", c.noun), *([r.dated(c, subject, "did", c.noun, rest=rest)] if c.dates else [])]
    if verb in {"사귀", "연애하", "만나"} and "ongoing" in c.flags:
        return [make_fact(subject, "partner", bare_name(p.text)) for p in rest if p.case in {"with", "bare", "object"}][:1] or (
            [make_fact(subject, "partner", "애인")] if verb == "연애하" else []
        )
    if verb == "사귀" and c.past:
        return [make_fact(subject, "partner", bare_name(p.text)) for p in rest if p.case == "with"][:1]
    if verb == "만나" and c.past:
        return [
            r.dated(c, subject, "met", bare_name(p.text), rest=rest)
            for p in [
                q for q in rest if not re.match(r"\d+\s*(?:년|달|개월|주|일|번)", q.text) and q.case in {"with", "object", "bare"} and not q.wh
            ][:2]
        ]
    if verb in {"돌아가", "죽", "떠나"} and subject not in {USER} and c.past and subject in KIN:
        return [make_fact(subject, "condition", "돌아가심" if verb == "돌아가" else "세상을 떠남")]
    return None


def _species(breed: str) -> str:
    return "고양이" if breed in CATS else "강아지"


def having(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb not in {"있", "없", "계시", "생기", "가지", "잡히", "많", "들어오"} and not (verb == "" and rest):
        return None
    positive = positive and verb != "없"
    if (
        verb in {"있", "계시"}
        and subject != USER
        and r.somebody(subject)
        and (where := next((p.text for p in rest if p.case == "at"), None)) is not None
    ):
        kind = "job" if where in {"군대", "부대"} else "workplace" if where.endswith(("회사", "병원", "은행", "지사", "본사")) else "live_in"
        if kind == "job" or (kind != "live_in") or not re.search(r"집|방|카페|학교|병원|밖|앞|옆|위|안|밑", where):
            return [make_fact(subject, kind, "군인" if kind == "job" else where)]
    out: list[Fact] = []
    for p in rest:
        if p.case not in {"subject", "bare", "topic", "object"} or p.wh:
            continue
        text = re.sub(r"\s*(?:이|가)?\s*(?:하나|둘|셋|넷|(?:한|두|세|네|다섯|\d+)\s*(?:명|분|마리|개|대))$", "", p.text).strip()
        if m := ALLERGY.match(f"{p.owner} {text}" if p.owner in PETS else text):
            out += [make_fact(subject, "allergy", t, polarity=positive) for t in listed_in(m.group(1).strip())]
        elif text in {"알레르기", "알러지", "앨러지"}:
            sources = [q for q in rest if q.case in {"at", "bare", "topic", "object", "with"} and q is not p and not is_person_word(q)]
            if p.modifier and not sources:
                out.append(make_fact(subject, "allergy", p.modifier, polarity=positive))
            out += [make_fact(subject, "allergy", full_text(q), polarity=positive) for q in sources] or (
                [make_fact(subject, "allergy", "알레르기", polarity=False)] if not positive else []
            )
        elif text.endswith("공포증"):
            out.append(make_fact(subject, "fear", text, polarity=positive))
        elif is_illness(text):
            out.append(make_fact(subject, "condition", text, polarity=positive))
        elif text.split()[-1:] and text.split()[-1] in FAMILY and verb != "많":
            out.append(make_fact(subject, "family", text.split()[-1], polarity=positive))
        elif text in PETS:
            out.append(make_fact(subject, "pet", text, polarity=positive))
        elif text in PARTNER:
            out.append(make_fact(subject, "partner", text, polarity=positive))
        elif (plan := plan_noun(text)) and verb != "많":
            out.append(r.dated(c, subject, "plan", plan, polarity=positive, rest=[q for q in rest if q is not p]))
        elif text.replace(" ", "") in PLACE_OF_GOODS and p.case != "topic":
            out.append(make_fact(subject, "own", text, polarity=positive))
        elif text in {"취미", "꿈", "목표"}:
            continue
    if verb == "" and not any(f.predicate in {"allergy"} or (f.predicate in {"plan"} and f.when is not None) for f in out):
        out = []
    if not out and verb in {"있"} and any(p.text in {"관심"} for p in rest):
        return [make_fact(subject, "like", p.text) for p in rest if p.case == "at"]
    if not out and verb in {"있", "없"} and "한 적" in c.text:
        return None
    return out or ([] if verb in {"있", "없", "많", ""} else None)
