"""What tests of the core share: the models, loaded once, and settings whose file is the test's own."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from lira_core import compose
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.reading.onnx import OnnxReader
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores


@dataclass(frozen=True)
class Engines:
    """The bundled models; blocking, and safe to share."""

    emotion: OnnxEmotion
    encoder: OnnxEncoder
    reader: OnnxReader


@pytest.fixture(scope="session")
def engines() -> Engines:
    settings = Settings()
    return Engines(OnnxEmotion(settings.emotion_model_dir), OnnxEncoder(settings.embedding_model_dir), OnnxReader(settings.reader_model_dir))


@pytest.fixture(autouse=True)
def _no_settings_from_outside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own LIRA_ variables reach a test; those of the stores' suite (LIRA_TEST_...) are for it alone."""
    if "stores" not in request.path.parts:
        for name in [name for name in os.environ if name.startswith("LIRA_")]:
            monkeypatch.delenv(name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path)


@pytest.fixture
async def opened(settings: Settings) -> AsyncIterator[Stores]:
    """The stores of `settings`, without a circuit before them."""
    stores = await compose.open_settled_stores(settings)
    yield stores
    await stores.close()


@dataclass
class Seen:
    """An Observer that keeps what it is told, as (name, tags)."""

    observed: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    counted: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    levels: dict[tuple[str, tuple[tuple[str, str], ...]], float] = field(default_factory=dict)

    def observe(self, name: str, value: float, **tags: str) -> None:
        assert value >= 0
        self.observed.append((name, tags))

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        assert amount > 0
        self.counted.append((name, tags))

    def gauge(self, name: str, value: float, **tags: str) -> None:
        self.levels[name, tuple(sorted(tags.items()))] = value


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture(scope="session")
def other_model(tmp_path_factory: pytest.TempPathFactory, model_copy: Callable[..., Path]) -> Path:
    """The folder of another encoder: the bundled one, centred a little otherwise."""

    def otherwise(calibration: dict[str, Any]) -> dict[str, Any]:
        calibration["centre"]["passage"]["ko"][0] += 0.001
        return calibration

    return model_copy(Settings().embedding_model_dir, tmp_path_factory.mktemp("models") / "e5-other", otherwise)


@pytest.fixture(scope="session")
def other_encoder(other_model: Path) -> OnnxEncoder:
    return OnnxEncoder(other_model)
