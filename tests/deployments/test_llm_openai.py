"""vLLM's own server, asked as any other API: LIRA_GENERATOR=openai. Skipped where vLLM is not installed (docs/vllm.md)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from datetime import UTC, datetime

import httpx
import pytest

pytest.importorskip("vllm", reason="vLLM is not installed: `pip install 'lira[vllm]'`, or its CPU build (docs/vllm.md)")

from language_model import folder_of_model

from lira_cli.ports import free_port
from lira_core.compose import chat_fields
from lira_core.generation.openai import OpenAIGenerator
from lira_core.generation.port import GeneratorRejected, Prompt, Usage
from lira_core.settings import load_settings
from lira_core.types import Decision


def prompt(text: str) -> Prompt:
    return Prompt(text, datetime(2026, 11, 22, tzinfo=UTC), None, (), None, Decision(False, "none"), ())


@pytest.fixture(scope="module")
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The server's root."""
    model, root = folder_of_model(request.config.cache.mkdir("models")), f"http://127.0.0.1:{(port := free_port())}"
    options = ["--enforce-eager", "--enable-prompt-tokens-details", "--dtype=float32", "--max-model-len=2048", "--max-num-seqs=4"]
    place = [f"--port={port}", "--host=127.0.0.1", "--served-model-name=gemma", f"--chat-template={model / 'chat.jinja'}"]
    environment = os.environ | {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_HOST_IP": "127.0.0.1"}
    command = [sys.executable, "-m", "vllm.entrypoints.openai.api_server", f"--model={model}", *options, *place]
    log = tmp_path_factory.mktemp("vllm") / "log"
    with log.open("w") as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
    try:
        while not healthy(root):
            assert process.poll() is None, f"vLLM's server did not start: {log.read_text()[-2000:]}"
            time.sleep(0.5)
        yield root
    finally:
        process.terminate()
        process.wait(60)


def healthy(root: str) -> bool:
    try:
        return httpx.get(f"{root}/health").status_code == 200
    except httpx.TransportError:
        return False


@asynccontextmanager
async def engine(root: str) -> AsyncIterator[OpenAIGenerator]:
    settings = load_settings(generator_max_tokens=64)
    made = OpenAIGenerator(url=f"{root}/v1", model="gemma", key=None, options=chat_fields(settings), connect_s=2)
    try:
        yield made
    finally:
        await made.aclose()


def series(root: str, name: str) -> float:
    lines = httpx.get(f"{root}/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"vllm:{name}{{"))


async def test_an_answer_comes_in_pieces_and_what_the_cache_spared_is_counted(api: str) -> None:
    async with engine(api) as asked:
        pieces = [piece async for piece in asked.generate(prompt("커피 좋아해?"))]
        again = [piece async for piece in asked.generate(prompt("차는 어때?"))]
    *words, usage = pieces
    assert len(words) > 1
    assert isinstance(usage, Usage)
    assert 0 < usage.written <= 64
    assert isinstance(again[-1], Usage)
    assert again[-1].cached > again[-1].read / 2


async def test_who_leaves_frees_the_engine(api: str) -> None:
    before = series(api, "generation_tokens_total")
    async with engine(api) as asked, aclosing(asked.generate(prompt("아주 긴 이야기를 해 줘."))) as answer:
        await anext(answer)
    while series(api, "num_requests_running"):
        pass
    assert series(api, "generation_tokens_total") - before < 64


async def test_a_prompt_that_the_model_has_no_room_for_is_rejected(api: str) -> None:
    async with engine(api) as asked:
        with pytest.raises(GeneratorRejected, match="2048"):
            await anext(asked.generate(prompt("가나다라 " * 3000)))
