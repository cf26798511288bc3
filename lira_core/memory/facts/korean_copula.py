""" "X is Y" in Korean: slots, names, plans and tastes told with a copula or with no verb at all."""

from __future__ import annotations

import re
from dataclasses import replace

from lira_core.dates import Span
from lira_core.korean.attributes import attribute_of
from lira_core.korean.categories import kind_name, kinds_of
from lira_core.korean.clauses import Clause, Phrase
from lira_core.korean.people import KIN
from lira_core.memory.facts.korean_being import is_a
from lira_core.memory.facts.korean_phrases import bare_name, date_words, full_text, is_person_word, listed_in, make_fact, nameable, plan_noun
from lira_core.memory.facts.korean_reader import Reader
from lira_core.memory.facts.korean_slot import attribute
from lira_core.memory.facts.korean_words import BARE_SLOTS, DISLIKE, EAT, FAVOURITE, LIKE
from lira_core.types import USER, Fact


def copula(r: Reader, clause: Clause, who: str | None, rest: list[Phrase]) -> list[Fact] | None:
    comp = clause.get("comp") or (rest[-1] if rest and clause.verb in {"", "되"} else None)
    others = [p for p in rest if p is not comp]
    joined = [
        p
        for p in others
        if p.case == "with" and p.particle in {"랑", "이랑", "와", "과", "하고"} and comp is not None and p.end < comp.start <= p.end + 6 and p.tags
    ]
    positive = clause.verb != "아니" and not clause.negated
    if comp is not None and (comp.wh or comp.text.split()[0] in {"뭐", "누구", "어디", "언제"}):
        return []
    value = (comp.text if clause.verb == "이" and comp.clause is not None and comp.clause.phrases else full_text(comp)) if comp is not None else ""
    if comp is not None and clause.verb == "이" and not others and len(words := comp.text.split()) == 2 and words[0] in BARE_SLOTS:
        # "우리 고양이 이름 나비야", without the particle.
        others = [Phrase(words[0], "topic", "", comp.owner, comp.modifier, comp.clause, comp.tags[:1], comp.start, comp.start + len(words[0]))]
        comp = Phrase(words[1], "comp", "", None, "", None, comp.tags[1:], comp.end - len(words[1]), comp.end)
        value, rest = comp.text, [*others, comp]
    if joined and comp is not None and clause.verb == "이":
        value = r.text[joined[0].start : comp.end]
        others = [p for p in others if p not in joined]
    when, until = r.dates_of(clause)
    topic = next((p for p in others if p.case in {"topic", "subject"}), None) or (others[0] if others else None)
    if (listed := _listed_names(r, clause)) is not None:
        return listed
    if (planned := _planned_noun(r, clause, comp, topic, when, who, rest)) is not None:
        return planned
    if clause.verb == "아니":
        topic = topic or comp
        comp = next((p for p in rest if p.case == "comp" or (p.case == "subject" and p is not topic)), comp)
        value = comp.text if comp is not None else value
    if (
        comp is not None
        and topic is not None
        and clause.verb == "이"
        and (slot := attribute_of(comp.text)) in {"hobby", "goal", "skill", "job", "habit"}
        and attribute_of(topic.text) is None
        and (topic.case == "subject" or "NOMINAL" in topic.tags)
    ):
        return [make_fact(who or (comp.owner if comp.owner in KIN else None) or USER, slot, full_text(topic), polarity=positive)]
    # A quotation: "민수라고 불러줘", "저는 김서연이라고 해요".
    if clause.verb == "이" and comp is not None and ("quoted" in clause.flags or clause.ending in {"라고", "이라고"}):
        after = r.text[clause.end : clause.end + 12]
        if ("quoted" in clause.flags or re.match(r"\s*(?:불러|부르|불리|해|합니|하)", after)) and (
            topic is None or r.slot_named(topic, who) is not None or topic.case == "with"
        ):
            subject, predicate = (r.slot_named(topic, who) if topic is not None else None) or (who or USER, "name")
            if re.match(r"\s*(?:불러|부르|불리)", after) and topic is None and who is None and re.search(r"이름", r.text):
                predicate = "nickname"
            if nameable(comp) or predicate != "name":
                return [make_fact(subject, predicate, bare_name(value) if predicate in {"name", "nickname"} else value)]
    # "X는 Y야" where X is a slot, a category asked of, a plan or a thing of mine.
    if (
        comp is not None
        and when is not None
        and clause.dates
        and clause.verb in {"이", ""}
        and (m := re.search(r"(생일|생신|(?:\d+\s*주년\s*)?(?:결혼\s*)?기념일|\d+주년)$", comp.text))
    ):
        if m[1] in {"생일", "생신"} and (whose := comp.owner or who) is not None and attribute_of(comp.text) == "birthday":
            subject = USER if whose == "나" else whose
            return [make_fact(subject, "birthday", date_words(when), when=when, now=r.at)]
        if m[1] not in {"생일", "생신"}:
            of = re.sub(r"^\d+\s*주년\s*", "", comp.text) if "기념일" in comp.text else comp.text
            return [make_fact(USER, "anniversary", comp.text, of=of, when=when, now=r.at)]
    if (comp is not None and when is not None and clause.verb == "" and attribute_of(comp.text) == "birthday" and comp is topic) or (
        comp is not None and when is not None and clause.verb == "" and attribute_of(comp.text) == "birthday" and topic is None
    ):
        return [make_fact(who or (comp.owner if comp.owner in KIN else None) or USER, "birthday", date_words(when), when=when, now=r.at)]
    if topic is not None and when is not None and re.search(r"(?:\d+|백|천)\s*(?:일|주년|주기)$|기념일$", topic.text):
        partner = next((f"{p.text}{p.particle} " for p in rest if p.case == "with"), "")
        return [make_fact(USER, "anniversary", f"{partner}{topic.text}", of=topic.text, when=when, now=r.at)]
    if topic is not None:
        subject_predicate = r.slot_named(topic, who)
        modified = _modified_topic(r, clause, topic, value, who, positive)
        if modified is not None:
            return modified
        if subject_predicate is not None:
            return attribute(r, clause, subject_predicate, topic, comp, value, when, until, positive, rest)
        if topic.owner == "나" and len(value) == 1 and comp is not None and re.search(r"[주날달쯤]$", value) and re.search(r"\d", clause.text):
            value = clause.text[len(topic.text) :].lstrip("은는이가 ").split(topic.text)[-1].strip("은는이가 ")
            value = re.sub(r"(?:이야|야|이에요|예요|입니다)$", "", value)
        if topic.owner == "나" and value and not is_person_word(topic):
            return [make_fact(USER, "attribute", value, of=topic.text, polarity=positive)]
        if re.search(r"(비밀번호|번호|비번|아이디|사이즈|주소|계좌|암호|와이파이)$", topic.text.replace(" ", "")) and value:
            return [make_fact(r.carried(clause_is_new_topic=True), "attribute", value, of=topic.text, polarity=positive)]
    if not value:
        if when is not None and clause.verb == "이" and who is not None and who != USER:
            return []
        return None if clause.verb == "" else []
    return is_a(r, clause, who, comp, value, others, positive)


def _planned_noun(
    r: Reader, clause: Clause, comp: Phrase | None, topic: Phrase | None, when: Span | None, who: str | None, rest: list[Phrase]
) -> list[Fact] | None:
    """Plans said without a verb of their own: "다음 주 수요일 10시에 치과 예약!", "화요일에 시험임", "장소는 여의도예요"."""
    if clause.past or clause.negated or clause.verb not in {"", "이"}:
        return None
    if r.plan is not None and topic is not None and comp is not None and topic.text in {"장소", "시간", "날짜", "약속 장소"} and comp is not topic:
        if topic.text.endswith("장소") and comp.case in {"comp", "bare"} and not comp.wh:
            return [replace(r.plan, place=comp.text)] if comp.text not in {"그대로", "똑같", "미정"} else []
        return [r.later(r.plan, when, None)] if when is not None else []
    if (
        r.plan is not None
        and topic is None
        and comp is not None
        and who is None
        and re.search(r"(?:집|역|앞|식당|카페|호텔|센터|공원|건물|호점|층|로비)$", comp.text)
    ):
        return [r.later(r.plan, when, comp.text)]
    if (
        topic is not None
        and (comp is None or comp is topic)
        and when is not None
        and clause.dates
        and clause.verb == "이"
        and plan_noun(topic.text)
        and attribute_of(topic.text) is None
    ):
        owner = f"{topic.owner} " if topic.owner not in {None, "나"} else ""
        return [r.dated(clause, USER, "plan", f"{owner}{topic.text}", rest=[p for p in rest if p is not topic])]
    said = comp if comp is not None and comp.case in {"comp", "bare"} else None
    if said is not None and (topic is None or topic is said) and who in {None, USER}:
        if (m := re.fullmatch(r"(.+?)\s*(?:금지|중단)", said.text)) and "운동" in kinds_of(m[1]):
            return [make_fact(USER, "exercise", m[1], polarity=False)]
        if m := re.fullmatch(r"((?:첫째|둘째|셋째|쌍둥이)?\s*임신)\s*(?:중|\d+\s*(?:주|개월)(?:차)?)?", said.text):
            return [make_fact(USER, "condition", m[1])]
    if comp is not None and topic is not None and topic.text.endswith("예정일") and when is not None and clause.dates:
        return [make_fact(USER, "plan", topic.text if " " in topic.text else f"출산 {topic.text}", of=topic.text, when=when, now=r.at)]
    if said is None or when is None or not clause.dates or (said.clause is not None and said.clause.past):
        return None
    name = re.sub(r"\s*(?:신청\s*완료|예약\s*완료|등록\s*완료|확정|신청|접수)$", "", said.text)
    if plan_noun(name) is None or when.when.date() < r.at.date() or (topic is not None and topic is not said and topic.case in {"topic", "subject"}):
        return None
    if who not in {None, USER} or re.search(r"기념일$|생일$|생신$", name):
        return None
    return [r.dated(clause, USER, "plan", name, rest=[p for p in rest if p is not said])]


def _listed_names(r: Reader, clause: Clause) -> list[Fact] | None:
    """ "강아지가 셋이에요. 보리, 쌀, 귀리." and "고양이 두 마리 키워요. 나비랑 까망이요": what they are called."""
    if clause.verb not in {"", "이"} or r.carry_noun is None or clause.past or clause.negated or clause.dates:
        return None
    words = [p.text for p in clause.phrases]
    if len(words) < 2 or any(p.case not in {"bare", "with", "comp"} or p.wh or p.owner or p.modifier or len(p.text) > 4 for p in clause.phrases):
        return None
    if not re.search(r"마리|[둘셋넷]|[두세네]\s*명|쌍둥이|형제|자매", r.text[: clause.start]):
        return None
    return [make_fact(r.carry_noun, "name", ", ".join(bare_name(w) for w in words))]


def _modified_topic(r: Reader, clause: Clause, topic: Phrase, value: str, who: str | None, positive: bool) -> list[Fact] | None:
    """ "제일 좋아하는 과일은 딸기", "사는 곳은 대전", "다니는 회사는 네이버", "태어난 날은 5월 1일"."""
    inner = topic.clause
    if inner is None:
        if topic.text.startswith("최애") and value:
            return [make_fact(who or USER, "favorite", value, of=kind_name(topic.text.removeprefix("최애").strip() or "것"))]
        return None
    inside = next((p for p in inner.phrases if p.case in {"subject", "bare", "topic"}), None)
    subject = who or (r.person_of(inside) if inside is not None else None) or (topic.owner if topic.owner in KIN else None) or USER
    when, _ = r.dates_of(clause)
    if inner.verb in LIKE | {"좋"} and value:
        best = bool(FAVOURITE & set(inner.adverbs)) or topic.text not in {"것", "거"}
        things = listed_in(value)
        if best and len(things) == 1:
            return [make_fact(subject, "favorite", things[0], of=kind_name(topic.text), polarity=positive)]
        return [make_fact(subject, "like", t, polarity=positive) for t in things]
    if inner.verb in DISLIKE | {"싫"} or (inner.verb in EAT and inner.negated):
        return [make_fact(subject, "dislike", t, polarity=positive) for t in listed_in(value)] if value else []
    slots = {
        "살": "live_in",
        "사": "live_in",
        "거주하": "live_in",
        "다니": "workplace",
        "일하": "workplace",
        "태어나": "birthday",
        "근무하": "workplace",
        "키우": "pet",
        "하": "job",
        "배우": "learning",
        "친하": "friend",
        "쓰": "own",
        "타": "own",
    }
    predicate = slots.get(inner.verb)
    if predicate is None:
        return None
    if inner.verb == "태어나" and topic.text not in {"날", "날짜"}:
        predicate = "hometown"
    if predicate == "workplace" and "학교" in topic.text:
        predicate = "school"
    if inner.verb == "하" and topic.text != "일":
        return None
    if predicate == "birthday" and when is not None:
        return [make_fact(subject, "birthday", date_words(when), when=when, now=r.at)]
    if not value:
        return None
    if predicate == "friend":
        return [make_fact(subject, "friend", bare_name(value)), *([make_fact(bare_name(value), "relation", "친구")] if subject == USER else [])]
    return [make_fact(subject, predicate, value, polarity=positive, of=topic.text if predicate == "own" else None)]
