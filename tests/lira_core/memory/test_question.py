# ruff: noqa: E501, SIM905 (examples read better in wide rows)
"""Whether utterances ask by their form, and what they name."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.memory.asking import ask
from lira_core.memory.question import Question
from lira_core.types import USER

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
U = USER


def asked(text: str) -> Question:
    question = ask(text, AT)
    assert question is not None
    return question


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("제 이름이 뭐였죠?", (U, "name")),
        ("내 이름 기억나?", (U, "name")),
        ("내 이름 말해줘", (U, "name")),
        ("야 내이름 머야", (U, "name")),
        ("나 뭐 좋아한다고 했지?", (U, "like")),
        ("내가 좋아하는 과일이 뭐더라", (U, "favorite")),
        ("내 일정(날짜/장소) 뭐였지?", (None, "plan")),
        ("내 면접 언제였지?", (None, "plan")),
        ("시아버지 성함이 어떻게 되죠?", ("시아버지", "name")),
        ("우리 강아지 이름 알아?", ("강아지", "name")),
        ("내 고양이 이름이랑 여동생 이름 둘 다 말해줘", ("여동생", "name")),
        ("나 무슨 알레르기 있어?", (U, "allergy")),
        ("내 동생 어디 산다고 했지?", ("여동생", "live_in")),
        ("어머니는 어디 사시죠?", ("엄마", "live_in")),
        ("내 혈액형 기억하니?", (U, "blood_type")),
        ("제 직장이 어디인지 기억하십니까?", (U, "workplace")),
        ("제 나이가 몇이라고 했지요?", (U, "age")),
        ("민수 생일이 언제였지?", ("민수", "birthday")),
        ("우리 고양이 이름은?", ("고양이", "name")),
        ("What's my name?", (U, "name")),
        ("Where do I live?", (U, "live_in")),
        ("tell me my name", (U, "name")),
        ("What's my dog's name?", ("dog", "name")),
        ("When is my meeting?", (None, "plan")),
    ],
)
def test_a_slot_is_named_by_its_noun_and_whose_it_is(text: str, slot: tuple[str | None, str]) -> None:
    question = asked(text)
    assert question.about_memory
    assert slot in question.slots


@pytest.mark.parametrize(
    "text",
    [
        "너는 이름이 뭐야?",
        "파이썬이 뭐야?",
        "커피 좋아하세요?",
        "너 커피 좋아해?",
        "이름이 뭐예요?",
        "점심 뭐 먹지?",
        "넌 몇 살이야?",
        "How are you?",
        "What is Python?",
    ],
)
def test_where_the_person_is_not_spoken_of_no_slot_of_theirs_is_named(text: str) -> None:
    assert not asked(text).about_memory
    assert not [slot for slot in asked(text).slots if slot[0] == U] or "너" in text or "넌" in text


@pytest.mark.parametrize(
    "text",
    ["나 이제 커피 안 마셔", "내 이름은 민수야", "우리 회사 점심 맛있더라", "내일 미팅 있어. 기억해줘.", "안녕", "ㅋㅋ", "누가 왔어", "며칠 전에 강릉 다녀왔어", "왜냐하면 바빴거든", "My name is Tom.", "Remember that I like tea", "had to skip lunch today"],
)  # fmt: skip
def test_a_statement_is_no_question(text: str) -> None:
    assert ask(text, AT) is None


@pytest.mark.parametrize(
    "text", ["나 언제 이사 간다그랬지", "우리 막내 이름은", "10월에 나 미용실 가서 뭐 했더라", "하윤 씨가 회사원 맞나요", "오빠 혈액형 아세요"]
)
def test_what_asks_without_a_mark_asks(text: str) -> None:
    assert ask(text, AT) is not None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("20일에 나 뭐 하기로 했더라", 1),
        ("9월에 나 왜 울었더라", 30),
        ("지난주에 나 누구 만났지?", 7),
        ("What did I do last week?", 7),
        ("what am I doing on the 3rd of December?", 1),
        ("what have I got on this week?", 7),
    ],
)
def test_the_days_asked_about_are_named_and_no_terms(text: str, days: int) -> None:
    question = asked(text)
    assert question.when is not None
    assert (question.when[1] - question.when[0]).days == days
    assert not {"20", "9", "지난주", "week", "do", "got"} & set(question.terms)


@pytest.mark.parametrize("text", ["나에 대해 뭐 알아?", "나에 대해 뭐 알고 있어?", "What do you know about me?"])
def test_who_asks_for_everything_names_nothing(text: str) -> None:
    assert asked(text).everything
    assert asked(text).slots == ()


@pytest.mark.parametrize("text", ["제가 승진한 날 기억해요?", "나 누구랑 살아?", "What did I say about Tom?"])
def test_who_asks_for_one_thing_does_not_ask_for_everything(text: str) -> None:
    assert not asked(text).everything


@pytest.mark.parametrize(("text", "terms"), [("여동생 생일이 언제지?", ("여동생",)), ("내 이름이 뭐라고 했지?", ()), ("치과 예약 날짜가 언제였더라", ("치과", "예약")), ("Where does Patrick live?", ("patrick",))])  # fmt: skip
def test_terms_are_what_an_answering_memory_shares(text: str, terms: tuple[str, ...]) -> None:
    assert asked(text).terms == terms


@pytest.mark.parametrize(
    "text", ["판교에서 일하는 친구가 누구였지", "나 왜 병원 갔더라", "가게 이름이 뭐였지?", "왜 이름을 바꿨다고 했지?", "who do I live with?"]
)
def test_no_slot_is_named_where_the_wording_leaves_doubt(text: str) -> None:
    assert asked(text).slots == ()


def test_what_was_just_said_is_asked_of_the_session() -> None:
    assert all(asked(text).just_now for text in ("방금 내가 뭐라고 했지?", "아까 임시 메모 뭐였지?"))
    assert not asked("아까 내 이름 뭐라고 했지?").just_now


@pytest.mark.parametrize(
    ("text", "label"),
    [("내가 기쁜 이유가 뭐였지?", "joy"), ("언제 행복하다고 했지", "joy"), ("뭐 때문에 속상했지", "sadness"), ("나 왜 울었지", "sadness"), ("왜 분하다고 했더라", "anger"), ("When was I happy?", "joy")],
)  # fmt: skip
def test_a_feeling_asked_about_is_named_as_it_is_labelled(text: str, label: str) -> None:
    assert asked(text).emotions[0] == label


@pytest.mark.parametrize(
    "text", ["요즘 내 기분 어땠어?", "이번 달 내 감정 상태가 어땠지?", "How have I been feeling lately?", "what was my mood last week?"]
)
def test_how_somebody_felt_is_asked_whatever_it_was(text: str) -> None:
    question = asked(text)
    assert question.mood
    assert question.emotions == question.terms == ()


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("시험까지 얼마나 남았어요?", "시험 언제야?"), ("내 생일까지 이제 며칠 남았지", "내 생일 언제야?"), ("전역 며칠 남음?", "전역 언제야?"),
        ("시험 언제임? 며칠 남음?", "시험 언제야?"), ("엄마 수술 언제였지? 며칠 남았어?", "엄마 수술 언제야?"),
        ("김장하러 가는 날 메칠 남았노", "김장하러 가는 날 언제야?"), ("강릉 내려가는 거 며칠 뒤죠?", "강릉 내려가는 거 언제야?"),
        ("면접까지 며칠 남은 거예요?", "면접 언제야?"), ("월급날까지 몇 밤 자면 돼?", "월급날 언제야?"),
        ("how many days left for Ada's birthday from today?", "when is Ada's birthday?"), ("how far off is my wedding", "when is my wedding?"),
        ("how many days to go for my exam", "when is my exam?"),
        ("how many days until my exam?", "when is my exam?"), ("So how long is it till mum's birthday", "when is mum's birthday?"),
    ],
)  # fmt: skip
def test_how_long_it_still_is_asks_when_it_is(text: str, when: str) -> None:
    question = ask(f"{text.rstrip('?')}?", AT)
    assert question is not None
    assert question.until == when
    assert question.slots == asked(when).slots


@pytest.mark.parametrize(
    "text",
    ["쌀 얼마나 남았지?", "월급 얼마 남았어?", "자리 몇 개 남았대?", "how long did I wait?", "how long to cook rice?", "how long have I lived here?"],
)
def test_what_is_left_of_a_thing_is_no_time_to_come(text: str) -> None:
    assert asked(text).until is None


@pytest.mark.parametrize("text", ["내가 기쁜 이유가 뭐였지?", "엄마 생신 언제지?", "When was I happy?"])
def test_who_names_a_feeling_or_none_does_not_ask_for_the_mood(text: str) -> None:
    assert not asked(text).mood


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(
        st.text(max_size=40),
        st.lists(
            st.sampled_from(
                "나 내 너 이름 뭐 였지 ? 언제 어디 왜 기억 나 니 해 줘 좋아 하는 과일 이 민수 엄마 생일 어제 먹었 다고 했더라 알아 what my name is do I".split()
            ),
            max_size=9,
        ).map(" ".join),
    )
)
def test_ask_answers_any_text(text: str) -> None:
    question = ask(text, AT)
    assert question is None or isinstance(question.slots, tuple)


@pytest.mark.parametrize("text", ["아니 내 이름 뭐냐고", "ㅎㅇ 나 누군지 앎?", "내가 누구라고?", "나 누구게"])
def test_one_s_own_name_is_asked_for_in_many_ways(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.slots == ((USER, "name"),)


def test_what_others_ask_is_not_asked_of_lira() -> None:
    assert ask("엄마가 자꾸 뭐 하냐고 물어봐", AT) is None
