"""What is told and then asked, with the bundled models: whose it is, whether it still holds, and what is not a loss."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lira_core.evaluation.memory import indexed, passes
from lira_core.lira import Lira

TUESDAY = datetime.fromisoformat("2026-10-06T09:12:00+09:00")


@dataclass(frozen=True)
class Dialogue:
    """`told` in one session, `asked` in another an hour later; the last reply holds one of `wanted` and none of `unwanted`."""

    told: tuple[str, ...]
    asked: str | None = None
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()


SORRY = ("아프", "아파", "무거", "속상", "쓸쓸하고", "마음이 쓰이는 일", "함께한 기억", "명복", "위로", "슬퍼하셔도")
UNKNOWN = ("모르겠", "들은 적이 없")

HOLDS = {
    "a film's illness is nobody's": Dialogue(("드라마에서 주인공이 폐암 걸려서 죽었어",), "나 폐암 있어?", UNKNOWN),
    "an uncle's illness is not mine": Dialogue(("우리 이모부가 당뇨가 있으셔",), "나 당뇨 있어?", ("이모부", *UNKNOWN), ("네,",)),
    "a friend's partner is not mine": Dialogue(("수진이 남자친구는 의사야",), "나 남자친구 있어?", ("수진", *UNKNOWN), ("네,",)),
    "a dog's operation is not mine": Dialogue(("우리 강아지 보리가 어제 수술했어",), "내가 수술했다고 했나?", ("보리", *UNKNOWN), ("네,",)),
    "a neighbour's dog is not mine": Dialogue(("옆집 아저씨네 강아지가 너무 시끄러워",), "나 강아지 키워?", ("옆집", *UNKNOWN), ("네,",)),
    "everything about me is listed, first fact": Dialogue(("나는 부산에 살아", "나는 등산을 좋아해"), "나에 대해 뭐 알고 있어?", ("부산",)),
    "everything about me is listed, second fact": Dialogue(("나는 부산에 살아", "나는 등산을 좋아해"), "나에 대해 뭐 알고 있어?", ("등산",)),
    "all that was told of a dog is told, by its name too": Dialogue(
        ("우리 강아지 이름은 뭉치야", "뭉치 어제 미용했는데 너무 귀여워", "오늘 회사에서 발표했어"),
        "우리 강아지 얘기 내가 뭐뭐 했지",
        ("미용",),
        ("발표", *UNKNOWN),
    ),
    "all that was told of somebody is told": Dialogue(
        ("동생 수진이는 대구에서 간호사야", "수진이가 다음 달에 결혼해", "나 요즘 수영 다녀"),
        "수진이에 대해 아는 거 다 말해줘",
        ("간호사",),
        ("수영", *UNKNOWN),
    ),
    "of somebody never told of nothing is told": Dialogue(
        ("나 요즘 수영 다녀", "어제 우산을 잃어버렸어"), "남자친구 얘기 한 거 다 말해봐", UNKNOWN, ("수영", "우산")
    ),
    "what is wanted told is not taken for what is to be forgotten": Dialogue(
        ("와이프는 수의사야", "와이프가 이번 주에 야근이 많아"), "와이프에 대해 제가 말한 거 다 읊어주세요", ("수의사",), ("지울까요",)
    ),
    "a birthday given away in a question is kept": Dialogue(("내 생일 5월 20일인 거 알지?",), "내 생일 언제야?", ("5월20일",)),
    "an allergy given away in a question is kept": Dialogue(("나 땅콩 알레르기 있는 거 잊지 않았지?",), "나 무슨 알레르기 있어?", ("땅콩",)),
    "an appointment called off is off": Dialogue(
        ("금요일에 민수랑 저녁 약속 있어", "금요일 건 없던 일로 했어"), "금요일에 약속 있어?", ("아니요", "없던 일로"), ("네,",)
    ),
    "a cancelled dinner is off": Dialogue(("금요일에 회식이 있어", "금요일 회식은 취소됐어"), "금요일에 회식 있어?", ("취소",), ("네,",)),
    "what is of a day is told where nothing but the day is named": Dialogue(
        ("내일 3시에 치과 예약했어", "모레는 이모네 가"), "내일 뭐 있어?", ("치과",), ("이모", *UNKNOWN)
    ),
    "what is done every week is of its weekday": Dialogue(("매주 화요일 저녁에 수영 다녀",), "화요일에 뭐 하지?", ("수영",), UNKNOWN),
    "a day within a trip is of the trip": Dialogue(("다음 주 월요일부터 금요일까지 부산 출장이야",), "다음 주 수요일에 뭐 있어?", ("출장",), UNKNOWN),
    "what is of a night is that day's": Dialogue(("오늘 밤 12시에 민수랑 통화하기로 했어",), "오늘 일정 뭐 있어?", ("통화",), UNKNOWN),
    "a wedding of the second Saturday is on its date": Dialogue(
        ("12월 둘째 주 토요일에 사촌 결혼식이야",), "12월 12일에 뭐 있어?", ("결혼식",), UNKNOWN
    ),
    "what weekday it is asks for nothing that was told": Dialogue(("오늘 시험 봤어",), "오늘 무슨 요일이야?", ("화요일이에요",), ("시험",)),
    "a coming day that was cancelled stays to come": Dialogue(
        ("금요일에 회식이 있어", "금요일 회식은 취소됐어"), "금요일에 회식 있어?", ("10월9일",), ("10월2일",)
    ),
    "what was put off has its new day": Dialogue(("내 발표가 10월 3일이었는데 11월 7일로 미뤄졌어",), "내 발표 언제야?", ("11월7일",)),
    "years without a partner are no partner": Dialogue(
        ("나는 연애 안 한 지 3년 됐어",), "나 애인 있어?", ("아니요", "안 한 지 3년", *UNKNOWN), ("네,",)
    ),
    "an if is no plan": Dialogue(("로또 되면 하와이로 이사 갈 거야",), "나 이사 가?", UNKNOWN, ("하와이",)),
    "an if is no name": Dialogue(("만약에 고양이를 키우면 이름은 찹쌀로 할 거야",), "내 고양이 이름이 뭐야?", UNKNOWN, ("찹쌀",)),
    "a baby's name is not the cousin's": Dialogue(("사촌 언니가 아기 이름을 서하로 지었대",), "사촌 언니 이름이 뭐야?", ("아기", *UNKNOWN)),
    "what is a secret is not what is disliked": Dialogue(("나 민수 싫어하는 거 비밀이야",), "내가 싫어하는 게 뭐야?", ("민수",)),
    "a sister takes no double honour": Dialogue(("우리 큰언니는 대전에 살아",), "큰언니 어디 살아?", ("대전",), ("언니님",)),
    "who emigrates is not told to": Dialogue(("친구가 6월에 캐나다로 이민 간대",), "친구 어디로 이민 가?", ("캐나다",), ("가라고",)),
    "no name is left out of what is retold": Dialogue(("키우는 애는 치즈냥이고 이름은 나비, 지금 세 살이야",), None, (), ("이름은,",)),
    "a new name in a second sentence replaces the old": Dialogue(
        ("나 이름은 지민이야", "나 사실 이름 바꿨어. 이제 서윤이야"), "내 이름이 뭐라고?", ("서윤",), ("지민님",)
    ),
    "a grandmother in hospital is no workplace": Dialogue(("할머니가 지금 병원에 계셔",), "나 어디서 일해?", UNKNOWN, ("할머니",)),
    "a quoted you stays": Dialogue(("팀장이 너는 왜 맨날 지각이냐고 했어",), None, (), ("저는왜",)),
    "giving up a diet is not echoed": Dialogue(("다이어트 포기야",), None, (), ("포기군요",)),
    "a joke is not echoed": Dialogue(("농담이야",), None, (), ("농담이군요",)),
    "an English joke is not echoed": Dialogue(("It's a joke",), None, (), ("a joke",)),
    "small talk is not echoed": Dialogue(("오늘 날씨 좋다",), None, (), ("오늘 날씨",)),
    "coming home is no death": Dialogue(("아빠는 일 끝나고 방금 집에 돌아가셨어",), None, (), SORRY),
    "a film's death gets no condolences": Dialogue(("드라마에서 주인공이 폐암 걸려서 죽었어",), None, (), SORRY),
    "hearsay of a mother's tears is no question": Dialogue(("엄마가 나 때문에 속상해서 우셨대",), None, (), UNKNOWN),
    "what others ask is no question": Dialogue(("엄마가 언제 결혼하냐고 물어봤어",), None, (), UNKNOWN),
    "an appointment asked back is no no": Dialogue(("금요일에 지은이랑 저녁 약속 있어",), "금요일에 약속 있어?", ("약속 있다고",), ("아니요",)),
    "a home asked back is no no": Dialogue(("나 부산 살아",), "나 부산 살아?", ("부산",), ("아니요",)),
    "a taste asked back is a yes": Dialogue(("나 커피 좋아해",), "나 커피 좋아해?", ("네,",), ("아니요",)),
    "a taste one does not have asked back is a no": Dialogue(("나 커피 안 좋아해",), "나 커피 좋아해?", ("아니요",), ("네,",)),
    "an English move asked back is a yes": Dialogue(("I moved to Leeds in May",), "do I live in Leeds?", ("Yes",), ("No,",)),
    "a joke about eating leans on nobody": Dialogue(("너는 밥 안 먹지 하하",), None, (), ("사람의 자리",)),
    "a taste with an exception is no no": Dialogue(("커피 좋아하는데 밤에는 안 마셔",), "나 커피 좋아해?", ("좋아",), ("아니요",)),
    "a birthday given away is not denied": Dialogue(("내 생일 5월 20일인 거 알지?",), None, (), UNKNOWN),
    "an uncle who went back to Seoul is no loss": Dialogue(("삼촌은 어제 서울로 돌아가셨어",), None, (), SORRY),
    "what a boss said is no question": Dialogue(("팀장님이 다들 있는 데서 뭐라고 하셨거든",), None, (), UNKNOWN),
    "a move abroad is no loss": Dialogue(("동생이 미국으로 떠났어",), None, (), (*SORRY, "세상을 떠")),
    "a trip is no loss": Dialogue(("우리 엄마가 어제 제주도로 여행 떠났어",), None, (), (*SORRY, "세상을 떠")),
    "laughing to death is no death": Dialogue(("친구가 배꼽 빠져 죽었어",), None, (), SORRY),
}


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """By name of the dialogue the last reply; each is a user's own."""
    return asyncio.run(_played(tmp_path_factory.mktemp("dialogues")))


async def _played(folder: Path) -> dict[str, str]:
    last: dict[str, str] = {}
    async with Lira.local(folder) as lira:
        for name, dialogue in HOLDS.items():
            # LIRA says what it is in a person's first reply; only what follows is judged.
            await lira.chat(user_id=name, session_id="greeting", text="안녕", at=TUESDAY - timedelta(hours=1))
            kept = None
            for minute, text in enumerate(dialogue.told):
                reply = await lira.chat(user_id=name, session_id="told", text=text, at=TUESDAY + timedelta(minutes=minute))
                kept = text if reply.memory.status == "stored" else kept
            if dialogue.asked is not None:
                if kept is not None:
                    await indexed(lira, name, kept)
                reply = await lira.chat(user_id=name, session_id="asked", text=dialogue.asked, at=TUESDAY + timedelta(hours=1))
            last[name] = reply.reply
    return last


def _checked(dialogue: Dialogue, reply: str) -> None:
    assert reply, "every utterance is replied to"
    assert passes(reply, {"expect_any": dialogue.wanted, "expect_none": dialogue.unwanted}), reply


@pytest.mark.parametrize("name", HOLDS)
def test_the_reply_holds_what_is_wanted(name: str, replies: dict[str, str]) -> None:
    _checked(HOLDS[name], replies[name])
