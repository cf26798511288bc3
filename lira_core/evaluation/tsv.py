"""Reading tab-separated data as the corpora have it: no quoting, one row a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


class DataError(ValueError):
    """A data file that cannot be scored; the message names the file and the line."""


def read_text(path: Path) -> str:
    """The file as UTF-8, with or without a byte order mark."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error


def tsv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(line number from 1, columns) of each line that is not empty, LF or CRLF; quotes are text."""
    # Not splitlines: U+2028 and its like occur inside the texts.
    for number, line in enumerate(read_text(path).split("\n"), 1):
        if line := line.removesuffix("\r"):
            yield number, line.split("\t")
