"""A plan in English: one or two sentences, in the person's own words, in the second person where they are plain."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from lira_core.dates.finding import say
from lira_core.generation.choice import choose, fitting, fresh
from lira_core.generation.dated import dated
from lira_core.generation.feelings import HEAVY, WARM
from lira_core.generation.knowledge import Answer
from lira_core.generation.plan import Felt, Fitting, HardTime, Listing, Noted, Offer, OnCalendar, OwnName, Plan, Small, Told, Unknown, Welcome
from lira_core.generation.port import Prompt
from lira_core.language import language_of
from lira_core.languages.en.terms import terms
from lira_core.memory.following import whole
from lira_core.responses import RESPONSES
from lira_core.safety.wording import WORDING
from lira_core.types import Fact, Memory

# A longer sentence (characters) is not repeated to the person.
LONGEST_ECHO = 90
_BEFORE_HEAVY, _BEFORE_WARM = "You told me{said} too, so it has been a lot lately.", "You told me{said} too. Long may it go on!"
# A memory up to this long (characters) is told whole, of a longer one the sentence that answers.
ROOM = 160
# So many words at most, before what answers, answer what LIRA said ("lol ok.", "Will do."), and are not told.
OPENING = 2

SMALL: dict[str, tuple[str, ...]] = {
    "hello": ("Hello! How has your day been?", "Hi there, it's good to hear from you. How are you today?"),
    "thanks": ("You're welcome. I'm always here to listen.", "Thank you for talking with me."),
    "night": ("Good night, sleep well.", "Rest well. Talk to you soon."),
    "bye": ("Goodbye for now. Come back anytime.", "Take care, talk to you soon."),
    "sorry": ("That's all right.", "No need to be sorry."),
    "forget": (
        "I'm not sure what you would like me to forget. Tell me what it was, or delete it from your list of memories, and it is gone at once.",
    ),
    "laugh": ("You make me smile too.", "I'm glad you're in good spirits."),
    "backchannel": ("I'm listening, go on.", "Take your time, I'm here."),
    "kept": ("I won't forget.", "Of course, I'll remember."),
    "able": (
        "I remember what you tell me and bring it back when you ask, and I listen for how you feel. Ask me to forget something and I delete it.",
        "I listen and I keep what matters. I can't remind you by myself, but ask me and I'll tell you what you told me.",
    ),
    "style": (
        "Fair enough, thank you for saying so. I can't change much about how I talk yet, but I'm listening.",
        "Noted. There isn't much about how I talk that I can change yet, but I'll listen.",
    ),
    "self": (
        "I'm LIRA, an AI, so I don't eat, sleep or have favourites, but I'm always glad to listen. How has your day been?",
        "I'm LIRA, an AI: no meals, no sleep and no days of my own. How has yours been?",
    ),
    "musing": ("I wonder that too.", "It does make you wonder.", "Who knows. It sounds as if it's been on your mind."),
    "invite": (
        "I'm an AI, so I can't do that with you or for you, but I'm here to talk as long as you like.",
        "I can't do that myself, but I'd love to hear about it.",
    ),
    "entertain": (
        "I can't sing, but I know a joke. Why did the bicycle fall over? It was two tired.",
        "Here's one: what do you call a bear with no teeth? A gummy bear.",
        "All right, one joke: why don't eggs tell jokes? They'd crack each other up.",
    ),
    "reassure": (
        "I can't say for sure, but I'm on your side. What worries you most about it?",
        "I can't say for certain, but it's clear that you care. What's on your mind about it?",
    ),
    "advice": (
        "I'm no expert on that, but we can think it through. What have you thought of so far?",
        "That's not mine to answer, but I'll think along. What comes to mind first?",
    ),
    "wondering": ("It sounds like a lot is on your mind. Tell me what happened, I'm listening.",),
    "task": (
        "I don't know that one for sure, and I don't want to guess. I'm happy to talk about your day, though.",
        "Honestly, I don't know. But I'm all ears for anything on your mind.",
    ),
}
_AFTER: dict[str, tuple[str, ...]] = {
    "taste": ("Good to know!", "What do you like most about it?"),
    "distaste": ("Fair enough.", "Thanks for telling me."),
    "plan": ("I hope it goes well.", "Tell me how it goes!"),
    "test": ("I'm keeping my fingers crossed.",),
    "trip": ("Have a good time, and tell me about it!",),
    "clinic": ("I hope it goes well.", "Please take good care of yourself."),
    "celebrate": ("I hope it's a lovely day.",),
    "changed": ("I'll remember it that way from now on.",),
    "kept": ("I won't forget.", "I'll remember."),
    "health": ("Please take good care of yourself.", "I hope you feel better soon."),
    "careful": ("Do be careful with it.",),
    "relation": ("Thank you for telling me about them.", "I'd love to hear more."),
    "pet": ("I'd love to hear more.",),
    "work": ("How do you feel about it these days?", "I'd love to hear more about it."),
    "profile": ("Thanks for telling me.", "It's nice getting to know you."),
}
_LIKE = {
    "excitement": "joy", "admiration": "love", "caring": "love", "gratitude": "love", "disapproval": "annoyance", "disgust": "annoyance",
    "nervousness": "fear",
}  # fmt: skip
_SEEN = ("I see, {}.", "So {}.")
_BARE = {
    "joy": ("That's lovely to hear.", "How wonderful!", "That put a smile on my face.", "Ah, that's good news.", "I do like hearing that."),
    "pride": ("That's something to be proud of.", "That's no small thing.", "Well, that's impressive!", "That took some doing."),
    "love": ("That warms my heart.", "How sweet.", "That's a lovely thing.", "There's a lot of warmth in that."),
    "relief": ("What a relief!", "I'm glad to hear that.", "Phew, that's good.", "Good, one worry less."),
    "optimism": ("I hope it turns out just as you wish.", "Fingers crossed!", "That's something to look forward to."),
    "amusement": ("Ha, that made me smile.", "Ha! I can just picture it.", "That one's worth retelling.", "That made me laugh."),
    "sadness": ("I'm sorry to hear that.", "That sounds hard.", "That's a heavy thing.", "Ah, that's sad.", "That can't be easy."),
    "grief": ("I'm so sorry for your loss.",),
    "disappointment": ("That's a real shame.", "How disappointing.", "Ah, what a pity.", "That takes the wind out of you."),
    "fear": ("I can see why that's on your mind.", "I hope it comes to nothing bad.", "That would keep anybody on edge."),
    "anger": ("No wonder that stings.", "That's not right.", "That would upset anyone.", "That was out of order."),
    "annoyance": ("How annoying.", "That sounds frustrating.", "Oh, what a nuisance.", "That would get on anybody's nerves."),
    "embarrassment": ("That sounds awkward.", "Oh no, how awkward!", "We've all had a moment like that."),
    "surprise": ("Goodness, what a surprise.", "Well, I didn't see that coming."),
    "confusion": ("It's not easy to know what to do there.", "That's a tricky one."),
    "neutral": ("I'm listening.", "I see."),
}
TOLD = (
    "Thank you for telling me, I'll remember that.",
    "I see. I'll keep that in mind.",
    "Thanks for telling me. Is there more to it?",
    "I hear you. Tell me more, if you like.",
    "Got it, I'll remember.",
)
"""To a plain fact that is kept and not repeated: the whole answer."""
_NEXT: dict[str, tuple[str, ...]] = {
    "joy": ("Tell me more about it!", "What was the best part?", "Enjoy every bit of it.", "I'd love to hear the rest.", "That's made my day too."),
    "pride": ("How does it feel?", "I'd love to hear how it went.", "Let yourself enjoy that for a while."),
    "love": ("Moments like that are worth keeping.", "I'd love to hear more.", "Tell me more about it!"),
    "relief": ("I hope you can rest a little now.", "You can breathe out now.", "How do you feel now?"),
    "optimism": ("I'm keeping my fingers crossed.", "Tell me how it goes!"),
    "amusement": ("What happened then?", "Go on, tell me more."),
    "sadness": ("I'm here, tell me as much as you like.", "Please be gentle with yourself today.", "Would you like to talk about it?"),
    "grief": ("I'm here, tell me as much as you like.", "Please be gentle with yourself today."),
    "disappointment": ("I hope the next thing goes better.", "I'm here, tell me as much as you like.", "That takes a while to get over."),
    "fear": ("What worries you most about it?", "I'm here, tell me as much as you like."),
    "anger": ("Tell me what happened, I'm listening.", "I'm here, tell me as much as you like."),
    "annoyance": ("I hope the rest of the day is kinder.", "What happened then?", "Let it out, I'm listening."),
    "embarrassment": ("It happens to everybody.", "One day it may make a good story."),
    "surprise": ("How did that come about?", "What happened then?"),
    "confusion": ("What matters most to you here?", "We can think it through together."),
    "neutral": ("Tell me more.", "I'd like to hear more about that.", "Go on, if you like.", "Take your time."),
}
# Not that it was never told: where it was and was not found, that would deny it.
_UNKNOWN = (
    "I don't know, I can't find that in what you've told me. If you tell me, I'll remember.",
    "I don't know that one yet. Would you like to tell me?",
    "I don't know, it isn't in what I remember.",
)
_FEW = 6
"""Words that answer are told by themselves where they are no more."""
_FIRST = re.compile(r"\b(?:i|me|my|mine|we|us|our)\b", re.I)
_PROMISES = re.compile(r"I'll (?:remember|keep|make a note|note|bear)|I won't forget|I've got that|\bnoted\b|between us", re.I)
"""Wordings that promise to remember."""


def render(plan: Plan, prompt: Prompt) -> str:
    """The plan in words."""
    match plan:
        case Told():
            return _told(plan, prompt)
        case OwnName(name):
            return f"Your name is {name}."
        case HardTime():
            return "You told me you were going through a very hard time. How are you feeling now?"
        case Unknown(None):
            return "You haven't told me much yet, so I don't know. Tell me anything and I'll remember it."
        case Unknown():
            return fresh(_UNKNOWN, prompt.history, prompt.text)
        case Listing(memories, about):
            return _joined("You told me", [short(memory, prompt.at, about) for memory in memories])
        case Offer(memories):
            return f"{_joined('You told me', [short(memory, prompt.at) for memory in memories])} {WORDING['en'].offer}"
        case Small(kind):
            return fresh(SMALL[kind], prompt.history, prompt.text, str(len(prompt.history)))
        case OnCalendar(when, granularity, left):
            return f"{_left(left)}It's {say(when, granularity, 'en', prompt.at).removeprefix('on ')}."
        case Welcome(name):
            return choose(("Nice to meet you, {}.", "Hi {}, it's lovely to meet you.", "Good to meet you, {}!"), prompt.text).format(name)
        case Noted(fact, kind):
            return _noted(fact, kind, prompt)
        case Fitting(kind):
            return fitting(RESPONSES[kind].wordings["en"], _PROMISES, prompt)
        case Felt():
            return _felt(plan, prompt)


# What was told before


def _told(plan: Told, prompt: Prompt) -> str:
    said = [retold(answer, prompt.at, plan.question.terms) for answer in plan.answers]
    yes = {"yes": "Yes, ", "no": "No, ", None: ""}[plan.verdict]
    opening = choose(("You told me", "You said", "You mentioned"), prompt.text)
    later = [answer.memory.id == plan.answers[0].changed_by for answer in plan.answers]
    alone = _alone(plan.answers[0], prompt.at) if said[0].startswith(":") and not yes and len(said) == 1 else ""
    alone = _left(plan.left) or alone
    return alone + _joined(yes + (opening[0].lower() + opening[1:] if yes else opening), said, later)


def _left(days: int | None) -> str:
    """So many days before something that was asked for: "16 days to go. "; nothing where none are asked for."""
    return "" if days is None else "It's today. " if days == 0 else "It's tomorrow. " if days == 1 else f"{days} days to go. "


def _alone(answer: Answer, now: datetime) -> str:
    """The words that answer, before what was said, where they are clear, few and nobody's own: "Clarinet. "; else nothing."""
    words = (answer.words or "").strip(" .,!?")
    if not answer.clear or not words or len(words.split()) > _FEW or 2 * len(words) > len(whole(answer.memory)) or _FIRST.search(words):
        return ""
    told = dated(words, answer.memory.timestamp, now)
    return f"{told[0].upper()}{told[1:]}. "


def _joined(opening: str, said: Sequence[str], later: Sequence[bool] = ()) -> str:
    """ "You told me that …. You also said: …."; an indirect piece begins with "that", a quoted one with a colon. `later`: which of them
    changes the first."""
    first, *more = [piece if piece.startswith(":") else f" that {piece}" for piece in said]
    again = ["Later you said" if newer else "You also said" for newer in later[1:] or [False] * len(more)]
    return " ".join([f"{opening}{first}.", *(f"{begins}{piece}." for begins, piece in zip(again, more, strict=True))])


def short(memory: Memory, now: datetime, about: Sequence[str] = ()) -> str:
    """A memory as it is listed."""
    return retold(Answer(memory), now, about)


def retold(answer: Answer, now: datetime, about: Sequence[str] = ()) -> str:
    """What was told, in the second person where every sentence of it is plain, else quoted after a colon; of a long memory what answers."""
    memory = answer.memory
    text = whole(memory)
    if language_of(text) == "ko":
        return f": {text.rstrip(' .!?')}"
    own = [dated(s, memory.timestamp, now) for s in _answering(_sentences(text), answer.words, about, 0 if memory.before else OPENING)]
    plain = [said for s in own if (said := second_person(s)) is not None]
    if not own or len(plain) < len(own):
        return f": {' '.join(own or [dated(text, memory.timestamp, now)]).rstrip(' .!?')}"
    return " and ".join([", ".join(plain[:-1]), plain[-1]]) if len(plain) > 1 else plain[0]


def _answering(found: Sequence[str], words: str | None, about: Sequence[str], opening: int) -> list[str]:
    """All that was told where it is short, but for what only opens it, of `opening` words at most, else the sentences with the words that answer, or
    that share most with what was asked."""
    said = [s for s in found if not s.endswith("?")] or list(found)
    held = [i for i, s in enumerate(said) if words and (words in s or s.rstrip(".!") in words)]
    if sum(map(len, said)) <= ROOM:
        first = next((i for i, s in enumerate(said) if i in held[:1] or len(s.split()) > opening), 0) if held else 0
        return said[first:]
    asked = set(about)
    return [said[i] for i in held] or [max(said, key=lambda s: (len(asked & set(terms(s))), len(s)))]


# The person's words

_PREFIX = re.compile(
    r"^(?:(?:hi there|hey there|hi|hello|hey|yo|well|so|ok|okay|oh|omg|wow|ugh|lira|please|and|but|also|btw|by the way|anyway|honestly|guess what"
    r"|thanks|thank you)\b[\s,!.:]*|(?:please )?(?:remember|note|memo|save|keep in mind)(?: this| that)*[\s:,]*(?:that )?)+",
    re.I,
)
_TRIGGER = re.compile(
    r"[\s,]*(?:please )?(?:(?:remember|save) (?:that|this|it)|keep (?:that|this|it) in mind|don't forget(?: (?:that|this|it))?)(?: please)?[.!]*$",
    re.I,
)
_CHAT = re.compile(r"[\s,]+(?:lol|lmao|haha+|hehe+|xd)(?=[\s.!,]|$)|[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F]+", re.I)
# A statement with a subject and neither anybody's quoted speech, nor somebody addressed, nor shouting.
_PLAIN = re.compile(
    r"(?:i|i'm|i've|i'll|i'd|my|we|we're|we've|our|the|today|yesterday|tomorrow|it|it's|this|that|he|she|they|there|a|an|on|in|at|last|next|every"
    # A name, where a verb follows: else it is more often a note without a subject ("Dentist on Thursday", "Had a coffee with Ann").
    r"|because|since|after|before|when|no|[A-Z][a-z]+'s|[A-Z][a-z]+(?=\s+(?:\w+(?:s|ed)|are|were|had|will|won't|would|can|could|did|don't|got|came|went"
    r"|left|took|made|gave|bought|found|lost|won|told|rang|kept|thinks?|wants?|likes?|loves?|hates?)\b))\b",
)
_NOT_PLAIN = re.compile(
    r"[\"“”]|\b(?:you|your|said|says|asked|told me|goes|was like|gonna|wanna|gotta|u|ur)\b|\b(?:an?|the|this|that|coal|gold) mine\b", re.I
)
_SHOUTS = re.compile(r"\b[A-Z]{4,}\b")
_SWAPS = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "i'm": "you're", "i've": "you've", "i'll": "you'll",
    "i'd": "you'd", "im": "you're", "our": "your", "ours": "yours", "we": "you", "us": "you", "we're": "you're", "we've": "you've",
    "we'll": "you'll", "we'd": "you'd", "ourselves": "yourselves",
}  # fmt: skip
_OF_YOU = {"am": "are", "was": "were", "wasn't": "weren't"}
# "So was I"; "at 10 am I have a lesson" and "it was me" are as they are.
_TURNED = re.compile(r"(?<!\d)(?<!\d )\b(am|was|wasn't) I\b", re.I)
_YOU_AM = re.compile(r"\b(you(?: (?:\w+ly|still|never|always|just|also|ever))?) (am|wasn't|was)\b", re.I)
_SMALL_LETTERS = re.compile(
    r"(?:The|Today|Yesterday|Tomorrow|It|This|That|He|She|They|There|It's|A|An|On|In|At|Last|Next|Every|Because|Since|After|Before|When|No|You)\b"
)
_BETWEEN = re.compile(r"(?<=[.!?])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)(?<!\bProf\.)\s+(?=[A-Za-z\d])|\n+")
"""Between sentences; no title ends one."""
_LONGEST = 160


def _sentences(text: str) -> list[str]:
    """Without greetings, laughs and the request to remember. A single word stays with what it was said after ("We have a whippet. Bess.")."""
    parts = _BETWEEN.split(_CHAT.sub("", text.replace("’", "'")))
    said: list[str] = []
    for part in parts:
        words = _TRIGGER.sub("", _PREFIX.sub("", part.strip())).strip()
        if len(words.split()) > 1:
            said.append(words)
        elif words and said:
            said[-1] = f"{said[-1]} {words}"
    return said


def second_person(sentence: str) -> str | None:
    """ "I love my dog." -> "you love your dog"; None where the sentence is not plain enough to change who speaks."""
    if not _PLAIN.match(sentence[:1].lower() + sentence[1:]) and not _PLAIN.match(sentence):
        return None
    if len(sentence) > _LONGEST or _NOT_PLAIN.search(sentence) or _SHOUTS.search(sentence):
        return None
    turned = _TURNED.sub(lambda m: f"{_OF_YOU[m[1].lower()]} you", sentence)
    said = re.sub(r"[A-Za-z]+(?:'[A-Za-z]+)?", lambda m: m[0] if m[0] == "US" else _SWAPS.get(m[0].lower(), m[0]), turned).rstrip(" .!?")
    said = _YOU_AM.sub(lambda m: f"{m[1]} {_OF_YOU[m[2].lower()]}", said)
    return said[0].lower() + said[1:] if _SMALL_LETTERS.match(said) else said


# What was just said


def _echo(text: str, about: Sequence[str] = ()) -> str | None:
    said = [s for s in map(second_person, _sentences(text)) if s is not None and len(s) <= LONGEST_ECHO]
    return max((s for s in said if not about or any(word in s for word in about)), key=len, default=None)


def _noted(fact: Fact, kind: str, prompt: Prompt) -> str:
    text = prompt.text
    said, after = _echo(text, fact.object.split()), fitting(_AFTER[kind], _PROMISES, prompt, otherwise=_AFTER["relation"])
    return f"{choose(('So', 'Ah,', 'I see,'), text)} {said}. {after}" if said else f"Thanks for telling me. {after}"


def _felt(plan: Felt, prompt: Prompt) -> str:
    """To a feeling what fits it whatever happened, which is not repeated (as in Korean), then what is remembered of such a time. Nor is what was told
    without one, but what the person asks to remember."""
    text, label = prompt.text, plan.label
    named = _LIKE.get(label, label)
    named = named if named in _BARE else "sadness" if label in HEAVY else "joy" if label in WARM else "neutral"
    after = fresh(_NEXT[named], prompt.history, text, "next")
    if named != "neutral":
        again = retold(Answer(plan.before), prompt.at) if plan.before is not None else ":"
        before = (_BEFORE_WARM if label in WARM else _BEFORE_HEAVY).format(said=f" that {again}")
        return f"{fresh(_BARE[named], prompt.history, text)} {after if again.startswith(':') else before}"
    if prompt.decision.reason == "trigger":
        kept, said = fresh(_AFTER["kept"], prompt.history, text), _echo(text)
        return f"{choose(_SEEN, text).format(said)} {kept}" if said is not None else kept
    return fresh(TOLD, prompt.history, text) if prompt.decision.keep else f"{fresh(_BARE[named], prompt.history, text)} {after}"
