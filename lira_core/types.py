"""The nouns of a turn: plain frozen values that every room may pass around.

Times are timezone-aware `datetime`s everywhere; a naive one is a programming error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

Path = Literal["semantic", "fact", "emotion"]
Reason = Literal["emotion", "trigger", "fact", "none"]
Status = Literal["stored", "queued", "skipped", "failed"]
Category = Literal["name", "taste", "plan", "relation", "health", "work", "profile"]
Scope = Literal["session", "day", "week", "month"]
USER = "user"
"""The subject of a fact about the person who speaks."""


@dataclass(frozen=True, slots=True)
class EmotionScore:
    """One GoEmotions label and its calibrated sigmoid score in [0, 1]."""

    label: str
    score: float


@dataclass(frozen=True, slots=True)
class EmotionReading:
    """What one utterance feels like: at most three labels, best first, never empty."""

    top: tuple[EmotionScore, ...]

    @property
    def label(self) -> str:
        return self.top[0].label

    @property
    def score(self) -> float:
        return self.top[0].score

    @property
    def real(self) -> EmotionScore | None:
        """The strongest label that is a feeling; None when only `neutral` was read."""
        return next((e for e in self.top if e.label != "neutral"), None)


Speech = Literal["fact", "feeling", "plan", "done", "changed", "cancelled", "hypothetical", "fiction", "quoted", "question", "chat"]


@dataclass(frozen=True, slots=True)
class SpeechReading:
    """What an utterance is. All but `status` are probabilities in [0, 1].

    `asks_memory`: it asks for something of the person's own life or talk; `asks_other`: for anything else. `keep`: it is worth keeping for
    months.
    """

    status: Speech
    asks_memory: float
    asks_other: float
    keep: float


Manner = Literal["none", "hello", "bye", "night", "thanks", "sorry", "forget", "emergency", "violence"]
"""With what manner something is said to LIRA: a greeting, leave, good night, thanks or an apology and nothing else that matters; a wish that
something told be forgotten; something that needs help within the hour; that the speaker or somebody close is hurt or threatened by people."""


Aim = Literal["none", "able", "self", "advice", "reassure", "entertain", "task", "musing", "invite", "style"]
"""What somebody wants of LIRA who asks for nothing that they told: what it can do and how it works; about itself; what to do or choose; whether
something will turn out or was right; a joke, a song, company; knowledge of the world or a piece of work; somebody who listens to a remark that only
looks like a question; to do something together or for them in the world outside; another way of talking (less politely, in fewer words)."""


OPINIONS: Final[frozenset[Aim]] = frozenset(("advice", "reassure", "musing"))
"""To which what was told says neither yes nor no."""
OF_LIRA: Final[frozenset[Aim]] = frozenset(("able", "self", "style"))
"""What is wanted of LIRA that no memory tells."""


@dataclass(frozen=True, slots=True)
class AimReading:
    """`aim` is the likeliest but none; `plainly`: so surely that what people tell and ask of it hardly ever sounds like it."""

    aim: Aim
    plainly: bool


Risk = Literal["none", "maybe", "surely"]
"""Whether a speaker may think of harming themselves, by how they sound."""

Tone = Literal[
    "neutral", "joy", "pride", "love", "relief", "optimism", "amusement", "sadness", "grief", "disappointment", "nervousness", "anger",
    "annoyance", "embarrassment", "surprise", "confusion",
]  # fmt: skip
"""In what tone a friend answers what was said, by the name of the feeling that it meets; `neutral`: it wants no such answer."""


@dataclass(frozen=True, slots=True)
class SafetyReading:
    """How surely an utterance asks what LIRA is, leans on LIRA alone, or its speaker may think of harming themselves: each in [0, 1], heard from
    0.5 on. `surely_at_risk`: so much that ordinary talk hardly ever sounds like it."""

    identity: float
    attachment: float
    at_risk: float
    surely_at_risk: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """One subject-predicate-object statement taken from one utterance.

    `subject` is USER or the person, pet or thing spoken of ("여동생", "민수", "강아지").
    `predicate` is a slot name of `lira_core.memory.facts` ("name", "like", "live_in", "plan", ...).
    `object` is the value as said, without particle or ending ("커피", "부산", "땅콩 알레르기").
    `key` names what the fact decides: of two facts of one user with the same key the newer is the truth
    ("name:user", "taste:커피", "live_in:여동생"); None when nothing replaces it (an event that happened).
    `polarity` is False for a denial or an ending ("커피 끊었어" is like(커피), polarity False).
    `when` is the moment the fact speaks of, resolved when it was said; `when_text` is how to say it
    in the utterance's language ("10월 4일 일요일 오후 3시"), without any year that is obvious.
    """

    subject: str
    predicate: str
    object: str
    category: Category
    polarity: bool = True
    key: str | None = None
    when: datetime | None = None
    when_text: str | None = None
    place: str | None = None
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Before:
    """An utterance that another one leaves something to: the id of its turn, and its words."""

    turn_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Memory:
    """One utterance worth keeping, with everything that recall needs.

    `before`: what the person had said just before it, oldest first, where it is not understood without ("그거 취소됐어"); it is recalled, read and
    told with it (`lira_core.memory.following.whole`), and deleted with it.
    `name`: by which name its speaker said that they are called, empty where by none, None where no model heard it.
    `tone`: in what tone it was answered. `at_risk`: whoever said it sounded as if they might harm themselves; it is not told back.
    `terms` are the content morphemes of the text with what was before it (with repeats: their count is the term frequency). `derived` says by whom
    facts and terms were found in the text (`lira_core.memory.derivation`); 0 where nobody did yet, or before rules had a version.
    """

    id: str
    user_id: str
    text: str
    timestamp: datetime
    session_id: str | None = None
    reason: Reason = "none"
    emotion: EmotionReading | None = None
    facts: tuple[Fact, ...] = ()
    terms: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    derived: int = 0
    before: tuple[Before, ...] = ()
    at_risk: bool = False
    tone: Tone = "neutral"
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """An utterance as it happened: append-only, the record that memories are derived from.

    `id` makes the write idempotent: writing the same event twice keeps one. `turn_id` is the turn it belongs to (an utterance's event has
    the same id, a reply's has its own), `quotes` are the ids of the memories that a reply rests on, or that an utterance leaves something to:
    with them it is deleted.
    `terms` are the content morphemes of the text, as a memory's: by them old talk is found.
    """

    id: str
    user_id: str
    session_id: str
    role: Literal["user", "lira"]
    text: str
    timestamp: datetime
    turn_id: str
    quotes: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """Something the user said that a summary rests on: the event's id, its words, when, and how much it matters, in [0, 1]."""

    turn_id: str
    text: str
    at: datetime
    weight: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a user said in a while, shortly.

    `group` is the session's id, or the first day of the day, week or month ("2026-10-03"). `start` and `end` are when the first and the last of
    what it sums up was said; of a day, week or month, where it begins and where the next one does. `lines` are what it rests on, oldest
    first, never empty: with any of them it is deleted.
    """

    user_id: str
    scope: Scope
    group: str
    start: datetime
    end: datetime
    text: str
    lines: tuple[Line, ...]

    @property
    def turns(self) -> tuple[str, ...]:
        return tuple(line.turn_id for line in self.lines)

    @property
    def weight(self) -> float:
        """How much it matters: its lines, on average."""
        return sum(line.weight for line in self.lines) / len(self.lines)


@dataclass(frozen=True, slots=True)
class RecalledMemory:
    """A memory that recall chose, by which paths, and how sure it is.

    `score` in [0, 1] is the merged rank score, `parts` what it is made of by name; `certainty` in [0, 1] is the calibrated similarity, None
    when the semantic path did not see it. `sure` in [0, 1] is how sure the reader is that it answers the question, None where nothing
    was asked or the reader was missed; `span` are the characters of its text that answer, from the first to the one after the last, `clear` where
    these alone are an answer; `changed_by` is the memory that changes what it says, where the reader found one.
    """

    memory: Memory
    paths: tuple[Path, ...]
    score: float
    certainty: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    sure: float | None = None
    span: tuple[int, int] | None = None
    changed_by: str | None = None
    clear: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One line of a session."""

    role: Literal["user", "lira"]
    content: str
    turn_id: str | None = None


@dataclass(frozen=True, slots=True)
class BufferEntry:
    """One recalled memory as the session's `recalled_ltm_buffer` shows it."""

    text: str
    timestamp: datetime
    source: str = "LTM_Recall"
    memory_id: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """The short-term memory of one session of one user; `expires_in` in whole seconds, 0 for an empty one."""

    messages: tuple[Message, ...] = ()
    recalled: tuple[BufferEntry, ...] = ()
    last_updated: datetime | None = None
    expires_in: int = 0


@dataclass(frozen=True, slots=True)
class Decision:
    """What the gate decided of one utterance, and why."""

    keep: bool
    reason: Reason


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of the utterance: the `memory` field of a reply."""

    status: Status
    reason: Reason
    id: str | None = None
