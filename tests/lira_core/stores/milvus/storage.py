"""What a thief would read in a Milvus Lite folder: its files' bytes, and every column of those whose format may hide words (Parquet, Arrow)."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def raw(folder: Path) -> bytes:
    """May be called while the folder is open: files that vanish meanwhile are passed over."""
    return b"\n".join(part for file in sorted(folder.rglob("*")) if file.is_file() for part in _parts(file))


def _parts(file: Path) -> list[bytes]:
    try:
        parts = [str(file).encode(), file.read_bytes()]
        if file.suffix == ".parquet":
            parts.append(str(pq.read_table(file).to_pylist()).encode())
        elif file.suffix == ".arrow":
            parts.append(_log(file))
    except FileNotFoundError:
        return []
    return parts


def _log(file: Path) -> bytes:
    rows: list[object] = []
    try:
        with pa.OSFile(str(file), "rb") as source:
            for batch in pa.ipc.open_stream(source):
                rows += batch.to_pylist()
    except pa.ArrowInvalid:
        pass  # it is being written: what came before counts
    return str(rows).encode()
