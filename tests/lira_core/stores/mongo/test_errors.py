"""What an error of the driver means: wait, or never again."""

from __future__ import annotations

from typing import Any

import pytest
from bson.errors import InvalidDocument
from pymongo import errors

from lira_core.stores import StoreError, StoreRejected, StoreUnavailable
from lira_core.stores.mongo.errors import explained, explaining, is_duplicate

WHERE, SETTING = "mongodb://127.0.0.1:1/lira", "LIRA_RECORD_URL"


def failure(code: int, *labels: str) -> errors.OperationFailure:
    return errors.OperationFailure("no", code, {"errorLabels": list(labels)})


def bulk(*codes: int, concern: int | None = None) -> errors.BulkWriteError:
    failures: list[dict[str, Any]] = [{"code": code, "errmsg": "no"} for code in codes]
    return errors.BulkWriteError({"writeErrors": failures, "writeConcernErrors": [] if concern is None else [{"code": concern, "errmsg": "no"}]})


@pytest.mark.parametrize(
    "error",
    [
        errors.AutoReconnect("gone"),
        errors.ServerSelectionTimeoutError("nobody there"),
        errors.NetworkTimeout("slow"),
        errors.NotPrimaryError("stepped down"),
        errors.WaitQueueTimeoutError("no connection free"),
        errors.ExecutionTimeout("slow", 50),
        errors.WTimeoutError("no majority", 64),
        errors.WriteConcernError("no majority", 100),
        failure(91),
        failure(112, "TransientTransactionError"),
        failure(251, "TransientTransactionError"),
        failure(99_999, "TransientTransactionError"),
        failure(99_999, "UnknownTransactionCommitResult"),
        failure(14_031),
        bulk(112),
        bulk(concern=64),
    ],
)
def test_what_passes_by_itself_is_unavailable(error: Exception) -> None:
    assert type(explained(error, WHERE, SETTING)) is StoreUnavailable


@pytest.mark.parametrize(
    "error",
    [
        errors.ConfigurationError("no such option"),
        errors.InvalidURI("not a URI"),
        errors.InvalidName("li ra"),
        errors.InvalidOperation("closed"),
        errors.DocumentTooLarge("20 MB"),
        failure(2),
        failure(9),
        failure(18),
        failure(13),
        bulk(2),
        InvalidDocument("no"),
        OverflowError("more than 64 bits"),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
    ],
)
def test_what_would_fail_again_is_rejected(error: Exception) -> None:
    assert type(explained(error, WHERE, SETTING)) is StoreRejected


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (failure(18), "LIRA_RECORD_URL.*refuses the user or the password"),
        (failure(20), "LIRA_RECORD_URL.*no transactions.*replica set.*rs.initiate"),
        (failure(14_031), "the disk is full; free some space"),
        (errors.InvalidURI("not a URI"), "LIRA_RECORD_URL is no MongoDB URL"),
    ],
)
def test_what_a_person_can_mend_says_how(error: Exception, sentence: str) -> None:
    with pytest.raises(StoreError, match=sentence), explaining(WHERE, SETTING):
        raise error


def test_what_was_to_be_written_is_not_in_the_message() -> None:
    error = errors.OperationFailure("bad", 2, {"errInfo": "비밀 이야기"})
    assert "비밀" in str(error)
    assert "비밀" not in str(explained(error, WHERE, SETTING))


def test_only_an_id_that_is_there_already_is_a_duplicate() -> None:
    assert is_duplicate(errors.DuplicateKeyError("there", 11_000))
    assert is_duplicate(bulk(11_000, 11_000))
    assert not is_duplicate(bulk(11_000, 2))
    assert not is_duplicate(bulk(concern=64))
    assert not is_duplicate(failure(2))
