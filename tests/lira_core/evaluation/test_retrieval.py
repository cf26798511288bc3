"""Is the evidence of a question among the first results of a search."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from lira_core.evaluation.retrieval import evaluate_retrieval, turns
from lira_core.lira import Lira
from lira_core.requests import ListMemories


def conversation(*texts: str) -> dict[str, Any]:
    said = [{"speaker": "Ana" if i % 2 == 0 else "Ben", "text": text, "dia_id": f"D1:{i + 1}"} for i, text in enumerate(texts)]
    return {"speaker_a": "Ana", "session_1_date_time": "1:56 pm on 8 May, 2023", "session_1": said}


TALK = conversation("I adopted a grey kitten called Mochi", "The train to Busan was late", "We baked sourdough bread on Sunday", "Nice weather today")


def test_every_turn_is_an_item_with_its_speaker_its_time_and_its_name() -> None:
    talk = conversation("Hi", "Hello")
    talk["session_1"][1]["blip_caption"] = "a kitten on a sofa"
    items = turns(talk)
    start = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert [item.text for item in items] == ["Ana: Hi", "Ben: Hello [photo: a kitten on a sofa]"]
    assert [item.timestamp for item in items] == [start, start + timedelta(seconds=30)]
    assert [item.metadata for item in items] == [{"dia_id": "D1:1"}, {"dia_id": "D1:2"}]


async def test_questions_with_evidence_are_scored_and_others_are_left_out(lira: Lira) -> None:
    qa = [
        {"question": "What is the name of the kitten?", "category": 1, "evidence": ["D1:1"]},
        {"question": "What did they bake?", "category": 4, "evidence": ["D1:3; D9:9"]},
        {"question": "What colour is the dragon?", "category": 5, "evidence": ["D1:1"]},
        {"question": "Without evidence?", "category": 1, "evidence": []},
        {"question": "Evidence that nobody said?", "category": 1, "evidence": ["D7:7"]},
    ]
    scores = await evaluate_retrieval(lira, [{"conversation": TALK, "qa": qa}])
    assert (scores["questions"], scores["memories"]) == (2, 4)
    assert [scores[name] for name in ("recall@3", "recall@5", "recall@10", "any@5", "mrr")] == [1.0] * 5
    assert scores["search_ms_p50"] > 0
    assert scores["adds_per_second"] > 0


async def test_each_conversation_is_somebody_elses(lira: Lira) -> None:
    other = conversation("The volcano erupted")
    await evaluate_retrieval(lira, [{"conversation": TALK, "qa": []}, {"conversation": other, "qa": []}])
    listed = (await lira.ask(ListMemories(user_id="sample-1"))).results
    assert [memory.text for memory in listed] == ["Ana: The volcano erupted"]


async def test_without_questions_there_is_nothing_to_divide(lira: Lira) -> None:
    scores = await evaluate_retrieval(lira, [{"conversation": conversation(), "qa": []}])
    assert (scores["questions"], scores["memories"], scores["search_ms_p50"]) == (0, 0, None)
