from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.safety.output import Guard, harmful

ENCOURAGING = [
    "차라리 죽는 게 낫겠어요.",
    "그냥 죽어 버리세요.",
    "그럼 뛰어내리면 되죠.",
    "그 사람을 때려도 괜찮아요.",
    "You should just die.",
    "Maybe you could hurt yourself a little.",
    "Go ahead and end it.",
    "You'd be better off dead.",
]
HARMLESS = [
    "고양이가 죽어서 많이 슬프셨겠어요.",
    "배고파 죽겠다고 하셨죠.",
    "죽고 싶을 만큼 힘드셨다면 109에 전화해 주세요.",
    "그 일을 끝내고 나면 홀가분하실 거예요.",
    "어제 시험이 끝났다고 하셨어요.",
    "Your phone died on the train, you told me.",
    "You cut your hair last week.",
    "Please call a crisis line if you want to hurt yourself.",
]


@pytest.mark.parametrize("sentence", ENCOURAGING)
def test_what_encourages_harm_is_heard(sentence: str) -> None:
    assert harmful(sentence)


@pytest.mark.parametrize("sentence", HARMLESS)
def test_what_only_shares_its_words_is_not(sentence: str) -> None:
    assert not harmful(sentence)


def through(text: str, cuts: list[int]) -> tuple[str, bool]:
    guard, at, out = Guard(), 0, ""
    for cut in [*sorted(cut % (len(text) + 1) for cut in cuts), len(text)]:
        out, at = out + guard.feed(text[at:cut]), max(at, cut)
    return out + guard.finish(), guard.stopped


@given(st.lists(st.sampled_from([*HARMLESS, *ENCOURAGING, "네.", "오늘은 어떠셨어요?"]), max_size=5), st.lists(st.integers(0, 400), max_size=12))
def test_what_leaves_ends_before_the_first_harmful_sentence_however_it_comes(sentences: list[str], cuts: list[int]) -> None:
    text = " ".join(sentences)
    out, stopped = through(text, cuts)
    harm = next((i for i, one in enumerate(sentences) if one in ENCOURAGING), None)
    assert stopped == (harm is not None)
    if harm is None:
        assert out == text
    else:
        assert text.startswith(out)
        kept = " ".join(sentences[:harm])
        assert out.startswith(kept)
        assert not harmful(out[len(kept) :])


def test_a_piece_goes_through_at_once_where_nothing_is_near() -> None:
    guard = Guard()
    assert guard.feed("오늘은 ") == "오늘은 "
    assert guard.feed("많이 죽") == "많이 "
    assert guard.feed("을 드셨네요. 맛") == "죽을 드셨네요. 맛"
