from __future__ import annotations

import pytest

from lira_core.stores import StoreRejected
from lira_core.stores.milvus.address import Lite, Server, parse


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("milvus:///lira.db", "lira.db"),
        ("milvus:///data/lira.db", "data/lira.db"),
        ("milvus:////data/lira.db", "/data/lira.db"),
        ("milvus:////data/my%20lira.db", "/data/my lira.db"),
        ("milvus:////data/li?ra#1.db", "/data/li?ra#1.db"),
    ],
)
def test_three_slashes_name_a_folder_from_here_and_four_one_from_the_root(url: str, path: str) -> None:
    assert parse(url, "LIRA_VECTORS_URL") == Lite(path)


@pytest.mark.parametrize(
    ("url", "server", "uri"),
    [
        ("milvus://milvus", Server("milvus", 19530, "", False, ""), "http://milvus:19530"),
        ("milvus://milvus:1/lira?tls=true", Server("milvus", 1, "lira", True, ""), "https://milvus:1"),
        ("milvus://root:p%40ss%3A@milvus?tls=false", Server("milvus", 19530, "", False, "root:p@ss:"), "http://milvus:19530"),
        ("milvus://key@milvus/", Server("milvus", 19530, "", False, "key"), "http://milvus:19530"),
        ("milvus://[::1]:2", Server("[::1]", 2, "", False, ""), "http://[::1]:2"),
    ],
)
def test_a_host_names_a_server_with_its_port_database_and_token(url: str, server: Server, uri: str) -> None:
    assert parse(url, "LIRA_VECTORS_URL") == server
    assert server.uri == uri


def test_the_token_is_in_no_text_made_of_the_address() -> None:
    address = parse("milvus://root:secret@milvus/lira", "LIRA_VECTORS_URL")
    assert "secret" not in f"{address} {address!r}"
    assert str(address) == "milvus:19530/lira"


@pytest.mark.parametrize(
    "url",
    [
        "milvus://",
        "milvus:///",
        "milvus:///folder/",
        "milvus://:19530",
        "milvus://root:secret@milvus:port",
        "milvus://root:secret@[milvus",
        "milvus://root:secret@milvus/a/b",
        "milvus://root:secret@milvus/a#b",
        "milvus://root:secret@milvus?tls=maybe",
        "milvus://root:secret@milvus?secure=true",
        "milvus://root:secret@milvus?tls=true&tls=false",
    ],
)
def test_a_url_that_cannot_be_used_names_the_setting_and_not_the_password(url: str) -> None:
    with pytest.raises(StoreRejected, match="LIRA_VECTORS_URL") as caught:
        parse(url, "LIRA_VECTORS_URL")
    assert "secret" not in str(caught.value)
