"""Cohere's embed call as its reference has it, on a port of this machine: vectors are made of the words, so that each text has its own."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "co-0123456789"


def vector(text: str, kind: str, dimensions: int) -> list[float]:
    digest = hashlib.sha256(f"{kind} {text}".encode()).digest()
    return [digest[i % len(digest)] / 255 - 0.5 for i in range(dimensions)]


@dataclass
class CohereApi:
    """`script`: what the next calls are answered instead, as (status, headers, body), or None to hang up."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    script: list[tuple[int, dict[str, str], Any] | None] = field(default_factory=list)

    def answer(self, path: str, key: str, body: dict[str, Any]) -> tuple[int, dict[str, str], Any] | None:
        self.asked.append(body)
        if self.script:
            return self.script.pop(0)
        if path != "/v2/embed":
            return 404, {}, {"message": "not found"}
        if key != f"Bearer {KEY}":
            return 401, {}, {"message": "invalid api token"}
        if not 0 < len(body["texts"]) <= 96:
            return 400, {}, {"message": "invalid request: total number of texts must be at most 96"}
        if body["model"].endswith("-v3.0") and "output_dimension" in body:
            return 400, {}, {"message": "output_dimension is not supported for this model"}
        vectors = [vector(text, body["input_type"], body.get("output_dimension", 1024)) for text in body["texts"]]
        tokens = {"billed_units": {"input_tokens": 3 * len(vectors)}}
        return 200, {}, {"id": "e1", "texts": body["texts"], "embeddings": {"float": vectors}, "meta": tokens, "response_type": "embeddings_by_type"}


@contextmanager
def serving() -> Iterator[CohereApi]:
    api = CohereApi()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(api.answer))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    api.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(answer: Callable[..., tuple[int, dict[str, str], Any] | None]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if (told := answer(self.path, self.headers["authorization"], body)) is None:
                self.close_connection = True
                return
            status, headers, content = told
            sent = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in ({"content-type": "application/json", "content-length": str(len(sent))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None:
            """Nothing is said."""

    return Handler
