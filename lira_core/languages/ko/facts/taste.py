# ruff: noqa: SIM905 (word lists read better in wide rows)
"""Korean tastes: what is liked, disliked, eaten, given up and taken up."""

from __future__ import annotations

import re

from lira_core.languages.categories import kind_name, kinds_of
from lira_core.languages.ko.clauses import Phrase
from lira_core.languages.ko.facts.phrases import full_text, is_person_word, make_fact, objects_of, things_in
from lira_core.languages.ko.facts.reader import Reader, Said
from lira_core.languages.ko.facts.words import DISLIKE, EAT, FAVOURITE, LIKE, MEDICINES, NO_MEDICINES
from lira_core.types import Fact

_NO_TASTES = ("기분", "날씨", "컨디션", "몸", "사이", "상태", "성격", "머리", "눈", "건강", "결과")
_FIRM = FAVOURITE | frozenset("더 이제 정말 진짜 너무 완전 훨씬 참 안 별로 요즘 역시 지금".split())
_FAVOURITES = frozenset("과일 음료 운동 색 계절 동물 꽃 음악 음식".split())
_NO_LONGER = frozenset({"이제", "요즘", "더", "더이상"})


def taste(r: Reader, s: Said) -> list[Fact] | None:
    """ "커피 좋아해", "난 딸기가 제일 좋아", "사과 말고 딸기가 더 좋아"."""
    c, verb = s.clause, s.clause.verb
    if verb in {"좋", "싫"}:
        targets = _pleasing(s)
        if targets is None:
            return None
    elif verb in LIKE | DISLIKE:
        if "want" in c.flags:
            return []
        targets = objects_of(s.rest, listed=True)
        if not targets and s.previous is not None and not s.previous.final and s.previous.verb not in LIKE | DISLIKE:
            # "해산물은 비려서 싫어해요"
            targets = [p for p in things_in(s.previous.phrases, "topic")[:1] if not is_person_word(p)]
    else:
        return None
    likes = verb in LIKE | {"좋"}
    formerly = c.past and (bool({"예전", "옛날", "원래"} & set(c.adverbs)) or c.ending in {"는데", "지만", "었는데"})
    holds = s.positive and not formerly and "별로" not in c.adverbs
    out: list[Fact] = []
    if s.previous is not None and s.previous.verb == "말" and s.previous.ending == "고":
        out += [make_fact(s.subject, "like", full_text(p), polarity=False) for p in things_in(s.previous.phrases, "bare", "object", "topic")]
    for phrase in targets:
        text = full_text(phrase)
        if likes and holds and FAVOURITE & set(c.adverbs):
            out += [make_fact(s.subject, "favorite", text, of=kind) for kind in _best_of(s, text)]
        out.append(make_fact(s.subject, "like" if likes else "dislike", text, polarity=holds))
    return out


def _pleasing(s: Said) -> list[Phrase] | None:
    """What is found good or bad with "좋다", "싫다"; None where it is rather a remark than a taste ("날씨가 좋아")."""
    found = [p for p in things_in(s.rest, "subject", "bare", "topic") if not p.text.endswith(_NO_TASTES) and (p.case != "topic" or s.explicit)]
    if not found or s.clause.past or "NOMINAL" in found[0].tags or set(s.clause.adverbs) - _FIRM:
        return None
    if not (s.explicit or s.clause.adverbs or s.clause.verb == "싫" or any(p.case == "than" for p in s.rest)):
        return None
    return [p for p in found if p.case == "subject"] or found


def _best_of(s: Said, text: str) -> list[str]:
    category = next((re.sub(r"\s*중(?:에서)?$", "", p.text) for p in s.rest if re.search(r"\s중(?:에서)?$", p.text)), None)
    return [kind_name(category)] if category else sorted(kinds_of(text) & _FAVOURITES)[:1]


def eating(r: Reader, s: Said) -> list[Fact] | None:
    """ "커피 끊었어", "오이 못 먹어", "이제 커피 안 마셔", "혈압약 먹고 있어"."""
    c, verb = s.clause, s.clause.verb
    if verb in {"끊", "줄이"}:
        tickets = re.compile(r"(?:표|티켓|항공권|이용권|회원권|정기권|PT|피티|학원|연락|전화|인연|말|일)$")
        ended = c.past or bool({"will", "ongoing"} & c.flags) or c.ending in {"고", "ᆷ", "음"}
        return [make_fact(s.subject, "like", full_text(p), polarity=False) for p in objects_of(s.rest) if ended and not tickets.search(p.text)]
    if verb not in EAT and verb != "복용하":
        return None
    things = [p for p in objects_of(s.rest) if p.text not in {"겁", "마음", "나이", "욕", "더위"}]
    medicines = [p for p in things if p.text.endswith(MEDICINES) and p.text not in NO_MEDICINES]
    if medicines and s.positive:
        return [make_fact(s.subject, "medicine", full_text(p)) for p in medicines if len(p.text) > 1 or c.repeats or "ongoing" in c.flags]
    if s.positive or c.past:
        return None
    if _NO_LONGER & set(c.adverbs) and "못" not in c.adverbs:
        return [make_fact(s.subject, "like", full_text(p), polarity=False) for p in things]
    # "나 고기 안 먹었" tells of a meal, "오이 못 먹어" of a taste; "밥 안 먹어" of neither.
    firm = "안" not in c.adverbs or s.explicit or any(p.case == "topic" for p in s.rest)
    return [make_fact(s.subject, "dislike", full_text(p)) for p in things if firm or kinds_of(p.text)]


def turning(r: Reader, s: Said) -> list[Fact] | None:
    """Tastes that come and go: "요즘 재즈에 꽂혔어", "라떼 이제 질렸어"."""
    if s.clause.verb in {"꽂히", "빠지", "반하"} and (s.clause.past or s.clause.ending in {"ᆷ", "음", "어서", "아서"}):
        return [make_fact(s.subject, "like", full_text(p)) for p in things_in(s.rest, "at")] or None
    if s.clause.verb in {"질리", "물리"} and s.clause.past:
        things = things_in(s.rest, "bare", "topic", "object", "subject", "at")[:1]
        return [make_fact(s.subject, "like", full_text(p), polarity=False) for p in things if p.text != "모기"]
    return None
