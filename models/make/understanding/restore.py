"""Write the weights that are shipped back as float checkpoints, for training that goes on from them where SCRATCH is lost.

    python models/make/understanding/restore.py BASE models SCRATCH [--only NAME ...]

`export.py` backwards. The names of an exported graph are the exporter's, so each model is exported anew with weights drawn at random, and by these it
is seen under which name each parameter goes. What is int8 comes back as (weight less zero point) times scale: within half a step of the float
weight, 1/254 of the largest of its column; what is float32 exactly. BASE as for `train.py`.
"""

from __future__ import annotations

import argparse
import pathlib
import tempfile

import numpy as np
import onnx
import torch
from export import FILES, untrained, write_file
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import nn
from trunk import Trunk

WEIGHT, SCALE, ZERO, TRANSPOSED = "_quantized", "_scale", "_zero_point", "_Transposed"
"""What `quantize_dynamic` adds to the name of a weight; the last some versions of ONNX Runtime only."""
NEAR = 0.1
"""A weight is recognised when it is at most so far (root of the mean square) from what was drawn with standard deviation 1: int8 leaves .01, and
two that were drawn apart are 1.4 from each other."""
Constant = NDArray[np.float32]


class Unknown(Exception):
    """The shipped file is not what `export.py` writes of this architecture today."""


def constants(path: pathlib.Path) -> dict[str, Constant]:
    """Every float initialiser, those of int8 multiplied back."""
    stored = {i.name: numpy_helper.to_array(i) for i in onnx.load(path).graph.initializer}
    out = {name: value for name, value in stored.items() if value.dtype == np.float32}
    for name, value in stored.items():
        weight = name.removesuffix(WEIGHT)
        if weight != name:
            out[weight.removesuffix(TRANSPOSED)] = (value.astype(np.float32) - stored[weight + ZERO].astype(np.float32)) * stored[weight + SCALE]
    return out


def found(wanted: Constant, among: dict[str, Constant]) -> tuple[str, bool] | None:
    """The name of what equals `wanted`, and whether it is stored transposed."""
    for name, value in among.items():
        for turned in (False, True):
            one = value.T if turned else value
            if one.shape == wanted.shape and np.sqrt(np.mean((one - wanted) ** 2)) < NEAR:
                return name, turned
    return None


def restored(parameter: str, drawn: Constant, marked: dict[str, Constant], shipped: dict[str, Constant]) -> torch.Tensor:
    """What `shipped` holds where `marked` holds `drawn`; row by row where the exporter took it apart. Raises Unknown."""
    place = found(drawn, marked)
    if place is None and drawn.ndim:
        return torch.stack([restored(parameter, np.asarray(row), marked, shipped) for row in drawn])
    if place is None or place[0] not in shipped:
        raise Unknown(f"{parameter}: no constant of the file is this parameter; was it exported by another version of torch than this one?")
    value = shipped[place[0]].T if place[1] else shipped[place[0]]
    return torch.from_numpy(np.array(value, np.float32))


def restore(file: str, trunk: Trunk, models: pathlib.Path) -> dict[str, dict[str, torch.Tensor]]:
    """The checkpoints that one of FILES is made of, by their names. Raises Unknown."""
    parts = {name: module for name, module in untrained(trunk).items() if name in FILES[file]}
    for module in parts.values():
        for parameter in module.parameters():
            nn.init.normal_(parameter)
    with tempfile.TemporaryDirectory() as scratch:
        write_file(file, parts, pathlib.Path(scratch))
        marked = constants(pathlib.Path(scratch) / file)
    shipped = constants(models / file)
    return {
        name: {key: restored(f"{file}: {name}.{key}", value.numpy(), marked, shipped) for key, value in module.state_dict().items()}
        for name, module in parts.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("scratch", type=pathlib.Path)
    parser.add_argument("--only", choices=[name for names in FILES.values() for name in names], nargs="+")
    args = parser.parse_args()
    args.scratch.mkdir(parents=True, exist_ok=True)
    trunk = Trunk(args.base)
    with torch.no_grad():
        for file, names in FILES.items():
            wanted = [name for name in names if not args.only or name in args.only]
            for name, weights in restore(file, trunk, args.models).items() if wanted else ():
                if name in wanted:
                    torch.save(weights, args.scratch / f"{name}.pt")
                    print(f"{args.scratch / name}.pt: {len(weights)} parameters of {file}")


if __name__ == "__main__":
    torch.manual_seed(0)
    main()
