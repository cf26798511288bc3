from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from redis.crc import key_slot

from lira_core.stores.ports import StoreRejected
from lira_core.stores.redis import keys
from lira_core.stores.redis.server import Script, Server

from ..conformance.making import someone, turn, utterance
from .conftest import Open, Start
from .everything import everything


async def test_the_keys_of_each_script_are_in_one_slot(start: Start, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, list[Sequence[str]]] = {}
    run = Server.run

    async def noting(self: Server, script: Script, keys: Sequence[str], args: Sequence[str | bytes | int] = ()) -> Any:
        seen.setdefault(script.digest, []).append(keys)
        return await run(self, script, keys, args)

    monkeypatch.setattr(Server, "run", noting)
    users = [someone(), f"{someone()}:a.b_c-d", "x" * 128]
    await everything(*await opened(start().url), users)
    assert len(seen) > 20, "nearly every script was seen"
    for named in seen.values():
        for some in named:
            assert len({key_slot(key.encode()) for key in some}) == 1, some
    slots = {key_slot(some[0].encode()) for named in seen.values() for some in named}
    assert len(slots) == len(users) + keys.SHARDS, "each user has a slot, and each shard of the lanes"


async def test_every_key_bears_the_prefix(start: Start, opened: Open) -> None:
    server = start()
    short_term, deferred = await opened(server.url)
    await everything(short_term, deferred, [someone()])
    assert server.dump()
    assert all(key.startswith("lira:") for key in server.dump())


@pytest.mark.parametrize("user", ["", "a{b", "}", "a}b{c"])
async def test_a_user_id_that_would_change_the_slot_is_refused(start: Start, opened: Open, user: str) -> None:
    short_term, deferred = await opened(start().url)
    with pytest.raises(StoreRejected, match="braces"):
        await short_term.append(user, "s", turn("t"))
    with pytest.raises(StoreRejected, match="braces"):
        await deferred.put(utterance("w", user))
    with pytest.raises(StoreRejected, match="braces"):
        await short_term.delete_user(user, 1)


async def test_what_a_session_leaves_ends_by_itself(start: Start, opened: Open) -> None:
    server = start()
    short_term, _ = await opened(server.url, session_ttl_seconds=100, answers_ttl_seconds=50)
    user = someone()
    await short_term.append(user, "s", turn("t", quotes=("m",)))
    await short_term.begin(user, "k", "d", 1, 20)
    await short_term.begin(user, "k2", "d", 1, 20)
    await short_term.keep(user, "k2", "d", 1, b"body", [])
    await short_term.forget(user, "other")
    await short_term.delete(user, "s2", 1)
    await short_term.delete_user(user, 0)
    with server.client() as client:
        left = {key: client.ttl(key) for key in server.dump() if user in key}
    assert 95 < left[f"lira:{{{user}}}:log:s"] <= 100
    assert 95 < left[f"lira:{{{user}}}:head:s"] <= 100
    assert 15 < left[f"lira:{{{user}}}:answer:k"] <= 20
    assert 45 < left[f"lira:{{{user}}}:answer:k2"] <= 50
    remembered = {name: left[f"lira:{{{user}}}:{name}"] for name in ("cut", "tombstones", "turns:s", "session-cut:s2", "sessions", "answers")}
    assert all(86_400 < seconds <= keys.REMEMBERED_SECONDS for seconds in remembered.values()), remembered
    assert min(left.values()) > 0, "nothing is left for ever"
