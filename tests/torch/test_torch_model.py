"""The engine against transformers itself, on small checkpoints made here."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.embedding.local import LocalEmbedder
from lira_core.embedding.transformers import TransformersEncoder
from lira_core.emotion.labels import EMOTIONS
from lira_core.emotion.local import LocalEmotion
from lira_core.emotion.transformers import TransformersEmotion
from lira_core.engines import check
from lira_core.model_folder import ModelError
from lira_core.model_settings import bundled_model
from lira_core.settings import Settings, load_settings
from lira_core.torch_model import MULTIPLE, Place, device_of, padded

Made = Callable[..., Path]
CPU = Place(device="cpu")
TEXTS = ["오늘 정말 너무 기뻤어", "I failed the exam again and cannot sleep", "ㅋㅋ", "점심 뭐 먹을까 " * 30, "   "]


@pytest.fixture(scope="module")
def several(made: Made) -> Path:
    """A classifier of several labels at once, as GoEmotions' are."""
    return made("BertForSequenceClassification", labels=list(EMOTIONS), problem_type="multi_label_classification")


@functools.cache
def _tokenizer(side: str) -> Any:
    file = str(bundled_model("lira-trunk") / "tokenizer.json")
    return transformers.PreTrainedTokenizerFast(tokenizer_file=file, pad_token="<pad>", padding_side=side)


@settings(deadline=None)
@given(rows=st.lists(st.lists(st.integers(2, 40_000), min_size=1, max_size=40), min_size=1, max_size=20), left=st.booleans())
def test_rows_are_padded_as_the_tokenizer_pads_them(rows: list[list[int]], left: bool) -> None:
    tokenizer = _tokenizer("left" if left else "right")
    wanted = tokenizer.pad({"input_ids": rows}, pad_to_multiple_of=MULTIPLE, return_tensors="np")
    ids, seen = padded(rows, tokenizer.pad_token_id, left=left)
    assert (ids == wanted["input_ids"]).all()
    assert (seen == wanted["attention_mask"]).all()


def test_the_scores_are_those_of_the_plain_pipeline(several: Path) -> None:
    found = TransformersEmotion(str(several), {}, CPU)._map.scores(TransformersEmotion(str(several), {}, CPU)._model.run(TEXTS[:4]))
    pipeline = transformers.pipeline("text-classification", model=str(several), device="cpu", top_k=None)
    for row, told in zip(found, pipeline(TEXTS[:4], truncation=True, max_length=256), strict=True):
        assert row == pytest.approx([{one["label"]: one["score"] for one in told}[label] for label in EMOTIONS], abs=1e-4)


def test_one_label_of_several_is_a_softmax(made: Made) -> None:
    engine = TransformersEmotion(str(made("BertForSequenceClassification", labels=["joy", "anger", "neutral"])), {}, CPU)
    assert engine._model.run(TEXTS).sum(axis=1) == pytest.approx(1.0)
    assert engine.labels == ("anger", "joy", "neutral")


async def test_what_is_read_together_is_what_is_read_alone(several: Path) -> None:
    engine = TransformersEmotion(str(several), {}, CPU)
    local = LocalEmotion(engine)
    together = await asyncio.gather(*(local.read(text) for text in TEXTS))
    assert local.tokens == 0
    await local.close()
    for text, found in zip(TEXTS, together, strict=True):
        (alone,) = engine.read([text])
        assert [one.label for one in found.top] == [one.label for one in alone.top]
        assert [one.score for one in found.top] == pytest.approx([one.score for one in alone.top], abs=1e-4)


def test_other_labels_are_read_as_the_28(made: Made) -> None:
    folder = made("BertForSequenceClassification", labels=["happiness", "rage", "Anger", "bored"])
    engine = TransformersEmotion(str(folder), {"happiness": "joy", "rage": "anger", "bored": None}, CPU)
    assert engine.labels == ("anger", "joy")
    with pytest.raises(ModelError, match="LIRA_EMOTION_LABELS does not cover the model's labels 'happiness', 'rage', 'bored'"):
        TransformersEmotion(str(folder), {}, CPU)


def test_a_model_of_several_labels_claims_from_one_half_on(several: Path) -> None:
    engine = TransformersEmotion(str(several), {}, CPU)
    texts = TEXTS[:3]
    assert (engine.claimed(texts) == (engine._map.scores(engine._model.run(texts)) >= 0.5)).all()
    assert engine.claimed(texts).any()


def test_a_model_of_one_label_claims_its_strongest_and_nothing_where_that_is_left_out(made: Made) -> None:
    folder = str(made("BertForSequenceClassification", labels=["joy", "anger", "neutral"]))
    engine = TransformersEmotion(folder, {}, CPU)
    texts = TEXTS[:3]
    strongest = engine._model.run(texts).argmax(axis=1)
    assert engine.claimed(texts).sum(axis=1).tolist() == [1] * len(texts)
    assert [engine.labels[i] for i in engine.claimed(texts).argmax(axis=1)] == [("joy", "anger", "neutral")[i] for i in strongest]
    left_out = ("joy", "anger", "neutral")[strongest[0]]
    assert not TransformersEmotion(folder, {left_out: None}, CPU).claimed(texts[:1]).any()


@pytest.mark.parametrize("pooling", [None, "mean", "cls", "lasttoken"])
def test_vectors_are_pooled_as_the_model_says(made: Made, pooling: str | None) -> None:
    folder = made("BertModel")
    if pooling:
        (folder / "1_Pooling").mkdir()
        modes = {"cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens", "lasttoken": "pooling_mode_lasttoken"}
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({mode: name == pooling for name, mode in modes.items()}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "query: ", "document": "passage: "}}))
    found = TransformersEncoder(str(folder), 32, CPU).embed([("query", text) for text in TEXTS] + [("passage", TEXTS[0])])
    model, tokenizer = transformers.AutoModel.from_pretrained(folder).eval(), transformers.AutoTokenizer.from_pretrained(folder)
    said = [f"query: {text.strip() or '.'}" for text in TEXTS] + [f"passage: {TEXTS[0]}"]
    for row, text in zip(found, said, strict=True):
        with torch.inference_mode():
            states = model(**tokenizer(text, return_tensors="pt", truncation=True, max_length=256)).last_hidden_state[0]
        expected = {"cls": states[0], "lasttoken": states[-1]}.get(pooling or "", states.mean(0))
        assert row == pytest.approx((expected / expected.norm()).numpy(), abs=1e-4)


async def test_an_utterance_is_heard_as_a_query(made: Made) -> None:
    engine = TransformersEncoder(str(made("BertModel")), 32, CPU)
    local = LocalEmbedder(engine)
    heard, vectors = await local.hear(TEXTS[0]), await local.embed([("query", TEXTS[0]), ("passage", TEXTS[1])])
    assert heard.vector == pytest.approx(vectors[0], abs=1e-5)
    assert heard.speech is None
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0)
    await local.close()


def test_half_precision_tells_nearly_the_same(several: Path) -> None:
    full, half = (TransformersEmotion(str(several), {}, Place("cpu", precision))._model.run(TEXTS) for precision in ("fp32", "bf16"))  # type: ignore[arg-type]
    assert half.dtype == np.float32
    assert np.abs(full - half).mean() < 0.05


def test_a_compiled_model_tells_the_same(made: Made) -> None:
    folder = made("BertForSequenceClassification", labels=["joy", "anger"], num_hidden_layers=1)
    plain, compiled = (TransformersEmotion(str(folder), {}, Place("cpu", compile=on))._model.run(TEXTS) for on in (False, True))
    assert compiled == pytest.approx(plain, abs=1e-4)


def test_a_batch_never_exceeds_the_budget(several: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = TransformersEmotion(str(several), {}, Place("cpu", batch_tokens=64))._model
    sizes: list[tuple[int, int]] = []
    infer = model.infer
    monkeypatch.setattr(model, "infer", lambda rows: (sizes.append((len(rows), max(map(len, rows)))), infer(rows))[1])
    assert len(model.run(TEXTS * 3)) == 15
    assert all(rows == 1 or rows * longest <= 64 for rows, longest in sizes)
    assert max(rows for rows, _ in sizes) > 1


def test_a_vector_of_another_dimension_is_refused(made: Made) -> None:
    with pytest.raises(ModelError, match=r"LIRA_EMBEDDING_DIMENSIONS=384, and the vectors of .* have 32"):
        TransformersEncoder(str(made("BertModel")), 384, CPU)


def test_a_pooling_that_lira_does_not_have_is_refused(made: Made) -> None:
    folder = made("BertModel")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(ModelError, match=r"LIRA_EMBEDDING_MODEL=.*pooling_mode_max_tokens"):
        TransformersEncoder(str(folder), 32, CPU)


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_a_folder_without_a_file_is_refused(made: Made, file: str) -> None:
    folder = made("BertForSequenceClassification", labels=["joy"])
    (folder / file).unlink()
    with pytest.raises(ModelError, match=f"LIRA_EMOTION_MODEL={folder}: it cannot be loaded"):
        TransformersEmotion(str(folder), {}, CPU)


def of_transformers(emotion: Path, embedding: Path, **more: Any) -> Settings:
    named = {"emotion_model": str(emotion), "embedding_model": str(embedding), "embedding_dimensions": 32, "device": "cpu"}
    engines = {"emotion_engine": "transformers", "embedding_engine": "transformers", "embedding_certainty": {"slope": 1.0, "intercept": 0.0}}
    return load_settings(**(engines | named | more))


def test_what_cannot_be_is_said_before_a_model_is_loaded(made: Made) -> None:
    emotion, embedding = made("BertForSequenceClassification", labels=["joy", "bored"]), made("BertModel")
    check(of_transformers(emotion, embedding, emotion_labels={"bored": None}))
    with pytest.raises(ModelError, match="LIRA_EMOTION_LABELS does not cover the model's labels 'bored'"):
        check(of_transformers(emotion, embedding))
    with pytest.raises(ModelError, match=r"LIRA_EMBEDDING_DIMENSIONS=384, and the vectors of .* have 32"):
        check(of_transformers(emotion, embedding, emotion_labels={"bored": None}, embedding_dimensions=384))
    (embedding / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=f"LIRA_EMBEDDING_MODEL={embedding}: it cannot be loaded .*no weights"):
        check(of_transformers(emotion, embedding, emotion_labels={"bored": None}))
    (emotion / "config.json").unlink()
    with pytest.raises(ModelError, match=f"LIRA_EMOTION_MODEL={emotion}: it cannot be loaded"):
        check(of_transformers(emotion, embedding))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_where_none_is_is_refused() -> None:
    with pytest.raises(ModelError, match="LIRA_DEVICE=cuda, and torch sees no GPU"):
        device_of(Place(device="cuda"))
    assert device_of(Place()).type == "cpu"


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
async def test_on_cuda_two_batches_in_flight_tell_what_the_cpu_tells(several: Path) -> None:
    engine = TransformersEmotion(str(several), {}, CPU)
    local = LocalEmotion(TransformersEmotion(str(several), {}, Place("cuda", "fp32", batch_tokens=256)))
    found = await asyncio.gather(*(local.read(text) for text in TEXTS * 20))
    await local.close()
    for told, expected in zip(found, engine.read(TEXTS) * 20, strict=True):
        assert told.top[0].score == pytest.approx(expected.top[0].score, abs=1e-3)
