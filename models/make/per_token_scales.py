"""Give every token its own activation scale in a dynamically quantised ONNX model.

    python models/make/per_token_scales.py IN.onnx OUT.onnx        (needs the `onnx` package)

ONNX Runtime's dynamic quantisation takes one scale for the whole activation tensor, so what a text is read as depends on the texts
it happens to share a batch with. Here each row (one token of one text) is quantised symmetrically by its own largest value; a
batch is then as good as one text at a time, and closer to float. Weights are left as they are.

Each chain DynamicQuantizeLinear -> MatMulInteger -> Cast -> Mul(scale) becomes
    rows = Reshape(x, [-1, K]);  s = ReduceMax(Abs(rows)) / 127;  q = QuantizeLinear(rows, s, 128, axis=0)
    y = Reshape(MatMulIntegerToFloat(q, W, 1, w_scale, 128, w_zero) * s, [batch, tokens, -1])
"""

from __future__ import annotations

import argparse
import pathlib
from collections import defaultdict

import numpy as np
import onnx
from onnx import helper, numpy_helper


def rewrite(model: onnx.ModelProto) -> int:
    """Change the model in place; returns how many matrix products were rewritten.

    Works on graphs whose products take (batch, tokens, K), leading dimensions as `attention_mask`, or (batch, K), as after pooling.
    """
    graph = model.graph
    consumers: dict[str, list[onnx.NodeProto]] = defaultdict(list)
    for node in graph.node:
        for name in node.input:
            consumers[name].append(node)
    producer = {name: node for node in graph.node for name in node.output}
    shapes = {i.name: list(i.dims) for i in graph.initializer}
    inferred = onnx.shape_inference.infer_shapes(model).graph.value_info
    ranks = {v.name: len(v.type.tensor_type.shape.dim) for v in (*graph.input, *graph.output, *inferred) if v.type.tensor_type.HasField("shape")}
    graph.initializer.extend(
        [
            numpy_helper.from_array(np.float32(1.0), "pt_one"),
            numpy_helper.from_array(np.float32(1 / 127), "pt_step"),
            numpy_helper.from_array(np.uint8(128), "pt_zero"),
            numpy_helper.from_array(np.array([-1], np.int64), "pt_rest"),
            numpy_helper.from_array(np.array([1], np.int64), "pt_axis"),
        ]
    )
    # Row counts and shapes are the same in every layer, so they are computed once.
    shared = [
        helper.make_node("Shape", ["attention_mask"], ["pt_lead"]),
        helper.make_node("Concat", ["pt_lead", "pt_rest"], ["pt_back"], axis=0),
        helper.make_node("Size", ["attention_mask"], ["pt_size"]),
        helper.make_node("Reshape", ["pt_size", "pt_rest"], ["pt_rows"]),
        helper.make_node("Expand", ["pt_zero", "pt_rows"], ["pt_zeros_3"]),
        helper.make_node("Shape", ["attention_mask"], ["pt_texts"], end=1),
        helper.make_node("Expand", ["pt_zero", "pt_texts"], ["pt_zeros_2"]),
    ]
    made: dict[str, list[onnx.NodeProto]] = {}
    dropped: set[str] = set()
    count = 0
    for quantize in [n for n in graph.node if n.op_type == "DynamicQuantizeLinear"]:
        (x,), (q, scale, _) = quantize.input, quantize.output
        products = [n for n in consumers[q] if n.op_type == "MatMulInteger"]
        assert len(products) == len(consumers[q]), f"{quantize.name}: an unknown consumer"
        assert x in ranks, f"the rank of {x} is not known"
        flat = ranks[x] == 2
        p = f"pt_{count}_"
        inner = shapes[products[0].input[1]][0]
        if not flat:
            graph.initializer.append(numpy_helper.from_array(np.array([-1, inner], np.int64), p + "to_rows"))
        rows = x if flat else p + "rows"
        # No row is all zeros (each comes from a layer norm, an attention or an activation), so no scale is zero.
        made[quantize.name] = [
            *([] if flat else [helper.make_node("Reshape", [x, p + "to_rows"], [rows])]),
            helper.make_node("Abs", [rows], [p + "abs"]),
            helper.make_node("ReduceMax", [p + "abs"], [p + "max"], axes=[1], keepdims=0),
            helper.make_node("Mul", [p + "max", "pt_step"], [p + "s"]),
            helper.make_node("Unsqueeze", [p + "s", "pt_axis"], [p + "column"]),
            helper.make_node("QuantizeLinear", [rows, p + "s", f"pt_zeros_{ranks[x]}"], [p + "q"], axis=0),
        ]
        dropped.add(quantize.name)
        for k, product in enumerate(products):
            (cast,) = consumers[product.output[0]]
            (mul,) = consumers[cast.output[0]]
            (scales,) = (producer[name] for name in mul.input if name != cast.output[0])
            (weight_scale,) = (name for name in scales.input if name != scale)
            o = f"{p}{k}_"
            scaled = mul.output[0] if flat else o + "scaled"
            made[mul.name] = [
                helper.make_node(
                    "MatMulIntegerToFloat",
                    [p + "q", product.input[1], "pt_one", weight_scale, "pt_zero", product.input[3]],
                    [o + "y"],
                    domain="com.microsoft",
                ),
                helper.make_node("Mul", [o + "y", p + "column"], [scaled]),
                *([] if flat else [helper.make_node("Reshape", [scaled, "pt_back"], [mul.output[0]])]),
            ]
            dropped.update((product.name, cast.name, scales.name, mul.name))
            count += 1
    nodes = shared
    for node in graph.node:
        nodes += made.get(node.name, []) if node.name in made else [] if node.name in dropped else [node]
    del graph.node[:]
    graph.node.extend(nodes)
    if not any(o.domain == "com.microsoft" for o in model.opset_import):
        model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    return count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    args = parser.parse_args()
    model = onnx.load(args.source)
    print(f"{rewrite(model)} matrix products rewritten")
    onnx.save(model, args.target)


if __name__ == "__main__":
    main()
