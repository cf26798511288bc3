"""The terms by which a text is found again."""

from __future__ import annotations

from lira_core.language import language_of
from lira_core.languages.en import terms as en
from lira_core.languages.ko import morphemes as ko


def terms(text: str) -> list[str]:
    """Its content words as stems, lower-cased, with repeats."""
    return en.terms(text) if language_of(text) == "en" else ko.terms(text)
