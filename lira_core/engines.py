"""The models that the settings name, opened in this process, each behind a queue of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lira_core.model_folder import complete, trunk_folder
from lira_core.observe import Observer
from lira_core.settings import Settings, SettingsError

if TYPE_CHECKING:
    from lira_core.embedding.cohere import CohereEmbedder
    from lira_core.embedding.local import LocalEmbedder
    from lira_core.embedding.port import Embedder, EmbeddingEngine
    from lira_core.emotion.local import LocalEmotion
    from lira_core.emotion.onnx import OnnxEmotion
    from lira_core.emotion.port import EmotionReader
    from lira_core.emotion.transformers import TransformersEmotion
    from lira_core.reading.local import LocalReader
    from lira_core.torch_model import Place

# Engines are imported where they are opened: a process that asks another for an emotion loads neither ONNX Runtime nor torch.


def emotion_engine(settings: Settings) -> OnnxEmotion | TransformersEmotion:
    """ModelError, naming the setting, for a model that cannot be used."""
    if settings.emotion_engine == "transformers":
        from lira_core.emotion.transformers import TransformersEmotion

        return TransformersEmotion(settings.emotion_model or "", settings.emotion_labels, place(settings))
    from lira_core.emotion.onnx import OnnxEmotion

    return OnnxEmotion(settings.emotion_model_dir)


def embedding_engine(settings: Settings) -> EmbeddingEngine:
    """As `emotion_engine`. SettingsError for an API, which is no model in this process."""
    match settings.embedding_engine:
        case "onnx":
            from lira_core.embedding.onnx import OnnxEncoder

            return OnnxEncoder(settings.embedding_model_dir)
        case "transformers":
            from lira_core.embedding.transformers import TransformersEncoder

            return TransformersEncoder(settings.embedding_model or "", settings.embedding_dimensions or 0, place(settings))
        case "cohere":
            raise SettingsError("LIRA_EMBEDDING_ENGINE=cohere is an API; this needs a model in this process: onnx or transformers")


def check(settings: Settings) -> None:
    """ModelError or SettingsError, naming the setting, for models that cannot be there: looks at files, packages and configs, loads nothing."""
    if settings.emotion_engine == "onnx":
        complete(settings.emotion_model_dir, "LIRA_EMOTION_MODEL_DIR")
    if settings.embedding_engine == "onnx":
        complete(settings.embedding_model_dir, "LIRA_EMBEDDING_MODEL_DIR")
    complete(settings.reader_model_dir, "LIRA_READER_MODEL_DIR")
    if settings.emotion_engine == "transformers":
        from lira_core.emotion.transformers import SETTING, label_map

        label_map(_config(settings, "LIRA_EMOTION_ENGINE", SETTING, settings.emotion_model), settings.emotion_labels)
    if settings.embedding_engine == "transformers":
        from lira_core.embedding.port import checked_dimensions
        from lira_core.embedding.transformers import SETTING

        config = _config(settings, "LIRA_EMBEDDING_ENGINE", SETTING, settings.embedding_model)
        checked_dimensions(config.hidden_size, settings.embedding_dimensions or 0, settings.embedding_model or "")


def _config(settings: Settings, engine: str, setting: str, model: str | None) -> Any:
    """Of a model of transformers, where it and its device are there."""
    from lira_core import torch_model

    torch_model.demand(engine)
    torch_model.device_of(place(settings))
    return torch_model.config_of(model or "", setting=setting)


def place(settings: Settings) -> Place:
    from lira_core.torch_model import Place

    return Place(settings.device, settings.precision, settings.compile, settings.batch_tokens, settings.batch_wait_ms / 1000)


def open_emotion(settings: Settings, observer: Observer | None = None) -> LocalEmotion:
    """The emotion model. ModelError when it cannot be used."""
    from lira_core.emotion.local import LocalEmotion

    return LocalEmotion(emotion_engine(settings), observer=observer)


def open_embedder(settings: Settings, observer: Observer | None = None) -> LocalEmbedder | CohereEmbedder:
    """The encoder, here or by an API. ModelError when it cannot be used."""
    if settings.embedding_engine == "cohere":
        from lira_core.embedding.cohere import CohereEmbedder

        key = settings.embedding_api_key
        return CohereEmbedder(
            url=settings.embedding_url,
            model=settings.embedding_model or "",
            key=key.get_secret_value() if key is not None else "",
            dimensions=settings.embedding_dimensions or 0,
            observer=observer,
        )
    from lira_core.embedding.local import LocalEmbedder

    return LocalEmbedder(embedding_engine(settings), observer=observer)


def open_hearing(settings: Settings, observer: Observer | None = None) -> LocalEmbedder:
    """Both, over one pass of their trunk: what is heard comes with its emotion. SettingsError where they have none in common."""
    from lira_core.embedding.hearing import OnnxHearing
    from lira_core.embedding.local import LocalEmbedder
    from lira_core.embedding.onnx import OnnxEncoder
    from lira_core.emotion.onnx import OnnxEmotion

    one_trunk(settings)
    return LocalEmbedder(OnnxHearing(OnnxEncoder(settings.embedding_model_dir), OnnxEmotion(settings.emotion_model_dir)), observer=observer)


def open_reader(settings: Settings, observer: Observer | None = None) -> LocalReader:
    """The reader. ModelError when its folder is unusable."""
    from lira_core.reading.local import LocalReader
    from lira_core.reading.onnx import OnnxReader

    return LocalReader(OnnxReader(settings.reader_model_dir), observer=observer)


def share_trunk(settings: Settings) -> bool:
    """Whether the encoder and the emotion model stand on one trunk. False also where a folder cannot be read: opening the models says why."""
    if (settings.emotion_engine, settings.embedding_engine) != ("onnx", "onnx"):
        return False
    try:
        trunk, other = (trunk_folder(folder) for folder in (settings.embedding_model_dir, settings.emotion_model_dir))
    except (OSError, ValueError):
        return False
    return trunk is not None and other is not None and trunk.resolve() == other.resolve()


def one_trunk(settings: Settings) -> None:
    """SettingsError where the encoder and the emotion model cannot run together."""
    if share_trunk(settings):
        return
    if (engines := (settings.embedding_engine, settings.emotion_engine)) != ("onnx", "onnx"):
        what = f"LIRA_EMBEDDING_ENGINE={engines[0]} and LIRA_EMOTION_ENGINE={engines[1]}"
    else:
        what = f"LIRA_EMBEDDING_MODEL_DIR={settings.embedding_model_dir} and LIRA_EMOTION_MODEL_DIR={settings.emotion_model_dir}"
    raise SettingsError(
        f"{what} do not stand on one trunk and cannot run together: give them a deployment each under `args.stages` of the Serve config, "
        "as cluster/api.yaml does"
    )


@asynccontextmanager
async def opened_models(settings: Settings, observer: Observer | None = None) -> AsyncIterator[tuple[EmotionReader, Embedder]]:
    """What reads emotion and what embeds: one pass for both where they share a trunk."""
    if share_trunk(settings):
        from lira_core.embedding.hearing import SharedHearing

        async with closing(open_hearing(settings, observer)) as local:
            hearing = SharedHearing(local)
            yield hearing, hearing
    else:
        async with closing(open_emotion(settings, observer)) as emotion, closing(open_embedder(settings, observer)) as embedder:
            yield emotion, embedder


class _Closes(Protocol):
    async def close(self) -> None: ...


C = TypeVar("C", bound=_Closes)


@asynccontextmanager
async def closing(model: C) -> AsyncIterator[C]:
    """Ends the model's thread when whoever asked it is done."""
    try:
        yield model
    finally:
        await model.close()
