"""Reading an evaluation file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lira_core.evaluation.rows import lines_of, read_json_list, read_jsonl
from lira_core.evaluation.tsv import DataError


def write(path: Path, content: str) -> Path:
    path.write_text(content, "utf-8")
    return path


def test_each_line_is_a_row_and_empty_lines_are_passed_over(tmp_path: Path) -> None:
    assert read_jsonl(write(tmp_path / "a.jsonl", '{"text": "가"}\n\n  \n{"n": [1, null]}\n')) == [{"text": "가"}, {"n": [1, None]}]


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "has no rows"), ("\n\n", "has no rows"), ('{"a": 1}\n{"a"\n', "line 2: not JSON"), ("[1]\n", "line 1: wants a JSON object")],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as told:
        read_jsonl(write(tmp_path / "rows.jsonl", content))
    assert "rows.jsonl" in str(told.value)


def test_the_lines_of_a_session_are_rows_with_the_labels_that_each_has_one_of() -> None:
    session = {"style": "짧게", "lines": ["감기 걸림", "7시"], "after": [None, None], "tone": ["sadness", "neutral"], "seen": [1, 2, 3]}
    assert list(lines_of([session, {"text": "안녕", "tone": "neutral"}])) == [
        {"text": "감기 걸림", "after": None, "tone": "sadness"},
        {"text": "7시", "after": None, "tone": "neutral"},
        {"text": "안녕", "tone": "neutral"},
    ]


def test_an_array_of_objects_is_read_whole(tmp_path: Path) -> None:
    assert read_json_list(write(tmp_path / "a.json", '[{"a": 1}, {"b": "나"}]')) == [{"a": 1}, {"b": "나"}]


@pytest.mark.parametrize(("content", "message"), [("{", "not JSON"), ("{}", "wants a JSON array"), ("[]", "JSON array"), ("[1]", "of objects")])
def test_what_is_no_array_of_objects_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_json_list(write(tmp_path / "rows.json", content))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for read in (read_jsonl, read_json_list):
        with pytest.raises(DataError, match=r"none\.json"):
            read(tmp_path / "none.json")
