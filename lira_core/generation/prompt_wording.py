"""What a language says in a prompt. The languages' own words stand in their packs (`languages/*/prompting.py`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lira_core.reading.port import Verdict


@dataclass(frozen=True, slots=True)
class PromptWording:
    """`system`: the prefix that every user and turn shares. The others are what a turn may add.

    `newer`: that the memory `{number}` tells of the same thing, later. `verdicts`: what the reader found; `unanswered`:
    that it found no answer; `care`: the speaker may think of harming themselves; `retry`: the second try, `{words}` are what nothing supported.
    """

    system: str
    newer: str
    verdicts: Mapping[Verdict, str]
    unanswered: str
    care: str
    retry: str
