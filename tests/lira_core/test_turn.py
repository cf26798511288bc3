"""A turn in one process: real models, real stores; parts are taken away by breaking them for real."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lira_core.compose import open_settled_stores
from lira_core.embedding.local import LocalEmbedder
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.embedding.port import Heard
from lira_core.emotion.local import LocalEmotion
from lira_core.emotion.onnx import OnnxEmotion
from lira_core.events import Done, Recalled, Token
from lira_core.generation.port import Prompt
from lira_core.lira import Lira
from lira_core.reading.local import LocalReader
from lira_core.reading.onnx import OnnxReader
from lira_core.replies import Reply
from lira_core.requests import DeleteMemory, DeleteUser, ListMemories, Say, stamp
from lira_core.settings import Settings, load_settings
from lira_core.stores import Stores
from lira_core.stores.ports import Write
from lira_core.types import EmotionReading

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
SETTINGS = load_settings()
EMOTION, ENCODER = OnnxEmotion(SETTINGS.emotion_model_dir), OnnxEncoder(SETTINGS.embedding_model_dir)
READER = OnnxReader(SETTINGS.reader_model_dir)


class Broken:
    """A model whose replica is gone."""

    async def read(self, text: str) -> EmotionReading:
        raise ConnectionError("the replica is gone")

    async def embed(self, texts: object) -> NDArray[np.float32]:
        raise ConnectionError("the replica is gone")

    async def hear(self, text: str) -> Heard:
        raise ConnectionError("the replica is gone")

    async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
        yield "오늘"
        raise ConnectionError("the model is gone")


class Slow(Broken):
    """A model that answers too late."""

    async def read(self, text: str) -> EmotionReading:
        await asyncio.sleep(60)
        raise AssertionError("nobody waits this long")

    async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
        await asyncio.sleep(60)
        yield "늦은 답"


def lira_of(settings: Settings, stores: Stores, **parts: object) -> Lira:
    engines = {"emotion": LocalEmotion(EMOTION), "embedder": LocalEmbedder(ENCODER), "reader": LocalReader(READER)} | parts
    return Lira(settings, stores=stores, **engines)  # type: ignore[arg-type]


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    stores = await open_settled_stores(load_settings(data_dir=tmp_path))
    yield stores
    await stores.close()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(data_dir=tmp_path, emotion_deadline_ms=3000, generate_deadline_ms=1000)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    for _ in range(1_000):
        if await condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


async def nothing_waits(stores: Stores) -> bool:
    backlogs = [await outbox.backlog() for outbox in (stores.deferred, stores.record.unindexed)]
    return not any(backlog.waiting or backlog.dead for backlog in backlogs)


async def say(lira: Lira, text: str, minutes: int = 0, session: str = "s1", user: str = "u1") -> Reply:
    return await lira.chat(user_id=user, session_id=session, text=text, at=AT + timedelta(minutes=minutes))


async def test_what_was_said_is_recalled_in_a_new_session_and_answered_from(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    told = await say(lira, "내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘.")
    assert (told.memory.status, told.memory.reason) == ("stored", "trigger")
    asked = await say(lira, "내 일정 뭐였지?", 60 * 30, session="s2")
    assert [r.id for r in asked.recalled] == [told.memory.id]
    assert "강남" in asked.text
    assert "10월 4일" in asked.text, "내일 was resolved when it was said"
    assert asked.memory.status == "skipped"


async def test_a_question_that_follows_is_asked_with_those_it_follows(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    told = await say(lira, "토요일에 지은이랑 통영에 가기로 했어")
    await say(lira, "고양이를 키우는데 이름은 콩이야")
    await say(lira, "토요일에 뭐 하기로 했지?", 10, session="s2")
    with_whom = await say(lira, "누구랑?", 11, session="s2")
    assert "지은" in with_whom.text
    assert told.memory.id in {r.id for r in with_whom.recalled}
    assert with_whom.memory.status == "skipped"
    assert "통영" in (await say(lira, "어디로?", 12, session="s2")).text, "it is asked of what was asked two questions ago"


async def test_a_question_that_stands_alone_is_not_asked_with_the_one_before(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    await say(lira, "토요일에 지은이랑 통영에 가기로 했어")
    await say(lira, "고양이를 키우는데 이름은 콩이야")
    await say(lira, "토요일에 뭐 하기로 했지?", 10, session="s2")
    other = await say(lira, "내 고양이 이름이 뭐였지?", 11, session="s2")
    assert "콩이" in other.text
    assert "통영" not in other.text


async def test_a_question_follows_nothing_that_another_person_asked_in_a_session_of_that_name(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    await say(lira, "토요일에 지은이랑 통영에 가기로 했어", user="u2")
    await say(lira, "토요일에 뭐 하기로 했지?", 1, session="s2", user="u2")
    assert "지은" not in (await say(lira, "누구랑?", 2, session="s2")).text


async def test_a_statement_that_follows_is_kept_and_recalled_with_what_it_leans_on(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    plan = await say(lira, "내일 세 시에 치과 가기로 했어")
    off = await say(lira, "아 그거 취소됐대", 1)
    await say(lira, "고양이를 키우는데 이름은 콩이야", 2)
    (kept,) = await stores.record.get("u1", [off.memory.id or ""])
    assert [one.text for one in kept.before] == ["내일 세 시에 치과 가기로 했어"]
    assert kept.text == "아 그거 취소됐대", "what is shown is what was said"
    asked = await say(lira, "나 치과 가기로 한 거 어떻게 됐지?", 60 * 3, session="s2")
    assert "취소" in asked.text
    assert off.memory.id in {r.id for r in asked.recalled}
    await lira.ask(DeleteMemory(user_id="u1", memory_id=plan.memory.id or ""))
    assert await stores.record.get("u1", [off.memory.id or ""]) == [], "it says the deleted one again"


async def test_what_was_said_at_risk_is_put_before_nothing(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    follows = "아 그거 취소됐대. 기억해줘"
    await say(lira, "내일 세 시에 치과 가기로 했어", session="calm")
    leaning = await say(lira, follows, 1, session="calm")
    assert "109" in (await say(lira, "요즘 사는 게 의미가 없고 그냥 죽고 싶어", 2)).text
    alone = await say(lira, follows, 3)
    calm, cared = await stores.record.get("u1", [leaning.request_id, alone.request_id])
    assert [one.text for one in calm.before] == ["내일 세 시에 치과 가기로 했어"]
    assert cared.before == ()


async def test_the_name_of_somebody_spoken_of_after_ones_own_is_not_ones_own(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    await say(lira, "나는 한정태라 하오")
    other = await say(lira, "그 제자 이름은 오세훈이 아니라 오세영이라네", 1)
    assert "오세영님" not in other.text
    assert "한정태" in (await say(lira, "내 이름이 뭐지?", 60, session="s2")).text


async def test_a_statement_that_stands_alone_leans_on_nothing(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    await say(lira, "내일 세 시에 치과 가기로 했어")
    other = await say(lira, "고양이를 키우는데 이름은 콩이야", 1)
    first = await say(lira, "아 그거 취소됐대", 60 * 5, session="s2")
    kept = await stores.record.get("u1", [one.memory.id for one in (other, first) if one.memory.id])
    assert all(not memory.before for memory in kept)


async def test_a_turn_without_its_emotion_still_gates_by_fact_and_says_so(settings: Settings, stores: Stores) -> None:
    reply = await say(lira_of(settings, stores, emotion=Broken()), "나는 딸기를 좋아해")
    assert reply.degraded == ("emotion",)
    assert reply.memory.reason == "fact"
    assert reply.emotion.top == ()
    assert reply.text


async def test_an_emotion_that_comes_too_late_is_left_out(stores: Stores, tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, emotion_deadline_ms=50)
    reply = await say(lira_of(settings, stores, emotion=Slow()), "나는 딸기를 좋아해")
    assert reply.degraded == ("emotion",)


async def test_without_an_embedding_facts_are_recalled_and_the_vector_is_made_later(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores, embedder=Broken())
    await lira.start()
    told = await say(lira, "제 이름은 민수예요")
    assert told.memory.status == "stored"
    assert told.degraded == ("embedding",)
    assert "민수" in (await say(lira, "내 이름이 뭐였지?", 1, session="s2")).text
    await lira.close()

    back = await open_settled_stores(settings)
    assert (await back.record.unindexed.backlog()).waiting == 1
    mended = lira_of(load_settings(data_dir=settings.data_dir, reconcile_seconds=0.01), back)
    await mended.start()
    await until(lambda: nothing_waits(back))
    vector = ENCODER.embed([("query", "내 이름이 뭐였지?")])[0]
    assert [hit.id for hit in await back.vectors.search("u1", vector, 5)] == [told.memory.id]
    await mended.close()


async def test_when_the_generator_is_silent_the_grounded_responder_answers(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores, generator=Slow())
    await say(lira, "제 이름은 민수예요")
    reply = await say(lira, "내 이름이 뭐였지?", 1, session="s2")
    assert reply.degraded == ("generator",)
    assert "민수" in reply.text


async def test_an_answer_that_breaks_off_is_followed_by_no_second_one(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores, generator=Broken())
    await say(lira, "제 이름은 민수예요")
    reply = await say(lira, "내 이름이 뭐였지?", 1, session="s2")
    assert reply.degraded == ("generator",)
    assert reply.text == "오늘"


async def test_when_the_record_is_down_the_write_waits_and_is_taken_later(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, record_url=f"sqlite:///{tmp_path}/record/record.db", reconcile_seconds=0.05)
    stores = await open_settled_stores(settings)
    lira = lira_of(settings, stores)
    await stores.record.close()  # the record goes away under a running service
    told = await say(lira, "제 이름은 민수예요. 기억해줘")
    assert told.memory.status == "queued"
    assert "record" in told.degraded
    assert told.text
    assert (await stores.deferred.backlog()).waiting == 2, "what was said and what was answered"
    await lira.close()

    back = await open_settled_stores(settings)
    mended = lira_of(settings, back)
    await mended.start()
    await until(lambda: nothing_waits(back))
    assert [memory.id for memory in await back.record.get("u1", [told.request_id])] == [told.request_id]
    assert "민수" in (await say(mended, "내 이름이 뭐였지?", 2, session="s2")).text
    await mended.close()


async def test_when_short_term_memory_is_down_recall_goes_on_across_sessions(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, short_term_url=f"sqlite:///{tmp_path}/short.db")
    stores = await open_settled_stores(settings)
    lira = lira_of(settings, stores)
    await say(lira, "제 이름은 민수예요")
    await stores.short_term.close()
    reply = await say(lira, "내 이름이 뭐였지?", 1, session="s2")
    assert "short_term" in reply.degraded
    assert "민수" in reply.text
    await lira.close()


async def test_when_the_index_is_down_facts_are_recalled_and_new_memories_wait_for_their_vectors(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, vectors_url=f"sqlite:///{tmp_path}/vectors.db")
    stores = await open_settled_stores(settings)
    lira = lira_of(settings, stores)
    await lira.start()
    await stores.vectors.close()
    told = await say(lira, "제 이름은 민수예요")
    assert (told.memory.status, told.degraded) == ("stored", ("vectors",))
    asked = await say(lira, "내 이름이 뭐였지?", 1, session="s2")
    assert asked.degraded == ("vectors",)
    assert "민수" in asked.text
    await lira.close()

    back = await open_settled_stores(settings)
    assert (await back.record.unindexed.backlog()).waiting == 1
    await back.close()


async def test_while_the_record_is_down_what_means_the_same_is_recalled_from_the_index(tmp_path: Path) -> None:
    settings = load_settings(data_dir=tmp_path, record_url=f"sqlite:///{tmp_path}/record.db")
    stores = await open_settled_stores(settings)
    lira = lira_of(settings, stores)
    await lira.start()
    told = await say(lira, "나는 매일 아침 한강에서 달리기를 해")
    await until(lambda: nothing_waits(stores))
    await stores.record.close()
    asked = await say(lira, "나는 아침마다 한강에서 달리기를 한다", 1, session="s2")
    assert "record" in asked.degraded
    assert [memory.id for memory in asked.recalled] == [told.memory.id]
    await lira.close()


async def test_a_stream_tells_what_was_recalled_then_the_answer_in_pieces_then_the_whole(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    events = [event async for event in lira.stream(Say(user_id="u1", session_id="s1", text="나는 딸기를 좋아해", at=AT))]
    first, *pieces, last = events
    assert isinstance(first, Recalled)
    assert isinstance(last, Done)
    assert all(isinstance(piece, Token) for piece in pieces)
    assert first.opening.memory.id == last.reply.memory.id
    assert last.reply.memory.status == "stored"
    assert "".join(piece.text for piece in pieces if isinstance(piece, Token)) == last.reply.text


async def test_the_answer_does_not_wait_for_a_slow_disk_and_the_last_event_says_what_was_stored(settings: Settings, stores: Stores) -> None:
    class SlowRecord:
        def __getattr__(self, name: str) -> object:
            return getattr(stores.record, name)

        async def commit(self, write: Write, hold: float = 0.0) -> None:
            await asyncio.sleep(0.5)
            await stores.record.commit(write, hold)

    lira = lira_of(settings, replace(stores, record=SlowRecord()))  # type: ignore[arg-type]
    told: list[tuple[str, str]] = []
    async for event in lira.stream(Say(user_id="u1", session_id="s1", text="나는 딸기를 좋아해", at=AT)):
        written = await stores.record.get("u1", [event.opening.request_id]) if isinstance(event, Recalled) else []
        told.append((type(event).__name__, event.opening.memory.status if isinstance(event, Recalled) else ""))
        if isinstance(event, Recalled):
            assert not written
        if isinstance(event, Done):
            assert event.reply.memory.status == "stored"
    assert told[0] == ("Recalled", "queued")


async def test_a_retried_turn_is_kept_once(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    for _ in range(2):
        await lira.ask(Say(user_id="u1", session_id="s1", text="제 이름은 민수예요", at=AT, id="same"))
    assert len((await lira.ask(ListMemories(user_id="u1"))).results) == 1
    assert len((await stores.short_term.read("u1", "s1", AT)).messages) == 2


async def test_a_turn_ends_within_the_time_of_a_request_whatever_its_stages_may_take(tmp_path: Path, stores: Stores) -> None:
    settings = load_settings(data_dir=tmp_path, request_deadline_ms=4_000, emotion_deadline_ms=60_000, generate_deadline_ms=60_000)
    lira = lira_of(settings, stores, emotion=Slow(), generator=Slow())
    async with asyncio.timeout(5):
        reply = await say(lira, "나는 딸기를 좋아해. 기억해줘")
    assert reply.degraded == ("emotion", "generator")
    assert reply.memory.status == "stored"
    assert reply.text


async def test_a_turn_that_waited_too_long_to_begin_keeps_nothing(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    long_ago = stamp() - settings.request_deadline_ms * 1_000
    with pytest.raises(TimeoutError):
        await lira.ask(Say(user_id="u1", session_id="s1", text="기억해줘", received=long_ago))
    assert (await stores.short_term.read("u1", "s1")).messages == ()


async def test_a_turn_in_flight_when_its_user_is_deleted_leaves_nothing(settings: Settings, stores: Stores) -> None:
    gate = asyncio.Event()

    class Waiting(Broken):
        async def generate(self, prompt: Prompt) -> AsyncIterator[str]:
            await gate.wait()
            yield "네"

    lira = lira_of(load_settings(data_dir=settings.data_dir), stores, generator=Waiting())
    turns = [asyncio.create_task(say(lira, f"기억해줘. 사물함 {i}번은 내 거야")) for i in range(8)]
    await asyncio.sleep(0.5)
    await lira.ask(DeleteUser(user_id="u1"))
    gate.set()
    await asyncio.gather(*turns)
    assert (await lira.ask(ListMemories(user_id="u1"))).results == ()
    assert (await stores.short_term.read("u1", "s1", AT)).messages == ()
    assert (await stores.deferred.backlog()).waiting == 0


async def test_two_hundred_turns_at_once_in_one_session_lose_none(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    replies = await asyncio.gather(*(say(lira, f"기억해줘. 사물함 {i}번은 내 거야") for i in range(200)))
    assert {reply.memory.status for reply in replies} == {"stored"}
    messages = (await stores.short_term.read("u1", "s1", AT)).messages
    assert len(messages) == 400
    assert [m.role for m in messages] == ["user", "lira"] * 200
    answers = {f"기억해줘. 사물함 {i}번은 내 거야": reply.text for i, reply in enumerate(replies)}
    assert all(answers[said.content] == answer.content for said, answer in zip(messages[::2], messages[1::2], strict=True))


async def test_a_turn_that_is_asked_as_of_then_does_not_know_what_was_said_later(settings: Settings, stores: Stores) -> None:
    lira = lira_of(settings, stores)
    await say(lira, "나 서울에 살아", 0)
    await say(lira, "나 부산으로 이사했어", 60 * 24 * 30)
    assert "서울" in (await say(lira, "나 어디 살지?", 60, session="s2")).text
    now = await say(lira, "나 어디 살지?", 60 * 24 * 60, session="s3")
    assert "부산" in now.text
    assert "서울" not in now.text
