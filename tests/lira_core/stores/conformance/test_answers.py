"""The part of `ShortTerm` that keeps the first answers to requests that may come twice."""

from __future__ import annotations

import asyncio

from lira_core.stores.ports import Answer, ShortTerm

from .engines import Opener
from .making import MIXED, RECEIVED


async def test_a_new_key_is_the_callers_and_others_see_it_being_made(short_term: ShortTerm, user: str) -> None:
    assert await short_term.begin(user, "k", "d1", RECEIVED, 60) is None
    assert await short_term.begin(user, "k", "d1", RECEIVED, 60) == Answer("d1", None)
    assert await short_term.begin(user, "k", "d2", RECEIVED + 1, 60) == Answer("d1", None)


async def test_an_answer_that_is_kept_comes_back_byte_for_byte(short_term: ShortTerm, user: str) -> None:
    body = bytes(range(256)) + MIXED.encode()
    assert await short_term.begin(user, "k", "d", RECEIVED, 60) is None
    await short_term.keep(user, "k", "d", RECEIVED, body, ["m"])
    for digest in ("d", "another"):
        assert await short_term.begin(user, "k", digest, RECEIVED + 5, 60) == Answer("d", body)


async def test_the_first_answer_that_was_kept_stays(short_term: ShortTerm, user: str) -> None:
    await short_term.begin(user, "k", "d", RECEIVED, 60)
    await short_term.keep(user, "k", "d", RECEIVED, b"first", [])
    await short_term.keep(user, "k", "d", RECEIVED, b"second", [])
    assert await short_term.begin(user, "k", "d", RECEIVED, 60) == Answer("d", b"first")


async def test_a_released_key_is_free_again_unless_an_answer_is_kept(short_term: ShortTerm, user: str) -> None:
    await short_term.begin(user, "k", "d1", RECEIVED, 60)
    await short_term.release(user, "k")
    assert await short_term.begin(user, "k", "d2", RECEIVED, 60) is None
    await short_term.keep(user, "k", "d2", RECEIVED, b"answer", [])
    await short_term.release(user, "k")
    assert await short_term.begin(user, "k", "d2", RECEIVED, 60) == Answer("d2", b"answer")
    await short_term.release(user, "never begun")


async def test_whoever_lets_their_time_pass_loses_the_key(short_term: ShortTerm, user: str) -> None:
    assert await short_term.begin(user, "k", "d1", RECEIVED, 0.05) is None
    await asyncio.sleep(0.2)
    assert await short_term.begin(user, "k", "d2", RECEIVED, 60) is None
    assert await short_term.begin(user, "k", "d1", RECEIVED, 60) == Answer("d2", None)


async def test_an_answer_outlives_the_time_that_was_given_to_make_it(short_term: ShortTerm, user: str) -> None:
    await short_term.begin(user, "k", "d", RECEIVED, 0.05)
    await short_term.keep(user, "k", "d", RECEIVED, b"answer", [])
    await asyncio.sleep(0.2)
    assert await short_term.begin(user, "k", "d", RECEIVED, 60) == Answer("d", b"answer")


async def test_an_answer_is_kept_for_its_time_and_no_longer(open_short_term: Opener, user: str) -> None:
    short_term, _ = await open_short_term(answers_ttl_seconds=1)
    await short_term.begin(user, "k", "d", RECEIVED, 60)
    await short_term.keep(user, "k", "d", RECEIVED, b"answer", [])
    assert await short_term.begin(user, "k", "d", RECEIVED, 60) == Answer("d", b"answer")
    await asyncio.sleep(1.2)
    assert await short_term.begin(user, "k", "d", RECEIVED, 60) is None


async def test_of_many_callers_at_once_one_gets_the_key(short_term: ShortTerm, user: str) -> None:
    for key in ("k1", "k2", "k3"):
        answers = await asyncio.gather(*[short_term.begin(user, key, f"d{n}", RECEIVED, 60) for n in range(32)])
        (winner,) = [n for n, answer in enumerate(answers) if answer is None]
        assert {answer for answer in answers if answer is not None} == {Answer(f"d{winner}", None)}


async def test_of_many_callers_at_once_one_takes_over_a_key_that_was_let_go(short_term: ShortTerm, user: str) -> None:
    await short_term.begin(user, "k", "d", RECEIVED, 0.05)
    await asyncio.sleep(0.2)
    answers = await asyncio.gather(*[short_term.begin(user, "k", "d", RECEIVED, 60) for _ in range(32)])
    assert sum(answer is None for answer in answers) == 1


async def test_two_users_may_use_the_same_key(short_term: ShortTerm, user: str) -> None:
    for who, key in ((user, "a:b"), (f"{user}:a", "b"), (f"{user}x", "a:b"), (user, "a")):
        assert await short_term.begin(who, key, who, RECEIVED, 60) is None


async def test_an_answer_that_quotes_a_forgotten_memory_goes(short_term: ShortTerm, user: str) -> None:
    for key, quotes in (("k1", ["a", "m"]), ("k2", ["a"])):
        await short_term.begin(user, key, "d", RECEIVED, 60)
        await short_term.keep(user, key, "d", RECEIVED, b"answer", quotes)
    await short_term.forget(user, "m")
    assert await short_term.begin(user, "k1", "d", RECEIVED, 60) is None
    assert await short_term.begin(user, "k2", "d", RECEIVED, 60) == Answer("d", b"answer")


async def test_keeping_what_a_deletion_forbids_is_passed_over_in_silence(short_term: ShortTerm, user: str) -> None:
    await short_term.begin(user, "quoting", "d", RECEIVED, 60)
    await short_term.begin(user, "early", "d", RECEIVED, 60)
    await short_term.forget(user, "m")
    await short_term.keep(user, "quoting", "d", RECEIVED, b"answer", ["m"])
    assert await short_term.begin(user, "quoting", "d", RECEIVED, 60) is None, "nobody makes an answer to it any more"
    await short_term.delete_user(user, RECEIVED)
    await short_term.keep(user, "early", "d", RECEIVED, b"answer", [])
    assert await short_term.begin(user, "early", "d", RECEIVED + 1, 60) is None


async def test_keeping_what_a_deletion_forbids_leaves_an_answer_that_is_there_and_another_request_alone(short_term: ShortTerm, user: str) -> None:
    await short_term.begin(user, "kept", "d", RECEIVED, 60)
    await short_term.keep(user, "kept", "d", RECEIVED, b"answer", [])
    await short_term.begin(user, "taken over", "d1", RECEIVED, 0.05)
    await asyncio.sleep(0.2)
    assert await short_term.begin(user, "taken over", "d2", RECEIVED + 1, 60) is None
    await short_term.forget(user, "m")
    await short_term.keep(user, "kept", "d", RECEIVED, b"quoting", ["m"])
    await short_term.keep(user, "taken over", "d1", RECEIVED, b"quoting", ["m"])
    assert await short_term.begin(user, "kept", "d", RECEIVED, 60) == Answer("d", b"answer")
    assert await short_term.begin(user, "taken over", "d2", RECEIVED + 1, 60) == Answer("d2", None)
