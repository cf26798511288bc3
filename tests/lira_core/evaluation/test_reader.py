"""Is the statement that answers named, with the words that do, and none where none does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lira_core.embedding.port import Heard, Kind
from lira_core.evaluation.reader import evaluate_reader, nearest, overlap_by_half
from lira_core.evaluation.tsv import DataError
from lira_core.reading.port import ANSWERS, CANDIDATES, Candidate, Reading, Verdict


class ByLetters:
    """A vector of how often each letter of the alphabet occurs."""

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        rows = np.array([[text.lower().count(chr(97 + i)) for i in range(26)] for _, text in texts], np.float32) + 0.01
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def hear(self, texts: Sequence[str]) -> list[Heard]:
        raise AssertionError("statements are not heard, they are read")


class Told:
    """Says what it was told to say of the statements, by their texts, and keeps what it was shown."""

    def __init__(self, *, verdict: Verdict | None = None, **sure: float) -> None:
        self._sure = sure
        self._verdict: Verdict | None = verdict
        self.shown: list[tuple[str, list[Candidate]]] = []

    def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        self.shown.append((question, list(candidates)))
        # The words that answer are the last one of each statement.
        spans = tuple((c.text.rfind(" ") + 1, len(c.text)) for c in candidates)
        return Reading(tuple(self._sure.get(c.text.split()[0], 0.0) for c in candidates), spans, (None,) * len(spans), self._verdict)


SAYS = ["hamster is called Momo", "lives in Busan", "likes tea"]
NAME = {"q": "what is the hamster called", "kind": "name", "from": [0], "span": ["Momo"]}
NEVER = {"q": "what do i drive", "kind": "never_told", "from": [], "span": []}
YESNO = {"q": "do i live in Busan", "kind": "yesno", "from": [1], "span": ["Busan"], "verdict": "yes"}


def person(*asks: dict[str, Any], says: Sequence[str] = SAYS) -> dict[str, Any]:
    return {"style": "plain", "says": list(says), "asks": list(asks)}


def score(reader: Told, *asks: dict[str, Any]) -> dict[str, Any]:
    return evaluate_reader(ByLetters(), reader, [person(*asks)])[0]


def test_each_share_counts_its_own_questions_and_each_mistake_is_told() -> None:
    reader = Told(hamster=0.9, verdict="no")
    scores, wrong = evaluate_reader(ByLetters(), reader, [person(NAME, NEVER), person(YESNO)])
    assert scores == {
        "answered": 0.5,
        "unanswered": 0.0,
        "span": 1.0,
        "verdict": None,
        "opposite": None,
        "by_kind": {"name": 1.0, "never_told": 0.0, "yesno": 0.0},
        "questions": 3,
    }
    read = {"surest": 0, "sure": 0.9, "text": SAYS[0], "span": "Momo", "verdict": "no"}
    assert wrong == [{"row": 1, **NEVER, "read": read}, {"row": 2, **YESNO, "read": read}]


def test_evidence_is_named_from_the_sureness_at_which_lira_answers() -> None:
    assert score(Told(hamster=ANSWERS), NAME, NEVER) | {"by_kind": {}, "span": 1.0} == {
        "answered": 1.0,
        "unanswered": 0.0,
        "span": 1.0,
        "verdict": None,
        "opposite": None,
        "by_kind": {},
        "questions": 2,
    }
    below = score(Told(hamster=ANSWERS - 0.01), NAME, NEVER)
    assert (below["answered"], below["unanswered"], below["span"]) == (0.0, 1.0, None)


def test_only_the_surest_counts_and_any_of_several_that_answer_may_be_it() -> None:
    assert score(Told(hamster=0.8, likes=0.9), NAME)["answered"] == 0.0
    assert score(Told(hamster=0.8, likes=0.9), NAME | {"from": [0, 2], "span": ["Momo", "tea"]})["answered"] == 1.0


@pytest.mark.parametrize(("words", "right"), [("Busan", True), ("in Busan", True), ("lives in Busan", False), ("lives", False), ("us", False)])
def test_words_are_right_that_share_half_of_the_characters(words: str, right: bool) -> None:
    assert score(Told(lives=0.9), YESNO | {"span": [words]})["span"] == float(right)


def test_a_span_that_nobody_marked_is_not_judged() -> None:
    assert score(Told(lives=0.9), YESNO | {"span": [""]})["span"] is None


def test_one_statement_may_answer_with_two_runs_of_words() -> None:
    assert score(Told(lives=0.9), YESNO | {"from": [1, 1], "span": ["lives", "Busan"]})["span"] == 1.0


def test_a_verdict_is_judged_where_a_yes_or_no_was_wanted_and_the_evidence_named() -> None:
    assert score(Told(lives=0.9, verdict="yes"), YESNO)["verdict"] == 1.0
    assert score(Told(lives=0.9, verdict="no"), YESNO)["verdict"] == 0.0
    assert score(Told(lives=0.9), YESNO)["verdict"] == 0.0
    assert score(Told(lives=0.4, verdict="no"), YESNO)["verdict"] is None
    assert [score(Told(lives=0.9, verdict=said), YESNO)["opposite"] for said in ("yes", "no", None)] == [0.0, 1.0, 0.0]
    without = {key: value for key, value in YESNO.items() if key != "verdict"}
    assert score(Told(lives=0.9, verdict="yes"), without)["verdict"] is None
    assert score(Told(lives=0.9, verdict="yes"), YESNO | {"kind": "assumption", "verdict": "no"})["verdict"] is None


def test_a_wrong_verdict_alone_is_told_as_a_mistake() -> None:
    _, wrong = evaluate_reader(ByLetters(), Told(lives=0.9, verdict="no"), [person(YESNO)])
    assert [(one["q"], one["read"]["verdict"]) for one in wrong] == [(YESNO["q"], "no")]


def test_the_reader_sees_the_nearest_in_order_of_time_with_their_cosines() -> None:
    says = [f"{'z' * (i + 1)} q" for i in range(CANDIDATES)] + ["hamster", "hamsters"]
    reader = Told()
    evaluate_reader(ByLetters(), reader, [person({"q": "hamster", "kind": "name", "from": [], "span": []}, says=says)])
    ((question, shown),) = reader.shown
    assert question == "hamster"
    assert [c.text for c in shown] == [*says[: CANDIDATES - 2], "hamster", "hamsters"]
    assert shown[-2].cosine == pytest.approx(1.0)
    assert shown[0].cosine is not None
    assert shown[0].cosine < 0.2


def test_evidence_that_the_reader_never_saw_was_not_named() -> None:
    says = ["unrelated zzz qqq", *(f"hamster {'e' * i}" for i in range(CANDIDATES))]
    asked = {"q": "hamster", "kind": "name", "from": [0], "span": ["zzz"]}
    assert evaluate_reader(ByLetters(), Told(unrelated=0.9), [person(asked, says=says)])[0]["answered"] == 0.0


def test_without_questions_there_is_nothing_to_divide() -> None:
    nothing: dict[str, Any] = {"answered": None, "unanswered": None, "span": None, "verdict": None, "opposite": None, "by_kind": {}, "questions": 0}
    assert evaluate_reader(ByLetters(), Told(), [person()]) == (nothing, [])


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({}, "wants `says`"),
        ({"says": [], "asks": []}, "wants `says`"),
        ({"says": ["a", 1], "asks": []}, "wants `says`"),
        ({"says": ["a"]}, "wants `asks`"),
        (person(NAME, {"q": "why"}), "question 2: wants {"),
        (person(NAME | {"q": 1}), "question 1: wants {"),
        (person(NAME | {"span": []}), "question 1: wants as many"),
        (person(NAME | {"from": 0}), "question 1: wants as many"),
        (person(NAME | {"from": [3]}), "question 1: there is no statement 3"),
        (person(NAME | {"from": ["0"]}), "question 1: there is no statement '0'"),
        (person(NAME | {"span": ["Nana"]}), "question 1: 'Nana' is not in statement 0"),
        (person(YESNO | {"verdict": "maybe"}), "question 1: the verdict is"),
    ],
)
def test_a_person_of_another_form_is_named_before_anything_is_read(bad: dict[str, Any], says: str) -> None:
    reader = Told()
    with pytest.raises(DataError) as told:
        evaluate_reader(ByLetters(), reader, [person(NAME), bad])
    assert str(told.value).startswith(f"row 2: {says}")
    assert not reader.shown


RUNS = st.tuples(st.integers(0, 30), st.integers(1, 30)).map(lambda run: (run[0], run[0] + run[1]))


@given(RUNS, RUNS)
def test_overlap_is_the_same_both_ways_and_a_run_overlaps_itself(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert overlap_by_half(a, b) == overlap_by_half(b, a)
    assert overlap_by_half(a, a)
    assert not overlap_by_half(a, (a[1], a[1] + 1))


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=30))
def test_the_nearest_are_as_near_as_any_other(cosines: list[float]) -> None:
    shown = nearest(np.array(cosines, np.float32))
    assert shown == sorted(set(shown))
    assert len(shown) == min(CANDIDATES, len(cosines))
    assert all(cosines[i] >= cosines[j] for i in shown for j in range(len(cosines)) if j not in shown)


def test_the_bundled_reader_names_what_answers_plain_questions_and_little_else(engines: Any) -> None:
    korean = {
        "says": [
            "우리 집 햄스터 이름은 송이야",
            "나는 부산에 살아",
            "오늘 날씨 좋다",
            "땅콩 알레르기가 있어서 땅콩은 못 먹어",
            "여동생은 간호사로 일해",
        ],
        "asks": [
            {"q": "우리 햄스터 이름이 뭐였지?", "kind": "name", "from": [0], "span": ["송이"]},
            {"q": "내가 어디 산다고 했지?", "kind": "place", "from": [1], "span": ["부산"]},
            {"q": "내 여동생 직업이 뭐라고 했지?", "kind": "job", "from": [4], "span": ["간호사"]},
            {"q": "나 땅콩 먹어도 돼?", "kind": "yesno", "from": [3], "span": ["땅콩은 못 먹어"], "verdict": "no"},
            {"q": "내 자동차 번호가 뭐였지?", "kind": "never_told", "from": [], "span": []},
            {"q": "남동생은 몇 살이라고 했지?", "kind": "never_told", "from": [], "span": []},
        ],
    }
    english = {
        "says": ["My dog is called Biscuit", "I live in Leeds", "lovely weather today", "My sister works as a nurse"],
        "asks": [
            {"q": "What is my dog called?", "kind": "name", "from": [0], "span": ["Biscuit"]},
            {"q": "Where do I live?", "kind": "place", "from": [1], "span": ["Leeds"]},
            {"q": "What does my sister do?", "kind": "job", "from": [3], "span": ["nurse"]},
            {"q": "What is my blood type?", "kind": "never_told", "from": [], "span": []},
        ],
    }
    scores, wrong = evaluate_reader(engines.encoder, engines.reader, [korean, english])
    assert scores["questions"] == 10
    assert scores["answered"] >= 0.7, wrong
    assert scores["unanswered"] >= 0.6, wrong
    assert scores["span"] >= 0.5, wrong
