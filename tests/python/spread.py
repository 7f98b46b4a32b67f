"""spread.py ROOT - what a further run of jobs/copy.yaml, and a further unit of a kind, adds to the variance of a time.

The values of `spread_...` in profiles/, of all runs of the job in analysis/data on an H100 or an H200: both products together,
because either has few units. Then how often the intervals of `compare` hold 1 for pairs of these runs.
"""
import itertools
import pathlib
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np

from warpsweep.differences import prepare
from warpsweep.results import read
from warpsweep.scatter import between, numbered


def runs(root):
    """The runs of jobs/copy.yaml on one device each, by path."""
    every = map(read, sorted(pathlib.Path(root, "analysis/data").rglob("*.h5")))
    return [one for one in every if one.job_path == "jobs/copy.yaml" and len(one.devices) == 1]


def coverage(files):
    """Of pairs of runs of one unit, and of two units of a kind: `pairs`, and the shares of points whose interval holds 1."""
    unit, kind = numbered(files)
    found = {"run": [], "unit": []}
    for a, b in itertools.combinations(range(len(files)), 2):
        if kind[a] == kind[b] and files[a].devices["name"][0] == files[b].devices["name"][0]:
            ratios = prepare(files[a], files[b]).ratios.dropna(subset="low")
            found["run" if unit[a] == unit[b] else "unit"].append(ratios["low"].le(1) & ratios["high"].ge(1))
    return {name: (len(held), float(np.mean(np.concatenate(held)))) for name, held in found.items()}


def main():
    root = pathlib.Path(sys.argv[1])
    files = runs(root)
    found = between(files)
    print("{runs} runs on {units} units of {groups} kinds".format(**found.attrs))
    for side, (_, row) in zip(("below", "above"), found.iterrows()):
        run, unit = (100 * row[level] ** 0.5 for level in ("run", "unit"))
        print(f"{int(row['points'])} points {side} 100 us: a run adds {run:.3f} %, a unit {unit:.3f} %")
    for name, (pairs, share) in coverage(files).items():
        print(f"another {name}: {100 * share:.1f} % of the intervals of {pairs} pairs hold")


if __name__ == "__main__":
    main()
