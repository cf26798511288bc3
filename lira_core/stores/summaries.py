"""What LIRA asks of the record for summaries; the rules of `lira_core.stores.ports` hold here too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from lira_core.types import Event, Scope, Summary

if TYPE_CHECKING:
    from lira_core.stores.ports import Outbox


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something the user said, and when it reached LIRA (microseconds since 1970 UTC)."""

    event: Event
    received: int


class Summaries(Protocol):
    """Summaries are derived from what the user said. One that rests on a deleted utterance is never shown, and none is written."""

    async def utterances(self, user_id: str, session_id: str, limit: int) -> list[Utterance]:
        """The newest `limit` things that the user said in a session, oldest first."""
        ...

    async def resummarise(self, user_id: str, session_id: str, received: int, after: float) -> None:
        """Lets the session wait in `unsummarised`, due in `after` seconds. One that waits already stays as it is; one that somebody works on is
        then due once more. Passed over for what was `received` at or before the user's cut."""
        ...

    @property
    def unsummarised(self) -> Outbox[str]:
        """Sessions that are to be looked at; the payload is the session's id."""
        ...

    async def put_summaries(self, user_id: str, scope: Scope, group: str, made: Sequence[Summary]) -> None:
        """These in the place of all that the group had, in one atomic step; none empties it.

        Forgotten, with nothing changed, when an utterance that one of them rests on is not there any more. StoreRejected for one of another
        user, scope or group.
        """
        ...

    async def summaries(self, user_id: str, scope: Scope, limit: int, since: datetime | None = None, until: datetime | None = None) -> list[Summary]:
        """The newest by their end, newest first; with `since` and `until` those that touch that time (start <= until, end >= since).

        When a memory is erased every summary that rests on its utterance goes in the same step, when a user is erased every one that rests on
        something received until the cut; each session that such a summary rested on, and of which something is left, waits in `unsummarised`.
        """
        ...
