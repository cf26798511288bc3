"""Small modules that read top to bottom (docs/design.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import lira_core

ROOT = Path(lira_core.__file__).parent
MODULES = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in sorted(ROOT.rglob("*.py"))}
LINES, LINES_OF_A_FUNCTION = 400, 60


def _functions(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield node.name, node.end_lineno - node.lineno + 1


def test_no_module_is_over_400_lines() -> None:
    assert {name: lines for name, source in MODULES.items() if (lines := len(source.splitlines())) > LINES} == {}


def test_no_function_is_over_60_lines() -> None:
    long = {f"{name}: {function}": lines for name, source in MODULES.items() for function, lines in _functions(source) if lines > LINES_OF_A_FUNCTION}
    assert long == {}
