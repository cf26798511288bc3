"""What a person said in a plain sentence comes back in correct polite Korean, in their own words; what is not plain has no clause."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lira_core.languages.ko.retelling import noticing, sentences, told

TOLD = {
    "나는 커피를 좋아한다": "커피를 좋아한다고",
    "임시 메모 : 나는 커피를 좋아한다": "커피를 좋아한다고",
    "내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘.": "내일 오후 3시 강남에서 민수랑 미팅 있다고",
    "안녕하세요, 제 이름은 A입니다.": "이름은 A라고",
    "내 이름은 Kim이야": "이름은 Kim이라고",
    "저는 간호사예요": "간호사라고",
    "저희 엄마는 간호사셔요": "엄마는 간호사시라고",
    "나는 INFP야": "INFP라고",
    "사물함 비밀번호는 1234야": "사물함 비밀번호는 1234라고",
    "우리 강아지 이름은 초코야": "강아지 이름은 초코라고",
    "요즘 너무 힘들어 ㅠㅠ": "요즘 너무 힘들다고",
    "이번 시험 ㅈ됐어": "이번 시험 ㅈ됐다고",
    "면접에서 떨어졌어...": "면접에서 떨어졌다고",
    "나 이제 커피 끊었잖아": "이제 커피 끊었다고",
    "새 직장 구했음": "새 직장 구했다고",
    "부산에 살아요": "부산에 산다고",
    "여행 가고 싶어": "여행 가고 싶다고",
    "다음 주에 이사할 거야": "다음 주에 이사할 거라고",
    "내일 갈게요": "내일 갈 거라고",
    "엄마가 아프셔": "엄마가 아프시다고",
    "할머니가 돌아가셨어": "할머니가 돌아가셨다고",
    "나는 딸기를 좋아한다는 거 기억해줘": "딸기를 좋아한다고",
    "내 생일은 3월 14일이야 꼭 기억해줘": "생일은 3월 14일이라고",
    "잊지 마, 나 새우 못 먹어": "새우 못 먹는다고",
    "나 기억해줘 나는 간호사야": "간호사라고",
    "리라야 나 오늘 생일이야": "오늘 생일이라고",
    "커피 안 좋아해": "커피 안 좋아한다고",
    "커피 좋아하지 않아": "커피 좋아하지 않는다고",
    "나는 개발자로 일하고 있습니다": "개발자로 일하고 있다고",
    "길에서 만 원 주웠다 ㅋㅋ": "길에서 만 원 주웠다고",
    "일이 너무 많아서 지쳤는데": "일이 너무 많아서 지쳤다고",
    "남동생은 해병대임": "남동생은 해병대라고",
    "드디어 오늘 나만의 RAG시스템이 완성됐어!!": "드디어 오늘 나만의 RAG시스템이 완성됐다고",
}

HEARD = {
    "면접에서 떨어졌어": "면접에서 떨어지셨군요",
    "시험 끝났다!!": "시험 끝났군요",
    "와 진짜 맛있다": "진짜 맛있군요",
    "오늘 우리 강아지가 죽었어": "오늘 강아지가 죽었군요",
    "엄마가 아프셔": "엄마가 아프시군요",
    "머리가 너무 아파": "머리가 너무 아프시군요",
    "발표가 걱정돼": "발표가 걱정되시는군요",
    "화가 나": "화가 나시는군요",
    "남동생은 대학생이고 서울에 살아": "남동생은 대학생이고 서울에 사는군요",
    "수술이 잘 끝나서 다행이야": "수술이 잘 끝나서 다행이군요",
    "미팅 4시로 바뀌었어": "미팅 4시로 바뀌었군요",
    "내일은 잘될 거야": "내일은 잘될 거군요",
    "우리 팀이 이겼어": "팀이 이겼군요",
}

NOT_PLAIN = {
    "what others said": ["팀장이 저는 왜 맨날 지각이냬", "친구가 6월에 캐나다로 이민 간대", "나 김밥 먹고 싶다고 했잖아"],
    "a pronoun that would change who is meant": [
        "학교에서 친구가 나를 무시했어",
        "내 동생이 나보다 키가 커",
        "네가 있어서 기뻐",
        "엄마가 나 때문에 우셨어",
    ],
    "quotation marks": ["이름은 '나비', 세 살이야", '"호두"는 우리 강아지야'],
    "dialect and unknown endings": ["나가 순천 웃장서 팥죽집 한 지 서른 해 됐당께", "딸기가 제일 좋더라"],
    "a note that may be past": ["어제 치킨 먹음"],
    "what is wondered": ["소주 한 병이 낙이었는데 이제 뭔 재미로 사나 싶음"],
    "fragments": ["다이어트 포기", "내일 3시 치과 예약"],
    "what is no statement": ["같이 산책하자", "노래 불러줘", "내가 왜 그랬을까", "뭐 먹지"],
    "a long sentence": [
        "오늘 오랜만에 고등학교 친구들을 시청 앞에서 만나서 하루 종일 돌아다니다가 저녁에는 다 같이 오래된 분식집에 가서 떡볶이를 먹었어"
    ],
}


@pytest.mark.parametrize(("said", "expected"), TOLD.items())
def test_indirect_speech_reads_as_a_korean_would_say_it(said: str, expected: str) -> None:
    (sentence,) = sentences(said)
    assert sentence.clause is not None
    assert told(sentence.clause) == expected


@pytest.mark.parametrize(("said", "expected"), HEARD.items())
def test_noticing_what_was_said_honours_only_who_is_honoured(said: str, expected: str) -> None:
    clause = sentences(said)[0].clause
    assert clause is not None
    assert noticing(clause) == expected


@pytest.mark.parametrize("said", [text for texts in NOT_PLAIN.values() for text in texts])
def test_what_is_not_plain_stays_as_it_was_said(said: str) -> None:
    assert [s.clause for s in sentences(said)] == [None]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("월~목만 일해~", "월~목만 일해"),
        ("밤11시~아침7시", "밤11시~아침7시"),
        ("7~8시에 봐~ 알겠지~~", "7~8시에 봐 알겠지"),
        ("수영~오늘 시작했어", "수영 오늘 시작했어"),
    ],
)
def test_a_wave_stays_between_two_times_alone(said: str, told: str) -> None:
    assert [sentence.text for sentence in sentences(said)] == [told]


@pytest.mark.parametrize("text", ["안녕하세요", "ㅋㅋㅋ", "기억해줘", "리라야, 안녕", "!!!", "😊", ""])
def test_what_says_nothing_gives_nothing_to_retell(text: str) -> None:
    assert sentences(text) == ()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("나 딸기 좋아해", "딸기 좋아하시는군요"),
        ("오늘 날씨 좋네", "오늘 날씨 좋군요"),
        ("저는 간호사예요", "간호사시군요"),
        ("요즘 잠을 못 자", "요즘 잠을 못 주무시는군요"),
        ("이사 왔어", "이사 왔군요"),
        ("버스가 늦게 왔어", "버스가 늦게 왔군요"),
        ("밥을 맛있게 먹었어", "밥을 맛있게 드셨군요"),
        ("고양이가 아파서 병원 갔어", "고양이가 아파서 병원 갔군요"),
    ],
)
def test_where_it_is_in_doubt_nobody_is_honoured(said: str, expected: str) -> None:
    clause = sentences(said)[0].clause
    assert clause is not None
    assert noticing(clause) == expected


ENDINGS = ["해", "해요", "합니다", "한다", "하네", "하거든", "하잖아", "하지", "하는데", "하네요", "하거든요"]


@given(st.sampled_from(["커피", "떡", "김치찌개", "Python", "민트초코", "RAG"]), st.sampled_from(ENDINGS))
@settings(deadline=None)
def test_every_style_of_speech_is_the_same_when_told(thing: str, ending: str) -> None:
    (sentence,) = sentences(f"나는 {thing} 좋아{ending}")
    assert sentence.clause is not None
    assert told(sentence.clause) == f"{thing} 좋아한다고"


@given(st.text(max_size=120))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_it(text: str) -> None:
    for sentence in sentences(text):
        assert sentence.text
        if sentence.clause is not None:
            assert told(sentence.clause)
            assert noticing(sentence.clause)
