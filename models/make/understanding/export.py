"""Write what was learnt as int8 ONNX: one trunk that reads a text, and what stands on it.

    python models/make/understanding/export.py BASE SCRATCH models [--only NAME]

BASE and SCRATCH as for `train.py`. `lira-trunk` takes `input_ids` to `states`; `lira-encoder` (vector and speech of an utterance, and the states of
its layers) and `lira-emotion` (its scores, and the states of its layers) take those states, so that a process which runs several of them holds and
computes the trunk once; `lira-reader` (what answers, with which words, its yes or no, what changes what) takes those of the trunk's lowest layers
over both of its texts. Opset 17. Weights are int8 per channel, with one activation scale per token (`per_token_scales.py`), so that a text does not
depend on its batch.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import sys
import tempfile
from collections.abc import Mapping

import onnx
import torch
from cross_encoder import CrossEncoder
from emotion import Emotion
from encoder import Upper
from onnxruntime.quantization import QuantType, quantize_dynamic
from pairs import LABELS
from torch import nn
from transformers import BertModel
from trunk import LOWER, SHARED, Trunk, eager, mean, through
from utterance import WIDTH, Utterance

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import halves
import per_token_scales

OPSET = 17
HEADS = ("status", "asks", "keep", "risk")
"""The order of the encoder's `speech` output, as `lira_core.embedding.speech` reads it."""
AXES: dict[str, dict[int, str]] = {"asked": {}}
"""Of the inputs that are not of all texts."""
NAMES = ("lira-trunk", "lira-encoder", "lira-emotion", "lira-reader")
FILES = {
    "lira-encoder/model.int8.onnx": ("encoder", "utterance"),
    "lira-emotion/model.int8.onnx": ("emotion",),
    "lira-reader/model.int8.onnx": ("cross",),
}
"""What stands on the trunk, and the checkpoints in SCRATCH that it is made of."""
MASK = torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]])
"""Of the texts that the exporter is shown."""


class Lower(nn.Module):
    """The trunk. Eager attention: the fused kernel exports to an operator that dynamic quantisation does not reach."""

    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__()
        model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager", dtype=torch.float32)
        self.embeddings = model.embeddings
        self.layers = model.encoder.layer[:LOWER]

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """States after all layers, and after those that the cross-encoder shares."""
        mask = attention_mask.float()
        hidden = lower = self.embeddings(input_ids=input_ids)
        for i, layer in enumerate(self.layers, 1):
            hidden = through(layer, hidden, mask)
            lower = hidden if i == SHARED else lower
        return hidden, lower


class Encoder(nn.Module):
    def __init__(self, upper: Upper, utterance: Utterance) -> None:
        super().__init__()
        self.upper, self.utterance = upper.layers, utterance

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Vectors, speech, and the states of both its layers, on which heads stand."""
        mask = attention_mask.float()
        hidden = heard = states
        for layer in self.upper:
            hidden = through(layer, hidden, mask)
        for layer in self.utterance.layers:
            heard = through(layer, heard, mask)
        whole = mean(heard, mask)
        speech = torch.cat([self.utterance.heads[name](whole) for name in HEADS], -1)
        return torch.nn.functional.normalize(mean(hidden, mask), dim=-1), speech, torch.cat([hidden, heard], -1)


class Feeling(nn.Module):
    def __init__(self, emotion: Emotion) -> None:
        super().__init__()
        self.emotion = emotion

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Scores, and the states of the model's own layers, on which the heads of tone and aim stand."""
        mask = attention_mask.float()
        felt = self.emotion.felt(states, mask)
        return self.emotion.together(felt, states, mask).sigmoid(), felt


class Crossing(nn.Module):
    """Of one question (or earlier statement) and statements: the states of each pair after the trunk's shared layers, and how many pieces are the
    question's."""

    def __init__(self, cross: CrossEncoder) -> None:
        super().__init__()
        self.cross = cross

    def forward(self, states: torch.Tensor, attention_mask: torch.Tensor, asked: torch.Tensor) -> tuple[torch.Tensor, ...]:
        found, ends = self.cross(states, attention_mask.float(), asked)
        return found[:, : len(LABELS)], found[:, len(LABELS)], found[:, -1], ends


def write(model: nn.Module, inputs: dict[str, torch.Tensor], outputs: dict[str, dict[int, str]], target: pathlib.Path) -> None:
    """int8, with one activation scale per token."""
    axes = {0: "texts", 1: "tokens"}
    with tempfile.TemporaryDirectory() as scratch:
        plain, quantised = pathlib.Path(scratch) / "plain.onnx", pathlib.Path(scratch) / "int8.onnx"
        torch.onnx.export(
            eager(model.eval()),
            tuple(inputs.values()),
            plain,
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={**{name: AXES.get(name, axes) for name in inputs}, **outputs},
            opset_version=OPSET,
            dynamo=False,
        )
        target.parent.mkdir(parents=True, exist_ok=True)
        filters = [node.name for node in onnx.load(plain).graph.node if node.op_type == "Conv"]  # small, and slower in int8
        quantize_dynamic(plain, quantised, weight_type=QuantType.QInt8, per_channel=True, nodes_to_exclude=filters)
        graph = onnx.load(quantised)
        per_token_scales.rewrite(graph)
        onnx.save(graph, target)
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")


def stands_on_trunk(folder: pathlib.Path) -> None:
    """Notes the trunk's name in the calibration, where what is fitted afterwards joins it."""
    path = folder / "calibration.json"
    path.write_text(json.dumps((json.loads(path.read_text("utf-8")) if path.exists() else {}) | {"trunk": NAMES[0]}, ensure_ascii=False), "utf-8")


def untrained(trunk: Trunk) -> dict[str, nn.Module]:
    """Every model that stands on the trunk, by the name of its checkpoint in SCRATCH."""
    return {
        "encoder": Upper(trunk),
        "utterance": Utterance(Upper(trunk)),
        "emotion": Emotion(Upper(trunk)),
        "cross": CrossEncoder(trunk),
    }


def write_trunk(base: pathlib.Path, models: pathlib.Path) -> None:
    ids = torch.tensor([[0, 100, 200, 2], [0, 300, 2, 1], [0, 300, 7, 2]])
    outputs = {name: {0: "texts", 1: "tokens"} for name in ("states", "lower")}
    write(Lower(base), {"input_ids": ids, "attention_mask": MASK}, outputs, models / NAMES[0] / "model.int8.onnx")
    halves.write_halves(models / NAMES[0])
    shutil.copyfile(base / "tokenizer.json", models / NAMES[0] / "tokenizer.json")


def write_file(file: str, parts: Mapping[str, nn.Module], models: pathlib.Path) -> None:
    """One of FILES, of the models that it is made of."""
    on_trunk = {"states": torch.randn(3, 4, 384), "attention_mask": MASK}
    first, target = FILES[file][0], models / file
    if first == "encoder":
        utterance = parts["utterance"]
        assert sum(WIDTH[name] for name in HEADS) == sum(utterance.heads[name].out_features for name in HEADS)
        outputs = {"emb": {0: "texts"}, "speech": {0: "texts"}, "layers": {0: "texts", 1: "tokens"}}
        write(Encoder(parts["encoder"], utterance), on_trunk, outputs, target)
    elif first == "emotion":
        write(Feeling(parts["emotion"]), on_trunk, {"scores": {0: "texts"}, "layers": {0: "texts", 1: "tokens"}}, target)
    else:
        outputs: dict[str, dict[int, str]] = {name: {0: "texts"} for name in ("says", "answers", "changes")} | {"span": {0: "texts", 1: "tokens"}}
        write(Crossing(parts["cross"]), on_trunk | {"asked": torch.tensor(2)}, outputs, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--only", choices=NAMES, nargs="+", default=NAMES)
    args = parser.parse_args()
    with torch.no_grad():
        if NAMES[0] in args.only:
            write_trunk(args.base, args.models)
        parts = untrained(Trunk(args.base))
        for file, names in FILES.items():
            if file.split("/")[0] in args.only:
                for name in names:
                    parts[name].load_state_dict(torch.load(args.scratch / f"{name}.pt", map_location="cpu"))
                write_file(file, parts, args.models)
    for name in set(args.only) - {NAMES[0]}:
        stands_on_trunk(args.models / name)


if __name__ == "__main__":
    main()
