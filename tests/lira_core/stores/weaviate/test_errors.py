import ssl

import httpx
import pytest
from grpc import StatusCode
from weaviate.exceptions import UnexpectedStatusCodeError, WeaviateConnectionError, WeaviateQueryError

from lira_core.stores.ports import StoreRejected, StoreUnavailable
from lira_core.stores.weaviate.errors import DETAIL, explained, of_status, of_text


@pytest.mark.parametrize(
    "text",
    [
        "put object: import into index: store is read-only due to: disk usage too high. Set disk usage at 91.00%",
        "not enough memory: cannot process batch",
        "broadcast: cannot reach enough replicas",
        "cannot achieve consistency level \"QUORUM\": 'replica' error",
        "context deadline exceeded",
        "dial tcp: connect: connection refused",
        "leader not found",
        "shard is shutting down",
        "entrypoint was deleted in the object store, it has been flagged for cleanup and should be fixed in the next cleanup cycle",
    ],
)
def test_what_passes_is_waited_for(text: str) -> None:
    assert isinstance(of_text(text, "db"), StoreUnavailable)


@pytest.mark.parametrize(
    "text",
    [
        "new node has a vector with length 3. Existing nodes have vectors with length 4",
        "invalid object: invalid text property 'memory_id' on class 'Lira_tiny_3': not a string, but json.Number",
        "no such prop with name 'memory' found in class 'Lira_tiny_3' in the schema",
        "Filtering by property 'body' requires inverted index. Is `indexFilterable` option of property 'body' enabled?",
    ],
)
def test_what_would_fail_again_is_refused(text: str) -> None:
    assert isinstance(of_text(text, "db"), StoreRejected)


@pytest.mark.parametrize(
    ("code", "details", "kind"),
    [
        (StatusCode.UNAVAILABLE, "failed to connect to all addresses", StoreUnavailable),
        (StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded", StoreUnavailable),
        (StatusCode.RESOURCE_EXHAUSTED, "too many requests", StoreUnavailable),
        (StatusCode.RESOURCE_EXHAUSTED, "received message larger than max (20 vs. 10)", StoreRejected),
        (StatusCode.UNAVAILABLE, "Trying to connect an http1.x server", StoreRejected),
        (StatusCode.UNIMPLEMENTED, "Method not found!", StoreRejected),
        (StatusCode.UNAUTHENTICATED, "extract auth: unauthorized: invalid api key", StoreRejected),
        (StatusCode.UNKNOWN, "extract auth: unauthorized: invalid api key", StoreRejected),
        (StatusCode.PERMISSION_DENIED, "", StoreRejected),
        (StatusCode.UNKNOWN, "context deadline exceeded", StoreUnavailable),
        (StatusCode.UNKNOWN, "vector lengths don't match: 3 vs 4", StoreRejected),
        (StatusCode.INVALID_ARGUMENT, "extract params: unknown filter operator", StoreRejected),
    ],
)
def test_a_grpc_status_says_which_kind_it_is(code: StatusCode, details: str, kind: type[Exception]) -> None:
    assert type(of_status(code, details, "db", "LIRA_VECTORS_URL")) is kind


@pytest.mark.parametrize(
    ("status", "kind"),
    [*((status, StoreRejected) for status in (401, 403, 404, 422)), *((status, StoreUnavailable) for status in (429, 500, 502, 503))],
)
def test_an_http_status_says_which_kind_it_is(status: int, kind: type[Exception]) -> None:
    error = UnexpectedStatusCodeError("x", httpx.Response(status, json={"error": "y"}))
    assert type(explained(error, "db", "LIRA_VECTORS_URL")) is kind


def test_a_certificate_that_is_not_trusted_is_refused_and_a_network_that_is_down_is_waited_for() -> None:
    error = WeaviateConnectionError("x")
    error.__cause__ = httpx.ConnectError("y")
    assert isinstance(explained(error, "db", "LIRA_VECTORS_URL"), StoreUnavailable)
    error.__cause__.__cause__ = ssl.SSLCertVerificationError("self-signed certificate")
    assert isinstance(explained(error, "db", "LIRA_VECTORS_URL"), StoreRejected)


def test_an_error_is_not_taken_for_one_that_was_dealt_with_before_it() -> None:
    error = WeaviateQueryError("vector lengths don't match: 3 vs 4", "GRPC search")
    error.__context__ = StoreUnavailable("an earlier call")
    error.__context__.__context__ = httpx.ConnectError("of the earlier call")
    assert isinstance(explained(error, "db", "LIRA_VECTORS_URL"), StoreRejected)


def test_a_message_holds_no_more_than_the_beginning_of_what_the_server_says() -> None:
    assert len(str(of_text("아" * 10_000, "db"))) < DETAIL + 100
