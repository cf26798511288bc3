"""`lira bench models` with the bundled models and the smallest batches; against the pipeline in tests/torch."""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import Any

import pytest

from lira_cli import bench_models


def test_no_two_texts_are_alike_and_one_in_eight_is_long() -> None:
    texts = bench_models.texts(128)
    assert len(set(texts)) == 128
    assert sum(len(text) > len(bench_models.LONG) for text in texts) == 16


@pytest.mark.skipif(find_spec("torch") is not None, reason="with torch it is measured against the pipeline: tests/torch")
def test_each_bundled_model_is_measured_alone_where_there_is_no_torch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench_models, "BATCHES", (1, 2))
    bench_models.run(seconds=0.01, threads=1)
    out, err = capsys.readouterr()
    told: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
    alone, queued = ([one for one in told if one["figure"] == figure] for figure in ("model", "queue"))
    assert [(one["model"], one["batch"]) for one in alone] == [("emotion", 1), ("emotion", 2), ("embedding", 1), ("embedding", 2)]
    assert [one["at_once"] for one in queued] == [1, 2]
    assert {one["engine"] for one in told} == {"onnx"}
    assert all(one["texts_per_second"] > 0 and "ratio" not in one for one in told)
    assert "measured alone" in err
