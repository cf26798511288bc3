"""Write a trunk's graph in two, its lowest layers and the others, without a second copy of its weights.

    python models/make/halves.py models/lira-trunk        (needs the `onnx` package)

ONNX Runtime computes a whole graph whatever is asked of it (`only_execute_path_to_fetches` counts in its builds for training alone; seen with 1.31:
the states after four layers of eight took as long as those after all). What stands on the lowest layers, `lira-reader`'s cross-encoder, therefore
needs a graph that ends there. The weights of both halves are those in `model.int8.onnx`: `lower.onnx` and `upper.onnx` say at which bytes of that
file each lies (ONNX's external data), and are to be written anew whenever it is.
"""

from __future__ import annotations

import argparse
import pathlib

import onnx
from onnx import TensorProto
from onnx.external_data_helper import set_external_data
from onnx.utils import Extractor

WHOLE = "model.int8.onnx"
HALVES = {"lower.onnx": (["input_ids", "attention_mask"], ["lower"]), "upper.onnx": (["lower", "attention_mask"], ["states"])}
"""Of each its inputs and its outputs, by their names in the whole."""
SMALL = 1024
"""Bytes up to which a tensor stays in the graph itself: an entry that says where it lies takes a hundred."""


def write_halves(folder: pathlib.Path) -> None:
    """ValueError where the whole does not hold a weight exactly once, byte by byte."""
    whole = (folder / WHOLE).read_bytes()
    for name, (inputs, outputs) in HALVES.items():
        half = Extractor(onnx.load_from_string(whole)).extract_model(inputs, outputs)
        for tensor in half.graph.initializer:
            if len(tensor.raw_data) > SMALL:
                _point_into(tensor, whole)
        onnx.save(half, folder / name)
        print(f"{folder / name}: {(folder / name).stat().st_size / 1e3:.0f} KB")


def _point_into(tensor: TensorProto, whole: bytes) -> None:
    offset = whole.find(tensor.raw_data)
    if offset < 0 or whole.find(tensor.raw_data, offset + 1) >= 0:
        raise ValueError(f"{WHOLE} does not hold {tensor.name} exactly once")
    set_external_data(tensor, WHOLE, offset, len(tensor.raw_data))
    tensor.ClearField("raw_data")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    write_halves(parser.parse_args().folder)
