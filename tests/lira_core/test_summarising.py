"""Sessions are summed up beside the turns, rolled up, made anew after deletions, and one user never stops the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from lira_core import summarising
from lira_core.indexing import Indexer
from lira_core.languages.terms import terms
from lira_core.ledger import Ledger
from lira_core.memory.summary import Extractive
from lira_core.observe import Unobserved
from lira_core.reconcile import Reconciler
from lira_core.requests import stamp
from lira_core.stores import Forgotten, StoreOptions, Stores, StoreUnavailable, open_stores
from lira_core.stores.ports import Backlog, EncoderId, Erasure, Write
from lira_core.summarising import LOOK_SECONDS, Summariser
from lira_core.types import Event, Line, Memory, Scope

SEOUL = ZoneInfo("Asia/Seoul")
NOON = datetime(2026, 10, 3, 12, tzinfo=SEOUL)
HOUR = 3_600_000_000
TALK = ["점심 뭐 먹지", "강아지 보리가 아파서 병원에 갔어", "보리 약을 먹였어", "비가 오네", "보리가 잠들었어", "커피 한 잔", "음악 듣는 중"]


class Tiny:
    async def embed(self, texts: Any) -> Any:
        return np.tile(np.eye(1, 4, dtype=np.float32)[0], (len(texts), 1))


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    urls = dict.fromkeys(("short_term", "record", "vectors"), f"sqlite:///{tmp_path}/lira.db")
    opened = await open_stores(urls, StoreOptions(EncoderId("tiny-4", 4)))  # type: ignore[arg-type]
    yield opened
    await opened.close()


def summariser(stores: Stores, writer: Any = None) -> Summariser:
    return Summariser(stores, writer or Extractive(), zone=SEOUL)


def reconciler(stores: Stores, one: Summariser) -> Reconciler:
    return Reconciler(stores, Ledger(stores), Indexer(stores, Tiny(), batch=8), one, Unobserved(), every=0.01)  # type: ignore[arg-type]


async def say(
    stores: Stores,
    count: int,
    *,
    first: int = 0,
    session: str = "s",
    user: str = "u",
    ago: int = 0,
    begins: datetime = NOON,
    keep: Sequence[int] = (),
) -> None:
    """Utterances of one session, a minute apart, all received `ago` microseconds ago."""
    for n in range(first, first + count):
        text, id = TALK[n % len(TALK)] + f" {session}{n}", f"{session}-{n}"
        said = Event(id, user, session, "user", text, begins + timedelta(minutes=n), id, terms=tuple(terms(text)))
        memories = (Memory(id, user, text, said.timestamp, session, "trigger"),) if n in keep else ()
        await stores.record.commit(Write(id, user, stamp() - ago, said, memories))


async def turns(stores: Stores, scope: Scope, user: str = "u") -> list[tuple[str, ...]]:
    return [summary.turns for summary in await stores.record.summaries(user, scope, 99)]


async def test_nine_turns_are_not_summed_up_and_ten_are(stores: Stores) -> None:
    one = summariser(stores)
    await say(stores, 9)
    assert await one.look("u", "s") is None
    assert await turns(stores, "session") == []
    await say(stores, 1, first=9, keep=[9])
    assert await one.look("u", "s") is None
    (summary,) = await stores.record.summaries("u", "session", 9)
    assert "s-9" in summary.turns, "what was kept comes first"
    assert (summary.start, summary.end) == (NOON, NOON + timedelta(minutes=9))
    assert summary.text.splitlines()[-1] == f"{TALK[9 % len(TALK)]} s9"
    assert any("보리" in line for line in summary.text.splitlines()), "then what shares most words with the rest"


async def test_what_follows_is_summed_up_after_twenty_turns_or_an_hour_after_the_last(stores: Stores) -> None:
    one = summariser(stores)
    await say(stores, 29)
    waits = await one.look("u", "s")
    assert waits is not None
    assert 3_590 < waits <= 3_600
    assert len(await turns(stores, "session")) == 1
    await say(stores, 1, first=29)
    assert await one.look("u", "s") is None
    assert len(await turns(stores, "session")) == 2
    await say(stores, 5, first=0, session="old", ago=2 * HOUR)
    assert await one.look("u", "old") is None, "five turns are none"
    await say(stores, 6, first=5, session="old", ago=2 * HOUR)
    assert await one.look("u", "old") is None
    assert [summary.group for summary in await stores.record.summaries("u", "session", 9)].count("old") == 2


async def test_sessions_become_days_weeks_and_months(stores: Stores) -> None:
    one = summariser(stores)
    # Saturday the 3rd and Sunday the 4th of October; Wednesday the 30th of September, in another month but not in another week.
    for day in (-3, 0, 1):
        await say(stores, 10, session=f"d{day}", begins=NOON + timedelta(days=day), keep=[4])
        await one.look("u", f"d{day}")
    assert [summary.group for summary in await stores.record.summaries("u", "day", 9)] == ["2026-10-04", "2026-10-03", "2026-09-30"]
    (week,) = await stores.record.summaries("u", "week", 9)
    assert (week.group, week.start.isoformat(), week.end.isoformat()) == ("2026-09-28", "2026-09-28T00:00:00+09:00", "2026-10-05T00:00:00+09:00")
    assert {"d-3-4", "d0-4", "d1-4"} <= set(week.turns)
    october, september = await stores.record.summaries("u", "month", 9)
    assert (october.group, september.group) == ("2026-10-01", "2026-09-01")
    assert "d-3-4" in september.turns
    assert {"d0-4", "d1-4"} <= set(october.turns)
    assert not set(october.turns) & set(september.turns)


async def test_a_session_that_goes_on_past_midnight_is_told_on_both_days(stores: Stores) -> None:
    await say(stores, 30, begins=NOON.replace(hour=23, minute=50), keep=[3, 25])
    await summariser(stores).look("u", "s")
    later, earlier = await stores.record.summaries("u", "day", 9)
    assert "s-3" in earlier.turns
    assert "s-25" in later.turns


async def test_looking_again_changes_nothing(stores: Stores) -> None:
    one = summariser(stores)
    await say(stores, 30, keep=[3, 17])
    await one.look("u", "s")
    before = {scope: await stores.record.summaries("u", scope, 99) for scope in ("session", "day", "week", "month")}  # type: ignore[arg-type]
    await one.look("u", "s")
    assert {scope: await stores.record.summaries("u", scope, 99) for scope in before} == before  # type: ignore[arg-type]


async def test_a_model_is_asked_again_only_for_other_lines_or_where_it_was_away(stores: Stores) -> None:
    class Model(Extractive):
        """Says how many lines it was given; while it is away the own words stand."""

        def __init__(self) -> None:
            self.asked: list[Scope] = []
            self.away = False

        async def write(self, scope: Scope, lines: Sequence[Line]) -> str:
            self.asked.append(scope)
            return await super().write(scope, lines) if self.away else f"{len(lines)} lines"

    model = Model()
    one = summariser(stores, model)
    await say(stores, 10, keep=[3])
    model.away = True
    await one.look("u", "s")
    model.away = False
    for _ in range(2):
        await one.look("u", "s")
    assert model.asked == ["session", "day", "week", "month"] * 2
    assert [s.text for scope in ("session", "day") for s in await stores.record.summaries("u", scope, 9)] == ["3 lines", "3 lines"]  # type: ignore[arg-type]
    model.asked.clear()
    await say(stores, 20, first=10, keep=[15])
    await one.look("u", "s")
    assert model.asked == ["session", "day", "week", "month"], "the first part of the session is as it was"


async def test_what_was_deleted_is_in_no_summary_and_the_rest_is_told_again(stores: Stores) -> None:
    one = summariser(stores)
    await say(stores, 12, keep=[2, 5], ago=2 * HOUR)
    await say(stores, 10, session="t", keep=[1])
    for session in "st":
        await one.look("u", session)
    assert any("s-2" in found for found in await turns(stores, "month"))
    assert await stores.record.erase(Erasure("u", "s-2", stamp()))
    for scope in ("session", "day", "week", "month"):
        assert not any("s-2" in found for found in await turns(stores, scope))  # type: ignore[arg-type]
    work = reconciler(stores, one)
    while await work.summarise():
        pass
    for scope in ("session", "day", "week", "month"):
        found = {turn for one in await turns(stores, scope) for turn in one}  # type: ignore[arg-type]
        assert {"s-5", "t-1"} <= found
        assert "s-2" not in found
    assert await stores.record.unsummarised.backlog() == Backlog(0, 0)


async def test_a_deleted_user_has_no_summary_and_another_keeps_theirs(stores: Stores) -> None:
    one = summariser(stores)
    for user in "uv":
        await say(stores, 10, user=user)
        await one.look(user, "s")
    await Ledger(stores).delete_user("u")
    await one.look("u", "s")
    for scope in ("session", "day", "week", "month"):
        assert await turns(stores, scope, "u") == []  # type: ignore[arg-type]
        assert len(await turns(stores, scope, "v")) == 1  # type: ignore[arg-type]


async def test_what_is_deleted_while_it_is_being_written_up_is_not_written(stores: Stores) -> None:
    class Slow(Extractive):
        """A writer during whose work the user deletes what it writes of."""

        async def write(self, scope: Scope, lines: Sequence[Line]) -> str:
            await stores.record.erase(Erasure("u", "s-2", stamp()))
            return await super().write(scope, lines)

    await say(stores, 12, keep=[2])
    await summariser(stores, Slow()).look("u", "s")
    assert await turns(stores, "session") == []
    assert await stores.record.get("u", ["s-2"]) == []


async def test_a_turn_lets_its_session_wait_and_a_store_that_is_away_costs_nothing_but_the_time(stores: Stores) -> None:
    class Away:
        async def resummarise(self, *_: Any) -> None:
            raise StoreUnavailable("not there")

    lost = summariser(replace(stores, record=Away()))  # type: ignore[arg-type]
    lost.soon("u", "s", stamp())
    await lost.stop()
    one = summariser(stores)
    one.soon("u", "s", stamp())
    await one.stop()
    assert await stores.record.unsummarised.backlog() == Backlog(1, 0)
    assert await stores.record.unsummarised.claim(9, 60) == [], f"it is looked at in {LOOK_SECONDS:g} s"


async def test_one_bad_user_stops_nobody(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summarising, "LOOK_SECONDS", 0.0)

    class Picky(Extractive):
        async def write(self, scope: Scope, lines: Sequence[Line]) -> str:
            if any(line.turn_id.startswith("bad") for line in lines):
                raise ValueError("it cannot be written")
            return await super().write(scope, lines)

    one = summariser(stores, Picky())
    for user, session in (("b", "bad"), ("u", "s"), ("v", "s")):
        await say(stores, 10, user=user, session=session)
        await one.said(user, session, stamp())
    await reconciler(stores, one).summarise()
    assert [len(await turns(stores, "day", user)) for user in "buv"] == [0, 1, 1]
    assert await stores.record.unsummarised.backlog() == Backlog(1, 0), "it is tried again later"


async def test_a_part_that_is_not_full_waits_for_its_hour(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summarising, "LOOK_SECONDS", 0.0)
    one = summariser(stores)
    await say(stores, 12)
    await one.said("u", "s", stamp())
    work = reconciler(stores, one)
    assert await work.summarise() == 1
    assert await stores.record.unsummarised.backlog() == Backlog(1, 0)
    assert await work.summarise() == 0, "not before"


async def test_a_session_of_somebody_who_left_meanwhile_is_passed_over(stores: Stores) -> None:
    class Gone:
        """A record whose user leaves between the reading and the writing."""

        def __getattr__(self, name: str) -> Any:
            return getattr(stores.record, name)

        async def put_summaries(self, *_: Any) -> None:
            raise Forgotten("deleted")

    await say(stores, 12, ago=2 * HOUR)
    assert await summariser(replace(stores, record=Gone())).look("u", "s") is None  # type: ignore[arg-type]
