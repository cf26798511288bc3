"""What the tests of every room share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lira_core.model_folder import MODEL_FILE

Calibration = dict[str, Any]


@pytest.fixture(scope="session")
def model_copy() -> Callable[..., Path]:
    """Makes `folder` a model like a bundled one, on the same trunk, with its calibration changed."""

    def copy(bundled: Path, folder: Path, change: Callable[[Calibration], Calibration] = lambda c: c) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MODEL_FILE).symlink_to(bundled / MODEL_FILE)
        calibration = json.loads((bundled / "calibration.json").read_text("utf-8"))
        calibration["trunk"] = str(bundled.resolve().parent / calibration["trunk"])
        (folder / "calibration.json").write_text(json.dumps(change(calibration)))
        return folder

    return copy
