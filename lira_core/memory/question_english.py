# ruff: noqa: E501, SIM905 (tables and patterns read better in wide rows)
"""English questions: whether a sentence asks, and what of the speaker's memory."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from lira_core.korean.categories import is_kind, kind_name
from lira_core.korean.morphemes import terms as terms_of
from lira_core.korean.people import ENGLISH_KIN, ENGLISH_PETS
from lira_core.memory.question_words import Question, Slot, Wants, asked_span, dates_of, emotions_of, undated
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
_ME: Final = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|our|us)\b", re.I)
_YOU: Final = re.compile(
    r"\b(?:your|yours|yourself)\b|\b(?:are|do|did|were|have|would|could|can|will) you\b|\byou (?:like|are|think|feel|live|ever)\b|\bwhat(?:'s| is) (?:lira|your)\b",
    re.I,
)
_WORLD: Final = re.compile(
    r"\bweather\b|\bnews\b|\brain(?:ing)?\b|should (?:i|we) (?:eat|wear|do|watch|buy|cook|say|go|order|try)|can i help|\brecommend|\bsuggest|\btranslat|\bcalculat|\bcapital of\b|\bpresident\b|\bmean(?:s|ing)?\b|\bgood (?:movie|book|song|restaurant|place|recipe)|\bhow (?:do|can|to) (?:i|you|we) (?:make|fix|cook|learn|get|stop|deal|install|use)|\bis it normal\b|\bwhat (?:time|day|date) is it\b|\bwhat's the (?:time|date)\b|\bwhen is (?:christmas|easter|thanksgiving|halloween)\b|\bdefin(?:e|ition)|\btell me (?:a|an|some) (?:joke|story|fact|poem)|\brecipe\b",
    re.I,
)
_KIN_RE: Final = "|".join(sorted(map(re.escape, ENGLISH_KIN), key=len, reverse=True))
_NOT_NAMES: Final = frozenset(
    "What Where Who When How Why Which Do Did Does Is Are Was Were Can Could Will Would Should Have Has Had I I'm Am The My Our On In At Tell Remind Please Hey Hi So And But Lira LIRA Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December".split()
)

# First of each group that matches.
_SLOTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (r"\bnick ?name\b|\bcall me\b", ("nickname", "name")), (r"\bnames?\b|\bcalled\b|\bnamed\b", ("name",)), (r"\bhow old\b|\bage\b", ("age", "birthday")), (r"\bbirthday\b(?! (?:present|gift|party|dinner|cake))|when (?:was|were) \S+ born", ("birthday",)),
    (r"\bblood ?type\b", ("blood_type",)), (r"\bmbti\b|personality type", ("mbti",)), (r"\bstar sign\b|\bzodiac\b", ("zodiac",)), (r"\bhow tall\b|\bheight\b", ("height",)), (r"\bhow (?:much|heavy)\b.*\bweigh|\bweight\b", ("weight",)), (r"\bhome ?town\b|\bfrom\W*$|where (?:was|am) \S+ (?:born|from)|\bgr[eo]w up\b", ("hometown", "nationality")), (r"\breligio", ("religion",)),
    (r"\bwhere\b.*\b(?:live|living|based)\b|\b(?:city|town|country|neighbou?rhood|place|street|area)\b.*\b(?:live|living)\b|\baddress\b|\bmoved? to\b|\bwhere\b.*\bmove", ("live_in",)),
    (r"\bmajor\b|\bdegree\b", ("major", "learning", "school")), (r"\b(?:which|what|where)\b.*\b(?:school|university|college|uni)\b|\bstudy(?:ing)? at\b|\bwhere\b.*\bstud(?:y|ying)\b", ("school", "major")), (r"\bwhat (?:am|are|is) .*\bstudying\b|\bwhat do(?:es)? .*\bstudy\b|\blearning\b", ("learning", "major", "skill")),
    (r"\bjob\b|\bfor a living\b|\bprofession\b|\boccupation\b|\bwhat (?:do|does|did|is it) [\w' ]+? do\W*$|\bwork as\b|\bline of work\b|\bkind of work\b", ("job", "workplace", "role")), (r"\bwhere\b.*\bwork|\bcompany\b|\bemployer\b|\bworkplace\b|\bwork for\b", ("workplace", "job", "team")),
    (r"\b(?:what|which) team\b|\bdepartment\b", ("team", "workplace")), (r"\bhobb|\bfree time\b|\bfor fun\b|\bspare time\b|\bweekends\b", ("hobby", "habit", "exercise", "like")), (r"\ballerg", ("allergy", "condition", "dislike")),
    (r"\b(?:can't|cannot|can not|not allowed to|shouldn't|mustn't|should not) (?:i )?(?:eat|drink|have)\b|\bcan i (?:not |still )?(?:eat|drink|have)\b|\bavoid\b|\bstay away from\b|\bcan't i (?:eat|drink|have)", ("allergy", "dislike", "diet", "condition", "like")),
    (r"\bvegan\b|\bvegetarian\b|\bdiet\b", ("diet", "like", "dislike")), (r"\bmedicines?\b|\bmedications?\b|\bpills?\b|\btablets?\b|\bmeds\b|\bprescri", ("medicine", "habit")), (r"\bill(?:ness)?\b|\bsick\b|\bcondition\b|\bhealth\b|\bsuffer|\bdiagnos", ("condition", "injury", "treatment")), (r"\binjur|\bhurt\b|\bbroke my\b|\bbreak\b|\bsprain", ("injury", "condition")),
    (r"\bfavou?rite\b|\blike (?:the )?(?:most|best)\b", ("favorite", "like", "hobby")), (r"\b(?:dislike|hate|can't stand|don't like|not like|loathe)\b", ("dislike", "like", "allergy", "fear")), (r"\b(?:like|love|enjoy|prefer|into|obsessed|hooked|fond)\b(?!\W+to\b.*\bwhen\b)", ("like", "favorite", "hobby", "dislike")),
    (r"\bplay\b.*\binstrument|\binstruments?\b|\b(?:can|do) i play\b", ("skill", "learning", "hobby")), (r"\bexercise\b|\bwork ?out\b|\bsports?\b", ("exercise", "hobby", "habit", "like")), (r"\bspeak\b|\blanguages?\b", ("language", "learning", "skill")), (r"\bafraid of\b|\bfear\b|\bscared of\b|\bphobia", ("fear", "dislike")),
    (r"\bmarried\b|\bam i single\b", ("marital", "partner")), (r"\banniversary\b", ("anniversary", "plan")), (r"\bgoals?\b|\bdream\b|\bwant to\b|\bsaving (?:up )?for\b|\bresolution\b", ("goal", "plan", "like")), (r"\bdeadline\b|\bdue\b(?! to)", ("deadline", "plan")),
    (r"\bpassword\b|\bcode\b|\blocker\b|\bpin\b", ("attribute",)), (r"\b(?:phone )?number\b", ("phone", "attribute")), (r"\bmemo\b|\bnote\b", ("memo",)), (r"\bwhat (?:kind of |sort of )?(?:car|phone|laptop|bike)\b|\b(?:car|phone|laptop|bike)\b.*\b(?:drive|have|use|own)\b|\bdo i drive\b", ("own", "bought")), (r"\bbreed\b", ("breed",)),
    (r"\bscore\b|\bresults?\b|\bpass(?:ed)?\b(?! away)|\bfail", ("result",)), (r"\bbuy\b|\bbought\b", ("bought", "own")), (r"\b(?:gift|present)\b|\bget for\b|\bdid i (?:get|receive)\b", ("received", "result")), (r"\bwake up\b|\bget up\b|\bevery (?:day|morning)\b|\broutine\b", ("habit",)), (r"\bproject\b", ("project",)),
    (r"\bate\b|\bdid i (?:eat|have)\b|\b(?:had|have) for (?:lunch|dinner|breakfast)", ("ate", "did")), (r"\b(?:eat|drink|smoke)\b", ("like", "dislike", "favorite", "allergy", "diet", "habit")), (r"\bwatch(?:ed)?\b|\bread\b", ("watched", "plan")), (r"\bmet\b|\bdid i (?:meet|see)\b", ("met", "plan")),
    (r"\bsurger(?:y|ies)\b|\boperation\b", ("plan", "treatment", "did")),
    (r"\bplans?\b|\bmeeting\b|\bappointment\b|\bschedule|\binterview\b|\bexam\b|\btest\b|\btrip\b|\bflight\b|\bdentist\b|\bwedding\b|\bparty\b|\bconcert\b|\bholiday\b|\b(?:am|are|is|was|were) (?:i|we|\w+) (?:going|meeting|doing|seeing|coming|leaving|flying|moving|arriving|visiting|due)\b|\bdo (?:i|we) (?:leave|go|fly|meet|start|have (?:on|to do|planned))\b|\btomorrow\b|\bnext (?:week|month|weekend)\b|\bsupposed to\b|\bdue to\b", ("plan", "deadline", "travel", "did", "result")),
    (r"\bdid (?:i|we) (?:go|visit|travel)\b|\bwhere .*\b(?:been|went)\b|\bvacation\b", ("travel", "visit", "plan")), (r"\bboss\b|\bmanager\b", ("boss", "name")), (r"\bsiblings?\b|\bfamily\b", ("family", "name")), (r"\bwhen (?:do|will|am|are|is)\b", ("plan", "deadline")),
)  # fmt: skip
_SLOT_RES: Final = tuple((re.compile(pattern, re.I), slots) for pattern, slots in _SLOTS)
_DROPPED: Final = frozenset(
    "what who where when why how which rememb tell know remind recal told said say call now again still time date day some ani anyon someon these late earlier current ever exact thing made make live job name work favourit favorit".split()
) - {"live", "work"}
_SLOT_TERMS: Final[dict[str, frozenset[str]]] = {
    "live_in": frozenset({"live", "citi", "town", "place"}), "job": frozenset({"live", "work"}), "workplace": frozenset({"work", "compani"}), "like": frozenset({"like", "love", "enjoy"}), "dislike": frozenset({"hate", "dislik", "like"}), "birthday": frozenset({"birthday"}), "age": frozenset({"old", "age"}),
    "name": frozenset({"name"}), "felt": frozenset({"feel"}), "hobby": frozenset({"hobbi", "free", "fun"}), "medicine": frozenset({"take", "tablet", "pill"}), "learning": frozenset({"studi", "learn"}), "injury": frozenset({"injur", "hurt", "part", "bodi"}),
}  # fmt: skip
_KNOW: Final = re.compile(
    r"\b(?:do|can|could|would|will) you (?:please )?(?:still )?(?:remember|know|recall|tell|remind)\b|\b(?:tell|remind) me\b", re.I
)


def sentences(text: str) -> list[str]:
    """The text cut after each mark that ends a sentence."""
    return [s.strip() for s in re.findall(r"[^.?!\n]+[.?!]*", text) if s.strip()]


def asks_english(sentence: str) -> bool:
    """Whether one sentence asks."""
    if sentence.endswith("?"):
        return True
    if re.match(r"(?:please\s+)?(?:remember|don't forget|note) that\b", sentence, re.I) or _NO_QUESTION.match(sentence):
        return False
    return bool(_TELL.search(sentence) or _START.match(sentence) or _CLIPPED.match(sentence))


def ask_english(text: str, at: datetime) -> Question | None:
    """The question in `text`; None when it is none. Of several, the last about the speaker."""
    asked = [s for s in sentences(text) if asks_english(s)]
    if not asked:
        return None
    mine = [s for s in asked if _ME.search(_KNOW.sub("", s))]
    words = (mine or asked)[-1]
    spans = dates_of(words, at)
    span = asked_span(spans)
    plain = undated(words, spans) if span else words
    lowered = re.sub(r"\s+", " ", plain.lower())
    subject = _subject(words, lowered)
    wants = _wants(lowered, words)
    emotions = emotions_of(lowered)
    about = _about_memory(words, lowered, subject, wants)
    slots = _slots(lowered, subject, wants, emotions) if about else ()
    terms = tuple(t for t in dict.fromkeys(terms_of(plain)) if t not in _DROPPED and not (slots and t in _SLOT_TERMS.get(slots[0][1], frozenset())))
    said = bool(re.search(r"\bdid i (?:just )?(?:say|tell|mention)", lowered))
    just = bool(re.search(r"\bjust\b|\bearlier\b|\ba (?:moment|minute) ago\b", lowered))
    return Question(wants, about, slots, terms, _value(lowered), emotions, about and said and just, span if about else None)


def _subject(words: str, lowered: str) -> str | None:
    """Who is asked about: kin with "my", a name, USER, or None when nobody is said."""
    if re.search(
        r"\b(?:do|did|am|was|have|can|could|should|will|would) (?:i|we)\b|\bi'?(?:m|ve|d)?\b(?! (?:mention|say|said|told))", lowered
    ) and not re.search(rf"\bmy (?:\w+ )?(?:{_KIN_RE})(?:'s|s)?\b", lowered):
        return USER
    if m := re.search(rf"\bmy\s+(?:\w+\s+)?({_KIN_RE})(?:'s|s|s')?\b", lowered):
        after = re.search(r"\b(?:do|did|am|was) i\b", lowered)
        return USER if after else str(m.group(1))
    names = [n for n in re.findall(r"\b([A-Z][a-z]+)(?:'s)?\b", words) if n not in _NOT_NAMES]
    if names and not re.search(r"\bmy\b", lowered) and _asks_of(str(names[0]), words):
        return str(names[0])
    return USER if _ME.search(_KNOW.sub("", lowered)) else None


def _asks_of(name: str, words: str) -> bool:
    """Whether the words ask of whom they name. Not by a pattern made of the name: `re` would keep it."""
    at = words.find(name)
    while at >= 0:
        before, after = words[max(at - 6, 0) : at], words[at + len(name) :][:6]
        if re.search(r"\b(?:does|is|did|was|will|has) \Z", before) and not re.match(r"\w", after):
            return True
        if not re.search(r"\w\Z", before) and re.match(r"'s\b| (?:is|was|does|do|work|live)", after):
            return True
        at = words.find(name, at + 1)
    return False


def _wants(lowered: str, words: str) -> Wants:
    table: tuple[tuple[str, Wants], ...] = (
        (r"\bwhy\b|\breason\b|\bwhat made\b|\bhow come\b", "why"), (r"\bwhen\b|\b(?:what|which) (?:time|day|date|month|year)\b|\bdate (?:is|was|of)\b", "when"), (r"\bwhere\b|\b(?:what|which) (?:city|town|country|place|restaurant)\b", "where"), (r"\bwho\b|\bwhose\b|\bwhom\b", "who"),
        (r"\bhow (?:many|much|old|tall|long)\b", "howmany"), (r"\bhow\b", "how"), (r"\bwhat\b|\bwhats\b|\bwhich\b", "what"),
    )  # fmt: skip
    for pattern, wants in table:
        if re.search(pattern, lowered):
            return wants
    return (
        "what"
        if _TELL.search(words)
        or _CLIPPED.match(words)
        or re.search(r"\b(?:any|some)\b.*\b(?:i have to avoid|i can't|i cannot|i'm allergic)|\bany instrument", lowered)
        else "yesno"
    )


def _about_memory(words: str, lowered: str, subject: str | None, wants: Wants) -> bool:
    asked = _KNOW.sub("", lowered)
    if re.search(r"\babout me\b|\bknow me\b|who (?:i am|am i)\b", lowered):
        return True
    if _WORLD.search(lowered) and not re.search(r"\bdid i\b|\bi (?:said|told|mention)", lowered):
        return False
    if (
        re.fullmatch(r"\W*(?:what|who)(?:'s|s| is| are| was) (?:an? |the )?[\w+#-]+(?: \w+)?\W*", lowered)
        and not _ME.search(asked)
        and not re.search(r"\bwho\b", lowered)
    ):
        return False
    if _YOU.search(asked) and not re.search(r"\b(?:my|i)\b", asked):
        return False
    if _ME.search(asked) or subject not in {None, USER}:
        return True
    # Nobody named: what was planned or happened is the speaker's ("who was coming from Lagos"), what is in general is the world's.
    return (bool(re.search(r"\b(?:was|were|did|had)\b", asked)) and wants in {"who", "when", "where", "what"}) or (
        wants in {"when", "where"}
        and bool(re.search(r"\b(?:the|that) (?:meeting|interview|exam|appointment|party|wedding|trip|flight|dinner|concert|surgery)\b", asked))
    )


def _slots(lowered: str, subject: str | None, wants: Wants, emotions: tuple[str, ...]) -> tuple[Slot, ...]:
    who = subject or USER
    if emotions and (wants in {"why", "what", "when"} or "feel" in lowered) and not re.search(r"afraid of|scared of", lowered):
        return ((who, "felt"), (who, "result"), (who, "did"))
    if re.search(r"\bwho (?:i am|am i)\b|\babout me\b|\bknow me\b", lowered):
        return ((USER, "name"), (USER, "job"))
    if re.search(r"\blive (?:with|alone)\b", lowered) or (wants == "why" and not re.search(r"\b(?:can't|avoid|allerg)", lowered)):
        return ()
    if who in ENGLISH_KIN and re.search(r"\bdo i have\b", lowered):
        return ((USER, "pet" if who in ENGLISH_PETS else "family"),)
    if m := re.search(rf"\bdo i have (?:a |an |any )?({_KIN_RE})s?\b", lowered):
        return ((USER, "pet" if m.group(1) in ENGLISH_PETS else "family"), (USER, "partner"), (USER, "friend"))
    if re.search(rf"\bwhich of my (?:{_KIN_RE})s?\b", lowered):
        return ()
    if wants == "who" and who not in ENGLISH_KIN and not re.search(r"\bfavou?rite\b|\bboss\b", lowered):
        return ((who, "relation"), (USER, "friend")) if who not in {USER} and re.search(r"\bwho(?:'s| is)\b", lowered) else ()
    if wants == "who" and who in ENGLISH_KIN and re.search(r"\bwho(?:'s| is)\b", lowered):
        return ((who, "name"), (who, "relation"))
    for pattern, predicates in _SLOT_RES:
        if not pattern.search(lowered):
            continue
        if predicates[0] == "name":
            if who == USER and not re.search(r"\bmy name\b|\bam i called\b|\bi'm called\b", lowered):
                continue
            return ((who, "name"), *(((USER, "pet"),) if who in ENGLISH_PETS else ()))
        return tuple((None if p in {"plan", "deadline"} else who, p) for p in predicates)
    return ()


def _value(lowered: str) -> str | None:
    m = (
        re.search(r"favou?rite\s+(?:kind of |type of )?([a-z ]+?)(?:\?|$|\s+(?:is|was|again|do|of|these|now|right|at)\b)", lowered)
        or re.search(r"\b(?:what|which)\s+(?:kind of |type of |sort of )?([a-z]+)\s+(?:do|did|am|can|should) i\b", lowered)
        or re.search(r"\bany (?:kind of )?([a-z]+) (?:that )?(?:i|do i)\b", lowered)
        or re.search(r"\bplay any ([a-z]+)", lowered)
        or re.search(r"\b(?:do|did|am|can|could|should) i\b.*?\b(?:like|love|hate|eat|drink|enjoy|allergic to|have)\s+(?!to\b|for\b|in\b|on\b|at\b|a\b|an\b|any\b|that\b|it\b|been\b)([a-z][a-z ]*?)\s*(?:anymore|any more|now|still)?\s*(?:\?|$)", lowered)
    )  # fmt: skip
    if m is None:
        return kind_name("drink") if re.search(r"\bwhat (?:do|should) i (?:usually )?drink\b", lowered) else None
    named = str(m.group(1)).strip()
    value = kind_name(named) if is_kind(named) else named
    return (
        None
        if value in {"time", "day", "date", "city", "town", "year", "month", "thing", "made", "part", "country", "place", "tablets", "pills"}
        else value or None
    )
