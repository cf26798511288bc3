"""Two users with the same ids, hammered in any order, never see or touch each other's."""

import asyncio
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from lira_core.stores import open_stores
from lira_core.types import EmotionReading, EmotionScore, Event, Fact, Memory, Message

NOON = datetime(2026, 10, 3, 12, tzinfo=UTC)
users = st.sampled_from(["u", "v"])
ids = st.sampled_from(["a", "b", "c"])
sessions = st.sampled_from(["s", "t"])


class TwoUsers(RuleBasedStateMachine):
    """The stores against dictionaries."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        url = f"sqlite:///{Path(self.folder.name) / 'lira.db'}"
        self.runner = asyncio.Runner()
        self.stores = open_stores(url, url, url, ttl_seconds=3600, max_messages=100)
        self.memories: dict[str, dict[str, Memory]] = {"u": {}, "v": {}}
        self.vectors: dict[str, dict[str, np.ndarray]] = {"u": {}, "v": {}}
        self.sessions: dict[tuple[str, str], list[str]] = {}
        self.turns = 0

    def teardown(self) -> None:
        self.runner.run(self.stores.close())
        self.runner.close()
        self.folder.cleanup()

    @rule(user=users, id=ids, minutes=st.integers(0, 3), terms=st.lists(st.sampled_from(["커피", "강남"]), max_size=3))
    def write(self, user: str, id: str, minutes: int, terms: list[str]) -> None:
        memory = Memory(
            id, user, f"{user}만의 {id}", NOON + timedelta(minutes=minutes), facts=(Fact("user", "like", user, "taste", key="taste"),),
            terms=tuple(terms), emotion=EmotionReading((EmotionScore("joy", 0.9),)),
        )  # fmt: skip
        self.runner.run(self.stores.memories.write(user, Event(id, user, "s", "user", memory.text, NOON), memory))
        self.memories[user].setdefault(id, memory)

    @rule(user=users, id=ids)
    def delete(self, user: str, id: str) -> None:
        assert self.runner.run(self.stores.memories.delete(user, id)) == (self.memories[user].pop(id, None) is not None)

    @rule(user=users, id=ids, n=st.integers(0, 3))
    def add_vector(self, user: str, id: str, n: int) -> None:
        self.vectors[user][id] = np.eye(4, dtype=np.float32)[n]
        self.runner.run(self.stores.vectors.add(user, [(id, self.vectors[user][id])]))

    @rule(user=users, id=ids)
    def delete_vector(self, user: str, id: str) -> None:
        self.vectors[user].pop(id, None)
        self.runner.run(self.stores.vectors.delete(user, [id]))

    @rule(user=users, session=sessions)
    def say(self, user: str, session: str) -> None:
        self.turns += 1
        said = f"{user} {session} {self.turns}"
        self.runner.run(self.stores.short_term.append(user, session, [Message("user", said)], [], NOON, said))
        self.sessions.setdefault((user, session), []).append(said)

    @rule(user=users)
    def delete_user(self, user: str) -> None:
        for store in (self.stores.short_term, self.stores.memories, self.stores.vectors):
            self.runner.run(store.delete_user(user))
        self.memories[user].clear()
        self.vectors[user].clear()
        for key in [key for key in self.sessions if key[0] == user]:
            del self.sessions[key]

    @invariant()
    def each_sees_their_own(self) -> None:
        self.runner.run(self.look())

    async def look(self) -> None:
        record = self.stores.memories
        for user, mine in self.memories.items():
            everything = [
                await record.get(user, ["a", "b", "c"]),
                (await record.page(user, 9, None))[0],
                await record.by_slots(user, [(None, "like")], 9),
                await record.by_emotion(user, "joy", 0.1, 9),
                [m for m in await record.unindexed(99) if m.user_id == user],
            ]
            for found in everything:
                assert sorted(found, key=lambda m: m.id) == sorted(mine.values(), key=lambda m: m.id)
            newest = await record.newest_of_keys(user, ["taste"])
            assert [at for at, _ in newest.values()] == ([max(m.timestamp for m in mine.values())] if mine else [])
            matches = await record.by_terms(user, ["커피", "강남"])
            assert matches.memories == len(mine)
            assert matches.mean_length * len(mine) == sum(len(m.terms) for m in mine.values())
            for term, held in matches.postings.items():
                assert {p.memory_id: p.frequency for p in held} == {id: m.terms.count(term) for id, m in mine.items() if term in m.terms}
            for n in range(4):
                found = dict(await self.stores.vectors.search(user, np.eye(4, dtype=np.float32)[n], 9))
                assert found == {id: float(vector[n]) for id, vector in self.vectors[user].items()}
            for session in ("s", "t"):
                said = (await self.stores.short_term.read(user, session, at=NOON)).messages
                assert [message.content for message in said] == self.sessions.get((user, session), [])


TestTwoUsers = TwoUsers.TestCase
TestTwoUsers.settings = settings(max_examples=15, stateful_step_count=20, deadline=None)
