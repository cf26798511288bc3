from __future__ import annotations

import grpc
import pytest
from pymilvus import MilvusException
from pymilvus.exceptions import ParamError
from pymilvus.grpc_gen import common_pb2

from lira_core.stores import StoreRejected, StoreUnavailable
from lira_core.stores.milvus.errors import absent, explained


class Rpc(grpc.RpcError):
    def __init__(self, code: grpc.StatusCode, details: str = "") -> None:
        self._code, self._details = code, details

    def code(self) -> grpc.StatusCode:
        return self._code

    def details(self) -> str:
        return self._details


def status(code: int, *, retriable: bool = False, input_error: bool = False) -> MilvusException:
    extra = {"is_input_error": "true"} if input_error else {}
    return MilvusException.from_status(common_pb2.Status(code=code, reason="a reason", retriable=retriable, extra_info=extra))


@pytest.mark.parametrize(
    "error",
    [
        *[Rpc(code) for code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED)],
        *[status(code) for code in (2, 3, 4, 7, 8, 9, 11, 101, 103, 503, 602, 901, 1003)],
        status(1, retriable=True),
        TimeoutError(),
        ConnectionRefusedError(),
    ],
    ids=repr,
)
def test_what_passes_is_waited_for(error: Exception) -> None:
    assert type(explained(error, "milvus:19530", "LIRA_VECTORS_URL")) is StoreUnavailable


@pytest.mark.parametrize(
    "error",
    [
        *[Rpc(code) for code in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.INTERNAL)],
        Rpc(grpc.StatusCode.UNAVAILABLE, "Trying to connect an http1.x server"),
        *[status(code) for code in (1, 5, 100, 700, 800, 1100, 65_535)],
        status(2, input_error=True, retriable=True),
        ParamError(message="a bug"),
        ValueError("a bug"),
    ],
    ids=repr,
)
def test_what_does_not_pass_is_rejected(error: Exception) -> None:
    assert type(explained(error, "milvus:19530", "LIRA_VECTORS_URL")) is StoreRejected


@pytest.mark.parametrize("error", [Rpc(grpc.StatusCode.UNAUTHENTICATED), Rpc(grpc.StatusCode.PERMISSION_DENIED), status(1_400), status(1_401)])
def test_a_refused_password_names_the_setting(error: Exception) -> None:
    explanation = explained(error, "milvus:19530", "LIRA_VECTORS_URL")
    assert type(explanation) is StoreRejected
    assert "password" in str(explanation)
    assert "LIRA_VECTORS_URL" in str(explanation)


def test_the_cause_decides_where_the_client_hides_it() -> None:
    hidden = MilvusException(code=2, message="Fail connecting to server, illegal connection params or server unavailable")
    hidden.__cause__ = Rpc(grpc.StatusCode.UNAUTHENTICATED)
    assert type(explained(hidden, "milvus:19530", "LIRA_VECTORS_URL")) is StoreRejected


def test_a_collection_that_is_not_there_is_told_from_other_errors() -> None:
    assert absent(status(100))
    assert not absent(status(101))
    assert not absent(Rpc(grpc.StatusCode.UNAVAILABLE))


def test_an_error_that_is_its_own_cause_is_explained_too() -> None:
    """pymilvus says `raise e from e`."""
    error = status(100)
    error.__cause__ = error
    assert absent(error)
    assert type(explained(error, "milvus:19530", "LIRA_VECTORS_URL")) is StoreRejected
