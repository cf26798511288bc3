# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Facts of English utterances: sentence patterns, since English keeps its word order.

Names, days, and what a slot's noun says are exact, and decide what replaced what; whatever else was told the reader finds in the words themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from lira_core.dates.finding import find, in_words
from lira_core.dates.span import Span
from lira_core.languages.categories import kind_name, kinds_of
from lira_core.languages.en.asking import asks, sentences
from lira_core.languages.people import ENGLISH_KIN, ENGLISH_PETS
from lira_core.memory.slots import PREDICATES, SINGLE, key_of
from lira_core.types import USER, Fact

_KIN: Final = "|".join(sorted(map(re.escape, ENGLISH_KIN), key=len, reverse=True))
_KIND: Final = r"(?:(?:little|older|younger|big|elder|twin|eldest|youngest) )?"
_MY: Final = rf"\b(?:[Mm]y|[Oo]ur) {_KIND}(?P<kin>{_KIN})"
_WHO: Final = rf"(?P<who>\bI|\b[Mm]y {_KIND}(?:{_KIN})(?:,? [A-Z][a-z]+,?)?|\b(?!I\b)[A-Z][a-z]+|\bhe|\bshe)"
_END: Final = r"(?=\s*(?:[.,;!]|$|\b(?:and|but|because|so|which|who|since|now|anymore|these days|with)\b))"
_LIST: Final = r"(?=\s*(?:[.;!]|$|\b(?:but|because|so|which|who|since|anymore|these days|with)\b))"
"""The end of a list, which may hold commas and "and"."""
_FILL: Final = r"(?:\s+(?:really|also|just|still|actually|currently|usually|always|absolutely|especially|now|used to))*"
_PLACE: Final = r"(?-i:(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter)(?P<v>[A-Z][\w ]*?))"
_PLANS: Final = "meeting|appointment|interview|exam|test|trip|flight|dinner|lunch|date|wedding|party|concert|presentation|surgery|operation|conference|class|call|check-?up|vacation|reservation|deadline|game|reunion|graduation|lesson"
_JOB: Final = re.compile(r"(?:er|or|ist|ian|ant|man|woman|nurse|chef|student|pilot|cook|vet|guard|tutor|assistant|agent)$")
_ILLS: Final = "diabetes|asthma|insomnia|migraines?|anemia|high blood pressure|depression|anxiety|arthritis|flu|adhd|fever|cancer|disorder|syndrome"
_NO_NAME: Final = re.compile(
    r"(?:(?:American|Canadian|German|Italian|Australian|Indian|Russian|Mexican|Brazilian|Korean|Vegan|Vegetarian|Catholic|Christian|Muslim|Buddhist|Sorry|Fine|Happy|Sad|Tired|Here|Back|So|Not|Just|Very|Still|Sick|Done|Home|Late|Ready|Sure)|[A-Z]\w*(?:ese|ish|ing|ed))$"
)
_PRONOUNS: Final = frozenset("it that this you him her them me what how everything nothing here there not fine good ok okay".split())
_NO_ATTRIBUTES: Final = frozenset("point question bad fault answer opinion problem day life head favorite mood heart name birthday".split())
_MEMO: Final = re.compile(r"^\s*(?:temporary\s+)?(?:memo|note)(?:\s+to self)?\s*:\s*(?P<v>.+)$", re.I)
_REQUEST: Final = re.compile(
    r"^(?:hi|hello|hey|please|well|so|oh|ok|okay|by the way|also|and|but|lira)?[,!\s]*(?:please\s+)?(?:remember|don't forget|note|keep in mind)(?:\s+that)?\s*[:,]?\s+",
    re.I,
)
_SUPPOSED: Final = re.compile(r"(?:if|when|suppose|imagine|maybe|you|what if)\b|.*\bwould (?:like to be|have)\b", re.I)
_SEVERAL: Final = frozenset({"like", "dislike", "allergy", "hobby"})


def make_fact(
    subject: str, predicate: str, object: str, *, polarity: bool = True, of: str | None = None, when: Span | None = None, now: datetime
) -> Fact:
    """A fact with its category and key; `of` as in `key_of`, the date in words."""
    value = re.sub(r"^(?:a|an|the)\s+(?=[a-z])|\s+(?:now|these days|lately|anymore|any more|too|lol)$", "", object.strip(" .,!?'\"")).strip()
    words = in_words(when, "en", now) if when else None
    if words and predicate in {"birthday", "anniversary"}:
        words = re.sub(r"^on \w+, |, \d{4}$", "", words)
    key = key_of(subject, predicate, value, of=of)
    return Fact(subject, predicate, value, PREDICATES[predicate], polarity, key, when.when if when else None, words)


@dataclass(frozen=True, slots=True)
class _Part:
    """One clause, without its dates but for `words`; `carried` is who was spoken of last."""

    words: str
    at: datetime
    when: Span | None
    carried: str

    def whose(self, match: re.Match[str]) -> str:
        groups = match.groupdict()
        named = str(groups.get("who") or groups.get("kin") or "I").strip()
        if named.lower() in {"i", "we"}:
            return USER
        if named.lower() in {"he", "she"}:  # whoever that is, if nobody was spoken of it is not the speaker
            return self.carried if self.carried != USER else named.lower()
        bare = re.sub(rf"^(?:my|our)\s+{_KIND}", "", named, flags=re.I)
        kin = re.match(rf"(?:{_KIN})\b", bare, re.I)
        return kin.group().lower() if kin else bare

    def fact(self, subject: str, predicate: str, value: str, *, polarity: bool = True, of: str | None = None, dated: bool = False) -> Fact:
        when = self.when if dated else None
        made = make_fact(subject, predicate, value, polarity=polarity, of=of, when=when, now=self.at)
        return replace(made, place=_place(self.words), people=_people(self.words)) if predicate == "plan" and polarity else made


_Maker = Callable[[re.Match[str], _Part], Iterator[Fact]]


def extract(text: str, at: datetime) -> Iterator[Fact]:
    """Facts in the order in which they are said; of a slot with one value the first that a sentence fills it with."""
    memo = _MEMO.match(text)
    body = (text[memo.start("v") :] if memo else text).replace("’", "'")
    carried, count = USER, 0
    for sentence in sentences(body):
        filled: set[tuple[str, str]] = set()
        for words in [] if asks(sentence) else _parts(_REQUEST.sub("", sentence)):
            for fact in _read(words, at, carried):
                if (fact.subject, fact.predicate) in filled and fact.predicate in SINGLE:
                    continue
                filled.add((fact.subject, fact.predicate))
                carried, count = fact.subject if fact.subject != USER else carried, count + 1
                yield fact
    if memo and not count:
        yield _Part(body, at, None, USER).fact(USER, "memo", body)


def _parts(sentence: str) -> list[str]:
    """Clauses that can stand alone: split before "and I", "but my sister"."""
    sentence = re.sub(r"\b(?:I'm|Im|im)\b", "I am", sentence.strip().rstrip(".!"))
    sentence = re.sub(r"\b(he|she|we)'(?:s|re)\b", r"\1 is", re.sub(r"\bI've\b", "I have", sentence))
    split = r"(?:,\s*|\s+)(?:and|but|so|because)\s+(?=(?:I|my|he|she|[Hh]is|[Hh]er|we)\b)|;\s*|,\s+(?=(?:I|my|but)\b)"
    return [p.strip() for p in re.split(split, sentence) if p.strip()]


def _read(words: str, at: datetime, carried: str) -> Iterator[Fact]:
    if _SUPPOSED.match(words):
        return
    spans = find(words, at)
    bare = words
    for span in reversed(spans):
        bare = bare[: span.start].rstrip() + " " + bare[span.end :]
    part = _Part(words, at, next((s for s in spans if s.day_said), spans[0] if spans else None), carried)
    bare = re.sub(r"\s+", " ", bare).strip(" ,")
    told = False
    for pattern, make in _PATTERNS:
        if told and make in _LAST:
            continue
        for match in pattern.finditer(bare):
            for fact in make(match, part):
                told = True
                yield fact


def _value(predicate: str, *, polarity: bool = True) -> _Maker:
    """The slot holds what `v` matched, or each of its members where the slot takes several."""

    def make(m: re.Match[str], part: _Part) -> Iterator[Fact]:
        for thing in _things(m["v"]) if predicate in _SEVERAL else [m["v"]]:
            if thing and thing.lower() not in _PRONOUNS and not (predicate == "name" and _NO_NAME.match(thing)):
                yield part.fact(part.whose(m), predicate, thing, polarity=polarity)

    return make


def _things(value: str) -> list[str]:
    parts = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+", value)
    lead, tail = r"^(?:a|an|the|to|some|any|eating|drinking|having)\s+", r"\s+(?:a lot|so much|very much|the most|at all|really)$"
    out = [re.sub(f"{lead}|{tail}", "", p.strip(" .,!")).strip() for p in parts]
    return [p for p in out if p and p.lower() not in _PRONOUNS and len(p.split()) <= 7 and not re.match(r"(?:know|see|hear|talk|thank|say|ask)\b", p)]


def _had(m: re.Match[str], part: _Part) -> Iterator[Fact]:
    yield part.fact(USER, "pet" if part.whose(m) in ENGLISH_PETS else "family", part.whose(m))


def _is_a(m: re.Match[str], part: _Part) -> Iterator[Fact]:
    if "직업" in kinds_of(m["v"]) or _JOB.search(m["v"]):
        yield part.fact(part.whose(m), "job", m["v"])


def _born(m: re.Match[str], part: _Part) -> Iterator[Fact]:
    if part.when is not None:
        yield part.fact(part.whose(m), "birthday", f"{part.when.when:%B} {part.when.when.day}", dated=True)


def _favorite(m: re.Match[str], part: _Part) -> Iterator[Fact]:
    yield part.fact(part.whose(m), "favorite", m["v"], of=kind_name(m["kind"]))


def _dated(predicate: str) -> _Maker:
    """What counts only with a day of its own."""

    def make(m: re.Match[str], part: _Part) -> Iterator[Fact]:
        if part.when is not None:
            yield part.fact(part.whose(m), predicate, re.sub(r"^(?:my|our|another)\s+", "", m["v"]), dated=True)

    return make


def _changed(*, holds: bool) -> _Maker:
    """A plan that moved, or is off."""

    def make(m: re.Match[str], part: _Part) -> Iterator[Fact]:
        yield part.fact(USER, "plan", re.sub(r"^(?:my|our|the)\s+", "", m["v"], flags=re.I), polarity=holds, dated=holds)

    return make


def _attribute(m: re.Match[str], part: _Part) -> Iterator[Fact]:
    of = m["of"].strip().lower()
    if not {of.split()[-1]} & (_NO_ATTRIBUTES | ENGLISH_KIN) and len(of.split()) <= 4 and not re.match(r"(?:at|in|on|[a-z]+ing)\b", m["v"]):
        yield part.fact(USER, "attribute", m["v"], of=of)


def _place(words: str) -> str | None:
    m = re.search(rf"\b(?:in|at)\s+(?:the\s+)?{_PLACE}(?=\s*(?:[.,;!]|$|\b[a-z]))", words)
    return m["v"] if m else None


def _people(words: str) -> tuple[str, ...]:
    m = re.search(rf"\bwith\s+((?:my\s+)?(?:{_KIN})|[A-Z][\w'-]*(?:\s(?!In|At)[A-Z][\w'-]*)?(?:\s+and\s+[A-Z][\w'-]*)?)", words)
    return tuple(re.sub(r"^my\s+", "", p.strip()) for p in re.split(r"\s+and\s+", m.group(1))) if m else ()


_plan = _dated("plan")
_LAST: Final = frozenset({_attribute, _plan})
"""What is read only where nothing finer was."""
_PATTERNS: Final[tuple[tuple[re.Pattern[str], _Maker], ...]] = tuple(
    (re.compile(pattern, 0 if exact else re.I), make)
    for pattern, make, exact in (
        # Plans that change, before "my meeting is ..." may be something else.
        (rf"(?P<v>(?:[A-Z][\w']+ )?(?:{_PLANS}))(?: with [\w ]+)? (?:was|is|got|has been|were|been) (?:cancell?ed|called off)", _changed(holds=False), False),
        (rf"(?P<v>(?:[A-Z][\w']+ )?(?:{_PLANS}))(?: with [\w ]+)?(?: was| is| got| has been| has)? (?:moved|rescheduled|postponed|pushed|changed|delayed)", _changed(holds=True), True),
        # Who somebody is.
        (rf"{_MY}'s name is (?P<v>[A-Z][\w'-]*(?:\s[A-Z][\w'-]*){{0,2}})", _value("name"), True),
        (r"\b[Mm]y name is (?P<v>[A-Z][\w'-]*(?:\s[A-Z][\w'-]*){0,2})", _value("name"), True),
        (r"\b(?:I am called|I go by|[Cc]all me) (?P<v>[A-Z]\w*)", _value("name"), True),
        (rf"{_MY}(?:,? (?:named |called )?|,? whose name is | is (?:named |called )?)(?P<v>[A-Z][a-z]+)\b(?!'s\s+[a-z])", _value("name"), True),
        (rf"\b(?:[Mm]y|[Aa]|have an?|adopted an?|got an?) (?P<kin>{_KIN}) (?:is (?:an? )?(?:[a-z]+ ){{0,2}})?(?:called|named) (?P<v>[A-Z][a-z]+)", _value("name"), True),
        (rf"\bI (?:have|adopted|got|own) (?:an? |two |three |\d )?(?:new |pet |rescue )?{_KIND}(?P<kin>{_KIN})s?\b", _had, False),
        (rf"{_MY}'s birthday is|\b(?:my birthday is|I was born on)", _born, False),
        (r"\b(?:my|our) (?P<v>(?:wedding )?anniversary) is", _dated("anniversary"), False),
        (rf"{_WHO}(?: am| is| just turned| turned)(?: [A-Z][a-z]+,)? (?P<v>\d{{1,3}}|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:[ -]\w+)?|two|three|four|five|six|seven|eight|nine|ten)(?: years old)?{_END}", _value("age"), False),
        (r"^I am [A-Z][a-z]+, (?P<v>\d{1,3})\b", _value("age"), False),
        (r"\bmy blood type is (?P<v>(?:AB|A|B|O)[+-]?)", _value("blood_type"), False),
        (r"\b(?:my MBTI is|I am an?) (?P<v>[EI][NS][FT][JP])\b", _value("mbti"), False),
        (rf"{_WHO}{_FILL} (?:live|lives|am living|is living|moved|has moved|have moved) (?:in|to|back to) {_PLACE}{_END}", _value("live_in"), False),
        (rf"\b(?:I am (?:originally )?from|I come from|born(?: and raised)? in|grew up in|my hometown is) {_PLACE}{_END}", _value("hometown"), False),
        (rf"{_WHO}{_FILL} (?:work|works|am working|is working) as (?P<v>.+?)(?= at |\s*(?:[.,;!]|$|\b(?:and|but)\b))", _value("job"), False),
        (rf"{_WHO}{_FILL} (?:work|works|am working|is working)(?: as [a-z ]+)? (?:at|for) (?P<v>.+?)(?= as |\s*(?:[.,;!]|$|\b(?:and|but)\b))", _value("workplace"), False),
        (rf"\bI (?:study|go to|attend|am studying) (?:at )?(?-i:(?P<v>[A-Z][\w ]*?(?:University|College|School|Institute))){_END}", _value("school"), False),
        (rf"\b(?:I major in|I am majoring in|my major is) (?P<v>.+?){_END}", _value("major"), False),
        (rf"{_WHO}(?: am| is) an? (?-i:(?P<v>[a-z][\w -]*?)){_END}", _is_a, False),
        # Health.
        (rf"{_WHO}(?: am| is) (?:severely |very |highly )?allergic to (?P<v>.+?){_LIST}", _value("allergy"), False),
        (r"\bI have (?:an? )?(?:severe |bad )?(?P<v>[\w ]+?) allergy", _value("allergy"), False),
        (rf"{_WHO}{_FILL} (?:have|has|suffer from|suffers from|was diagnosed with|got diagnosed with) (?:an? |the )?(?P<v>[\w ]*?(?:{_ILLS}))\b", _value("condition"), False),
        # Taste.
        (rf"(?:{_MY}'s|\bmy) favou?rite (?P<kind>[\w ]+?) is (?P<v>.+?){_END}", _favorite, False),
        (r"\bmy hobb(?:y is|ies are) (?P<v>.+?)(?=[.;!]|$)", _value("hobby"), False),
        (rf"{_WHO}{_FILL} (?:no longer|don't|doesn't|do not){_FILL} (?:drink|eat|smoke|like|love|enjoy)s? (?P<v>.+?)(?: anymore| any more)?{_END}", _value("like", polarity=False), False),
        (rf"(?:^|\bI |\b(?:I )?(?:have )?(?:just )?)(?:gave up|given up|quit|stopped (?:eating|drinking|smoking)|cut out) (?!my job|the\b)(?P<v>[a-z]+(?: [a-z]+)?){_END}", _value("like", polarity=False), False),
        (rf"{_WHO}{_FILL} (?:(?:can't|cannot|can not|never) (?:eat|drink|have|stand)|hates?|dislikes?|detest) (?P<v>.+?){_LIST}", _value("dislike"), False),
        # Of somebody else the verb has its ending: "nose like a tap", "I feel like a bad son" tell no taste.
        (rf"(?P<who>\bI){_FILL} (?<!used to )(?:like|love|enjoy|adore|prefer|am into|am a (?:big )?fan of) (?P<v>.+?)(?= (?:to|over) |\s*(?:[.;!]|$|\b(?:but|because|so|which|who|since|anymore|these days|with)\b))", _value("like"), False),
        (rf"{_WHO}{_FILL} (?<!used to )(?:likes|loves|enjoys|adores|prefers) (?P<v>.+?)(?= (?:to|over) |\s*(?:[.;!]|$|\b(?:but|because|so|which|who|since|anymore|these days|with)\b))", _value("like"), False),
        # What is to come, and whatever else is told of "my X".
        (rf"\bI (?:have|have got|got) (?P<v>(?:an? |the |my |another )?(?:[\w']+ )?(?:{_PLANS}))\b", _plan, False),
        (rf"\b(?:my|the|our) (?P<v>(?:[\w']+ )?(?:{_PLANS})) (?:is|starts|will be)\b", _plan, False),
        (rf"\bmy (?P<of>[\w' ]+?) is (?P<v>.+?){_END}", _attribute, False),
    )
)  # fmt: skip
"""Any number of them may speak of one clause; the last column: letters must match in their case."""
