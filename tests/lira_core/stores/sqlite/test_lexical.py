"""Finding by words: as good as scoring everything, at a cost that does not grow with what was ever said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from lira_core.stores.ports import Hit, Write
from lira_core.stores.sqlite import Database, SqliteRecord, lexical
from lira_core.stores.sqlite.postings import MEMORIES
from lira_core.stores.words import Posting, Postings, bm25
from lira_core.types import Memory

from ..conformance.making import NOON, RECEIVED, event, ids, imported, memory, options


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[SqliteRecord]:
    opened = SqliteRecord(Database(tmp_path / "lira.db"), options().encoder)
    yield opened
    await opened.close()


def brute_force(memories: list[Memory], terms: list[str]) -> dict[str, float]:
    holding = {
        term: [Posting(m.id, m.terms.count(term), len(m.terms)) for m in memories if term in m.terms] for term in terms
    }  # fmt: skip
    mean = sum(len(m.terms) for m in memories) / len(memories)
    return bm25({term: Postings(len(held), held) for term, held in holding.items()}, memories=len(memories), mean_length=mean)


async def many(record: SqliteRecord, count: int) -> list[Memory]:
    chance = np.random.default_rng(5)
    shares = 1 / np.arange(1, 301)
    words = [[f"말{n}" for n in chance.choice(300, chance.integers(1, 12), p=shares / shares.sum())] for _ in range(count)]
    memories = [memory(f"m{n}", "u", n, terms=tuple(terms)) for n, terms in enumerate(words)]
    for start in range(0, count, 500):
        await record.commit(imported(f"i{start}", "u", memories[start : start + 500], RECEIVED + start))
    return memories


async def test_where_no_term_is_common_every_answer_is_that_of_scoring_everything(record: SqliteRecord) -> None:
    memories = await many(record, 400)
    for n in range(20):
        terms = [f"말{(n * 13 + k * k * 7) % 300}" for k in range(4)] + ["없는 말"]
        expected = brute_force(memories, terms)
        found = await record.lexical("u", terms, 10)
        assert [hit.score for hit in found] == pytest.approx(sorted(expected.values(), reverse=True)[:10])
        assert [hit.score for hit in found] == pytest.approx([expected[hit.id] for hit in found])


async def test_an_old_memory_found_by_a_rare_word_is_scored_for_the_common_one_too(record: SqliteRecord, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "POSTINGS", 10)
    await record.commit(
        imported("i", "u", [memory("old both", "u", 0, terms=("드문", "흔한")), memory("old rare", "u", 1, terms=("드문", "딴말"))]
                 + [memory(f"m{n}", "u", 2 + n, terms=("흔한", "딴말")) for n in range(60)])
    )  # fmt: skip
    found = await record.lexical("u", ["흔한", "드문"], 3)
    assert ids(found)[:2] == ["old both", "old rare"]
    assert found[0].score == pytest.approx(1.0)
    assert ids(await record.lexical("u", ["흔한"], 3)) == ["m59", "m58", "m57"]
    assert ids(await record.lexical("u", ["흔한"], 3, until=NOON + timedelta(minutes=20))) == ["m18", "m17", "m16"]


async def test_the_steps_of_an_answer_do_not_grow_with_what_was_said(record: SqliteRecord) -> None:
    async def steps(terms: list[str]) -> int:
        count = 0

        def tick() -> int:
            nonlocal count
            count += 1
            return 0

        def work(c):
            c.set_progress_handler(tick, 100)
            found = lexical.lexical(c, MEMORIES, "u", terms, 10, 2**62)
            c.set_progress_handler(None, 0)
            return found

        assert await record._database.write(work)
        return count

    await many(record, 2_000)
    terms = ["말0", "말1", "말2"]
    before = await steps(terms)
    await record.commit(imported("more", "u", [memory(f"x{n}", "u", 5_000 + n, terms=(*terms, f"딴{n}")) for n in range(6_000)], RECEIVED + 10**6))
    assert await steps(terms) < 1.5 * before


async def test_of_a_word_that_very_many_events_hold_the_newest_are_found_and_a_rare_one_finds_them_all(
    record: SqliteRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lexical, "POSTINGS", 10)
    for n in range(40):
        said = event(f"e{n}", "u", timestamp=NOON + timedelta(minutes=n), terms=("흔한", "딴말") if n else ("흔한", "드문"))
        await record.commit(Write(said.id, "u", RECEIVED + n, said))
    assert ids(await record.said("u", ["흔한"], 5)) == ["e39", "e38", "e37", "e36", "e35"]
    assert ids(await record.said("u", ["흔한"], 3, NOON + timedelta(minutes=12))) == ["e12", "e11", "e10"]
    (first, *_) = await record.said("u", ["흔한", "드문"], 5)
    assert first == Hit("e0", pytest.approx(1.0)), "it is scored for the common word too"
