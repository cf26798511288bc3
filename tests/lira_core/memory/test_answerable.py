"""Which memory answers which question, and when none does."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from lira_core.embedding.certainty import Certainty
from lira_core.embedding.onnx import OnnxEncoder
from lira_core.korean.morphemes import terms
from lira_core.memory.answerable import ANSWERS, support
from lira_core.memory.facts import extract
from lira_core.memory.question import Question, ask
from lira_core.settings import load_settings
from lira_core.types import Memory

MODEL = load_settings().embedding_model_dir
ENCODER, CERTAINTY = OnnxEncoder(MODEL), Certainty.load(MODEL)
AT = datetime.fromisoformat("2026-10-03T09:12:00+09:00")
DIALOGUES = (Path(__file__).parents[2] / "data" / "understanding_ko.txt").read_text("utf-8").strip().split("\n\n")


def remember(*lines: str) -> list[Memory]:
    """Memories of what was said, one a minute; a fact that a later one replaces is taken off."""
    kept: list[Memory] = []
    for i, line in enumerate(lines):
        facts = extract(line, AT + timedelta(minutes=i))
        keys = {f.key for f in facts if f.key}
        stripped = [replace(m, facts=tuple(f for f in m.facts if f.key not in keys)) for m in kept]
        kept = [new for old, new in zip(kept, stripped, strict=True) if new.facts or not old.facts]
        kept.append(Memory(str(i), "u", line, AT + timedelta(minutes=i), facts=facts, terms=tuple(terms(line))))
    return kept


def asked(text: str) -> Question:
    question = ask(text, AT + timedelta(days=5))
    assert question is not None
    return question


def best(question: str, *lines: str) -> str | None:
    q = asked(question)
    memories = remember(*lines)
    score, _, text = max((support(q, m, c), m.timestamp, m.text) for m, c in zip(memories, certainties(question, memories), strict=True))
    return text if score >= ANSWERS else None


def certainties(question: str, memories: list[Memory]) -> list[float]:
    """As recall has them."""
    vectors = ENCODER.embed([("query", question), *(("passage", memory.text) for memory in memories)])
    return [CERTAINTY(float(cosine)) for cosine in vectors[1:] @ vectors[0]]


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("내 혈액형 기억하니?", "제 이름은 C예요"),
        ("여동생 이름이 뭐였지?", "남동생 이름은 지호야"),
        ("어머니 생신이 언제지?", "내 생일은 3월 14일이야"),
        ("우리 강아지 이름이 뭐야?", "고양이 이름은 모카야"),
        ("사물함 비밀번호 뭐였지?", "와이파이 비밀번호는 abcd야"),
        ("What's my blood type?", "My name is Tom"),
    ],
)
def test_a_memory_without_the_asked_attribute_does_not_answer(question: str, told: str) -> None:
    assert best(question, told) is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("제 이름이 뭐였죠?", "제 이름은 B입니다"),
        ("내가 기쁜 이유가 뭐였지?", "오늘 정말 너무 기뻤어. 드디어 오늘 나만의 RAG시스템이 완성됐어!!"),
        ("내 일정(날짜/장소) 뭐였지?", "내일 오후 3시 강남에서 민수랑 미팅 있어. 기억해줘."),
        ("내가 좋아하는 과일이 뭐더라", "나 딸기 좋아해"),
        ("나 커피 마셔도 돼?", "나 커피 끊었어"),
        ("내 동생 어디 산다고 했지?", "여동생은 대구에 살아"),
        ("What fruit do I like?", "I like strawberries"),
        ("Where is my meeting?", "I have a meeting tomorrow at 3pm in Gangnam"),
    ],
)
def test_a_memory_with_the_asked_attribute_answers(question: str, told: str) -> None:
    assert best(question, told, "오늘 날씨 좋다") == told


def test_certainty_adds_but_never_answers_for_a_measured_value() -> None:
    (memory,) = remember("제 이름은 C예요")
    q = asked("내 혈액형 기억하니?")
    assert support(q, memory, None) <= support(q, memory, 1.0) < ANSWERS


def _outcomes(dialogue: str) -> list[bool]:
    lines = dialogue.split("\n")
    memories = remember(*(line for line in lines if not line.startswith("Q ")))
    out = []
    for line in lines:
        if not line.startswith("Q "):
            continue
        text, _, wanted = line[2:].partition(" => ")
        q = ask(text, AT + timedelta(days=5))
        if q is None or not q.about_memory:
            out.append(wanted == "NOTMEM")
            continue
        sure = certainties(text, memories)
        score, _, found = max((round(support(q, m, c), 1), m.timestamp, m.text) for m, c in zip(memories, sure, strict=True))
        out.append(wanted in found if score >= ANSWERS else wanted == "UNKNOWN")
    return out


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=[d.split("\n")[0] for d in DIALOGUES])
def test_most_questions_of_a_whole_dialogue_find_their_memory(dialogue: str) -> None:
    outcomes = _outcomes(dialogue)
    assert sum(outcomes) >= 0.85 * len(outcomes)
