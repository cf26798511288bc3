"""One class for every model: what it opens, what it answers, what it is scaled by."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from deployments.autoscaling import TOKENS
from deployments.model_stage import ModelStage
from lira_core import engines
from lira_core.embedding.onnx import HEADS
from lira_core.model_folder import ModelError
from lira_core.reading.port import Candidate
from lira_core.settings import SettingsError, load_settings

STAGE: Any = ModelStage.func_or_class


async def stage(*models: str, **settings: Any) -> Any:
    made = STAGE.__new__(STAGE)
    await made.__init__(load_settings(**settings), models)
    return made


async def test_an_utterance_is_heard_with_its_emotion_where_both_models_are_here() -> None:
    together, alone = await stage("emotion", "embedding"), await stage("emotion")
    heard = await together.ask("hear", "오늘 정말 너무 기뻤어")
    assert heard.emotion == await alone.ask("read", "오늘 정말 너무 기뻤어")
    assert heard.emotion.top[0].label == "joy"
    assert (await together.ask("embed", [("passage", "나는 민수야")])).shape == (1, 384)


async def test_an_encoder_alone_hears_no_emotion() -> None:
    assert (await (await stage("embedding")).ask("hear", "안녕")).emotion is None


async def test_a_reader_names_what_answers() -> None:
    candidates = [Candidate("오늘 점심은 김밥이었어", None), Candidate("내 이름은 민수야", None)]
    reading = await (await stage("reader")).ask("read", "내 이름이 뭐야?", candidates)
    assert reading.sure[1] > reading.sure[0]


async def test_what_it_is_scaled_by_is_what_waits_and_what_is_at_work() -> None:
    made = await stage("emotion")
    assert made.record_autoscaling_stats() == {TOKENS: 0}
    asked = [asyncio.create_task(made.ask("read", "오늘은 날씨가 좋다 " * 5)) for _ in range(20)]
    await asyncio.sleep(0)
    few = made.record_autoscaling_stats()[TOKENS]
    asked += [asyncio.create_task(made.ask("read", "오늘은 날씨가 좋다 " * 30)) for _ in range(20)]
    await asyncio.sleep(0)
    assert made.record_autoscaling_stats()[TOKENS] > 4 * few > 0
    await asyncio.gather(*asked)
    assert made.record_autoscaling_stats() == {TOKENS: 0}
    await made.check_health()


async def test_a_model_that_cannot_be_opened_says_which_setting(tmp_path: Any) -> None:
    with pytest.raises(ModelError, match="LIRA_EMOTION_MODEL_DIR"):
        await stage("emotion", emotion_model_dir=tmp_path)
    with pytest.raises(SettingsError, match=r"LIRA_EMOTION_ENGINE=transformers.*args\.stages"):
        await stage("emotion", "embedding", emotion_engine="transformers", emotion_model="any")


@pytest.mark.parametrize("name", ["emotion", "embedding", "reader"])
def test_a_folder_without_a_file_is_refused_before_anything_is_loaded(tmp_path: Any, name: str) -> None:
    bundled = getattr(load_settings(), f"{name}_model_dir")
    calibration = (bundled / "calibration.json").read_text("utf-8")
    (tmp_path / "calibration.json").write_text(calibration.replace('"lira-trunk"', f'"{bundled.parent}/lira-trunk"'))
    with pytest.raises(ModelError, match=rf"model\.int8\.onnx is missing: LIRA_{name.upper()}_MODEL_DIR"):
        engines.check(load_settings(**{f"{name}_model_dir": tmp_path}))
    models = sorted(bundled.glob("*.onnx"), key=lambda model: (model.name in {heads.FILE for heads in HEADS}, model.name))  # what may be missing last
    for model in models[1:]:
        (tmp_path / model.name).symlink_to(model)
    with pytest.raises(ModelError, match=rf"{re.escape(models[0].name)} is missing: LIRA_{name.upper()}_MODEL_DIR"):
        engines.check(load_settings(**{f"{name}_model_dir": tmp_path}))
    (tmp_path / models[0].name).symlink_to(models[0])
    engines.check(load_settings(**{f"{name}_model_dir": tmp_path}))
