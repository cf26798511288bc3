"""What lies in a model's folder, for whoever looks at it without running the model."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lira_core.stores.ports import EncoderId

MODEL_FILE = "model.int8.onnx"
LOWER_FILE, UPPER_FILE = "lower.onnx", "upper.onnx"
"""Of a trunk: its lowest layers and the others, each a graph whose weights are those in MODEL_FILE."""
TOKENIZER_FILE = "tokenizer.json"
CALIBRATION_FILE = "calibration.json"
PASSAGE_FILE = "passage.npy"
"""Of an encoder that makes what is kept of what is heard: the affine map, (dimensions + 1, dimensions), float16, its last row the constant."""


class ModelError(RuntimeError):
    """A model directory that cannot be used; the message names the file and the setting to correct."""


def trunk_folder(folder: Path) -> Path | None:
    """Where the trunk lies on which the model of this folder stands: beside it, by the name in its calibration, or where
    that says. None for a whole model.

    OSError or ValueError when the calibration cannot be read.
    """
    return trunk_beside(folder, json.loads((folder / CALIBRATION_FILE).read_bytes()))


def trunk_beside(folder: Path, calibration: Mapping[str, Any]) -> Path | None:
    """As `trunk_folder`, of a folder whose calibration was read."""
    name = calibration.get("trunk")
    return folder.resolve().parent / name if name else None


def complete(folder: Path, setting: str) -> None:
    """ModelError, naming the setting, where a file of a model is missing in the folder, or one of the trunk that it stands on."""
    _existing(folder, (MODEL_FILE, CALIBRATION_FILE), setting)
    try:
        trunk = trunk_folder(folder)
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder / CALIBRATION_FILE} cannot be used: {error} (the directory is chosen by {setting})") from error
    _existing(trunk or folder, (MODEL_FILE, TOKENIZER_FILE, *((LOWER_FILE, UPPER_FILE) if trunk else ())), setting)


def _existing(folder: Path, files: tuple[str, ...], setting: str) -> None:
    if missing := [name for name in files if not (folder / name).is_file()]:
        raise ModelError(f"{folder / missing[0]} is missing: {setting} must name a folder with {' and '.join(files)}")


@functools.lru_cache(maxsize=8)
def encoder_id(folder: Path) -> EncoderId:
    """Which encoder lies in the folder: its name, the first 32 bits of the SHA-256 of its weights (its trunk's and its map's
    too) and centring, its dimensions.

    ModelError when it is none.
    """
    try:
        centre = json.loads((folder / CALIBRATION_FILE).read_bytes())["centre"]
        dimensions = len(centre["query"]["ko"])
        weights = b"".join((place / MODEL_FILE).read_bytes() for place in (folder, trunk_folder(folder)) if place)
        weights += (folder / PASSAGE_FILE).read_bytes() if (folder / PASSAGE_FILE).is_file() else b""
        digest = hashlib.sha256(weights + json.dumps(centre, sort_keys=True).encode()).hexdigest()[:8]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"LIRA_EMBEDDING_MODEL_DIR={folder} is no folder of an encoder and its calibration: {error}") from error
    return EncoderId(f"{re.sub(r'[^A-Za-z0-9_-]', '-', folder.resolve().name)[:40]}-{digest}-{dimensions}", dimensions)
