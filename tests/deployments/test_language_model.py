"""Whole turns of a served LIRA with a real language model (llama.cpp's server): streaming, leaving, a death in the middle, facts."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Server, serving

from lira_core.memory.derivation import MISREAD, WAITING
from tests.lira_core.generation.llama import MODEL, Llama, llama

pytestmark = pytest.mark.skipif("LIRA_TEST_LONG" not in os.environ, reason="LIRA_TEST_LONG=1 runs it: a minute and more")

ENDLESS = {"ignore_eos": True, "grammar": 'root ::= ([a-z]+ " ")+'}
"""Words without an end of a sentence, so that an answer goes on until somebody ends it."""
WORDS = 1_200
"""Tokens of an answer that nobody ends: many seconds on any CPU."""
CHAT = {"session_id": "s", "text": "hello there"}
"""Nothing that is kept: no second request, for facts, goes to the engine."""


@dataclass
class Running:
    """A LIRA and the engine behind it, which may be another one after a while on the same port."""

    lira: Server
    engine: Llama
    data: Path
    engines: ExitStack

    def another_engine(self) -> None:
        self.engine = self.engines.enter_context(llama(port=self.engine.port))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Deadlines leave time to a CPU that others use, too."""
    with ExitStack() as engines:
        engine, data = engines.enter_context(llama()), tmp_path_factory.mktemp("lira")
        environment = {
            "LIRA_GENERATOR": "openai",
            "LIRA_GENERATOR_URL": engine.url,
            "LIRA_GENERATOR_MODEL": MODEL,
            "LIRA_GENERATOR_MAX_TOKENS": str(WORDS),
            "LIRA_GENERATOR_OPTIONS": json.dumps(ENDLESS),
            "LIRA_GENERATOR_FIRST_TOKEN_MS": "100000",
            "LIRA_GENERATOR_IDLE_MS": "30000",
            "LIRA_GENERATE_DEADLINE_MS": "110000",
            "LIRA_REQUEST_DEADLINE_MS": "120000",
            "LIRA_UNDERSTANDER": "openai",
            "LIRA_UNDERSTANDER_URL": engine.url,  # named, so that the generator's grammar is not sent
            "LIRA_UNDERSTANDER_DEADLINE_MS": "120000",
        }
        with serving(data, environment=environment) as lira:
            yield Running(lira, engine, data, engines)


def events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Of a `text/event-stream`: each event's name and data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def stream(http: httpx.Client, user: str) -> Any:
    return http.stream("POST", "/v1/chat", json={"user_id": user, "stream": True} | CHAT, timeout=150)


def until(holds: Callable[[], bool], what: str) -> None:
    ends = time.monotonic() + 150
    while not holds():
        assert time.monotonic() < ends, f"not within 150 s: {what}"
        time.sleep(0.2)


def counted(server: Server, name: str, **labels: str) -> float:
    lines = httpx.get(f"{server.url}/metrics", timeout=20).text.splitlines()
    wanted = [f'{label}="{value}"' for label, value in labels.items()]
    return sum(float(line.rpartition(" ")[2]) for line in lines if re.match(rf"ray_{name}\W", line) and all(one in line for one in wanted))


def test_who_leaves_a_stream_frees_the_engine(told: Running, user: str) -> None:
    left = counted(told.lira, "lira_generator_calls_total", outcome="left")
    written = [0]

    def running() -> int:
        slots = [slot for slot in told.engine.slots() if slot["is_processing"]]
        written.extend(slot["next_token"][0]["n_decoded"] for slot in slots)
        return len(slots)

    with told.lira.client() as http, stream(http, user) as answer:
        told_so_far = events(answer.iter_lines())  # held, or the connection would be closed with it
        assert "token" in (name for name, _ in told_so_far)
        until(lambda: running() == 1 and max(written) > 0, "the engine writes")  # what LIRA says by itself comes first
    until(lambda: running() == 0, "nothing is written any more")
    assert 0 < max(written) < WORDS / 2, "it was ended, not finished"
    until(lambda: counted(told.lira, "lira_generator_calls_total", outcome="left") > left, "it is counted")


def test_what_is_kept_is_read_for_facts_by_the_model_after_the_answer(told: Running, user: str) -> None:
    """A model this small mostly makes things up, which is not believed, or never ends: what is looked at is that it was asked."""
    said = {"user_id": user, "items": [{"text": "나는 부산에 살고 토요일마다 보드게임 모임 열어"}]}
    with told.lira.client() as http:
        (memory,) = http.post("/v1/memories", json=said).json()["ids"]

        def derived() -> int:
            with sqlite3.connect(f"file:{told.data / 'lira.db'}?mode=ro", uri=True) as file:
                return int(file.execute("SELECT derived FROM memories WHERE id = ?", (memory,)).fetchone()[0])

        assert derived() >= WAITING
        until(lambda: derived() >= MISREAD, "the model was asked")
        until(lambda: sum(counted(told.lira, "lira_extractions_total", outcome=how) for how in ("read", "misread")) >= 1, "it is counted")
        assert [one["text"] for one in http.get("/v1/memories", params={"user_id": user}).json()["results"]] == [said["items"][0]["text"]]


def test_an_engine_that_is_killed_in_the_middle_ends_the_answer_cleanly_and_then_nobody_asks_it(told: Running, user: str) -> None:
    with told.lira.client() as http:
        with stream(http, user) as answer:
            seen: list[tuple[str, dict[str, Any]]] = []
            for event in events(answer.iter_lines()):
                seen.append(event)
                if [name for name, _ in seen].count("token") == 3:
                    told.engine.kill()
        names, reply = [name for name, _ in seen], seen[-1][1]
        pieces = [data["text"] for name, data in seen if name == "token"]
        assert names == ["recall", *["token"] * len(pieces), "done"]
        assert reply["degraded"] == ["generator"]
        assert reply["reply"].strip() == "".join(pieces).strip()
        assert re.fullmatch(r"[a-z ]+", reply["reply"].rpartition(". ")[2]), "the model's words are the last, no other answer follows"

        after = [http.post("/v1/chat", json={"user_id": user} | CHAT, timeout=150).json() for _ in range(4)]
        assert all(one["reply"] and one["degraded"] == ["generator"] for one in after)
        until(lambda: counted(told.lira, "lira_generator_calls_total", outcome="spared") >= 1, "the circuit is open")
        until(lambda: counted(told.lira, "lira_circuit_state", store="generator") == 1, "and says so")

        told.another_engine()
        until(lambda: counted(told.lira, "lira_circuit_state", store="generator") == 0, "it is taken up again")
        with stream(http, user) as answer:
            again = events(answer.iter_lines())
            next(again)
            name, piece = next(again)
        assert name == "token"
        assert re.fullmatch(r"[a-z ]+", piece["text"].lower()), "the model's words again"
