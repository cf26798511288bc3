# ruff: noqa: E501 (tables and patterns read better in wide rows)
"""Facts of English utterances: sentence patterns, since English keeps its word order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final

from lira_core.dates import Span, find, repetitions
from lira_core.korean.categories import kind_name, kinds_of
from lira_core.korean.people import ENGLISH_KIN, ENGLISH_PETS
from lira_core.memory.facts.english_told import told
from lira_core.memory.question import asks_english, sentences
from lira_core.memory.slots import PREDICATES, key_of
from lira_core.types import USER, Fact

_KIN: Final = "|".join(sorted(map(re.escape, ENGLISH_KIN), key=len, reverse=True))
_WHO: Final = rf"(?P<who>I|my (?:(?:little|older|younger|big|elder|twin) )?(?:{_KIN})|[A-Z][a-z]+|he|she)"
_END: Final = r"(?=\s*(?:[.,;!]|$|\b(?:and|but|because|so|which|who|since|now|anymore|these days|with)\b))"
_LIST: Final = r"(?=\s*(?:[.;!]|$|\b(?:but|because|so|which|who|since|anymore|these days|with)\b))"
"""The end of a list, which may hold commas and "and"."""
_NAME: Final = r"(?P<v>[A-Z][\w'-]*(?:\s[A-Z][\w'-]*){0,2}|[a-z]{2,12}(?=\s*[.,!]|\s*$))"
_PLANS: Final = "meeting|appointment|interview|exam|test|trip|flight|dinner|lunch|date|wedding|party|concert|presentation|surgery|conference|class|call|checkup|dentist appointment|doctor's appointment|job interview|final exam|vacation|reservation|deadline|game|reunion"
_FEELINGS: Final = "happy|sad|angry|upset|excited|nervous|anxious|worried|proud|grateful|thankful|sorry|lonely|disappointed|stressed|depressed|embarrassed|afraid|scared|frustrated|thrilled|devastated|heartbroken|relieved|hurt|annoyed|furious|exhausted|overwhelmed|glad|ashamed"
_MEMO: Final = re.compile(r"^\s*(?:temporary\s+)?(?:memo|note)(?:\s+to self)?\s*:\s*(?P<v>.+)$", re.I)
_REQUEST: Final = re.compile(
    r"^(?:hi|hello|hey|please|well|so|oh|ok|okay|by the way|btw|actually|also|and|but|lira)?[,!\s]*(?:please\s+)?(?:remember|don't forget|note|keep in mind)(?:\s+that)?\s*[:,]?\s+",
    re.I,
)


_SUPPOSED: Final = re.compile(r"(?:if|when|suppose|imagine|maybe|you|what if)\b", re.I)


def extract(text: str, at: datetime) -> Iterator[Fact]:
    """Facts in the order in which they are said."""
    memo = _MEMO.match(text)
    body = text[memo.start("v") :] if memo else text
    count = 0
    carried = USER
    for sentence in sentences(body):
        if asks_english(sentence):
            continue
        said = _REQUEST.sub("", sentence)
        extra = (
            []
            if _SUPPOSED.match(said)
            else [_fact(subject, predicate, object, polarity=polarity) for subject, predicate, object, polarity in told(said)]
        )
        claimed = {(f.subject, f.predicate) for f in extra if f.predicate not in {"like", "pet", "family"}} | {
            (f.subject, f.object.lower()) for f in extra
        }
        for fact in extra:
            count += 1
            yield fact
        for part in _parts(said):
            for fact in _read(part, at, carried):
                if (fact.subject, fact.predicate) in claimed or (fact.subject, fact.object.lower()) in claimed:
                    continue
                count += 1
                carried = fact.subject
                yield fact
        for fact in _felt(said, at):
            count += 1
            yield fact
    if memo and not count:
        yield _fact(USER, "memo", body.strip(" .!"))


def _parts(sentence: str) -> list[str]:
    """Clauses that can stand alone: split before "and I", "but my sister"."""
    sentence = sentence.strip().rstrip(".!")
    sentence = re.sub(r"\b(?:I am|I'm|Im)\b", "I am", re.sub(r"’", "'", sentence))
    sentence = re.sub(r"\b(he|she)'s\b", r"\1 is", re.sub(r"\bI've\b", "I have", re.sub(r"\bI'd\b", "I would", sentence)))
    return [
        p.strip()
        for p in re.split(r"(?:,\s*|\s+)(?:and|but|so|because)\s+(?=(?:I|my|he|she|[Hh]is|[Hh]er|we)\b)|;\s*|,\s+(?=(?:I|my|but)\b)", sentence)
        if p.strip()
    ]


def _fact(
    subject: str,
    predicate: str,
    object: str,
    *,
    polarity: bool = True,
    of: str | None = None,
    when: Span | None = None,
    now: datetime | None = None,
    place: str | None = None,
    people: tuple[str, ...] = (),
) -> Fact:
    moment = when.when if when is not None else None
    words = when.say("en", now) if when is not None and now is not None else None
    if words is not None and predicate in {"birthday", "anniversary"}:
        words = re.sub(r"^on \w+, |, \d{4}$", "", words)
    object = object.strip(" .,!?'\"")
    return Fact(subject, predicate, object, PREDICATES[predicate], polarity, key_of(subject, predicate, object, of=of), moment, words, place, people)


def _whose(words: str | None, carried: str) -> str:
    if words is None:
        return USER
    lowered = words.strip().lower()
    if lowered in {"i", "my", "we", "our", ""}:
        return USER
    if lowered in {"he", "she", "his", "her", "it", "its", "they", "their"}:
        return carried
    return re.sub(r"^(?:my|our)\s+", "", words.strip(), flags=re.I).removesuffix("'s")


def _things(value: str) -> list[str]:
    parts = re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+", value)
    out = [
        re.sub(
            r"^(?:a|an|the|to|some|any|eating|drinking|having)\s+|\s+(?:a lot|so much|very much|too|the most|more than anything|at all|anymore|these days|now|really)$",
            "",
            p.strip(" .,!"),
        ).strip()
        for p in parts
    ]
    return [p for p in out if p and p.lower() not in {"it", "that", "this", "you", "him", "her", "them", "me", "what", "how"} and len(p.split()) <= 7]


def _read(part: str, at: datetime, carried: str) -> Iterator[Fact]:
    if re.match(r"(?:if|when|suppose|imagine|maybe|you|what if)\b", part, re.I) or re.search(r"\bwould (?:like to be|have)\b", part):
        return
    spans = find(part, at)
    bare = part
    for span in reversed(spans):
        bare = bare[: span.start].rstrip() + " " + bare[span.end :]
    bare = re.sub(r"\s+", " ", bare).strip(" ,")
    when = next((s for s in spans if s.day_said), spans[0] if spans else None)
    for pattern, make in _PATTERNS:
        if match := pattern.search(bare if make not in _KEEPS_DATES else part):
            found = list(make(match, part, at, carried, when))
            yield from found
            if found:
                break


def _felt(sentence: str, at: datetime) -> Iterator[Fact]:
    if re.search(
        rf"\bI(?: am|'m| feel| felt| was| have been|'ve been)(?: so| really| very| feeling| a bit| too)* (?:{_FEELINGS})\b\s+(?:because|that|about|since|of|with|for|as)\s+\S+",
        sentence,
        re.I,
    ):
        yield _fact(USER, "felt", sentence, when=next(iter(find(sentence, at)), None), now=at)


Maker = Callable[[re.Match[str], str, datetime, str, Span | None], Iterator[Fact]]


def _one(predicate: str, *, polarity: bool = True) -> Maker:
    def make(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
        subject = _whose(m.groupdict().get("who"), carried)
        value = re.sub(r"^(?:a|an|the)\s+", "", m["v"].strip()) if predicate not in {"name", "did", "result"} else m["v"].strip()
        if value and value.lower() not in {"it", "that", "here", "there", "not", "fine", "good", "ok", "okay"}:
            yield _fact(subject, predicate, value, polarity=polarity)
            yield from _existing(subject)

    return make


def _existing(subject: str) -> Iterator[Fact]:
    """Who is spoken of as "my dog" exists."""
    last = subject.split()[-1].lower()
    if last in ENGLISH_PETS:
        yield _fact(USER, "pet", subject)
    elif last in {
        "sister",
        "brother",
        "son",
        "daughter",
        "husband",
        "wife",
        "mother",
        "father",
        "mom",
        "dad",
        "cousin",
        "aunt",
        "uncle",
        "grandmother",
        "grandfather",
    }:
        yield _fact(USER, "family", subject)


def _taste(predicate: str, *, polarity: bool = True) -> Maker:
    def make(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
        for thing in _things(m["v"]):
            if re.match(r"(?:to )?(?:know|see|hear|talk|thank|say|ask)\b", thing):
                continue
            yield _fact(_whose(m.groupdict().get("who"), carried), predicate, thing, polarity=polarity)

    return make


def _several(predicate: str, *, polarity: bool = True) -> Maker:
    def make(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
        for thing in _things(m["v"]):
            yield _fact(_whose(m.groupdict().get("who"), carried), predicate, thing, polarity=polarity)

    return make


def _dated(predicate: str) -> Maker:
    def make(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
        groups = m.groupdict()
        if when is not None:
            subject = _whose(groups.get("who"), carried)
            object = f"{when.when:%B} {when.when.day}" if predicate == "birthday" else (groups.get("v") or predicate)
            yield _fact(subject, predicate, object, when=when, now=at)
            yield from _existing(subject)

    return make


def _event(predicate: str) -> Maker:
    def make(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
        for thing in _things(m["v"])[:3]:
            yield _fact(USER, predicate, thing, when=when, now=at, place=_place(part), people=_people(part))

    return make


def _place(part: str) -> str | None:
    m = re.search(r"\b(?:in|at)\s+((?:the\s+)?[A-Z][\w'-]*(?:\s[A-Z][\w'-]*)*|the\s+[a-z]+(?:\s(?:station|office|park|hotel|cafe|mall))?)", part)
    words = m.group(1) if m else None
    return (
        words
        if words
        and not re.match(
            r"(?:the )?(?:morning|afternoon|evening|end|January|February|March|April|May|June|July|August|September|October|November|December)\b",
            words,
        )
        else None
    )


def _people(part: str) -> tuple[str, ...]:
    m = re.search(rf"\bwith\s+((?:my\s+)?(?:{_KIN})|[A-Z][\w'-]*(?:\s(?!In|At)[A-Z][\w'-]*)?(?:\s+and\s+[A-Z][\w'-]*)?)", part)
    return tuple(re.sub(r"^my\s+", "", p.strip()) for p in re.split(r"\s+and\s+", m.group(1))) if m else ()


def _article(words: str) -> str:
    return re.sub(r"^(?:a|an|the|my|our|another)\s+", "", words.strip(), flags=re.I)


def _plan(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    what = _article(m["v"])
    if when is not None or m.groupdict().get("sure"):
        yield _fact(_whose(m.groupdict().get("who"), carried), "plan", what, when=when, now=at, place=_place(part), people=_people(part))


def _moved(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(USER, "plan", _article(m["v"]), when=when, now=at, place=_place(part), people=_people(part))


def _cancelled(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(USER, "plan", _article(m["v"]), polarity=False)


def _favorite(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(
        _whose(m.groupdict().get("who"), carried), "favorite", re.sub(r"^(?:a|an|the)\s+(?=[a-z])", "", m["v"].strip()), of=kind_name(m["kind"])
    )


def _pet(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    kin = m["kin"].lower()
    yield _fact(
        USER,
        "pet"
        if kin in ENGLISH_PETS
        else "family"
        if kin in {"sister", "brother", "son", "daughter", "cousin"}
        else "partner"
        if kin in {"boyfriend", "girlfriend", "husband", "wife"}
        else "friend",
        kin,
    )
    if m.groupdict().get("name"):
        yield _fact(kin, "name", m["name"])


def _named_kin(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(m["kin"].lower(), "name", m["name"])
    yield from _existing(m["kin"].lower())


def _age(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(_whose(m["who"], carried), "age", m["v"])


def _is_a(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    value = m["v"].strip()
    if "직업" in kinds_of(value) or re.search(r"(?:er|or|ist|ian|ant|man|woman|nurse|chef|student)$", value):
        yield _fact(_whose(m["who"], carried), "job", value)
    elif re.search(r"vegan|vegetarian|pescatarian", value):
        yield _fact(_whose(m["who"], carried), "diet", value)


def _habit(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    if repetitions(part):
        yield _fact(USER, "habit", re.sub(r"^I\s+(?:usually |always )?", "", part))


_EVENT_WORDS: Final = re.compile(
    r"(?:operation|surgery|appointment|exam|test|interview|meeting|flight|wedding|trip|party|check-?up|class|lesson|concert|game|match|deadline|graduation|ceremony|presentation|birthday)$"
)


def _own_plan(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    if when is not None and _EVENT_WORDS.search(m["v"].strip()):
        yield _fact(USER, "plan", m["v"].strip(), when=when, now=at, place=_place(part), people=_people(part))


def _travel(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    if when is not None:
        yield _fact(USER, "plan", f"{m['v'].strip()} trip", when=when, now=at, place=m["v"].strip(), people=_people(part))


def _visitor(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    if when is not None:
        yield _fact(m["kin"].lower(), "plan", m["v"].strip(), when=when, now=at)


def _attribute(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    of = m["of"].strip().lower()
    if (
        of.split()[-1] not in ENGLISH_KIN
        and not re.match(r"(?:at|in|on|visiting|coming|going|starting)\b|[a-z]+ing\b", m["v"])
        and of not in {"point", "question", "bad", "fault", "answer", "opinion", "problem", "day", "life", "head", "favorite", "mood", "heart"}
        and len(of.split()) <= 4
    ):
        yield _fact(USER, "attribute", m["v"], of=of)


def _change(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(USER, "work_change", re.sub(r"^I (?:have )?(?:just |finally )?", "", part), when=when, now=at)


def _did(m: re.Match[str], part: str, at: datetime, carried: str, when: Span | None) -> Iterator[Fact]:
    yield _fact(
        USER,
        "result" if re.search(r"pass|fail|won|score", m.group(), re.I) else "did",
        part,
        when=when,
        now=at,
        place=_place(part),
        people=_people(part),
    )


_KEEPS_DATES: Final[frozenset[Maker]] = frozenset({_did, _habit})


def _p(pattern: str, *, exact: bool = False) -> re.Pattern[str]:
    return re.compile(pattern, 0 if exact else re.I)


_FILL: Final = r"(?:\s+(?:really|also|just|still|actually|currently|usually|always|absolutely|especially|now|used to))*"
_PATTERNS: Final[tuple[tuple[re.Pattern[str], Maker], ...]] = (
    (
        re.compile(r"\b(?:[Ww]e're|[Ww]e are|I'm|I am)\s+(?:flying|going|travell?ing|heading|off)\s+(?:out\s+)?to\s+(?P<v>[A-Z]\w+(?:\s[A-Z]\w+)?)"),
        _travel,
    ),
    (re.compile(rf"\b[Mm]y (?P<kin>(?:{_KIN}))(?: [A-Z][a-z]+)? (?:is|will be) (?P<v>(?:visiting|coming|arriving|staying|flying)[\w ]*)"), _visitor),
    (re.compile(r"\b[Mm]y (?P<v>[a-z' ]+?) (?:is|will be|starts)(?: scheduled)?(?: for| on| at| set)?(?=\s|$)"), _own_plan),
    (_p(rf"(?P<v>(?:[A-Z][\w']+ )?(?:{_PLANS})) (?:now |actually )?(?:starts|is|leaves)(?: on)?.*\binstead\b", exact=True), _moved),
    (_p(rf"(?P<v>(?:[\w']+ )?(?:{_PLANS}))(?: with [\w ]+)? (?:was|is|got|has been|were|been) (?:cancell?ed|called off)"), _cancelled),
    (_p(rf"(?P<v>(?:{_PLANS}))(?: with [\w ]+)?(?: was| is| got| has been| has)? (?:moved|rescheduled|postponed|pushed|changed|delayed)"), _moved),
    (re.compile(rf"\b(?:[Mm]y|[Oo]ur) (?P<who>(?:{_KIN}))'s name is {_NAME}"), _one("name")),
    (re.compile(rf"\b(?:[Mm]y|[Oo]ur) name is {_NAME}"), _one("name")),
    (
        re.compile(r"\b(?:I am|I'm) called (?P<v>[A-Z]\w*)|\bI go by (?P<w>[A-Z]\w*)"),
        lambda m, p, a, c, w: iter([_fact(USER, "name", m["v"] or m["w"])]),
    ),
    (
        re.compile(r"\b[Cc]all me (?P<v>[A-Z]\w*)|\bmy nickname is (?P<w>\w+)"),
        lambda m, p, a, c, w: iter([_fact(USER, "nickname" if m["w"] else "name", m["v"] or m["w"])]),
    ),
    (_p(rf"\b(?:my|our) (?P<who>(?:{_KIN}))'s birthday is"), _dated("birthday")),
    (_p(r"\bmy birthday is|\bI was born on"), _dated("birthday")),
    (_p(r"\b(?:my|our) (?P<v>(?:wedding )?anniversary) is"), _dated("anniversary")),
    (_p(rf"\b{_WHO}(?: am| is) (?P<v>\d{{1,3}})(?: years old)?{_END}"), _age),
    (_p(r"\bmy blood type is (?P<v>(?:AB|A|B|O)[+-]?)"), _one("blood_type")),
    (_p(r"\b(?:my MBTI is|I am an?) (?P<v>[EI][NS][FT][JP])\b"), _one("mbti")),
    (_p(rf"\b{_WHO}(?: am| is) (?:severely |very |highly )?allergic to (?P<v>.+?){_LIST}"), _several("allergy")),
    (_p(r"\bI have (?:a |an )?(?:severe |bad )?(?P<v>[\w ]+?) allergy"), _several("allergy")),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:moved|has moved|have moved) (?:to|back to) (?P<v>[A-Z][\w ]*?){_END}"), _one("live_in")),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:no longer|don't|doesn't) lives? in (?P<v>[A-Z][\w ]*?){_END}"), _one("live_in", polarity=False)),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:live|lives|am living|is living) in (?P<v>.+?){_END}"), _one("live_in")),
    (_p(rf"\b(?:I am (?:originally )?from|I come from|I was born in|I grew up in|my hometown is) (?P<v>[A-Z][\w ]*?){_END}"), _one("hometown")),
    (
        _p(rf"\b{_WHO}(?:{_FILL}) (?:work|works|am working|is working) as (?P<v>.+?)(?: at (?P<at>.+?))?{_END}"),
        lambda m, p, a, c, w: iter(
            [
                _fact(_whose(m["who"], c), "job", re.sub(r"^(?:a|an|the) ", "", m["v"])),
                *([_fact(_whose(m["who"], c), "workplace", m["at"])] if m["at"] else []),
            ]
        ),
    ),
    (
        _p(rf"\b{_WHO}(?:{_FILL}) (?:work|works|am working|is working) (?:at|for) (?P<v>.+?)(?: as (?P<as>.+?))?{_END}"),
        lambda m, p, a, c, w: iter(
            [
                _fact(_whose(m["who"], c), "workplace", m["v"]),
                *([_fact(_whose(m["who"], c), "job", re.sub(r"^(?:a|an) ", "", m["as"]))] if m["as"] else []),
            ]
        ),
    ),
    (
        _p(
            r"\bI (?:have )?(?:just |finally )?(?:quit my job|got (?:a )?(?:new job|promoted|promotion|fired|laid off)|changed jobs|started a new job|retired|was promoted)"
        ),
        _change,
    ),
    (
        _p(rf"\b(?:I|we) (?:study|go to|attend|am studying) (?:at )?(?P<v>[A-Z][\w ]*?(?:University|College|School|High|Institute)){_END}"),
        _one("school"),
    ),
    (_p(rf"\b(?:I major in|I am majoring in|my major is) (?P<v>.+?){_END}"), _one("major")),
    (_p(rf"\b(?:(?P<who>my (?:{_KIN}))'s|my) favou?rite (?P<kind>[\w ]+?) is (?P<v>.+?){_END}"), _favorite),
    (_p(r"\b(?:my hobby is|my hobbies are) (?P<v>.+?)(?=[.;!]|$)"), _several("hobby")),
    (
        _p(
            rf"\b{_WHO}(?:{_FILL}) (?:no longer|don't|doesn't|do not|stopped|quit|gave up)(?:{_FILL}) (?:drink|drinking|eat|eating|smok(?:e|ing)|like|love|enjoy|liking)s? ?(?P<v>.*?)(?: anymore| any more)?{_END}"
        ),
        lambda m, p, a, c, w: iter(
            [_fact(_whose(m["who"], c), "like", t, polarity=False) for t in (_things(m["v"]) or (["smoking"] if "smok" in p else []))]
        ),
    ),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:can't|cannot|can not|never|don't) (?:eat|drink|have|stand) (?P<v>.+?){_LIST}"), _taste("dislike")),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:hate|hates|dislike|dislikes|can't stand|detest) (?P<v>.+?){_LIST}"), _taste("dislike")),
    (_p(rf"\b{_WHO} used to (?:like|love) (?P<v>.+?){_END}"), _taste("like", polarity=False)),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:prefer|prefers) (?P<v>.+?)(?: (?:to|over) (?P<less>.+?))?{_LIST}"), _taste("like")),
    (_p(rf"\b{_WHO}(?:{_FILL}) (?:like|likes|love|loves|enjoy|enjoys|adore|am into|is into|am a (?:big )?fan of) (?P<v>.+?){_LIST}"), _taste("like")),
    (re.compile(rf"\b(?:[Mm]y|[Oo]ur) (?P<kin>{_KIN}),? (?P<name>[A-Z][a-z]+)\b"), _named_kin),
    (
        re.compile(
            rf"\bI (?:have|adopted|got|own) (?:an? |two |three |\d )?(?:(?:little|older|younger|new|big|twin|pet|rescue|best) )?(?P<kin>{_KIN})s?(?:,? (?:named|called|whose name is) (?P<name>[A-Z]\w*))?"
        ),
        _pet,
    ),
    (re.compile(rf"\b[Mm]y (?P<kin>{_KIN}) is (?:named |called )?(?P<name>[A-Z][a-z]+)(?=\s*(?:[.,!]|$))"), _named_kin),
    (_p(rf"\b{_WHO}(?: am| is) (?:an? )(?P<v>[a-z][\w -]*?){_END}"), _is_a),
    (_p(r"\bI am (?:a )?(?P<v>vegan|vegetarian|pescatarian|on a diet|gluten[- ]free)\b"), _one("diet")),
    (
        _p(
            rf"\b{_WHO}(?:{_FILL}) (?:have|has|suffer from|suffers from|was diagnosed with|got diagnosed with) (?:an? |the )?(?P<v>[\w ]*?(?:diabetes|asthma|insomnia|migraines?|anemia|high blood pressure|depression|anxiety|arthritis|flu|cold|headaches?|back pain|adhd|fever|cancer|disorder|syndrome))"
        ),
        _one("condition"),
    ),
    (_p(rf"\bI (?:have )?(?:just )?(?:broke|sprained|hurt|injured|twisted|burned|cut) my (?P<v>[\w ]+?){_END}"), _one("injury")),
    (
        _p(
            rf"\bI(?: am)?(?:{_FILL}) (?:take|taking|am on) (?P<v>[\w ]*?(?:medication|medicine|pills?|antibiotics|vitamins?|insulin|painkillers?|supplements?))"
        ),
        _one("medicine"),
    ),
    (_p(rf"\b(?:I|we) (?:have|have got|got|'ve got) (?P<v>(?:an? |the |my |another )?(?:[\w']+ )?(?:{_PLANS}))\b"), _plan),
    (_p(rf"\b(?:my|the|our) (?P<v>(?:[\w']+ )?(?:{_PLANS})) (?:is|starts|will be)\b"), _plan),
    (
        _p(
            r"\b(?:I am|we are|I will|I'll|we will|we'll|I am planning to|I plan to|I am going to)(?: be)?(?: going to)? (?P<sure>)(?P<v>(?:meet(?:ing)?|visit(?:ing)?|fly(?:ing)?|travel(?:l?ing)?|go(?:ing)?|hav(?:e|ing)|see(?:ing)?|mov(?:e|ing)|start(?:ing)?|marry(?:ing)?|get(?:ting)?|leav(?:e|ing)|attend(?:ing)?|tak(?:e|ing)|celebrat(?:e|ing)|run(?:ning)?)\b.*?)(?=\s+(?:with|in|at)\s+[A-Z]|[.,;!]|$)"
        ),
        _plan,
    ),
    (_p(r"\b(?:my goal is(?: to)?|I want to|I hope to|my dream is(?: to)?|I am saving (?:up )?for) (?P<v>.+?)(?=[.;!]|$)"), _one("goal")),
    (_p(rf"\bI am (?:currently )?(?:learning|studying|taking) (?:how to )?(?P<v>.+?)(?: lessons)?{_LIST}"), _several("learning")),
    (
        _p(rf"\bI can (?:play|speak) (?:the )?(?P<v>.+?){_END}|\bI (?:play|speak) (?:the )?(?P<w>.+?){_END}"),
        lambda m, p, a, c, w: iter([_fact(USER, "language" if "speak" in m.group().lower() else "skill", t) for t in _things(m["v"] or m["w"])]),
    ),
    (_p(r"\bI (?:drive|own|bought and drive) (?:an? )(?P<v>[\w ]+)"), _one("own")),
    (_p(rf"\bI am (?:afraid|scared|terrified) of (?P<v>.+?){_END}"), _one("fear")),
    (_p(r"\bI\b.*\b(?:every|each)\b|\bI\b.*\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b"), _habit),
    (_p(rf"\bI (?:ate|had) (?P<v>.+?)(?: for (?:breakfast|lunch|dinner))?{_LIST}"), _event("ate")),
    (_p(rf"\bI (?:have )?(?:just )?(?:bought|purchased|ordered) (?P<v>.+?){_LIST}"), _event("bought")),
    (_p(rf"\bI (?:have )?(?:just )?(?:watched|saw|read|finished reading) (?P<v>.+?){_END}"), _event("watched")),
    (_p(rf"\bI (?:went to|visited|travell?ed to|have been to|came back from) (?P<v>.+?){_END}"), _event("visit")),
    (_p(rf"\bI (?:met|met up with) (?P<v>.+?){_END}"), _event("met")),
    (_p(rf"\bI lost (?P<v>my .+?){_END}"), _event("lost")),
    (_p(r"\bI (?:got|received) (?P<v>an? .+? (?:from|for) .+?)(?=[.;!]|$)"), _event("received")),
    (
        _p(
            r"\bI (?:have )?(?:just |finally )?(?:passed|failed|won|scored|graduated|finished|completed|launched|got married|got engaged|got accepted|broke up|published)\b"
        ),
        _did,
    ),
    (_p(rf"\bmy (?P<of>[\w' ]+?) is (?P<v>.+?){_END}"), _attribute),
)
"""In order of precedence: the first pattern that yields a fact has the clause."""
