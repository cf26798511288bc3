"""Traces and logs of a server that runs: what they say, to whom, and what they never say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
import pytest
from served import Server, serving

pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="traces need the extra `otel`")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse
from opentelemetry.proto.trace.v1.trace_pb2 import Span

SAID = "어제 꿈에서 보라색 코뿔소와 탱고를 췄어. 기억해줘."
SECRETS = ("코뿔소", "탱고", "보라색")
ASKED = "내가 코뿔소와 뭐 했지?"
DEADLINE_MS = "700"


class Collector:
    """A receiver of OTLP over HTTP: what an exporter sends is read as the protocol says, and answered so."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.services: set[str] = set()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf":
                    collector.take(ExportTraceServiceRequest.FromString(body))
                    told = ExportTraceServiceResponse().SerializeToString()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/x-protobuf")
                    self.send_header("Content-Length", str(len(told)))
                    self.end_headers()
                    self.wfile.write(told)
                else:
                    self.send_error(404)

            def log_message(self, *_: object) -> None:
                """Quietly."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, request: ExportTraceServiceRequest) -> None:
        for resource in request.resource_spans:
            self.services |= {one.value.string_value for one in resource.resource.attributes if one.key == "service.name"}
            self.spans += [span for scope in resource.scope_spans for span in scope.spans]

    def trace(self, trace_id: bytes, names: set[str], within: float = 30) -> list[Span]:
        """The spans of a trace, when all of the names are among them."""
        ends = time.monotonic() + within
        while time.monotonic() < ends:
            found = [span for span in self.spans if span.trace_id == trace_id]
            if names <= {span.name for span in found}:
                break
            time.sleep(0.2)
        return found

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    one = Collector()
    yield one
    one.close()


@pytest.fixture(scope="module")
def told(collector: Collector, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Path]]:
    """A server that traces everything and writes its logs as JSON into a folder."""
    logs = tmp_path_factory.mktemp("logs")
    environment = {
        "LIRA_OTLP_ENDPOINT": collector.url,
        "LIRA_TRACE_SHARE": "1",
        "LIRA_LOG_FORMAT": "json",
        "LIRA_LOG_DIR": str(logs),
        "LIRA_EMOTION_DEADLINE_MS": DEADLINE_MS,
        "LIRA_EMBEDDING_DEADLINE_MS": DEADLINE_MS,
    }
    with serving(tmp_path_factory.mktemp("data"), environment=environment) as running:
        yield running, logs


def say(server: Server, text: str, **headers: str) -> dict:
    with server.client() as http:
        answer = http.post("/v1/chat", json={"user_id": "u1", "session_id": "s1", "text": text}, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_turn_is_one_trace_through_every_stage_and_process(told: tuple[Server, Path], collector: Collector) -> None:
    trace_id = bytes(range(1, 17))
    reply = say(told[0], SAID, traceparent=f"00-{trace_id.hex()}-00f067aa0ba902b7-01")
    expected = {"turn", "emotion", "embedding", "understand", "gate", "remember", "generate", "session"}
    spans = collector.trace(trace_id, expected)
    assert expected <= {span.name for span in spans}
    by_id, (turn,) = {span.span_id: span for span in spans}, [span for span in spans if span.name == "turn"]
    assert {one.key: one.value.string_value for one in turn.attributes}["lira.request_id"] == reply["request_id"]
    assert by_id[turn.parent_span_id].name.startswith("replica_handle_request RecallOrchestrator") or "Orchestrator" in str(
        by_id[turn.parent_span_id]
    )
    for span in spans:
        if span.name in expected - {"turn"}:
            assert span.parent_span_id == turn.span_id
    assert any("Analyzer" in str(span) for span in spans), "the models' process is in the trace"
    assert collector.services == {"lira"}


def test_a_stage_that_was_left_out_is_named_in_the_trace_and_in_a_json_line_with_the_request_s_id(
    told: tuple[Server, Path], collector: Collector
) -> None:
    server, logs = told
    trace_id = bytes(range(2, 18))
    with server.suspended("UtteranceAnalyzer"):
        reply = say(server, SAID, traceparent=f"00-{trace_id.hex()}-00f067aa0ba902b7-01")
    assert {"emotion", "embedding"} <= set(reply["degraded"])
    (turn,) = [span for span in collector.trace(trace_id, {"turn"}) if span.name == "turn"]
    missed = {value.string_value for one in turn.attributes if one.key == "lira.degraded" for value in one.value.array_value.values}
    assert missed == set(reply["degraded"])
    lines = [json.loads(line) for path in logs.glob("*RecallOrchestrator*.log") for line in path.read_text("utf-8").splitlines()]
    about = [line for line in lines if line.get("request_id") == reply["request_id"]]
    assert any("emotion was left out of a turn" in line["message"] and line["levelname"] == "WARNING" for line in about), lines[-5:]


def test_no_log_and_no_trace_says_what_people_said(told: tuple[Server, Path], collector: Collector) -> None:
    server, logs = told
    say(server, SAID)
    say(server, ASKED)
    with server.suspended("UtteranceAnalyzer"):
        say(server, SAID)
    with server.client() as http:
        http.post("/v1/chat", json={"user_id": "u 1", "session_id": "s1", "text": SAID})
        http.post("/v1/chat", content=f'{{"text": "{SAID}"'.encode(), headers={"Content-Type": "application/json"})
    time.sleep(6)  # the exporter's batches are sent every five seconds
    written = {path: path.read_bytes() for folder in (logs, ray_logs(server)) for path in folder.rglob("*") if path.is_file()}
    assert sum("RecallOrchestrator" in path.name for path in written) >= 1
    hidden = [form for word in SECRETS for form in (word.encode(), word.encode("unicode_escape"), json.dumps(word)[1:-1].encode())]
    assert not [path for path, content in written.items() if any(form in content for form in hidden)]
    assert not [span for span in collector.spans if any(form in span.SerializeToString() for form in hidden)]


def ray_logs(server: Server) -> Path:
    """Where Ray's processes of this server write."""
    for process in server.processes():
        try:
            sessions = [word.partition("=")[2] for word in process.cmdline() if word.startswith(("--session_dir=", "--session-dir="))]
        except psutil.Error:
            continue
        if sessions:
            return Path(sessions[0]) / "logs"
    raise LookupError("no process of Ray's names its session")
