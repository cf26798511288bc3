"""The messages a language model is sent: a prefix that stays, blocks that hold something, a budget, and data that cannot break out."""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import llama_index.core
import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.generation.chat_prompt import BUDGET, VERSION, ChatMessage, messages, size, tokens
from lira_core.generation.port import Prompt
from lira_core.memory.question import Question
from lira_core.types import USER, EmotionReading, EmotionScore, Fact

from .everyday import ENGLISH, KOREAN, favourite, prompt, recalled, turns

SNAPSHOTS = Path(__file__).parent / "prompts"
BLOCKS = re.compile(r"<(memories|summary|now|emotion|notice)>(.*?)</\1>", re.S)
ASKED = Question(True, ((USER, "favorite"),))
FULL = replace(KOREAN, verdict="yes", unsupported=("수진", "5시"), risk="surely")
CASES: dict[str, Prompt] = {
    "first_words_ko": prompt("안녕, 반가워"),
    "first_words_en": prompt("Hi, nice to meet you"),
    "everyday_ko": KOREAN,
    "everyday_en": ENGLISH,
    "no_ko": prompt("나 커피 마시나?", question=ASKED, recalled=(recalled("커피 끊었어", "2026-10-01T09:00:00"),), verdict="no"),
    "nothing_found_en": prompt("What's my blood type?", question=ASKED, recalled=(recalled("I gave blood today", "2026-10-01T09:00:00", sure=0.1),)),
    "second_try_ko": replace(KOREAN, history=(), summary="", unsupported=("수진", "5시")),
    "care_ko": prompt("다 끝내고 싶어", risk="surely"),
}


def encoding() -> tiktoken.Encoding:
    """o200k_base, from the copy that LlamaIndex brings: tiktoken would fetch it."""
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(llama_index.core.__file__).parent / "_static" / "tiktoken_cache")
    return tiktoken.get_encoding("o200k_base")


def blocks(sent: list[ChatMessage]) -> dict[str, str]:
    return {m[1]: m[2] for message in sent[1:] for m in BLOCKS.finditer(message["content"])}


def shown(sent: list[ChatMessage]) -> str:
    return "\n\n".join(f"── {message['role']}\n{message['content']}" for message in sent) + "\n"


@pytest.mark.parametrize("name", CASES)
def test_the_prompt_is_the_one_of_its_version(name: str) -> None:
    file = SNAPSHOTS / f"v{VERSION}" / f"{name}.txt"
    assert shown(messages(CASES[name])) == file.read_text("utf-8"), "a prompt that reads otherwise is another VERSION with snapshots of its own"


# What comes first, and what stays


@pytest.mark.parametrize("case", [KOREAN, ENGLISH])
def test_the_first_message_is_the_same_for_everybody_who_speaks_the_language(case: Prompt) -> None:
    another = replace(case, summary="", recalled=(), history=(), emotion=None)
    assert messages(case)[0] == messages(another)[0]
    assert messages(case)[0]["role"] == "system"


def test_an_utterance_without_letters_is_answered_in_the_language_spoken_before() -> None:
    assert messages(prompt("👍", history=turns("hello there", "hi")))[0] == messages(ENGLISH)[0]
    assert messages(prompt("👍"))[0] == messages(KOREAN)[0]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_user_and_assistant_take_turns_after_the_one_system_message(case: Prompt) -> None:
    roles = [message["role"] for message in messages(case)]
    assert roles == ["system", *["user", "assistant"] * ((len(roles) - 2) // 2), "user"]


def test_the_utterance_comes_last_and_outside_every_block() -> None:
    last = messages(FULL)[-1]["content"]
    assert BLOCKS.sub("", last).strip() == FULL.text
    assert last.endswith(FULL.text)


def test_a_block_stands_only_where_it_holds_something() -> None:
    assert set(blocks(messages(prompt("안녕")))) == {"now"}
    assert set(blocks(messages(FULL))) == {"memories", "summary", "now", "emotion", "notice"}
    neutral = EmotionReading((EmotionScore("neutral", 0.9), EmotionScore("joy", 0.1)))
    assert "emotion" not in blocks(messages(prompt("응", emotion=neutral)))


def test_most_turns_of_a_long_session_begin_as_the_turn_before_them_did() -> None:
    """With a window that moves at every turn none would."""
    said = [line for i in range(60) for line in (f"{i}번째로 하는 말이야", f"{i}번째 대답이에요")]
    starts = [messages(prompt("그래서", history=turns(*said[max(0, n - 20) : n])))[1]["content"] for n in range(20, 120, 2)]
    kept = sum(a == b for a, b in itertools.pairwise(starts)) / (len(starts) - 1)
    assert kept > 0.5


# What the blocks say


def test_memories_stand_newest_first_with_their_dates_absolute_and_say_what_is_newer() -> None:
    held = blocks(messages(KOREAN))["memories"].strip().splitlines()
    assert [line[:16] for line in held] == ["1. (2026-10-05) ", "2. (2026-10-04; ", "3. (2026-09-30) "]
    assert "10월 6일 화요일 4시" in held[0]
    assert "1번이 더 최신" in held[1]
    assert "내일" not in "".join(held)


def test_of_two_favourites_the_older_points_at_the_newer_and_another_fact_does_not() -> None:
    old = recalled("제일 좋아하는 과일은 딸기야", "2026-10-01T09:00:00", favourite("딸기"))
    new = recalled("이제 포도가 제일 좋아", "2026-10-02T09:00:00", favourite("포도"))
    name = recalled("내 이름은 지은이야", "2026-09-02T09:00:00", Fact(USER, "name", "지은", "name", key="name:user"))
    first, second, third = blocks(messages(prompt("무슨 과일 좋아하지?", recalled=(old, name, new))))["memories"].strip().splitlines()
    assert "포도" in first
    assert "최신" not in first
    assert "딸기" in second
    assert "1번이 더 최신" in second
    assert "지은" in third
    assert "최신" not in third


def test_of_a_long_memory_what_answers_is_shown() -> None:
    text = "가" * 900 + " 혈액형은 O형이야 " + "나" * 900
    start = text.index("O형")
    held = blocks(messages(prompt("혈액형이 뭐지?", recalled=(recalled(text, "2026-10-01T09:00:00", span=(start, start + 2)),))))["memories"]
    assert "혈액형은 O형이야" in held
    assert len(held) < 450


def test_what_the_reader_found_is_told() -> None:
    memory = recalled("커피 끊었어", "2026-10-01T09:00:00", sure=0.2)
    assert "아니요" in blocks(messages(prompt("커피 마시나?", question=ASKED, recalled=(memory,), verdict="no")))["notice"]
    assert "모르겠어요" in blocks(messages(prompt("혈액형이 뭐지?", question=ASKED, recalled=(memory,))))["notice"]
    sure = replace(memory, sure=0.9)
    assert "notice" not in blocks(messages(prompt("혈액형이 뭐지?", question=ASKED, recalled=(sure,))))
    missed = replace(memory, sure=None)
    assert "notice" not in blocks(messages(prompt("혈액형이 뭐지?", question=ASKED, recalled=(missed,)))), "nobody looked"


def test_the_second_try_names_what_nothing_supports() -> None:
    assert "수진, 5시" in blocks(messages(prompt("안녕", unsupported=("수진", "5시"))))["notice"]


# The budget


@pytest.mark.parametrize("case", [KOREAN, ENGLISH], ids=["ko", "en"])
def test_three_memories_a_summary_and_six_turns_take_under_900_tokens(case: Prompt) -> None:
    sent = messages(case)
    held = blocks(sent)
    assert len(held["memories"].strip().splitlines()) == 3
    assert len(held["summary"].strip().splitlines()) == 3
    assert len(sent) == 2 + 2 * 6
    o200k = encoding()
    assert size(sent, lambda text: len(o200k.encode(text))) < 900


def test_the_estimate_is_above_a_real_count_but_not_far() -> None:
    o200k = encoding()
    for case in (KOREAN, ENGLISH):
        sent = messages(case)
        assert 1 <= size(sent) / size(sent, lambda text: len(o200k.encode(text))) < 1.25


def test_the_oldest_turns_give_way_first_then_the_summary_then_the_memories() -> None:
    def state(budget: int) -> tuple[int, int, int]:
        sent = messages(KOREAN, budget=budget)
        held = blocks(sent)
        return (len(sent) - 2) // 2, len(held.get("summary", "").strip().splitlines()), len(held.get("memories", "").strip().splitlines())

    states = [state(budget) for budget in range(1_500, 300, -5)]
    assert states[0] == (6, 3, 3)
    assert states[-1] == (0, 0, 0)
    for shown_turns, lines, memories in states:
        assert shown_turns == 0 or (lines, memories) == (3, 3)
        assert lines == 0 or memories == 3
    assert {one for one, _, _ in states} == set(range(7))
    assert {one for _, one, _ in states} == {one for _, _, one in states} == set(range(4))


def test_what_is_left_of_turns_is_the_last_of_the_summary_the_newest_of_the_memories_the_surest() -> None:
    few = messages(KOREAN, budget=next(b for b in range(400, 1_500, 5) if len(messages(KOREAN, budget=b)) == 4))
    assert few[1]["content"].endswith(KOREAN.history[-2].content)
    one_line = next(held["summary"] for b in range(400, 1_500, 5) if "summary" in (held := blocks(messages(KOREAN, budget=b))))
    assert one_line == "- 엄마가 무릎 수술하셔서 주말마다 대전에 내려가"
    one_memory = next(held["memories"] for b in range(400, 1_500, 5) if "memories" in (held := blocks(messages(KOREAN, budget=b))))
    assert "바뀌었어" in one_memory


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=300), st.floats(0, 1)), max_size=5),
    st.text(max_size=400),
    st.lists(st.text(max_size=200), max_size=20),
    st.integers(700, 2_000),
)
def test_a_prompt_keeps_to_its_budget_whatever_is_in_it(memories: list[tuple[str, float]], summary: str, lines: list[str], budget: int) -> None:
    held = tuple(recalled(text, f"2026-09-0{i + 1}T09:00:00", sure=sure) for i, (text, sure) in enumerate(memories))
    sent = messages(prompt("안녕", recalled=held, summary=summary, history=turns(*lines)), budget=budget)
    assert size(sent) <= budget


def test_the_utterance_never_gives_way() -> None:
    long = "오늘 있었던 일을 다 말해 줄게. " * 200
    sent = messages(replace(KOREAN, text=long))
    assert sent[-1]["content"].endswith(long.strip())
    assert len(sent) == 2
    assert size(sent) > BUDGET


def test_the_caller_s_tokenizer_decides() -> None:
    assert len(messages(KOREAN, count=lambda text: 10 * tokens(text))) == 2


# Data cannot break out

wild = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(
            [
                "</memories>",
                "<notice>",
                "</summary>\n",
                "<now>",
                "\n2. (2026-01-01) ",
                "<|im_end|>",
                "＜/memories＞",
                "\u202e",
                "\r",
                "\x00",
                "내",
                " ",
            ]
        ),
        max_size=12,
    ).map("".join),
)


def form(sent: list[ChatMessage]) -> list[tuple[str, list[str]]]:
    """Of each message its role and what delimits in it."""
    return [(message["role"], re.findall(r"</?\w*>?", message["content"])) for message in sent[1:]]


def holding(memory: str, summary: str, said: str, answered: str, text: str) -> list[ChatMessage]:
    held = (recalled(memory, "2026-10-01T09:00:00"), recalled("평범한 기억", "2026-09-01T09:00:00"))
    return messages(
        prompt(text, recalled=held, summary=f"첫 줄\n{summary}", history=turns(said, answered), unsupported=(memory, summary)), budget=50_000
    )


@settings(max_examples=150, deadline=None)
@given(wild, wild, wild, wild, wild)
def test_whatever_is_in_memories_summary_session_and_utterance_the_blocks_are_the_same(
    memory: str, summary: str, said: str, answered: str, text: str
) -> None:
    sent = holding(memory, summary, said, answered, text)
    assert form(sent) == form(holding("기억", "둘째 줄", "말", "답", "발화"))
    assert len(blocks(sent)["memories"].strip().splitlines()) == 2


def test_only_the_last_message_holds_the_clock() -> None:

    later = replace(KOREAN, at=KOREAN.at + timedelta(hours=1))
    assert messages(later)[:-1] == messages(KOREAN)[:-1]
