"""Names and numbers of an English text, as an answer is checked by them."""

from __future__ import annotations

import pytest

from lira_core.languages.en.claims import names, numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("twenty-nine and 1,200.50", [29, 1200.5]),
        ("two hundred and five thousand", [205_000]),
        ("the 14th of three", [14, 3]),
        ("v2x and A4 paper", []),
        ("someone phoned", []),
    ],
)
def test_numbers_in_words_and_digits(text: str, values: list[float]) -> None:
    assert [one.value for one in numbers(text)] == values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Your sister Lauren moved to New York.", ["Lauren", "New", "York"]),
        ("Hello there. Marcus called.", []),
        ("You said: I like Dr. Patel's José-Maria.", ["Patel", "José-Maria"]),
        ("I'm fine, OK?", []),
    ],
)
def test_words_with_a_capital_that_begin_no_sentence(text: str, found: list[str]) -> None:
    assert [text[name.start : name.end] for name in names(text)] == found
