"""Export an e5 encoder folder (config.json, model.safetensors) to int8 ONNX.

    pip install "lira[models]"
    python models/make/export_onnx.py ENCODER_DIR OUT.onnx
    python models/make/per_token_scales.py OUT.onnx models/e5-small-ko-en/model.int8.onnx

Inputs `input_ids` and `attention_mask` (int64, batch x tokens), output `emb` (float32, batch x 384): mean of the last hidden states over
all tokens of the mask, L2-normalised. Opset 17; weights int8 per channel by ONNX Runtime's dynamic quantisation.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile

import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from transformers import BertModel

OPSET = 17


class Encoder(torch.nn.Module):
    def __init__(self, folder: pathlib.Path) -> None:
        super().__init__()
        # Eager attention: the fused kernel exports to an operator that dynamic quantisation does not reach.
        self.m = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager", dtype=torch.float32)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        hidden = self.m(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
        return torch.nn.functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    args = parser.parse_args()
    example = torch.tensor([[0, 100, 200, 2], [0, 300, 2, 1]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    axes = {0: "batch", 1: "tokens"}
    with tempfile.TemporaryDirectory() as scratch:
        plain = pathlib.Path(scratch) / "model.onnx"
        torch.onnx.export(
            Encoder(args.folder).eval(),
            example,
            plain,
            input_names=["input_ids", "attention_mask"],
            output_names=["emb"],
            dynamic_axes={"input_ids": axes, "attention_mask": axes, "emb": {0: "batch"}},
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_dynamic(plain, args.target, weight_type=QuantType.QInt8, per_channel=True)
    print(f"{args.target}: {args.target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
