# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""English questions: whether a sentence asks, and what of the speaker's memory."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lira_core.languages.categories import is_kind, kind_name
from lira_core.languages.en.terms import terms as terms_of
from lira_core.languages.people import ENGLISH_KIN, ENGLISH_PETS
from lira_core.memory.question import Question, Slot, Wants, asked_span, dates_of, emotions_of, undated
from lira_core.types import USER

_SUBJECT: Final = (
    r"(?:i|we|you|he|she|it|they|my|our|your|his|her|their|the|this|that|these|those|there|a|an|any|some|anyone|someone|(?-i:[A-Z][a-z]+))"
)
_START: Final = re.compile(
    rf"^(?:(?:hey|hi|so|and|but|well|lira|please|um|ok|okay|by the way|again)\b[,\s]*)*"
    rf"(?:(?:what|what's|whats|who|who's|whos|whose|where|where's|wheres|when's|whens|why|how|how's|which|(?:in|on|at|from|to|with|for) (?:what|which|whom))\b"
    rf"|when (?:is|are|was|were|do|does|did|will|am|should|can|have|has)\b"
    rf"|(?:do|does|did|is|are|am|was|were|can|could|will|would|should|have|has|had|may) {_SUBJECT}\b|remember what|any idea)",
    re.I,
)
_TELL: Final = re.compile(
    r"\b(?:tell|remind)\s+me\b(?!\s+to\b)|\bdo you (?:still )?(?:remember|know|recall)\b|^\W*remember (?:my|what|where|when|who)\b|\bcan you (?:tell|recall|remember)|^\W*(?:guess|name) (?:my|what|where|who|the)\b",
    re.I,
)
_NO_QUESTION: Final = re.compile(
    r"(?:what an? |how (?:nice|great|lovely|cool|awful|sad|sweet|funny|come on)\b|what (?:lovely|great|nice|awful|terrible|beautiful)\b|do not|don't|may (?:you|god)|have a\b|will do|which (?:is|was|made|means)\b|who knows|while|what's up\b|am i right|how about that)",
    re.I,
)
_CLIPPED: Final = re.compile(r"^(?:my|our) (?:[\w'-]+ ){0,3}(?:name|birthday|age|job|address|number|blood type)(?: again| please)?[.!]*$", re.I)
_KNOW: Final = re.compile(
    r"\b(?:do|can|could|would|will) you (?:please )?(?:still )?(?:remember|know|recall|tell|remind)\b|\b(?:tell|remind) me\b", re.I
)
_ME: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|our|us)\b", re.I)
_I_DO: Final = re.compile(r"\b(?:do|did|am|was|have|can|could|should|will|would) (?:i|we)\b|\bi'?(?:m|ve|d)?\b(?! (?:mention|say|said|told))")
_YOU: Final = re.compile(
    r"\b(?:your|yours|yourself)\b|\b(?:are|do|did|were|have|would|could|can|will) you\b|\byou (?:like|are|think|feel|live|ever)\b", re.I
)
_WORLD: Final = re.compile(
    r"\bweather\b|\bnews\b|\brain(?:ing)?\b|should (?:i|we) (?:eat|wear|do|watch|buy|cook|say|go|order|try)|can i help|\brecommend|\bsuggest|\btranslat|\bcalculat|\bcapital of\b|\bpresident\b|\bmean(?:s|ing)?\b|\bgood (?:movie|book|song|restaurant|recipe)|\bhow (?:do|can|to) (?:i|you|we) |\bwhat (?:time|day|date) is it\b|\bwhen is (?:christmas|easter|thanksgiving|halloween)\b|\btell me (?:a|an|some) (?:joke|story|fact|poem)",
    re.I,
)
_KIN: Final = "|".join(sorted(map(re.escape, ENGLISH_KIN), key=len, reverse=True))
_SLOTS: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = tuple(
    (re.compile(pattern), tuple(slots.split()))
    for pattern, slots in (
        (r"\bnick ?name\b|\bcall me\b", "nickname name"), (r"\bnames?\b|\bcalled\b|\bnamed\b", "name"), (r"\bhow old\b|\bage\b", "age birthday"),
        (r"\bbirthday\b(?! (?:present|gift|party|dinner|cake))|when (?:was|were) \S+ born", "birthday"), (r"\bblood ?type\b", "blood_type"), (r"\bmbti\b|personality type", "mbti"),
        (r"\bstar sign\b|\bzodiac\b", "zodiac"), (r"\bhow tall\b|\bheight\b", "height"), (r"\bweigh", "weight"), (r"\bhome ?town\b|\bfrom\W*$|where (?:was|am) \S+ (?:born|from)|\bgr[eo]w up\b", "hometown nationality"),
        (r"\breligio", "religion"), (r"\bwhere\b.*\b(?:live|living|based|move)|\b(?:city|town|country|place)\b.*\b(?:live|living)\b|\baddress\b|\bmoved? to\b", "live_in"), (r"\bmajor\b|\bdegree\b", "major school"),
        (r"\b(?:which|what|where)\b.*\b(?:school|university|college|uni)\b|\bwhere\b.*\bstud(?:y|ying)\b", "school major"), (r"\bjob\b|\bfor a living\b|\boccupation\b|\bwhat (?:do|does|did) [\w' ]+? do\W*$|\bwork as\b", "job workplace"),
        (r"\bwhere\b.*\bwork|\bcompany\b|\bwork for\b", "workplace job"), (r"\bhobb|\bfree time\b|\bfor fun\b|\bspare time\b", "hobby like"), (r"\ballerg", "allergy condition dislike"),
        (r"\b(?:can't|cannot|can not|not allowed to|shouldn't|mustn't) (?:i )?(?:eat|drink|have)\b|\bcan i (?:still )?(?:eat|drink|have)\b|\bavoid\b", "allergy dislike condition like"),
        (r"\bmedicines?\b|\bmedications?\b|\bpills?\b|\bmeds\b|\bprescri", "medicine"), (r"\bill(?:ness)?\b|\bsick\b|\bcondition\b|\bsuffer|\bdiagnos", "condition"), (r"\bfavou?rite\b|\blike (?:the )?(?:most|best)\b", "favorite like hobby"),
        (r"\b(?:dislike|hate|can't stand|don't like|loathe)\b", "dislike like allergy"), (r"\b(?:like|love|enjoy|prefer|into|fond)\b(?!\W+to\b.*\bwhen\b)", "like favorite hobby dislike"), (r"\banniversary\b", "anniversary plan"),
        (r"\bpassword\b|\bcode\b|\blocker\b|\bpin\b", "attribute"), (r"\b(?:phone )?number\b", "phone attribute"), (r"\bmemo\b|\bnote\b", "memo"), (r"\b(?:eat|drink|smoke)\b", "like dislike favorite allergy"),
        (r"\bplans?\b|\bmeeting\b|\bappointment\b|\bschedule|\binterview\b|\bexam\b|\btrip\b|\bflight\b|\bdentist\b|\bwedding\b|\bparty\b|\bconcert\b|\bsurgery\b|\b(?:am|are|is) (?:i|we|\w+) (?:going|meeting|seeing|coming|leaving|flying|visiting)\b|\btomorrow\b|\bnext (?:week|month|weekend)\b|\bsupposed to\b|\bwhen (?:do|will|am|are|is)\b", "plan"),
        (r"\bsiblings?\b|\bfamily\b", "family name"),
    )
)  # fmt: skip
"""The first that matches names the slots."""
_DROPPED: Final = frozenset(
    "what who where when why how which rememb tell know remind recal told said say call now again still time date day some ani anyon someon these late earlier current ever exact thing made make name favourit favorit".split()
)
_SLOT_TERMS: Final[dict[str, frozenset[str]]] = {
    "live_in": frozenset({"live", "citi", "town", "place"}), "job": frozenset({"live", "work", "job"}), "workplace": frozenset({"work", "compani"}), "like": frozenset({"like", "love", "enjoy"}), "dislike": frozenset({"hate", "dislik", "like"}),
    "birthday": frozenset({"birthday"}), "age": frozenset({"old", "age"}), "hobby": frozenset({"hobbi", "free", "fun"}), "medicine": frozenset({"take", "tablet", "pill"}),
}  # fmt: skip
_WANTS: Final[tuple[tuple[re.Pattern[str], Wants], ...]] = (
    (re.compile(r"\bwhy\b|\breason\b|\bwhat made\b|\bhow come\b"), "why"),
    (re.compile(r"\bwhen\b|\b(?:what|which) (?:time|day|date|month|year)\b|\bdate (?:is|was|of)\b"), "when"),
    (re.compile(r"\bwhere\b|\b(?:what|which) (?:city|town|country|place|restaurant)\b"), "where"),
    (re.compile(r"\bwho\b|\bwhose\b|\bwhom\b"), "who"),
    (re.compile(r"\bhow (?:many|much|old|tall|long)\b"), "howmany"),
    (re.compile(r"\bhow\b"), "how"),
    (re.compile(r"\bwhat\b|\bwhats\b|\bwhich\b"), "what"),
)


def sentences(text: str) -> list[str]:
    """The text cut after each mark that ends a sentence."""
    return [s.strip() for s in re.findall(r"[^.?!\n]+[.?!]*", text) if s.strip()]


def asks(sentence: str) -> bool:
    """Whether one sentence asks."""
    if sentence.endswith("?"):
        return True
    if re.match(r"(?:please\s+)?(?:remember|don't forget|note) that\b", sentence, re.I) or _NO_QUESTION.match(sentence):
        return False
    return bool(_TELL.search(sentence) or _START.match(sentence) or _CLIPPED.match(sentence))


def ask(text: str, at: datetime) -> Question | None:
    """The question in `text`; None when it is none. Of several, the last about the speaker."""
    asked = [s for s in sentences(text) if asks(s)]
    if not asked:
        return None
    words = ([s for s in asked if _ME.search(_KNOW.sub("", s))] or asked)[-1]
    spans = dates_of(words, at)
    plain = undated(words, spans)
    lowered = re.sub(r"\s+", " ", plain.lower())
    subject = _subject(words, lowered)
    tells = bool(_TELL.search(words) or _CLIPPED.match(words))
    wants = next((wants for pattern, wants in _WANTS if pattern.search(lowered)), "what" if tells else "yesno")
    emotions = emotions_of(lowered)
    about = _about_memory(lowered, subject)
    slots = _slots(lowered, subject or USER, wants) if about and not emotions else ()
    said = _SLOT_TERMS.get(slots[0][1], frozenset()) if slots else frozenset()
    terms = tuple(t for t in dict.fromkeys(terms_of(plain)) if t not in _DROPPED | said)
    just = bool(re.search(r"\bdid i (?:just )?(?:say|tell|mention)", lowered)) and bool(
        re.search(r"\bjust\b|\bearlier\b|\ba (?:moment|minute) ago\b", lowered)
    )
    return Question(wants, about, slots, terms, _value(lowered), emotions, about and just, asked_span(spans) if about else None)


def _subject(words: str, lowered: str) -> str | None:
    """Who is asked about: kin with "my", a name, USER, or None when nobody is said."""
    kin = re.search(rf"\bmy\s+(?:\w+\s+)?({_KIN})(?:'s|s|s')?\b", lowered)
    if _I_DO.search(lowered) and (kin is None or re.search(r"\b(?:do|did|am|was) i\b", lowered)):
        return USER
    if kin:
        return str(kin.group(1))
    named = re.search(
        r"\b(?:[Dd]oes|[Ii]s|[Dd]id|[Ww]as|[Ww]ill|[Hh]as) (?!My\b|The\b|I\b)([A-Z][a-z]+)\b|\b(?!What|Who|Where|When|How|There|That|It)([A-Z][a-z]+)'s\b",
        words,
    )
    if named and not re.search(r"\bmy\b", lowered):
        return named.group(1) or named.group(2)
    return USER if _ME.search(_KNOW.sub("", lowered)) else None


def _about_memory(lowered: str, subject: str | None) -> bool:
    """Whether it asks of the speaker's life; where the encoder has heard it, its word counts instead (`memory.asking`)."""
    asked = _KNOW.sub("", lowered)
    if re.fullmatch(r"\W*(?:what|who)(?:'s|s| is| are| was) (?:an? |the )?(?!my\b)[\w+#-]+(?: \w+)?\W*", asked) and not _ME.search(asked):
        return False
    if re.search(r"\babout me\b|\bknow me\b|who (?:i am|am i)\b", lowered):
        return True
    if (_WORLD.search(lowered) and not re.search(r"\bdid i\b|\bi (?:said|told|mention)", lowered)) or (_YOU.search(asked) and not _ME.search(asked)):
        return False
    return bool(_ME.search(asked)) or subject is not None


def _slots(lowered: str, who: str, wants: Wants) -> tuple[Slot, ...]:
    if wants in {"why", "how"} or re.search(rf"\babout me\b|\bknow me\b|\bwhich of my (?:{_KIN})s?\b", lowered):
        return ()
    if m := re.search(rf"\bdo i have (?:a |an |any )?({_KIN})s?\b", lowered):
        return ((USER, "pet" if m.group(1) in ENGLISH_PETS else "family"), (USER, "partner"), (USER, "friend"))
    if wants == "who" and not re.search(r"\bfavou?rite\b", lowered):
        named = who != USER and re.search(r"\bwho(?:'s| is)\b", lowered)
        return ((who, "name"), (who, "relation")) if named and who in ENGLISH_KIN else ((who, "relation"), (USER, "friend")) if named else ()
    predicates = next((found for pattern, found in _SLOTS if pattern.search(lowered)), ())
    if predicates[:1] == ("name",):
        own = who != USER or re.search(r"\bmy name\b|\bam i called\b|\bi'm called\b", lowered)
        return ((who, "name"), *(((USER, "pet"),) if who in ENGLISH_PETS else ())) if own else ()
    return tuple((None if p == "plan" else who, p) for p in predicates)


def _value(lowered: str) -> str | None:
    m = (
        re.search(r"favou?rite\s+(?:kind of |type of )?([a-z ]+?)(?:\?|$|\s+(?:is|was|again|do|of|these|now|right|at)\b)", lowered)
        or re.search(r"\b(?:what|which|any)\s+(?:kind of |type of |sort of )?([a-z]+)\s+(?:that )?(?:do i|did i|am i|can i|should i|i)\b", lowered)
        or re.search(r"\b(?:do|did|am|can|could|should) i\b.*?\b(?:like|love|hate|eat|drink|enjoy|allergic to|have)\s+(?!to\b|for\b|in\b|on\b|at\b|an?\b|any\b|that\b|it\b|been\b)([a-z][a-z ]*?)\s*(?:anymore|any more|now|still)?\s*(?:\?|$)", lowered)
    )  # fmt: skip
    if m is None:
        return None
    value = kind_name(m.group(1).strip()) if is_kind(m.group(1).strip()) else str(m.group(1)).strip()
    return None if value in {"time", "day", "date", "city", "town", "year", "month", "thing", "part", "country", "place", "pills"} else value or None
