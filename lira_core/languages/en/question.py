# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""What an English question names: a slot by its noun, days, a feeling, all there is, what was just said.

Whether it asks, and whether about the person, is the model's to say (`memory.asking`); where the model was missed, the form does.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lira_core.dates.finding import find_asked
from lira_core.languages.en.asking import asks, sentences
from lira_core.languages.en.feelings import MOOD, NAMED
from lira_core.languages.en.terms import terms as terms_of
from lira_core.languages.people import ENGLISH_KIN, wordings
from lira_core.memory.question import Question, Slot, asked_span, emotions_of, from_now_on, undated
from lira_core.types import USER

_KNOW: Final = re.compile(
    r"\b(?:do|can|could|would|will) you (?:please )?(?:still )?(?:remember|know|recall|tell|remind)\b|\b(?:tell|remind) me\b", re.I
)
_ME: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|our|us)\b", re.I)
_EVERYTHING: Final = re.compile(r"\babout me\b|\bknow me\b")
_JUST_NOW: Final = re.compile(r"\bdid i (?:just )?(?:say|tell|mention)\b.*\b(?:just|earlier)\b|\bdid i just\b|\ba (?:moment|minute) ago\b")
_AHEAD: Final = re.compile(
    r"\b(?:coming up|upcoming|ahead|lined up|to come)\b(?: for me)?|\bwhat(?:'s|s| is) next\b(?: for me)?|\b(?:plans|appointments|schedule|calendar|diary|agenda)\b"
)
"""What is to come, whichever day."""
_BETWEEN: Final = r"\b(?: (?:is|are|it|there|do|have|i|we|got|left|to go))* "
_LEFT: Final = r"\b(?: (?:is|are|it|there|do|have|i|we|got))* (?:left|to go|remaining) for"
_UNTIL: Final = re.compile(
    rf"(?:(?:so|and|hey|ok|lira)[\s,]+)*how (?:many (?:more )?(?:days|weeks|months|sleeps)(?:{_LEFT}|{_BETWEEN}(?:until|till?|to|before))"
    rf"|(?:much )?long(?:er)?{_BETWEEN}(?:until|till?|before)|far off is) (?P<what>.+?)(?: from (?:today|now))?[\s?!.]*",
    re.I,
)
_REASON: Final = re.compile(r"\bwhy\b|\breason\b|\bhow come\b")
_KIN: Final = "|".join(sorted(map(re.escape, ENGLISH_KIN), key=len, reverse=True))
_OF_KIN: Final = re.compile(rf"\bmy\s+(?:\w+\s+)?({_KIN})(?:'s|s|s')?\b")
_OF_NAME: Final = re.compile(
    r"\b(?:[Dd]oes|[Ii]s|[Dd]id|[Ww]as|[Ww]ill|[Hh]as) (?!My\b|The\b|I\b)([A-Z][a-z]+)\b|\b(?!What|Who|Where|When|How|There|That|It)([A-Z][a-z]+)'s\b"
)
_SLOTS: Final = tuple(
    (re.compile(pattern), tuple(slots.split()))
    for pattern, slots in (
        (r"\bnick ?name\b", "nickname"), (r"\b(?:my|'s) (?:first |full |last )?names?\b|\bcalled\W*$|\bwho (?:i am|am i)\b", "name"), (r"\bhow old\b|\bage\b", "age birthday"), (r"\bbirthday\b(?! (?:present|gift|party|dinner|cake))", "birthday"),
        (r"\bblood ?type\b", "blood_type"), (r"\bmbti\b", "mbti"), (r"\bhome ?town\b", "hometown"), (r"\bwhere\b.*\b(?:live|living)\b|\b(?:city|town|country)\b.*\blive\b", "live_in"),
        (r"\bmajor\b", "major"), (r"\b(?:school|university|college)\b", "school"), (r"\bjob\b|\bfor a living\b|\boccupation\b|\bwhat (?:do|does) \S+ do\W*$", "job workplace"), (r"\bhobb(?:y|ies)\b", "hobby"),
        (r"\ballerg", "allergy"), (r"\bmedicines?\b|\bmedications?\b", "medicine"), (r"\bwhat (?:do|did) i (?:say i )?(?:like|love)\W*$", "like favorite"), (r"\banniversary\b", "anniversary"),
        (r"\bplans?\b|\bmeeting\b|\bappointment\b|\binterview\b|\bexam\b|\btrip\b|\bflight\b|\bwedding\b|\bsurgery\b", "plan"),
    )
)  # fmt: skip
"""The first that matches names the slots."""
_DROPPED: Final = frozenset(
    "what who where whom when why how which rememb tell know remind recal told said say call now again still time date day some ani anyon someon these late earlier current ever exact thing made make favourit favorit do happen got anyth list feel felt mood emot all everyth pleas".split()
)


def ask(text: str, at: datetime) -> Question | None:
    """What the question in `text` names; None when none is asked. Of several, the last about the speaker."""
    asked = [s for s in sentences(text) if asks(s)]
    if not asked:
        return None
    words = ([s for s in asked if _ME.search(_KNOW.sub("", s))] or asked)[-1]
    spans = find_asked(words, at)
    plain = undated(words, spans)
    ahead = not spans and bool(_AHEAD.search(plain.lower()))
    plain = _AHEAD.sub(" ", plain) if ahead else plain
    lowered = re.sub(r"\s+", " ", plain.lower())
    subject = _subject(words, lowered)
    emotions = emotions_of(lowered, NAMED)
    pattern, slots = (None, ()) if emotions or subject is None or _REASON.search(lowered) else _slots(lowered, subject)
    said = set(terms_of(found.group())) if pattern and (found := pattern.search(lowered)) and slots[0][1] != "plan" else set()
    said -= set(terms_of(subject or ""))
    everything = bool(_EVERYTHING.search(lowered))
    terms = tuple(t for t in dict.fromkeys(terms_of(plain)) if t not in _DROPPED | said)
    return Question(
        about_memory=bool(slots) or everything or (ahead and not terms) or bool(_OF_KIN.search(lowered)) or bool(_ME.search(_KNOW.sub("", lowered))),
        slots=slots,
        terms=terms,
        emotions=emotions,
        when=from_now_on(at) if ahead else asked_span(spans),
        ahead=ahead,
        just_now=bool(_JUST_NOW.search(lowered)),
        everything=everything,
        mood=not emotions and bool(MOOD.search(lowered)),
    )


def until(text: str) -> str | None:
    """Of a question how long it still is until something the question when that is: "how many days until my exam" is "when is my exam?"."""
    found = _UNTIL.fullmatch(text.strip())
    return f"when is {found['what']}?" if found else None


def _subject(words: str, lowered: str) -> str | None:
    """Who is asked about: kin with "my", a name, USER, or None when nobody is said."""
    if kin := _OF_KIN.search(lowered):
        return str(kin.group(1))
    if (named := _OF_NAME.search(words)) and not re.search(r"\bmy\b", lowered):
        return named.group(1) or named.group(2)
    return USER if _ME.search(_KNOW.sub("", lowered)) else None


def _slots(lowered: str, who: str) -> tuple[re.Pattern[str] | None, tuple[Slot, ...]]:
    for pattern, predicates in _SLOTS:
        if pattern.search(lowered):
            whose = wordings(who) if who in ENGLISH_KIN else (who,)
            return pattern, tuple((None if p == "plan" else one, p) for p in predicates for one in whose)
    return None, ()
