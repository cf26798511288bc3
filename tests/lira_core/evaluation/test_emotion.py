from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lira_core.emotion.onnx import OnnxEmotion
from lira_core.evaluation.emotion import evaluate_emotion, f1, read_emotion_rows, read_labels
from lira_core.evaluation.tsv import DataError

ROOT = Path(__file__).parents[3]
DATA = ROOT.parent / "shared" / "data"
LABELS = ("joy", "sadness", "neutral")


class ByWord:
    """Claims a label whose name is in the text."""

    labels = LABELS

    def claimed(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([[label in text for label in LABELS] for text in texts]).reshape(len(texts), len(LABELS))


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode("utf-8"))
    return path


def test_f1_is_the_mean_over_labels_and_the_whole_over_cells() -> None:
    rows = [("joy", (0,)), ("joy sadness", (0,)), ("neutral", (1, 2)), ("x", (2,))]
    # joy 2 of 2, sadness 0, neutral: 1 hit, 1 claimed, 2 gold -> 2/3
    assert evaluate_emotion(ByWord(), rows) == {"macro_f1": round((1 + 0 + 2 / 3) / 3, 4), "micro_f1": round(2 * 3 / (5 + 4), 4), "rows": 4}


def test_a_labels_file_may_order_the_ids_its_own_way(tmp_path: Path) -> None:
    names = read_labels(write(tmp_path / "labels.txt", "neutral\r\njoy\r\nsadness\r\n"))
    rows = read_emotion_rows(write(tmp_path / "rows.tsv", "joy\t1\nsadness neutral\t0,2\n"), names)
    assert evaluate_emotion(ByWord(), rows, names) == {"macro_f1": 1.0, "micro_f1": 1.0, "rows": 2}


def test_a_label_that_the_model_lacks_is_named() -> None:
    with pytest.raises(DataError, match="'hunger'"):
        evaluate_emotion(ByWord(), [("a", (0,))], ["hunger"])


def test_rows_come_as_they_are_written(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.tsv", '\ufeff"quoted\t0,2\tid1\r\n\r\n한국어 "말"\u2028둘째 줄\t1\r\n')
    assert read_emotion_rows(path, LABELS) == [('"quoted', (0, 2)), ('한국어 "말"\u2028둘째 줄', (1,))]


def test_a_header_is_passed_over(tmp_path: Path) -> None:
    assert read_emotion_rows(write(tmp_path / "rows.tsv", "text\tlabels\na\t1\n"), LABELS) == [("a", (1,))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("good\t1\nno tab here\n", "line 2: needs text"),
        ("good\t1\nbad\tjoy\n", "line 2: 'joy' is no"),
        ("bad\t3\n", "line 1: '3' names a label beyond the 3"),
        ("bad\t-1\n", "line 1"),
        ("bad\t\n", "line 1"),
        ("", "no rows"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str, message: str) -> None:
    path = write(tmp_path / "rows.tsv", content)
    with pytest.raises(DataError, match=message) as error:
        read_emotion_rows(path, LABELS)
    assert "rows.tsv" in str(error.value)


def test_a_file_that_is_not_there_or_not_utf8_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.tsv"):
        read_emotion_rows(tmp_path / "none.tsv", LABELS)
    (tmp_path / "latin.tsv").write_bytes("안녕\t1".encode("cp949"))
    with pytest.raises(DataError, match="not UTF-8"):
        read_emotion_rows(tmp_path / "latin.tsv", LABELS)


def test_f1_of_nothing_is_nothing() -> None:
    per_label, overall = f1(np.zeros((2, 3), bool), np.zeros((2, 3), bool))
    assert per_label.tolist() == [0, 0, 0]
    assert overall == 0


@pytest.mark.parametrize(("folder", "micro"), [("goemotions", 0.5), ("goemotions_ko", 0.42)])
def test_the_bundled_model_scores_about_what_its_card_says(folder: str, micro: float) -> None:
    path = DATA / folder / "dev.tsv"
    if not path.exists():
        pytest.skip(f"the evaluation data is not there: {path}")
    engine = OnnxEmotion(ROOT / "models" / "lira-emotion")
    result = evaluate_emotion(engine, read_emotion_rows(path, engine.labels)[:200])
    assert result["rows"] == 200
    assert result["micro_f1"] > micro  # 200 rows hold too few of the rare labels for the macro figure
