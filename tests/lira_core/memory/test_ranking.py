"""Scores and order."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.memory import ranking

ids = st.text("abcdef", min_size=1, max_size=3)
unit = st.floats(0, 1)
cosines = st.dictionaries(ids, st.floats(-1, 1), max_size=8)
words = st.dictionaries(ids, st.floats(0.001, 3), max_size=8)


@given(unit, unit, unit, unit)
def test_the_merged_score_stays_between_zero_and_one(relevance: float, keyword: float, recent: float, importance: float) -> None:
    assert 0 <= sum(ranking.score_parts(relevance=relevance, keyword=keyword, recent=recent, importance=importance).values()) <= 1 + 1e-9


def test_relevance_weighs_more_than_any_other_part_and_the_parts_make_a_whole() -> None:
    parts = ["relevance", "keyword", "recent", "importance"]
    alone = {part: sum(ranking.score_parts(**{one: float(one == part) for one in parts}).values()) for part in parts}
    assert max(alone, key=alone.__getitem__) == "relevance"
    assert sum(alone.values()) == pytest.approx(1)


@given(cosines, words)
def test_a_hybrid_score_is_between_zero_and_one_and_covers_both_sides(meaning: dict[str, float], found: dict[str, float]) -> None:
    merged = ranking.hybrid(meaning, found)
    assert set(merged) == {*meaning, *found}
    assert all(0 <= score <= 1 for score in merged.values())


@given(cosines, words)
def test_what_a_side_did_not_find_counts_nothing_there(meaning: dict[str, float], found: dict[str, float]) -> None:
    for key, adds in ranking.hybrid_parts(meaning, found).items():
        assert key in meaning or adds["meaning"] == 0
        assert key in found or adds["words"] == 0


def test_what_both_sides_put_first_is_first() -> None:
    merged = ranking.hybrid({"a": 0.9, "b": 0.5, "c": 0.1}, {"a": 2.0, "c": 1.0})
    assert merged["a"] == 1
    assert ranking.best(merged, 3) == ["a", "b", "c"]


@given(words)
def test_without_an_index_the_words_alone_decide_the_order(found: dict[str, float]) -> None:
    ordered = [found[key] for key in ranking.best(ranking.hybrid({}, found), 8)]
    assert ordered == pytest.approx(sorted(found.values(), reverse=True), abs=1e-9)


@given(cosines)
def test_without_words_meaning_alone_decides_the_order(meaning: dict[str, float]) -> None:
    ordered = [meaning[key] for key in ranking.best(ranking.hybrid(meaning, {}), 8)]
    assert ordered == pytest.approx(sorted(meaning.values(), reverse=True), abs=1e-9)


@given(cosines)
def test_scaling_keeps_the_order_and_reaches_from_zero_to_one(found: dict[str, float]) -> None:
    scaled = ranking.min_max(found)
    assert scaled.keys() == found.keys()
    if len(set(found.values())) > 1:
        assert (min(scaled.values()), max(scaled.values())) == (0, 1)
    assert all(scaled[a] <= scaled[b] for a in found for b in found if found[a] <= found[b])


def test_equals_are_all_best() -> None:
    assert ranking.min_max({"a": 0.3, "b": 0.3}) == {"a": 1, "b": 1}
    assert ranking.min_max({}) == {}


@given(words, st.dictionaries(ids, st.floats(0, 1)))
def test_what_is_surer_to_answer_rises_and_no_score_leaves_its_range(found: dict[str, float], sure: dict[str, float]) -> None:
    before = ranking.hybrid_parts({}, found)
    after = {key: sum(adds.values()) for key, adds in ranking.reranked(before, sure).items()}
    assert after.keys() == before.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in after.values())
    for a in found:
        for b in found:
            if before[a]["words"] >= before[b]["words"] and sure.get(a, 0.0) >= sure.get(b, 0.0):
                assert after[a] >= after[b]


@given(words)
def test_where_nothing_answers_the_order_stays(found: dict[str, float]) -> None:
    before = ranking.hybrid_parts({}, found)
    after = ranking.reranked(before, dict.fromkeys(found, 0.0))
    assert ranking.best({k: sum(v.values()) for k, v in after.items()}, 8) == ranking.best({k: sum(v.values()) for k, v in before.items()}, 8)


@given(cosines, st.integers(0, 10))
def test_the_best_come_first_whatever_the_order_they_were_found_in(found: dict[str, float], limit: int) -> None:
    chosen = ranking.best(found, limit)
    assert chosen == ranking.best(dict(reversed(found.items())), limit)
    assert [found[key] for key in chosen] == sorted(found.values(), reverse=True)[:limit]


def test_recency_halves_in_a_half_life_and_never_exceeds_one() -> None:
    now = datetime(2026, 10, 3, tzinfo=UTC)
    assert ranking.recency(now + timedelta(days=5), now) == 1
    assert abs(ranking.recency(now - timedelta(days=ranking.HALF_LIFE_DAYS), now) - 0.5) < 1e-9


moments = st.dictionaries(ids, st.integers(0, 600).map(lambda s: datetime(2026, 10, 3, tzinfo=UTC) + timedelta(seconds=s)), max_size=8)


@given(words, moments)
def test_a_memory_gains_at_most_a_share_of_the_best_beside_it(found: dict[str, float], said: dict[str, datetime]) -> None:
    gains = ranking.neighbouring(found, said)
    assert set(gains) == found.keys() & said.keys()
    assert all(0 <= gain <= ranking.NEIGHBOUR_SHARE * max(found.values()) for gain in gains.values())


def test_what_was_said_beside_a_good_match_gains_and_what_was_said_later_does_not() -> None:
    start = datetime(2026, 10, 3, tzinfo=UTC)
    said = {"asked": start, "beside": start + timedelta(seconds=30), "later": start + timedelta(minutes=30)}
    gains = ranking.neighbouring({"asked": 1.0, "beside": 0.2, "later": 0.2}, said)
    assert gains == {"asked": ranking.NEIGHBOUR_SHARE * 0.2, "beside": ranking.NEIGHBOUR_SHARE, "later": 0}


@given(cosines, words, moments)
def test_with_its_neighbours_a_score_stays_between_zero_and_one(
    meaning: dict[str, float], found: dict[str, float], said: dict[str, datetime]
) -> None:
    for adds in ranking.neighboured(ranking.hybrid_parts(meaning, found), said).values():
        assert set(adds) == {"meaning", "words", "neighbours"}
        assert 0 <= sum(adds.values()) <= 1 + 1e-9
