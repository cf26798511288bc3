from __future__ import annotations

from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from deployments.generator import coalesced


async def _source(pieces: list[str]) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


@given(st.lists(st.text(max_size=5), max_size=30), st.sampled_from([0.0, 0.001, 60.0]))
async def test_coalesced_pieces_are_the_same_text(pieces: list[str], seconds: float) -> None:
    assert "".join([piece async for piece in coalesced(_source(pieces), seconds)]) == "".join(pieces)


async def test_the_first_piece_leaves_at_once_and_the_rest_together() -> None:
    assert [piece async for piece in coalesced(_source(["네, ", "잘 ", "들었어요."]), 60)] == ["네, ", "잘 들었어요."]
