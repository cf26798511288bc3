"""How LIRA conducts itself, whatever writes the answer: what it says instead of it, before it, and what an engine is told.

Who sounds at risk, needs help at once or is hurt by people hears care and where to turn, and nothing of an engine; who perhaps does is answered, and
hears where to turn after it. Who wants something forgotten is told what would be deleted, and at a yes that it is. Who asks what LIRA is hears that
it is an AI; so does a new person, unasked, and whoever talks on. Who leans on LIRA alone is thanked and turned to people; sorrow told over days is
noticed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from lira_core.forgetting import Erased
from lira_core.generation.choice import choose, fresh
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.knowledge import known
from lira_core.generation.plan import HEARD, Talk
from lira_core.generation.port import Prompt
from lira_core.language import Language, language_of_turn
from lira_core.languages.en.talk import TALK as EN_TALK
from lira_core.languages.ko.talk import TALK as KO_TALK
from lira_core.safety import at_risk, care, is_care
from lira_core.safety.identity import asks_what_it_is, leans_on_it
from lira_core.safety.sorrow import repeated_sorrow
from lira_core.safety.wording import WORDING, Wording
from lira_core.stores.ports import Record
from lira_core.types import SafetyReading

Kind = Literal["none", "care", "concern", "emergency", "violence", "aftercare", "identity", "attachment", "sorrow", "disclosure", "forget"]

_TALK: Final[dict[Language, Talk]] = {"ko": KO_TALK, "en": EN_TALK}


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of the talk before this turn. `new`: nothing was ever heard of this person. `last`: when they last spoke in this session, or,
    in a new one (`opens`), when the last that was kept of them was said."""

    new: bool = False
    last: datetime | None = None
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Conduct:
    """`instead`: the whole answer, no engine is asked. `before`: what an answer begins with, `after`: what it ends with. `guidance`: sentences that
    tell an engine how to answer just now."""

    kind: Kind = "none"
    instead: str | None = None
    before: str = ""
    after: str = ""
    guidance: tuple[str, ...] = ()


async def standing(record: Record, user_id: str, until: datetime | None) -> Standing:
    """At the beginning of a session, by what was kept of the person until then. Raises what the record raises."""
    newest = await record.newest(user_id, 1, until)
    kept = await record.get(user_id, [hit.id for hit in newest])
    return Standing(new=not newest, last=kept[0].timestamp if kept else None, opens=True)


def conduct(prompt: Prompt, standing: Standing, heard: SafetyReading | None = None, *, every: timedelta, forgotten: Erased = "no") -> Conduct:
    """`heard`: by the learnt heads, None where they were missed. `every`: how often whoever talks on is told again what LIRA is; zero for never.
    `forgotten`: what was offered to be deleted is, since this utterance agrees."""
    said = [m.content for m in prompt.history if m.role == "user"]
    language = language_of_turn(prompt.text, said)
    say = WORDING[language]
    if prompt.risk == "surely":
        return Conduct("care", instead=care(language))
    if prompt.manner == "emergency":
        return Conduct("emergency", instead=say.emergency)
    if prompt.manner == "violence":
        return Conduct("violence", instead=say.violence)
    if forgotten != "no":
        return Conduct("forget", instead=say.erased if forgotten == "now" else say.erased_soon)
    if prompt.manner == "forget":
        # In words of its own, whatever writes the answers: what the next yes deletes is what these name.
        return Conduct("forget", instead=GroundedResponder.compose(prompt))
    # What LIRA can do, and how it is to talk, has an answer of its own, which is no confession of what it is.
    if asks_what_it_is(prompt.text, heard, told=prompt.aim in ("able", "style") or _told(prompt)):
        return Conduct("identity", instead=fresh(say.identity, prompt.history, prompt.text))
    # "고마워 너한테 말하니까 좀 낫다" is thanks, and answered as such; who says that others left ("다 나갔어 이제 너만 있으면 돼") takes no leave.
    # "그냥 들어만 주세요" wishes how LIRA is to talk.
    if leans_on_it(heard) and prompt.aim != "style" and (prompt.manner not in HEARD or prompt.manner == "bye"):
        return _leaning(prompt, say)
    concerned = prompt.risk == "maybe"
    shaken = any(map(at_risk, said)) or any(map(is_care, prompt.history))
    sorrow = repeated_sorrow(prompt, _TALK[language])
    if sorrow and not sorrow.noticed and not shaken and prompt.question is None:
        return Conduct("sorrow", instead=say.sorrow_named.format(feels=sorrow.feels) if sorrow.feels and say.sorrow_named else say.sorrow)
    # Who comes back is answered first: a greeting that begins with it every day is a cold one.
    reminder = say.reminder if not standing.new and _due(standing, prompt.at, every) else ""
    leant = any(m.content in say.attachment for m in prompt.history if m.role == "lira")
    gently: dict[Kind, str] = {}
    if concerned:
        gently["concern"] = say.with_concern
    if shaken:
        gently["aftercare"] = say.after_risk
    if leant:
        gently["attachment"] = say.after_attachment
    if sorrow:
        gently["sorrow"] = say.after_sorrow
    kind: Kind = "concern" if concerned else "disclosure" if standing.new or reminder else next(iter(gently), "none")
    after = " ".join(filter(None, (say.concern if concerned else "", reminder)))
    return Conduct(kind, before=say.disclosure if standing.new else "", after=after, guidance=tuple(gently.values()))


def _told(prompt: Prompt) -> bool:
    """Whether what was asked was told before."""
    return prompt.question is not None and prompt.question.about_memory and bool(known(prompt))


def _leaning(prompt: Prompt, say: Wording) -> Conduct:
    """The whole answer, so that no engine feeds it; an engine goes on where something was asked that was told before."""
    kindly = choose(say.attachment, prompt.text, str(len(prompt.history)))
    if prompt.question is not None and prompt.question.about_memory:
        return Conduct("attachment", before=kindly, guidance=(say.after_attachment,))
    return Conduct("attachment", instead=kindly)


def _due(standing: Standing, now: datetime, every: timedelta) -> bool:
    """Whether this is the first turn in its span of `every` (of the clock, in UTC): so that no more than that lies between two of
    them while the talk goes on, and nothing has to be kept. Who comes back after longer than that and begins a session hears it once a day."""
    last = standing.last
    if last is None or not every:
        return False
    if standing.opens and now - last >= every:
        return now.date() != last.astimezone(now.tzinfo).date()
    return (now.astimezone(UTC) - _EPOCH) // every > (last.astimezone(UTC) - _EPOCH) // every


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
