"""Deriving anew past the heads of lists: what leaves them, what comes to them, and how they are filled again."""

from __future__ import annotations

import random
from dataclasses import replace

from lira_core.stores.mongo.lists import HEAD
from lira_core.stores.mongo.record import MongoRecord
from lira_core.types import Memory

from ..conformance.making import RECEIVED, fact, ids, imported, memory

LIKES, PLANS = fact("user", "like", key="taste:커피"), fact("user", "plan", key="plan:여행")


def read(n: int, who: str, *, plan: bool, derived: int) -> Memory:
    terms = ("여행", "늘") if plan else ("커피", "늘", f"말{n % 3}")
    return memory(f"m{n}", who, n, facts=(PLANS if plan else LIKES,), terms=terms, derived=derived)


async def test_more_than_a_head_holds_may_leave_a_list_and_come_to_another(record: MongoRecord) -> None:
    chance, many = random.Random(3), HEAD + 50
    # First most of the newest, so that the head of what they leave has to be filled again, then some of those behind it.
    first = set(chance.sample(range(50, many), HEAD - 15))
    then = set(chance.sample(sorted(set(range(many)) - first), 15))
    await record.commit(imported("w", "ada", [read(n, "ada", plan=False, derived=1) for n in range(many)]))
    for some in (sorted(first), sorted(then, reverse=True)):
        for start in range(0, len(some), 40):
            part = [read(n, "ada", plan=True, derived=2) for n in some[start : start + 40]]
            assert await record.rederive("ada", part) == len(part)
        await record.commit(imported(f"o{len(some)}", "ada", [replace(read(-len(some), "ada", plan=False, derived=1), id=f"old{len(some)}")]))
    left = [*(f"m{n}" for n in reversed(range(many)) if n not in first | then), "old15", f"old{len(first)}"]
    gone = [f"m{n}" for n in reversed(range(many)) if n in first | then]
    for limit in (5, HEAD // 2, 3 * HEAD):
        assert ids(await record.slots("ada", [("user", "like")], limit)) == left[:limit]
        assert ids(await record.slots("ada", [(None, "plan")], limit)) == gone[:limit]
    assert sorted(ids(await record.lexical("ada", ["커피"], 500))) == sorted(left)
    assert sorted(ids(await record.lexical("ada", ["여행"], 500))) == sorted(gone)
    # Written so from the beginning, by somebody else.
    fresh = [replace(one, user_id="eve", derived=2) for one in (await record.page("ada", 500, None))[0]]
    await record.commit(imported("w", "eve", fresh[::-1], RECEIVED))
    for terms in (["늘"], ["커피", "말1"], ["여행", "말2"]):
        scores = [{hit.id: round(hit.score, 9) for hit in await record.lexical(who, terms, 40)} for who in ("ada", "eve")]
        assert scores[0] == scores[1]
    assert await record.holders("ada", ["taste:커피", "plan:여행"]) == await record.holders("eve", ["taste:커피", "plan:여행"])
