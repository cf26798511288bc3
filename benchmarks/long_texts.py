"""What the longest utterances cost to understand and to answer: `python -m benchmarks.long_texts [NAME ...]`, one JSON line each.

CPU time of this process, so that what else the machine does hardly counts. Models and stores are not asked: only what rules and morphemes do.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from lira_core.generation.grounded import GroundedResponder
from lira_core.generation.port import Prompt
from lira_core.memory.gate import decide
from lira_core.memory.quoting import quoted
from lira_core.memory.understanding import understand
from lira_core.recent import forget_all
from lira_core.safety import sounds_at_risk
from lira_core.types import EmotionReading, EmotionScore, Message

LONGEST: Final = 4000
RUNS: Final = 5
AT: Final = datetime(2026, 10, 3, 9, 0, tzinfo=ZoneInfo("Asia/Seoul"))
FELT: Final = EmotionReading((EmotionScore("joy", 0.5), EmotionScore("neutral", 0.4)))

_STORY: Final = (
    "지난 토요일에 동생 지은이랑 강릉에 다녀왔어. 아침 일찍 기차를 타고 갔는데 창밖으로 보이는 바다가 정말 예뻤어. 점심에는 순두부를 먹었고, "
    "카페에 앉아서 두 시간이나 이야기했어. "
    "지은이는 요즘 회사를 옮길까 고민 중이래. 나는 커피를 좋아하지만 동생은 홍차만 마셔. 저녁 7시에 돌아오는 기차를 놓칠 뻔해서 "
    "둘이 역까지 뛰었지 뭐야 ㅋㅋ 다음 달에도 같이 가기로 했어! "
    "엄마는 왜 같이 안 갔냐고 서운해하셨어. 그래서 다음 주 수요일에 엄마랑 부산에 가려고 표를 예매했어. "
)
_ONE: Final = "아침에 일어나서 밥을 먹고 회사에 가서 일을 하다가 친구를 만나서 커피를 마시고 집에 와서 책을 읽는데 엄마가 전화해서 "
_TALE: Final = (
    "Last Saturday my sister Anna and I took the early train to Brighton. We had fish and chips on the pier, and I love the sea. My boss called me "
    "twice because the meeting on Monday at 3 pm was moved to Tuesday. Do you remember what I told you about my dog Max? He is seven years old now. "
    "I'm allergic to peanuts, so we were careful. Next week I'm going to Leeds with my mother. "
)
_RAMBLE: Final = "and then I went to the shop and I met my friend Tom and he said that he likes the new house and so we walked home and "
TEXTS: Final = {
    "a story": _STORY,
    "one sentence": _ONE,
    "questions": "뭐야? ",
    "particles": "은 는 이 가 ",
    "digits": "0123456789",
    "emoji": "😀🎉❤️ ㅋㅋㅠㅠ ",
    "one word": "사과 ",
    "one syllable": "아",
    "dates": "내일 오후 3시 10월 4일 다음 주 금요일에 ",
    "names": "서연이랑 민수는 지은이가 수아한테 ",
    "a tale in English": _TALE,
    "one English sentence": _RAMBLE,
    "English dates": "tomorrow at 3 pm on October 4 next Friday ",
    "English questions": "What? Do I like it? ",
    "one letter": "a",
    "spaces": " " * 50 + "나",
}
"""By name what is repeated up to LONGEST."""


def long(name: str) -> str:
    return (TEXTS[name] * (LONGEST // len(TEXTS[name]) + 1))[:LONGEST]


def steps(text: str) -> list[tuple[str, Callable[[], object]]]:
    """What a turn does with the text, in order; each may use what was read before it."""
    understood = understand(text, AT)
    decision = decide(text, FELT, understood.facts, understood.question, None, threshold=0.6)
    prompt = Prompt(text, AT, understood.question, understood.facts, FELT, decision, ())
    reply = GroundedResponder().compose(prompt)
    return [
        ("understand", lambda: understand(text, AT)),
        ("decide", lambda: decide(text, FELT, understood.facts, understood.question, None, threshold=0.6)),
        ("at_risk", lambda: sounds_at_risk(text, None)),
        ("compose", lambda: GroundedResponder().compose(prompt)),
        ("quoted", lambda: quoted(reply, [Message("user", text, "t")])),
    ]


def measure(text: str) -> dict[str, float]:
    """Median milliseconds of CPU time of each step, and of all together."""
    todo = steps(text)
    took: dict[str, list[float]] = {name: [] for name, _ in todo}
    for _ in range(RUNS):
        forget_all()
        for name, step in todo:
            began = time.process_time()
            step()
            took[name].append(1000 * (time.process_time() - began))
    return {name: round(statistics.median(t), 1) for name, t in took.items()} | {
        "together": round(statistics.median(map(sum, zip(*took.values(), strict=True))), 1)
    }


if __name__ == "__main__":
    understand("안녕", AT)
    for name in sys.argv[1:] or TEXTS:
        try:
            figures: dict[str, object] = dict(measure(long(name)))
        except RecursionError:
            figures = {"failed": "RecursionError"}
        sys.stdout.write(json.dumps({"text": name, **figures}, ensure_ascii=False) + "\n")
        sys.stdout.flush()
