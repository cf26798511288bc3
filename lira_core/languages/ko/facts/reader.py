# ruff: noqa: SIM905 (word lists read better in wide rows)
"""Whom and what a Korean utterance speaks of while it is read, clause after clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lira_core.dates import Span
from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.attributes import ATTRIBUTES, attribute_of
from lira_core.languages.ko.clauses import Clause, Phrase, clauses
from lira_core.languages.ko.facts.phrases import bare_name, is_person_word, make_fact, of_the_speaker, things_in
from lira_core.languages.ko.facts.words import COUNT, DISLIKE, EAT, FRIENDS, LIKE, MANY
from lira_core.languages.ko.names import is_place, name_spans
from lira_core.languages.people import FAMILY, KIN, PETS
from lira_core.memory.slots import SINGLE, key_of
from lira_core.types import USER, Fact

YOU = "너"
"""Whose clause it is when LIRA is spoken of."""
# What the speaker claims for themselves only where nobody and nothing else is spoken of.
_OWN = (SINGLE - {"name", "nickname"}) | {"condition", "medicine"}
# Slots that somebody has of whom one speaks by name ("보리가 열두 살이고").
_OF_OTHERS = frozenset({"age", "job", "live_in", "school", "grade", "workplace", "condition"})
_NO_TOPICS = frozenset("둘 둘이 셋 셋이 혼자 나 지금 여기".split())


@dataclass(frozen=True, slots=True)
class Said:
    """One clause as the rules read it: whose it is, its other phrases, and the clause before it.

    `explicit`: the subject is said and not carried over from before.
    """

    clause: Clause
    subject: str
    rest: tuple[Phrase, ...]
    explicit: bool
    previous: Clause | None = None

    @property
    def positive(self) -> bool:
        return not self.clause.negated and "cannot" not in self.clause.flags

    @property
    def wished(self) -> bool:
        """It is wanted, guessed or asked for, and not so."""
        return bool({"want", "guess", "may"} & self.clause.flags)


class Reader:
    """One utterance while it is read; remembers who was spoken of last, since Korean leaves the subject out."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.at = text, at
        self.all = clauses(text, at)
        self.names = name_spans(text)
        self.carry: str | None = None
        self.carry_noun: str | None = None
        self.pending: list[Fact] = []
        self.plan: Fact | None = None

    def person_of(self, phrase: Phrase) -> str | None:
        """The name by which a phrase speaks of somebody, None when it is a thing."""
        text = COUNT.sub("", phrase.text).strip()
        if text == "나":
            return USER
        if text in {"너", "당신", "리라", "니", "넌"} or text.lower() == "lira":
            return YOU
        if text in {"첫째", "둘째", "셋째", "막내"} and self.carry_noun in {"아들", "딸"}:
            return f"{text} {self.carry_noun}"
        words = text.split()
        if text in KIN or not words:
            return text or None
        if len(words) > 1 and words[-1] in KIN and (len(words) == 2 or words[-2] not in KIN):
            return words[-1] if words[0] in {"우리", "첫째", "둘째", "집", "작은", "큰", "막내"} and words[-1] in FAMILY | PETS else text
        if len(words) > 1 and words[-2] in KIN and words[-1] not in ATTRIBUTES and (self.named_here(phrase) or words[-2] in PETS):
            return self.introduce(words[-2], bare_name(words[-1]))
        if phrase.owner and phrase.owner in KIN and self.named_here(phrase):
            return self.introduce(phrase.owner, bare_name(text))
        of_a_name = bool(phrase.tags) and set(phrase.tags) <= {"NNP", "XSN"} and 1 < len(text) <= 5 and phrase.case in {"topic", "subject"}
        if of_a_name and not kinds_of(text) and not is_place(text):
            return bare_name(text)
        return text if len(text) > 2 and text.endswith(("씨", "님", "누나", "언니", "오빠", "쌤")) else None

    def named_here(self, phrase: Phrase) -> bool:
        """Whether the phrase ends in a personal name."""
        return phrase.tags[-1:] == ("NNP",) or any(a <= phrase.end - 1 < b for a, b in self.names)

    def introduce(self, kin: str, name: str) -> str:
        """ "딸 수아가", "친구 지은이랑": who that is. Of friends there are many: each goes by the name; the subject to speak of comes back."""
        if kin in MANY:
            self.pending += [make_fact(name, "relation", kin), *([make_fact(USER, "friend", name)] if kin in FRIENDS else [])]
            return name
        self.pending += [make_fact(kin, "name", name), *of_the_speaker(kin)]
        return kin

    def frame(self, clause: Clause) -> tuple[str | None, list[Phrase]]:
        """(whose clause it is, the other phrases). None: nobody named."""
        who: str | None = None
        source: Phrase | None = None
        rest: list[Phrase] = []
        for i, phrase in enumerate(clause.phrases):
            person = self.person_of(phrase) if self._may_be_subject(clause, i) and who in {None, USER} else None
            if person is not None and (who is None or person == YOU):
                who, source = person, phrase
                continue
            rest.append(phrase)
            owner = phrase.owner if phrase.owner in KIN and phrase.text not in KIN else None
            if owner is None:
                continue
            if phrase.case not in {"topic", "subject"} and clause.verb != "이" and self.named_here(phrase):
                known = self.introduce(owner, bare_name(phrase.text))
                who = known if who is None and phrase.case == "bare" and clause.verb == "" else who
            elif who is None and phrase.case in {"topic", "subject", "bare", "comp"} and attribute_of(phrase.text) is None:
                who = owner
        if source is None or who in {USER, YOU} or source.text in KIN:
            return who, rest
        # "민수 좋아해": a name before a verb of taste is rather what is liked than who likes.
        if clause.verb in {"좋", "싫", "맛있"} or (not rest and clause.verb in LIKE | DISLIKE | EAT):
            return None, [source, *rest]
        return who, rest

    @staticmethod
    def _may_be_subject(clause: Clause, i: int) -> bool:
        phrase = clause.phrases[i]
        if phrase.case not in {"topic", "subject", "bare"} or (attribute_of(phrase.text) is not None and phrase.text not in KIN):
            return False
        if phrase.case == "bare" and phrase.text not in {"나", "너"} and not (i == 0 and len(clause.phrases) > 1):
            return False
        counted = all(q.tags and set(q.tags) <= {"NR", "SN", "NNB", "MM"} for q in clause.phrases[i + 1 :])
        exists = clause.verb in {"있", "없", "생기"} and phrase.case == "subject" and COUNT.sub("", phrase.text).split()[-1:] != []
        return not (exists and counted and COUNT.sub("", phrase.text).strip() in KIN)

    def slot_named(self, phrase: Phrase, who: str | None) -> tuple[str, str] | None:
        """(subject, predicate) for a phrase like "제 이름", "민수 생일", "강아지 이름"."""
        predicate = attribute_of(phrase.text)
        if predicate is None:
            return None
        words = phrase.text.split()
        if phrase.owner not in {None, "나"} | (KIN - {"옆집", "이웃"}):
            return " ".join([str(phrase.owner), *words[:-1]]), predicate  # "옆집 아저씨네 강아지 이름" is of no dog of the speaker
        subject = USER if phrase.owner == "나" else phrase.owner
        if len(words) > 1 and words[-1] in ATTRIBUTES:
            of_whom = predicate in {"name", "birthday", "age", "job", "blood_type", "mbti", "hobby"} and subject is None
            if words[-2] in KIN or (of_whom and words[-2] not in {"내", "제", "영어", "실제", "음력", "양력"}):
                subject = words[-2] if words[-2] in KIN else " ".join(words[:-1])
        if (
            subject is None
            and who is None
            and self.carry_noun
            and self.carry in {None, USER}
            and predicate in {"name", "nickname", "age", "birthday", "job"}
        ):
            subject = self.carry_noun
        return subject or who or self.carried, predicate

    @property
    def carried(self) -> str:
        return self.carry or USER

    def claimed(self, fact: Fact, said: Said) -> Fact | None:
        """The fact, of whom it really is; None where it is the speaker's by nothing but silence and something else is spoken of."""
        if fact.predicate == "plan" and fact.polarity:
            self.plan = fact
        if fact.subject != USER or said.explicit or fact.predicate not in _OWN:
            return fact
        if "hearsay" in said.clause.flags:
            return None  # "민수 만났어. 개발자 한대": told of somebody else
        about = self.about(said.clause)
        if about is None and fact.predicate == "age" and said.previous is not None and said.previous.sentence == said.clause.sentence:
            about = self.about(said.previous)
        if about is None or not about.tags or about.wh or attribute_of(about.text) is not None or about.text in _NO_TOPICS:
            return fact
        if (
            about.owner == "나"
            or about.clause is not None
            or "NOMINAL" in about.tags
            or fact.object in about.text
            or kinds_of(about.text) & {"병", "일정"}
        ):
            return fact
        if fact.predicate in _OF_OTHERS and (self._somebody(about.text) or (fact.predicate == "age" and re.fullmatch(r"[가-힣]{1,4}", about.text))):
            return replace(fact, subject=about.text, key=key_of(about.text, fact.predicate, fact.object))
        return None

    @staticmethod
    def about(clause: Clause) -> Phrase | None:
        """What the clause is about, where that is said with a particle that says so."""
        return next((p for p in clause.phrases if p.case == "subject" or (p.case == "topic" and p.particle in {"은", "는"})), None)

    def _somebody(self, word: str) -> bool:
        return word in KIN or word.endswith("씨") or any(self.text[a:b] == word for a, b in self.names)

    def dates_of(self, clause: Clause) -> tuple[Span | None, Span | None]:
        """From when, and until when where both are said."""
        spans = clause.dates or next((c.dates for c in self.all if c.sentence == clause.sentence and not c.verb and c.dates), ())
        if len(spans) > 1 and "부터" in self.text[spans[0].end : spans[1].start + 1]:
            return spans[0], spans[1]
        exact = [s for s in spans if s.day_said] or list(spans)
        return (exact[0] if exact else None), None

    def planned(self, said: Said, what: str, rest: Sequence[Phrase], *, polarity: bool = True) -> Fact:
        """A plan with the time, the place and the people of its clause."""
        clause = said.clause
        when, until = self.dates_of(clause)
        place = next((p.text for p in rest if p.case == "from" and not is_person_word(p)), None)
        if place is None and clause.verb in {"가", "오", "떠나", "있", "모이", "다녀오", "놀러가", "출국하", "방문하"}:
            place = next((p.text for p in rest if p.case in {"to", "at"} and not is_person_word(p) and p.text != what), None)
        if place is None and (m := re.match(r"(.+?)\s*(?:여행|출장)$", what)):
            place = m.group(1)
        people = [
            bare_name(p.text)
            for p in rest
            if p.case in {"with", "person"} and (p.particle != "" or is_person_word(p)) and p.text not in {what, "나"} and "NOMINAL" not in p.tags
        ]
        if clause.verb in {"만나", "뵈"}:
            met = [p for p in things_in(rest, "object", "bare") if not re.match(r"\d", p.text)]
            people += [f"{p.owner} {p.text}" if p.owner not in {None, "나"} else bare_name(p.text) for p in met]
        people = list(dict.fromkeys(people))
        return make_fact(said.subject, "plan", what, polarity=polarity, when=when, until=until, now=self.at, place=place, people=people)

    def later(self, plan: Fact, when: Span | None, place: str | None) -> Fact:
        """The plan with what a following sentence adds: its hour, its place."""
        if when is None:
            return replace(plan, place=place or plan.place)
        if not when.day_said and plan.when is not None:
            when = replace(when, when=plan.when.replace(hour=when.when.hour, minute=when.when.minute), day_said=True)
        return replace(plan, when=when.when, when_text=when.say("ko", self.at), place=place or plan.place)

    def changed(self, clause: Clause) -> tuple[Span | None, str | None]:
        """What a following sentence says of a change: "수술 날짜가 바뀌었어요. 5월 13일로요", "장소 바뀜. 정자동 말고 서현역"."""
        after = self.text[clause.end :]
        span = next((s for c in self.all if c.start >= clause.end - 1 for s in c.dates), None)
        found = re.search(r"(?:말고|대신|아니고|에서)\s+([가-힣A-Za-z0-9 ]{2,20}?)(?:으로|로|에서)?\s*(?:[.,!]|$)", after)
        return span, found[1].strip() if found and not re.search(r"[월일시]$", found[1]) else None


Rule = Callable[[Reader, Said], list[Fact] | None]
"""A rule answers None when the clause is not its business, and the facts (perhaps none) when it is."""
