"""The MCP server's tools and resources, asked by the official client over a real LIRA in this process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from jsonschema import validate
from mcp import Client, MCPError

from lira_cli.mcp_server import make_server
from lira_core.lira import Lira
from lira_core.stores import StoreUnavailable

Opened = Callable[[str | None], AbstractAsyncContextManager[Client]]


@pytest.fixture
async def lira(tmp_path: Path) -> AsyncIterator[Lira]:
    async with Lira.local(tmp_path) as opened:
        yield opened


@pytest.fixture
def opened(lira: Lira) -> Opened:
    """A client of a server for everybody (None) or for one user."""

    @asynccontextmanager
    async def client(user: str | None) -> AsyncIterator[Client]:
        async with Client(make_server(lira, user=user)) as connected:
            yield connected

    return client


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool gives, which is what its schema says."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    schema = next(t.output_schema for t in (await client.list_tools()).tools if t.name == tool)
    assert schema is not None
    validate(result.structured_content, schema)
    assert orjson.loads(result.content[0].text) == result.structured_content
    return dict(result.structured_content or {})


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)


async def test_what_is_remembered_is_found_listed_and_gone_once_forgotten(opened: Opened) -> None:
    async with opened(None) as client:
        kept = await call(
            client, "remember", user_id="anna", text="나는 부산에 살아", timestamp="2026-10-03T09:12:00+09:00", metadata={"from": "mail"}
        )
        found = (await call(client, "search", user_id="anna", query="어디 살아?"))["results"]
        assert [(hit["id"], hit["text"], hit["timestamp"], hit["metadata"]) for hit in found] == [
            (kept["id"], "나는 부산에 살아", "2026-10-03T09:12:00+09:00", {"from": "mail"})
        ]
        assert [m["id"] for m in (await call(client, "list", user_id="anna"))["results"]] == [kept["id"]]
        assert await call(client, "forget", user_id="anna", memory_id=kept["id"]) == {"id": kept["id"]}
        assert (await call(client, "search", user_id="anna", query="어디 살아?"))["results"] == []
        assert (await call(client, "list", user_id="anna"))["results"] == []


async def test_a_turn_is_answered_from_what_was_said_before_in_its_session_or_another(opened: Opened) -> None:
    async with opened(None) as client:
        first = await call(client, "chat", user_id="anna", text="제 이름은 민수예요")
        assert first["memory"]["status"] in ("stored", "queued")
        assert "민수" in (await call(client, "chat", user_id="anna", session_id="another", text="내 이름이 뭐였지?"))["reply"]


async def test_two_users_never_see_each_others_memories(opened: Opened) -> None:
    async with opened(None) as client:
        anna = await call(client, "remember", user_id="anna", text="나는 부산에 살아")
        await call(client, "remember", user_id="ben", text="나는 서울에 살아")
        assert [m["text"] for m in (await call(client, "search", user_id="ben", query="부산 서울 어디 살아?"))["results"]] == ["나는 서울에 살아"]
        assert "no memory" in await refused(client, "forget", user_id="ben", memory_id=anna["id"])
        read = await client.read_resource("lira://users/ben/memories")
        assert [m["text"] for m in orjson.loads(read.contents[0].text)["results"]] == ["나는 서울에 살아"]
        assert [m["id"] for m in (await call(client, "list", user_id="anna"))["results"]] == [anna["id"]]


async def test_a_server_for_one_user_has_no_parameter_for_another_and_reaches_nobody_else(opened: Opened) -> None:
    async with opened(None) as anybody:
        await call(anybody, "remember", user_id="ben", text="나는 서울에 살아")
    async with opened("anna") as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == {"remember", "search", "list", "forget", "chat"}
        assert not any("user_id" in tool.input_schema["properties"] for tool in tools)
        await call(client, "remember", text="나는 부산에 살아", user_id="ben")
        assert [m["text"] for m in (await call(client, "list", user_id="ben"))["results"]] == ["나는 부산에 살아"]
        assert [m["text"] for m in (await call(client, "search", query="서울"))["results"]] == ["나는 부산에 살아"]
        (listed,) = (await client.list_resources()).resources
        assert listed.uri == "lira://users/anna/memories"
        assert "부산" in (await client.read_resource(listed.uri)).contents[0].text
        for other in ("lira://users/ben/memories", "lira://users/ben/summaries/day"):
            with pytest.raises(MCPError, match="Unknown resource"):
                await client.read_resource(other)


async def test_every_parameter_is_typed_and_described(opened: Opened) -> None:
    async with opened(None) as client:
        tools = (await client.list_tools()).tools
        for tool in tools:
            assert tool.description
            assert tool.output_schema
            for name, parameter in tool.input_schema["properties"].items():
                assert parameter.get("description"), (tool.name, name)
                assert "type" in parameter or "anyOf" in parameter, (tool.name, name)
        assert {t.name for t in tools if t.annotations and t.annotations.read_only_hint} == {"search", "list"}
        assert {t.name for t in tools if t.annotations and t.annotations.destructive_hint} == {"forget"}


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("remember", {"user_id": "a b", "text": "x"}, "user_id"),
        ("remember", {"user_id": "anna", "text": " "}, "must not be blank"),
        ("remember", {"user_id": "anna", "text": "가" * 4_001}, "at most 4000 characters"),
        ("remember", {"user_id": "anna", "text": "x", "timestamp": "2026-10-03T09:12:00"}, "has no offset"),
        ("search", {"user_id": "anna", "query": "x", "limit": 51}, "less than or equal to 50"),
        ("list", {"user_id": "anna", "cursor": "nonsense"}, "cursor: is not one"),
        ("forget", {"user_id": "anna", "memory_id": "m1"}, "This user has no memory m1"),
        ("forget", {"memory_id": "m1"}, "user_id"),
    ],
)
async def test_a_call_that_cannot_be_is_told_what_is_wrong_with_it(opened: Opened, tool: str, arguments: dict[str, Any], says: str) -> None:
    async with opened(None) as client:
        assert says in await refused(client, tool, **arguments)


async def test_a_store_that_is_away_is_a_clear_error_of_the_tool_and_of_the_resource(tmp_path: Path) -> None:
    async with Lira.local(tmp_path) as lira:
        pass
    async with Client(make_server(lira, user=None)) as client:
        assert "lira.db is closed); try again" in await refused(client, "list", user_id="anna")
        with pytest.raises(MCPError, match=r"lira.db is closed"):
            await client.read_resource("lira://users/anna/memories")
        assert "count nothing as deleted" in await refused(client, "forget", user_id="anna", memory_id="m1")


async def test_a_deletion_that_is_noted_is_told_to_be_finished_later(lira: Lira, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise StoreUnavailable("vectors is away")

    async with opened(None) as client:
        kept = await call(client, "remember", user_id="anna", text="나는 부산에 살아")
        monkeypatch.setattr(lira._stores.vectors, "delete", away)
        assert "will be finished when the store is back" in await refused(client, "forget", user_id="anna", memory_id=kept["id"])


@pytest.mark.parametrize(
    ("uri", "says"), [("lira://users/a%20b/memories", "pattern"), ("lira://users/anna/summaries/year", "'session'"), ("lira://x", "Unknown")]
)
async def test_a_resource_that_cannot_be_is_told_what_is_wrong_with_it(opened: Opened, uri: str, says: str) -> None:
    async with opened(None) as client:
        with pytest.raises(MCPError, match=says):
            await client.read_resource(uri)


async def test_resources_take_any_user_id_that_the_tools_take(opened: Opened) -> None:
    async with opened(None) as client:
        for user in ("c:1", "..", "a._-:9"):
            await call(client, "remember", user_id=user, text=f"나는 {user}야")
            assert f"나는 {user}야" in (await client.read_resource(f"lira://users/{user}/memories")).contents[0].text
            assert orjson.loads((await client.read_resource(f"lira://users/{user}/summaries/day")).contents[0].text) == {"results": []}
