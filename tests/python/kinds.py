"""kinds.py ROOT - by kind of point: what samples, processes, runs and units scatter by, and how often 95 % intervals of `compare` hold
another run of the same GPU, and a run of another unit of its board revision: of shipped files that share points.
"""
import functools
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np
import pandas as pd

from warpsweep.condition import is_lowered
from warpsweep.differences import prepare
from warpsweep.frames import frame
from warpsweep.results import read
from warpsweep.rows import part_of

RUNS = [("h100-copy", "h100-copy-again"), ("h100-copy", "h100-paper"), ("h100-runs/unit6-copy", "h100-runs/unit6-paper"),
        ("h200-copy", "h200-copy-again"), ("h200-copy", "h200-paper"), ("h200-judge", "h200-paper"), ("h200-paper", "h200-profile")]
UNITS = [("h200-paper", "h200-runs/unit10-paper"), ("h100-judge", "h100-paper"), ("h200-judge", "h200-runs/unit10-paper"),
         ("h200-copy", "h200-runs/unit4-copy"), ("h200-copy", "h200-runs/unit5-copy"), ("h200-runs/unit1-copy", "h200-runs/unit2-copy")]
ORDER = ["DRAM", "L2, hot", "L2, rotate", "shared memory", "arithmetic", "latency of DRAM", "latency of L2", "latency of shared memory and L1",
         "host to device", "device to host"]


def kinds(rows):
    """The part of the machine; points in L2 by how they stay there. None: the clock was lowered, or no kind has several files."""
    part, cache = part_of(rows), rows["cache"].astype(str)
    part = part.mask(cache.isin(["hot", "rotate"]) & part.isin(["DRAM", "L2"]), "L2, " + cache)
    return part.where(part.isin(ORDER) & ~is_lowered(rows))


@functools.lru_cache(maxsize=None)
def file(root, name):
    return read(pathlib.Path(root, "analysis/data", name + ".h5"))


def ratios(root, pairs):
    """log_ratio, error, held and kind of the points that both files of a pair have."""
    found = []
    for names in pairs:
        c = prepare(*(file(root, name) for name in names))
        rows = c.files[0].rows.loc[c.pairs["a"].clip(lower=0)].reset_index(drop=True)
        own = c.ratios.assign(kind=kinds(rows).to_numpy(), one=c.of_one_process)
        found.append(own[own["low"].notna() & ~own["one"]])
    every = pd.concat(found)
    return every.assign(held=every["low"].le(1) & every["high"].ge(1))


def table(root):
    """A row a kind."""
    rows = pd.concat([frame(file(root, name), predicted=False) for name in ("h100-paper", "h200-paper")], ignore_index=True)
    ok = rows[(rows["status"] == "ok") & (rows["repeat"] == 0)]
    made = ok.groupby(kinds(ok))[["sd_sample", "sd_process"]].median().mul(100)
    for level, pairs in (("run", RUNS), ("unit", UNITS)):
        of = ratios(root, pairs).groupby("kind")
        made[f"sd_{level}"] = 100 * of["log_ratio"].agg(lambda one: np.sqrt(np.mean(one**2) / 2))
        made[[f"{level}_points", f"{level}_held"]] = of["held"].agg(["size", "mean"])
    return made.reindex(ORDER)


def main():
    for kind, row in table(sys.argv[1]).iterrows():
        held = ("{:.0f} points {:.1f} %".format(row[f"{level}_points"], 100 * row[f"{level}_held"]) for level in ("run", "unit"))
        print(f"{kind}: " + ", ".join(f"{row[f'sd_{of}']:.2f} %" for of in ("sample", "process", "run", "unit")) + "; " + "; ".join(held))


if __name__ == "__main__":
    main()
