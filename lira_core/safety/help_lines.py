"""What somebody at risk hears: care first, then where to turn at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lira_core.language import Language
from lira_core.types import Message


def care(language: Language) -> str:
    """What somebody at risk hears: care first, then where to turn at once.

    Help lines: 109 (suicide prevention, one number since January 2024) and 1577-0199 (mental health crisis), both day and night,
    Ministry of Health and Welfare of Korea.
    """
    if language == "ko":
        return (
            "그런 마음이 들 만큼 많이 힘드셨군요, 이렇게 말해 주셔서 고마워요. 혼자 견디지 마시고 지금 바로 자살예방상담전화 109나 "
            "정신건강위기상담전화 1577-0199로 전화해 주세요, 밤이든 낮이든 이야기를 들어 줘요. "
            "당장 위험하다고 느끼시면 119에 연락하시고, 곁에 있어 줄 사람에게도 꼭 알려 주세요."
        )
    return (
        "I'm so sorry you are in this much pain, and I'm glad you told me. You don't have to carry this alone: please call your local emergency "
        "number or a crisis line right now. If you can, stay near someone you trust and let them know how you feel."
    )


def is_care(message: Message) -> bool:
    """Whether this is what LIRA says to who sounds at risk."""
    return message.role == "lira" and message.content in _CARES


def since_care(messages: Sequence[Message]) -> Sequence[Message]:
    """Those after the last that was care: what was said at risk is put before nothing, with which it would be told back."""
    return messages[max((i + 1 for i, message in enumerate(messages) if is_care(message)), default=0) :]


_CARES: Final = frozenset((care("ko"), care("en")))
