# ruff: noqa: SIM905 (word lists read better in wide rows)
"""Where one lives, works and studies, whom and what one has, is ill with and likes, in Korean: each by its verb."""

from __future__ import annotations

import re

from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.ko.facts.nouns import (
    ALLERGY,
    COUNT,
    SCHOOL,
    TOO_PLAIN,
    bare_name,
    full_text,
    is_illness,
    is_person_word,
    listed_in,
    make_fact,
    objects_of,
    things_in,
)
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.people import FAMILY, PARTNER, PETS
from lira_core.types import Fact

_FORMERLY = frozenset({"예전", "원래", "옛날"})
_NO_WORKPLACES = TOO_PLAIN | frozenset("회사 집 직장 여행 산책 학교 출장 등산 맛집 쇼핑 병원 학원".split())
_LIKES = frozenset("좋아하 사랑하 즐기 선호하 애정하 즐겨하".split())
_DISLIKES = frozenset("싫어하 혐오하 질색하 극혐하".split())
_EATS = frozenset("먹 마시 피우".split())
_NO_LONGER = frozenset({"이제", "요즘", "더", "더이상"})
_MEDICINE = re.compile(r"(?:(?<![치예계])약|영양제|비타민|유산균|철분제|진통제|항생제|인슐린|수면제)$")
_NO_HABIT = re.compile(r"(?:표|티켓|권|PT|피티|학원|연락|전화|인연|말|일)$")


def living(r: Reader, s: Said) -> list[Fact] | None:
    """Where somebody lives, or moved to."""
    c, verb = s.clause, s.clause.verb
    # Kiwi takes "사시죠", "산다" for buying.
    if verb == "사" and not c.past and any(p.case == "at" for p in s.rest) and re.search(r"사시|사셔|사십|사신|산다|삼[.\s]*$", c.text):
        verb = "살"
    if verb in {"살", "거주하", "자취하"}:
        place = next(iter(things_in(s.rest, "at", "from") or things_in(s.rest, "bare")), None)
        formerly = c.past and (bool(_FORMERLY & set(c.adverbs)) or c.ending in {"는데", "다가", "지만"})
        if place is None or place.text in {"혼자", "같이", "집"} or s.wished or formerly:
            return []  # Where one lived says nothing of where one lives.
        return [make_fact(s.subject, "live_in", place.text, polarity=s.positive)]
    if c.past and (verb in {"이사하", "이사가", "이사오"} or (verb in {"가", "오"} and any(p.text.endswith("이사") for p in s.rest))):
        place = next(iter(things_in(s.rest, "to") or [p for p in things_in(s.rest, "at") if p.text != "이사"]), None)
        return [make_fact(s.subject, "live_in", place.text)] if place is not None else []
    return None


def working(r: Reader, s: Said) -> list[Fact] | None:
    """Where somebody works and studies, and as what."""
    c, verb = s.clause, s.clause.verb
    if verb in {"다니", "재학하"}:
        place = next(iter(things_in(s.rest, "at", "object", "bare", "to")), None)
        if place is None or place.text in _NO_WORKPLACES or "운동" in kinds_of(place.text) or s.wished:
            return []
        gone = c.past and bool(_FORMERLY & set(c.adverbs))
        return [make_fact(s.subject, "school" if SCHOOL.search(place.text) else "workplace", place.text, polarity=s.positive and not gone)]
    if verb in {"일하", "근무하", "재직하", "알바하"} and not s.wished:
        over = c.past and not c.flags
        at = [p for p in s.rest if p.case in {"from", "at"} and p.text not in _NO_WORKPLACES]
        jobs = [p for p in s.rest if p.case == "to" and not over]
        return [make_fact(s.subject, "workplace", p.text, polarity=not over) for p in at] + [make_fact(s.subject, "job", p.text) for p in jobs]
    if verb in {"퇴사하", "그만두", "관두", "은퇴하"} and c.past:
        left = next((p.text for p in s.rest if p.case in {"from", "object", "bare"}), "회사")
        return [make_fact(s.subject, "workplace", left, polarity=False)]
    if verb in {"전공하", "복수전공하"}:
        return [make_fact(s.subject, "major", p.text) for p in objects_of(s.rest)[:1]]
    return None


def health(r: Reader, s: Said) -> list[Fact] | None:
    """What somebody fell ill with, what has healed, and what medicine they take."""
    c, verb = s.clause, s.clause.verb
    if verb in _EATS | {"복용하"} and s.positive and (medicines := [p for p in objects_of(s.rest) if _MEDICINE.search(p.text)]):
        return [make_fact(s.subject, "medicine", full_text(p)) for p in medicines if len(p.text) > 1 or c.repeats or "ongoing" in c.flags]
    words = [re.sub(r"\s*진단$", "", p.text) for p in s.rest if p.case in {"subject", "object", "bare", "at", "topic"}]
    ill = next((w for w in words if is_illness(w)), None)
    if ill and verb in {"낫", "완치되", "회복되"} and c.past:
        return [make_fact(s.subject, "condition", ill, polarity=False)]
    fell = verb in {"걸리", "앓", "진단받", "시달리"} or (verb in {"받", "나오"} and "진단" in c.text)
    return [make_fact(s.subject, "condition", ill, polarity=s.positive)] if fell and ill else None


def having(r: Reader, s: Said) -> list[Fact] | None:
    """Whom and what one has: "여동생이 있어", "땅콩 알레르기 있어", "고양이 두 마리 키워요"."""
    verb = s.clause.verb
    if verb in {"키우", "기르", "입양하", "데려오"} and not s.wished and "will" not in s.clause.flags:
        return [fact for p in objects_of(s.rest) for fact in _kept(s, p)]
    if verb not in {"있", "없", "생기", ""}:
        return None
    found = [
        f for p in s.rest if p.case in {"subject", "bare", "topic", "object"} and not p.wh for f in _had(s, p, positive=s.positive and verb != "없")
    ]
    return [f for f in found if verb or f.predicate == "allergy"] or None


def _kept(s: Said, phrase: Phrase) -> list[Fact]:
    text = re.sub(r"\s*마리$", "", COUNT.sub("", phrase.text)).strip()
    words = text.split()
    kin = next((w for w in reversed(words) if w in PETS), None)
    if kin is None and "동물" not in kinds_of(text):
        return []
    named = kin is not None and words[-1] != kin and "NNP" in phrase.tags
    return [make_fact(s.subject, "pet", kin or text, polarity=s.positive), *([make_fact(kin, "name", bare_name(words[-1]))] if named and kin else [])]


def _had(s: Said, phrase: Phrase, *, positive: bool) -> list[Fact]:
    text = COUNT.sub("", phrase.text).strip()
    if phrase.owner not in {None, "나"} and phrase.owner not in PETS and not s.explicit:
        return []  # "옆집 아저씨네 강아지" is nobody's the speaker speaks of
    if m := ALLERGY.match(f"{phrase.owner} {text}" if phrase.owner in PETS else text):
        return [make_fact(s.subject, "allergy", t, polarity=positive) for t in listed_in(m.group(1).strip())]
    if text in {"알레르기", "알러지", "앨러지"}:
        sources = [q for q in s.rest if q.case in {"at", "bare", "topic", "object", "with"} and q is not phrase and not is_person_word(q)]
        return [make_fact(s.subject, "allergy", full_text(q), polarity=positive) for q in sources]
    if is_illness(text):
        return [make_fact(s.subject, "condition", text, polarity=positive)]
    last = text.split()[-1] if text else ""
    predicate = "family" if last in FAMILY else "pet" if text in PETS else "partner" if text in PARTNER else None
    return [make_fact(s.subject, predicate, last, polarity=positive)] if predicate else []


def taste(r: Reader, s: Said) -> list[Fact] | None:
    """ "커피 좋아해", "난 딸기가 제일 좋아", "오이 못 먹어", "이제 커피 안 마셔", "커피 끊었어"."""
    c, verb = s.clause, s.clause.verb
    if verb in {"끊", "질리"} and c.past:
        targets = objects_of(s.rest) or things_in(s.rest, "at")
        return [make_fact(s.subject, "like", full_text(p), polarity=False) for p in targets if not _NO_HABIT.search(p.text)]
    if verb in _EATS and not s.positive and not c.past:
        ended = _NO_LONGER & set(c.adverbs) and "못" not in c.adverbs
        # "오이 못 먹어" tells of a taste, "밥 안 먹어" of a meal.
        things = [p for p in objects_of(s.rest) if ended or "못" in c.adverbs or "cannot" in c.flags or kinds_of(p.text)]
        return [make_fact(s.subject, "like" if ended else "dislike", full_text(p), polarity=not ended) for p in things]
    if verb in {"좋", "싫"}:
        targets = _pleasing(s)
    elif verb in _LIKES | _DISLIKES and "want" not in c.flags:
        targets = objects_of(s.rest)
        if not targets and s.previous is not None and not s.previous.final:
            targets = [p for p in things_in(s.previous.phrases, "topic")[:1] if not is_person_word(p)]  # "해산물은 비려서 싫어해요"
    else:
        return None
    formerly = c.past and (bool(_FORMERLY & set(c.adverbs)) or c.ending in {"는데", "지만", "었는데"})
    predicate = "like" if verb in _LIKES | {"좋"} else "dislike"
    holds = s.positive and not formerly and "별로" not in c.adverbs
    instead = s.previous.phrases if s.previous is not None and s.previous.verb == "말" else ()  # "사과 말고 딸기가 더 좋아"
    out = [make_fact(s.subject, "like", full_text(p), polarity=False) for p in things_in(instead, "bare", "object", "topic")]
    return out + [make_fact(s.subject, predicate, full_text(p), polarity=holds) for p in targets]


def _pleasing(s: Said) -> list[Phrase]:
    """What is found good or bad with "좋다", "싫다"; none where it is rather a remark than a taste ("날씨가 좋아")."""
    firm = bool({"제일", "가장", "젤", "더"} & set(s.clause.adverbs)) or s.clause.verb == "싫" or any(p.case == "than" for p in s.rest)
    found = [p for p in things_in(s.rest, "subject", "bare") if "NOMINAL" not in p.tags]
    return found if firm and not s.clause.past else []
