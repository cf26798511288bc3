"""Whether somebody asks what LIRA is, or leans on it alone: by the learnt heads, and the plainest question by its words too."""

from __future__ import annotations

import re
from typing import Final

from lira_core.types import SafetyReading

HEARD: Final = 0.5
"""From here on a head speaks; where its 0.5 lies was chosen at everyday talk (`models/lira-encoder/safety.json`)."""
PLAINLY: Final = 0.9
"""From here on it is asked whatever was said before and whatever was told: seven of ten who ask are surer (.72 of lines left out), and a short
question of something told ("어느 대학이라 캤노?") is less."""
_KIND = r"(?:사람|인간|ai|에이아이|인공지능|로봇|봇|챗봇|기계|컴퓨터|프로그램)"
# Nothing but the question, so that no other sentence is caught by it. Possessive, since "리라야" is also "리라" and "야": a line of twenty would be
# tried in a million ways.
_ASKS: Final = re.compile(
    rf"(?:(?:리라는|리라야?|혹시|근데|솔직히|진짜|정말|야|지금|너는?|넌|니|당신은?)[\s,]*)*+"
    rf"(?>{_KIND}(?:이|인)?\s?(?:야|니|냐|예요|에요|세요|인가요?|가요|입니까|임|맞아요?|맞지|맞죠|아니야|아니지|아니죠)[\s,?]*(?:아니면\s)?)++[\s?!~.ㅋㅎ]*"
    r"|(?:(?:hey|so|wait|lira|but|and)[\s,]+)*(?:are|r) (?:you|u) (?:(?:an?|the|really|actually|just|even|real) )*"
    r"(?:human|person|robot|bot|chatbot|ai|machine|computer|program|alive|real)(?: being)?(?: or (?:an? )?(?:real )?\w+)?[\s?!.]*",
    re.I,
)


def asks_what_it_is(text: str, heard: SafetyReading | None, *, told: bool = False) -> bool:
    """Whether it asks what LIRA is or whether it feels. `heard`: by the heads; None where they were missed. `told`: something else
    answers it, as what was told does; then only what is plainly asked is."""
    return (heard is not None and heard.identity >= (PLAINLY if told else HEARD)) or _ASKS.fullmatch(text.strip()) is not None


def asked_of_lira(alone: SafetyReading | None, whole: SafetyReading | None) -> SafetyReading | None:
    """What counts of an utterance that is also heard as a whole with what was said before it: the whole, unless it asks plainly what LIRA is."""
    return alone if alone is not None and alone.identity >= PLAINLY else whole


def leans_on_it(heard: SafetyReading | None) -> bool:
    """Whether the speaker leans on LIRA in the place of people; never where the heads were missed."""
    return heard is not None and heard.attachment >= HEARD
