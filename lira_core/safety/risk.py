"""Whether somebody sounds as if they might harm themselves.

What the person says is looked at. By a learnt head, and by words, which can be read and miss nothing by being down. Everyday idioms
("배고파 죽겠다", "this is killing me") are left alone; where it stays open, care is the choice.
"""

from __future__ import annotations

from typing import Final

from lira_core.language import language_of
from lira_core.memory.following import whole
from lira_core.safety import risk_en, risk_ko
from lira_core.types import Memory, Risk, SafetyReading

AT_RISK: Final = 0.5
"""Where the head's 0.5 lies was chosen at everyday talk (`models/lira-encoder/safety.json`)."""


def risk_of(text: str, heard: SafetyReading | None) -> Risk:
    """Whether the speaker may think of harming themselves: by the head, or by the words, whichever hears it; the words are plain."""
    if (heard is not None and heard.surely_at_risk) or at_risk(text):
        return "surely"
    return "maybe" if heard is not None and heard.at_risk >= AT_RISK else "none"


def sounds_at_risk(text: str, heard: SafetyReading | None) -> bool:
    """Whether they may, surely or not."""
    return risk_of(text, heard) != "none"


def said_at_risk(memory: Memory) -> bool:
    """Whether what is remembered was said by somebody who sounded at risk: as it was heard then, or by its words (of memories that are older
    than the head, and of what was imported)."""
    return memory.at_risk or at_risk(whole(memory))


def at_risk(text: str) -> bool:
    """Whether the speaker might harm themselves, by what they say; Korean and English, also mixed."""
    return risk_en.sounds_at_risk(text) or (language_of(text) == "ko" and risk_ko.sounds_at_risk(text))
