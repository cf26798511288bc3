"""The weights of two checkpoints of one network, averaged: where the later one learnt something new and forgot a little of what was before.

    python models/make/understanding/average.py BEFORE AFTER OUT --share 0.6

`share` is the weight of AFTER. Both must have begun from the same weights (Wortsman et al., "Model soups", ICML 2022).
"""

from __future__ import annotations

import argparse
import pathlib

import torch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("before", "after", "out"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--share", type=float, required=True)
    args = parser.parse_args()
    before, after = torch.load(args.before), torch.load(args.after)
    if before.keys() != after.keys():
        raise SystemExit(f"{args.before} and {args.after} are of different networks: {sorted(before.keys() ^ after.keys())[:3]}")
    share = args.share
    torch.save({name: share * after[name] + (1 - share) * old if old.is_floating_point() else after[name] for name, old in before.items()}, args.out)


if __name__ == "__main__":
    main()
