from datetime import datetime

import pytest

from lira_core.dates.finding import find

WEDNESDAY = datetime.fromisoformat("2026-11-25T10:00:00+00:00")


@pytest.mark.parametrize(
    "text",
    [
        "My mum died on Friday.",
        "Bram's bike was stolen on Saturday",
        "she turned five on Sunday",
        "I ran 5 km on Monday and 8 km today",
        "On Sunday I fell down the stairs",
        "I hit a deer on Monday",
        "I had to work on Sunday",
        "went to see mum on Friday",
        "we haven't talked since Sunday",
        "where did I go on Friday?",
        "My appointment was moved on Friday",
    ],
)
def test_what_happened_on_a_weekday_was_the_last_one(text: str) -> None:
    assert find(text, WEDNESDAY)[0].when < WEDNESDAY


@pytest.mark.parametrize(
    "text",
    [
        "We decided to meet on Friday",
        "I booked a table on Friday",
        "it got moved to Friday",
        "I've booked the dentist on Friday",
        "The wedding is planned on Saturday",
        "My mum called, I see her on Friday",
        "The landlord said we have to be out on Friday",
        "he was invited to dinner on Saturday",
        "I need to work on Sunday",
        "I've got a scan on Monday",
        "Got a scan on Monday",
        "I'm off on Friday because I was sick",
        "what am I doing on Friday?",
        "dinner on Friday",
    ],
)
def test_what_was_planned_or_booked_for_a_weekday_is_the_coming_one(text: str) -> None:
    assert find(text, WEDNESDAY)[0].when > WEDNESDAY
