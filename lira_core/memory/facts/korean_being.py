""" "I am Y", "my sister is Y", "Y!" in Korean: what somebody is."""

from __future__ import annotations

import re

from lira_core.korean.categories import kind_name, kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import FAMILY, KIN, PARTNER, PETS
from lira_core.memory.facts.korean_phrases import bare_name, full_text, is_job, make_fact, nameable
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_rules import verb_facts
from lira_core.memory.facts.korean_words import (
    AGE,
    ALLERGY,
    BIRTH_YEAR,
    BLOOD,
    BREEDS,
    DIETS,
    EMPLOYER,
    FULL_NAME,
    GRADE,
    ILLNESS,
    MBTI,
    MY_ROLES,
    PERSONAL,
    SCHOOL,
)
from lira_core.types import USER, Fact


def is_a(r: Reader, clause: Clause, who: str | None, comp: Phrase | None, value: str, others: list[Phrase], positive: bool) -> list[Fact]:
    """ "나는 Y야", "여동생은 Y야", "Y야"."""
    assert comp is not None
    subject = who or r.carried(clause_is_new_topic=False)
    squashed = value.replace(" ", "")
    found: list[Fact] = []
    topic = next((p for p in others if p.case in {"topic", "subject"}), None)
    if topic is not None and topic.text in PETS | FAMILY and re.fullmatch(r"(?:하나|둘|셋|넷|다섯|(?:한|두|세|네|다섯|\d+)\s*(?:마리|명))", value):
        r.carry_noun = topic.text
        return [make_fact(USER, "pet" if topic.text in PETS else "family", topic.text)]
    about_a_thing = who is None and topic is not None and topic.text not in {"지금", "여기", "저기"}
    if about_a_thing and not (squashed.endswith("별로") or squashed in {"최고", "최애"} or "무조건" in clause.adverbs):
        return []
    if topic is not None and squashed.endswith("별로"):
        return [make_fact(subject, "dislike", full_text(topic))]
    if topic is not None and "무조건" in clause.adverbs and kinds_of(topic.text) | kinds_of(value) and clause.verb == "이":
        return [make_fact(subject, "like", value)]
    if topic is not None and squashed in {"최애"}:
        return [make_fact(subject, "like", full_text(topic))]
    if set(comp.tags) == {"NR"} and re.match(r"(열|스물|스무|서른|마흔|쉰|예순|일흔|여든)", squashed):
        return [make_fact(subject, "age", value)]
    if re.search(r"차이$", squashed):
        return []
    if (m := AGE.search(squashed if " " not in value else value)) and m.group().strip(" 살"):
        found.append(make_fact(subject, "age", m.group().strip()))
        rest = value.replace(m.group(), "").strip()
        value, squashed = rest, rest.replace(" ", "")
        if not rest or rest in {"초반", "중반", "후반"}:
            return found
    if comp.modifier and (inner := comp.clause) is not None and inner.verb in {"살", "거주하", "다니", "일하"}:
        found += verb_facts(r, inner, subject, [p for p in inner.phrases if p.text != "나"], None, None, True)
    if m := BIRTH_YEAR.search(value):
        return [*found, make_fact(subject, "birthday", m.group())]
    if (m := MBTI.fullmatch(squashed)) is not None:
        return [*found, make_fact(subject, "mbti", m.group().upper())]
    if (m := BLOOD.fullmatch(squashed)) is not None:
        return [*found, make_fact(subject, "blood_type", squashed)]
    if m := GRADE.search(value):
        found.append(make_fact(subject, "grade", m.group().strip()))
        school, rest_words = value[: m.start()].strip(), value[m.end() :].strip()
        if FULL_NAME.fullmatch(rest_words) and subject == USER:
            found.append(make_fact(USER, "name", rest_words))
        words = school.split()
        if len(words) > 1 and SCHOOL.search(words[0]) and not SCHOOL.search(words[-1]):
            found += [make_fact(subject, "school", words[0]), make_fact(subject, "major", " ".join(words[1:]))]
        elif school and SCHOOL.search(school):
            found.append(make_fact(subject, "school", school))
        elif school.endswith(("과", "학부", "공학", "학")):
            found.append(make_fact(subject, "major", school))
        return found
    if value.endswith("출신"):
        place = value.removesuffix("출신").strip()
        return [*found, make_fact(subject, "school" if SCHOOL.search(place) else "hometown", place)] if place else found
    if m := ALLERGY.match(value):
        return [*found, make_fact(subject, "allergy", m.group(1).strip(), polarity=positive)]
    if m := re.fullmatch(r"([가-힣]{2,})파", squashed):
        return (
            [*found, make_fact(subject, "like", m.group(1))]
            if m.group(1) in {"민초", "부먹", "찍먹", "얼죽아", "뜨아", "아아"} or kinds_of(m.group(1))
            else found
        )
    if (m := re.match(r"(?:내\s*)?(?:최애|소울\s*푸드|인생)\s*(\S*)$", value)) and topic is None and (before := r.spoken_of(clause)) is not None:
        return [
            *found,
            make_fact(subject, "like", before),
            *([make_fact(subject, "favorite", before, of=kind_name(m.group(1)))] if m.group(1) else []),
        ]
    if value.endswith(("팬", "덕후", "마니아", "매니아", "러버", "광팬")):
        thing = re.sub(r"\s*(?:광팬|팬|덕후|마니아|매니아|러버)$", "", value).strip()
        return [*found, make_fact(subject, "like", thing)] if thing else found
    if any(squashed.startswith(d.replace(" ", "")) for d in DIETS):
        return [*found, make_fact(subject, "diet", value, polarity=positive)]
    if squashed in {"남자", "여자", "남성", "여성"}:
        return [*found, make_fact(subject, "gender", value, polarity=positive)]
    if squashed in {"미혼", "기혼", "유부남", "유부녀", "싱글", "솔로", "돌싱", "신혼", "신혼부부"}:
        return [*found, make_fact(subject, "marital", value, polarity=positive)]
    if re.fullmatch(r"(기독교|불교|천주교|무교|이슬람교|원불교)(인|신자)?", squashed):
        return [*found, make_fact(subject, "religion", value)]
    if re.search(r"(한국|일본|중국|미국|영국|프랑스|독일|베트남|캐나다|호주|대만|태국)\s*(사람|인)$", value):
        return [*found, make_fact(subject, "nationality", value)]
    if re.search(r"\s사람$", value) and comp.tags[:1] == ("NNP",):
        return [*found, make_fact(subject, "hometown", value.rsplit(" ", 1)[0])]
    if squashed.endswith("띠") or (squashed.endswith("자리") and len(squashed) > 3):
        return [*found, make_fact(subject, "zodiac", value)]
    if any(p in value for p in PERSONAL):
        return [*found, make_fact(subject, "personality", value, polarity=positive)]
    if ILLNESS.search(squashed) and subject:
        return [*found, make_fact(subject, "condition", value, polarity=positive)]
    if squashed in BREEDS or any(squashed.endswith(b) for b in BREEDS if len(b) > 2):
        return [*found, make_fact(subject, "breed", value)] if subject != USER else found
    last = value.split()[-1] if value.split() else ""
    if comp.owner == "나" or (who not in {None, USER} and last in KIN):
        if who is not None and last in {"첫째", "둘째", "셋째", "막내", "맏이"} and any(p in r.text for p in PETS if len(p) > 1):
            return [*found, make_fact(who, "relation", value)]
        if who not in {None, USER} and last in KIN | {"짝꿍", "짝", "동창", "동기"}:
            assert who is not None
            predicate = (
                "friend"
                if last in {"친구", "절친", "베프", "단짝"}
                else "partner"
                if last in PARTNER
                else "family"
                if last in FAMILY
                else "acquaintance"
            )
            return [*found, make_fact(who, "relation", value), make_fact(USER, predicate, who)]
        return found
    if last in MY_ROLES and who is not None:
        team = " ".join(value.split()[:-1])
        return [*found, make_fact(subject, "role", last), *([make_fact(subject, "team", team)] if team.endswith("팀") else [])]
    if is_job(squashed, comp):
        words = value.split()
        employer = next((i for i in range(len(words) - 1, 0, -1) if EMPLOYER.search(words[i - 1])), 0)
        if employer and words[-1] not in {"사장", "점장", "주인", "원장", "대표"} and not SCHOOL.search(words[employer - 1]):
            same = words[0] == "같은"
            return [
                *found,
                *([] if same else [make_fact(subject, "workplace", " ".join(words[:employer]))]),
                make_fact(subject, "job", " ".join(words[employer:]), polarity=positive),
            ]
        workplace = " ".join(value.split()[:-1])
        job = value
        if workplace and comp.tags[:1] == ("NNP",) and kinds_of(value.split()[-1]):
            found.append(make_fact(subject, "school" if SCHOOL.search(workplace) else "workplace", workplace))
            job = value.split()[-1]
        return [*found, make_fact(subject, "job", job, polarity=positive)]
    if squashed.endswith("팀") and who is not None:
        return [*found, make_fact(subject, "team", value)]
    if (
        subject != USER
        and subject.split()[-1] in KIN
        and who is not None
        and nameable(comp)
        and ("NNP" in comp.tags or (len(comp.tags) >= len(value) and re.fullmatch(r"[가-힣]{2,3}", value)))
        and clause.verb == "이"
    ):
        extra = [make_fact(USER, "pet", subject)] if subject in PETS else [make_fact(USER, "family", subject)] if subject in FAMILY else []
        return [*found, make_fact(subject, "name", bare_name(value)), *extra]
    introduced = (
        who is None
        and not others
        and clause is next((c for c in r.all if c.verb not in {"안녕하", "반갑"}), None)
        and "NNP" in comp.tags
        and FULL_NAME.fullmatch(value)
    )
    if introduced and clause.verb == "이" and not found:
        return [make_fact(USER, "name", value, polarity=positive)]
    if who == USER and clause.verb == "이" and not found and nameable(comp) and not kinds_of(value) and (
        set(comp.tags) <= {"NNP"} or re.fullmatch(r"[A-Z][A-Za-z]*", value) or (FULL_NAME.fullmatch(value) and set(comp.tags) != {"NNG"})
    ):  # fmt: skip
        return [make_fact(USER, "name", bare_name(value), polarity=positive)]
    return found
