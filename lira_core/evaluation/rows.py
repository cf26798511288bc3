"""Reading an evaluation file: what is wrong with it is said with the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from lira_core.evaluation.tsv import DataError, read_text


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """One JSON object a line; empty lines are passed over."""
    rows = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise DataError(f"{path}, line {number}: not JSON ({error})") from error
            if not isinstance(row, dict):
                raise DataError(f"{path}, line {number}: wants a JSON object")
            rows.append(row)
    if not rows:
        raise DataError(f"{path}: has no rows")
    return rows


def lines_of(rows: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Each row; of a session, `{"lines": [text], label: [one of each line], …}`, its lines as rows of their own, `{"text", label, …}`.

    What has as many entries as there are lines is a label of theirs.
    """
    for row in rows:
        if isinstance(lines := row.get("lines"), list):
            labels = {key: value for key, value in row.items() if key != "lines" and isinstance(value, list) and len(value) == len(lines)}
            yield from ({"text": text, **{key: value[i] for key, value in labels.items()}} for i, text in enumerate(lines))
        else:
            yield dict(row)


def read_json_list(path: Path) -> list[dict[str, Any]]:
    """A JSON array of objects."""
    try:
        value = orjson.loads(read_text(path))
    except orjson.JSONDecodeError as error:
        raise DataError(f"{path}: not JSON ({error})") from error
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        raise DataError(f"{path}: wants a JSON array of objects")
    return value
