"""A product of int8 whose sums do not fit 16 bits: how `lira_core.onnx` finds out whether this CPU adds them exactly.

    python models/make/int8_sums.py lira_core/int8_sums.onnx        (needs the `onnx` package)

`sums` (rows, 32) int32 = `rows` (rows, 64) uint8 times a matrix of 127, int8, as in the models (uint8 activations, int8 weights).
"""

from __future__ import annotations

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def main() -> None:
    weights = numpy_helper.from_array(np.full((64, 32), 127, np.int8), "weights")
    graph = helper.make_graph(
        [helper.make_node("MatMulInteger", ["rows", "weights"], ["sums"])],
        "int8_sums",
        [helper.make_tensor_value_info("rows", TensorProto.UINT8, ["rows", 64])],
        [helper.make_tensor_value_info("sums", TensorProto.INT32, ["rows", 32])],
        [weights],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, sys.argv[1])


if __name__ == "__main__":
    main()
