"""`lira bench models` against the pipeline of transformers, with the smallest batch."""

from __future__ import annotations

import json

import pytest

from lira_cli import bench_models


def test_each_engine_is_measured_in_turns_with_the_plain_pipeline(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench_models, "BATCHES", (1,))
    monkeypatch.setenv("LIRA_DEVICE", "cpu")
    bench_models.run(seconds=0.01, threads=1)
    told = [one for one in map(json.loads, capsys.readouterr().out.splitlines()) if one["figure"] == "model"]
    assert [(one["model"], one["engine"]) for one in told] == [
        (model, engine) for model in ("emotion", "embedding") for engine in ("onnx", "pipeline")
    ]
    rates = {(one["model"], one["engine"]): one["texts_per_second"] for one in told}
    for one in told:
        if one["engine"] == "onnx":
            assert one["ratio"] == pytest.approx(rates[one["model"], "onnx"] / rates[one["model"], "pipeline"], rel=0.1)
