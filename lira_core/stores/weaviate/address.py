"""`weaviate://[:KEY@]HOST[:8080][?grpc_port=50051]`, `weaviates://` for TLS.

Further parameters: `api_key` (instead of the password part), `grpc_host` (where gRPC has a host of its own, as in Weaviate Cloud), `index`
(`hnsw`, `dynamic` or `flat`; see `schema.definition`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, cast, get_args
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from lira_core.stores.ports import StoreRejected

Index = Literal["hnsw", "dynamic", "flat"]

# Weaviate's own (https://docs.weaviate.io/weaviate/connections/connect-custom); behind TLS both usually share the proxy's port.
HTTP_PORT: Final = 8080
GRPC_PORT: Final = 50051
TLS_PORT: Final = 443

PARAMETERS: Final = frozenset({"grpc_port", "grpc_host", "api_key", "index"})


@dataclass(frozen=True, slots=True)
class Address:
    """Where Weaviate is; an IPv6 host is in brackets. The key is left out of every text made of this."""

    host: str
    port: int
    grpc_host: str
    grpc_port: int
    secure: bool
    key: str | None = field(repr=False)
    index: Index

    def __str__(self) -> str:
        return f"{self.host}:{self.port} (gRPC {self.grpc_host}:{self.grpc_port})"


def parse(url: str, setting: str) -> Address:
    """StoreRejected, naming the setting and never the key, for a URL that cannot be used."""
    try:
        parts = urlsplit(url)
        port, hostname = parts.port, parts.hostname
    except ValueError as error:
        # urlsplit's own words may quote the password.
        raise StoreRejected(f"{setting} is no URL that can be read; write weaviate://HOST:8080?grpc_port=50051") from error
    if not hostname:
        raise StoreRejected(f"{setting} names no host; write weaviate://HOST:8080?grpc_port=50051")
    if parts.path not in ("", "/") or parts.fragment:
        raise StoreRejected(f"{setting} has something after the host; Weaviate's address ends with the port, then come ?parameters")
    given = _parameters(parts, setting)
    secure = parts.scheme == "weaviates"
    host = _bracketed(hostname)
    index = given.get("index", "hnsw")
    if index not in get_args(Index):
        raise StoreRejected(f"{setting} has index={index}; use one of {', '.join(get_args(Index))}")
    return Address(
        host=host,
        port=port or (TLS_PORT if secure else HTTP_PORT),
        grpc_host=_bracketed(given["grpc_host"]) if "grpc_host" in given else host,
        grpc_port=_port(given["grpc_port"], setting) if "grpc_port" in given else (TLS_PORT if secure else GRPC_PORT),
        secure=secure,
        key=_key(parts, given, setting),
        index=cast(Index, index),
    )


def _parameters(parts: SplitResult, setting: str) -> dict[str, str]:
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    given = dict(pairs)
    unknown = sorted(given.keys() - PARAMETERS)
    if unknown:
        raise StoreRejected(f"{setting} has unknown parameters: {', '.join(unknown)}; known are {', '.join(sorted(PARAMETERS))}")
    if len(given) < len(pairs):
        raise StoreRejected(f"{setting} gives a parameter twice; give it once")
    return given


def _key(parts: SplitResult, given: dict[str, str], setting: str) -> str | None:
    if parts.username and parts.password is None:
        raise StoreRejected(f"{setting} has a user and no password; the API key goes where the password is: weaviate://:KEY@HOST")
    keys = [key for key in (unquote(parts.password or ""), given.get("api_key", "")) if key]
    if len(keys) > 1:
        raise StoreRejected(f"{setting} has two API keys, a password and api_key=; leave one")
    if keys and not (keys[0].isascii() and keys[0].isprintable()):
        raise StoreRejected(f"{setting} has an API key that no HTTP header can carry; it must be printable ASCII")
    return keys[0] if keys else None


def _port(text: str, setting: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65_536):
        raise StoreRejected(f"{setting} has grpc_port={text!r}; it must be a number from 1 to 65535")
    return int(text)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host
