from __future__ import annotations

import pytest

from lira_core.stores.ports import StoreRejected
from lira_core.stores.redis.address import parse


def test_the_password_is_in_no_text_made_of_an_address() -> None:
    address = parse("rediss://lira:s3cret@cache.example:6380/2?ssl_ca_certs=/ca.pem", "SETTING")
    assert address.where == "rediss://cache.example:6380/2"
    assert "s3cret" not in repr(address)
    assert "s3cret" in address.url


def test_a_cluster_is_asked_for_in_the_url_and_what_redis_reads_is_left_in_it() -> None:
    address = parse("rediss://host?cluster=true&ssl_certfile=/c.pem", "SETTING")
    assert address.cluster
    assert address.url == "rediss://host?ssl_certfile=%2Fc.pem"
    assert not parse("redis://[::1]:7000", "SETTING").cluster
    assert parse("redis://[::1]:7000", "SETTING").where == "redis://[::1]:7000/0"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("redis://", "names no host"),
        ("redis:///0", "names no host"),
        ("redis://host:port/0", "no URL that can be read"),
        ("redis://host:99999", "no URL that can be read"),
        ("redis://host/lira", "it is a number"),
        ("redis://host/0/1", "it is a number"),
        ("redis://:pass#word@host/0", "%23"),
        ("redis://host?socket_timeout=0&retry=9", "retry, socket_timeout"),
        ("redis://host?decode_responses=true", "decode_responses"),
        ("redis://host?cluster=yes", "cluster=true"),
        ("redis://host/3?cluster=true", "none but 0"),
    ],
)
def test_a_url_that_names_no_server_is_refused_and_the_setting_named(url: str, says: str) -> None:
    with pytest.raises(StoreRejected, match=f"^SETTING .*({says})") as refused:
        parse(url, "SETTING")
    assert "pass" not in str(refused.value).replace("password", "")
