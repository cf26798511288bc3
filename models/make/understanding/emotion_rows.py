"""What the emotion model learns from: GoEmotions, its translation, and what people say in `data/emotions`."""

from __future__ import annotations

import json
import pathlib

from people import PEOPLE

NATIVE = PEOPLE.parent / "emotions"
LABELS = (
    "admiration", "amusement", "anger", "annoyance", "approval", "caring", "confusion", "curiosity", "desire", "disappointment",
    "disapproval", "disgust", "embarrassment", "excitement", "fear", "gratitude", "grief", "joy", "love", "nervousness", "optimism",
    "pride", "realization", "relief", "remorse", "sadness", "surprise", "neutral",
)  # fmt: skip
KOTE = {  # KOTE's Korean names -> GoEmotions labels, where the mapping is clear
    "감동/감탄": "admiration", "존경": "admiration", "고마움": "gratitude", "슬픔": "sadness", "서러움": "sadness", "힘듦/지침": "sadness",
    "절망": "sadness", "화남/분노": "anger", "증오/혐오": "anger", "짜증": "annoyance", "지긋지긋": "annoyance", "귀찮음": "annoyance",
    "불평/불만": "annoyance", "안타까움/실망": "disappointment", "아껴주는": "caring", "부끄러움": "embarrassment",
    "당황/난처": "embarrassment", "공포/무서움": "fear", "불안/걱정": "nervousness", "역겨움/징그러움": "disgust", "즐거움/신남": "joy",
    "기쁨": "joy", "행복": "joy", "뿌듯함": "pride", "기대감": "optimism", "안심/신뢰": "relief", "죄책감": "remorse", "놀람": "surprise",
    "경악": "surprise", "깨달음": "realization", "신기함/관심": "curiosity", "의심/불신": "disapproval", "한심함": "disapproval",
    "어이없음": "annoyance", "흐뭇함(귀여움/예쁨)": "love", "환영/호의": "approval",
}  # fmt: skip


Row = tuple[str, tuple[int, ...]]
"""A text and the indexes of its labels."""


def goemotions(folder: pathlib.Path, part: str) -> list[Row]:
    """Rows `text TAB ids TAB ...`; the same rows in the same order in both languages."""
    lines = (line.split("\t") for line in (folder / f"{part}.tsv").read_text("utf-8").splitlines())
    return [(text, tuple(int(i) for i in ids.split(","))) for text, ids, *_ in lines]


def native(folder: pathlib.Path = NATIVE) -> list[Row]:
    """`{"text", "labels"}` a line."""
    rows = (json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines())
    return [(row["text"], tuple(LABELS.index(label) for label in row["labels"])) for row in rows]
