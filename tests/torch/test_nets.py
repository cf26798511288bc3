"""`models/make/understanding/nets.py`: what is learnt is kept, and taken from where it lies."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "make" / "understanding"))

import nets


def weights(seed: int) -> torch.nn.Linear:
    torch.manual_seed(seed)
    return torch.nn.Linear(3, 2)


def test_nets_are_learnt_kept_and_read_as_the_step_says(tmp_path: Path) -> None:
    learnt: list[int] = []

    def learn(seed: int) -> torch.nn.Linear:
        learnt.append(seed)
        return weights(seed)

    def kept(only: str | None) -> list[torch.nn.Linear]:
        return nets.kept(Namespace(scratch=tmp_path, only=only), "head", learn, lambda: weights(9), 2)

    assert (kept("nets"), learnt) == ([], [0, 1])
    read = kept("write")
    assert learnt == [0, 1], "what lies there is not learnt again"
    assert all(torch.equal(net.weight, weights(seed).weight) for seed, net in enumerate(read))
    assert len(kept(None)) == 2
    assert learnt == [0, 1, 0, 1]
    assert kept("strangers") == []
