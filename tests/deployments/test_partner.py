"""What the commands ask of a running server, and `lira mcp --url`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from mcp import Client, StdioServerParameters
from served import ROOT, Server

from lira_cli.partner import Partner, Unanswered, partner
from lira_core.requests import AddMemories, CheckReady, DeleteMemory, Item, ListMemories, ListSummaries, Say, Search


@pytest.fixture
async def remote(server: Server) -> AsyncIterator[Partner]:
    async with partner(server.url, None) as opened:
        yield opened


async def test_a_server_gives_the_replies_that_the_library_gives(remote: Partner, user: str) -> None:
    at = datetime(2026, 10, 3, 9, 12, tzinfo=UTC)
    (kept,) = (await remote.ask(AddMemories(user_id=user, items=(Item(text="나는 부산에 살아", timestamp=at, metadata={"from": "mail"}),)))).ids
    (found,) = (await remote.ask(Search(user_id=user, query="어디 살아?", limit=5))).results
    assert (found.id, found.text, found.metadata) == (kept, "나는 부산에 살아", {"from": "mail"})
    assert datetime.fromisoformat(found.timestamp) == at
    assert (await remote.ask(Search(user_id=user, query="어디 살아?", at=datetime(2026, 10, 1, tzinfo=UTC)))).results == ()
    page = await remote.ask(ListMemories(user_id=user, limit=1))
    assert ([memory.id for memory in page.results], page.next_cursor) == ([kept], None)
    assert "부산" in (await remote.ask(Say(user_id=user, session_id="s", text="나 어디 산다고 했지?"))).reply
    assert (await remote.ask(ListSummaries(user_id=user, scope="day"))).results == ()
    assert await remote.ask(DeleteMemory(user_id=user, memory_id=kept)) is True
    assert await remote.ask(DeleteMemory(user_id=user, memory_id="never")) is False


async def test_what_a_server_refuses_is_told_in_its_own_words(remote: Partner, user: str) -> None:
    with pytest.raises(Unanswered, match="cursor"):
        await remote.ask(ListMemories(user_id=user, cursor="nonsense"))
    with pytest.raises(TypeError, match="CheckReady"):
        await remote.ask(CheckReady())


async def test_something_else_than_lira_is_told_from_it(server: Server, user: str) -> None:
    async with partner(f"{server.url}/nowhere", None) as elsewhere:
        with pytest.raises(Unanswered):
            await elsewhere.ask(ListMemories(user_id=user))


async def test_an_mcp_client_talks_to_a_running_server_by_its_address(server: Server, user: str) -> None:
    arguments = ["-c", "from lira_cli.main import main; main()", "mcp", "--url", server.url, "--user", user]
    async with Client(StdioServerParameters(command=sys.executable, args=arguments, env={"PYTHONPATH": str(ROOT)}, cwd=ROOT)) as client:
        await client.call_tool("remember", {"text": "나는 부산에 살아"})
        found = await client.call_tool("search", {"query": "어디 살아?"})
        assert found.structured_content is not None
        assert [memory["text"] for memory in found.structured_content["results"]] == ["나는 부산에 살아"]
    with server.client() as http:
        assert len(http.get("/v1/memories", params={"user_id": user}).json()["results"]) == 1
