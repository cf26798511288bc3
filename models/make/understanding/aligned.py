"""A network over the trunk's states of two texts, for what is too often asked to run a transformer over both.

Each piece is compared with what it is aligned with in the other text (Parikh et al., "A decomposable attention model for natural language inference",
EMNLP 2016), and two small layers compose what was compared (as Chen et al., "Enhanced LSTM for natural language inference", ACL 2017).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

WIDTH, HEADS, LAYERS, DROPOUT = 192, 4, 2, 0.2


class Aligned(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(10.0))
        self.toward = nn.Linear(384, 384, bias=False)
        nn.init.eye_(self.toward.weight)  # aligned at first is what is near
        self.compare = nn.Linear(4 * 384, WIDTH)
        self.part = nn.Parameter(torch.zeros(2, WIDTH))
        self.layers = nn.ModuleList(Composing() for _ in range(LAYERS))
        self.says = nn.Sequential(nn.Dropout(DROPOUT), nn.Linear(4 * WIDTH, WIDTH), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(WIDTH, 1))

    def forward(self, first: torch.Tensor, first_mask: torch.Tensor, second: torch.Tensor, second_mask: torch.Tensor) -> torch.Tensor:
        """(pairs, 1), a logit; of states (pairs x pieces x 384) and masks."""
        near = self.scale * F.normalize(self.toward(first), dim=-1) @ F.normalize(self.toward(second), dim=-1).transpose(1, 2)
        of_second = (near + (1 - second_mask[:, None, :]) * -1e4).softmax(-1) @ second
        of_first = (near.transpose(1, 2) + (1 - first_mask[:, None, :]) * -1e4).softmax(-1) @ first
        hidden = torch.cat([self._compared(first, of_second) + self.part[0], self._compared(second, of_first) + self.part[1]], 1)
        mask = torch.cat([first_mask, second_mask], 1)
        for layer in self.layers:
            hidden = layer(hidden, mask)
        pieces = first.shape[1]
        return self.says(torch.cat([*_pooled(hidden[:, :pieces], first_mask), *_pooled(hidden[:, pieces:], second_mask)], -1))

    def _compared(self, own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        return F.gelu(self.compare(torch.cat([own, other, own - other, own * other], -1)))


class Composing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attend, self.together = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.think = nn.Sequential(nn.Linear(WIDTH, 2 * WIDTH), nn.GELU(), nn.Dropout(DROPOUT), nn.Linear(2 * WIDTH, WIDTH))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        pairs, pieces = mask.shape
        query, key, value = self.attend(self.before(hidden)).reshape(pairs, pieces, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        share = (query @ key.transpose(-1, -2) * (WIDTH // HEADS) ** -0.5 + (1 - mask[:, None, None, :]) * -1e4).softmax(-1)
        hidden = hidden + self.dropout(self.together((share @ value).transpose(1, 2).reshape(pairs, pieces, WIDTH)))
        return hidden + self.dropout(self.think(self.between(hidden)))


def _pooled(hidden: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    there = mask[..., None]
    return (hidden * there).sum(1) / there.sum(1), (hidden + (1 - there) * -1e4).amax(1)
