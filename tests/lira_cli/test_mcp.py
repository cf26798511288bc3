"""`lira mcp` as a client starts it: a process of its own, over stdio and over streamable HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from mcp import Client, StdioServerParameters

from lira_core.lira import Lira
from lira_core.requests import ListMemories

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ["-c", "from lira_cli.main import main; main()", "mcp"]
INITIALIZE = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"t","version":"1"}}}\n'
)


def stdio(*options: str) -> Client:
    """A client that starts the server below itself."""
    return Client(StdioServerParameters(command=sys.executable, args=[*COMMAND, *options], env={"PYTHONPATH": str(ROOT)}, cwd=ROOT))


def below() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True) if process.status() != psutil.STATUS_ZOMBIE}


@contextmanager
def started(*options: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LIRA_")}
    process = subprocess.Popen(
        [sys.executable, *COMMAND, *options],
        cwd=ROOT,
        env=inherited | {"PYTHONPATH": str(ROOT)} | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def texts(client: Client, **arguments: Any) -> list[str]:
    listed = await client.call_tool("list", arguments)
    assert listed.structured_content is not None, listed.content
    return [memory["text"] for memory in listed.structured_content["results"]]


async def test_over_stdio_two_users_are_kept_apart_and_what_they_said_outlives_the_server(tmp_path: Path) -> None:
    before = below()
    async with stdio("--data", str(tmp_path)) as client:
        assert below() > before
        await client.call_tool("remember", {"user_id": "anna", "text": "나는 부산에 살아"})
        await client.call_tool("remember", {"user_id": "ben", "text": "I live in Berlin"})
        assert (await texts(client, user_id="anna"), await texts(client, user_id="ben")) == (["나는 부산에 살아"], ["I live in Berlin"])
    assert below() == before
    async with stdio("--data", str(tmp_path), "--user", "anna") as client:
        assert await texts(client) == ["나는 부산에 살아"]
    assert below() == before


async def test_clients_of_the_older_handshake_are_served_too(tmp_path: Path) -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[*COMMAND, "--data", str(tmp_path)], env={"PYTHONPATH": str(ROOT)}, cwd=ROOT)
    async with Client(parameters, mode="legacy") as client:
        await client.call_tool("remember", {"user_id": "anna", "text": "나는 부산에 살아"})
        assert await texts(client, user_id="anna") == ["나는 부산에 살아"]


async def test_a_server_and_another_process_share_one_file(tmp_path: Path) -> None:
    async with Lira.local(tmp_path) as lira, stdio("--data", str(tmp_path)) as client:
        for number in range(5):
            _, kept = await asyncio.gather(
                lira.chat(user_id="anna", session_id="s", text=f"기억해줘, {number}번 방이야"),
                client.call_tool("remember", {"user_id": "anna", "text": f"{number}층이야"}),
            )
        page = await lira.ask(ListMemories(user_id="anna"))
        assert sorted(memory.text for memory in page.results) == sorted(await texts(client, user_id="anna"))
        assert len(page.results) == 10
        assert kept.structured_content is not None
        await client.call_tool("forget", {"user_id": "anna", "memory_id": kept.structured_content["id"]})
        assert len((await lira.ask(ListMemories(user_id="anna"))).results) == 9


@pytest.mark.parametrize("options", [(), ("--http", "--port", "0")])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(tmp_path: Path, options: tuple[str, ...], number: signal.Signals) -> None:
    with started("--data", str(tmp_path), *options) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if not options:
            process.stdin.write(INITIALIZE)
            process.stdin.flush()
        assert process.stdout.readline()
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(number)
        assert process.wait(timeout=60) == 0
        assert not [child for child in children if child.is_running()]
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_the_end_of_input_ends_it_and_standard_output_carries_the_protocol_alone(tmp_path: Path) -> None:
    with started("--data", str(tmp_path)) as process:
        out, _ = process.communicate(INITIALIZE + "not JSON\n", timeout=120)
    assert process.returncode == 0
    assert out
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[Callable[..., str]]:
    """Starts a server on a free port and gives its address."""
    running = []

    def start(*options: str) -> str:
        context = started("--http", "--port", "0", "--data", str(tmp_path), *options)
        process = context.__enter__()
        running.append(context)
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("LIRA speaks MCP on http://127.0.0.1:"), process.stderr.read() if process.stderr else ""
        return line.split()[-1]

    yield start
    for context in running:
        context.__exit__(None, None, None)


async def test_over_http_two_clients_are_served_at_once_and_two_users_kept_apart(listening: Callable[..., str]) -> None:
    address = listening()
    async with Client(address) as one, Client(address, mode="legacy") as other:
        await asyncio.gather(
            *(one.call_tool("remember", {"user_id": "anna", "text": f"나는 {n}번 버스를 타"}) for n in range(5)),
            *(other.call_tool("remember", {"user_id": "ben", "text": f"I take bus {n}"}) for n in range(5)),
        )
        assert sorted(await texts(other, user_id="anna")) == [f"나는 {n}번 버스를 타" for n in range(5)]
        assert sorted(await texts(one, user_id="ben")) == [f"I take bus {n}" for n in range(5)]
        read = await one.read_resource("lira://users/ben/memories")
        assert "버스" not in read.contents[0].text


async def test_a_signal_ends_it_while_a_client_holds_a_stream_open(tmp_path: Path) -> None:
    with started("--http", "--port", "0", "--data", str(tmp_path)) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        async with httpx.AsyncClient(headers={"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}) as client:
            session = (await client.post(address, content=INITIALIZE)).headers["Mcp-Session-Id"]
            async with client.stream("GET", address, headers={"Mcp-Session-Id": session}) as stream:
                assert stream.status_code == 200
                process.send_signal(signal.SIGTERM)
                assert await asyncio.to_thread(process.wait, 60) == 0


async def test_over_http_a_page_of_another_site_is_refused(listening: Callable[..., str]) -> None:
    address = listening("--user", "anna")
    async with httpx.AsyncClient(headers={"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}) as browser:
        for headers in ({"Origin": "https://evil.example"}, {"Host": "evil.example"}):
            assert (await browser.post(address, content=INITIALIZE, headers=headers)).status_code in (403, 421)
        assert (await browser.post(address, content=INITIALIZE)).status_code == 200


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--user", "a b"), "not 1 to 128 of letters"),
        (("--url", "127.0.0.1:8000"), "no address such as"),
        (("--url", "http://127.0.0.1:8000", "--data", "x"), "goes with a LIRA in this process alone"),
        (("--http", "--port", "70000"), "less than or equal to 65535"),
    ],
)
def test_options_that_cannot_be_are_a_sentence_and_exit_code_2(lira: Callable[..., Any], options: tuple[str, ...], says: str) -> None:
    done = lira("mcp", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_a_sentence_and_exit_code_2(lira: Callable[..., Any], listening: Callable[..., str], tmp_path: Path) -> None:
    port = httpx.URL(listening()).port
    done = lira("mcp", "--http", "--port", str(port), "--data", str(tmp_path))
    assert done.returncode == 2
    assert "cannot be listened on" in " ".join(done.stderr.replace("│", " ").split())


async def test_a_server_that_is_not_there_is_a_clear_error_of_the_tool() -> None:
    async with stdio("--url", "http://127.0.0.1:9") as client:
        refused = await client.call_tool("list", {"user_id": "anna"})
        assert refused.is_error
        assert "no answer from http://127.0.0.1:9" in refused.content[0].text
        assert "is `lira serve` running there?" in refused.content[0].text
