"""`redis://[USER:PASSWORD@]HOST[:6379][/DATABASE]`, `rediss://` for TLS, `?cluster=true` for Redis Cluster.

Further parameters: those of redis-py that begin with `ssl_` (`ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile`, ...).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from lira_core.stores.ports import StoreRejected


@dataclass(frozen=True, slots=True)
class Address:
    """`where` is the URL without user, password and parameters; `url` is what redis-py reads."""

    where: str
    cluster: bool
    url: str = field(repr=False)


def parse(url: str, setting: str) -> Address:
    """StoreRejected, naming the setting and never the password, for a URL that cannot be used."""
    scheme = url.partition("://")[0]
    form = f"write {scheme}://HOST:6379/0"
    if "#" in url:
        raise StoreRejected(f"{setting} has a '#', which in a password is written %23; {form}")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        # urlsplit's own words may quote the password.
        raise StoreRejected(f"{setting} is no URL that can be read; {form}") from error
    if not host:
        raise StoreRejected(f"{setting} names no host; {form}")
    database = parts.path.removeprefix("/")
    if database and not (database.isascii() and database.isdigit()):
        raise StoreRejected(f"{setting} has the database {database!r}; it is a number: {form}")
    given = parse_qsl(parts.query, keep_blank_values=True)
    unknown = sorted({name for name, _ in given if name != "cluster" and not name.startswith("ssl_")})
    if unknown:
        raise StoreRejected(f"{setting} has unknown parameters: {', '.join(unknown)}; known are cluster and ssl_...")
    cluster = _cluster(dict(given).get("cluster", "false"), setting)
    if cluster and database not in ("", "0"):
        raise StoreRejected(f"{setting} has the database {database}; a cluster has none but 0")
    shown = f"[{host}]" if ":" in host else host
    rest = urlencode([(name, value) for name, value in given if name != "cluster"])
    return Address(f"{scheme}://{shown}:{port or 6379}/{database or 0}", cluster, parts._replace(query=rest).geturl())


def _cluster(value: str, setting: str) -> bool:
    if value not in ("true", "false"):
        raise StoreRejected(f"{setting} has cluster={value}; write cluster=true or cluster=false")
    return value == "true"
