"""What recall shows the reader, and what it makes of its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.embedding.certainty import Certainty
from lira_core.memory import recall
from lira_core.memory.question import Question
from lira_core.memory.recall import Candidates, Cue, Found, Signs
from lira_core.reading.port import CANDIDATES, WEIGHED, Candidate, Reading
from lira_core.stores import Stores
from lira_core.stores.types import Write
from lira_core.types import USER, EmotionReading, EmotionScore, Fact, Memory

NOW = datetime.fromisoformat("2026-10-06T09:00:00+09:00")
CERTAINTY = Certainty(10, -4)
ids = st.text("abcdefghijklmnop", min_size=1, max_size=2)
cosines = st.dictionaries(ids, st.floats(-1, 1), max_size=20)
words = st.dictionaries(ids, st.floats(0.001, 1), max_size=20)


def cue(question: Question | None = None, **more: object) -> Cue:
    return Cue(NOW, (), (), question, **more)  # type: ignore[arg-type]


def memory(name: str, days_ago: float = 1, text: str | None = None) -> Memory:
    return Memory(name, "u", text or f"말 {name}", NOW - timedelta(days=days_ago))


def semantic(cosine: dict[str, float]) -> Found:
    return Found("semantic", sorted(cosine, key=cosine.__getitem__, reverse=True), cosine)


def signs(*found: Found) -> Signs:
    return Signs.of(found, CERTAINTY, 0.7)


@given(cosines, words, st.lists(ids, max_size=5, unique=True))
def test_the_reader_sees_at_most_so_many_candidates_each_once_and_only_what_was_found(
    near: dict[str, float], held: dict[str, float], slots: list[str]
) -> None:
    found = [semantic(near), Found("fact", [*slots, *(i for i in held if i not in slots)], words=held), Found("emotion")]
    chosen = recall.shortlist(cue(), found)
    assert len(chosen) == len(set(chosen)) <= CANDIDATES
    assert set(chosen) <= {*near, *held, *slots}
    if not slots:
        assert len(chosen) == min(CANDIDATES, len({*near, *held}))


@given(cosines)
def test_nothing_is_too_far_to_be_shown_to_the_reader(near: dict[str, float]) -> None:
    shown = set(recall.shortlist(cue(Question(True, listing=True)), [semantic(near)]))
    assert len(shown) == min(WEIGHED, len(near))
    # Of those that are as good as equal it does not matter which.
    assert min((near[i] for i in shown), default=0.0) >= max((near[i] for i in near if i not in shown), default=-1.0) - 1e-9


class ByNumber:
    """A reader by whom each candidate is as likely as its text ends in tenths, and which remembers how it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bool]] = []

    async def read(self, question: str, candidates: Sequence[Candidate]) -> Reading:
        self.asked.append((question, False))
        tenths = tuple(int(one.text[-1]) / 10 for one in candidates)
        return Reading(tenths, ((0, 1),) * len(candidates), (None,) * len(candidates), None)

    async def weigh(self, question: str, candidates: Sequence[Candidate], *, listing: bool = False) -> tuple[float, ...]:
        self.asked.append((question, listing))
        return tuple(int(one.text[-1]) / 10 for one in candidates)


async def listed(*memories: Memory, text: str = "뭉치 얘기 다 해봐") -> list[str]:
    asked, found = Question(True, listing=True), [semantic({one.id: 0.5 for one in memories})]
    reading = await recall.reading(ByNumber(), asked, text, memories, found)
    return [one.memory.id for one in recall.read(cue(asked), signs(*found), memories, reading, 3)]


async def test_where_all_of_something_is_asked_for_what_is_likely_of_it_is_told_newest_first_and_at_most_so_many() -> None:
    assert await listed(memory("a", 3, "말 9"), memory("b", 2, "말 3"), memory("c", 1, "말 4")) == ["c", "a"]
    many = [memory(f"m{n}", n, "말 8") for n in range(1, 9)]
    assert await listed(*many) == ["m1", "m2", "m3", "m4", "m5"]


async def test_where_nothing_is_quite_likely_of_it_nothing_is_told() -> None:
    assert await listed(memory("a", 3, "말 5"), memory("b", 2, "말 5")) == []


async def test_who_is_asked_about_by_what_they_are_is_found_by_name_too() -> None:
    dog = Fact("강아지", "name", "뭉치", key="강아지:name", category="relation")
    named = replace(memory("named", 3, "강아지 이름은 뭉치야 9"), facts=(dog,))
    told = [named, memory("told", 2, "뭉치가 짖어 1"), memory("other", 1, "동생은 자 1")]
    assert await listed(*told, text="우리 강아지 얘기 다 해봐") == ["told", "named"]
    assert await listed(*told, text="동생 얘기 다 해봐") == ["named"]


async def test_how_long_it_still_is_is_read_as_when_it_is() -> None:
    reader = ByNumber()
    await recall.reading(reader, Question(True, until="시험 언제야?"), "시험까지 며칠 남았어?", [memory("a", 1, "말 1")], [])
    assert reader.asked == [("시험 언제야?", False)]


def test_a_wish_to_forget_means_what_holds_most_of_its_words_however_long_it_is() -> None:
    wish = replace(cue(), terms=("뭉치", "얘기"))
    memories = [replace(memory(name, 1), terms=terms) for name, terms in {"a": ("뭉치",), "b": ("뭉치", "밤", "짖"), "c": ("밤",)}.items()]
    assert [one.id for one in recall.meant(wish.terms, [semantic({"a": 0.1, "b": 0.3, "c": 0.9})], memories)] == ["b", "a"]
    assert recall.meant(("고래",), [], memories) == []


def test_what_holds_the_slot_is_shown_though_its_words_are_far() -> None:
    near = {f"m{i}": 0.9 - i / 100 for i in range(20)}
    assert "named" in recall.shortlist(cue(), [semantic(near), Found("fact", ["named"])])


def test_a_feeling_brings_candidates_only_where_it_is_asked_about() -> None:
    near = {f"m{i}": 0.9 - i / 100 for i in range(20)}
    found = [semantic(near), Found("emotion", ["felt"])]
    assert "felt" not in recall.shortlist(cue(), found)
    assert "felt" in recall.shortlist(cue(Question(True, emotions=("joy",))), found)


async def paths_over(stores: Stores, *said: Memory) -> recall.Recall:
    await stores.record.commit(Write("import", "u", 1, memories=said))
    return recall.Recall(stores, CERTAINTY, floor=0.7)


def felt(name: str, days_ago: float, label: str, score: float) -> Memory:
    return replace(memory(name, days_ago), emotion=EmotionReading((EmotionScore(label, score),)))


async def test_how_somebody_felt_is_asked_of_what_was_felt_lately_whatever_it_was(opened: Stores) -> None:
    said = (felt("old", 9, "joy", 0.9), memory("flat", 5), felt("new", 2, "anger", 0.4), felt("faint", 1, "fear", 0.2))
    paths = await paths_over(opened, *said)
    found = await paths.emotion("u", cue(Question(True, mood=True)), (), 0.6)
    assert found.ids == ["new", "old"]
    assert set(found.bodies) == {"new", "old"}


async def test_a_feeling_asked_about_is_found_weakly_felt_and_what_is_told_finds_only_what_was_felt_strongly(opened: Stores) -> None:
    paths = await paths_over(opened, felt("weak", 3, "anger", 0.4), felt("strong", 2, "anger", 0.8), felt("other", 1, "joy", 0.9))
    asked = await paths.emotion("u", cue(Question(True, emotions=("annoyance", "anger"))), (), 0.6)
    assert asked.ids == ["strong", "weak"]
    assert (await paths.emotion("u", cue(), ("anger",), 0.6)).ids == ["strong"]
    assert (await paths.emotion("u", cue(), (), 0.6)).ids == []


def test_the_utterance_itself_is_no_candidate() -> None:
    assert recall.shortlist(cue(utterance_id="me"), [semantic({"me": 0.99, "other": 0.1})]) == ["other"]


def test_candidates_come_in_order_of_time_and_what_was_said_twice_once_as_said_last() -> None:
    said = [memory("c", 1), memory("a", 9, "나 커피 좋아해"), memory("b", 3, "나 커피  좋아해")]
    assert [m.id for m in recall.in_order_of_time(said)] == ["b", "c"]


def test_the_surest_are_kept_and_the_newest_of_them_comes_first() -> None:
    said = [memory(name, 9 - i) for i, name in enumerate("abcde")]
    reading = Reading((0.9, 0.1, 0.8, 0.05, 0.7), ((0, 1),) * 5, (None,) * 5, "yes")
    recalled = recall.read(cue(), signs(semantic({m.id: 0.5 for m in said})), said, reading, 3)
    assert [r.memory.id for r in recalled] == ["e", "c", "a"]
    assert [r.sure for r in recalled] == [0.7, 0.8, 0.9]
    assert recalled[0].span == (0, 1)


def test_what_changes_a_memory_that_answers_is_as_sure_and_told_after_it() -> None:
    said = [memory(name, 9 - i) for i, name in enumerate("abcd")]
    reading = Reading((0.999999, 0.9, 0.1, 0.2), ((0, 1),) * 4, (2, None, None, None), None)
    recalled = recall.read(cue(), signs(semantic({m.id: 0.5 for m in said})), said, reading, 2)
    assert [(r.memory.id, r.changed_by) for r in recalled] == [("c", None), ("a", "c")]
    assert recalled[0].sure == pytest.approx(0.999999, abs=1e-5)
    assert recalled[0].sure < (recalled[1].sure or 0)


def test_of_a_day_what_changes_what_was_told_of_it_is_listed_too_and_before_what_is_of_other_days() -> None:
    day = NOW - timedelta(days=20)
    said = [memory("plan", 20), memory("off", 10), *(memory(f"m{i}", 5 - i / 10) for i in range(6))]
    asked = cue(Question(True, when=(day - timedelta(hours=12), day + timedelta(hours=12))))
    nothing = (None,) * 7
    assert [c.listed for c in recall.asked_of(asked.question, said, [])] == [True, *[False] * 7]
    found = signs(semantic({m.id: 0.5 for m in said}))
    for changed_by, there in (((1, *nothing), True), ((None, *nothing), False)):
        reading = Reading((0.1,) * 8, ((0, 1),) * 8, changed_by, None)
        recalled = [r.memory.id for r in recall.read(asked, found, said, reading, 3)]
        assert "plan" in recalled
        assert ("off" in recalled) is there


@given(st.lists(st.floats(0, 1), min_size=1, max_size=CANDIDATES))
def test_a_score_is_the_sum_of_its_parts_and_between_zero_and_one(sure: list[float]) -> None:
    said = [memory(f"m{i}", 20 - i) for i in range(len(sure))]
    reading = Reading(tuple(sure), ((0, 1),) * len(sure), (None,) * len(sure), None)
    for one in recall.read(cue(), signs(semantic({m.id: 0.2 for m in said})), said, reading, 3):
        assert one.score == pytest.approx(sum(one.parts.values()))
        assert 0 <= one.score <= 1 + 1e-9


def test_unasked_only_what_is_certainly_about_it_is_ranked() -> None:
    near = {"sure": 0.8, "far": 0.1}
    found = [semantic(near), Found("emotion", ["felt"])]
    candidates = Candidates([memory("sure"), memory("felt", 2)], {})
    ranked = recall.rank(cue(), signs(*found), candidates, 3)
    assert {r.memory.id for r in ranked} == {"sure", "felt"}
    assert all(r.sure is None for r in ranked)


def test_meaning_has_found_what_is_certain_and_what_no_other_path_brought() -> None:
    known = signs(semantic({"sure": 0.8, "far": 0.1, "felt": 0.1}), Found("emotion", ["felt", "sure"]))
    assert known.paths == {"felt": ("emotion",), "sure": ("emotion", "semantic"), "far": ("semantic",)}


def test_whose_fact_fills_the_slot_is_sure_to_answer_whatever_the_reader_says() -> None:
    name = replace(memory("named"), facts=(Fact(USER, "name", "민수", "name", key="name:user"),))
    asked = cue(Question(True, ((USER, "name"),)))
    (one,) = recall.read(asked, signs(semantic({"named": 0.3})), [name], Reading((0.1,), ((0, 1),), (None,), None), 3)
    assert one.sure == recall.FILLS
