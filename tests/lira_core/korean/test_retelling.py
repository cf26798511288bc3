"""What a person said comes back in correct polite Korean, in their own words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.korean.retelling import clauses, hearing, noticing, quote, reported, told

QUOTED = {
    "나는 커피를 좋아한다": "커피를 좋아한다고 하셨어요",
    "임시 메모 : 나는 커피를 좋아한다": "커피를 좋아한다고 하셨어요",
    "내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘.": "내일 오후 3시 강남에서 민수랑 미팅이 있다고 하셨어요",
    "안녕하세요, 제 이름은 A입니다.": "이름은 A라고 하셨어요",
    "내 이름은 Kim이야": "이름은 Kim이라고 하셨어요",
    "저는 김지민이라고 해요": "김지민이라고 하셨어요",
    "저는 간호사예요": "간호사라고 하셨어요",
    "저희 엄마는 간호사셔요": "엄마는 간호사시라고 하셨어요",
    "나는 INFP야": "INFP라고 하셨어요",
    "사물함 비밀번호는 1234야": "사물함 비밀번호는 1234라고 하셨어요",
    "우리 강아지 이름은 초코야": "강아지 이름은 초코라고 하셨어요",
    "딸기가 제일 좋더라": "딸기가 제일 좋다고 하셨어요",
    "요즘 너무 힘들어 ㅠㅠ": "요즘 너무 힘들다고 하셨어요",
    "면접에서 떨어졌어...": "면접에서 떨어졌다고 하셨어요",
    "나 이제 커피 끊었잖아": "이제 커피를 끊었다고 하셨어요",
    "새 직장 구했음": "새 직장 구했다고 하셨어요",
    "부산에 살아요": "부산에 산다고 하셨어요",
    "여행 가고 싶어": "여행 가고 싶다고 하셨어요",
    "다음 주에 이사할 거야": "다음 주에 이사할 거라고 하셨어요",
    "내일 갈게요": "내일 갈 거라고 하셨어요",
    "엄마가 아프셔": "엄마가 아프시다고 하셨어요",
    "할머니가 돌아가셨어": "할머니가 돌아가셨다고 하셨어요",
    "학교에서 친구가 나를 무시했어": "학교에서 친구가 무시했다고 하셨어요",
    "내 동생이 나보다 키가 커": "동생이 본인보다 키가 크다고 하셨어요",
    "네가 있어서 기뻐": "제가 있어서 기쁘다고 하셨어요",
    "나는 딸기를 좋아한다는 거 기억해줘": "딸기를 좋아한다고 하셨어요",
    "내 생일은 3월 14일이야 꼭 기억해줘": "생일은 3월 14일이라고 하셨어요",
    "잊지 마, 나 새우 못 먹어": "새우 못 먹는다고 하셨어요",
    "나 기억해줘 나는 간호사야": "간호사라고 하셨어요",
    "리라야 나 오늘 생일이야": "오늘 생일이라고 하셨어요",
    "커피 안 좋아해": "커피 안 좋아한다고 하셨어요",
    "커피 좋아하지 않아": "커피 좋아하지 않는다고 하셨어요",
    "나는 개발자로 일하고 있습니다": "개발자로 일하고 있다고 하셨어요",
    "길에서 만 원 주웠다 ㅋㅋ": "길에서 만 원 주웠다고 하셨어요",
    "내일 3시 치과 예약": "내일 3시 치과 예약이라고 하셨어요",
    "일이 너무 많아서 지쳤는데": "일이 너무 많아서 지쳤다고 하셨어요",
    "같이 산책하자": "같이 산책하자고 하셨어요",
    "노래 불러줘": "노래 불러달라고 하셨어요",
    "내가 왜 그랬을까": "왜 그랬는지 물어보셨어요",
    "동생이랑 싸웠어. 기분이 너무 안 좋아": "동생이랑 싸웠고 기분이 너무 안 좋다고 하셨어요",
    "드디어 오늘 나만의 RAG시스템이 완성됐어!!": "드디어 오늘 나만의 RAG시스템이 완성됐다고 하셨어요",
}

HEARD = {
    "면접에서 떨어졌어": "면접에서 떨어지셨다니",
    "시험 끝났다!!": "시험 끝났다니",
    "와 진짜 맛있다": "진짜 맛있다니",
    "오늘 우리 강아지가 죽었어": "오늘 강아지가 죽었다니",
    "엄마가 아프셔": "엄마가 아프시다니",
    "머리가 너무 아파": "머리가 너무 아프시다니",
    "발표가 걱정돼": "발표가 걱정되신다니",
    "상사가 나한테 소리 질렀어": "상사가 소리 질렀다니",
    "화가 나": "화가 나신다니",
    "아무도 나를 이해 못 해": "아무도 이해 못 한다니",
    "남동생은 대학생이고 서울에 살아": "남동생은 대학생이고 서울에 산다니",
    "수술이 잘 끝나서 다행이야": "수술이 잘 끝나서 다행이라니",
    "미팅 4시로 바뀌었어": "미팅 4시로 바뀌었다니",
    "내일은 잘될 거야": "내일은 잘될 거라니",
    "선생님이 나 칭찬해 주셨어": "선생님이 칭찬해 주셨다니",
}


@pytest.mark.parametrize(("said", "expected"), QUOTED.items())
def test_indirect_speech_reads_as_a_korean_would_say_it(said: str, expected: str) -> None:
    assert quote(said) == expected


@pytest.mark.parametrize(("said", "expected"), HEARD.items())
def test_taking_up_what_was_said_honours_only_who_is_honoured(said: str, expected: str) -> None:
    assert hearing(clauses(said)[0]) == expected


@pytest.mark.parametrize("text", ["안녕하세요", "ㅋㅋㅋ", "기억해줘", "리라야, 안녕", "!!!", "😊", ""])
def test_what_says_nothing_gives_nothing_to_retell(text: str) -> None:
    assert quote(text) == ""


def test_tells_and_notices_in_the_same_words() -> None:
    clause = clauses("나 딸기 좋아해")[0]
    assert (told(clause), noticing(clause)) == ("딸기를 좋아한다고", "딸기를 좋아하시는군요")


ENDINGS = ["해", "해요", "합니다", "한다", "하네", "하거든", "하더라", "하잖아", "하지", "하는데", "하네요", "하거든요"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_style_of_speech_is_the_same_when_told(ending: str) -> None:
    tense = "좋아했다고" if ending == "하더라" else "좋아한다고"
    assert reported(f"나는 커피를 좋아{ending}") == f"커피를 {tense}"


@given(st.text(max_size=120))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_it(text: str) -> None:
    for clause in clauses(text):
        assert told(clause)
        assert hearing(clause)
    assert quote(text).endswith(("하셨어요", "물어보셨어요", ""))


@given(st.sampled_from(["커피", "떡", "김치찌개", "Python", "민트초코", "2024", "RAG"]), st.sampled_from(ENDINGS))
@settings(deadline=None)
def test_the_words_of_the_person_stay_as_they_were(thing: str, ending: str) -> None:
    assert thing in quote(f"나는 {thing} 좋아{ending}")
