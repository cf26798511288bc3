"""The small renderer of these tests against the real kustomize, where one is at hand."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from .kustomize import FOLDERS, Object, render

BUILDERS = {"kubectl": ("kubectl", "kustomize"), "kustomize": ("kustomize", "build")}


def real() -> Sequence[str]:
    found = [command for program, command in BUILDERS.items() if shutil.which(program)]
    if not found:
        pytest.skip("neither kubectl nor kustomize is installed: what k8s/ makes was rendered by tests/k8s/kustomize.py alone")
    return found[0]


def by_name(objects: list[Object]) -> dict[Any, Object]:
    return {(one["kind"], one["metadata"].get("namespace"), one["metadata"]["name"]): one for one in objects}


@pytest.mark.parametrize("folder", FOLDERS.values(), ids=FOLDERS)
def test_what_is_checked_here_is_what_kustomize_makes(folder: Path) -> None:
    built = subprocess.run([*real(), str(folder)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    assert by_name(render(folder)) == by_name(list(yaml.safe_load_all(built.stdout)))
