"""Conversations replayed, then questions: what is counted, and that users stay apart."""

from __future__ import annotations

from typing import Any

import pytest

from lira_core.evaluation.memory import evaluate_memory, passes
from lira_core.evaluation.tsv import DataError
from lira_core.lira import Lira


def user(name: str, *turns: str, probes: list[dict[str, Any]]) -> dict[str, Any]:
    asked = [{"session": "new", "at": "2026-10-04T09:00:00+09:00", **probe} for probe in probes]
    return {"user": name, "sessions": [{"id": "s1", "at": "2026-10-03T09:12:00+09:00", "turns": list(turns)}], "probes": asked}


NAME = {"text": "내 이름이 뭐였지?", "kind": "name"}


async def test_probes_are_counted_by_kind_and_each_failure_is_told(lira: Lira) -> None:
    first = user(
        "u1",
        "안녕",
        "제 이름은 민수예요",
        probes=[NAME | {"expect_any": ["민수"], "evidence": ["s1:1"]}, {"text": "내 혈액형이 뭐였지?", "kind": "never_told", "expect_any": ["AB"]}],
    )
    second = user("u2", "제 이름은 지우예요", probes=[NAME | {"expect_any": ["지우"], "expect_none": ["민수"], "evidence": ["s1:0"]}])
    scores, failed = await evaluate_memory(lira, [first, second])
    assert scores == {"pass_rate": 0.6667, "evidence_recall": 1.0, "by_kind": {"name": 1.0, "never_told": 0.0}, "probes": 3}
    assert [(one["user"], one["kind"], one["recalled"]) for one in failed] == [("u1", "never_told", ["제 이름은 민수예요"])]
    assert failed[0]["reply"]


async def test_evidence_that_was_not_recalled_counts(lira: Lira) -> None:
    one = user("u1", "안녕", "제 이름은 민수예요", probes=[NAME | {"expect_any": ["민수"], "evidence": ["s1:0", "s1:1"]}])
    assert (await evaluate_memory(lira, [one]))[0]["evidence_recall"] == 0.5


async def test_what_comes_before_a_probe_is_asked_in_its_session(lira: Lira) -> None:
    probe = {"text": "아까 내가 뭐라고 했지?", "kind": "follows", "before": ["오늘은 도서관에 갔어"], "expect_any": ["도서관"]}
    scores, _ = await evaluate_memory(lira, [user("u1", "안녕", probes=[probe, {key: probe[key] for key in probe if key != "before"}])])
    assert scores["pass_rate"] == 0.5


async def test_without_probes_there_is_nothing_to_divide(lira: Lira) -> None:
    scores, failed = await evaluate_memory(lira, [user("u1", "안녕", probes=[])])
    assert scores == {"pass_rate": 0.0, "evidence_recall": None, "by_kind": {}, "probes": 0}
    assert failed == []


async def test_a_user_of_another_form_is_named(lira: Lira) -> None:
    with pytest.raises(DataError, match="row 2: wants user, sessions and probes, lacks probes"):
        await evaluate_memory(lira, [user("u1", probes=[]), {"user": "u2", "sessions": []}])
    with pytest.raises(DataError, match="row 1: each of its sessions wants id, at, turns, one lacks at"):
        await evaluate_memory(lira, [{"user": "u1", "sessions": [{"id": "s1", "turns": ["안녕"]}], "probes": []}])


@pytest.mark.parametrize(
    ("reply", "probe", "passed"),
    [
        ("민수님이세요.", {"expect_any": ["민수", "지우"]}, True),
        ("Your name is  MIN SU.", {"expect_any": ["Min Su"]}, True),
        ("모르겠어요.", {"expect_any": ["민수"]}, False),
        ("민수님과 지우님이요.", {"expect_any": ["민수"], "expect_none": ["지우"]}, False),
        ("모르겠어요.", {"expect_none": ["민수"]}, True),
        ("아무 말", {}, True),
    ],
)
def test_a_reply_passes_when_it_holds_one_that_is_wanted_and_none_that_is_not(reply: str, probe: dict[str, Any], passed: bool) -> None:
    assert passes(reply, probe) is passed
