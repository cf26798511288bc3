# ruff: noqa: SIM905 (word lists read better in wide rows)
"""Of whom a Korean utterance speaks while it is read, clause after clause."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lira_core.dates.span import Span
from lira_core.languages.categories import kinds_of
from lira_core.languages.ko.attributes import ATTRIBUTES, attribute_of
from lira_core.languages.ko.clauses import Clause, Phrase, clauses
from lira_core.languages.ko.facts.nouns import COUNT, MANY, bare_name, is_person_word, make_fact, things_in
from lira_core.languages.ko.names import is_place, name_spans
from lira_core.languages.people import FAMILY, KIN, PETS
from lira_core.memory.slots import SINGLE
from lira_core.types import USER, Fact

YOU = "너"
"""Whose clause it is when LIRA is spoken of."""
# What the speaker claims for themselves only where nobody and nothing else is spoken of.
_OWN = (SINGLE - {"name", "nickname"}) | {"condition", "medicine"}
_NO_TOPICS = frozenset("둘 둘이 셋 셋이 혼자 나 지금 여기".split())
_TASTE_VERBS = frozenset("좋 싫 맛있 좋아하 싫어하 먹 마시".split())


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
        self.changed: Phrase | None = None  # "이름 바꿨어. 이제 서윤이야": what the next clause says the new value of
        self.pending: list[Fact] = []

    @property
    def carried(self) -> str:
        return self.carry or USER

    def person_of(self, phrase: Phrase) -> str | None:
        """The name by which a phrase speaks of somebody, None when it is a thing."""
        text = COUNT.sub("", phrase.text).strip()
        words = text.split()
        if text == "나":
            return USER
        if text in {"너", "당신", "리라", "니", "넌"} or text.lower() == "lira":
            return YOU
        if text in KIN or not words:
            return text or None
        if len(words) > 1 and words[-1] in KIN and (len(words) == 2 or words[-2] not in KIN):
            return words[-1] if words[0] in {"우리", "첫째", "둘째", "집", "작은", "큰", "막내"} and words[-1] in FAMILY | PETS else text
        if len(words) > 1 and words[-2] in KIN and words[-1] not in ATTRIBUTES and (self._named(phrase) or words[-2] in PETS):
            return self._introduced(words[-2], bare_name(words[-1]))
        if phrase.owner and phrase.owner in KIN and self._named(phrase):
            return self._introduced(phrase.owner, bare_name(text))
        of_a_name = bool(phrase.tags) and set(phrase.tags) <= {"NNP", "XSN"} and 1 < len(text) <= 5 and phrase.case in {"topic", "subject"}
        if of_a_name and not kinds_of(text) and not is_place(text):
            return bare_name(text)
        return text if len(text) > 2 and text.endswith(("씨", "님", "누나", "언니", "오빠", "쌤")) else None

    def _named(self, phrase: Phrase) -> bool:
        """Whether the phrase ends in a personal name."""
        return phrase.tags[-1:] == ("NNP",) or any(a <= phrase.end - 1 < b for a, b in self.names)

    def _introduced(self, kin: str, name: str) -> str:
        """ "딸 수아가", "친구 지은이랑": who that is. Of friends there are many: each goes by the name."""
        if kin in MANY:
            self.pending.append(make_fact(name, "relation", kin))
            return name
        self.pending.append(make_fact(kin, "name", name))
        return kin

    def frame(self, clause: Clause) -> tuple[str | None, list[Phrase]]:
        """(whose clause it is, the other phrases). None: nobody named."""
        who: str | None = None
        source: Phrase | None = None
        rest: list[Phrase] = []
        for i, phrase in enumerate(clause.phrases):
            person = self.person_of(phrase) if who in {None, USER} and self._may_be_subject(clause, i) else None
            if person is not None and (who is None or person == YOU):
                who, source = person, phrase
            else:
                rest.append(phrase)
        # "민수 좋아해": a name before a verb of taste is rather what is liked than who likes.
        liked = clause.verb in {"좋", "싫", "맛있"} or (not rest and clause.verb in _TASTE_VERBS)
        if source is not None and who not in {USER, YOU} and source.text not in KIN and liked:
            return None, [source, *rest]
        return who, rest

    @staticmethod
    def _may_be_subject(clause: Clause, i: int) -> bool:
        phrase = clause.phrases[i]
        if phrase.case not in {"topic", "subject", "bare"} or (attribute_of(phrase.text) is not None and phrase.text not in KIN):
            return False
        if phrase.case == "bare" and phrase.text not in {"나", "너"} and not (i == 0 and len(clause.phrases) > 1):
            return False
        # "여동생이 둘 있어" tells whom one has.
        counted = all(q.tags and set(q.tags) <= {"NR", "SN", "NNB", "MM"} for q in clause.phrases[i + 1 :])
        exists = clause.verb in {"있", "없", "생기"} and phrase.case == "subject"
        return not (exists and counted and COUNT.sub("", phrase.text).strip() in KIN)

    def slot_named(self, phrase: Phrase, who: str | None) -> tuple[str, str] | None:
        """(subject, predicate) for a phrase like "제 이름", "민수 생일", "강아지 이름"."""
        predicate = attribute_of(phrase.text)
        if predicate is None:
            return None
        before = " ".join(phrase.text.split()[:-1]) if attribute_of(phrase.text.split()[-1]) else ""
        if phrase.owner not in {None, "나"} | (KIN - {"옆집", "이웃"}):
            return f"{phrase.owner} {before}".strip(), predicate  # "옆집 아저씨네 강아지 이름" is of no dog of the speaker
        if before.split()[-1:] and before.split()[-1] in KIN:
            return before.split()[-1], predicate
        if before and predicate in {"name", "birthday", "age", "job"} and before not in {"내", "제", "영어", "실제", "음력", "양력"}:
            return before, predicate
        if phrase.owner is None and who is None and self.carry in {None, USER} and self.carry_noun and predicate in {"name", "age", "birthday"}:
            return self.carry_noun, predicate
        return (USER if phrase.owner == "나" else phrase.owner) or who or self.carried, predicate

    def claimed(self, fact: Fact, said: Said) -> bool:
        """False where the fact is the speaker's by nothing but silence and something else is spoken of."""
        if fact.subject != USER or said.explicit or fact.predicate not in _OWN:
            return True
        if "hearsay" in said.clause.flags:
            return False  # "민수 만났어. 개발자 한대": told of somebody else
        before = said.previous.phrases if said.previous is not None and said.previous.sentence == said.clause.sentence else ()
        about = next((p for p in (*said.clause.phrases, *before) if p.case == "subject" or (p.case == "topic" and p.particle in {"은", "는"})), None)
        if about is None or not about.tags or about.wh or attribute_of(about.text) is not None or about.text in _NO_TOPICS or about.owner == "나":
            return True
        return fact.object in about.text or "NOMINAL" in about.tags or bool(kinds_of(about.text) & {"병", "일정"})

    def date_of(self, clause: Clause) -> Span | None:
        """The day that the clause, or a fragment beside it, speaks of."""
        spans = clause.dates or next((c.dates for c in self.all if c.sentence == clause.sentence and not c.verb and c.dates), ())
        return next((s for s in spans if s.day_said), spans[0] if spans else None)

    def planned(self, said: Said, what: str, rest: Sequence[Phrase]) -> Fact:
        """A plan with the time, the place and the people of its clause."""
        clause = said.clause
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
            people += [bare_name(p.text) for p in things_in(rest, "object", "bare") if not re.match(r"\d", p.text)]
        when = self.date_of(clause)
        return make_fact(said.subject, "plan", what, when=when, now=self.at, place=place, people=list(dict.fromkeys(people)))


Rule = Callable[[Reader, Said], list[Fact] | None]
"""A rule answers None when the clause is not its business, and the facts (perhaps none) when it is."""
