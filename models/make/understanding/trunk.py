"""The lower layers of the encoder, which every model of ours shares and none changes; computed once per text."""

from __future__ import annotations

import pathlib
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from transformers import BertModel

CLS, PAD, SEP = 0, 1, 2
LOWER = 8
"""Layers of the trunk; the other four are each model's own."""
SHARED = 4
"""The lowest of them, which the cross-encoder runs over both of its texts at once."""
PREFIX = {"query": "query: ", "passage": "passage: "}
TOKENS = {"query": 62, "passage": 94}
"""Of longer texts the rest is not read in training."""


@dataclass(frozen=True)
class Text:
    """One text after the trunk: states (tokens x 384, half precision, with the two marks around it), and where in the text each piece lies."""

    states: torch.Tensor
    offsets: list[tuple[int, int]]


def use_gpu() -> None:
    """What is made from here on lies on the GPU, when there is one."""
    torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")


def halved(*, fused: bool = True) -> torch.autocast:
    """bfloat16 where the device multiplies it by tiles (a GPU, or a CPU with AMX). With AVX512-BF16 alone it pays where attention is not `fused`, the
    backward pass of which is slow (16 texts of 200 pieces through four layers and back: 2.3 s against 1.3 in float32; 72 of 36 through twelve, on one
    core: 3.1 s fused, 2.3 not, 4.2 in float32). A CPU with neither takes seventeen times as long with it (a step of the reader)."""
    device = torch.get_default_device().type
    tiles = device == "cuda" or torch.cpu._is_amx_tile_supported()
    return torch.autocast(device, dtype=torch.bfloat16, enabled=tiles or (not fused and torch.cpu._is_avx512_bf16_supported()))


def eager(module: torch.nn.Module) -> torch.nn.Module:
    """With attention in plain operators: the fused kernel exports to one that dynamic quantisation does not reach, and is slow on its way back."""
    for part in module.modules():
        if hasattr(part, "config") and hasattr(part.config, "_attn_implementation"):
            part.config._attn_implementation = "eager"
    return module


class Trunk:
    """`cache` is a file that keeps what was read from one step of the training to the next."""

    def __init__(self, folder: pathlib.Path, cache: pathlib.Path | None = None) -> None:
        self.model = BertModel.from_pretrained(folder, dtype=torch.float32, add_pooling_layer=False, attn_implementation="sdpa")
        self.model = self.model.eval().to(torch.get_default_device())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self._pieces: dict[tuple[str, str], tuple[list[int], list[tuple[int, int]]]] = {}
        self.cache = cache
        self.known: dict[tuple[str, str], Text] = torch.load(cache, weights_only=False) if cache and cache.exists() else {}

    def pieces(self, text: str, kind: str) -> tuple[list[int], list[tuple[int, int]]]:
        if (kind, text) not in self._pieces:
            found = self.tokenizer.encode(PREFIX[kind] + text, add_special_tokens=False)
            skip, most = len(PREFIX[kind]), TOKENS[kind]
            offsets = [(max(0, a - skip), max(0, b - skip)) for a, b in found.offsets[:most]]
            self._pieces[kind, text] = [CLS, *found.ids[:most], SEP], offsets
        return self._pieces[kind, text]

    @torch.no_grad()
    def read(self, texts: list[tuple[str, str]], batch: int = 64) -> list[Text]:
        """(kind, text) each; what was read before is not read again."""
        new = sorted({one for one in texts if one not in self.known}, key=lambda one: len(one[1]))
        for start in range(0, len(new), batch):
            part = new[start : start + batch]
            found = [self.pieces(text, kind) for kind, text in part]
            ids, mask = pad([torch.tensor(i, device="cpu") for i, _ in found])
            with halved():
                hidden = self.model.embeddings(input_ids=ids)
                for layer in self.model.encoder.layer[:LOWER]:
                    hidden = through(layer, hidden, mask)
            for one, (i, offsets), states in zip(part, found, hidden.float(), strict=True):
                self.known[one] = Text(states[: len(i)].half(), offsets)
        return [self.known[one] for one in texts]

    def keep(self) -> None:
        if self.cache:
            torch.save(self.known, self.cache)


def pad(rows: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of pieces (or of states) as one tensor, and its mask (batch x tokens), both where the models are: rows of pieces are put together on the
    CPU, since a GPU copies one row in the time of a thousand."""
    device = torch.get_default_device()
    out = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD if rows[0].dtype == torch.long else 0)
    lengths = torch.tensor([len(row) for row in rows], device="cpu")
    mask = (torch.arange(out.shape[1], device="cpu")[None] < lengths[:, None]).float()
    return out.to(device), mask.to(device)


def through(layer: torch.nn.Module, hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """One layer of BERT over states. `mask` says what is seen: by all (texts x tokens), or by each token (texts x tokens x tokens)."""
    unseen = ((1 - mask) * -1e4).to(hidden.dtype)
    unseen = unseen[:, None, None, :] if mask.dim() == 2 else unseen[:, None]
    out = layer(hidden, attention_mask=unseen)
    return out[0] if isinstance(out, tuple) else out


def mean(hidden: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The mean state of each text."""
    return (hidden.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
