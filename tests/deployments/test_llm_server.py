"""vLLM inside the graph, for real: its CPU build, a small model, Ray Serve. Skipped where vLLM is not installed (docs/vllm.md)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="vLLM is not installed: `pip install 'lira[vllm]'`, or its CPU build (docs/vllm.md)")

import ray
from language_model import folder_of_model, on_a_cpu
from ray import serve
from ray._private import ray_constants
from ray.serve.llm import build_llm_deployment

from deployments import llm, llm_server
from deployments.args import Args
from deployments.generator import RemoteGenerator
from deployments.logs import OURS, ToServe
from deployments.ray_patches.lean import lean_ray
from lira_core.generation.port import GeneratorRejected, Prompt, Usage
from lira_core.settings import Settings, load_settings
from lira_core.types import Decision


def prompt(text: str) -> Prompt:
    return Prompt(text, datetime(2026, 11, 22, tzinfo=UTC), None, (), None, Decision(False, "none"), ())


def counting() -> type[llm_server.LanguageModel]:
    class Counting(llm_server.LanguageModel):
        """The stage, which also tells what vLLM is at."""

        async def __init__(self, llm_config: Any, settings: Settings) -> None:
            await llm_server.LanguageModel.__init__(self, llm_config, settings)
            self._vllm, self._aborted = self.engine._engine_client, 0
            abort = self._vllm.abort

            async def counted(*said: Any, **more: Any) -> None:
                self._aborted += 1
                await abort(*said, **more)

            self._vllm.abort = counted
            self._generator._observer, self._left = self, 0.0

        async def work(self) -> tuple[int, int]:
            """Answers that are being written, and those that were given up so far."""
            return self._vllm.output_processor.get_num_unfinished_requests(), self._aborted

        def count(self, name: str, amount: float = 1, **tags: str) -> None:
            """As the replica's observer."""
            assert (name, tags) == ("lira_generate_tokens_total", {"kind": "stopped"})
            self._left += amount

        async def left(self) -> float:
            """Tokens of the answers that were left."""
            return self._left

        async def told_to_serve(self) -> bool:
            """Whether LIRA's log lines of this replica go where Serve's go."""
            return all(any(isinstance(one, ToServe) for one in logging.getLogger(name).handlers) for name in OURS)

    return Counting


@pytest.fixture(scope="module")
def model(request: pytest.FixtureRequest) -> Path:
    return folder_of_model(request.config.cache.mkdir("models"))


@pytest.fixture(scope="module")
def stage(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A handle to the Generator, as the orchestrator has it."""
    settings = load_settings(generator="vllm", data_dir=tmp_path_factory.mktemp("data"), generator_max_tokens=64)
    with pytest.MonkeyPatch.context() as patch, lean_ray():
        patch.setenv("PYTHONPATH", str(Path(llm.__file__).parents[1]))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # Ray 2.60 takes loopback for the node's address only where it believes that clusters are off (as lira_cli.serve does).
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        patch.setenv("RAY_SERVE_REPLICA_LOOPBACK_ONLY", "1")
        patch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", False)
        patch.setattr(
            ray.serve.llm, "build_llm_deployment", lambda *built, **said: build_llm_deployment(*built, **{**said, "deployment_cls": counting()})
        )
        ray.init(address="local", include_dashboard=False, logging_level=logging.ERROR, namespace="serve", _node_ip_address="127.0.0.1", num_cpus=2)
        try:
            built = llm.bind(settings, Args(generator="deployment", llm=on_a_cpu(model)), {})
            serve.start(proxy_location="Disabled")
            yield serve.run(built, name="lira", route_prefix=None)
        finally:
            serve.shutdown()
            ray.shutdown()


async def test_an_answer_comes_in_pieces_while_it_is_written_and_then_its_usage(stage: Any) -> None:
    pieces: list[str | Usage] = []
    writing = 0
    async with aclosing(RemoteGenerator(stage).generate(prompt("커피를 좋아해? 길게 말해 줘."))) as answer:
        async for piece in answer:
            if not pieces:
                writing, _ = await stage.work.remote()
            pieces.append(piece)
    *words, usage = pieces
    assert writing == 1, "the first piece was held back until the answer was whole"
    assert len(words) > 1
    assert all(isinstance(word, str) for word in words)
    assert isinstance(usage, Usage)
    assert usage.read > 0
    assert 0 < usage.written <= 64


async def test_its_log_lines_go_where_serve_s_go(stage: Any) -> None:
    assert await stage.told_to_serve.remote()


async def test_what_every_prompt_begins_with_is_read_once_and_counted(stage: Any) -> None:
    await stage.reset_prefix_cache.remote()
    first, second = await usage(stage, "내가 몇 시에 일어나?"), await usage(stage, "내가 뭘 마셔?")
    assert first.cached == 0
    assert second.cached > second.read / 2


async def test_many_at_once_are_each_answered_whole(stage: Any) -> None:
    usages = await asyncio.gather(*(usage(stage, f"{n} 더하기 {n}은?") for n in range(6)))
    assert all(usage.written for usage in usages)


async def usage(stage: Any, text: str) -> Usage:
    """The usage of a whole answer."""
    pieces = [piece async for piece in RemoteGenerator(stage).generate(prompt(text))]
    assert isinstance(pieces[-1], Usage)
    return pieces[-1]


async def test_who_leaves_frees_the_engine(stage: Any) -> None:
    _, before = await stage.work.remote()

    async def leave_early() -> None:
        async with aclosing(RemoteGenerator(stage).generate(prompt("아주 긴 이야기를 해 줘."))) as answer:
            async for _ in answer:
                break

    counted = await stage.left.remote()
    await asyncio.gather(*(leave_early() for _ in range(3)))
    await given_up(stage, before + 3)
    assert await stage.left.remote() >= counted + 3, "a token at least of each"


async def test_a_turn_that_is_cancelled_frees_the_engine(stage: Any) -> None:
    _, before = await stage.work.remote()
    began = asyncio.Event()

    async def read() -> None:
        async for _ in RemoteGenerator(stage).generate(prompt("또 다른 아주 긴 이야기를 해 줘.")):
            began.set()

    turn = asyncio.create_task(read())
    await began.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    await given_up(stage, before + 1)


async def given_up(stage: Any, answers: int) -> None:
    """Returns once vLLM is idle; the answers were given up and not written to their end."""
    work = (1, 0)
    while work[0]:
        work = await stage.work.remote()
    assert work[1] == answers


async def test_a_prompt_that_the_model_has_no_room_for_is_rejected_with_what_vllm_says(stage: Any) -> None:
    with pytest.raises(GeneratorRejected, match="2048"):
        await usage(stage, "가나다라 " * 3000)
