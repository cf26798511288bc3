"""`locust -f loadtests/locustfile.py --headless --host URL --users N --run-time 5m --shape steady --report FILE.html`; `make loadtest` also serves.

Each user is one invented person after another: a few turns in a session, thinking between them, then the next session of the same person.
"""

from __future__ import annotations

import itertools
import json
import logging
import random
import sys
import time
import uuid
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import Any

import gevent

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from locust import FastHttpUser, LoadTestShape, between, events, task
from locust.contrib.fasthttp import ResponseContextManager
from locust.env import Environment
from locust.runners import WorkerRunner

from loadtests import corpus
from loadtests.report import Run, write
from loadtests.scrape import memory_growth
from loadtests.shapes import SHAPES, users_at
from loadtests.verdict import LIMITS, Outcome, complaints
from loadtests.watch import Watch

log = logging.getLogger("loadtest")

TURN, STREAMED, FIRST_TOKEN = "turn", "turn, streamed", "first token"
SESSION_TURNS = 6
"""After so many turns the person comes back later, in a new session."""
STREAM_SHARE = 0.5
THINK_S = (1.0, 5.0)
"""Between an answer and the next utterance: a short message is read and another written."""
SEED = 20_261_122

_people, _feelings = corpus.people(), corpus.feelings()
_numbers = itertools.count()
_run = uuid.uuid4().hex[:8]


class Person(FastHttpUser):
    """One user after the other, each with the memory that the person before did not leave."""

    wait_time = between(*THINK_S)
    network_timeout = connection_timeout = 30.0

    def on_start(self) -> None:
        self._chance = random.Random(f"{SEED} {next(_numbers)}")
        self._begin()

    def _begin(self) -> None:
        person = self._chance.choice(_people)
        self._said = 0
        self._name = f"load-{_run}-{next(_numbers)}"
        self._lines = iter(corpus.script(person, _feelings, self._chance))

    @task
    def say(self) -> None:
        line = next(self._lines, None)
        if line is None:
            self._begin()
            line = next(self._lines)
        body = {"user_id": self._name, "session_id": f"{self._name}-{self._said // SESSION_TURNS}", "text": line.text}
        self._said += 1
        if self._chance.random() < STREAM_SHARE:
            self._stream(body, line.kind)
        else:
            self._ask(body, line.kind)

    def _ask(self, body: dict[str, str], kind: str) -> None:
        with self.client.post("/v1/chat", json=body, name=TURN, catch_response=True, context={"kind": kind}) as answer:
            if not _refused(answer):
                _judged(answer, answer.text if answer.status_code == 200 else None)

    def _stream(self, body: dict[str, str], kind: str) -> None:
        began = time.perf_counter()
        options: dict[str, Any] = {"json": body | {"stream": True}, "stream": True, "catch_response": True, "context": {"kind": kind}}
        with self.client.post("/v1/chat", name=STREAMED, **options) as answer:
            if _refused(answer):
                return
            event, first, done = "", None, None
            while answer.status_code == 200 and (line := answer.stream.readline(b"\n")):
                name, _, value = line.decode("utf-8").rstrip().partition(": ")
                if name == "event":
                    event = value
                    first = first or (time.perf_counter() if event == "token" else None)
                elif name == "data" and event == "done":
                    done = value
            answer.request_meta["response_time"] = 1000 * (time.perf_counter() - began)
            _judged(answer, done)
        if first is not None:
            self.environment.events.request.fire(
                request_type="SSE", name=FIRST_TOKEN, response_time=1000 * (first - began), response_length=0, exception=None, context={}
            )


def _refused(answer: ResponseContextManager) -> bool:
    """503 and 429 with `Retry-After` are the surface's word for "not now"; the verdict has its own limit for them."""
    if answer.status_code not in (429, 503) or "retry-after" not in answer.headers:
        return False
    answer.request_meta["name"] = "refused"
    answer.success()
    return True


def _judged(answer: ResponseContextManager, body: str | None) -> None:
    try:
        reply = json.loads(body or "")
        if reply["degraded"]:
            answer.request_meta["context"]["degraded"] = reply["degraded"]
        answer.success() if reply["reply"] else answer.failure("an answer without words")
    except (ValueError, KeyError):
        answer.failure(f"{answer.status_code}: not the answer to a turn")


class Shape(LoadTestShape):
    """What `--shape` names, over `--run-time`, with `--users` at its height."""

    use_common_options = True
    abstract = False

    def tick(self) -> tuple[int, float] | None:
        options = self.runner.environment.parsed_options
        passed = self.get_run_time() / options.run_time
        users = users_at(options.shape, options.num_users, passed)
        return (users, float(users)) if passed < 1 else None


@events.init_command_line_parser.add_listener
def _options(parser: Any) -> None:
    parser.add_argument("--shape", choices=SHAPES, default="steady", help="How many users there are over the time.")
    parser.add_argument("--report", default="loadtest.html", help="Where the report is written.")
    parser.add_argument("--p95-ms", type=float, default=0, help="Another limit of the answered turns' p95 than the shape's; milliseconds.")


@events.init.add_listener
def _watch(environment: Environment, **_: Any) -> None:
    if environment.parsed_options is None or isinstance(environment.runner, WorkerRunner):
        return
    options: Namespace = environment.parsed_options
    if not options.host or not options.run_time:
        log.error("give --host, the running server, and --run-time, such as 5m")
        raise SystemExit(2)
    watch = Watch(options.host, environment)
    environment.events.test_start.add_listener(lambda **_: gevent.spawn(watch.run))
    environment.events.request.add_listener(watch.count)
    environment.events.quitting.add_listener(lambda **_: _conclude(environment, watch))


def _conclude(environment: Environment, watch: Watch) -> None:
    options, stats = environment.parsed_options, environment.stats
    watch.stop()
    turns = [stats.get(name, "POST") for name in (TURN, STREAMED)]
    refused = stats.get("refused", "POST").num_requests
    first = stats.get(FIRST_TOKEN, "SSE")
    outcome = Outcome(
        turns=sum(one.num_requests for one in turns) + refused,
        refused=refused,
        failed=sum(one.num_failures for one in turns),
        degraded=watch.degraded,
        p95_ms=max((one.get_response_time_percentile(0.95) for one in turns if one.num_requests), default=0.0),
        first_token_p50_ms=first.get_response_time_percentile(0.5) if first.num_requests else None,
        memory_growth=memory_growth(watch.samples),
    )
    limits = LIMITS[options.shape]
    if options.p95_ms:
        limits = replace(limits, p95_ms=options.p95_ms)
    broken = complaints(outcome, limits)
    write(Path(options.report), Run(options.shape, options.num_users, options.run_time, outcome, limits, broken, watch.samples, watch.moments))
    log.info("the report is %s", options.report)
    for sentence in broken:
        log.error("%s", sentence)
    # Of locust's own reasons to fail (any failed request among them) none is left that the verdict does not know.
    environment.process_exit_code = 1 if broken else 0
