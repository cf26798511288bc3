"""A familiar ending becomes the polite one where there is exactly one."""

from __future__ import annotations

import pytest

from lira_core.languages.ko.politeness import polite


@pytest.mark.parametrize(
    ("said", "politely"),
    [
        ("커피를 좋아해.", "커피를 좋아해요."),
        ("부산에 산다.", "부산에 살아요."),
        ("춥다!", "추워요!"),
        ("그랬구나", "그랬군요"),
        ("4일이야", "4일이에요"),
        ("저는 AI야.", "저는 AI예요."),
        ("그건 아니야", "그건 아니에요"),
        ("지은이야", "지은이에요"),
        ("고양이야", "고양이예요"),
        ("내일 갈게~ 😊", "내일 갈게요~ 😊"),
    ],
)
def test_it_becomes(said: str, politely: str) -> None:
    assert polite(said) == politely
    assert polite(politely) == politely


@pytest.mark.parametrize("said", ["민수야.", "네.", "그렇습니다.", "했니?", "커피", "", "하자"])
def test_it_stays(said: str) -> None:
    assert polite(said) == said
