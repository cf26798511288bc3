"""Two users with the same ids, hammered in any order, never see or touch each other's."""

from __future__ import annotations

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lira_core.stores import open_stores
from lira_core.stores.ports import EncoderId, Erasure, Forgotten, IndexItem, IndexPlan, Write
from lira_core.types import Memory

from ..conformance.making import NOON, event, fact, feels, memory, options, turn
from ..conformance.making import ids as ids_of

users = st.sampled_from(["u", "v"])
ids = st.sampled_from(["a", "b", "c"])
sessions = st.sampled_from(["s", "t"])
ENCODER = EncoderId("test", 4)


class TwoUsers(RuleBasedStateMachine):
    """The stores against dictionaries. Every request is received a moment after the one before."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        url = f"sqlite:///{Path(self.folder.name) / 'lira.db'}"
        self.runner = asyncio.Runner()
        self.stores = self.runner.run(open_stores({"short_term": url, "record": url, "vectors": url}, options(encoder=ENCODER)))
        self.runner.run(self.stores.record.plan_index(IndexPlan(serving="test"), IndexPlan()))
        self.memories: dict[str, dict[str, Memory]] = {"u": {}, "v": {}}
        self.dead: dict[str, set[str]] = {"u": set(), "v": set()}
        self.vectors: dict[str, dict[str, np.ndarray]] = {"u": {}, "v": {}}
        self.sessions: dict[tuple[str, str], list[str]] = {}
        self.clock = 0

    def teardown(self) -> None:
        self.runner.run(self.stores.close())
        self.runner.close()
        self.folder.cleanup()

    def received(self) -> int:
        self.clock += 1
        return self.clock

    @rule(user=users, id=ids, minutes=st.integers(0, 3), terms=st.lists(st.sampled_from(["커피", "강남"]), max_size=3))
    def write(self, user: str, id: str, minutes: int, terms: list[str]) -> None:
        kept = memory(id, user, minutes, facts=(fact("user", "like", key="taste"),), terms=tuple(terms), emotion=feels(("joy", 0.9)))
        work = self.stores.record.commit(_write(kept, self.received()))
        if id in self.dead[user]:
            with pytest.raises(Forgotten):
                self.runner.run(work)
        else:
            self.runner.run(work)
            self.memories[user].setdefault(id, kept)

    @rule(user=users, id=ids)
    def delete(self, user: str, id: str) -> None:
        known = id in self.memories[user] or id in self.dead[user]
        assert self.runner.run(self.stores.record.erase(Erasure(user, id, self.received()))) == known
        if known:
            self.memories[user].pop(id, None)
            self.dead[user].add(id)

    @rule(user=users, id=ids, n=st.integers(0, 3))
    def add_vector(self, user: str, id: str, n: int) -> None:
        self.vectors[user][id] = np.eye(4, dtype=np.float32)[n]
        self.runner.run(self.stores.vectors.add(user, [IndexItem(memory(id, user), self.received(), self.vectors[user][id])]))

    @rule(user=users, id=ids)
    def delete_vector(self, user: str, id: str) -> None:
        self.vectors[user].pop(id, None)
        self.runner.run(self.stores.vectors.delete(user, [id]))

    @rule(user=users, session=sessions)
    def say(self, user: str, session: str) -> None:
        received = self.received()
        self.runner.run(self.stores.short_term.append(user, session, turn(f"{user} {received}", received)))
        self.sessions.setdefault((user, session), []).append(f"{user} {received}")

    @rule(user=users)
    def delete_user(self, user: str) -> None:
        cut = self.received()
        self.runner.run(self.stores.record.erase(Erasure(user, None, cut)))
        for store in (self.stores.short_term, self.stores.vectors, self.stores.deferred):
            self.runner.run(store.delete_user(user, cut))
        for kept in (self.memories, self.dead, self.vectors):
            kept[user].clear()
        for key in [key for key in self.sessions if key[0] == user]:
            del self.sessions[key]

    @invariant()
    def each_sees_their_own(self) -> None:
        self.runner.run(self.look())

    async def look(self) -> None:
        record = self.stores.record
        waiting = await record.unindexed.claim(99, 0)
        for user, mine in self.memories.items():
            assert await record.get(user, sorted(mine)) == [mine[id] for id in sorted(mine)]
            everything = [
                ids_of((await record.page(user, 9, None))[0]),
                ids_of(await record.newest(user, 9)),
                ids_of(await record.slots(user, [(None, "like")], 9)),
                ids_of(await record.feeling(user, "joy", 0.1, 9)),
                [entry.id for entry in waiting if entry.user_id == user],
            ]
            for found in everything:
                assert sorted(found) == sorted(mine)
            newest = await record.holders(user, ["taste"])
            assert [at for at, _ in newest.values()] == ([max(m.timestamp for m in mine.values())] if mine else [])
            for term in ("커피", "강남"):
                assert {hit.id for hit in await record.lexical(user, [term], 9)} == {id for id, m in mine.items() if term in m.terms}
            for n in range(4):
                found = {hit.id: hit.score for hit in await self.stores.vectors.search(user, np.eye(4, dtype=np.float32)[n], 9)}
                assert found == {id: float(vector[n]) for id, vector in self.vectors[user].items()}
            for session in ("s", "t"):
                said = (await self.stores.short_term.read(user, session, at=NOON + timedelta(minutes=1))).messages
                assert [message.turn_id for message in said[::2]] == self.sessions.get((user, session), [])
        assert await record.count() == sum(map(len, self.memories.values()))


def _write(kept: Memory, received: int) -> Write:
    return Write(kept.id, kept.user_id, received, event(kept.id, kept.user_id), (kept,))


TestTwoUsers = TwoUsers.TestCase
TestTwoUsers.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
