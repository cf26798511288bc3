"""The settings of the models: which there are, what runs them, and where."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode

PREFIX = "LIRA_"


def bundled_model(name: str) -> Path:
    """Where a model of `models/` lies, in a checkout as in an installed wheel."""
    spec = importlib.util.find_spec("lira_models")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if (Path(place) / name).is_dir():
            return Path(place) / name
    return Path(__file__).resolve().parent.parent / "models" / name


class ModelSettings(BaseSettings):
    """The part of the tree that `lira_core.settings` puts first."""

    embedding_model_dir: Path = Field(default_factory=lambda: bundled_model("lira-encoder"), description="Folder of the encoder (ONNX).")
    reader_model_dir: Path = Field(default_factory=lambda: bundled_model("lira-reader"), description="Folder of the reader (ONNX).")
    emotion_model_dir: Path = Field(default_factory=lambda: bundled_model("lira-emotion"), description="Folder of the emotion model (ONNX).")

    # Other engines for them (docs/models.md)
    emotion_engine: Literal["onnx", "transformers"] = Field(
        "onnx", description="What reads emotion: `onnx` the folder above, `transformers` any classifier of Hugging Face (`pip install 'lira[gpu]'`)."
    )
    emotion_model: str | None = Field(None, description="Of `transformers`: the classifier, an id on the Hub or a folder.")
    emotion_labels: Annotated[dict[str, str | None], NoDecode] = Field(
        default_factory=dict,
        description="Its labels as some of the 28, as a JSON object; null leaves one out, and one that has the name of an emotion needs no mention: "
        '`{"happiness": "joy", "LABEL_7": null}`.',
    )
    embedding_engine: Literal["onnx", "transformers", "cohere"] = Field(
        "onnx", description="What embeds: `onnx` the folder above, `transformers` any encoder of Hugging Face, `cohere` Cohere's API."
    )
    embedding_model: str | None = Field(
        None, description="Of `transformers`: the encoder, an id on the Hub or a folder. Of `cohere`: the model's name, such as `embed-v4.0`."
    )
    embedding_dimensions: int | None = Field(
        None, ge=1, description="Of an engine other than `onnx`: numbers in a vector. The index is made for them before any model runs."
    )
    embedding_certainty: Annotated[dict[str, float] | None, NoDecode] = Field(
        None,
        description="Of an engine other than `onnx`: what makes a probability of its cosines, as a JSON object such as "
        '`{"slope": 14.2, "intercept": -9.1}`; `lira eval similarity FILE --fit` finds it.',
    )
    embedding_url: str = Field("https://api.cohere.com", description="Of `cohere`: where the API is.")
    embedding_api_key: SecretStr | None = Field(None, description="Of `cohere`: the key. Never logged.")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="Of `transformers`: where it runs. `auto` takes CUDA where there is some; `cuda` stops the start where there is none."
    )
    precision: Literal["auto", "fp32", "fp16", "bf16"] = Field("auto", description="Of `transformers`: `auto` is bf16 on CUDA and fp32 on a CPU.")
    compile: bool = Field(
        False, description="Of `transformers`: `torch.compile`; the first batches then take minutes, and a C++ compiler has to be there."
    )
    batch_tokens: int = Field(
        16_384, ge=256, description="Of `transformers`: rows times longest row of one batch, at most: 512 texts of 32 tokens, or 64 of 256."
    )
    batch_wait_ms: float = Field(
        5,
        ge=0,
        le=1_000,
        description="Of `transformers` on CUDA: a batch that is not full waits at most so long behind another. An idle GPU never waits.",
    )

    @field_validator("emotion_labels", "embedding_certainty", mode="before")
    @classmethod
    def _object(cls, given: object) -> object:
        try:
            told = json.loads(given) if isinstance(given, str) else given
        except ValueError:
            told = given
        if told is not None and not isinstance(told, dict):
            raise ValueError('is no JSON object; write one such as {"happiness": "joy"} or {"slope": 14.2, "intercept": -9.1}')
        return told

    @field_validator("embedding_certainty")
    @classmethod
    def _certain(cls, given: dict[str, float] | None) -> dict[str, float] | None:
        if given is not None and (set(given) != {"slope", "intercept"} or not given["slope"] > 0):
            raise ValueError('needs a slope above 0 and an intercept, such as {"slope": 14.2, "intercept": -9.1}')
        return given

    @model_validator(mode="after")
    def _engines(self) -> Self:
        if self.emotion_engine == "transformers" and not self.emotion_model:
            raise ValueError(f"{PREFIX}EMOTION_ENGINE=transformers needs {PREFIX}EMOTION_MODEL, a classifier's id on the Hub or its folder")
        needed = [
            "embedding_model",
            "embedding_dimensions",
            "embedding_certainty",
            *(["embedding_api_key"] if self.embedding_engine == "cohere" else []),
        ]
        if self.embedding_engine != "onnx" and (missing := [name for name in needed if not getattr(self, name)]):
            names = " and ".join(PREFIX + name.upper() for name in missing)
            raise ValueError(f"{PREFIX}EMBEDDING_ENGINE={self.embedding_engine} needs {names}: docs/models.md says what to write")
        return self
