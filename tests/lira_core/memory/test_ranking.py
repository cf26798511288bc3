"""Scores and order."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lira_core.memory import ranking
from lira_core.stores.ports import Posting, TermMatches

ids = st.text("abcdef", min_size=1, max_size=3)
unit = st.floats(0, 1)
scores = st.dictionaries(ids, st.floats(-5, 5), max_size=8)


def matches_of(documents: dict[str, list[str]]) -> TermMatches:
    postings: dict[str, list[Posting]] = {}
    for name, words in documents.items():
        for word in set(words):
            postings.setdefault(word, []).append(Posting(name, words.count(word), len(words)))
    return TermMatches(len(documents), sum(map(len, documents.values())) / max(len(documents), 1), postings)


documents = st.dictionaries(ids, st.lists(st.sampled_from("가나다라마"), min_size=1, max_size=6), min_size=1, max_size=6)
query = st.lists(st.sampled_from("가나다라마바"), min_size=1, max_size=4)


def test_a_rare_word_weighs_more_than_one_that_every_memory_has() -> None:
    found = ranking.bm25(matches_of({"a": ["커피", "아침"], "b": ["커피", "산책"], "c": ["커피", "비"]}), ["커피", "산책"])
    assert ranking.best(found, 1) == ["b"]


def test_of_two_memories_with_the_word_the_shorter_is_more_about_it() -> None:
    found = ranking.bm25(matches_of({"short": ["딸기"], "long": ["딸기", "가", "나", "다", "라"]}), ["딸기"])
    assert found["short"] > found["long"]


@given(documents, query)
def test_bm25_scores_exactly_the_memories_that_hold_a_term_and_above_zero(docs: dict[str, list[str]], terms: list[str]) -> None:
    found = ranking.bm25(matches_of(docs), terms)
    assert set(found) == {name for name, words in docs.items() if set(words) & set(terms)}
    assert all(score > 0 for score in found.values())


@given(documents, query)
def test_coverage_is_a_share_and_whole_when_every_term_is_held(docs: dict[str, list[str]], terms: list[str]) -> None:
    shares = ranking.coverage(matches_of(docs), terms)
    for name, share in shares.items():
        assert 0 < share <= 1 + 1e-9
        assert (share > 1 - 1e-9) == (set(terms) <= set(docs[name]))


@given(unit, unit, unit, unit)
def test_the_merged_score_stays_between_zero_and_one(relevance: float, keyword: float, recent: float, importance: float) -> None:
    assert 0 <= ranking.merged_score(relevance=relevance, keyword=keyword, recent=recent, importance=importance) <= 1 + 1e-9


@given(scores, scores)
def test_a_hybrid_score_is_between_zero_and_one_and_covers_both_sides(meaning: dict[str, float], words: dict[str, float]) -> None:
    positive = {key: abs(score) + 0.1 for key, score in words.items()}
    merged = ranking.hybrid(meaning, positive)
    assert set(merged) == {*meaning, *positive}
    assert all(0 <= score <= 1 for score in merged.values())


@given(scores, st.integers(0, 10))
def test_the_best_come_first_whatever_the_order_they_were_found_in(found: dict[str, float], limit: int) -> None:
    chosen = ranking.best(found, limit)
    assert chosen == ranking.best(dict(reversed(found.items())), limit)
    assert [found[key] for key in chosen] == sorted(found.values(), reverse=True)[:limit]


def test_recency_halves_in_a_half_life_and_never_exceeds_one() -> None:
    now = datetime(2026, 10, 3, tzinfo=UTC)
    assert ranking.recency(now + timedelta(days=5), now) == 1
    assert abs(ranking.recency(now - timedelta(days=ranking.HALF_LIFE_DAYS), now) - 0.5) < 1e-9
