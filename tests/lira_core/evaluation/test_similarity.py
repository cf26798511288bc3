from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lira_core.embedding.certainty import Certainty
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.port import Kind
from lira_core.evaluation.similarity import evaluate_similarity, fit_certainty, read_similarity_rows, spearman
from lira_core.evaluation.tsv import DataError

ROOT = Path(__file__).parents[3]
KORSTS = ROOT.parent / "shared" / "data" / "korsts" / "sts-dev.tsv"
HEADER = "genre\tfilename\tyear\tid\tscore\tsentence1\tsentence2"


class ByLength:
    """An angle for each text: its length in tenths of a radian."""

    def embed(self, texts: Sequence[tuple[Kind, str]]) -> NDArray[np.float32]:
        angles = np.array([len(text) / 10 for _, text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)


def write(path: Path, content: str) -> Path:
    path.write_bytes(content.encode("utf-8"))
    return path


def test_certainty_is_ranked_against_gold() -> None:
    rows = [("a", "a", 5.0), ("a", "bb", 4.0), ("a", "ccc", 3.0), ("a", "dddd", 1.0)]
    assert evaluate_similarity(ByLength(), Certainty(10, -4), rows) == {"spearman": 1.0, "rows": 4}
    assert evaluate_similarity(ByLength(), Certainty(10, -4), [(a, b, -g) for a, b, g in rows])["spearman"] == -1.0


def test_a_fit_puts_even_odds_between_what_is_and_what_is_not_about_the_same() -> None:
    rows = [("a", "a" * (1 + n), 4.0 if n < 6 else 0.5) for n in range(1, 11)]
    found = fit_certainty(ByLength(), rows)
    assert found.slope > 0
    assert found(float(np.cos(0.5))) > 0.5 > found(float(np.cos(0.7)))


@pytest.mark.parametrize(
    ("rows", "said"), [([("a", "aa", 4.0), ("a", "aaa", 3.0)], "others below it"), ([("a", "aa", 0.0), ("a", "aaa", 4.0)], "do not rise")]
)
def test_rows_that_nothing_can_be_fitted_to_are_refused(rows: list[tuple[str, str, float]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        fit_certainty(ByLength(), rows)


def test_tied_values_share_their_mean_rank() -> None:
    # ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4
    assert spearman(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 4])) == pytest.approx(4.5 / np.sqrt(4.5 * 5))


def test_a_constant_side_correlates_with_nothing() -> None:
    assert spearman(np.ones(3), np.array([1.0, 2, 3])) == 0


@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(-50, 50)), min_size=2, max_size=30))
def test_any_increasing_map_leaves_it_as_it_is(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array(pairs, np.float64).T
    assert spearman(a, b) == pytest.approx(spearman(np.exp(a / 20), b))
    assert spearman(a, b) == pytest.approx(spearman(b, a))
    assert -1 - 1e-9 <= spearman(a, b) <= 1 + 1e-9


def test_rows_come_as_they_are_written(tmp_path: Path) -> None:
    path = write(tmp_path / "sts.tsv", f'\ufeff{HEADER}\r\nmain\tf\t2012\t1\t3.800\t"한 남자\t남자"가 간다\r\n')
    with pytest.raises(DataError, match="two rows"):
        read_similarity_rows(path)
    path = write(tmp_path / "sts.tsv", f'\ufeff{HEADER}\r\nmain\tf\t2012\t1\t3.800\t"한 남자\t남자"가 간다\r\nmain\tf\t2012\t2\t0\ta\tb\textra\r\n')
    assert read_similarity_rows(path) == [('"한 남자', '남자"가 간다', 3.8), ("a", "b", 0.0)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: the header lacks score, sentence1, sentence2"),
        ("a\tb\n1\t2\n", "line 1: the header lacks"),
        (f"{HEADER}\nmain\tf\t2012\t1\t3.8\tonly one\n", "line 2: 6 columns, the header has 7"),
        (f"{HEADER}\nmain\tf\t2012\t1\thigh\ta\tb\n", "line 2: 'high' is no score"),
        (f"{HEADER}\nmain\tf\t2012\t1\tnan\ta\tb\n", "line 2: 'nan' is no score"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        read_similarity_rows(write(tmp_path / "sts.tsv", content))
    assert "sts.tsv" in str(error.value)


def test_the_bundled_encoder_scores_about_what_its_card_says() -> None:
    if not KORSTS.exists():
        pytest.skip(f"the evaluation data is not there: {KORSTS}")
    model = ROOT / "models" / "lira-encoder"
    rows = read_similarity_rows(KORSTS)[::15]
    assert evaluate_similarity(OnnxEncoder(model), Certainty.load(model), rows)["spearman"] > 0.7
