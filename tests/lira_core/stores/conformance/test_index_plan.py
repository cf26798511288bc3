"""Which encoders have an index, as the record knows it, and which memories wait for a vector of each."""

from __future__ import annotations

import asyncio

from lira_core.stores.ports import Backlog, EncoderId, Entry, IndexPlan, Record, Unindexed

from .engines import Opener
from .making import RECEIVED, eventually, ids, imported, memory, rich, someone

OLD, NEW = EncoderId("old", 12), EncoderId("new_2", 24)


async def test_a_new_record_has_no_plan_and_nothing_waits(own_record: Record, user: str) -> None:
    assert await own_record.index_plan() == IndexPlan()
    await own_record.commit(imported("w", user, [memory("m", user)]))
    assert await own_record.unindexed.backlog() == Backlog(0, 0)


async def test_a_plan_is_put_only_in_the_place_of_the_one_that_was_expected(own_record: Record) -> None:
    first, second = IndexPlan("old"), IndexPlan("old", "new_2")
    assert await own_record.plan_index(first, IndexPlan()) is True
    assert await own_record.plan_index(second, IndexPlan()) is False
    assert await own_record.plan_index(second, IndexPlan("old", "another")) is False
    assert await own_record.index_plan() == first
    assert await own_record.plan_index(second, first) is True
    assert await own_record.index_plan() == second


async def test_of_many_who_plan_at_once_one_succeeds(open_own_record: Opener) -> None:
    replicas = [await open_own_record(apart=True) for _ in range(2)]
    answers = await asyncio.gather(*[replicas[n % 2].plan_index(IndexPlan(f"e{n}"), IndexPlan()) for n in range(16)])
    assert sum(answers) == 1
    assert await replicas[0].index_plan() == IndexPlan(f"e{answers.index(True)}")


async def test_new_memories_wait_for_a_vector_of_every_encoder_of_the_plan(open_own_record: Opener, user: str) -> None:
    old, new = await open_own_record(encoder=OLD), await open_own_record(encoder=NEW)
    await old.plan_index(IndexPlan("old"), IndexPlan())
    await old.commit(imported("w1", user, [memory("m1", user)]))
    await old.plan_index(IndexPlan("old", "new_2"), IndexPlan("old"))
    await new.commit(imported("w2", user, [rich("m2", user)], RECEIVED + 5))
    assert await old.unindexed.backlog() == Backlog(2, 0)
    assert await new.unindexed.backlog() == Backlog(1, 0)
    (entry,) = await new.unindexed.claim(10, 60)
    assert entry.payload == Unindexed(rich("m2", user), RECEIVED + 5)
    assert ids(await old.unindexed.claim(10, 60)) == ["m1", "m2"], "each encoder has its own leases"
    await old.unindexed.done(user, ["m1", "m2"])
    assert await new.unindexed.backlog() == Backlog(1, 0)


async def test_what_has_its_vector_does_not_wait_again_when_the_write_comes_twice(own_record: Record, user: str) -> None:
    await own_record.plan_index(IndexPlan("conformance"), IndexPlan())
    write = imported("w", user, [memory("m1", user)])
    await own_record.commit(write)
    await own_record.commit(write)
    assert await own_record.unindexed.backlog() == Backlog(1, 0)
    await own_record.unindexed.claim(1, 60)
    await own_record.unindexed.done(user, ["m1"])
    await own_record.commit(write)
    assert await own_record.unindexed.backlog() == Backlog(0, 0)
    await own_record.commit(imported("w2", user, [memory("m1", user), memory("m2", user)]))
    assert ids(await own_record.unindexed.claim(10, 60)) == ["m2"]


async def test_what_waited_for_an_encoder_that_is_in_the_plan_no_more_is_dropped(open_own_record: Opener, user: str) -> None:
    old, new = await open_own_record(encoder=OLD), await open_own_record(encoder=NEW)
    await old.plan_index(IndexPlan("old", "new_2"), IndexPlan())
    await old.commit(imported("w", user, [memory("m1", user), memory("m2", user)]))
    await old.unindexed.bury(user, ["m2"], "hopeless")
    assert await new.plan_index(IndexPlan("new_2"), IndexPlan("old")) is False
    assert await old.unindexed.backlog() == Backlog(1, 1), "a plan that was not put drops nothing"
    assert await new.plan_index(IndexPlan("new_2"), IndexPlan("old", "new_2")) is True
    assert await old.unindexed.backlog() == Backlog(0, 0)
    assert await old.unindexed.claim(10, 60) == []
    assert await new.unindexed.backlog() == Backlog(2, 0)
    await old.commit(imported("w3", user, [memory("m3", user)]))
    assert await old.unindexed.backlog() == Backlog(0, 0)
    assert await new.unindexed.backlog() == Backlog(3, 0)


async def test_every_memory_can_be_made_to_wait_again(own_record: Record, user: str) -> None:
    other = someone()
    await own_record.plan_index(IndexPlan("conformance"), IndexPlan())
    for who, count in ((user, 3), (other, 2)):
        await own_record.commit(imported("w", who, [memory(f"m{n}", who) for n in range(count)]))
    while claimed := await own_record.unindexed.claim(10, 60):
        for entry in claimed:
            await own_record.unindexed.done(entry.user_id, [entry.id])
    assert await own_record.requeue(user) == 3
    assert await own_record.unindexed.backlog() == Backlog(3, 0)
    assert await own_record.requeue(user) == 3
    assert await own_record.requeue() == 5
    assert await own_record.unindexed.backlog() == Backlog(5, 0)
    again = [*await own_record.unindexed.claim(10, 60), *await own_record.unindexed.claim(10, 60)]
    assert sorted((entry.user_id, entry.id) for entry in again) == sorted(
        [*[(user, f"m{n}") for n in range(3)], *[(other, f"m{n}") for n in range(2)]]
    )
    assert {entry.attempts for entry in again} == {1}
    assert await own_record.requeue(someone()) == 0


async def test_waiting_again_is_for_this_records_encoder_alone(open_own_record: Opener, user: str) -> None:
    old, new = await open_own_record(encoder=OLD), await open_own_record(encoder=NEW)
    await old.plan_index(IndexPlan("old"), IndexPlan())
    await old.commit(imported("w", user, [memory("m1", user), memory("m2", user)]))
    await old.unindexed.done(user, ["m1", "m2"])
    await old.plan_index(IndexPlan("old", "new_2"), IndexPlan("old"))
    assert await new.unindexed.backlog() == Backlog(0, 0)
    assert await new.requeue() == 2
    assert await new.unindexed.backlog() == Backlog(2, 0)
    assert await old.unindexed.backlog() == Backlog(0, 0)


async def test_the_plan_and_what_waits_are_there_when_the_record_is_opened_again(open_own_record: Opener, user: str) -> None:
    record: Record = await open_own_record()
    await record.plan_index(IndexPlan("conformance", "new_2"), IndexPlan())
    await record.commit(imported("w", user, [memory("m", user)]))
    await open_own_record.close()
    record = await open_own_record()
    assert await record.index_plan() == IndexPlan("conformance", "new_2")
    assert ids(await record.unindexed.claim(10, 60)) == ["m"]


async def test_what_a_committer_holds_is_given_to_nobody_until_the_hold_ends(open_own_record: Opener, user: str) -> None:
    mine, other = await open_own_record(encoder=OLD), await open_own_record(encoder=NEW, apart=True)
    await mine.plan_index(IndexPlan("old", "new_2"), IndexPlan())
    await mine.commit(imported("w", user, [memory("m1", user), memory("m2", user)]), 0.5)
    assert await mine.unindexed.backlog() == Backlog(2, 0)
    assert await mine.unindexed.claim(10, 60) == []
    assert ids(await other.unindexed.claim(10, 60)) == ["m1", "m2"], "the other encoder's vectors are nobody's"
    await mine.unindexed.done(user, ["m1"])

    async def over() -> bool:
        claimed.extend(await mine.unindexed.claim(10, 60))
        return bool(claimed)

    claimed: list[Entry[Unindexed]] = []
    await eventually(over)
    assert [(entry.id, entry.attempts) for entry in claimed] == [("m2", 2)], "holding counts as a claim"
