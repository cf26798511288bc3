"""Each error as redis-py makes it of what a server sends."""

from __future__ import annotations

import pytest
from redis._parsers.base import BaseParser
from redis.exceptions import RedisClusterException

from lira_core.stores.ports import StoreRejected, StoreUnavailable
from lira_core.stores.redis.errors import explained, explaining

PASSING = [
    "LOADING Redis is loading the dataset in memory",
    "READONLY You can't write against a read only replica.",
    "READONLY You can't write against a read only replica. script: 5d4, on @user_script:3.",
    "OOM command not allowed when used memory > 'maxmemory'. script: 5d4, on @user_script:3.",
    "ERR Error running script (call to f_5d4): @user_script:3: @user_script: 3: -OOM command not allowed when used memory > 'maxmemory'.",
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
    "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
    "NOREPLICAS Not enough good replicas to write.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    "CLUSTERDOWN Hash slot not served",
    "TRYAGAIN Multiple keys request during rehashing of slot",
    "ASK 3999 127.0.0.1:6381",
    "ERR max number of clients reached",
]
REFUSING = [
    "NOAUTH Authentication required.",
    "WRONGPASS invalid username-password pair or user is disabled.",
    "NOPERM User lira has no permissions to run the 'evalsha' command",
    "WRONGTYPE Operation against a key holding the wrong kind of value",
    "ERR invalid password",
    "ERR DB index is out of range",
    "ERR unknown command 'EVALSHA', with args beginning with: ",
    "MOVED 3999 127.0.0.1:6381",
    "CROSSSLOT Keys in request don't hash to the same slot",
]


@pytest.mark.parametrize("sent", PASSING)
def test_what_passes_is_unavailable(sent: str) -> None:
    error = explained(BaseParser.parse_error(sent), "redis://host:6379/0", "SETTING")
    assert isinstance(error, StoreUnavailable)
    assert str(error).startswith("redis://host:6379/0")


@pytest.mark.parametrize("sent", REFUSING)
def test_what_would_fail_again_is_rejected_and_names_the_setting(sent: str) -> None:
    error = explained(BaseParser.parse_error(sent), "redis://host:6379/0", "SETTING")
    assert isinstance(error, StoreRejected)
    assert str(error).startswith("SETTING: ")


def test_a_node_that_is_in_no_cluster_is_told_from_a_cluster_that_is_away() -> None:
    away = explained(RedisClusterException("Redis Cluster cannot be connected. Please provide at least one reachable node: "), "w", "SETTING")
    wrong = explained(RedisClusterException("Cluster mode is not enabled on this node"), "w", "SETTING")
    assert isinstance(away, StoreUnavailable)
    assert isinstance(wrong, StoreRejected)


def test_text_that_is_not_unicode_is_rejected() -> None:
    with pytest.raises(StoreRejected, match="not Unicode"), explaining("w", "SETTING"):
        "\ud800".encode()
