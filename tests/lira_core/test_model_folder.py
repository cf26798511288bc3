"""Which encoder lies in a folder."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lira_core.model_folder import ModelError, encoder_id

CALIBRATION = {"centre": {"share": "0.8", "query": {"ko": [0.1, 0.2, 0.3]}, "passage": {"ko": [0.1, 0.2, 0.3]}}, "certainty": {"slope": 10}}


def changed(**certainty: Any) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(json.dumps(CALIBRATION))
    value["certainty"] |= certainty
    return value


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Makes a model's folder of the given name."""

    def make(name: str = "e5", weights: bytes = b"weights", calibration: Any = CALIBRATION, parent: str = "a") -> Path:
        place = tmp_path / parent / name
        place.mkdir(parents=True)
        (place / "model.int8.onnx").write_bytes(weights)
        (place / "calibration.json").write_text(json.dumps(calibration))
        return place

    return make


def test_an_encoder_is_named_after_its_folder_its_contents_and_its_dimensions(folder: Callable[..., Path]) -> None:
    encoder = encoder_id(folder())
    assert re.fullmatch(r"e5-[0-9a-f]{8}-3", encoder.name)
    assert encoder.dimensions == 3


def test_the_same_files_elsewhere_are_the_same_encoder(folder: Callable[..., Path]) -> None:
    assert encoder_id(folder(parent="a")) == encoder_id(folder(parent="b"))


def test_other_weights_are_another_encoder(folder: Callable[..., Path]) -> None:
    assert encoder_id(folder(parent="a")) != encoder_id(folder(parent="b", weights=b"other"))


def test_another_centring_is_another_encoder_since_it_makes_other_vectors(folder: Callable[..., Path]) -> None:
    other = changed()
    other["centre"]["query"]["ko"][0] = 0.11
    assert encoder_id(folder(parent="a")) != encoder_id(folder(parent="b", calibration=other))


def test_another_map_to_passages_is_another_encoder_since_it_makes_other_vectors(folder: Callable[..., Path]) -> None:
    mapped = folder(parent="b")
    (mapped / "passage.npy").write_bytes(b"a map")
    assert encoder_id(folder(parent="a")) != encoder_id(mapped)


def test_what_makes_no_other_vectors_makes_no_other_encoder(folder: Callable[..., Path]) -> None:
    calibrated_anew = {"certainty": {"slope": 12}, "centre": dict(reversed(CALIBRATION["centre"].items()))}
    assert encoder_id(folder(parent="a")) == encoder_id(folder(parent="b", calibration=calibrated_anew))


@pytest.mark.parametrize("name", ["내 모델 v1.2", "a" * 200, "e5/../x".replace("/", ":")])
def test_a_name_is_fit_to_be_part_of_an_indexs_name(folder: Callable[..., Path], name: str) -> None:
    encoder = encoder_id(folder(name))
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,63}", encoder.name)
    assert encoder.name.endswith("-3")


def test_a_link_to_a_folder_is_the_folder(folder: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "current").symlink_to(made := folder())
    assert encoder_id(tmp_path / "current") == encoder_id(made)


@pytest.mark.parametrize("calibration", [{}, [], {"centre": None}, {"centre": {"query": {}}}, {"centre": {"query": {"ko": 1}}}])
def test_a_calibration_that_is_none_names_the_setting(folder: Callable[..., Path], calibration: Any) -> None:
    with pytest.raises(ModelError, match="LIRA_EMBEDDING_MODEL_DIR="):
        encoder_id(folder(calibration=calibration))


@pytest.mark.parametrize("missing", ["model.int8.onnx", "calibration.json"])
def test_a_folder_that_lacks_a_file_is_named_with_the_setting(folder: Callable[..., Path], missing: str) -> None:
    place = folder()
    (place / missing).unlink()
    with pytest.raises(ModelError, match=rf"LIRA_EMBEDDING_MODEL_DIR={re.escape(str(place))} is no folder of an encoder.*{re.escape(missing)}"):
        encoder_id(place)


def test_a_calibration_that_is_not_json_is_named(folder: Callable[..., Path]) -> None:
    place = folder()
    (place / "calibration.json").write_text("{")
    with pytest.raises(ModelError, match="LIRA_EMBEDDING_MODEL_DIR"):
        encoder_id(place)


def test_the_bundled_encoder_is_what_the_index_says(engines: Any) -> None:
    from lira_core.settings import Settings

    encoder = encoder_id(Settings().embedding_model_dir)
    assert encoder.name.startswith("lira-encoder-")
    assert encoder.dimensions == engines.encoder.dimensions
