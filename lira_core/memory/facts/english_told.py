# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""Facts of English that stand in apposition, in dropped-subject chat or in a turn of phrase: any number of them in one sentence.

`english` reads one pattern a clause; these may overlap ("I'm Maya, 27, born in Leeds but living in Bristol").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from lira_core.korean.categories import kinds_of
from lira_core.korean.people import ENGLISH_KIN, ENGLISH_PETS
from lira_core.types import USER

_NO_NAME: Final = frozenset(
    "korean american canadian german italian french australian indian russian mexican brazilian vegan vegetarian catholic christian muslim jewish buddhist fine good okay ok happy sad sorry tired here back not so just really very also still "
    "very busy sick bored hungry sleepy excited nervous angry single married done home lost late ready sure pregnant retired".split()
)
# (subject, predicate, object, polarity)
Told = tuple[str, str, str, bool]

_KIN: Final = "|".join(
    sorted(map(re.escape, ENGLISH_KIN | {"flatmate", "housemate", "twin", "stepson", "granddaughter", "grandson"}), key=len, reverse=True)
)
_MY: Final = rf"\b(?:[Mm]y|[Oo]ur)\s+(?:(?:little|older|younger|big|elder|twin|best|eldest|youngest)\s+)?(?P<kin>{_KIN})"
_PLACE: Final = r"(?P<v>[A-Z][\w'’-]*(?:[\s-][A-Z][\w'’-]*){0,2})"
_NOT_A_DAY: Final = r"(?!(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter)"
_PERSON: Final = r"(?P<name>[A-Z][a-z'’-]+)"
_JOB: Final = re.compile(
    r"(?:er|or|ist|ian|ant|man|woman|nurse|chef|student|smith|pilot|cook|clerk|vet|judge|monk|officer|guard|coach|guide|host|tutor|carpenter|assistant|attendant|agent|lead|head)$"
)
_ONES: Final = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_AGE: Final = rf"(?:\d{{1,3}}|(?:{'|'.join(_TENS)})(?:[\s-](?:{'|'.join(_ONES[:9])}))?|{'|'.join(reversed(_ONES))})"
_FOOD_STOP: Final = frozenset({"it", "that", "this", "them", "him", "her", "you", "everything", "nothing", "thing"})
_BREEDS: Final = re.compile(
    r"greyhound|poodle|labrador|retriever|terrier|beagle|corgi|husky|bulldog|spaniel|collie|shepherd|dachshund|chihuahua|pug|maltese|dalmatian|boxer|rottweiler|tabby|siamese|persian|ragdoll|bengal|shorthair|maine coon|mutt|mix",
    re.I,
)


def told(sentence: str) -> Iterator[Told]:
    """What the sentence tells besides its main pattern."""
    for pattern, make in _PATTERNS:
        for match in pattern.finditer(sentence):
            yield from make(match)


def _value(predicate: str, *, polarity: bool = True, subject: str = USER) -> Callable[[re.Match[str]], Iterator[Told]]:
    def make(m: re.Match[str]) -> Iterator[Told]:
        value = re.sub(r"^(?:a|an|the|my)\s+", "", m["v"].strip(" .,!"))
        value = re.sub(r"\s+(?:now|these days|lately|anymore|any more|though|too|lol|haha)$", "", value)
        if value and value.lower() not in _FOOD_STOP:
            yield subject, predicate, value, polarity

    return make


def _called(m: re.Match[str]) -> Iterator[Told]:
    if m["v"].lower() not in _NO_NAME and not m["v"].endswith(("ese", "ish")):
        yield USER, "name", m["v"], True


def _introduced(m: re.Match[str]) -> Iterator[Told]:
    kin = m["kin"].lower()
    yield kin, "name", m["name"], True
    if kin in ENGLISH_PETS:
        yield USER, "pet", kin, True
    elif kin in {"boyfriend", "girlfriend", "husband", "wife", "partner", "fiance", "fiancee"}:
        yield USER, "partner", kin, True
        if kin in {"husband", "wife"}:
            yield USER, "family", kin, True
    elif kin not in {
        "friend",
        "best friend",
        "boss",
        "manager",
        "coworker",
        "colleague",
        "teacher",
        "professor",
        "neighbor",
        "roommate",
        "flatmate",
        "housemate",
    }:
        yield USER, "family", kin, True


def _kin_job(m: re.Match[str]) -> Iterator[Told]:
    job = m["v"].strip()
    if "직업" in kinds_of(job) or _JOB.search(job):
        yield m["kin"].lower(), "job", job, True
        if m.groupdict().get("where"):
            yield m["kin"].lower(), "live_in", m["where"], True


def _kin_lives(m: re.Match[str]) -> Iterator[Told]:
    yield m["kin"].lower(), "live_in", m["v"].strip(" .,!"), True


def _pet(m: re.Match[str]) -> Iterator[Told]:
    kin = m["kin"].lower()
    yield USER, "pet", kin, True
    yield kin, "name", m["name"], True
    if m.groupdict().get("breed") and _BREEDS.search(m["breed"]):
        yield kin, "breed", m["breed"].strip(), True


def _pets(m: re.Match[str]) -> Iterator[Told]:
    kin = m["kin"].lower().removesuffix("s")
    kin = "puppy" if kin == "puppie" else kin
    predicate = "pet" if kin in ENGLISH_PETS else "family"
    yield USER, predicate, kin if predicate == "pet" else m["kin"].lower(), True
    names = re.findall(r"[A-Z][a-z]+", re.split(r"\b(?:who|which|that|in)\b", m["names"])[0])
    if names:
        yield kin if predicate == "pet" else m["kin"].lower(), "name", ", ".join(names), True


def _age(m: re.Match[str]) -> Iterator[Told]:
    yield (m["kin"].lower() if m.groupdict().get("kin") else USER), "age", m["v"], True


def _swelling(m: re.Match[str]) -> Iterator[Told]:
    food = re.sub(r"^(?:had to .*,\s*|because\s+|since\s+|eating\s+|the\s+)", "", m["v"].strip())
    if food.lower() not in _FOOD_STOP:
        yield USER, "allergy", food, True


def _study(m: re.Match[str]) -> Iterator[Told]:
    yield USER, "grade", m["grade"], True
    if m.groupdict().get("v"):
        yield USER, "major", re.sub(r"\s+(?:at|in|now)\b.*$", "", m["v"].strip()), True


def _p(pattern: str, flags: int = re.I) -> re.Pattern[str]:
    return re.compile(pattern, flags)


_END: Final = r"(?=\s*(?:[.,;!?]|$|\b(?:and|but|because|so|which|who|since|now|these days|with|to be|for)\b))"
_PATTERNS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Told]]], ...]] = (
    (
        re.compile(r"^(?:(?:[Yy]o|[Hh]i|[Hh]ey|[Hh]ello|[Ss]o)[,!\s]+)*(?:[Ii]'?m|[Ii] am)\s+(?P<v>[A-Z][a-z]+)(?=\s*(?:,|$|[.!]|\band\b|\bhere\b))"),
        _called,
    ),
    (_p(r"\b(?:I'?m|I am|im)\s+(?:[A-Z][a-z]+,\s*)?(?P<v>" + _AGE + r")(?=\s*(?:,|$|[.!]|\band\b|years old|\bbut\b))", re.I), _age),
    (_p(rf"\bI\s+(?:just\s+)?turned\s+(?P<v>{_AGE})\b"), _age),
    (_p(rf"{_MY}(?:\s+[A-Z][a-z]+)?\s+(?:just\s+)?(?:turned|is turning)\s+(?P<v>{_AGE})\b", 0), _age),
    (re.compile(rf"\b(?:born(?: and raised)?|grew up|raised)\s+in\s+{_PLACE}"), _value("hometown")),
    (re.compile(rf"\b(?:living|based|live|moved|relocated|relocating)\s+(?:in|to|over to|down to|up to)\s+{_NOT_A_DAY}{_PLACE}"), _value("live_in")),
    (re.compile(rf"\bI live\s+(?:[a-z]+\s+){{1,6}}(?:in|outside|near|by)\s+{_PLACE}"), _value("live_in")),
    (re.compile(rf"{_MY},?\s+{_PERSON}\b(?!['’]s\s+[a-z])"), _introduced),
    (
        re.compile(
            rf"{_MY},?\s+(?:[A-Z][a-z]+,?\s+)?(?:is|works as|just got a job as|became|got hired as)\s+(?:a|an|the)?\s*(?P<v>[a-z][a-z -]+?)(?:\s+(?:in|at)\s+(?P<where>[A-Z]\w+))?{_END}"
        ),
        _kin_job,
    ),
    (
        re.compile(
            rf"{_MY},?\s+(?:[A-Z][a-z]+,?\s+)?(?:lives?|is living|moved)\s+(?:in\s+|to\s+)?(?P<v>(?:[A-Z]\w+(?:\s[A-Z]\w+)*)|(?:\w+\s){{1,3}}(?:away|down the road|next door))"
        ),
        _kin_lives,
    ),
    (
        re.compile(
            rf"\b(?:[Mm]y|[Oo]ur|[Aa]|[Ww]e have a|[Ii] have a)\s+(?P<kin>{'|'.join(sorted(ENGLISH_PETS))})\s+(?:is\s+)?(?:an?\s+(?P<breed>[a-z ]+?)\s+)?(?:called|named)\s+{_PERSON}"
        ),
        _pet,
    ),
    (
        re.compile(
            r"\b(?:[Gg]ot|[Hh]ave|[Hh]as|[Oo]wn|[Aa]dopted)\s+(?:two|three|four|\d)?\s*(?P<kin>cats|dogs|kittens|puppies|rabbits|hamsters|parrots|birds|twins|kids|sons|daughters|brothers|sisters)(?P<names>,?\s*(?:called|named|:)?\s*[A-Z][a-z]+[^.!?]*)"
        ),
        _pets,
    ),
    (
        _p(
            r"(?:^|[,;]\s*|\bbecause\s+|\bsince\s+|\bas\s+)(?P<v>[a-z ]{3,25}?)\s+(?:makes?|gives?)\s+(?:my\s+(?:throat|lips|face|tongue|mouth|eyes)\s+(?:swell|itch|close|puff)|me\s+(?:hives|a rash|break out))"
        ),
        _swelling,
    ),
    (
        _p(
            rf"\b(?:gave up|given up|quit|stopped (?:eating|drinking|smoking)|cut out|no more|off|done with|went off)\s+(?P<v>(?!the\b|to\b|my job)[A-Za-z][a-z]+(?:\s[A-Z]?[a-z]+)?){_END}",
            0,
        ),
        _value("like", polarity=False),
    ),
    (
        re.compile(
            rf"\b[Ii]t['’]?s\s+(?:all about\s+)?(?P<v>[a-z][a-z ]+?)\s+(?:for me|all the way)\b|\b[Ii]t['’]?s all about (?P<w>[a-z][a-z ]+?)(?:\s+now)?{_END}"
        ),
        lambda m: iter([(USER, "like", m["v"] or m["w"], True)]),
    ),
    (_p(rf"\bI can(?:'|no)?t (?:start (?:the|my) day|live|function|go a day) without (?P<v>[A-Za-z][\w ]+?){_END}"), _value("like")),
    (_p(r"^(?P<v>[A-Za-z][\w ]{2,30}?) (?:is|are) my (?:absolute )?favou?rites?\b(?!\s+(?:colou?r|season|sport))"), _value("like")),
    (
        _p(
            r"\b(?:I'?m|I am|been|put me|started) on (?P<v>(?!a\b|the\b|my\b|holiday|vacation|leave|call|duty|it\b|time)[a-z]{5,})(?=\s+(?:every|each|daily|now|for|since|twice|once)|[.,]|$)"
        ),
        _value("medicine"),
    ),
    (
        _p(
            r"\b(?P<grade>(?:first|second|third|fourth|final|1st|2nd|3rd|4th)[- ]year)\s+(?:student\s+)?(?:at|in)\s+(?:uni|university|college|[A-Z]\w+(?:\s[A-Z]\w+)*)(?:\s+(?:doing|studying|reading)\s+(?P<v>[a-z ]+?)(?=[.,!]|$))?"
        ),
        _study,
    ),
    (
        _p(rf"^(?:i'?ve\s+)?(?:been|started|just started)\s+(?:learning|practi[sc]ing|taking up)\s+(?P<v>[a-z ]+?)(?:\s+lessons)?{_END}"),
        _value("learning"),
    ),
    (
        _p(
            r"\b(?:tore|broke|sprained|twisted|fractured|dislocated|pulled|hurt)\s+my\s+(?P<v>[a-z ]+?)(?=\s+(?:playing|running|while|when|at|on|in|yesterday|today|last|during|skiing|this)|[.,!]|$)"
        ),
        _value("injury"),
    ),
)
