from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lira_core.stores import StoreRejected
from lira_core.stores.milvus import rows
from lira_core.stores.ports import EncoderId

from .making import DIMENSIONS, ENCODER, items, memory

ID = st.text("ab:._-\"'1 가", min_size=1, max_size=6)


@given(ID, ID, ID, ID)
def test_no_two_memories_share_a_key(user: str, id: str, other_user: str, other_id: str) -> None:
    assert (rows.key(user, id) == rows.key(other_user, other_id)) == ((user, id) == (other_user, other_id))


def test_users_and_ids_that_join_to_the_same_text_have_different_keys() -> None:
    assert len({rows.key("a", "b:c"), rows.key("a:b", "c"), rows.key("a:b:c", ""), rows.key("1:a", "b")}) == 4


@given(st.text(max_size=200))
def test_keys_and_owners_are_hashes_whatever_the_ids_hold(id: str) -> None:
    for name in (rows.key(id, id), rows.owner(id)):
        assert re.fullmatch("[0-9a-f]{64}", name)


def test_each_encoder_has_a_collection_whose_name_milvus_takes() -> None:
    encoders = [EncoderId(name, dimensions) for name in ("a-b", "a_b", "A-B", "a" * 300, "a" * 301) for dimensions in (3, 384)]
    names = [rows.collection_name(encoder) for encoder in encoders]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]{0,254}", name) for name in names)


@given(st.text(st.sampled_from("a가🧠é"), max_size=400), st.integers(4, 60))
def test_a_body_is_cut_between_characters_and_joins_again(text: str, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "BODY_BYTES", size)
        if len(text.encode()) > size * len(rows.BODY_FIELDS):
            with pytest.raises(ValueError, match="shorten"):
                rows.split(text)
        elif len(text.encode()) <= (size - 3) * len(rows.BODY_FIELDS):
            parts = rows.split(text)
            assert "".join(parts) == text
            assert len(parts) == len(rows.BODY_FIELDS)
            assert all(len(part.encode()) <= size for part in parts)


def test_a_body_that_no_row_holds_is_rejected() -> None:
    long = replace(items("u", 1)[0], memory=memory("m", metadata={"note": "가" * 200_000}))
    with pytest.raises(StoreRejected, match="metadata"):
        rows.row("u", long, ENCODER)


def test_a_memory_of_another_user_is_rejected() -> None:
    with pytest.raises(StoreRejected, match="another user"):
        rows.row("v", items("u", 1)[0], ENCODER)


@pytest.mark.parametrize("wrong", [np.ones(DIMENSIONS + 1), np.ones((1, DIMENSIONS)), np.full(DIMENSIONS, np.nan), np.full(DIMENSIONS, np.inf)])
def test_a_vector_that_is_none_of_the_encoders_is_rejected(wrong: np.ndarray) -> None:
    with pytest.raises(StoreRejected, match="small-1"):
        rows.checked(wrong.astype(np.float32), ENCODER)


def test_a_cosine_never_leaves_its_range() -> None:
    assert [rows.hit("m", cosine).score for cosine in (1.0000002, -1.0000002, 0.25)] == [1.0, -1.0, 0.25]
