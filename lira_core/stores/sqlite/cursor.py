"""Where a page ended, as text that a caller hands back: opaque, and known to be broken when it is."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib

_PLACE = struct.Struct(">qqqq")
_CHECK = struct.Struct(">I")
Place = tuple[int, int, int, int]
"""(ts, received, n, seq) of the last memory of a page."""


def write_cursor(place: Place) -> str:
    packed = _PLACE.pack(*place)
    return base64.urlsafe_b64encode(packed + _CHECK.pack(zlib.crc32(packed))).decode().rstrip("=")


def read_cursor(cursor: str) -> Place:
    """ValueError for anything that `write_cursor` did not make."""
    try:
        raw = base64.b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        packed, check = raw[: _PLACE.size], raw[_PLACE.size :]
        if _CHECK.pack(zlib.crc32(packed)) != check:
            raise ValueError("its check does not match")
        ts, received, n, seq = _PLACE.unpack(packed)
    except (ValueError, binascii.Error, struct.error) as error:
        raise ValueError(f"the cursor is broken: {error}") from error
    return ts, received, n, seq
