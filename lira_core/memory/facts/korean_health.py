"""Illness, injury, treatment and fear in Korean."""

from __future__ import annotations

import re

from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import PETS
from lira_core.memory.facts.korean_phrases import full_text, is_illness, is_person_word, make_fact, objects_of
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import ALLERGY, DIETS, INJURE, TOO_PLAIN
from lira_core.types import USER, Fact


def health(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    words = [p.text for p in rest]
    if verb == "하" and "삐끗" in c.adverbs:
        verb = "삐끗"
    if verb in INJURE:
        part = next((p for p in rest if p.case in {"object", "subject", "bare", "at"} and p.text not in TOO_PLAIN and not is_person_word(p)), None)
        if (verb in {"베이", "데이", "까지"} and part is None) or verb == "까지":
            return None
        return (
            [r.dated(c, subject, "injury", part.text if part else c.text)]
            if c.past or "ongoing" in c.flags or c.ending in {"어서", "아서", "ᆷ", "음"}
            else []
        )
    if (verb.startswith("골절") or ((verb == "나가" and c.ending in {"어서", "아서"}) or (verb == "나가" and c.past))) and (
        part := next(
            (
                p
                for p in rest
                if p.case in {"subject", "bare", "object"}
                and re.search(r"(?:무릎|손목|발목|허리|어깨|팔|다리|손가락|발가락|갈비뼈|쇄골|인대|이빨|목)$", p.text)
            ),
            None,
        )
    ) is not None:
        return [r.dated(c, subject, "injury", part.text)]
    if (verb in {"오", "나오"} and c.past) or (verb == "오" and c.ending in {"네요", "네"}):
        ill = next((p for p in rest if p.case in {"subject", "bare"} and is_illness(p.text)), None)
        if ill is not None:
            return [make_fact(subject, "condition", ill.text)]
    if verb in {"아프", "편찮", "쑤시", "결리", "저리", "붓", "쓰리"}:
        part = next(
            (
                p
                for p in rest
                if p.case in {"subject", "bare", "topic"} and p.text not in {"마음", "나", "가슴", "오늘", "몸"} | TOO_PLAIN and not is_person_word(p)
            ),
            None,
        )
        if part is not None:
            return [make_fact(subject, "condition", f"{part.text} 통증")] if positive else []
        if verb in {"아프", "편찮"} and subject != USER:
            return [make_fact(subject, "condition", "아픔")] if positive else []
        return []
    if verb in {"걸리", "앓", "진단받", "심하", "심해지", "도지", "생기", "시달리", "고생하"} or (
        verb in {"받", "나오"} and any("진단" in w for w in words)
    ):
        if allergy := next((m for p in rest if (m := ALLERGY.match(f"{p.owner} {p.text}" if p.owner in PETS else p.text))), None):
            return [make_fact(subject, "allergy", allergy.group(1).strip(), polarity=positive)]
        ill = next((p for p in rest if is_illness(re.sub(r"\s*진단$", "", p.text))), None)
        if ill is not None:
            return [make_fact(subject, "condition", re.sub(r"\s*진단$", "", ill.text), polarity=positive)]
        return None if verb not in {"앓", "심하"} else []
    if verb in {"낫", "완치되", "회복되", "완치하"} and c.past:
        ill = next((p for p in rest if p.case in {"subject", "bare", "topic"}), None)
        return (
            [
                make_fact(
                    subject, "injury" if ill.text not in kinds_of(ill.text) and not is_illness(ill.text) else "condition", ill.text, polarity=False
                )
            ]
            if ill is not None
            else []
        )
    if "will" in c.flags and c.dates and verb in {"받", "수술하", "입원하"}:
        return None
    if verb in {"수술하", "입원하", "퇴원하"} or (verb == "받" and any(w.endswith(("수술", "치료", "진료", "시술", "검진", "깁스")) for w in words)):
        what = next((w for w in words if w.endswith(("수술", "치료", "진료", "시술", "검진"))), None) or (
            " ".join([*[w for w in words if w not in TOO_PLAIN and not w.startswith("나")][:1], c.noun]).strip()
        )
        if c.past or "ongoing" in c.flags:
            return [r.dated(c, subject, "treatment", what)]
        return [r.dated(c, subject, "plan", what, rest=rest)] if c.dates or "will" in c.flags else []
    if verb in {"채식하", "단식하", "금주하", "금연하", "다이어트하", "소식하", "절식하"}:
        return [make_fact(subject, "diet", c.noun, polarity=positive)] if not c.past or "ongoing" in c.flags else []
    if verb == "하" and any(d in w for w in words for d in DIETS):
        return [make_fact(subject, "diet", words[-1], polarity=positive)]
    if verb in {"무서워하", "두려워하", "무섭", "무서워지"} and positive:
        things = [p for p in rest if p.case in {"object", "subject", "bare"} and p.text not in TOO_PLAIN]
        return [make_fact(subject, "fear", full_text(p)) for p in things] if things and not c.past and (verb.endswith("하") or explicit) else None
    if verb in {"알레르기", "알러지"}:
        return [make_fact(subject, "allergy", full_text(p)) for p in objects_of(rest)]
    return None
