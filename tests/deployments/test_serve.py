"""`lira serve` as a process: what it refuses, that it shares a machine, that it is reached from nowhere else, that it leaves nothing behind."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import yaml
from served import ROOT, Server, serving, start

from lira_cli.ports import free_port
from lira_core import compose
from lira_core.settings import load_settings
from lira_core.stores.ports import IndexPlan

LOOPBACK = {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
SECRET = "제 이름은 도윤이에요."
KUBERNETES = {"LIRA_SERVICE_HOST": "10.96.0.7", "LIRA_PORT": "tcp://10.96.0.7:8000", "LIRA_PORT_8000_TCP_ADDR": "10.96.0.7"}
"""What Kubernetes puts into every container of a namespace with a Service `lira`."""


def refused(process: subprocess.Popen[str]) -> str:
    """The one sentence of a start that is refused before anything is started."""
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, ""), err
    (sentence,) = [line for line in err.splitlines() if line.startswith("lira serve: ")]
    return sentence


def test_a_port_in_use_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"Port {port} on 127.0.0.1 is in use" in refused(start(port, tmp_path))


def test_another_address_needs_consent(tmp_path: Path) -> None:
    sentence = refused(start(free_port(), tmp_path, environment={"LIRA_HOST": "0.0.0.0"}))
    assert "0.0.0.0" in sentence
    assert "LIRA_ALLOW_UNAUTHENTICATED" in sentence


def test_another_address_in_the_config_needs_consent_too(tmp_path: Path) -> None:
    config = tmp_path / "open.yaml"
    config.write_text((ROOT / "cluster" / "local.yaml").read_text().replace("http_options:\n", "http_options:\n  host: 0.0.0.0\n"))
    assert "LIRA_ALLOW_UNAUTHENTICATED" in refused(start(free_port(), tmp_path, config=config))


def test_an_unknown_setting_is_named(tmp_path: Path) -> None:
    sentence = refused(start(free_port(), tmp_path, environment={"LIRA_RECORD_URI": "sqlite:///x"}))
    assert "LIRA_RECORD_URI" in sentence
    assert "LIRA_RECORD_URL" in sentence


def test_a_misspelt_config_key_is_named_with_the_right_one(tmp_path: Path) -> None:
    config = tmp_path / "misspelt.yaml"
    config.write_text((ROOT / "cluster" / "local.yaml").read_text().replace("num_replicas", "num_replica", 1))
    sentence = refused(start(free_port(), tmp_path, config=config))
    assert "num_replica " in sentence
    assert "did you mean num_replicas?" in sentence


def test_a_gpu_that_this_machine_does_not_have_is_said_before_anything_waits_for_it(tmp_path: Path) -> None:
    config = tmp_path / "gpu.yaml"
    raw = yaml.safe_load((ROOT / "cluster" / "local.yaml").read_text())
    raw["applications"][0]["deployments"][2]["ray_actor_options"] = {"num_cpus": 0.1, "num_gpus": 99}
    config.write_text(yaml.safe_dump(raw))
    sentence = refused(start(free_port(), tmp_path, config=config))
    assert "asks for 99 GPUs (UtteranceAnalyzer 99)" in sentence
    assert "lower num_gpus under ray_actor_options" in sentence


def test_a_model_folder_that_lacks_a_file_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    sentence = refused(start(free_port(), tmp_path, environment={"LIRA_EMOTION_MODEL_DIR": str(tmp_path / "empty")}))
    assert str(tmp_path / "empty") in sentence
    assert "LIRA_EMOTION_MODEL_DIR" in sentence


@pytest.mark.parametrize("role", ["SHORT_TERM", "RECORD", "VECTORS"])
def test_a_store_that_cannot_be_opened_is_named_with_its_setting(tmp_path: Path, role: str) -> None:
    sentence = refused(start(free_port(), tmp_path, environment={f"LIRA_{role}_URL": "oracle://127.0.0.1/lira"}))
    assert f"LIRA_{role}_URL" in sentence
    assert "sqlite:///PATH" in sentence


async def test_an_index_of_another_encoder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    stores = await compose.open_settled_stores(load_settings(data_dir=tmp_path))
    await stores.record.plan_index(IndexPlan("older-00000000-3", None), IndexPlan())
    await stores.close()
    sentence = await asyncio.to_thread(lambda: refused(start(free_port(), tmp_path)))
    assert "older-00000000-3" in sentence
    assert "run `lira reindex`" in sentence


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server beside the first: answers come from a Generator deployment and questions go to a MemoryReader, one turn may wait, and there are
    Kubernetes' own variables."""
    folder = tmp_path_factory.mktemp("second")
    config = folder / "apart.yaml"
    config.write_text(
        (ROOT / "cluster" / "local.yaml")
        .read_text()
        .replace(": inline", ": deployment")
        .replace("      stages:\n", "      stages:\n        MemoryReader: [reader]\n")
    )
    environment = KUBERNETES | {"LIRA_MAX_QUEUED_REQUESTS": "1", "LIRA_GENERATE_DEADLINE_MS": "4000", "LIRA_READING_DEADLINE_MS": "4000"}
    with serving(folder, config=config, environment=environment) as running:
        yield running


def test_two_servers_share_a_machine_and_no_memory(server: Server, second: Server) -> None:
    asked = {"user_id": "same", "session_id": "s"}
    assert httpx.post(f"{second.url}/v1/chat", json=asked | {"text": SECRET}, timeout=60).status_code == 200
    here, there = (httpx.get(f"{one.url}/v1/memories", params={"user_id": "same"}, timeout=60).text for one in (second, server))
    assert SECRET in here
    assert SECRET not in there


def test_a_generator_deployment_streams_the_answer(second: Server) -> None:
    said = {"user_id": "g", "session_id": "s", "text": "오늘 정말 기뻤어"}
    reply = httpx.post(f"{second.url}/v1/chat", json=said, timeout=60).json()
    assert reply["reply"].strip()
    assert reply["degraded"] == []
    stream = httpx.post(f"{second.url}/v1/chat", json=said | {"stream": True}, timeout=60).text
    assert stream.count("event: done") == 1
    assert "event: token" in stream


def test_a_reader_deployment_names_what_answers_and_its_absence_is_told(second: Server) -> None:
    def say(text: str) -> dict[str, Any]:
        reply: dict[str, Any] = httpx.post(f"{second.url}/v1/chat", json={"user_id": "r", "session_id": "s", "text": text}, timeout=60).json()
        return reply

    assert say("우리 엄마 생신이 12월 3일이야")["memory"]["status"] == "stored"
    told = say("엄마 생신이 언제라고 했지?")
    assert (told["degraded"], "12월 3일" in told["reply"]) == ([], True)
    listed = say("엄마에 대해 아는 거 다 말해줘")
    assert (listed["degraded"], "생신" in listed["reply"]) == ([], True)
    query = {"user_id": "r", "query": "엄마 생신이 언제지?"}
    found = httpx.post(f"{second.url}/v1/memories/search", json=query, timeout=60).json()
    assert found["degraded"] == []
    assert found["results"][0]["score_parts"]["reader"] > 0
    with second.suspended("MemoryReader"):
        missed = say("엄마 생신이 언제라고 했지?")
        without = httpx.post(f"{second.url}/v1/memories/search", json=query, timeout=60).json()
    assert missed["degraded"] == ["reader"]
    assert missed["recalled"]
    assert without["degraded"] == ["reader"]
    assert [one["id"] for one in without["results"]] == [one["id"] for one in found["results"]]


def test_where_the_generator_stands_still_the_grounded_responder_answers_and_says_so(second: Server) -> None:
    said = {"user_id": "still", "session_id": "s", "text": "오늘 정말 기뻤어"}
    with second.suspended("Generator"):
        reply = httpx.post(f"{second.url}/v1/chat", json=said, timeout=60).json()
    assert reply["degraded"] == ["generator"]
    assert reply["reply"].strip()
    assert reply["memory"]["status"] == "stored"


def test_a_generator_that_died_is_there_again(second: Server) -> None:
    said = {"user_id": "g", "session_id": "again", "text": "오늘 정말 기뻤어"}
    second.replica("Generator").kill()
    ends = time.monotonic() + 60
    while (reply := httpx.post(f"{second.url}/v1/chat", json=said, timeout=60).json())["degraded"] and time.monotonic() < ends:
        assert reply["degraded"] == ["generator"]
        time.sleep(0.5)
    assert reply["degraded"] == []


def test_a_client_that_leaves_in_the_middle_of_a_stream_ends_its_turn(second: Server) -> None:
    def ask(session: str) -> dict[str, Any]:
        return {"user_id": "leaves", "session_id": session, "text": "오늘 정말 기뻤어", "stream": True}

    with second.client() as client, ThreadPoolExecutor(1) as pool:
        with second.suspended("Generator"):
            with client.stream("POST", "/v1/chat", json=ask("left")) as answer:
                assert next(answer.iter_lines()) == "event: recall"
            stays = pool.submit(client.post, "/v1/chat", json=ask("stayed"))
            time.sleep(1)  # for the news that it left to get there
        assert "event: done" in stays.result().text
        time.sleep(1)  # what had not stopped would be in its session by now, as the other is
        left, stayed = (client.get(f"/v1/sessions/{one}", params={"user_id": "leaves"}).json()["chat_history"] for one in ("left", "stayed"))
    assert (len(left), len(stayed)) == (0, 2)


def test_a_client_that_leaves_while_it_waits_for_an_answer_ends_its_turn(second: Server) -> None:
    def said(session: str) -> dict[str, Any]:
        return {"user_id": "goes", "session_id": session, "text": "오늘 정말 기뻤어"}

    with second.client() as client:
        with second.suspended("Generator"):
            with pytest.raises(httpx.ReadTimeout):
                client.post("/v1/chat", json=said("left"), timeout=1)
            stayed = client.post("/v1/chat", json=said("stayed"))
        assert stayed.status_code == 200
        time.sleep(1)  # what had not stopped would be in its session by now, as the other is
        sizes = [len(client.get(f"/v1/sessions/{one}", params={"user_id": "goes"}).json()["chat_history"]) for one in ("left", "stayed")]
    assert sizes == [0, 2]


async def test_more_than_may_wait_are_refused_with_retry_after(second: Server) -> None:
    async with httpx.AsyncClient(base_url=second.url, timeout=60, limits=httpx.Limits(max_connections=200)) as client:
        said = [{"user_id": "many", "session_id": "s", "text": f"{i}번째"} for i in range(200)]
        answers = await asyncio.gather(*(client.post("/v1/chat", json=one) for one in said))
        statuses = Counter(answer.status_code for answer in answers)
        assert set(statuses) == {200, 503}, statuses
        for answer in answers:
            if answer.status_code == 503:
                assert answer.headers["content-type"] == "application/problem+json"
                assert int(answer.headers["retry-after"]) >= 1
        assert (await client.post("/v1/chat", json=said[0])).status_code == 200


def listening_beyond_loopback(server: Server) -> set[int]:
    """Ports of the server's processes that others than this machine could reach."""
    found = set()
    for process in server.processes():
        try:
            listening = [c for c in process.net_connections(kind="inet") if c.status == psutil.CONN_LISTEN]
        except psutil.Error:
            continue
        found |= {c.laddr.port for c in listening if c.laddr.ip not in LOOPBACK}
    return found


def test_every_listener_is_on_loopback(server: Server) -> None:
    assert listening_beyond_loopback(server) == set()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_cleanly_and_leaves_no_process_behind(how: signal.Signals, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if how is signal.SIGTERM:
        ended: Server = request.getfixturevalue("second")
        assert httpx.post(f"{ended.url}/v1/chat", json={"user_id": "u", "session_id": "s", "text": SECRET}, timeout=60).status_code == 200
        _end(ended.process, how)
    else:
        starting = start(free_port(), tmp_path)
        time.sleep(5)
        _end(starting, how)


def _end(process: subprocess.Popen[str], how: signal.Signals) -> None:
    started = psutil.Process(process.pid).children(recursive=True)
    assert started
    process.send_signal(how)
    out, err = process.communicate(timeout=40)
    assert process.returncode == 0, err
    assert out == ""
    assert [one for one in started if one.is_running() and one.status() != psutil.STATUS_ZOMBIE] == []
    assert "Traceback" not in err
    assert "graceful_shutdown failed" not in err


def test_what_was_stored_is_there_after_a_crash_and_consent_opens_the_door_with_a_warning(tmp_path: Path) -> None:
    said = {"user_id": "u", "session_id": "s", "text": SECRET}
    with serving(tmp_path) as running:
        assert httpx.post(f"{running.url}/v1/chat", json=said, timeout=60).json()["memory"]["status"] == "stored"
        below = running.processes()[1:]
        running.process.kill()
        _, alive = psutil.wait_procs(below, timeout=40)
        assert alive == []
    consent = {"LIRA_HOST": "0.0.0.0", "LIRA_ALLOW_UNAUTHENTICATED": "true"}
    with serving(tmp_path, environment=consent) as running:
        asked = httpx.post(f"{running.url}/v1/chat", json=said | {"session_id": "t", "text": "제 이름이 뭐였죠?"}, timeout=60)
        assert "도윤" in asked.json()["reply"]
        assert listening_beyond_loopback(running) == {int(running.url.rpartition(":")[2])}
        running.process.send_signal(signal.SIGTERM)
        assert "LIRA_ALLOW_UNAUTHENTICATED is set" in running.process.communicate(timeout=60)[1]
