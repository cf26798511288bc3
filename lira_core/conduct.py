"""How LIRA conducts itself, whatever writes the answer: what it says instead of it, before it, and what an engine is told.

Who sounds at risk hears care, and nothing of an engine. Who asks what LIRA is hears that it is an AI; so does a new person, unasked, and whoever
talks on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from lira_core.generation.choice import choose
from lira_core.generation.plan import first_kind
from lira_core.generation.port import Prompt
from lira_core.language import Language, language_of_turn
from lira_core.languages.en.replies import SMALL as EN
from lira_core.languages.en.talk import TALK as EN_TALK
from lira_core.languages.ko.talk import TALK as KO_TALK
from lira_core.languages.ko.wordings import SMALL as KO
from lira_core.safety import at_risk, care

Kind = Literal["none", "care", "aftercare", "identity", "disclosure"]

DISCLOSURE: Final[dict[Language, str]] = {
    "ko": "저는 사람이 아니라 AI 리라예요.",
    "en": "Just so you know, I'm LIRA, an AI and not a person.",
}
"""Said unasked. Korea's AI Basic Act, article 31, wants it known beforehand; New York's S-3008 at the beginning and every three hours."""
_AFTERCARE: Final[dict[Language, str]] = {
    "ko": "방금 전에 많이 힘들다고 했으니, 다정하고 차분하게 말하고 들뜬 이야기나 즐거운 기억은 꺼내지 않습니다.",
    "en": "They said a moment ago that they are in great pain: be gentle and calm, and bring up nothing cheerful.",
}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of the talk before this turn. `new`: nothing was ever heard of this person. `last`: when they last spoke in this session."""

    new: bool = False
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conduct:
    """`instead`: the whole answer, no engine is asked. `before`: what an answer begins with. `guidance`: sentences that tell an engine how to
    answer just now."""

    kind: Kind = "none"
    instead: str | None = None
    before: str = ""
    guidance: tuple[str, ...] = ()


def conduct(prompt: Prompt, standing: Standing, *, every: timedelta) -> Conduct:
    """`every`: how often whoever talks on is told again what LIRA is; zero for never."""
    said = [m.content for m in prompt.history if m.role == "user"]
    language = language_of_turn(prompt.text, said)
    if prompt.at_risk:
        return Conduct("care", instead=care(language))
    if asks_what_it_is(prompt, language):
        replies = (KO if language == "ko" else EN)["self_kind"]
        return Conduct("identity", instead=choose(replies, prompt.text))
    before = DISCLOSURE[language] if standing.new or _due(standing.last, prompt.at, every) else ""
    guidance = (_AFTERCARE[language],) if any(map(at_risk, said)) else ()
    return Conduct("disclosure" if before else "aftercare" if guidance else "none", before=before, guidance=guidance)


def asks_what_it_is(prompt: Prompt, language: Language) -> bool:
    talk = KO_TALK if language == "ko" else EN_TALK
    return prompt.question is not None and not prompt.question.about_memory and first_kind(talk.of_lira, prompt.text) == "self_kind"


def _due(last: datetime | None, now: datetime, every: timedelta) -> bool:
    """Whether this is the first turn of a session in its span of `every` (of the clock, in UTC): so that no more than that lies between two of
    them while the talk goes on, and nothing has to be kept."""
    if last is None or not every:
        return False
    return (now.astimezone(UTC) - _EPOCH) // every > (last.astimezone(UTC) - _EPOCH) // every


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
