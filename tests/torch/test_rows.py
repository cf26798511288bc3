"""`models/make/understanding`: what the reader is shown is made of what people wrote, with the labels that it has there."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "make" / "understanding"))

from pairs import shown
from people import DEV, askers


@pytest.mark.parametrize("seed", range(20))
def test_what_is_shown_beside_a_question_answers_with_words_of_its_own(seed: int) -> None:
    rng, everybody = random.Random(seed), askers()[::9]
    person = rng.choice([one for one in everybody if one.asks])
    person.features["near"] = torch.zeros(len(person.asks), len(person.says))
    one = shown(person, rng.randrange(len(person.asks)), everybody, rng, 4)
    assert len(one.statements) == len(one.answer) == len(one.words) <= 4
    for said, answers, words in zip(one.statements, one.answer, one.words, strict=True):
        assert words in said
        assert answers or not words


@pytest.mark.parametrize("dev", [False, True])
def test_who_is_set_aside_asks_nothing_that_is_learnt(dev: bool) -> None:
    found = askers(dev=dev)
    assert found
    assert not any("heldout" in person.hand for person in found)
    assert {person.language for person in found} == {"ko", "en"}
    assert all(words in person.says[i] for person in found for ask in person.asks for i, words in ask.evidence.items())


def test_every_twelfth_is_left_out() -> None:
    learnt, left = askers(), askers(dev=True)
    assert len(left) == pytest.approx(len(learnt + left) / DEV, abs=12)
    assert not {person.says for person in learnt} & {person.says for person in left}
