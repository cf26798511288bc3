from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deployments.generator import coalesced
from lira_core.generation.port import GeneratorBusy, GeneratorError, GeneratorLate, GeneratorRejected, GeneratorUnavailable, Usage

ROOT = Path(__file__).resolve().parents[2]
USAGE = Usage(7, 2)

# A Ray of its own with the deployment alone, asked as the orchestrator asks it; what the API saw and the caller got is printed.
IN_RAY = """
import asyncio, json, logging, sys
from contextlib import aclosing
import ray
from ray import serve
sys.path.insert(0, "tests/lira_core/generation")
from asking import answered, said
from faulty import Api, answers, breaks_off, endless, refuses, serving, silent
from deployments.generator import Generator, RemoteGenerator
from lira_core.generation.port import GeneratorError
from lira_core.settings import load_settings

async def failure(remote):
    try:
        await answered(remote)
    except GeneratorError as error:
        return [type(error).__name__, str(error), vars(error)]

async def seen(api, remote):
    told = {}
    told["whole"] = [*(await answered(remote))[0]], vars_of((await answered(remote))[1])
    api.does = endless
    stream = remote.generate(said())
    first = await anext(stream)
    told["open while read"] = api.open
    await stream.aclose()
    await api.until(lambda: api.open == 0)
    asked = asyncio.create_task(answered(remote))
    await api.until(lambda: api.open == 1)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    await api.until(lambda: api.open == 0)
    api.does = refuses(429, "slowly", retry_after="1")
    told["busy"] = await failure(remote)
    await asyncio.sleep(1.1)
    api.does = refuses(401)
    told["rejected"] = await failure(remote)
    api.does = breaks_off
    pieces = []
    try:
        async for piece in remote.generate(said()):
            pieces.append(piece)
    except GeneratorError as error:
        told["broken"] = pieces, type(error).__name__
    return told

def vars_of(usage):
    return [usage.read, usage.written, usage.cached]

async def main():
    async with serving() as api:
        settings = load_settings(generator="openai", generator_url=api.url, generator_model="small", generate_deadline_ms=60_000,
                                 generator_first_token_ms=30_000)
        handle = await asyncio.to_thread(serve.run, Generator.bind(settings), name="alone", route_prefix=None)
        return await seen(api, RemoteGenerator(handle))

ray.init(address="local", num_cpus=1, include_dashboard=False, object_store_memory=80 << 20, log_to_driver=False, logging_level=logging.ERROR,
         namespace="serve", _temp_dir=sys.argv[1], _node_ip_address="127.0.0.1")
serve.start(proxy_location="Disabled")
try:
    told = asyncio.run(main())
finally:
    ray.shutdown()
print(json.dumps(told))
"""


async def _source(pieces: list[Any]) -> AsyncGenerator[Any, None]:
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        yield piece


@given(st.lists(st.text(max_size=5), max_size=30), st.booleans(), st.sampled_from([0.0, 0.001, 60.0]))
async def test_coalesced_pieces_are_the_same_text_and_usage_is_never_in_it(pieces: list[str], counted: bool, seconds: float) -> None:
    usage = [USAGE] if counted else []
    got = [piece async for piece in coalesced(_source([*pieces, *usage]), seconds)]
    assert [piece for piece in got if not isinstance(piece, str)] == usage
    assert "".join(got[: len(got) - len(usage)]) == "".join(pieces)


async def test_the_first_piece_leaves_at_once_and_the_rest_together() -> None:
    assert [piece async for piece in coalesced(_source(["네, ", "잘 ", "들었어요.", USAGE]), 60)] == ["네, ", "잘 들었어요.", USAGE]


async def test_what_was_held_back_is_told_before_the_error_that_ends_it() -> None:
    answer = coalesced(_source(["네, ", "잘 ", "들었", GeneratorUnavailable("gone")]), 60)
    assert [await anext(answer), await anext(answer)] == ["네, ", "잘 들었"]
    with pytest.raises(GeneratorUnavailable, match="gone"):
        await anext(answer)


async def test_a_reader_that_leaves_closes_the_source() -> None:
    source = _source(["네, ", "잘 "])
    async for _ in (answer := coalesced(source, 0)):
        await answer.aclose()
        break
    with pytest.raises(StopAsyncIteration):
        await anext(source)


@pytest.mark.parametrize(
    "error", [GeneratorUnavailable("cut", again=True), GeneratorBusy("429", 3.5), GeneratorLate("silent"), GeneratorRejected("wrong key")]
)
def test_an_error_is_the_same_on_the_other_side(error: GeneratorError) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert (type(arrived), arrived.args, vars(arrived)) == (type(error), error.args, vars(error))


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened between a caller, the deployment and an API."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIRA_")}
    environment |= {"PYTHONPATH": str(ROOT), "RAY_SERVE_REPLICA_LOOPBACK_ONLY": "1", "RAY_SERVE_THROUGHPUT_OPTIMIZED": "1"}
    environment |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    folder = str(tmp_path_factory.mktemp("ray"))
    done = subprocess.run([sys.executable, "-c", IN_RAY, folder], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-3_000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_an_answer_of_an_api_passes_through_the_deployment_with_its_usage(told: dict[str, Any]) -> None:
    pieces, usage = told["whole"]
    assert "".join(pieces) == "네, 잘 들었어요."
    assert usage == [20, 3, 16]


def test_a_reader_that_leaves_frees_the_api(told: dict[str, Any]) -> None:
    assert told["open while read"] == 1, "and 0 afterwards, or there were nothing to look at"


def test_errors_keep_their_kind_and_what_they_hold_across_the_border(told: dict[str, Any]) -> None:
    kind, sentence, held = told["busy"]
    assert (kind, held) == ("GeneratorBusy", {"again": False, "retry_after": 1.0})
    assert "answers 429: slowly" in sentence
    kind, sentence, _ = told["rejected"]
    assert kind == "GeneratorRejected"
    assert "LIRA_GENERATOR_API_KEY" in sentence
    assert told["broken"] == [["네, "], "GeneratorUnavailable"]
