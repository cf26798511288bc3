"""Where one lives, works, studies, and what one runs, in Korean."""

from __future__ import annotations

import re
from typing import Final

from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import KIN
from lira_core.memory.facts.korean_phrases import date_words, full_text, is_job, make_fact, nominalised, objects_of, things_in
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_words import AGE, BUSINESS, SCHOOL, TOO_PLAIN, WORK_CHANGE
from lira_core.types import USER, Fact


def business(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    """What somebody runs or does for a living, said with 하다 ("횟집 하세요"), and where one was married off to or emigrated."""
    place = next((p.text for p in rest if p.case == "from"), None)
    here = (
        [make_fact(subject, "live_in", place)]
        if place is not None and subject != USER and not re.search(r"(?:회사|병원|학교|집|가게)$", place)
        else []
    )
    thing = c.noun if verb == f"{c.noun}하" and c.noun else next((p.text for p in rest if p.case in {"object", "bare"}), "")
    if (
        verb in {"운영하", "경영하", "차리", "개업하", "창업하", "오픈하"}
        and (owned := next((p for p in rest if p.case in {"object", "bare"}), None)) is not None
    ):
        return [make_fact(subject, "job", f"{owned.text} 운영"), *here]
    if verb == "짓" and thing.endswith("농사"):
        return [make_fact(subject, "job", thing), *here]
    steady = not c.past and c.ending not in {"어서", "아서"} and "want" not in c.flags and "will" not in c.flags and not c.dates
    if (
        verb == f"{c.noun}하"
        and c.noun
        and steady
        and "give" not in c.flags
        and ("직업" in kinds_of(c.noun) or BUSINESS.search(c.noun))
        and not r.text.startswith("메모")
    ):
        named = _called(c.noun, r.text)
        label = [make_fact(subject, "workplace", named)] if named else []
        if "직업" in kinds_of(c.noun):
            return [make_fact(subject, "job", c.noun), *here]
        return [
            make_fact(
                subject,
                "job",
                f"{c.noun} 운영" if not c.noun.endswith(("농사", "택시", "장사", "배달", "과외", "번역", "사업", "자영업", "대리운전")) else c.noun,
            ),
            *label,
            *here,
        ]
    if verb in {"시집가", "장가가", "이민가", "유학가", "이주하", "이민하"} or (
        verb == "가" and any(p.text in {"이민", "유학", "시집", "파견"} for p in rest)
    ):
        where = next((p.text for p in rest if p.case in {"to", "at"} and p.text not in {"이민", "유학"}), None)
        if c.past and where is not None:
            return [make_fact(subject, "live_in", where)]
    if verb == "맡" and "ongoing" in c.flags and (role := next((p.text for p in rest if p.case in {"object", "bare"}), None)) is not None:
        return [make_fact(subject, "job" if role.endswith("담임") else "role", role), *here]
    if (
        explicit
        and verb == "되"
        and c.past
        and positive
        and (comp := next((p for p in rest if p.case in {"comp", "bare"}), None)) is not None
        and is_job(comp.text.replace(" ", ""), comp)
    ):
        return [make_fact(subject, "job", comp.text)]
    if verb == "되" and c.past and (m := AGE.search(c.text)) and m.group().strip(" 살") and not re.search(r"지\s*$", c.text[: m.start()]):
        return [make_fact(subject, "age", m.group().strip())] if "개월" not in m.group() or subject != USER else None
    if (
        verb == "되"
        and c.past
        and (
            m := re.search(
                r"(열|스물|스무|서른|마흔|쉰|예순|일흔|여든)\s?(하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?(?=\s*(?:이|가)?\s*[돼됐된되])", c.text
            )
        )
    ):
        return [make_fact(subject, "age", m.group().strip())]
    if (
        verb in {"치", "연주하", "켜", "불"}
        and not c.past
        and not c.flags
        and c.ending in {"ᆷ", "음", "어", "어요", "ᆫ다", "ᆸ니다", "습니다"}
        and positive
    ):
        played = [p for p in rest if p.case in {"object", "bare"} and "악기" in kinds_of(p.text)]
        return [make_fact(subject, "skill", p.text.split()[-1]) for p in played] or None
    return None


_NAMED: Final = re.compile(r"['\"’”]\s*(?:이)?라는\s*")


def _called(what: str, text: str) -> str | None:
    """ "'봄날'이라는 카페": what a thing of that kind is called. Not by a pattern made of the word: `re` would keep it."""
    for closing in _NAMED.finditer(text):
        if text.startswith(what, closing.end()):
            line = text.rfind("\n", 0, closing.start()) + 1
            opening = re.search(r"['\"‘“].+", text[line : closing.start()])
            if opening:
                return opening.group()[1:]
    return None


def living(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb == "사" and not c.past and rest and rest[-1].case in {"at", "bare"} and re.search(r"사시|사셔|사십|사신", c.text):
        verb = "살"  # Kiwi reads the honorific "사십니다" as buying.
    if (
        verb == "사"
        and not c.past
        and rest
        and re.search(r"(?:동|구|시|군|읍|면|역|원룸|오피스텔|아파트|빌라|고시원|기숙사|자취방|근처|옆)$", rest[-1].text)
        and re.search(r"산다|삼[.\s]*$", c.text)
    ):
        verb = "살"
    if verb in {"살", "거주하", "자취하", "지내"}:
        place = next(iter(things_in(rest, "at", "from") or things_in(rest, "bare")), None)
        alone = [p for p in rest if p.case == "with"]
        if place is None or place.text in {"혼자", "같이", "집", "잘"} or "want" in c.flags:
            if "want" in c.flags and place is not None:
                return [make_fact(subject, "goal", f"{place.text}에 살기")]
            return [make_fact(subject, "habit", nominalised(c))] if (alone or "혼자" in c.adverbs) and verb != "지내" else []
        if c.past and positive and ({"예전", "원래", "옛날"} & set(c.adverbs) or c.ending in {"는데", "다가", "지만"}):
            return []  # Where one lived says nothing of where one lives.
        if (verb == "지내" and place.case not in {"at", "from"}) or (c.past and "예전" in c.adverbs):
            return [make_fact(subject, "live_in", place.text, polarity=False)] if c.past and "예전" in c.adverbs else []
        return [make_fact(subject, "live_in", place.text, polarity=positive)]
    if verb in {"이사하", "이사가", "이사오"} or (verb in {"가", "오"} and any(p.text.endswith("이사") for p in rest)):
        place = next(iter(things_in(rest, "to") or [p for p in things_in(rest, "at") if p.text != "이사"]), None)
        if c.past and place is not None:
            return [make_fact(subject, "live_in", place.text)]
        if c.past:
            return [r.dated(c, subject, "did", "이사")]
        return [r.dated(c, subject, "plan", "이사", rest=rest)] if c.dates or "will" in c.flags else []
    if verb in {"태어나", "자라"}:
        place = next(iter(things_in(rest, "from", "at")), None)
        if place is not None:
            return [make_fact(subject, "hometown", place.text)] if verb == "태어나" or (previous is None or previous.verb != "태어나") else []
        when, _ = r.dates_of(c)
        if subject in KIN and c.past and (when is None or (r.at - when.when).days < 60):
            return [r.dated(c, subject, "did", "태어남")]
        return [make_fact(subject, "birthday", date_words(when), when=when, now=r.at)] if when is not None else []
    return None


def working(
    r: Reader, c: Clause, verb: str, subject: str, rest: list[Phrase], positive: bool, previous: Clause | None, explicit: bool
) -> list[Fact] | None:
    if verb in {"다니", "재학하"} or (verb in {"다니"} and "ongoing" in c.flags):
        place = next(iter(things_in(rest, "at", "object", "bare", "to")), None)
        if place is None:
            return []
        text = place.text
        kinds = kinds_of(text)
        if text.endswith(("교회", "성당", "절")):
            return [make_fact(subject, "religion", text)]
        if "운동" in kinds or text.endswith(("헬스장", "헬스", "요가", "필라테스", "수영장", "체육관", "도장", "클라이밍장")):
            return [make_fact(subject, "exercise", text, polarity=positive)]
        if text.endswith(("병원", "치과", "한의원")) and not explicit and c.repeats:
            return [make_fact(subject, "treatment", text)]
        if text.endswith("학원"):
            return [make_fact(subject, "learning", text, polarity=positive)]
        if SCHOOL.search(text) and text not in {"군대", "무대"}:
            where = next((p.text for p in rest if p.case == "from"), None)
            return [make_fact(subject, "school", text, polarity=positive, place=where)]
        if text in {"여행", "회사", "직장", "산책", "학교", "출장", "등산", "맛집", "쇼핑"}:
            return [make_fact(subject, "hobby", text)] if text in {"등산", "여행", "맛집"} else []
        if "purpose" in c.flags:
            return None
        return [make_fact(subject, "workplace", text, polarity=positive and not ("예전" in c.adverbs and c.past))]
    if verb in {"일하", "근무하", "재직하", "알바하", "아르바이트하", "활동하", "종사하"}:
        if "want" in c.flags or (c.past and not {"예전"} & set(c.adverbs) and not c.flags):
            if "want" not in c.flags:
                return None
            return [make_fact(subject, "goal", nominalised(c))]
        out: list[Fact] = []
        for p in rest:
            if p.case in {"from", "at"} and p.text not in TOO_PLAIN | {"회사", "집", "직장"}:
                words = p.text.split()
                out.append(make_fact(subject, "team" if p.text.endswith(("팀", "부서")) else "workplace", p.text, polarity=not c.past))
                if len(words) > 1 and words[-1].endswith("팀"):
                    out.append(make_fact(subject, "workplace", " ".join(words[:-1])))
            elif p.case == "to" and not c.past:
                out.append(make_fact(subject, "job", p.text))
        if verb in {"알바하", "아르바이트하"} and out:
            out.append(make_fact(subject, "job", f"{out[0].object} 알바"))
        return out
    if verb in WORK_CHANGE or (
        verb in {"그만두", "때려치우", "옮기", "바꾸", "관두", "접"}
        and any(p.text.endswith(("회사", "직장", "일", "알바", "아르바이트", "배달", "가게", "사업", "장사", "병원", "학교")) for p in rest)
    ):
        what = c.noun or nominalised(c)
        if "will" in c.flags:
            return [r.dated(c, subject, "plan", what, rest=rest)]
        if not c.past and "ongoing" not in c.flags and c.ending not in {"어서", "아서"}:
            return (
                [r.dated(c, subject, "plan", what, rest=rest)]
                if c.dates or "will" in c.flags
                else [make_fact(subject, "goal", what)]
                if "want" in c.flags
                else []
            )
        place = next(iter(things_in(rest, "at", "to")), None)
        out = [r.dated(c, subject, "work_change", what if c.noun else c.text)]
        if place is not None and verb in {"취업하", "입사하", "취직하", "이직하", "옮기"}:
            out.append(make_fact(subject, "workplace", place.text))
        elif place is not None and verb == "승진하":
            out.append(make_fact(subject, "role", place.text))
        elif verb in {"그만두", "관두", "접"} and (
            gone := next((p.text for p in rest if p.text.endswith(("알바", "아르바이트", "배달", "장사", "사업"))), None)
        ):
            out.append(make_fact(subject, "job", gone, polarity=False))
        elif verb in {"퇴사하", "그만두", "관두", "때려치우", "잘리", "은퇴하"} and subject == USER:
            left = next((p.text for p in rest if p.case in {"from", "object", "bare"}), "회사")
            out.append(make_fact(subject, "workplace", left, polarity=False))
        return out
    if verb in {"전공하", "복수전공하"}:
        return [make_fact(subject, "major", p.text) for p in objects_of(rest)[:1]]
    if verb in {"배우", "공부하", "연습하", "수강하", "독학하", "과외하"}:
        things = objects_of(rest)
        if c.past and not c.flags and verb == "배우" and not c.dates:
            return [make_fact(subject, "skill", full_text(p)) for p in things]
        if c.past and "ongoing" not in c.flags and c.dates:
            return [r.dated(c, subject, "did", c.text)] if things else []
        if "want" in c.flags:
            return [make_fact(subject, "goal", f"{things[0].text} {c.noun or '배우기'}")] if things else []
        if (
            verb == "공부하"
            and not c.past
            and (campus := next((p.text for p in rest if p.case == "from" and SCHOOL.search(p.text)), None))
            and things
        ):
            return [make_fact(subject, "school", campus), make_fact(subject, "major", things[0].text)]
        return [make_fact(subject, "learning", full_text(p), polarity=positive) for p in things] if not c.past or "become" in c.flags else []
    if verb in {"준비하", "개발하", "만들", "진행하", "쓰", "연구하", "기획하"} and ("ongoing" in c.flags):
        things = objects_of(rest)
        if verb == "쓰" and not any(p.text.endswith(("소설", "글", "논문", "책", "일기", "시", "블로그")) for p in things):
            return None
        predicate = "goal" if verb == "준비하" else "project"
        return [make_fact(subject, predicate, f"{full_text(p)} 준비" if verb == "준비하" else full_text(p)) for p in things]
    if verb == "졸업하" and (course := next((p.text for p in rest if re.search(r"(?:학과|과|학부|전공)$", p.text)), None)) is not None:
        *school, major = course.split()
        return [
            r.dated(c, subject, "did", f"{course} 졸업"),
            make_fact(subject, "major", major),
            *([make_fact(subject, "school", school[0])] if school and SCHOOL.search(school[0]) else []),
        ]
    if verb in {"졸업하", "입학하", "휴학하", "편입하", "전학하"} and c.past:
        place = next(iter(things_in(rest, "at", "object", "bare", "to")), None)
        out = [r.dated(c, subject, "did", f"{place.text} {c.noun}" if place else c.noun)]
        if place is not None and verb in {"입학하", "편입하", "졸업하"} and place.text not in {"대학", "학교", "대학교", "대학원"}:
            out.append(make_fact(subject, "school", place.text))
        return out
    return None
