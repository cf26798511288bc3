"""Which of a session's earlier utterances an answer draws on, so that it can be deleted together with them."""

from __future__ import annotations

from collections.abc import Sequence

from lira_core.language import language_of
from lira_core.languages.terms import terms
from lira_core.types import Message


def quoted(reply: str, history: Sequence[Message]) -> list[str]:
    """The turns of `history` whose utterance shares a content word with the reply.

    Rather one too many: a reply that is deleted although it did not quote costs a line of the session, one that stays although it did
    breaks the promise that deleted means gone. So a Korean utterance is not parsed again: the forms of the reply's morphemes are
    looked for in its text.
    """
    said = set(terms(reply))
    return [message.turn_id for message in history if message.role == "user" and message.turn_id and _shares(message.content, said)]


def _shares(text: str, said: set[str]) -> bool:
    if language_of(text) == "en":
        return not said.isdisjoint(terms(text))
    lowered = text.lower()
    return any(term in lowered for term in said)
