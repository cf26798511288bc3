"""Turns to make prompts of: the everyday one that the budget is named for, and what each block needs."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from lira_core.generation.port import Prompt
from lira_core.memory.question import Question
from lira_core.types import USER, Decision, EmotionReading, EmotionScore, Fact, Memory, Message, RecalledMemory

SEOUL = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 10, 6, 9, 0, tzinfo=SEOUL)


def recalled(text: str, day: str, *facts: Fact, sure: float | None = 0.9, span: tuple[int, int] | None = None) -> RecalledMemory:
    memory = Memory(f"{day}{text}", "u", text, datetime.fromisoformat(f"{day}+09:00"), facts=facts)
    return RecalledMemory(memory, ("semantic",), 0.8, 0.9, {}, sure, span)


def turns(*lines: str) -> tuple[Message, ...]:
    """What the user and LIRA said by turns, the user first."""
    return tuple(Message("lira" if i % 2 else "user", line, f"t{i // 2}") for i, line in enumerate(lines))


def prompt(text: str, **more: Any) -> Prompt:
    return replace(Prompt(text, NOW, None, (), None, Decision(False, "none"), ()), **more)


def favourite(fruit: str) -> Fact:
    return Fact(USER, "favorite", fruit, "taste", key="favorite:과일")


KOREAN = prompt(
    "내 일정 뭐였지? 요즘 정신이 하나도 없네",
    question=Question(True, ((USER, "plan"),)),
    emotion=EmotionReading((EmotionScore("nervousness", 0.71), EmotionScore("confusion", 0.4))),
    recalled=(
        recalled("미팅 내일 4시로 바뀌었어, 장소는 그대로 강남이야", "2026-10-05T20:10:00", Fact(USER, "plan", "미팅", "plan", key="plan:미팅")),
        recalled("내일모레 오후 3시 강남에서 민수랑 미팅 있어", "2026-10-04T09:00:00", Fact(USER, "plan", "미팅", "plan", key="plan:미팅"), sure=0.6),
        recalled("다음 주 금요일 저녁에 여동생 지은이 졸업 연주회 가야 돼. 꽃다발 꼭 사야 하니까 기억해줘", "2026-09-30T21:30:00", sure=0.4),
    ),
    summary="이직 준비하느라 요즘 계속 늦게 자\n면접 본 회사에서 아직 연락이 없어서 초조해\n엄마가 무릎 수술하셔서 주말마다 대전에 내려가",
    history=turns(
        "안녕, 나 왔어",
        "안녕하세요, 다시 이야기하게 돼서 반가워요. 오늘은 어떻게 지내셨어요?",
        "오늘 회사에서 발표했는데 생각보다 잘 끝났어",
        "발표를 잘 마치셨다니 정말 다행이에요. 이제 한시름 놓으셨겠어요.",
        "응 팀장님이 칭찬도 해주셨어 ㅋㅋ",
        "팀장님께 칭찬까지 들으셨다니 뿌듯하시겠어요!",
        "근데 저녁에 엄마랑 통화하다가 좀 다퉜어",
        "어머니와 다투셨다니 마음이 무거우시겠어요. 괜찮으시면 더 들려주세요.",
        "내가 너무 예민했나 싶기도 하고",
        "많이 지치셨던 날이라 그랬을 수도 있어요.",
        "그런가 봐. 내일은 사과 전화 드려야지",
        "먼저 전화를 드리신다니 어머니도 기뻐하실 거예요.",
    ),
)

ENGLISH = prompt(
    "What did I have planned this week? I can't keep track anymore",
    question=Question(True, ((USER, "plan"),)),
    emotion=EmotionReading((EmotionScore("nervousness", 0.71),)),
    recalled=(
        recalled(
            "The meeting moved to 4 pm tomorrow, still at the Grove office",
            "2026-10-05T20:10:00",
            Fact(USER, "plan", "meeting", "plan", key="plan:meeting"),
        ),
        recalled(
            "I have a meeting with Marcus the day after tomorrow at 3 pm",
            "2026-10-04T09:00:00",
            Fact(USER, "plan", "meeting", "plan", key="plan:meeting"),
            sure=0.6,
        ),
        recalled("Lauren's graduation recital is next Friday evening, remind me to buy flowers", "2026-09-30T21:30:00", sure=0.4),
    ),
    summary="I keep going to bed late because I'm looking for a new job\n"
    "Still no word from the company I interviewed with\n"
    "Mom had knee surgery so I drive to Toledo every weekend",
    history=turns(
        "hey, I'm back",
        "Hello again, good to hear from you. How has your day been?",
        "gave my big presentation today and it went better than I thought",
        "I'm so glad it went well. That must be a weight off your shoulders.",
        "yeah my boss even said something nice lol",
        "You must be proud to hear that from your boss!",
        "then I got into it with my mom on the phone tonight",
        "I'm sorry you two argued. Tell me more if you like.",
        "maybe I was just too touchy",
        "It had been a long day, that can make anyone touchy.",
        "probably. I'll call her tomorrow and apologize",
        "She'll be glad that you call first.",
    ),
)
