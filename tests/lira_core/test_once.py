"""A request that comes twice is answered once."""

from __future__ import annotations

import asyncio
import contextlib
import re

import pytest

from lira_core import once as module
from lira_core.once import InProgress, first_time, id_of, once
from lira_core.requests import InvalidRequest, Once, stamp
from lira_core.stores import Forgotten, Stores, StoreUnavailable
from lira_core.stores.ports import ShortTerm

GIVEN = Once("key-1", "digest-1")


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_EVERY_S", 0.005)


@pytest.fixture
def store(opened: Stores) -> ShortTerm:
    return opened.short_term


async def answer(store: ShortTerm, body: bytes = b"first", *, given: Once = GIVEN, user: str = "u", quotes: tuple[str, ...] = ()) -> bytes:
    """Asks once: what was kept, or `body`, which is kept then."""
    async with first_time(store, user, given, stamp(), within_s=30) as taken:
        if taken.answer is not None:
            return taken.answer
        taken.keep(body, quotes)
        return body


async def test_the_second_request_gets_the_answer_of_the_first(store: ShortTerm) -> None:
    assert await answer(store, b"first \xea\xb0\x80") == b"first \xea\xb0\x80"
    assert await answer(store, b"second") == b"first \xea\xb0\x80"


async def test_another_request_under_the_same_key_is_refused_and_told_which_header(store: ShortTerm) -> None:
    await answer(store)
    with pytest.raises(InvalidRequest) as told:
        await answer(store, given=Once("key-1", "digest-2"))
    assert told.value.field == "Idempotency-Key"
    assert await answer(store) == b"first"


async def test_another_request_is_refused_also_while_the_first_is_at_work(store: ShortTerm) -> None:
    async with first_time(store, "u", GIVEN, stamp(), within_s=30):
        with pytest.raises(InvalidRequest):
            await answer(store, given=Once("key-1", "digest-2"))


async def test_two_people_may_choose_the_same_key(store: ShortTerm) -> None:
    assert await answer(store, b"mine") == b"mine"
    assert await answer(store, b"yours", user="v") == b"yours"


async def test_a_request_that_failed_may_be_made_again(store: ShortTerm) -> None:
    with pytest.raises(ZeroDivisionError):
        async with first_time(store, "u", GIVEN, stamp(), within_s=30):
            raise ZeroDivisionError
    assert await answer(store, b"second") == b"second"


async def test_a_request_whose_client_left_may_be_made_again(store: ShortTerm) -> None:
    working = asyncio.Event()

    async def work() -> None:
        async with first_time(store, "u", GIVEN, stamp(), within_s=30):
            working.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await working.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await answer(store, b"second") == b"second"


async def test_what_was_answered_is_kept_although_the_client_left_at_the_end(store: ShortTerm) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        async with first_time(store, "u", GIVEN, stamp(), within_s=30) as taken:
            taken.keep(b"first", ())
            raise asyncio.CancelledError
    assert await answer(store, b"second") == b"first"


async def test_of_many_at_once_one_works_and_all_get_its_answer(store: ShortTerm) -> None:
    worked = []

    async def one(number: int) -> bytes:
        async with first_time(store, "u", GIVEN, stamp(), within_s=30) as taken:
            if taken.answer is not None:
                return taken.answer
            worked.append(number)
            await asyncio.sleep(0.05)
            taken.keep(f"answer {number}".encode(), ())
            return f"answer {number}".encode()

    answers = await asyncio.gather(*(one(number) for number in range(16)))
    assert len(worked) == 1
    assert set(answers) == {f"answer {worked[0]}".encode()}


async def test_whoever_waits_for_a_first_request_that_fails_becomes_the_first(store: ShortTerm) -> None:
    waiting: list[asyncio.Task[bytes]] = []

    async def fail() -> None:
        async with first_time(store, "u", GIVEN, stamp(), within_s=30):
            waiting.append(asyncio.create_task(answer(store, b"second")))
            await asyncio.sleep(0.03)
            assert not waiting[0].done()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert await waiting[0] == b"second"


async def test_a_first_request_that_takes_too_long_is_not_waited_for_forever(store: ShortTerm) -> None:
    async with first_time(store, "u", GIVEN, stamp(), within_s=30):
        with pytest.raises(InProgress, match="still at work"):
            async with first_time(store, "u", GIVEN, stamp(), within_s=0.02):
                raise AssertionError("the key is somebody else's")


async def test_a_key_whose_holder_died_is_free_after_its_time(store: ShortTerm) -> None:
    assert await store.begin("u", GIVEN.key, GIVEN.digest, stamp(), 0.05) is None
    assert await answer(store, b"second") == b"second"


async def test_while_the_store_is_away_every_request_is_a_first_one(store: ShortTerm) -> None:
    await store.close()
    assert await answer(store, b"first") == b"first"
    assert await answer(store, b"second") == b"second"


async def test_an_answer_is_given_although_it_could_not_be_kept(store: ShortTerm) -> None:
    async with first_time(store, "u", GIVEN, stamp(), within_s=30) as taken:
        taken.keep(b"first", ())
        await store.close()


async def test_a_failure_within_stays_the_failure_while_the_store_is_away(store: ShortTerm) -> None:
    await store.close()
    with pytest.raises(ZeroDivisionError):
        async with first_time(store, "u", GIVEN, stamp(), within_s=30):
            raise ZeroDivisionError


async def test_a_store_that_is_away_within_is_not_taken_for_the_keys_own(store: ShortTerm) -> None:
    with pytest.raises(StoreUnavailable, match="the record is away"):
        async with first_time(store, "u", GIVEN, stamp(), within_s=30):
            raise StoreUnavailable("the record is away")
    assert await answer(store, b"second") == b"second"


async def test_a_kept_answer_goes_with_the_memory_that_it_shows(store: ShortTerm) -> None:
    await answer(store, b"your name is Minsu", quotes=("m1", "m2"))
    await store.forget("u", "m2")
    assert await answer(store, b"second") == b"second"


async def test_an_answer_that_shows_what_was_deleted_meanwhile_is_given_and_leaves_the_key_free(store: ShortTerm) -> None:
    await store.forget("u", "m1")
    for body in (b"first", b"second", b"third"):
        async with asyncio.timeout(5):
            assert await answer(store, body, quotes=("m1",)) == body


async def test_a_kept_answer_goes_with_its_user_and_a_late_request_stays_out(store: ShortTerm) -> None:
    early = stamp()
    await answer(store)
    await store.delete_user("u", stamp())
    with pytest.raises(Forgotten):
        async with first_time(store, "u", GIVEN, early, within_s=30):
            raise AssertionError("it was received before the deletion")
    assert await answer(store, b"second") == b"second"


def test_a_digest_tells_requests_apart_and_not_the_order_of_their_fields() -> None:
    body = {"user_id": "u", "items": [{"text": "가", "metadata": {"b": 1, "a": None}}]}
    same = {"items": [{"metadata": {"a": None, "b": 1}, "text": "가"}], "user_id": "u"}
    assert once("k", "/v1/memories", body) == once("k", "/v1/memories", same)
    others = [("/v1/chat", body), ("/v1/memories", body | {"user_id": "v"}), ("/v1/memories", body | {"items": []}), ("/v1/memories", None)]
    digests = {once("k", route, one).digest for route, one in [("/v1/memories", body), *others]}
    assert len(digests) == 1 + len(others)


def test_a_request_has_the_same_id_whenever_it_comes_and_nobody_elses() -> None:
    named = id_of("u", GIVEN)
    assert re.fullmatch(r"[0-9a-f]{32}", named)
    assert named == id_of("u", Once("key-1", "digest-1"))
    others = {
        id_of("v", GIVEN),
        id_of("u", Once("key-2", "digest-1")),
        id_of("u", Once("key-1", "digest-2")),
        id_of("u\nkey-1", Once("digest-1", "")),
    }
    assert named not in others
    assert len(others) == 4
