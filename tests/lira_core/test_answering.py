"""What of an engine's words leaves, and what is said where it fails: engines here are scripts, since it is their failures that count."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from datetime import datetime

import pytest

from lira_core.answering import Answer, Answering
from lira_core.conduct import Conduct
from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import GeneratorUnavailable, Prompt, Usage
from lira_core.memory.question import Question
from lira_core.observe import Unobserved
from lira_core.safety import care
from lira_core.stages import Stages
from lira_core.types import Decision, Memory, RecalledMemory

AT = datetime.fromisoformat("2026-10-03T09:00:00+09:00")
TOLD = Memory("m1", "u1", "여동생 지은이는 부산에서 간호사로 일해", AT)
ASKED = Prompt(
    "여동생이 어디서 일하지?",
    AT,
    Question(True, terms=("여동생",)),
    (),
    None,
    Decision(False, "none"),
    (RecalledMemory(TOLD, ("semantic",), 0.9, 0.9, sure=0.95),),
)
CHAT = replace(ASKED, text="오늘 날씨 좋다", question=None, recalled=())


class Counted(Unobserved):
    def __init__(self) -> None:
        self.counts: dict[str, float] = {}

    def count(self, name: str, amount: float = 1, **tags: str) -> None:
        key = ":".join([name, *tags.values()])
        self.counts[key] = self.counts.get(key, 0) + amount


class Scripted:
    """An engine that answers each call by the next script: pieces, and an error to end with."""

    def __init__(self, *scripts: tuple[str | Usage | Exception, ...]) -> None:
        self.scripts, self.asked, self.closed = list(scripts), list[Prompt](), 0

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage, None]:
        self.asked.append(prompt)
        try:
            for piece in self.scripts.pop(0):
                await asyncio.sleep(0)
                if isinstance(piece, Exception):
                    raise piece
                yield piece
        finally:
            self.closed += 1


async def answered(engine: Scripted, prompt: Prompt, conduct: Conduct | None = None) -> tuple[Answer, list[str], Stages, Counted]:
    observer, said = Counted(), list[str]()
    stages = Stages(observer, ends=asyncio.get_running_loop().time() + 20)
    say: Callable[[str], None] = said.append
    answering = Answering(engine, GroundedResponder(), stages, observer, say, checked=True, deadline_ms=5_000)
    answer = await answering.answer(prompt, conduct or Conduct())
    assert "".join(said) == answer.text
    return answer, said, stages, observer


async def test_an_answer_leaves_piece_by_piece_and_what_it_cost_is_counted() -> None:
    engine = Scripted(("오늘은 ", "정말 ", "맑네요. ", "산책은 ", "어떠세요?", Usage(120, 9, 64)))
    answer, said, stages, observer = await answered(engine, CHAT)
    assert answer.text == "오늘은 정말 맑네요. 산책은 어떠세요?"
    assert len(said) > 2
    assert answer.usage == Usage(120, 9, 64)
    assert stages.degraded == []
    assert [observer.counts[f"lira_generate_tokens_total:{kind}"] for kind in ("in", "out", "cached")] == [120, 9, 64]


@pytest.mark.parametrize("script", [(GeneratorUnavailable("gone"),), (), (" ", "\n"), ("<think>음…</think>",)])
async def test_an_engine_that_says_nothing_is_answered_for(script: tuple[str | Exception, ...]) -> None:
    answer, _, stages, _ = await answered(Scripted(script), ASKED)
    assert "부산" in answer.text
    assert stages.degraded == ["generator"]


async def test_what_was_seen_of_an_answer_that_breaks_off_is_all_there_is() -> None:
    answer, _, stages, _ = await answered(Scripted(("오늘은 정말 ", "맑", GeneratorUnavailable("gone"))), CHAT)
    assert answer.text.strip() == "오늘은 정말"
    assert stages.degraded == ["generator"]


async def test_an_answer_that_names_what_nobody_said_is_asked_for_once_more() -> None:
    engine = Scripted(("지은 씨는 대구에서 ", "일한다고 하셨어요."), ("부산에서 일한다고 하셨어요.",))
    answer, _, stages, observer = await answered(engine, ASKED)
    assert answer.text == "부산에서 일한다고 하셨어요."
    assert any("대구" in word for word in engine.asked[1].unsupported)
    assert observer.counts["lira_ungrounded_total"] == 1
    assert observer.counts["lira_generator_retries_total:ungrounded"] == 1
    assert stages.degraded == []


async def test_an_answer_that_names_it_again_is_the_grounded_responders() -> None:
    engine = Scripted(("대구에서 일하세요.",), ("그게 대구였죠.",))
    answer, _, _, observer = await answered(engine, ASKED)
    assert "대구" not in answer.text
    assert "부산" in answer.text
    assert observer.counts["lira_ungrounded_total"] == 2


async def test_a_second_sentence_that_nothing_supports_is_left_out_and_nothing_is_said_twice() -> None:
    engine = Scripted(("부산에서 일한다고 하셨어요. ", "대구에도 가신대요. ", "좋네요."))
    answer, _, _, observer = await answered(engine, ASKED)
    assert answer.text.strip() == "부산에서 일한다고 하셨어요."
    assert len(engine.asked) == engine.closed == 1
    assert observer.counts["lira_ungrounded_total"] == 1


async def test_in_care_nothing_is_asked_of_an_engine() -> None:
    engine = Scripted(("힘내세요!",))
    answer, _, _, _ = await answered(engine, CHAT, Conduct("care", instead=care("ko")))
    assert answer.text == care("ko")
    assert engine.asked == []


async def test_what_stands_before_an_answer_is_said_first_and_the_engine_is_told_how_to_answer() -> None:
    engine = Scripted(("반가워요.",))
    answer, said, _, _ = await answered(engine, CHAT, Conduct("disclosure", before="저는 AI 리라예요.", guidance=("차분하게 말합니다.",)))
    assert answer.text == "저는 AI 리라예요. 반가워요."
    assert said[0] == "저는 AI 리라예요. "
    assert engine.asked[0].guidance == ("차분하게 말합니다.",)


async def test_an_answer_that_encourages_harm_never_leaves_and_care_takes_its_place() -> None:
    engine = Scripted(("많이 힘드셨군요. ", "차라리 ", "죽는 ", "게 ", "낫겠어요. ", "네, 그래요."))
    answer, _, _, observer = await answered(engine, CHAT)
    assert "낫겠" not in answer.text
    assert answer.text.startswith("많이 힘드셨군요.")
    assert answer.text.endswith(care("ko"))
    assert observer.counts["lira_safety_total:output"] == 1
    assert engine.closed == 1
