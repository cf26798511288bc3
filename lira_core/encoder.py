"""Which encoder the settings name, and how sure its cosines are, for whoever does not run it."""

from __future__ import annotations

import hashlib
import json
import re

from lira_core.embedding.certainty import Certainty
from lira_core.model_folder import encoder_id
from lira_core.settings import Settings
from lira_core.stores.ports import EncoderId


def encoder_of(settings: Settings) -> EncoderId:
    """The encoder whose index is asked. ModelError when the settings name none.

    Of an engine other than `onnx` it is engine, model and dimensions: a folder whose weights were changed under the same name is not told apart.
    """
    if settings.embedding_engine == "onnx":
        return encoder_id(settings.embedding_model_dir)
    model, dimensions = settings.embedding_model or "", settings.embedding_dimensions or 0
    digest = hashlib.sha256(json.dumps([settings.embedding_engine, model]).encode()).hexdigest()[:8]
    name = re.sub(r"[^A-Za-z0-9_-]", "-", model.rstrip("/").rpartition("/")[2])[:40]
    return EncoderId(f"{name}-{digest}-{dimensions}", dimensions)


def certainty_of(settings: Settings) -> Certainty:
    """What makes a probability of the encoder's cosines. ModelError where it lies in a folder and cannot be read."""
    if (given := settings.embedding_certainty) is not None and settings.embedding_engine != "onnx":
        return Certainty(given["slope"], given["intercept"])
    return Certainty.load(settings.embedding_model_dir)
