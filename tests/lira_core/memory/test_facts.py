# ruff: noqa: E501, SIM905 (examples read better in wide rows)
"""What utterances state, by rules."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.memory.facts import PREDICATES, called, extract, key_of, plan_topic
from lira_core.types import USER, Fact

AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
U = USER


def said(text: str) -> set[tuple[str, str, str, bool]]:
    return {(f.subject, f.predicate, f.object, f.polarity) for f in extract(text, AT)}


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "object"),
    [
        ("안녕하세요, 제 이름은 A입니다.", U, "name", "A"),
        ("내 이름은 지민이야", U, "name", "지민"),
        ("민수라고 불러줘", U, "name", "민수"),
        ("동생이 이름을 바꿨어. 이제 하윤이야", "동생", "name", "하윤"),
        ("취미가 바뀌었어. 이제 등산이야", U, "hobby", "등산"),
        ("내 이름 이제 서윤이야", U, "name", "서윤"),
        ("저는 김서연이라고 해요", U, "name", "김서연"),
        ("제 이름은 A예요, 기억하죠?", U, "name", "A"),
        ("우리 강아지 이름은 초코야", "강아지", "name", "초코"),
        ("여동생 이름은 수지야", "여동생", "name", "수지"),
        ("아내 이름은 이영희입니다.", "아내", "name", "이영희"),
        ("작년에 강아지를 입양했는데 이름은 보리예요", "강아지", "name", "보리"),
        ("나 27살이야", U, "age", "27살"),
        ("나 올해 서른둘이야", U, "age", "서른둘"),
        ("우리 집 고양이 나비는 다섯 살이야", "고양이", "age", "다섯 살"),
        ("혈액형은 O형이야", U, "blood_type", "O형"),
        ("mbti는 enfp", U, "mbti", "ENFP"),
        ("대구 출신이야", U, "hometown", "대구"),
        ("이사했어, 이제 부산에 살아", U, "live_in", "부산"),
        ("언니는 캐나다에 살아", "언니", "live_in", "캐나다"),
        ("저희 어머니는 전주에 사십니다.", "어머니", "live_in", "전주"),
        ("저 간호사로 일하고 있어요", U, "job", "간호사"),
        ("저 네이버에서 백엔드 개발자로 일해요", U, "workplace", "네이버"),
        ("나 이직해서 이제 카카오 다녀", U, "workplace", "카카오"),
        ("남편은 소방관이야", "남편", "job", "소방관"),
        ("컴퓨터공학을 전공하고 있어", U, "major", "컴퓨터공학"),
        ("임시 메모 : 나는 커피를 좋아한다", U, "like", "커피"),
        ("임시 메모: 우유 사기", U, "memo", "우유 사기"),
        ("매운 음식 잘 못 먹어", U, "dislike", "매운 음식"),
        ("해산물은 비려서 싫어해요", U, "dislike", "해산물"),
        ("제일 좋아하는 과일은 딸기야", U, "favorite", "딸기"),
        ("난 딸기가 제일 좋아", U, "like", "딸기"),
        ("커피보다 차를 더 좋아해", U, "like", "차"),
        ("등산 가는 걸 좋아해", U, "like", "등산 가기"),
        ("취미는 등산이에요", U, "hobby", "등산"),
        ("내 고향은 안동이야", U, "hometown", "안동"),
        ("나는 땅콩 알레르기가 있어", U, "allergy", "땅콩"),
        ("새우 알러지 있음", U, "allergy", "새우"),
        ("감기 걸렸어", U, "condition", "감기"),
        ("고양이 두 마리 키워요", U, "pet", "고양이"),
        ("여동생이 있어", U, "family", "여동생"),
        ("민수는 내 친구야", "민수", "relation", "친구"),
        ("민수가 커피 좋아한대", "민수", "like", "커피"),
        ("내 사물함 번호는 12번이야", U, "attribute", "12번"),
        ("My name is Alice.", U, "name", "Alice"),
        ("I live in Seattle and I work as a nurse", U, "job", "nurse"),
        ("I'm allergic to peanuts and shrimp", U, "allergy", "shrimp"),
        ("my sister's name is Emma", "sister", "name", "Emma"),
        ("my dog Max is five", "dog", "name", "Max"),
        ("I moved to Busan", U, "live_in", "Busan"),
        ("Remember that my locker code is 4821", U, "attribute", "4821"),
    ],
)
def test_a_statement_becomes_a_fact(text: str, subject: str, predicate: str, object: str) -> None:
    assert (subject, predicate, object, True) in said(text)


@pytest.mark.parametrize(
    ("text", "object"),
    [
        ("이제 커피 안 마셔", "커피"),
        ("커피 끊었어", "커피"),
        ("사과 말고 딸기가 더 좋아", "사과"),
        ("예전엔 커피 좋아했는데 지금은 녹차 좋아해", "커피"),
        ("I no longer drink coffee", "coffee"),
    ],
)
def test_what_ended_is_denied_under_the_key_of_the_taste(text: str, object: str) -> None:
    fact = next(f for f in extract(text, AT) if f.object == object)
    assert (fact.predicate, fact.polarity, fact.key) == ("like", False, f"taste:{object}")


@pytest.mark.parametrize("text", ["Also I've got a cold, nose like a tap", "I feel like a bad son", "we're like an old couple", "I look like my dad"])
def test_what_is_like_something_is_no_taste(text: str) -> None:
    assert extract(text, AT) == ()


def test_she_is_never_the_speaker() -> None:
    assert [fact.subject for fact in extract("she likes yoga", AT)] == ["she"]
    assert [fact.subject for fact in extract("My sister is called Anna. She likes yoga", AT)] == ["sister", "sister"]


def test_a_new_taste_beside_the_old_is_stated() -> None:
    assert (U, "like", "녹차", True) in said("예전엔 커피 좋아했는데 지금은 녹차 좋아해")
    assert (U, "like", "딸기", True) in said("사과 말고 딸기가 더 좋아")


def test_like_and_dislike_of_one_thing_share_a_key() -> None:
    (liked,), (disliked,) = extract("나 오이 좋아해", AT), extract("나 오이 싫어해", AT)
    assert liked.key == disliked.key == "taste:오이"


def test_a_plan_has_its_time_place_and_people() -> None:
    (plan,) = extract("내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘.", AT)
    assert plan == Fact(
        U,
        "plan",
        "미팅",
        "plan",
        True,
        "plan:미팅",
        datetime.fromisoformat("2026-10-04T15:00:00+09:00"),
        "10월 4일 일요일 오후 3시",
        "강남",
        ("민수",),
    )


def test_an_english_plan_has_its_time_place_and_people() -> None:
    (plan,) = extract("I have a meeting with Chris tomorrow at 3pm in Gangnam", AT)
    assert (plan.key, plan.when_text, plan.place, plan.people) == ("plan:meeting", "on Sunday, October 4 at 3 PM", "Gangnam", ("Chris",))


@pytest.mark.parametrize(
    ("text", "polarity", "when_text"),
    [("미팅 4시로 바뀌었어", True, "4시"), ("미팅 취소됐어", False, None), ("The meeting is cancelled", False, None)],
)
def test_a_moved_or_cancelled_meeting_replaces_the_old(text: str, polarity: bool, when_text: str | None) -> None:
    (fact,) = extract(text, AT)
    assert fact.key in {"plan:미팅", "plan:meeting"}
    assert (fact.polarity, fact.when_text) == (polarity, when_text)


def test_a_birthday_is_said_without_a_year() -> None:
    (fact,) = extract("내 생일은 3월 14일이야", AT)
    assert (fact.object, fact.when_text, fact.key) == ("3월 14일", "3월 14일", "birthday:user")


@pytest.mark.parametrize(
    "text",
    [
        "너 좋아해?", "커피 좋아하세요?", "이름이 뭐예요?", "제 이름이 뭐였죠?", "내 이름 기억나?", "나 뭐 좋아한다고 했지?", "내가 좋아하는 과일이 뭐더라", "나 커피 마셔도 돼?", "내 이름 말해줘",
        "오늘 비 온다", "파이썬은 인기가 많아", "저장 버튼이 안 눌려", "기억이 안 나", "안녕", "ㅋㅋㅋ", "점심 뭐 먹지?", "고래는 포유류야", "서울은 한국의 수도야", "만약 내가 부자라면 좋겠다", "버스가 안 와",
        "Do you like coffee?", "Python is popular", "The save button doesn't work", "What's my name?", "The weather is nice",
    ],
)  # fmt: skip
def test_questions_chat_and_the_world_state_nothing(text: str) -> None:
    assert extract(text, AT) == ()


@pytest.mark.parametrize(
    "text",
    [
        "나는 연애 안 한 지 3년 됐어",
        "드라마에서 주인공이 폐암 걸려서 죽었어",
        "로또 되면 하와이로 이사 갈 거야",
        "만약에 고양이를 키우면 이름은 찹쌀로 할 거야",
        "만약에 고양이를 키우면 이름은 찹쌀이야",
        "옆집 아저씨네 강아지가 밤마다 짖어",
        "아빠는 지금 병원에 계셔",
        "사촌언니가 아기 이름을 서하로 지었대",
        "운동은 작심삼일이라",
        "꿈을 키우고 있어",
        "나 민수 싫어하는 거 비밀이야",
        "예전엔 돼지라고 놀렸는데 지금은 다들 두목이라고 불러",
        "아빠는 일 끝나고 방금 집에 돌아가셨어",
        "우리 엄마가 어제 제주도로 여행 떠났어",
        "친구가 배꼽 빠져 죽었어",
        "나 번호 바꿨어. 이제 아이폰이야",
        "I would have a dog if I could",
    ],
)
def test_what_happened_was_wished_for_or_is_another_s_states_nothing(text: str) -> None:
    assert extract(text, AT) == ()


def test_a_neighbour_s_dog_is_not_the_speaker_s() -> None:
    (named,) = extract("옆집 아저씨네 강아지 이름은 초코야", AT)
    assert (named.subject, named.predicate) == ("옆집 아저씨네 강아지", "name")


def test_where_one_used_to_live_does_not_replace_where_one_lives() -> None:
    assert not any(f.key == "live_in:user" for f in extract("원래 홍대 쪽에 살았는데 지난달에 이사 왔어", AT))


def test_a_key_says_what_a_newer_fact_replaces() -> None:
    assert extract("제일 좋아하는 과일은 딸기야", AT)[0].key == "favorite:과일"
    assert extract("내 사물함 번호는 12번이야", AT)[0].key == "attribute:user:사물함 번호"
    assert key_of("민수", "like", "커피") == "taste:민수:커피"


_WORDS = st.lists(
    st.sampled_from(
        "나 는 내 이름 은 민수야 엄마 가 커피 를 좋아해 안 못 먹어 알레르기 있어 내일 3시 에 강남 에서 미팅 이야 라고 불러줘 ? . , 기뻐 해서 동생 고양이 키워 10월 의 것 기 하고 싶어 I my dog is like allergic to".split()
    ),
    max_size=10,
).map(" ".join)


@settings(deadline=None, max_examples=150)
@given(st.one_of(_WORDS, st.text(max_size=40)))
def test_extract_answers_any_text_with_facts_of_the_vocabulary(text: str) -> None:
    for fact in extract(text, AT):
        assert fact.category == PREDICATES[fact.predicate]
        assert fact.object
        assert fact.subject


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("와이프는 하은이고 약사야", {("와이프", "name", "하은", True), ("와이프", "job", "약사", True)}),
        (
            "아들 도윤이가 고1, 딸 하윤이가 초등학교 3학년이에요",
            {("아들", "name", "도윤", True), ("아들", "grade", "고1", True), ("딸", "grade", "3학년", True)},
        ),
        ("충남대 기계과 3학년이야", {(U, "school", "충남대", True), (U, "grade", "3학년", True)}),
        ("라떼 이제 질렸어", {(U, "like", "라떼", False)}),
        (
            "I'm Nina, 31, born in Cork, and I live in Dublin now",
            {(U, "age", "31", True), (U, "hometown", "Cork", True), (U, "live_in", "Dublin", True)},
        ),
        ("my dog is a poodle called Coco", {("dog", "name", "Coco", True)}),
        ("My brother Leo is a baker, and my aunt Rose lives in Paris", {("brother", "job", "baker", True), ("aunt", "live_in", "Paris", True)}),
    ],
)
def test_one_sentence_may_tell_several_things(text: str, expected: set[tuple[str, str, str, bool]]) -> None:
    assert expected <= said(text)


@pytest.mark.parametrize(
    "text",
    [
        "소리 질렀어",
        "보리가 막내라 열두 살이고 살도 쪘어",
        "민수 만났어. 판교에서 개발자 한대",
        "나랑 6살 차이야",
        "비행기표 끊었어",
        "요즘 서버 장애가 많아서 힘들다",
        "대신 주말마다 등산을 다녀",
        "글자 크기 키워줘",
        "I'm Korean, nice to meet you",
        "The dentist moved to Thursday",
    ],
)
def test_what_is_unsure_claims_no_slot_of_the_speaker(text: str) -> None:
    assert not [
        f
        for f in extract(text, AT)
        if f.subject == U and (f.predicate in {"name", "age", "job", "workplace", "live_in", "condition", "own"} or not f.polarity)
    ]


@pytest.mark.parametrize(
    ("first", "change"),
    [
        ("10월 20일에 무릎 수술 받기로 했어", "무릎 수술 날짜가 바뀌었어. 10월 27일로"),
        ("다음 주 화요일에 오사카 여행 가기로 했어", "오사카 여행 취소했어"),
        ("다음 주 금요일 저녁 6시에 정자동에서 팀 회식", "팀 회식 장소 바뀜. 정자동 말고 서현역 고깃집"),
        ("금요일에 팀 회식이 있어", "팀 회식 건은 없던 일로 했어"),
        ("금요일에 팀 회식이 있어", "팀 회식이 목요일로 밀렸어"),
        ("올겨울 휴가는 12월 10일부터 제주도로 가", "휴가 계획을 바꿨어. 제주도 대신 양양으로"),
    ],
)
def test_a_changed_plan_has_the_key_of_the_plan(first: str, change: str) -> None:
    (told,), (changed,) = ([f for f in extract(t, AT) if f.predicate == "plan"] for t in (first, change))
    assert told.key == changed.key


def test_meetings_with_different_people_are_different_plans() -> None:
    keys = {f.key for t in ("내일 7시에 지은이랑 보기로 했어", "모레 7시에 민수랑 보기로 했어") for f in extract(t, AT)}
    assert keys == {"plan:지은:약속", "plan:민수:약속"}


@pytest.mark.parametrize(
    ("what", "topic"),
    [
        ("오사카 여행", "오사카"),
        ("치과 예약", "치과"),
        ("무릎 수술 날짜", "무릎 수술"),
        ("한빛식품 1차 면접", "한빛식품 면접"),
        ("신혼여행", "신혼여행"),
        ("Lisbon trip", "lisbon"),
    ],
)
def test_a_plan_is_of_the_same_thing_however_it_is_told(what: str, topic: str) -> None:
    assert plan_topic(what) == topic


def test_the_name_that_was_heard_stands_over_that_of_the_rules() -> None:
    read = extract("내 이름은 지민이야", AT)
    assert extract("이름은 두부야", AT) == ()
    assert called(read, None) == called(read, "") == read
    (name,) = called(read, "서윤")
    assert (name.subject, name.predicate, name.object, name.key) == (U, "name", "서윤", read[0].key)


def test_who_is_somebody_else_by_the_rules_is_not_the_speaker() -> None:
    read = extract("나이는 예순여덟이고 아내 이름은 옥희야", AT)
    assert [fact.object for fact in read if fact.predicate == "name"] == ["옥희"]
    assert called(read, "옥희") == read
