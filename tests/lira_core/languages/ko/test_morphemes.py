"""Morphemes and the terms by which a text is found, and how long this process remembers a text."""

from __future__ import annotations

import gc
import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from kiwipiepy import Kiwi

from lira_core.generation.knowledge import Answer
from lira_core.languages.en.terms import terms as english_terms
from lira_core.languages.ko import morphemes
from lira_core.languages.ko.morphemes import analyser, join, tokens
from lira_core.languages.ko.replies import retold
from lira_core.languages.terms import terms
from lira_core.memory.understanding import understand
from lira_core.recent import forget_all, recent
from lira_core.types import Memory

AT = datetime(2026, 10, 3, 9, tzinfo=ZoneInfo("Asia/Seoul"))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("나는 아메리카노를 제일 좋아해", {"아메리카노", "좋아하"}),
        ("혈액형이 뭐야", {"혈액형"}),
        ("My sister's dog loves running", {"sister", "dog", "love", "run"}),
    ],
)
def test_a_text_is_found_by_its_content_words(text: str, found: set[str]) -> None:
    assert found <= set(terms(text))


def test_particles_endings_and_stop_words_are_no_terms() -> None:
    assert not {"는", "를", "을", "있", "하"} & set(terms("나는 오늘 빵을 먹고 있어"))
    assert english_terms("what did the cat do") == ["cat"]


def test_a_run_of_nouns_is_found_written_apart_and_together() -> None:
    assert "혈액형" in terms("혈액 형이") or "혈액형" in terms("혈액형이")
    together = terms("영어학원에 다녀")
    assert {"영어", "학원", "영어학원"} <= set(together)


def test_joining_picks_the_particle_that_fits() -> None:
    assert [join([(word, "NNG"), ("을", "JKO")]) for word in ("빵", "커피")] == ["빵을", "커피를"]


class Counted:
    """The analyser, with a count of the texts it really analysed."""

    def __init__(self, real: Kiwi) -> None:
        self._real, self.texts = real, list[str]()

    def tokenize(self, text: str, **options: object) -> object:
        self.texts.append(text)
        return self._real.tokenize(text, **options)


def test_a_turn_analyses_its_text_once_until_it_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(analyser())
    monkeypatch.setattr(morphemes, "analyser", lambda: counted)
    forget_all()
    text = "주말에 보라매공원에서 연을 날렸어"
    first = tokens(text)
    understand(text, AT)
    assert terms(text)
    assert counted.texts == [text]
    forget_all()
    assert [t.form for t in tokens(text)] == [t.form for t in first]
    assert counted.texts == [text, text]


def test_after_forgetting_no_word_of_the_person_is_left_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked for in every string that the garbage collector can reach, caches of every kind among them."""
    monkeypatch.setattr(recent, "_seconds", 600.0)  # the search may take longer than people's words are kept
    name = "".join(("가온", "누리"))  # put together here, so that no constant of this file holds it
    said = f"제 친구 이름은 {name}이고 {name}랑 부산에서 살아요. 김{name[:2]}!"
    understood = understand(said, AT)
    told = retold(Answer(Memory("m", "u", said, AT, facts=understood.facts, terms=understood.terms)), AT)
    assert holders(name), "while it is remembered it has to be found, or the search is blind"
    del understood, told, said
    forget_all()
    assert holders(name) == []


def holders(word: str) -> list[str]:
    """Strings that hold the word, in every container and pattern that is alive."""
    gc.collect()
    found: list[str] = []
    waiting: list[object] = gc.get_objects()
    while waiting:
        one = waiting.pop()
        if isinstance(one, re.Pattern):
            one = (one.pattern,)
        inner = [*one.keys(), *one.values()] if isinstance(one, dict) else list(one) if isinstance(one, list | tuple | set | frozenset) else []
        found += [value for value in inner if isinstance(value, str) and word in value and value != word]
        # A tuple of plain values is no business of the collector, so that it is not among its objects.
        waiting += [value for value in inner if isinstance(value, tuple) and not gc.is_tracked(value)]
    return found


@pytest.mark.parametrize("text", ["내 이름은 민수야", "나는 정우야", "제 친구가 현우야."])
def test_a_name_that_is_told_of_a_subject_is_nobody_who_is_called(text: str) -> None:
    assert [(token.form, token.tag) for token in tokens(text) if token.tag[0] != "S"][-2:] == [("이", "VCP"), ("야", "EF")]


@pytest.mark.parametrize("text", ["민수야", "나는 집에 갔어 민수야", "오늘 힘들었어, 정우야"])
def test_who_is_called_after_what_is_told_or_alone_is_called(text: str) -> None:
    assert tokens(text)[-1].tag == "JKV"
