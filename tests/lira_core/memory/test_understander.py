"""What of a model's answer is believed, and what becomes of the rules' facts beside it."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.memory.facts import extract
from lira_core.memory.slots import PREDICATES
from lira_core.memory.understander import Extraction, Stated, believed, joined
from lira_core.memory.understander_openai import PROMPT
from lira_core.types import USER, Fact

from .answering import stated

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")


def one(text: str, **fields: str) -> Fact | None:
    found = believed(text, AT, [Stated(**stated(**fields))])
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("text", "fields", "object"),
    [
        ("나는 부산에 살아", {"predicate": "live_in", "object": "부산"}, "부산"),
        ("나는 부산에 살아", {"predicate": "live_in", "object": "부산에"}, "부산"),
        ("땅콩알레르기가 있어", {"predicate": "allergy", "object": "땅콩 알레르기"}, "땅콩알레르기"),
        ("땅콩  알레르기가 있어", {"predicate": "allergy", "object": "땅콩알레르기가"}, "땅콩 알레르기"),
        ("I live in Busan", {"predicate": "live_in", "object": "busan"}, "Busan"),
        ("나는 부산에 살아", {"predicate": "live_in", "object": "서울"}, None),
        ("I am 13", {"predicate": "age", "object": "3"}, None),
        ("I like teapots", {"predicate": "like", "object": "tea"}, None),
        ("나는 부산에 살아", {"predicate": "live_in", "object": " "}, None),
    ],
)
def test_an_object_is_taken_as_it_was_said_and_refused_where_it_was_not(text: str, fields: dict[str, str], object: str | None) -> None:
    fact = one(text, **fields)
    assert (fact.object if fact else None) == object


@pytest.mark.parametrize(
    ("text", "owner", "subject"),
    [
        ("내 여동생은 부산에 살아", "여동생", "여동생"),
        ("내 여동생은 부산에 살아", "내 여동생은", "여동생"),
        ("나는 부산에 살아", "나", USER),
        ("I live in 부산", "I", USER),
        ("My sister lives in 부산", "my sister", "sister"),
        ("나는 부산에 살아", "민수", None),
        ("나는 부산에 살아", "", None),
    ],
)
def test_whose_it_is_must_be_said_too(text: str, owner: str, subject: str | None) -> None:
    fact = one(text, owner=owner, predicate="live_in", object="부산")
    assert (fact.subject if fact else None) == subject


def test_what_is_only_supposed_is_no_fact_and_what_ended_is_denied() -> None:
    coffee = {"predicate": "like", "object": "커피"}
    assert one("커피 좋아했으면", **coffee, status="supposed") is None
    for status in ("ended", "denied"):
        fact = one("커피 끊었어", **coffee, status=status)
        assert fact is not None
        assert (fact.key, fact.polarity) == ("taste:커피", False)


def test_words_of_time_are_resolved_by_us_and_a_date_of_the_models_own_is_none() -> None:
    text = "내일 오후 3시에 치과 가야 하고 모레는 쉬어"
    fact = one(text, predicate="plan", object="치과", when="내일 오후 3시")
    assert fact is not None
    assert (fact.when, fact.when_text) == (datetime.fromisoformat("2026-10-04T15:00:00+09:00"), "10월 4일 일요일 오후 3시")
    later = one(text, predicate="plan", object="치과", when="모레")
    assert later is not None
    assert later.when_text == "10월 5일 월요일"
    invented = one(text, predicate="plan", object="치과", when="2027-01-01")
    assert invented is not None
    assert (invented.when, invented.when_text) == (None, None)
    english = one("My birthday is March 3", predicate="birthday", object="March 3", when="March 3")
    assert english is not None
    assert english.when_text == "March 3"


def test_what_is_of_something_says_of_what() -> None:
    text = "사물함 비밀번호는 1234고 제일 좋아하는 과일은 딸기야"
    code = one(text, predicate="attribute", object="1234", of="사물함 비밀번호")
    assert code is not None
    assert code.key == "attribute:user:사물함 비밀번호"
    assert one(text, predicate="attribute", object="1234", of="금고 번호") is None
    best = one(text, predicate="favorite", object="딸기", of="과일")
    assert best is not None
    assert best.key == "favorite:과일"


def test_where_both_fill_a_slot_the_rules_are_believed() -> None:
    text = "나는 부산에 살고 서울에서 일해"
    rules = extract(text, AT)
    assert "live_in:user" in {fact.key for fact in rules}
    model = believed(text, AT, [Stated(**stated(predicate="live_in", object="서울")), Stated(**stated(predicate="like", object="부산"))])
    assert joined(rules, model) == (*rules, model[1])


def test_a_predicate_that_is_none_and_fields_that_are_not_asked_for_are_refused() -> None:
    for wrong in (stated(predicate="enemy", object="x"), stated(predicate="like", object="x", id="1"), {"predicate": "like", "object": "x"}):
        with pytest.raises(ValueError):  # noqa: PT011 pydantic says which
            Extraction.model_validate({"facts": [wrong]})


def test_the_model_is_told_of_every_predicate() -> None:
    listed = PROMPT.partition("Predicates:\n")[2].partition("\n\n")[0]
    assert set(re.findall(r"[a-z_]+", re.sub(r"\([^)]*\)", "", listed))) == set(PREDICATES)


FIELD = st.text("가나다 내일3시서울ab.\n", max_size=8)
STATED = st.builds(
    Stated,
    owner=st.sampled_from(["user", "나", "여동생", "my dog"]) | FIELD,
    predicate=st.sampled_from(sorted(PREDICATES)),
    object=FIELD,
    of=FIELD,
    status=st.sampled_from(["holds", "ended", "denied", "supposed"]),
    when=FIELD | st.sampled_from(["내일", "3시", "내일 3시"]),
)


@given(st.text("가나다 내일3시서울ab.\n", max_size=40), st.lists(STATED, max_size=4))
def test_nothing_is_believed_that_was_not_said(text: str, answer: list[Stated]) -> None:
    for fact in believed(text, AT, answer):
        assert "".join(fact.object.split()).lower() in "".join(text.split()).lower()
        assert fact.subject == USER or "".join(fact.subject.split()).lower() in "".join(text.split()).lower()
        assert fact.key


@given(st.lists(STATED, max_size=4), st.lists(STATED, max_size=4))
def test_the_rules_facts_all_stay_and_no_slot_is_filled_twice(some: list[Stated], others: list[Stated]) -> None:
    text = "나는 내일 3시 서울 가나다 여동생 ab"
    rules = tuple({fact.key: fact for fact in believed(text, AT, some)}.values())
    both = joined(rules, believed(text, AT, others))
    assert both[: len(rules)] == rules
    assert len({fact.key for fact in both}) == len(both)
