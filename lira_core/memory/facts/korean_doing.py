"""What somebody can do, does regularly, and did, in Korean."""

from __future__ import annotations

import re

from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Clause, Phrase, nominal
from lira_core.memory.facts.korean_phrases import full_text, is_person_word, known_goods, make_fact, nominalised, objects_of, plan_noun, things_in
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import BUY, DIETS, GO, HABIT_WORDS, SCHOOL, TOO_PLAIN
from lira_core.types import Fact


def skills(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if "skill" in c.flags:
        things = objects_of(rest, listed=True)
        return [make_fact(subject, "language" if "언어" in kinds_of(p.text) else "skill", full_text(p), polarity=positive) for p in things] or [
            make_fact(subject, "skill", c.noun or nominal(verb), polarity=positive)
        ]
    if verb in {"잘하", "못하", "서투르"} or (verb in {"치", "부르", "추", "그리", "하"} and "잘" in c.adverbs):
        things = [p for p in rest if p.case in {"object", "bare", "subject", "topic"} and p.text not in TOO_PLAIN]
        good = positive and verb not in {"못하", "서투르"}
        return (
            [make_fact(subject, "language" if "언어" in kinds_of(p.text) else "skill", full_text(p), polarity=good) for p in things]
            if not c.past
            else []
        )
    if c.noun == "운전" and not positive:
        return [make_fact(subject, "skill", "운전", polarity=False)]
    if "want" in c.flags and c.final and verb not in {"죽", "자", "쉬", "울", "먹", "토하", "싶"} and positive:
        return [make_fact(subject, "goal", nominalised(c))] if c.phrases and any(p.text not in TOO_PLAIN for p in rest) else []
    if verb == "되" and ("want" in c.flags or any(p.text in {"꿈", "목표"} for p in rest)):
        comp = next((p for p in rest if p.case == "comp"), None)
        return [make_fact(subject, "goal", f"{comp.text} 되기")] if comp else []
    return None


def activity(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    things = objects_of(rest)
    noun = c.noun or (things[0].text if things and verb in {"하", "치", "타", "가", "뛰", "나가"} else "")
    steady = (
        bool(c.repeats)
        or "ongoing" in c.flags
        or bool(HABIT_WORDS & set(c.adverbs))
        or bool({"요즘", "취미"} & set(c.adverbs))
        or "become" in c.flags
        or verb in {"시작하"}
    )
    if (
        (verb.endswith("하") or verb in {"치", "타", "뛰", "가", "나가"})
        and noun
        and ("운동" in kinds_of(noun) or noun == "운동" or noun.endswith("운동"))
        and not (c.past and "become" not in c.flags and not c.repeats)
    ):
        if "want" in c.flags:
            return [make_fact(subject, "goal", noun)]
        if steady or (explicit and not c.dates):
            out = [make_fact(subject, "exercise", noun, polarity=positive)]
            return [*out, make_fact(subject, "habit", nominalised(c))] if c.repeats else out
    if (
        verb in {"들어가", "가입하"}
        and c.past
        and (club := next((p for p in rest if p.text.endswith(("동아리", "동호회", "모임", "크루", "클럽", "밴드"))), None)) is not None
    ):
        return [make_fact(subject, "hobby", full_text(club))]
    if verb == "등록하" and c.past and things:
        target = things[0].text
        return [make_fact(subject, "exercise" if "운동" in kinds_of(target) or target.startswith(("헬스", "PT", "피티")) else "learning", target)]
    if verb in {"보", "듣", "타"} and "못" in c.adverbs and not c.past and things:
        return [make_fact(subject, "dislike", full_text(p)) for p in things if not is_person_word(p)]
    if verb == "시작하" and c.past and things:
        target = things[0].text
        return [
            make_fact(
                subject,
                "habit"
                if "NOMINAL" in things[0].tags
                else "exercise"
                if "운동" in kinds_of(target)
                else "diet"
                if any(d in target for d in DIETS)
                else "learning",
                target,
            )
        ]
    if verb in {"쓰", "사용하", "타", "몰"} and not c.past and positive and things and (explicit or "ongoing" in c.flags):
        return (
            [make_fact(subject, "own", full_text(things[0]), of={"타": "차", "몰": "차"}.get(verb))]
            if (things[0].tags and things[0].tags[0] in {"NNP", "SL"}) or known_goods(things[0].text)
            else []
        )
    if (c.repeats or (HABIT_WORDS & set(c.adverbs) and explicit)) and verb and not c.past and "must" not in c.flags:
        return [make_fact(subject, "habit", nominalised(c), polarity=positive)]
    return None


def events(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    objects = objects_of(rest)
    if verb in {"합격하", "불합격하", "탈락하", "떨어지", "붙", "통과하", "통과되", "낙방하", "우승하", "당첨되", "수상하"}:
        what = [p for p in rest if p.text not in TOO_PLAIN and not is_person_word(p)]
        if verb in {"떨어지", "붙"} and not any(
            plan_noun(p.text)
            or p.text.endswith(("시험", "면접", "대학", "대학교", "전형", "회사", "고시", "오디션", "서류", "자격증"))
            or SCHOOL.search(p.text)
            for p in what
        ):
            return None
        return [r.dated(c, subject, "result", c.text)] if c.past or c.ending in {"어서", "아서"} else []
    if (
        verb in {"받", "맞", "나오", "따"}
        and (c.past or c.ending in {"어서", "아서"})
        and re.search(r"\d+\s*(?:점|등|등급|학점)|[ABCF][+]?(?:학점)?\b|만점|장학금|자격증|면허|상", c.text)
    ):
        return [r.dated(c, subject, "result", c.text)]
    if not c.past:
        if verb in {"읽", "보", "정주행하"} and "ongoing" in c.flags and positive:
            return [make_fact(subject, "watched", full_text(p)) for p in objects if not is_person_word(p)]
        if verb in {"가", "다녀오"} and "once" in c.flags and positive:
            return [make_fact(subject, "travel", p.text) for p in things_in(rest, "at", "bare", "to", "object")][:1]
        return None
    if not positive:
        return []
    if verb in BUY and objects:
        bought = [r.dated(c, subject, "bought", full_text(p), rest=rest) for p in objects if p.text not in TOO_PLAIN]
        cars = [
            make_fact(subject, "own", full_text(p), of="차")
            for p in objects
            if "차량" in kinds_of(p.text) or any(q.case == "to" and q.text.endswith("차") for q in rest)
        ]
        return [*bought, *cars]
    if verb in {"보", "시청하", "관람하", "읽", "감상하"} and objects:
        if any(plan_noun(p.text) in {"시험", "면접", "수능", "토익"} for p in objects) or "try" in c.flags:
            return [r.dated(c, subject, "did", c.text)]
        if any(p.text.endswith(("시험", "고사", "면접", "모의고사", "수능")) for p in [*objects, *rest]):
            return [r.dated(c, subject, "result", c.text)]
        return [r.dated(c, subject, "watched", full_text(p), rest=rest) for p in objects if p.text not in TOO_PLAIN and not is_person_word(p)]
    if verb in GO or (verb in {"하"} and any(p.text.endswith("여행") for p in objects)):
        place = next(iter(things_in(rest, "at", "to") or [p for p in things_in(rest, "object", "bare", "from") if not is_person_word(p)]), None)
        place = next(
            (
                p
                for p in [place, *things_in(rest, "bare", "object")]
                if p is not None and p.text not in {"봄", "여름", "가을", "겨울", "방학", "휴가"}
            ),
            None,
        )
        if place is None or (verb == "오" and place.case not in {"at", "to"}):
            return None
        travel = (
            any("여행" in p.text or "출장" in p.text for p in rest)
            or verb in {"여행하", "떠나"}
            or bool(
                re.search(
                    r"(도|섬|시|유럽|일본|미국|태국|베트남|대만|중국|호주|캐나다|제주|부산|강릉|경주|여수|속초|오사카|도쿄|파리|런던|뉴욕|다낭|방콕|하와이|후쿠오카|스페인|이탈리아|프랑스|전주)$",
                    place.text,
                )
            )
        )
        where = next(
            (p.text for p in rest if p.case in {"to", "at"} and p.text not in {"여행", "봄", "여름", "가을", "겨울", "방학", "휴가"}), place.text
        )
        where = re.sub(r"\s*(?:여행|출장)$", "", where) if travel and where not in {"여행", "출장"} else where
        if where in {"집", "회사", "학교", "화장실"}:
            return None
        return [r.dated(c, subject, "travel" if travel else "visit", where, rest=[p for p in rest if p.text != where])]
    if verb == "받" and objects:
        return [
            r.dated(c, subject, "received", full_text(p), rest=rest)
            for p in objects
            if p.text not in TOO_PLAIN | {"전화", "연락", "문자", "스트레스"}
        ]
    if verb in {"잃어버리", "분실하", "잃", "도둑맞", "털리"} and objects:
        return [r.dated(c, subject, "lost", full_text(p), rest=rest) for p in objects]
    return None


def done(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """What the speaker did or had happen, when nothing finer is known: it must be past, and said to be theirs or dated or awaited."""
    mine = explicit or bool(c.dates) or bool({"드디어", "결국", "처음"} & set(c.adverbs)) or any(p.owner == "나" for p in rest)
    weather = any(p.text in {"비", "눈", "바람", "날씨", "해"} for p in rest)
    content = [p for p in rest if p.text not in TOO_PLAIN and not p.wh] or (c.noun and c.noun not in {"안녕", "기억", "말", "생각"})
    if (
        c.past
        and mine
        and content
        and not weather
        and positive
        and c.verb not in {"이", "있", "없", "되", "같", "그러", "하", "알", "모르", "죽", "안녕하", "보이"}
        and "hearsay" not in c.flags
        and (c.final or c.ending in {"어서", "는데", "고", "아서"})
    ):
        return [r.dated(c, subject, "did", c.text, rest=rest)]
    return None
