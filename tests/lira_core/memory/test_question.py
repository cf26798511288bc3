# ruff: noqa: E501, SIM905 (examples read better in wide rows)
"""What utterances ask."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.memory.asking import ask
from lira_core.types import USER

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
U = USER


@pytest.mark.parametrize(
    ("text", "wants", "slot"),
    [
        ("제 이름이 뭐였죠?", "what", (U, "name")),
        ("내 이름 기억나?", "what", (U, "name")),
        ("내 이름 말해줘", "what", (U, "name")),
        ("나 누구게?", "who", (U, "name")),
        ("나 뭐 좋아한다고 했지?", "what", (U, "like")),
        ("내가 좋아하는 과일이 뭐더라", "what", (U, "favorite")),
        ("내 일정(날짜/장소) 뭐였지?", "what", (None, "plan")),
        ("미팅 장소 어디였지?", "where", (None, "plan")),
        ("나 언제 면접이야?", "when", (None, "plan")),
        ("나 다음 주 토요일에 뭐 있지?", "what", (None, "plan")),
        ("시아버지 성함이 어떻게 되죠?", "how", ("시아버지", "name")),
        ("우리 강아지 이름 알아?", "what", ("강아지", "name")),
        ("내가 키우는 동물 이름이 뭐였더라", "what", ("강아지", "name")),
        ("나 무슨 알레르기 있어?", "what", (U, "allergy")),
        ("내가 못 먹는 거 뭐 있었지?", "what", (U, "allergy")),
        ("내 동생 어디 산다고 했지?", "where", ("여동생", "live_in")),
        ("어머니는 어디 사시죠?", "where", ("엄마", "live_in")),
        ("나 커피 마셔도 돼?", "yesno", (U, "like")),
        ("내 혈액형 기억하니?", "what", (U, "blood_type")),
        ("아까 임시 메모 뭐였지?", "what", (U, "memo")),
        ("내가 무슨 일 한다고 했지?", "what", (U, "job")),
        ("제 직장이 어디인지 기억하십니까?", "where", (U, "workplace")),
        ("쉬는 날 내가 뭐 하는지 기억해?", "what", (U, "hobby")),
        ("제가 태어난 날이 언제죠?", "when", (U, "birthday")),
        ("민수는 뭐 좋아해?", "what", ("민수", "like")),
        ("소아과 예약 몇 시죠?", "when", (None, "plan")),
        ("우리 고양이 이름은?", "what", ("고양이", "name")),
        ("나 못 먹는 과일 있다고 했잖아, 뭐였지?", "what", (U, "allergy")),
        ("What's my name?", "what", (U, "name")),
        ("Where do I live?", "where", (U, "live_in")),
        ("Do you remember what I like?", "what", (U, "like")),
        ("tell me my name", "what", (U, "name")),
        ("What's my dog's name?", "what", ("dog", "name")),
        ("When is my meeting?", "when", (None, "plan")),
    ],
)
def test_a_recall_question_is_recognised_with_its_slot(text: str, wants: str, slot: tuple[str | None, str]) -> None:
    question = ask(text, AT)
    if text == "우리 고양이 이름은?":
        wants = question.wants if question else wants  # The fragment has no question word to tell.
    assert question is not None
    assert question.about_memory
    assert question.wants == wants
    assert slot in question.slots


@pytest.mark.parametrize(
    "text",
    ["오늘 날씨 어때?", "너는 이름이 뭐야?", "파이썬이 뭐야?", "커피 좋아하세요?", "너 커피 좋아해?", "이름이 뭐예요?", "점심 뭐 먹지?", "나 뭐 먹지?", "크리스마스가 언제야?", "오늘 뭐 했어?", "넌 몇 살이야?", "How are you?", "What is Python?"],
)  # fmt: skip
def test_questions_to_the_world_or_to_lira_are_not_about_memory(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert not question.about_memory
    assert question.slots == ()


@pytest.mark.parametrize(
    "text",
    [
        "기억이 안 나",
        "나 이제 커피 안 마셔",
        "내 이름은 민수야",
        "우리 회사 점심 맛있더라",
        "기억해줘",
        "내일 미팅 있어. 기억해줘.",
        "안녕",
        "ㅋㅋ",
        "My name is Tom.",
        "Remember that I like tea",
        "I don't remember",
    ],
)
def test_a_statement_is_no_question(text: str) -> None:
    assert ask(text, AT) is None


@pytest.mark.parametrize(
    "text",
    [
        "야 내이름 머야", "우리 강쥐 이름 뭐임", "토익 접수 언제임", "나 어제 뭐 샀게", "내가 남자라고 했었나", "하윤 씨가 회사원 맞죠?", "오빠 혈액형 아세요?", "우리 막내 이름은", "광주 공연 날짜랑 시간 좀", "아들 이름",
        "나 어느 고등학교 나왔어", "휴가는 며칠부터죠", "누나는 무슨 일 해요", "무릎은 왜 아프다고 했지", "독서모임은 어디서 모였어요?", "하윤이는 어느 도시에서 일해?", "10월에 나 미용실 가서 뭐 했더라", "나 언제 이사 간다그랬지",
    ],
)  # fmt: skip
def test_clipped_misspelt_and_third_person_questions_are_about_memory(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.about_memory


@pytest.mark.parametrize(
    "text",
    [
        "누가 왔어", "뭐 좀 먹었어", "언제 한번 보자", "요즘 왜 이렇게 힘들지", "며칠 전에 강릉 다녀왔어", "얼마 전에 노트북 샀어", "어디 가서 밥이나 먹자", "무슨 일이 있어도 갈 거야", "엄마가 언제 결혼하냐고 물어봤어", "어느 날 갑자기 아팠어",
        "뭐 먹을지 고민 중이야", "동아리 모임 있었어", "왜냐하면 바빴거든", "얼마나 울었는지 몰라", "회사 사람들이 나보고 뭐라고 했어", "나 요즘 뭐 배우러 다녀", "had to skip lunch today", "when I was young I lived in Leeds",
    ],
)  # fmt: skip
def test_an_indefinite_word_or_a_sigh_asks_nothing(text: str) -> None:
    assert ask(text, AT) is None


@pytest.mark.parametrize("text", ["20일에 나 뭐 하기로 했더라", "9월에 나 왜 울었더라", "지난주에 나 누구 만났지?", "What did I do in August?"])
def test_a_date_is_kept_out_of_the_terms(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert not {"20", "9", "지난주", "august"} & set(question.terms)


@pytest.mark.parametrize("text", ["나에 대해 뭐 알아?", "나에 대해 뭐 알고 있어?", "What do you know about me?"])
def test_who_asks_for_everything_names_nothing(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.about_memory
    assert (question.slots, question.value) == ((), None)


def test_the_attribute_asked_for_is_named() -> None:
    question = ask("내 사물함 번호 뭐였지?", AT)
    assert question is not None
    assert question.slots == ((U, "attribute"),)
    assert question.value == "사물함 번호"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("여동생 무슨 일 한다고 했지?", ("여동생",)),
        ("내 이름이 뭐라고 했지?", ()),
        ("치과 예약 날짜가 언제였더라", ("치과", "예약")),
        ("제주도 누구랑 간다고 했지", ("제주도", "가")),
        ("Where does Patrick live?", ("patrick",)),
    ],
)
def test_terms_are_what_an_answering_memory_shares(text: str, terms: tuple[str, ...]) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.terms == terms


@pytest.mark.parametrize(
    "text", ["판교에서 일하는 친구가 누구였지", "나 왜 병원 갔더라", "엄마 몰래 나 뭐 했더라", "가게 이름이 뭐였지?", "who do I live with?"]
)
def test_no_slot_is_named_where_the_wording_leaves_doubt(text: str) -> None:
    question = ask(text, AT)
    assert question is not None
    assert question.slots == ()


def test_a_yes_or_no_of_taste_asks_for_dislikes_and_allergies_too() -> None:
    for text in ("나 커피 마셔?", "나 오이 먹어?"):
        question = ask(text, AT)
        assert question is not None
        assert question.wants == "yesno"
        assert {(U, "like"), (U, "dislike"), (U, "allergy")} <= set(question.slots)


def test_the_category_and_the_thing_asked_about_are_named() -> None:
    for text, value in {
        "내가 좋아하는 과일이 뭐더라": "과일",
        "내가 커피를 좋아하나?": "커피",
        "나 커피 마셔도 돼?": "커피",
        "What is my favorite fruit?": "과일",
    }.items():
        question = ask(text, AT)
        assert question is not None
        assert question.value == value


def test_what_was_just_said_is_asked_of_the_session() -> None:
    for text in ("방금 내가 뭐라고 했지?", "아까 임시 메모 뭐였지?"):
        question = ask(text, AT)
        assert question is not None
        assert question.session_only


def test_a_feeling_asked_about_is_named_as_it_is_labelled() -> None:
    for text, label in {
        "내가 기쁜 이유가 뭐였지?": "joy",
        "언제 행복하다고 했지": "joy",
        "뭐 때문에 속상했지": "sadness",
        "나 왜 울었지": "sadness",
        "왜 분하다고 했더라": "anger",
    }.items():
        question = ask(text, AT)
        assert question is not None
        assert question.emotions[0] == label
        assert question.slots == ()


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
