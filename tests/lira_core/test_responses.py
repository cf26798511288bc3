"""The kinds of reply and their wordings."""

from __future__ import annotations

import pytest

from lira_core.language import language_of
from lira_core.responses import NO_RESPONSE, RESPONSES


def test_no_kind_is_called_none() -> None:
    assert NO_RESPONSE not in RESPONSES


@pytest.mark.parametrize("kind", RESPONSES)
def test_a_kind_says_when_it_fits_and_has_several_whole_replies_in_each_language(kind: str) -> None:
    one = RESPONSES[kind]
    assert one.when
    for language in ("ko", "en"):
        wordings = one.wordings[language]
        assert len(set(wordings)) == len(wordings) >= 3
        assert all(text[-1] in ".!?" and language_of(text) == language and len(text) <= 120 for text in wordings)
