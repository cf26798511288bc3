import shutil
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


def beside(tmp_path: Path, *, without: str = "") -> Path:
    """A folder of the encoder and what it stands on, by links."""
    for name in ("lira-encoder", "lira-emotion", "lira-trunk"):
        (tmp_path / name).mkdir()
        for file in (MODEL.parent / name).iterdir():
            if file.name != without:
                (tmp_path / name / file.name).symlink_to(file)
    return tmp_path / "lira-encoder"


def test_what_is_heard_brings_the_vector_that_it_is_kept_by(encoder: OnnxEncoder) -> None:
    texts = [text for _, text in TEXTS]
    heard, kept = encoder.hear(texts), encoder.embed([("passage", text) for text in texts])
    for one, vector in zip(heard, kept, strict=True):
        assert one.passage is not None
        assert np.abs(one.passage @ vector - 1) < 1e-4


def test_an_encoder_without_the_map_runs_a_text_again_as_a_passage_and_the_map_comes_near_to_that(encoder: OnnxEncoder, tmp_path: Path) -> None:
    plain = OnnxEncoder(beside(tmp_path, without="passage.npy"))
    passages = [("passage", text) for kind, text in TEXTS if kind == "passage"]
    again, mapped = plain.embed(passages), encoder.embed(passages)
    assert ((again * mapped).sum(1) > 0.8).all()
    assert not np.allclose(again, mapped, atol=1e-3)
    assert [one.passage for one in plain.hear(["산책했어"])] == [None]


def test_a_map_that_is_none_or_of_another_shape_is_named_with_the_setting(tmp_path: Path) -> None:
    folder = beside(tmp_path, without="passage.npy")
    (folder / "passage.npy").write_bytes(b"no array")
    with pytest.raises(ModelError, match=r"passage.npy cannot be used.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(folder)
    np.save(folder / "passage.npy", np.eye(3))
    with pytest.raises(ModelError, match=r"passage.npy cannot be used: it has the shape \(3, 3\).*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(folder)


def test_a_missing_folder_is_named_with_the_setting(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "broken",
    ["lira-encoder/model.int8.onnx", "lira-encoder/calibration.json", "lira-trunk/lower.onnx", "lira-trunk/upper.onnx", "lira-trunk/tokenizer.json"],
)
def test_a_broken_file_of_it_or_its_trunk_is_named_with_the_setting(tmp_path: Path, broken: str) -> None:
    beside(tmp_path)
    (tmp_path / broken).unlink()
    with pytest.raises(ModelError, match=rf"{broken} is missing.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "lira-encoder")
    (tmp_path / broken).write_text("{}")
    with pytest.raises(ModelError, match=rf"{broken} cannot be used.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "lira-encoder")


def test_a_trunk_without_its_weights_or_with_others_is_named_with_the_setting(tmp_path: Path) -> None:
    beside(tmp_path)
    shutil.rmtree(tmp_path / "lira-trunk")
    shutil.copytree(MODEL.parent / "lira-trunk", tmp_path / "lira-trunk")
    weights = tmp_path / "lira-trunk" / "model.int8.onnx"
    weights.write_bytes(b"{}")
    with pytest.raises(ModelError, match=r"weights are those in model.int8.onnx.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "lira-encoder")
    weights.unlink()
    with pytest.raises(ModelError, match=r"model.int8.onnx is missing.*LIRA_EMBEDDING_MODEL_DIR"):
        OnnxEncoder(tmp_path / "lira-encoder")
