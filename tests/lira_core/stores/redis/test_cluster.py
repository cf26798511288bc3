"""A real cluster: two primaries on this machine, each with half of the slots."""

from __future__ import annotations

import asyncio
import time

import pytest
from redis.crc import key_slot

from lira_cli.ports import free_port
from lira_core.stores.ports import StoreRejected

from ..conformance.making import eventually, someone, turn
from .conftest import Open, Start
from .everything import everything
from .servers import RedisProcess

SETTINGS = ("--cluster-enabled", "yes", "--appendonly", "yes", "--appendfsync", "always", "--save", "")


@pytest.fixture
def nodes(start: Start) -> list[RedisProcess]:
    buses = [str(free_port()) for _ in range(2)]  # by themselves they would be 10000 above the port, which may be more than there are
    one, other = (start(*SETTINGS, "--cluster-port", bus) for bus in buses)
    with one.client() as client, other.client() as second:
        client.execute_command("CLUSTER ADDSLOTSRANGE", 0, 8191)
        second.execute_command("CLUSTER ADDSLOTSRANGE", 8192, 16383)
        client.execute_command("CLUSTER MEET", "127.0.0.1", other.port, buses[1])
        deadline = time.monotonic() + 30
        while not all(node.execute_command("CLUSTER INFO")["cluster_state"] == "ok" for node in (client, second)):
            assert time.monotonic() < deadline, "the nodes do not find each other"
            time.sleep(0.05)
    return [one, other]


async def test_everything_works_on_a_cluster(nodes: list[RedisProcess], opened: Open) -> None:
    short_term, deferred = await opened(nodes[0].url + "?cluster=true")
    await everything(short_term, deferred, [someone() for _ in range(12)])
    assert all(node.dump() for node in nodes), "both had a part of it"


async def test_a_node_that_was_away_is_used_again(nodes: list[RedisProcess], opened: Open) -> None:
    short_term, _ = await opened(nodes[0].url + "?cluster=true")
    users = [someone() for _ in range(12)]
    await asyncio.gather(*(short_term.append(user, "s", turn("t")) for user in users))
    nodes[1].kill()
    nodes[1].start()

    async def all_there() -> bool:
        found = await asyncio.gather(*(short_term.read(user, "s") for user in users), return_exceptions=True)
        return all(not isinstance(session, BaseException) and len(session.messages) == 2 for session in found)

    await eventually(all_there, 30)


async def test_a_cluster_that_is_opened_as_a_server_or_a_server_as_a_cluster_stops_the_start(
    nodes: list[RedisProcess], start: Start, opened: Open
) -> None:
    with pytest.raises(StoreRejected, match=r"add \?cluster=true"):
        await opened(nodes[key_slot(b"lira:schema") < 8192].url)  # the one that has not the slot of what is looked at first
    with pytest.raises(StoreRejected, match=r"take \?cluster=true from"):
        await opened(start().url + "?cluster=true")
