"""Who sounds at risk is heard, and everyday idioms are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.safety import at_risk, care

AT_RISK = """죽고 싶어
요즘자살생각만나
죽고싶다 진짜
그냥 죽어버리고 싶어
살고 싶지 않아
살기 싫어
더 이상 살고 싶지 않아요
이제 그만 살고 싶어
사라지고 싶어
이 세상에서 없어지고 싶어요
내가 없어졌으면 좋겠어
자해했어
요즘 자꾸 자살 생각이 나
자살 생각이 없는 건 아니야
자살 생각 없다고 하면 거짓말이지
I'm not suicidal yet
다 끝내고 싶어
모든 걸 끝내고 싶어요
끝내고 싶다
손목을 그었어
죽는 게 나을 것 같아
차라리 죽을래
내가 죽으면 다들 편해질 거야
살 이유가 없어
왜 살아야 하는지 모르겠어
더는 못 버티겠어
태어나지 말았어야 했어
자다가 안 깨어났으면 좋겠어
옥상에서 뛰어내리고 싶어
수면제를 한꺼번에 먹었어
유서를 썼어
살아서 뭐해
영원히 잠들고 싶다
우울해서 죽을 것 같아
삶을 포기하고 싶어
나 같은 건 없는 게 나아
친구가 죽고 싶대
I want to die
i wanna die
I'm going to kill myself
I want to end my life
I don't want to live anymore
I feel suicidal
I've been cutting myself again
everyone would be better off without me
I wish I was dead
there is no reason to live
I want to hurt myself
I can't go on
오늘 너무 힘들어 i want to die""".splitlines()

EVERYDAY = """배고파 죽겠다
웃겨 죽는 줄 알았어
죽여주는 맛이야
귀여워 죽겠어
더워 죽겠네
보고 싶어 죽겠어
죽고 싶을 만큼 맛있어
졸려 죽을 것 같아
이 게임 죽이네
강아지가 죽었어
할머니가 돌아가셨어
강아지가 죽을까 봐 무서워
부산에서 살고 싶지 않아
이 동네에 살기 싫어
여드름이 사라졌으면 좋겠어
두통이 없어졌으면 좋겠다
숙제를 빨리 끝내고 싶어
이 프로젝트 끝내고 싶다
회의를 끝내고 싶어
나는 서울에 살아
새 옷 사기 싫어
자살골을 넣었어
어제 자살예방 교육 들었어
힘들어 죽겠다
요즘 너무 힘들어
핸드폰이 죽었어
죽을 먹었어
호박죽 먹고 싶어
살 빼고 싶어
시험 끝나서 살 것 같아
오늘 죽도록 일했어
죽고 싶지 않아
너 죽고 싶냐 ㅋㅋ
나 자살 생각 없음. 그런 번호 필요 없음.
자살할 생각 없다고
i'm not suicidal, i was joking
I'm not going to kill myself
this is killing me
I'm dying to see you
that cake is to die for
I nearly died laughing
I cut myself shaving
I watched Suicide Squad
my phone died
I want to end this meeting early
""".strip().splitlines()


@pytest.mark.parametrize("text", AT_RISK)
def test_who_sounds_at_risk_is_heard(text: str) -> None:
    assert at_risk(text)


@pytest.mark.parametrize("text", EVERYDAY)
def test_everyday_words_are_left_alone(text: str) -> None:
    assert not at_risk(text)


@pytest.mark.parametrize("text", ["죽고 싶어", "사라지고 싶어", "다 끝내고 싶어", "살기 싫어"])
@pytest.mark.parametrize("change", [lambda t: t.replace(" ", ""), lambda t: t + "ㅠㅠ", lambda t: "오늘도 " + t, lambda t: t + "..."])
def test_spacing_and_tears_change_nothing(text: str, change: object) -> None:
    assert at_risk(change(text))  # type: ignore[operator]


def test_korean_care_names_both_help_lines_after_the_care() -> None:
    said = care("ko")
    assert said.index("힘드셨군요") < said.index("109") < said.index("1577-0199")


def test_english_care_names_the_local_emergency_number() -> None:
    assert "local emergency number" in care("en")


@given(st.text(max_size=200))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert at_risk(text) in {True, False}


@pytest.mark.parametrize("text", ["저는 혼자 살아요", "혼자살아요", "각자 살아", "혼자해도 괜찮아", "같이 가자해서 갔어", "사유서를 썼어"])
def test_words_that_only_hold_a_word_of_risk_are_left_alone(text: str) -> None:
    assert not at_risk(text)
