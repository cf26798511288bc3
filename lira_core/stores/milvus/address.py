"""`milvus:///PATH.db` (Milvus Lite: a folder of this machine) or `milvus://[USER:PASSWORD@]HOST[:19530][/DATABASE][?tls=true]`.

A path after three slashes is relative to the working directory, after four absolute, as for SQLite. A token of Zilliz Cloud, which is no
user and password, goes where the user is: `milvus://TOKEN@HOST`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from lira_core.stores.ports import StoreRejected

PORT: Final = 19530
"""Milvus's own (https://milvus.io/docs/configure_proxy.md)."""

FORMS: Final = "write milvus:///PATH.db or milvus://HOST:19530"


@dataclass(frozen=True, slots=True)
class Lite:
    """A Milvus Lite folder."""

    path: str


@dataclass(frozen=True, slots=True)
class Server:
    """A Milvus server; an IPv6 host is in brackets. The token is left out of every text made of this."""

    host: str
    port: int
    database: str
    tls: bool
    token: str = field(repr=False)

    @property
    def uri(self) -> str:
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.host}:{self.port}{f'/{self.database}' if self.database else ''}"


def parse(url: str, setting: str) -> Lite | Server:
    """StoreRejected, naming the setting and never the token, for a URL that cannot be used."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        # urlsplit's own words may quote the password.
        raise StoreRejected(f"{setting} is no URL that can be read; {FORMS}") from error
    if not parts.netloc:
        # '?' and '#' are letters of a path here, as they are for SQLite.
        path = unquote(url.removeprefix("milvus://").removeprefix("/"))
        if not path or path.endswith("/"):
            raise StoreRejected(f"{setting} names no folder for the vectors; {FORMS}")
        return Lite(path)
    if not host:
        raise StoreRejected(f"{setting} names no host; {FORMS}")
    database = unquote(parts.path.strip("/"))
    if "/" in database or parts.fragment:
        raise StoreRejected(f"{setting} has more than a database after the host; {FORMS}, then /DATABASE and ?tls=true where they are needed")
    return Server(
        host=f"[{host}]" if ":" in host else host,
        port=port or PORT,
        database=database,
        tls=_tls(parts.query, setting),
        token=":".join(unquote(part) for part in (parts.username, parts.password) if part),
    )


def _tls(query: str, setting: str) -> bool:
    given = parse_qsl(query, keep_blank_values=True)
    if not given:
        return False
    if len(given) > 1 or given[0][0] != "tls" or given[0][1] not in ("true", "false"):
        raise StoreRejected(f"{setting} has parameters other than tls=true or tls=false; remove them")
    return given[0][1] == "true"
