import pytest

from lira_core.stores.ports import StoreRejected
from lira_core.stores.weaviate.address import Address, parse

SETTING = "LIRA_VECTORS_URL"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("weaviate://db", Address("db", 8080, "db", 50051, False, None, "hnsw")),
        ("weaviate://db:81?grpc_port=82", Address("db", 81, "db", 82, False, None, "hnsw")),
        ("weaviates://db/", Address("db", 443, "db", 443, True, None, "hnsw")),
        ("weaviates://db:443?grpc_port=443", Address("db", 443, "db", 443, True, None, "hnsw")),
        ("weaviates://db?grpc_host=grpc-db", Address("db", 443, "grpc-db", 443, True, None, "hnsw")),
        ("weaviate://[::1]:81", Address("[::1]", 81, "[::1]", 50051, False, None, "hnsw")),
        ("weaviate://:p%40ss@db", Address("db", 8080, "db", 50051, False, "p@ss", "hnsw")),
        ("weaviate://lira:p@db", Address("db", 8080, "db", 50051, False, "p", "hnsw")),
        ("weaviate://db?api_key=p%40ss", Address("db", 8080, "db", 50051, False, "p@ss", "hnsw")),
        ("weaviate://db?index=dynamic", Address("db", 8080, "db", 50051, False, None, "dynamic")),
    ],
)
def test_a_url_says_where_weaviate_is(url: str, address: Address) -> None:
    assert parse(url, SETTING) == address


@pytest.mark.parametrize("url", ["weaviate://:hush-hush@db", "weaviate://db?api_key=hush-hush"])
def test_the_key_is_in_no_text_of_an_address(url: str) -> None:
    address = parse(url, SETTING)
    assert address.key == "hush-hush"
    assert "hush" not in f"{address} {address!r}"


@pytest.mark.parametrize(
    "url",
    [
        "weaviate://",
        "weaviate://:8080",
        "weaviate://:hush-hush@db:eighty",
        "weaviate://:hush-hush@db:99999",
        "weaviate://[:hush-hush@db",
        "weaviate://:hush-hush@db/Collection",
        "weaviate://:hush-hush@db#there",
        "weaviate://:hush-hush@db?grpc_prot=50051",
        "weaviate://:hush-hush@db?grpc_port=fifty",
        "weaviate://:hush-hush@db?grpc_port=0",
        "weaviate://:hush-hush@db?grpc_port=1&grpc_port=2",
        "weaviate://:hush-hush@db?api_key=hush-hush",
        "weaviate://db?api_key=hush-hush&api_key=hush",
        "weaviate://hush-hush@db",
        "weaviate://:hush-hush%0Ahush@db",
        "weaviate://:hush-hush@db?index=fast",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_by_the_name_of_its_setting_and_without_its_key(url: str) -> None:
    with pytest.raises(StoreRejected, match=SETTING) as refused:
        parse(url, SETTING)
    assert "hush" not in str(refused.value)
