"""What a model wrote becomes an answer as LIRA speaks, whichever pieces it came in."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.generation.tidy import Tidier, tidy


@pytest.mark.parametrize(
    ("written", "said"),
    [
        # Rule 3: no quotation marks; apostrophes stay
        ('"커피"를 좋아하신다고 하셨어요.', "커피를 좋아하신다고 하셨어요."),
        ("「달무리」라는 카페예요.", "달무리라는 카페예요."),
        ("'민수'를 만나기로 하셨어요.", "민수를 만나기로 하셨어요."),
        ("“You don’t like your parents' noise,” he said.", "You don't like your parents' noise, he said."),
        # Who speaks
        ("LIRA: 안녕하세요", "안녕하세요"),
        ("**리라**: 안녕하세요", "안녕하세요"),
        ('"assistant: hi there"', "hi there"),
        ("assistant\n안녕하세요", "안녕하세요"),
        ("리라는 AI예요.", "리라는 AI예요."),
        ("네, 좋아요.\n사용자: 그럼 내일은?\n리라: 내일은", "네, 좋아요."),
        # Thoughts, blocks, tags, tokens of a template
        ("<think>The user wants\n\n</think>\n\n커피예요.", "커피예요."),
        ("커피예요.<think>still thinking", "커피예요."),
        ("<memories>\n1. (2026-01-01) 비밀\n</memories>\n네, 커피예요.", "네, 커피예요."),
        ("‹notice›몰래‹/notice›네.", "네."),
        ("네, <b>커피</b>예요.", "네, 커피예요."),
        ("Coffee.<|im_end|>\n<|im_start|>user\nmore", "Coffee."),
        ("<bos>Coffee.<end_of_turn>\n<start_of_turn>user", "Coffee."),
        ("<now>9시</now>\n<|im_end|>user\nmore", ""),
        ("<|im_start|>assistant\nCoffee.", "Coffee."),
        ("사랑해요 <3 정말요", "사랑해요 <3 정말요"),
        ("x<y라고 하셨어요.", "x<y라고 하셨어요."),
        # Markup
        ("**커피**를 _정말_ `좋아`하세요.", "커피를 _정말_ 좋아하세요."),
        ("3*4는 12예요.", "3*4는 12예요."),
        ("# 좋아하시는 것\n- 커피\n- 차", "좋아하시는 것, 커피, 차"),
        ("1. 커피\n2. 차", "커피, 차"),
        ("3.", "3."),
        ("  네,\n\n 맞아요.  ", "네, 맞아요."),
        # One emoji (rule 1), at most three sentences
        ("반가워요 😊🎉 정말요! 👨‍👩‍👧", "반가워요 😊 정말요!"),
        ("하나예요. 둘이에요! 😊 셋일까요? 넷이에요. 다섯이에요.", "하나예요. 둘이에요! 😊 셋일까요?"),
        ("하나예요. 둘이에요. 셋이에요. 😊 넷이에요.", "하나예요. 둘이에요. 셋이에요. 😊"),
        ("Mr. Kim came at 3 p.m. on Sunday. Dr. Lee did, e.g. early. Yes. No.", "Mr. Kim came at 3 p.m. on Sunday. Dr. Lee did, e.g. early. Yes."),
    ],
)
def test_it_is_said_as(written: str, said: str) -> None:
    assert tidy(written) == said


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("커피 좋아한다고 했어.", "커피 좋아한다고 했어요."),
        ("이름은 지은이야.", "이름은 지은이에요."),
        ("고양이야.", "고양이예요."),
        ("학생이다. 저는 AI야!", "학생이에요. 저는 AI예요!"),
        ("부산에 산다.", "부산에 살아요."),
        ("힘들었겠다. 그랬구나!", "힘들었겠어요. 그랬군요!"),
        ("같이 갈까? 내일 올게", "같이 갈까요? 내일 올게요"),
        ("그건 아니야.", "그건 아니에요."),
    ],
)
def test_a_familiar_ending_becomes_the_polite_one(written: str, said: str) -> None:
    assert tidy(written) == said


@pytest.mark.parametrize(
    "said", ["좋아요.", "맞습니다.", "그러셨죠?", "안녕하세요!", "민수야.", "네.", "10월 4일 강남.", "모르겠어요", "Kim이라고 하셨어요."]
)
def test_what_is_polite_or_has_no_exact_counterpart_stays(said: str) -> None:
    assert tidy(said) == said


def test_a_word_is_let_out_as_soon_as_it_is_whole() -> None:
    tidier = Tidier()
    assert [tidier.feed(piece) for piece in ("커", "피를 ", "좋아하", "신다고 하", "셨어")] == ["", "커피를", "", " 좋아하신다고", ""]
    assert tidier.finish() == " 하셨어요"


def test_who_writes_may_be_stopped_once_the_answer_is_done() -> None:
    tidier = Tidier(sentences=1)
    assert tidier.feed("네, 커피예요. 그리고 ") == "네, 커피예요."
    assert tidier.done
    assert tidier.feed("차도요.") + tidier.finish() == ""


def test_nothing_but_thought_is_no_answer() -> None:
    assert tidy("<think>hm") == ""


written = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(
            [
                "<think>",
                "</think>",
                "<notice>",
                "</notice>",
                "<",
                ">",
                "‹",
                "LIRA:",
                "사용자:",
                " ",
                "\n",
                "'",
                '"',
                "**",
                "1.",
                "- ",
                "😊",
                "👨\u200d👩\u200d👧",
                "좋아",
                "해",
                ".",
                "야",
                "이다",
                "don't",
                "!",
                "Mr.",
                "A",
                "3",
                "…",
                "\u2028",
                "<|im_end|>",
            ]
        ),
        max_size=20,
    ).map("".join),
)


@settings(max_examples=400, deadline=None)
@given(written, st.lists(st.integers(0, 80)))
def test_the_pieces_joined_are_the_whole_tidied_however_it_is_split(text: str, cuts: list[int]) -> None:
    at = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    tidier = Tidier()
    pieces = [tidier.feed(text[a:b]) for a, b in itertools.pairwise(at)]
    assert "".join([*pieces, tidier.finish()]) == tidy(text)


@settings(max_examples=200, deadline=None)
@given(written)
def test_an_answer_holds_no_quotation_mark_no_delimiter_and_no_double_space(text: str) -> None:
    said = tidy(text)
    assert not set(said) & set('"“”„«»「」『』`')
    assert not any(f"<{slash}{name}>" in said for slash in ("", "/") for name in ("memories", "summary", "now", "emotion", "notice", "think"))
    assert said == " ".join(said.split())
