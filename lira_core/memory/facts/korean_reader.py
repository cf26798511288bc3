"""Whom and what a Korean utterance speaks of while it is read, clause after clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from lira_core.dates import Span
from lira_core.korean.attributes import ATTRIBUTES, attribute_of
from lira_core.korean.categories import kinds_of
from lira_core.korean.clauses import Clause, Phrase, clauses
from lira_core.korean.names import is_place, name_spans
from lira_core.korean.people import FAMILY, KIN, PARTNER, PETS
from lira_core.memory.facts.korean_phrases import bare_name, full_text, is_person_word, make_fact
from lira_core.memory.facts.korean_words import BUY, DISLIKE, EAT, FRIENDS, GO, LIKE, MANY, TOO_PLAIN
from lira_core.memory.slots import SINGLE, key_of
from lira_core.types import USER, Fact


class Reader:
    """One utterance while it is read; remembers who was spoken of last, since Korean leaves the subject out."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.at = text, at
        self.carry: str | None = None
        self.carry_noun: str | None = None
        self.all = clauses(text, at)
        self.names = name_spans(text)
        self.other: tuple[int, str] | None = None
        self.pending: list[Fact] = []
        self.met: str | None = None
        self.plan: Fact | None = None

    def person_of(self, phrase: Phrase) -> str | None:
        """The name by which a phrase speaks of somebody, None when it is a thing."""
        text = re.sub(r"\s*(?:하나|둘|셋|넷|(?:한|두|세|네|다섯|\d+)\s*(?:명|분|마리))$", "", phrase.text).strip()
        if text == "나":
            return USER
        if text in {"애", "애기", "아기", "꼬맹이"} and phrase.case in {"topic", "subject"}:
            return "아이"
        if text in {"두 분", "두분"} and re.search(r"부모|엄마|아빠|어머니|아버지", self.text):
            return "부모님"
        if text in {"너", "당신", "리라", "니", "넌", "자기"} or text.lower() == "lira":
            return "너"
        if phrase.owner == "나":
            text = text.removeprefix("집 ")
        if text in {"첫째", "둘째", "셋째", "막내"} and self.carry_noun in {"아들", "딸"}:
            return f"{text} {self.carry_noun}"
        if text in KIN:
            return text
        words = text.split()
        if len(words) > 1 and words[-1] in KIN and (len(words) == 2 or words[-2] not in KIN):
            return words[-1] if words[0] in {"우리", "첫째", "둘째", "집", "회사", "작은", "큰", "막내"} and words[-1] in FAMILY | PETS else text
        for i, word in enumerate(words[:-1]):
            if (
                word in KIN
                and words[-1] not in ATTRIBUTES
                and i == len(words) - 2
                and phrase.tags
                and (self.named_here(phrase) or (word in PETS and len(words[-1]) <= 4 and phrase.case != "object"))
            ):
                return self.introduce(word, bare_name(words[-1]))
        if phrase.owner and phrase.owner in KIN and phrase.tags and self.named_here(phrase):
            return self.introduce(phrase.owner, bare_name(text))
        if phrase.owner in {"옆집", "이웃"} and text in KIN:
            return f"{phrase.owner} {text}"
        if (
            phrase.tags
            and set(phrase.tags) <= {"NNP", "XSN"}
            and 1 < len(text) <= 5
            and not kinds_of(text)
            and not is_place(text)
            and phrase.case in {"topic", "subject"}
        ):
            return bare_name(text)
        if len(text) > 2 and text.endswith(("씨", "님", "이형", "누나", "언니", "오빠", "쌤")):
            return text
        return None

    def named_here(self, phrase: Phrase) -> bool:
        """Whether the phrase ends in a personal name."""
        return phrase.tags[-1:] == ("NNP",) or any(a <= phrase.end - 1 < b for a, b in self.names)

    def introduce(self, kin: str, name: str) -> str:
        """ "딸 수아가", "친구 지은이랑": who that is. Of friends there are many: each goes by the name; the subject to speak of comes back."""
        if kin in MANY:
            self.pending += [make_fact(name, "relation", kin), make_fact(USER, "friend" if kin in FRIENDS else "acquaintance", name)]
            return name
        self.pending.append(make_fact(kin, "name", name))
        if kin in PETS:
            self.pending.append(make_fact(USER, "pet", kin))
        elif kin in PARTNER:
            self.pending.append(make_fact(USER, "partner", kin))
        elif kin in FAMILY:
            self.pending.append(make_fact(USER, "family", kin))
        return kin

    def frame(self, clause: Clause) -> tuple[str | None, list[Phrase]]:
        """(whose clause it is, the other phrases). None: nobody named."""
        who: str | None = None
        weak = False
        rest: list[Phrase] = []
        source: Phrase | None = None
        for i, phrase in enumerate(clause.phrases):
            if (
                phrase.case in {"topic", "subject", "bare"}
                and (who is None or who == USER)
                and (phrase.case != "bare" or (i == 0 and len(clause.phrases) > 1) or phrase.text in {"나", "너"})
            ):
                person = self.person_of(phrase) if attribute_of(phrase.text) is None or phrase.text in KIN else None
                existing = (
                    clause.verb in {"있", "없", "생기"}
                    and phrase.case == "subject"
                    and person in KIN
                    and all(q.tags and set(q.tags) <= {"NR", "SN", "NNB", "MM"} for q in clause.phrases[i + 1 :])
                )
                if person is not None and not existing and (who is None or person == "너"):
                    who, source = person, phrase
                    weak = person not in {USER, "너"} and phrase.text not in KIN
                    continue
            rest.append(phrase)
            introduced = phrase.owner in KIN and bool(phrase.tags) and self.named_here(phrase)
            if introduced and phrase.owner is not None and phrase.case not in {"topic", "subject"} and clause.verb != "이":
                known = self.introduce(phrase.owner, bare_name(phrase.text))
                who = known if who is None and phrase.case == "bare" and clause.verb == "" else who
            elif (
                who is None
                and phrase.case in {"topic", "subject", "bare", "comp"}
                and phrase.owner in KIN
                and attribute_of(phrase.text) is None
                and phrase.text not in KIN
            ):
                who = phrase.owner
        if weak and source is not None and not rest and clause.verb in LIKE | DISLIKE | EAT | BUY | {"좋", "싫"}:
            return None, [source]
        if weak and source is not None and clause.verb in {"좋", "싫", "맛있", "무섭"}:
            return None, [source, *rest]
        return who, rest

    def slot_named(self, phrase: Phrase, who: str | None) -> tuple[str, str] | None:
        """(subject, predicate) for a phrase like "제 이름", "민수 생일", "강아지 이름"."""
        predicate = attribute_of(phrase.text)
        if predicate is None:
            return None
        words = phrase.text.split()
        subject = USER if phrase.owner == "나" else phrase.owner
        if len(words) > 1 and words[-1] in ATTRIBUTES and words[-2] in KIN:
            subject = words[-2]
        if subject is None and len(words) > 1 and words[-1] in ATTRIBUTES:
            before = " ".join(words[:-1])
            last = before.split()[-1]
            if last in KIN:
                subject = last
            elif predicate in {"name", "birthday", "age", "job", "blood_type", "mbti", "hobby", "phone"} and before not in {
                "내",
                "제",
                "영어",
                "실제",
                "음력",
                "양력",
                "핸드폰",
                "전화",
            }:
                subject = before
        if subject is not None and subject != USER:
            subject = re.sub(r"^(?:우리|내|제|저희)\s*", "", subject)
            subject = subject.split()[-1] if subject.split()[-1] in KIN else subject
        if (
            subject is None
            and who is None
            and predicate in {"name", "age", "breed", "birthday", "job", "nickname"}
            and self.carry in {None, USER}
            and self.carry_noun
        ):
            subject = self.carry_noun
        return subject or who or self.carried(clause_is_new_topic=False), predicate

    def carried(self, *, clause_is_new_topic: bool) -> str:
        return self.carry if self.carry and not clause_is_new_topic else USER

    def claimed(self, fact: Fact, clause: Clause, explicit: str | None) -> Fact | None:
        """A slot of one value is the speaker's only when nobody and nothing else is what the clause speaks of ("보리가 열두 살이고")."""
        if fact.predicate == "met" and re.search(r"[가-힣]", fact.object):
            self.met = fact.object.split()[-1]
        if fact.predicate == "plan" and fact.polarity:
            self.plan = fact
        if fact.subject != USER or fact.predicate not in SINGLE - {"name", "nickname"} or explicit is not None:
            return fact
        if self.met is not None and re.search(r"(?:대|래|대요|래요|다더라|라더라)\s*[.!~]*\s*$", self.text[clause.end :] or clause.text):
            # "민수 만났어. 판교에서 개발자 한대": told of whom one met.
            return replace(fact, subject=self.met, key=key_of(self.met, fact.predicate, fact.object))
        said = next((p for p in clause.phrases if p.case == "subject" or (p.case == "topic" and p.particle in {"은", "는"})), None)
        other = said.text if said is not None and said.tags and not said.wh else None
        if other is None and self.other is not None and self.other[0] == clause.sentence and fact.predicate in {"age", "breed"}:
            other = self.other[1]
        if (
            other is None
            or attribute_of(other) is not None
            or other in {"둘", "둘이", "셋", "셋이", "넷이", "혼자", "나", "지금", "여기", "지금 집", "사는 곳", fact.object}
            or (said is not None and (said.owner == "나" or said.clause is not None or "NOMINAL" in said.tags))
            or kinds_of(other) & {"병", "일정"}
            or fact.object in other
        ):
            return fact
        if fact.predicate in {"age", "breed", "job", "live_in", "school", "grade", "workplace"} and re.fullmatch(r"[가-힣]{1,4}(?: 씨)?", other):
            return (
                replace(fact, subject=other, key=key_of(other, fact.predicate, fact.object))
                if self.somebody(other) or fact.predicate in {"age", "breed"}
                else None
            )
        return None

    def somebody(self, word: str) -> bool:
        return word in KIN or word.endswith("씨") or any(self.text[a:b] == word for a, b in self.names)

    def pet_said(self) -> str:
        """The pet that the text speaks of."""
        return next((w for c in self.all for p in c.phrases for w in p.text.split() if w in PETS), "반려동물")

    def caller(self, clause: Clause) -> str | None:
        """Who called about it in the same sentence: "두레전자에서 연락 왔는데 면접이 ..." is about 두레전자."""
        for earlier in self.all:
            if earlier.sentence == clause.sentence and earlier.end <= clause.end and re.search(r"연락|전화|메일|문자|통보|공지", earlier.text):
                return next((p.text for p in earlier.phrases if p.case in {"from", "person"} and p.text != "나"), None)
        return None

    def dates_of(self, clause: Clause) -> tuple[Span | None, Span | None]:
        spans = clause.dates or next((c.dates for c in self.all if c.sentence == clause.sentence and not c.verb and c.dates), ())
        if len(spans) > 1 and "부터" in self.text[spans[0].end : spans[1].start + 1]:
            return spans[0], spans[1]
        exact = [s for s in spans if s.day_said] or list(spans)
        return (exact[0] if exact else None), None

    def dated(
        self, clause: Clause, subject: str, predicate: str, object: str, *, polarity: bool = True, rest: Sequence[Phrase] = (), of: str | None = None
    ) -> Fact:
        when, until = self.dates_of(clause)
        place = next((p.text for p in rest if p.case == "from" and not is_person_word(p)), None)
        if place is None and clause.verb in GO | {"도착하", "모이", "있", "여행가"}:
            place = next((p.text for p in rest if p.case in {"to", "at"} and not is_person_word(p) and p.text != object), None)
        if place is None and (m := re.match(r"(.+?)\s*(?:여행|출장)$", object)):
            place = m.group(1)
        people: list[str] = [
            bare_name(p.text)
            for p in rest
            if p.case in {"with", "person"} and (p.particle != "" or is_person_word(p)) and p.text not in {object, "나"} and "NOMINAL" not in p.tags
        ]
        if clause.verb in {"만나", "뵈"}:
            people += [
                f"{p.owner} {p.text}" if p.owner not in {None, "나"} else bare_name(p.text)
                for p in rest
                if p.case in {"object", "bare"} and p.text not in TOO_PLAIN and not p.wh and not re.match(r"\d", p.text)
            ]
        return make_fact(
            subject,
            predicate,
            object,
            polarity=polarity,
            of=of,
            when=when,
            until=until,
            now=self.at,
            place=place,
            people=tuple(dict.fromkeys(people)),
        )

    def later(self, plan: Fact, when: Span | None, place: str | None) -> Fact:
        """The plan with what a following sentence adds: its hour, its place."""
        if when is None:
            return replace(plan, place=place or plan.place)
        if not when.day_said and plan.when is not None:
            moment = plan.when.replace(hour=when.when.hour, minute=when.when.minute)
            words = replace(when, when=moment, day_said=True).say("ko", self.at)
            return replace(plan, when=moment, when_text=words, place=place or plan.place)
        return replace(plan, when=when.when, when_text=when.say("ko", self.at), place=place or plan.place)

    def changed(self, clause: Clause, noun: str) -> tuple[Span | None, str | None]:
        """What a following sentence says of a change: "수술 날짜가 바뀌었어요. 5월 13일로요", "장소 바뀜. 정자동 말고 서현역"."""
        after = self.text[clause.end :]
        if re.match(r"\s*[.!~…]*\s*$", after):
            return None, None
        span = next((s for c in self.all if c.start >= clause.end - 1 for s in c.dates), None)
        found = re.search(r"(?:말고|대신|아니고|에서)\s+([가-힣A-Za-z0-9 ]{2,20}?)(?:으로|로|에서)?\s*(?:[.,!]|$)", after)
        return span, found[1].strip() if found and not re.search(r"[월일시]$", found[1]) else None

    def spoken_of(self, clause: Clause) -> str | None:
        """What the sentence before speaks of ("돼지국밥이지. 소울푸드임", "딸기라떼는 포기 못 해. 내 최애임")."""
        for earlier in reversed([c for c in self.all if c.end <= clause.start and clause.sentence - c.sentence <= 1]):
            for phrase in earlier.phrases:
                if phrase.case in {"topic", "object", "comp", "subject", "bare"} and kinds_of(phrase.text) and not phrase.wh:
                    return full_text(phrase)
        return None


Rule = Callable[[Reader, Clause, str, str, list[Phrase], bool, Clause | None, bool], list[Fact] | None]
"""A rule answers None when the clause is not its business, and the facts (perhaps none) when it is."""
