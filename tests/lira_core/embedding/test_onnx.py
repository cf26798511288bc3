from pathlib import Path

import numpy as np
import pytest

from lira_core.embedding.certainty import Certainty
from lira_core.embedding.local import LocalEmbedder
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.port import Kind
from lira_core.model_folder import ModelError

MODEL = Path(__file__).parents[3] / "models" / "lira-encoder"
TEXTS: list[tuple[Kind, str]] = [
    ("query", "내 고양이 이름이 뭐야?"),
    ("passage", "우리 집 고양이 이름은 나비야."),
    ("passage", "어제 회사에서 회의가 길어졌어."),
    ("query", "짧다"),
    ("passage", "긴 문장 하나를 여기에 섞어 두면 나머지는 채움 토큰을 많이 얻게 되고, 그래도 값이 달라지면 안 된다. " * 3),
]


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(MODEL)


def test_vectors_are_normalised_and_as_wide_as_it_says(encoder: OnnxEncoder) -> None:
    vectors = encoder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), encoder.dimensions) == (5, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert encoder.name == "lira-encoder"


def test_a_question_lies_nearer_to_its_answer_than_to_another_statement(encoder: OnnxEncoder) -> None:
    question, answer, other = encoder.embed(TEXTS[:3])
    certainty = Certainty.load(MODEL)
    assert certainty(float(question @ answer)) > 0.7 > 0.3 > certainty(float(question @ other))


def test_a_vector_does_not_depend_on_what_else_is_in_the_batch(encoder: OnnxEncoder) -> None:
    together = encoder.embed(TEXTS)
    alone = np.vstack([encoder.embed([text]) for text in TEXTS])
    assert np.abs((together * alone).sum(1) - 1).max() < 1e-4


def test_a_query_and_a_passage_of_the_same_words_differ(encoder: OnnxEncoder) -> None:
    query, passage = encoder.embed([("query", "커피를 좋아해"), ("passage", "커피를 좋아해")])
    assert not np.allclose(query, passage, atol=1e-3)


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u200b", "😀" * 5, "가" * 5000, "\x00"])
def test_any_text_gets_a_finite_vector(encoder: OnnxEncoder, text: str) -> None:
    vectors = encoder.embed([("passage", text)])
    assert np.isfinite(vectors).all()


def test_no_texts_are_no_rows(encoder: OnnxEncoder) -> None:
    assert encoder.embed([]).shape == (0, 384)


async def test_the_local_embedder_gives_the_engine_s_vectors_in_order(encoder: OnnxEncoder) -> None:
    local = LocalEmbedder(encoder)
    assert np.abs((await local.embed(TEXTS) * encoder.embed(TEXTS)).sum(1) - 1).max() < 1e-4
    assert (await local.embed([])).shape == (0, 384)
    await local.close()


def test_a_missing_folder_is_named_with_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "broken", ["lira-encoder/model.int8.onnx", "lira-encoder/calibration.json", "lira-trunk/model.int8.onnx", "lira-trunk/tokenizer.json"]
)
def test_a_broken_file_of_it_or_its_trunk_is_named_with_the_setting(tmp_path: Path, broken: str) -> None:
    for name in ("lira-encoder", "lira-trunk"):
        (tmp_path / name).mkdir()
        for file in (MODEL.parent / name).iterdir():
            (tmp_path / name / file.name).symlink_to(file)
    (tmp_path / broken).unlink()
    with pytest.raises(ModelError, match=rf"{broken} is missing.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "lira-encoder")
    (tmp_path / broken).write_text("{}")
    with pytest.raises(ModelError, match=rf"{broken} cannot be used.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "lira-encoder")
