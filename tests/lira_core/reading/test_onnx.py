"""The bundled reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.model_folder import ModelError
from lira_core.reading.local import LocalReader
from lira_core.reading.onnx import OnnxReader
from lira_core.reading.port import ANSWERS, CANDIDATES, Candidate
from lira_core.settings import Settings

MODEL = Settings().reader_model_dir
TOLD = [
    Candidate("우리 이모부는 당뇨가 있으셔서 단 걸 못 드셔", 0.2),
    Candidate("엄마 생신이 12월 3일이야", 0.5),
    Candidate("나 요즘 퇴근하고 수영 다녀", 0.1),
    Candidate("강아지 이름은 보리고 푸들이야", 0.1),
]

READER = OnnxReader(MODEL)


@pytest.fixture
def reader() -> OnnxReader:
    return READER


def test_candidates_are_weighed_as_surely_as_they_are_read_however_many_there_are(reader: OnnxReader) -> None:
    question = "울 엄마 생신 언제더라?"
    assert reader.weigh(question, TOLD) == pytest.approx(reader.read(question, TOLD).sure, abs=1e-5)
    assert reader.weigh(question, []) == ()
    many = reader.weigh(question, TOLD * CANDIDATES)
    assert many[: len(TOLD)] == pytest.approx(many[-len(TOLD) :], abs=1e-5)


async def test_a_search_is_weighed_in_as_many_passes_as_it_takes() -> None:
    local = LocalReader(READER)
    weighed = await local.weigh("울 엄마 생신 언제더라?", TOLD * CANDIDATES)
    assert len(weighed) == len(TOLD) * CANDIDATES
    assert max(range(len(weighed)), key=weighed.__getitem__) % len(TOLD) == 1
    await local.close()


def test_the_statement_that_answers_is_named_with_its_words(reader: OnnxReader) -> None:
    reading = reader.read("울 엄마 생신 언제더라?", TOLD)
    assert max(range(len(TOLD)), key=reading.sure.__getitem__) == 1
    assert reading.sure[1] >= ANSWERS
    start, end = reading.spans[1]
    assert "3일" in TOLD[1].text[start:end]


def test_words_that_surely_answer_are_clear_and_those_of_another_question_are_not(reader: OnnxReader) -> None:
    told = [Candidate("오토바이는 중고 pcx 이름은 똘이", 0.6)]
    reading = reader.read("오토바이 이름은?", told)
    assert (told[0].text[slice(*reading.spans[0])].strip(), reading.clear) == ("똘이", (True,))
    assert reader.read("주말에 비 온대?", told).clear == (False,)


@pytest.mark.parametrize(
    ("told", "asked", "verdict"),
    [
        ("나 부산 살아", "나 대전 살아?", "no"),
        ("나 커피 좋아해", "나 커피 좋아해?", "yes"),
        ("저는 회사원이에요", "저 회사원이에요?", "yes"),
        ("우리 아빠 치과의사야", "우리 아빠 치과의사 맞지?", "yes"),
        ("I live in Leeds", "do I live in Leeds?", "yes"),
        ("I have a dog called Momo", "do I have a dog?", "yes"),
    ],
)
def test_what_was_told_plainly_and_is_asked_back_gets_its_yes_or_no(reader: OnnxReader, told: str, asked: str, verdict: str) -> None:
    assert reader.read(asked, [Candidate(told, 0.6)]).verdict == verdict


def test_what_was_told_with_more_beside_it_and_is_asked_back_is_not_denied(reader: OnnxReader) -> None:
    assert reader.read("금요일에 약속 있어?", [Candidate("금요일에 지은이랑 저녁 약속 있어", 0.6)]).verdict != "no"


def test_what_was_called_off_later_is_a_no(reader: OnnxReader) -> None:
    told = [Candidate("금요일에 회식이 있어", 0.6), Candidate("금요일 회식은 취소됐어", 0.5)]
    assert reader.read("금요일에 회식 있어?", told).verdict == "no"
    assert reader.read("금요일에 회식 있어?", told[:1]).verdict == "yes"


@pytest.mark.parametrize(
    ("earlier", "changing", "asked"),
    [
        ("28일에 동생이랑 제주도 가기로 했어", "제주도 취소됐어", "나 28일에 뭐 하기로 했었지?"),
        ("엄마랑 병원 가는 날은 수요일이야", "아 엄마 병원 금요일로 바뀌었어", "엄마랑 병원 가는 거 언제였지?"),
        ("I'm flying to Lisbon on the 3rd", "Lisbon is off, they cancelled the flight", "what am I doing on the 3rd?"),
    ],
)
def test_what_changes_the_surest_is_told_beside_it_and_what_speaks_of_something_else_is_not(
    reader: OnnxReader, earlier: str, changing: str, asked: str
) -> None:
    told = [Candidate(earlier, 0.6), Candidate("요즘 커피는 디카페인만 마셔", 0.2), Candidate(changing, 0.4), Candidate("오늘 김밥 먹었어", 0.1)]
    reading = reader.read(asked, told)
    assert reading.sure[0] >= ANSWERS
    assert reading.changed_by == (2, None, None, None)
    assert max(reading.sure[1], reading.sure[3]) < ANSWERS


def test_whether_a_later_statement_changes_an_earlier_one_does_not_depend_on_what_stands_beside_it(reader: OnnxReader) -> None:
    earlier, later = "금요일에 영화 보기로 했어", ["점심에 김밥 먹었어", "영화 토요일로 미뤘어", "강아지 이름은 보리고 푸들이야"]
    odds = reader.changes(earlier, later)
    assert int(odds.argmax()) == 1
    assert odds[1] == pytest.approx(reader.changes(earlier, later[1:2])[0], abs=0.01)
    assert len(reader.changes(earlier, [])) == 0


def test_what_changes_something_else_of_what_was_said_is_not_told_beside_it(reader: OnnxReader) -> None:
    told = [Candidate("누나 결혼식은 5월에 부산에서 하고 신랑은 동현이야", 0.6), Candidate("누나 결혼식 10월로 미뤘어", 0.4)]
    assert reader.read("누나 신랑 이름이 뭐였지?", told).changed_by == (None, None)
    assert reader.read("누나 결혼식 언제야?", told).changed_by == (1, None)


def test_what_changes_what_is_listed_is_looked_for_whatever_answers(reader: OnnxReader) -> None:
    told = [Candidate("제주도 가기로 했어", None), Candidate("제주도 취소됐어", None), Candidate("오늘 김밥 먹었어", None)]
    asked = "내 혈액형이 뭐라고 했지?"
    assert reader.read(asked, told).changed_by == (None, None, None)
    assert reader.read(asked, [replace(told[0], listed=True), *told[1:]]).changed_by == (1, None, None)


def test_the_newest_of_what_changes_it_counts(reader: OnnxReader) -> None:
    said = ["금요일에 영화 보기로 했어", "영화 토요일로 미뤘어", "영화 취소됐어", "점심에 김밥 먹었어"]

    def changed(*some: str) -> int | None:
        return reader.read("영화 언제 보지?", [Candidate(one, None, listed=True) for one in some]).changed_by[0]

    assert changed(*said) == 2
    assert changed(*said[:2]) == 1
    assert changed(said[0], said[3]) is None
    assert changed(said[3]) is None


def test_neither_yes_nor_no_is_said_where_they_are_about_as_likely(tmp_path: Path, model_copy: Callable[..., Path]) -> None:
    model_copy(MODEL, tmp_path, lambda c: c | {"says": {"temperature": 1000.0}})
    assert OnnxReader(tmp_path).read("나 부산 살아?", [Candidate("나 부산 살아", 0.6)]).verdict is None


def test_what_nobody_told_is_left_alone(reader: OnnxReader) -> None:
    assert max(reader.read("내 혈액형이 뭐라고 했지?", TOLD).sure) < ANSWERS


def test_a_cosine_counts_as_much_as_the_calibration_says(tmp_path: Path, model_copy: Callable[..., Path], reader: OnnxReader) -> None:
    model_copy(MODEL, tmp_path, lambda c: c | {"sure": c["sure"] | {"cosine": 8.0}})
    trusting = OnnxReader(tmp_path)
    near, far = (trusting.read("울 엄마 생신 언제더라?", [replace(TOLD[1], cosine=cosine)]).sure[0] for cosine in (0.6, 0.2))
    assert near > far


told = st.lists(st.text(max_size=80), min_size=1, max_size=12)


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=60), told)
def test_what_a_statement_says_to_a_question_does_not_depend_on_what_stands_beside_it(question: str, statements: list[str]) -> None:
    together = READER.compare(question, statements)
    for i, said in enumerate(statements):
        alone = READER.compare(question, [said])
        np.testing.assert_allclose(together.answers[i], alone.answers[0], atol=0.02)
        np.testing.assert_allclose(together.says[i], alone.says[0], atol=0.02)
        np.testing.assert_allclose(together.ends[i], alone.ends[0], atol=0.02)


@settings(deadline=None, max_examples=30)
@given(st.text(max_size=60), st.lists(st.tuples(st.text(max_size=120), st.none() | st.floats(-1, 1)), min_size=1, max_size=CANDIDATES))
def test_any_text_gets_probabilities_and_spans_within_it(question: str, told: list[tuple[str, float | None]]) -> None:
    reading = READER.read(question, [Candidate(*one) for one in told])
    assert len(reading.sure) == len(reading.spans) == len(told)
    assert all(0 <= sure <= 1 for sure in reading.sure)
    for (start, end), (text, _) in zip(reading.spans, told, strict=True):
        assert 0 <= start <= end <= len(text)


@pytest.mark.parametrize("count", [0, CANDIDATES + 1])
def test_more_or_fewer_candidates_than_it_was_made_for_are_refused(reader: OnnxReader, count: int) -> None:
    with pytest.raises(ValueError, match="candidates at once"):
        reader.read("내 이름이 뭐야?", [Candidate("말", None)] * count)


def test_a_very_long_memory_is_read_at_its_beginning(reader: OnnxReader) -> None:
    reading = reader.read("엄마 생신 언제야?", [Candidate("엄마 생신이 12월 3일이야. " + "그리고 오늘은 비가 왔어. " * 200, None)])
    assert reading.spans[0][1] <= 400


def test_a_folder_without_a_part_is_named(tmp_path: Path, model_copy: Callable[..., Path]) -> None:
    with pytest.raises(ModelError, match="LIRA_READER_MODEL_DIR"):
        OnnxReader(tmp_path)
    model_copy(MODEL, tmp_path, lambda c: {"trunk": c["trunk"]})
    with pytest.raises(ModelError, match="`sure`, `listed`, `says` or `changes` lacks a part"):
        OnnxReader(tmp_path)


async def test_the_local_reader_answers_as_the_engine_does(reader: OnnxReader) -> None:
    local = LocalReader(reader)
    assert await local.read("엄마 생신 언제야?", TOLD) == reader.read("엄마 생신 언제야?", TOLD)
    local.check()
    await local.close()


def test_what_names_the_subject_is_likelier_to_be_of_it_where_all_of_something_is_asked_for(reader: OnnxReader) -> None:
    said = "Paul is a priest, he is in Jharkhand"
    plain, named = reader.weigh("what have I said on Paul?", [Candidate(said, 0.1), Candidate(said, 0.1, named=1.0)], listing=True)
    assert named > plain
    alike = reader.weigh("what have I said on Paul?", [Candidate(said, 0.1), Candidate(said, 0.1, named=1.0)])
    assert alike[0] == pytest.approx(alike[1], abs=1e-6)
