"""Korean tastes: what is liked, disliked, eaten, given up and taken up."""

from __future__ import annotations

import re

from lira_core.korean.categories import kind_name, kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.memory.facts.korean_phrases import full_text, is_person_word, make_fact, nominalised, objects_of, plan_noun, things_in
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import DISLIKE, EAT, FAVOURITE, HABIT_WORDS, HIGH, LIKE, TOO_PLAIN
from lira_core.types import Fact


def taste(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    likes, dislikes = verb in LIKE, verb in DISLIKE
    if verb == "들" and any(p.text == "마음" for p in rest):
        likes, rest = True, [p for p in rest if p.text != "마음"]
    if verb in {"좋", "싫", "맛있"}:
        targets = [p for p in rest if p.case in {"subject", "bare"} or (p.case == "topic" and explicit)]
        targets = [
            p
            for p in targets
            if p.text not in TOO_PLAIN and not p.text.endswith(("기분", "날씨", "컨디션", "몸", "사이", "상태", "성격", "머리", "눈", "건강", "결과"))
        ]
        if verb == "싫" and any("NOMINAL" in p.tags and p.text.endswith("기") for p in targets):
            shown = [p for p in rest if p.case == "topic" and kinds_of(p.text)]
            return [make_fact(subject, "dislike", full_text(p)) for p in shown]
        firm = explicit or c.adverbs or verb == "싫" or "좋더라" in c.text
        if not targets or c.past or verb == "맛있" or not firm:
            return [] if verb == "맛있" else None
        if any(p.case == "than" for p in rest) or not set(c.adverbs) - {
            "더",
            "제일",
            "가장",
            "젤",
            "이제",
            "정말",
            "진짜",
            "너무",
            "완전",
            "훨씬",
            "참",
            "안",
            "별로",
            "요즘",
            "역시",
            "난",
            "지금",
        }:
            likes, dislikes, rest = verb == "좋", verb == "싫", [p for p in rest if p.case != "topic" or p in targets]
            if "별로" in c.adverbs:
                positive = False
            targets = [p for p in targets if p.case == "subject"] or targets
        else:
            return None
    elif likes or dislikes:
        if "want" in c.flags or (c.verb == "피하" and not c.phrases):
            return []
        targets = objects_of(rest, listed=True)
        if not targets and previous is not None and not previous.final and previous.verb not in LIKE | DISLIKE:
            targets = things_in(previous.phrases, "topic")[:1]
            targets = [p for p in targets if not is_person_word(p)]
        if "별로" in c.adverbs:
            positive = False
    else:
        return None
    out: list[Fact] = []
    dropped = previous is not None and previous.verb == "말" and previous.ending == "고"
    if dropped and previous is not None:
        out += [make_fact(subject, "like", full_text(p), polarity=False) for p in things_in(previous.phrases, "bare", "object", "topic")]
    formerly = c.past and (
        bool({"예전", "옛날", "원래"} & set(c.adverbs))
        or any(p.text in {"어릴 때", "어렸을 때", "전", "한때"} for p in rest)
        or c.ending in {"는데", "지만", "었는데"}
    )
    for phrase in targets:
        text = full_text(phrase)
        if likes and positive and not formerly and FAVOURITE & set(c.adverbs):
            category = next((p.text.removesuffix(" 중").strip() for p in rest if p.text.endswith(" 중") or p.text.endswith("중에서")), None)
            kinds = (
                [kind_name(category)]
                if category
                else sorted(k for k in kinds_of(text) if k in {"과일", "음료", "운동", "색", "계절", "동물", "꽃", "음악", "음식"})[:1]
            )
            out += [make_fact(subject, "favorite", text, of=k) for k in kinds[:1]]
        if phrase.text == text and phrase.case in {"topic"} and text.endswith(" 중"):
            continue
        out.append(make_fact(subject, "like" if likes else "dislike", text, polarity=positive and not formerly))
    return out


def eating(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb == "끊" and any(re.search(r"(?:표|티켓|항공권|영수증|이용권|회원권|정기권|PT|피티|학원)(?:를|을|도)?$", p.text) for p in rest):
        return [r.dated(c, subject, "bought", full_text(p), rest=rest) for p in objects_of(rest)[:1]]
    if verb in {"끊", "줄이"}:
        things = [p for p in objects_of(rest) if p.text not in {"연락", "전화", "인연", "말"}]
        return (
            [make_fact(subject, "like", full_text(p), polarity=False) for p in things]
            if c.past or "will" in c.flags or "ongoing" in c.flags or c.ending in {"고", "ᆷ", "음"}
            else []
        )
    if verb not in EAT and verb != "복용하" and verb != "피우":
        return None
    things = objects_of(rest)
    if verb == "먹" and any(p.text in {"겁", "마음", "나이", "욕", "더위"} for p in rest):
        return []
    medicine = [p for p in things if p.text.endswith(HIGH) and p.text not in {"치약", "예약", "계약"}]
    if medicine and positive:
        return [make_fact(subject, "medicine", full_text(p)) for p in medicine if len(p.text) > 1 or c.repeats or "ongoing" in c.flags]
    if not positive and not c.past:
        if "안" in c.adverbs and not (
            explicit or {"이제", "요즘", "원래", "더", "절대"} & set(c.adverbs) or any(p.case == "topic" for p in rest) or "want" in c.flags
        ):
            return [make_fact(subject, "dislike", full_text(p)) for p in things if kinds_of(p.text)]
        ended = {"이제", "요즘", "더", "더이상"} & set(c.adverbs)
        return [
            make_fact(subject, "like" if ended and "못" not in c.adverbs else "dislike", full_text(p), polarity=not (ended and "못" not in c.adverbs))
            for p in things
        ]
    if "want" in c.flags or not positive:
        return []
    if (c.dates and "will" in c.flags) or (c.dates and not c.past and c.dates[0].when.date() > r.at.date()):
        return None
    if c.past:
        return [r.dated(c, subject, "ate", full_text(p), rest=rest) for p in things]
    if c.repeats or HABIT_WORDS & set(c.adverbs):
        return [
            make_fact(subject, "habit", nominalised(c)),
            *(make_fact(subject, "like", full_text(p)) for p in things if {"자주", "맨날", "항상", "주로"} & set(c.adverbs)),
        ]
    if (
        {"이제", "요즘"} & set(c.adverbs)
        or (previous is not None and previous.negated and previous.verb == verb)
        or (previous is not None and previous.verb in {"말", "끊"} and not previous.final)
        or any(p.case in {"bare", "object"} and any(rest_of[:1].isspace() for rest_of in c.text.split(f"{p.text}만")[1:]) for p in rest)
    ):
        return [make_fact(subject, "like", full_text(p)) for p in things]
    return []


def turning(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """Tastes that come, go, or show in a turn of phrase."""
    if verb in {"꽂히", "빠지", "반하", "입문하"} and (c.past or c.ending in {"ᆷ", "음", "어서", "아서"}):
        things = things_in(rest, "at")
        out = []
        for p in things:
            *old, new = re.split(r"\s*대신\s*", p.text)
            out += [make_fact(subject, "hobby" if _is_pastime(o) else "like", o, polarity=False) for o in old if o]
            out.append(make_fact(subject, "hobby" if _is_pastime(new) else "like", new if old else full_text(p)))
        return out or None
    if verb in {"질리", "물리"} and c.past:
        return [
            make_fact(subject, "like", full_text(p), polarity=False)
            for p in things_in(rest, "bare", "topic", "object", "subject", "at")[:1]
            if p.text != "모기"
        ]
    if verb == "맞" and not positive and not c.past:
        things = [p for p in things_in(rest, "topic", "bare", "subject") if kinds_of(p.text)]
        return [make_fact(subject, "dislike", full_text(p)) for p in things] or None
    if (verb in {"맡", "대"} and "못" in c.adverbs) or (verb in {"쳐다보", "보"} and "cannot" in c.flags):
        things = [p for p in rest if p.case in {"topic", "bare", "at"} and p.text not in {"냄새", "입", "손", "꼴"} | TOO_PLAIN]
        return [make_fact(subject, "dislike", full_text(p)) for p in things[:1]] or None
    if verb in {"포기", "포기하"} and (not positive or "못" in c.adverbs):
        things = [p for p in things_in(rest, "topic", "object", "bare") if kinds_of(p.text)]
        return [make_fact(subject, "like", full_text(p)) for p in things] or None
    if verb == "살" and "못" in c.adverbs and previous is not None and previous.verb == "없":
        return [
            make_fact(subject, "like", full_text(p)) for p in previous.phrases if p.case in {"bare", "subject", "topic"} and p.text not in TOO_PLAIN
        ][:1]
    if verb == "당기" and not c.past and positive and not any(plan_noun(p.text) for p in rest):
        return [make_fact(subject, "like", full_text(p)) for p in things_in(rest, "subject", "bare") if kinds_of(p.text)] or None
    if verb in {"갈아타", "바꾸"} and (target := next((p for p in rest if p.case == "to"), None)) is not None:
        if "운동" in kinds_of(target.text) or any(p.text == "운동" for p in rest):
            return [make_fact(subject, "exercise", target.text)]
        if (
            c.past
            and verb == "바꾸"
            and (former := next((p for p in rest if p.case == "object"), None)) is not None
            and not plan_noun(former.text)
            and not c.dates
        ):
            return [make_fact(subject, "attribute", target.text, of=former.text)]
    if verb in {"바뀌", "변경되", "바꾸"} and (named := next((p for p in rest if _is_code(p.text)), None)) is not None:
        value = next((p.text for p in rest if p.case == "to"), None) or (
            m.group(1) if (m := re.search(r"(\S+?)(?:으로|로)\s*(?:바뀌|바꾸|바꿨|변경)", c.text)) else None
        )
        own = f"{named.owner} {named.text}" if named.owner not in {None, "나"} else named.text
        return [make_fact(subject, "attribute", value, of=re.sub(r"\s*\d+$", "", own))] if value else []
    return None


def _is_pastime(text: str) -> bool:
    return bool(kinds_of(text) & {"취미", "악기", "게임", "스포츠", "운동"}) or text.endswith(
        ("도예", "공예", "뜨개질", "자수", "캠핑", "낚시", "서핑", "사진", "그림", "글쓰기", "요리", "베이킹", "식물", "가드닝")
    )


def _is_code(text: str) -> bool:
    return bool(re.search(r"(?:비밀번호|비번|번호|아이디|주소|휴무|휴무일|영업시간|계좌|암호|마감시간)(?:\s*\d+)?$", text.replace(" ", "")))
