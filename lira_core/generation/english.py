"""The grounded answer in English: the same cases as in Korean, one or two sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from lira_core.generation.choice import choose
from lira_core.generation.dated import dated
from lira_core.generation.knowledge import Answer, everything, known, of_oneself, to_tell
from lira_core.generation.port import Prompt
from lira_core.generation.wordings import SORROW, TONES
from lira_core.korean.morphemes import english_terms
from lira_core.korean.telling import merged
from lira_core.language import language_of
from lira_core.memory.question import Question
from lira_core.memory.slots import topic_of
from lira_core.safety import at_risk
from lira_core.types import USER, Fact, Memory

# As in Korean: a feeling weaker than this is not spoken of.
SPOKEN = 0.3
# From here on a feeling is named: below it, and beside a stronger "neutral", readings of plain statements were mostly wrong.
NAMED = 0.6
# Said this often before, sorrow is noticed (seed 000).
REPEATED = 2
# A longer sentence (characters) is not repeated to the person.
LONGEST_ECHO = 90

# Sentences of a memory longer than this together (characters) are not all told.
ROOM = 200

_SWAPS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "i'm": "you're", "i've": "you've", "i'll": "you'll",
    "i'd": "you'd",
    "im": "you're", "ive": "you've", "our": "your", "ours": "yours", "we": "you", "us": "you", "we're": "you're",
    "we've": "you've", "we'll": "you'll",
    "we'd": "you'd", "ourselves": "yourselves",
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_PREFIX = re.compile(
    r"^(?:(?:hi there|hey there|hi|hello|hey|yo|well|so|ok|okay|oh|omg|wow|ugh|lira|please|and|but|also|btw|by the way|"
    r"anyway|honestly|guess what|thanks|thank you)\b[\s,!.:]*|"
    r"(?:please )?(?:remember|note|memo|save|keep in mind)(?: this| that)*[\s:,]*(?:that )?)+",
    re.I,
)
_TRIGGER = re.compile(
    r"[\s,]*(?:please )?(?:remember (?:that|this|it)|keep (?:that|this|it) in mind|don't forget(?: (?:that|this|it))?|"
    r"save (?:that|this|it))(?: please)?[.!]*$",
    re.I,
)
_CHAT = re.compile(r"[\s,]+(?:lol|lmao|haha+|hehe+|xd|can you believe (?:it|that))(?=[\s.!,]|$)|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F]+", re.I)
# Speakers of chat leave themselves out: "gave up dark chocolate", "been learning the banjo".
_UNSAID = re.compile(
    r"(?:gave|got|had|tore|went|moved|started|bought|quit|lost|met|made|took|broke|hurt|ran|saw|ate|drank|slept|woke|found|sold|won|"
    r"just|finally|can't|don't|didn't|won't|still|used to|have|love|hate|need|want|am|was|feel|felt|live|work|play|will|[a-z]+ed)\b",
    re.I,
)


def second_person(text: str) -> str:
    """ "I love my dog" -> "you love your dog"; the sentence mark at the end is dropped."""

    def swap(match: re.Match[str]) -> str:
        word = match.group().lower()
        return _SWAPS.get(word, match.group()) if match.group() != "US" else match.group()

    said = _WORD.sub(swap, text.strip().replace("’", "'")).rstrip(" .!?")
    said = re.sub(r"\byou am\b", "you are", said)
    said = re.sub(r"\bam you\b", "are you", said)
    said = re.sub(r"\byou was\b", "you were", said)
    said = re.sub(r"\bam(?= (?:allergic|so|not|a|an|in|on|at|going|getting|having)\b)", "are", said)
    return re.sub(r"\bwas you\b", "were you", said)


def statements_of(text: str, about: Sequence[str] = ()) -> list[str]:
    """The sentences worth retelling, in the second person and in order: all when they are short, else those that share most with `about`."""
    text = _CHAT.sub("", text)
    sentences = [s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[A-Za-z\d])|\n+", text) if s.strip()]
    told = [_TRIGGER.sub("", _PREFIX.sub("", s)).strip() for s in sentences if not s.endswith("?")]
    told = [t for t in told if len(t.split()) >= 2]
    if sum(map(len, told)) > ROOM:
        asked = set(about)
        scores = [len(asked & set(english_terms(t))) + len(t) / 1000 for t in told]
        best = max(range(len(told)), key=lambda i: scores[i])
        beside = max((i for i in (best - 1, best + 1) if 0 <= i < len(told)), key=lambda i: scores[i], default=best)
        told = [told[i] for i in sorted({best, beside})]
    return [_opened(second_person(_subject(t))) for t in told]


def statement_of(text: str) -> str | None:
    """The one sentence that says most, in the second person; None when there is none."""
    return max(statements_of(text), key=len, default=None)


def _subject(sentence: str) -> str:
    """With the speaker where they left themselves out."""
    if re.match(r"been\b", sentence, re.I):
        return f"I've {sentence[0].lower()}{sentence[1:]}"
    return (
        f"I {sentence[0].lower()}{sentence[1:]}"
        if _UNSAID.match(sentence) and not re.match(r"[A-Z][a-z]+ed\b [a-z]+ (?:is|was)", sentence)
        else sentence
    )


def _opened(said: str) -> str:
    """Small at the beginning, as after "You told me that", unless it is a name."""
    first = said.split()[0].lower()
    return said[0].lower() + said[1:] if first in _SMALL else said


_SMALL = frozenset({
    "the", "today", "yesterday", "tomorrow", "it", "this", "that", "he", "she", "they", "there", "it's", "a",
    "an", "on", "in", "at", "last", "next", "every", "you", "your", "you're", "you've", "you'll", "you'd",
    "because", "since", "after", "before", "when", "no", "dear", "change", "some",
})  # fmt: skip


def reply(prompt: Prompt) -> str:
    """One or two sentences."""
    phatic = _phatic(prompt)
    if phatic is not None:
        return phatic
    question = prompt.question
    if question is not None and question.about_memory and not _ADVICE.search(prompt.text):
        return _remembered(prompt, question)
    of_lira = any(pattern.search(prompt.text) for pattern, _ in _ABOUT_LIRA)
    if question is not None and not of_lira and (answer := _from_words(prompt, question, known(prompt))):
        return answer
    sorrow = _repeated_sorrow(prompt)
    if sorrow is not None:
        return sorrow
    if question is not None:
        return _asked(prompt)
    fact = _leading_fact(prompt)
    return _acknowledged(prompt, fact) if fact is not None else _felt(prompt)


_BEING = {"job": "work as", "live_in": "live in", "school": "go to", "workplace": "work at", "hometown": "are from", "religion": "are"}
_CALLED = {
    "nickname": "nickname", "birthday": "birthday", "blood_type": "blood type", "mbti": "MBTI", "height": "height", "weight": "weight",
    "phone": "phone number", "major": "major", "hobby": "hobby", "age": "age", "zodiac": "zodiac sign",
    "nationality": "nationality", "partner": "partner",
}  # fmt: skip


def fact_sentence(fact: Fact) -> str | None:
    """The fact without capital or full stop: "your name is Sam", "you like coffee"; None where the person's words say it better."""
    mine = fact.subject == USER
    whose = "your" if mine else f"your {fact.subject}'s" if fact.subject.islower() else f"{fact.subject}'s"
    who = "you" if mine else f"your {fact.subject}" if fact.subject.islower() else fact.subject
    verb = (lambda v: v) if mine else _third
    if fact.predicate in {"like", "dislike"}:
        likes = fact.polarity == (fact.predicate == "like")
        denial = "don't like" if mine else "doesn't like"
        return f"{who} {verb('like')} {fact.object}" if likes else f"{who} {denial} {fact.object}"
    if not fact.polarity:
        return None
    if fact.predicate == "name":
        return f"{whose} name is {fact.object}"
    if fact.predicate == "favorite":
        kind = topic_of(fact)
        return f"{whose} favorite {kind} is {fact.object}" if kind and kind != fact.object.lower() else f"{whose} favorite is {fact.object}"
    if fact.predicate == "plan":
        people = f" with {' and '.join(fact.people)}" if fact.people else ""
        place = f" {fact.place if fact.place.startswith(('in ', 'at ')) else 'in ' + fact.place}" if fact.place else ""
        when = f" {fact.when_text}" if fact.when_text else ""
        return f"{who} {verb('have')} {_article(fact.object)}{people}{place}{when}"
    if fact.predicate == "allergy":
        return f"{who} {'are' if mine else 'is'} allergic to {re.sub(r' ?(?:allergy|알레르기)$', '', fact.object)}"
    if fact.predicate == "job":
        return f"{who} {verb('work')} as {_article(fact.object)}"
    if fact.predicate in _BEING:
        return f"{who} {verb(_BEING[fact.predicate].split()[0])}{''.join(' ' + w for w in _BEING[fact.predicate].split()[1:])} {fact.object}"
    if fact.predicate in {"pet", "family"} and mine:
        return f"you have {_article(fact.object)}"
    if fact.predicate == "friend":
        return f"{fact.object} is your friend"
    if fact.predicate == "relation":
        return f"{fact.subject} is your {fact.object}"
    if fact.predicate in _CALLED:
        return f"{whose} {_CALLED[fact.predicate]} is {fact.object}"
    if fact.predicate == "attribute" and topic_of(fact) != fact.object.lower():
        return f"{whose} {topic_of(fact)} is {fact.object}"
    return fact.object if fact.predicate == "memo" else None


def _third(verb: str) -> str:
    return {"have": "has", "are": "is", "go": "goes"}.get(verb, f"{verb}s")


def _article(noun: str) -> str:
    if re.match(r"(?:an?|the|my|your|two|three|\d|some)\b", noun, re.I) or not noun[:1].isascii() or (noun.endswith("s") and not noun.endswith("ss")):
        return second_person(noun)
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _remembered(prompt: Prompt, question: Question) -> str:
    return _summary(prompt) if everything(question) else _from_words(prompt, question, known(prompt)) or _unknown(prompt)


_SEVERAL = re.compile(r"\bboth\b|\ball\b|\bnames\b|\band (?:what|where|when|who|my)\b", re.I)


def _from_words(prompt: Prompt, question: Question, answers: Sequence[Answer]) -> str | None:
    """What was told in the second person: the surest memory, and a second one that answers too; yes or no before it."""
    said: list[str] = []
    for answer in to_tell(answers, several=bool(_SEVERAL.search(prompt.text))):
        if at_risk(answer.memory.text):
            return "You told me you were going through a very hard time. How are you feeling now?"
        said += _retold(answer.memory, prompt.at, question.terms, answer.words)[: 1 if said else 3]
    if not said:
        return None
    opening = choose(("You told me that", "You said that", "You mentioned that", "You told me"), prompt.text)
    yes = {"yes": "Yes, ", "no": "No, ", None: ""}[prompt.verdict]
    first = f"{yes}{'y' + opening[1:] if yes else opening} {said[0]}"
    if len(said) == 1:
        return f"{first}."
    rest = " and ".join(said[1:])
    return f"{first}, and that {rest}." if len(said) == 2 and len(first) + len(rest) < 90 else f"{first}. You also said {rest}."


def _retold(memory: Memory, now: datetime, about: Sequence[str] = (), words: str | None = None) -> list[str]:
    """The sentences worth telling, and never without the words that answer."""
    if language_of(memory.text) == "ko":
        facts = [s for f in merged(memory.facts)[:1] if (s := fact_sentence(f))]
        return [facts[0] if facts else f"this: {memory.text.rstrip(' .!?')}"]
    text = dated(memory.text, memory.timestamp, now)
    said = statements_of(text, about)
    if words and second_person(words).lower() not in " ".join(said).lower() and words.lower() not in " ".join(said).lower():
        return [second_person(text)]
    return said or [second_person(text)]


def _summary(prompt: Prompt) -> str:
    memories, facts = of_oneself(prompt)
    said = [s for f in sorted(merged(facts), key=lambda f: (f.subject != USER, f.predicate != "name")) if (s := fact_sentence(f))][:3]
    if said:
        return f"{_capital(_listed(said))}."
    for memory in memories:
        if not at_risk(memory.text) and (retold := _retold(memory, prompt.at)):
            return f"You told me {retold[0]}."
    return "You haven't told me much yet, so I don't know. Tell me anything and I'll remember it."


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _unknown(prompt: Prompt) -> str:
    return choose(
        (
            "I don't know, you haven't told me that yet. If you tell me, I'll remember.",
            "I don't know that one yet. Would you like to tell me?",
            "You haven't mentioned it so far, so I don't know.",
        ),
        prompt.text,
    )


_ABOUT_LIRA = (
    (
        re.compile(r"\b(?:who are you|your name|what are you called)\b", re.I),
        ("I'm LIRA. I listen, I remember what you tell me, and I try to understand how you feel.",),
    ),
    (
        re.compile(r"\bwhat can you do|how do you work|can you help\b", re.I),
        ("I remember what you tell me and bring it back when you need it. Tell me anything.",),
    ),
    (
        re.compile(r"\bare you (?:a )?(?:human|real|robot|bot|ai|person|alive)|do you (?:feel|have feelings)", re.I),
        ("I'm an AI, so I don't feel things myself, but I'll listen closely.",),
    ),
    (
        re.compile(r"\bhow are you|how's it going|how is it going|what's up|how do you do\b", re.I),
        ("I'm right here, as always. How has your day been?", "I'm here and listening. How are you doing today?"),
    ),
    (
        re.compile(r"\bdo you (?:like|love|hate|prefer)|your favou?rite\b", re.I),
        ("I'm an AI, so I have no favorites, but I'd love to hear about yours.",),
    ),
)
_ADVICE = re.compile(
    r"\bshould i\b|\bwhat (?:can|should) i do\b|\bwhat do i do (?:now|about|if|when|with)\b|\badvice\b|\brecommend\b|\bsuggest\b", re.I
)


def _asked(prompt: Prompt) -> str:
    for pattern, answers in _ABOUT_LIRA:
        if pattern.search(prompt.text):
            return choose(answers, prompt.text)
    if _ADVICE.search(prompt.text):
        return choose(
            (
                "I can't decide that for you, but we can think it through. What matters most to you here?",
                "That's not easy. Which way is your heart leaning?",
            ),
            prompt.text,
        )
    real = prompt.emotion.real if prompt.emotion else None
    if real is not None and real.score >= SPOKEN and TONES[real.label].heavy:
        return "It sounds like a lot is on your mind. Tell me what happened, I'm listening."
    return choose(
        (
            "I don't know that one for sure, and I don't want to guess. I'm happy to talk about your day, though.",
            "Honestly, I don't know. But I'm all ears for anything on your mind.",
        ),
        prompt.text,
    )


def _leading_fact(prompt: Prompt) -> Fact | None:
    real = prompt.emotion.real if prompt.emotion else None
    tone = TONES.get(real.label) if real is not None and real.score >= SPOKEN else None
    for fact in sorted(prompt.facts, key=lambda f: (f.category != "name", f.category != "plan")):
        if fact.category in {"name", "taste"} or (tone is None or not tone.heavy):
            return fact
    return None


_AFTER = {
    "taste": ("Good to know!", "I like hearing what you enjoy.", "What do you like most about it?"),
    "distaste": ("Fair enough.", "Thanks for telling me."),
    "plan": ("I hope it goes well.", "Tell me how it goes!", "Have a good time."),
    "health": ("Please take good care of yourself.", "I hope you feel better soon."),
    "relation": ("Thank you for telling me about them.", "I'd love to hear more."),
    "work": ("How do you feel about it these days?", "I'd love to hear more about it."),
    "profile": ("Thanks for telling me.", "It's nice getting to know you."),
    "name": ("Thanks for telling me.",),
}


def _acknowledged(prompt: Prompt, fact: Fact) -> str:
    if fact.predicate == "name" and fact.subject == USER:
        return choose(("Nice to meet you, {}.", "Hi {}, it's lovely to meet you.", "Good to meet you, {}!"), prompt.text).format(fact.object)
    changed = any(
        f.key == fact.key and (f.object, f.polarity) != (fact.object, fact.polarity) for r in prompt.recalled for f in r.memory.facts if f.key
    )
    said = statement_of(prompt.text)
    said = said if said and len(said) <= LONGEST_ECHO else fact_sentence(fact)
    if said is None:
        return _felt(prompt)
    kind = "distaste" if fact.predicate == "dislike" or (fact.category == "taste" and not fact.polarity) else fact.category
    lead = "So now" if changed else choose(("So", "Ah,", "I see,"), prompt.text)
    return f"{lead} {said}. {choose(_AFTER[kind], prompt.text)}"


_FELT: dict[str, tuple[str, ...]] = {
    "joy": ("I'm so happy that {}!", "It's wonderful that {}!", "How great that {}!"),
    "pride": ("You can be proud that {}.", "It's impressive that {}."),
    "love": ("It's lovely that {}.", "It warms my heart that {}."),
    "gratitude": ("How kind it feels that {}.", "It's lovely that {}."),
    "relief": ("What a relief that {}.",),
    "optimism": ("I hear that {}, and I'm rooting for you.",),
    "amusement": ("It made me smile that {}.",),
    "sadness": ("I'm so sorry that {}.", "It sounds really hard that {}."),
    "grief": ("I'm so sorry that {}, my heart goes out to you.",),
    "disappointment": ("It must be so disappointing that {}.", "I'm sorry that {}."),
    "remorse": ("I hear that {}, and it clearly matters to you.",),
    "fear": ("It must be frightening that {}.",),
    "nervousness": ("I hear that {}, no wonder it makes you nervous.",),
    "anger": ("It would upset anyone that {}.", "No wonder you're angry that {}."),
    "annoyance": ("It sounds frustrating that {}.",),
    "disgust": ("It sounds unpleasant that {}.",),
    "embarrassment": ("It's an awkward moment that {}, but it happens to everyone.",),
    "surprise": ("I didn't expect that {}, either!",),
    "confusion": ("It does sound confusing that {}.",),
    "neutral": ("I see, {}.", "So {}."),
}
_FEELS = re.compile(r"^(?:today |lately )?you(?:'re| are| were| feel| felt|'ve been) (?!going|at|on|in|a |the )")
_FELT_ITSELF = {
    "heavy": ("I'm so sorry {}.", "I hear you, and I'm sorry {}."),
    "warm": ("I'm so glad {}!", "It's good to hear {}."),
    "plain": ("I hear you, {}.",),
}
_LIKE = {
    "excitement": "joy", "admiration": "love", "caring": "love", "desire": "optimism", "disapproval": "annoyance", "approval": "neutral",
    "curiosity": "neutral", "realization": "neutral",
}  # fmt: skip
_NEXT_WARM = ("Tell me more about it!", "What was the best part?", "Enjoy every bit of it.")
_NEXT_HEAVY = ("I'm here, tell me as much as you like.", "Please be gentle with yourself today.", "Take your time, I'm listening.")
_NEXT = ("Tell me more.", "I'd like to hear more about that.")


def _felt(prompt: Prompt) -> str:
    real = prompt.emotion.real if prompt.emotion else None
    sure = prompt.emotion is not None and real is not None and prompt.emotion.label == real.label and real.score >= NAMED
    label = real.label if real is not None and sure else "neutral"
    tone = TONES[label]
    after = choose(_NEXT_HEAVY if tone.heavy else _NEXT_WARM if tone.warm else _NEXT, prompt.text, "next")
    said = statement_of(prompt.text)
    if said is None or len(said) > LONGEST_ECHO:
        opening = "I'm sorry it's so hard right now." if tone.heavy else "That's lovely to hear." if tone.warm else "I'm listening."
        return f"{opening} {after}"
    itself = "heavy" if tone.heavy else "warm" if tone.warm and label != "amusement" else "plain"
    pool = _FELT_ITSELF[itself] if _FEELS.match(said) else _FELT[_LIKE.get(label, label)]
    return f"{choose(pool, prompt.text).format(said)} {after}"


_SORROWFUL = re.compile(r"\b(?:sad|depress\w*|exhaust\w*|tired|lonely|hopeless|miserable|struggl\w*|overwhelmed|cry\w*|hurts?|empty|anxious)\b", re.I)


def _repeated_sorrow(prompt: Prompt) -> str | None:
    real = prompt.emotion.real if prompt.emotion else None
    now = _SORROWFUL.search(prompt.text) or (real is not None and real.label in SORROW and real.score >= SPOKEN)
    if not now or (real is not None and TONES[real.label].warm):
        return None
    before = sum(bool(_SORROWFUL.search(m.content)) for m in prompt.history if m.role == "user")
    remembered = {r.memory.text for r in prompt.recalled if r.memory.emotion and r.memory.emotion.real and r.memory.emotion.real.label in SORROW}
    if max(before, len(remembered)) < REPEATED:
        return None
    return "You've told me a few times now how hard things have been. Please rest when you can, and talking with a professional might help too."


_PHATIC = (
    (
        re.compile(
            r"^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening)|greetings)(?: there| lira)?[\s!.,~]*"
            r"(?:(?:it's my )?first time\b.*|(?:just )?trying (?:this|it)\b.*)?$",
            re.I,
        ),
        ("Hello! How has your day been?", "Hi there, it's good to hear from you. How are you today?"),
    ),
    (
        re.compile(r"^(?:(?:thank you|thanks|thx|ty)(?: so much| a lot| very much| lira)?)[\s!.]*$", re.I),
        ("You're welcome. I'm always here to listen.", "Thank you for talking with me."),
    ),
    (re.compile(r"^(?:good ?night|night night|sleep well)[\s!.]*.{0,10}$", re.I), ("Good night, sleep well.", "Rest well. Talk to you soon.")),
    (
        re.compile(r"^(?:bye|goodbye|see (?:you|ya)|talk (?:to you )?later|gotta go)\b.{0,15}$", re.I),
        ("Goodbye for now. Come back anytime.", "Take care, talk to you soon."),
    ),
    (re.compile(r"^(?:i'?m )?sorry[\s!.]*$", re.I), ("That's all right.", "No need to be sorry.")),
    (re.compile(r"^(?:(?:ha)+h?|lol|lmao|hehe)[\s!.]*$", re.I), ("You make me smile too.", "I'm glad you're in good spirits.")),
    (
        re.compile(r"^(?:ok|okay|yes|yeah|yep|no|nope|sure|i see|right|hmm+|mm+|well|cool|fine|got it)[\s!.]*$", re.I),
        ("I'm listening, go on.", "Take your time, I'm here."),
    ),
    (re.compile(r"^(?:please )?(?:remember|save|keep) (?:this|that|it)[\s!.]*$", re.I), ("I won't forget.", "Of course.")),
)


def _phatic(prompt: Prompt) -> str | None:
    if prompt.facts or len(prompt.text) > 40:
        return None
    return next((choose(answers, prompt.text, str(len(prompt.history))) for pattern, answers in _PHATIC if pattern.match(prompt.text.strip())), None)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
