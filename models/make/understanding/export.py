"""Write what was learnt as int8 ONNX: `models/lira-encoder` (vector and speech of an utterance) and `models/lira-reader`.

    python models/make/understanding/export.py BASE SCRATCH models

BASE and SCRATCH as for `train.py`. Opset 17. The encoder's weights are int8 per channel with one activation scale per token
(`per_token_scales.py`), so that a text does not depend on its batch; the reader sees one question at a time and keeps ONNX Runtime's plain
dynamic quantisation, which is faster.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import sys
import tempfile

import onnx
import torch
from encoder import Upper
from onnxruntime.quantization import QuantType, quantize_dynamic
from reader import AGES, Reader
from torch import nn
from transformers import BertModel
from trunk import LOWER, Trunk, mean, through
from utterance import WIDTH, Utterance

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import per_token_scales

OPSET = 17
HEADS = ("status", "asks", "keep", "risk")
"""The order of the encoder's `speech` output, as `lira_core.embedding.speech` reads it."""


class Lower(nn.Module):
    """The trunk. Eager attention: the fused kernel exports to an operator that dynamic quantisation does not reach."""

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__()
        model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager", dtype=torch.float32)
        self.embeddings = model.embeddings
        self.layers = model.encoder.layer[:LOWER]

    def forward(self, input_ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        hidden = self.embeddings(input_ids=input_ids)
        for layer in self.layers:
            hidden = through(layer, hidden, mask)
        return hidden


def eager(module: nn.Module) -> nn.Module:
    for part in module.modules():
        if hasattr(part, "config") and hasattr(part.config, "_attn_implementation"):
            part.config._attn_implementation = "eager"
    return module.eval()


class Encoder(nn.Module):
    def __init__(self, lower: Lower, upper: Upper, utterance: Utterance) -> None:
        super().__init__()
        self.lower, self.upper, self.utterance = lower, upper.layers, utterance

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mask = attention_mask.float()
        states = self.lower(input_ids, mask)
        hidden = states
        for layer in self.upper:
            hidden = through(layer, hidden, mask)
        heard = states
        for layer in self.utterance.layers:
            heard = through(layer, heard, mask)
        whole = mean(heard, mask)
        return torch.nn.functional.normalize(mean(hidden, mask), dim=-1), torch.cat([self.utterance.heads[name](whole) for name in HEADS], -1)


class Reading(nn.Module):
    """Row 0 is the question, the others are the candidates, the oldest first. Padding is dropped before the joint layers."""

    def __init__(self, lower: Lower, reader: Reader) -> None:
        super().__init__()
        self.lower, self.reader = lower, reader

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, cosine: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
        mask = attention_mask.float()
        texts, tokens = input_ids.shape[0], input_ids.shape[1]
        states = self.lower(input_ids, mask).reshape(-1, 384)
        there = attention_mask.reshape(-1).nonzero()[:, 0]
        row = torch.arange(texts)[:, None].expand(texts, tokens).reshape(-1)[there]
        age = torch.where(row > 0, (texts - row).clamp(max=AGES - 1), 0)
        hidden = self.reader(states[there][None], row[None], age[None])
        joint = torch.zeros_like(states).index_copy(0, there, hidden[0]).reshape(texts, tokens, 384)
        means = mean(joint, mask)
        evidence = self.reader.evidence(means[1:])[:, 0] + self.reader.scale * cosine + self.reader.bias
        return evidence, self.reader.none(means[0]), self.reader.span(joint), self.reader.verdict(means[0])


def write(model: nn.Module, inputs: dict[str, torch.Tensor], outputs: dict[str, dict[int, str]], target: pathlib.Path, *, per_token: bool) -> None:
    axes = {0: "texts", 1: "tokens"}
    with tempfile.TemporaryDirectory() as scratch:
        plain, quantised = pathlib.Path(scratch) / "plain.onnx", pathlib.Path(scratch) / "int8.onnx"
        torch.onnx.export(
            model,
            tuple(inputs.values()),
            plain,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={"input_ids": axes, "attention_mask": axes, **({"cosine": {0: "candidates"}} if "cosine" in inputs else {}), **outputs},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(plain, quantised, weight_type=QuantType.QInt8, per_channel=True)
        if per_token:
            graph = onnx.load(quantised)
            per_token_scales.rewrite(graph)
            onnx.save(graph, target)
        else:
            shutil.copyfile(quantised, target)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--only", choices=("lira-encoder", "lira-reader"))
    args = parser.parse_args()
    trunk = Trunk(args.base)
    lower = Lower(args.base).eval()
    upper = Upper(trunk)
    upper.load_state_dict(torch.load(args.scratch / "encoder.pt"))
    ids, mask = torch.tensor([[0, 100, 200, 2], [0, 300, 2, 1], [0, 300, 7, 2]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
    for name in ("lira-encoder", "lira-reader"):
        (args.models / name).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(args.base / "tokenizer.json", args.models / name / "tokenizer.json")
    with torch.no_grad():
        if args.only in (None, "lira-encoder"):
            utterance = Utterance(Upper(trunk))
            utterance.load_state_dict(torch.load(args.scratch / "utterance.pt"))
            model = eager(Encoder(lower, upper, utterance))
            target = args.models / "lira-encoder" / "model.int8.onnx"
            outputs = {"emb": {0: "texts"}, "speech": {0: "texts"}}
            write(model, {"input_ids": ids, "attention_mask": mask}, outputs, target, per_token=True)
            assert sum(WIDTH[name] for name in HEADS) == sum(utterance.heads[name].out_features for name in HEADS)
        if args.only in (None, "lira-reader"):
            reader = Reader(upper)
            reader.load_state_dict(torch.load(args.scratch / "reader.pt"))
            model = eager(Reading(lower, reader))
            target = args.models / "lira-reader" / "model.int8.onnx"
            outputs = {"evidence": {0: "candidates"}, "none": {}, "span": {0: "texts", 1: "tokens"}, "verdict": {}}
            inputs = {"input_ids": ids, "attention_mask": mask, "cosine": torch.tensor([0.3, 0.4])}
            write(model, inputs, outputs, target, per_token=False)


if __name__ == "__main__":
    main()
