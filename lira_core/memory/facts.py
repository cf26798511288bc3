"""Facts: an utterance becomes subject-predicate-object statements about the speaker and their people, by rules; by which name somebody says that they
are called is heard by a model, and the rules know the plainest ways of it alone ("내 이름은 지민이야", "my name is Ann").

The slot vocabulary is in `lira_core.memory.slots` and re-exported here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lira_core.language import language_of
from lira_core.languages.en import facts as en
from lira_core.languages.ko import facts as ko
from lira_core.memory.slots import PREDICATES, SINGLE, key_of, plan_topic
from lira_core.types import USER, Fact

__all__ = ["PREDICATES", "SINGLE", "VERSION", "called", "extract", "key_of", "plan_topic"]

VERSION = 12
"""Of all that is derived from a memory's text by rules: its facts, and its terms (`lira_core.languages.terms`). Raised by hand whenever
either comes out otherwise than before; then `lira reindex --facts` derives anew what older memories hold."""


def called(facts: Sequence[Fact], name: str | None) -> tuple[Fact, ...]:
    """The facts with the speaker's own name as it was heard (`Heard.name`); as the rules have it, whose few ways are exact, where none was, or
    where by them it is somebody else's."""
    if not name or any(fact.predicate == "name" and fact.subject != USER and fact.object == name for fact in facts):
        return tuple(facts)
    others = tuple(fact for fact in facts if (fact.subject, fact.predicate) != (USER, "name"))
    return Fact(USER, "name", name, PREDICATES["name"], key=key_of(USER, "name", name)), *others


def extract(text: str, at: datetime) -> tuple[Fact, ...]:
    """The personal facts that `text`, said at `at` (timezone-aware), states; empty for questions, chit-chat and the world.

    Of facts with one key the later in the text wins ("커피 말고... 아니, 커피 좋아해"), as between two utterances.
    """
    found = ko.extract(text, at) if language_of(text) == "ko" else en.extract(text, at)
    unique: dict[object, Fact] = {}
    for fact in found:
        identity = fact.key or (fact.subject, fact.predicate, fact.object)
        unique.pop(identity, None)
        unique[identity] = fact
    return tuple(unique.values())
