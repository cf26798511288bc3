"""Where a sentence of an answer ends, also while it is being written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.generation.sentences import Sentences, split


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("안녕하세요! 😊 반가워요.", ["안녕하세요! 😊 ", "반가워요."]),
        ("10월 4일이에요. 3시예요.", ["10월 4일이에요. ", "3시예요."]),
        ("It is 5 p.m. on Sunday. Mr. Kim knows.", ["It is 5 p.m. on Sunday. ", "Mr. Kim knows."]),
        ("키는 172.5 cm예요", ["키는 172.5 cm예요"]),
        ("", []),
    ],
)
def test_they_end(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


def test_a_sentence_is_known_to_have_ended_when_the_next_one_begins() -> None:
    stream = Sentences()
    assert stream.feed("네. ") == []
    assert stream.feed("커") == ["네. "]
    assert stream.finish() == "커"
    assert stream.finish() == ""


@given(st.lists(st.text(alphabet="가나A a.!?…\n3😊\"'", max_size=8)))
def test_joined_they_are_the_text_and_the_split_does_not_matter(pieces: list[str]) -> None:
    stream = Sentences()
    found = [one for piece in pieces for one in stream.feed(piece)]
    found += [rest for rest in [stream.finish()] if rest]
    assert "".join(found) == "".join(pieces)
    assert found == split("".join(pieces))
