"""spread.py ROOT - what a further run of jobs/copy.yaml, and a further unit of a kind, adds to the variance of a time.

The values of `spread_...` in profiles/, of all runs of the job in analysis/data on an H100 or an H200: both products together,
because either has few units. Then how often the intervals of `compare` hold 1 for pairs of these runs. UPDATE=1 in the
environment writes the profiles.
"""
import itertools
import os
import pathlib
import re
import sys

sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np
import pandas as pd

from warpsweep.assumptions import same_kind
from warpsweep.differences import prepare
from warpsweep.estimates import LONG, Estimator, aligned, finish
from warpsweep.pairing import partners
from warpsweep.profiles import FIELDS
from warpsweep.results import read

SOURCE = "tests/python/spread.py of the runs of jobs/copy.yaml in analysis/data"


def runs(root):
    """The runs of jobs/copy.yaml on one device each, by path."""
    every = map(read, sorted(pathlib.Path(root, "analysis/data").rglob("*.h5")))
    return [one for one in every if one.job_path == "jobs/copy.yaml" and len(one.devices) == 1]


def numbered(files):
    """The unit (by UUID) and the kind of each run, numbered by their first runs."""
    devices = [one.devices.iloc[0] for one in files]
    unit, kind = pd.factorize(pd.Series([one["uuid"] for one in devices]))[0], np.arange(len(files))
    for run, early in ((run, early) for run in range(len(files)) for early in reversed(range(run))):
        if unit[early] == unit[run] or same_kind(devices[early], devices[run]):
            kind[run] = kind[early]
    return pd.Series(unit), pd.Series(kind)


def estimates_of(files):
    """Finished estimates, in each file, of the points of the last one."""
    last, found = files[-1].rows[files[-1].rows["repeat"] == 0], []
    for one in files:
        own = one.rows[one.rows["repeat"] == 0]
        rows = np.append(own.index, -1)[partners(last, own, files[-1].columns, one.columns)]
        found.append(finish(aligned(Estimator(one).of(own.index), rows)))
    return found


def between(files):
    """What files of one device each tell of points that all have measured, which read or write DRAM, by duration
    ("short": below 100 us, "long"): `points`, and the variances `run` and `unit` that these add (NaN: no unit has two
    runs, or no kind two units). `attrs`: how many runs, units, kinds."""
    unit, kind = numbered(files)
    found = estimates_of(files)
    is_cold = np.all([(one["basis"] != "none") & (one["kind"] == "device") for one in found], axis=0)
    y, error = (pd.DataFrame([one[name][is_cold].to_numpy(float) for one in found]) for name in ("log_seconds", "error"))
    is_long, table = np.exp(y.mean()) >= LONG, {}
    for name, chosen in (("short", ~is_long), ("long", is_long)):
        of_runs, variance, count = y.loc[:, chosen], error.loc[:, chosen] ** 2, unit.value_counts().sort_index()
        run = _added(of_runs, variance, unit)
        own = variance.groupby(unit).mean().add(np.nan_to_num(run)).div(count, axis=0)
        table[name] = {"points": chosen.sum(), "run": run,
                       "unit": _added(of_runs.groupby(unit).mean(), own, kind.groupby(unit).first())}
    result = pd.DataFrame.from_dict(table, orient="index")
    result.attrs = {"runs": len(files), "units": unit.nunique(), "groups": kind.nunique()}
    return result


def _added(y, variance, parent):
    """The variance among rows of one parent beyond their own, over all points (columns); NaN: no row has a sibling."""
    dof = y.shape[1] * (len(y) - parent.nunique())
    squares = (y - y.groupby(parent).transform("mean")).pow(2).to_numpy().sum()
    explained = variance.mul(1 - 1 / parent.groupby(parent).transform("size"), axis=0).to_numpy().sum()
    return max(0.0, (squares - explained) / dof) if dof else np.nan


def coverage(files):
    """Of pairs of runs of one unit, and of two units of a kind: `pairs`, and the shares of points whose interval holds 1."""
    unit, kind = numbered(files)
    found = {"run": [], "unit": []}
    for a, b in itertools.combinations(range(len(files)), 2):
        if kind[a] == kind[b] and files[a].devices["name"][0] == files[b].devices["name"][0]:
            ratios = prepare(files[a], files[b]).ratios.dropna(subset="low")
            found["run" if unit[a] == unit[b] else "unit"].append(ratios["low"].le(1) & ratios["high"].ge(1))
    return {name: (len(held), float(np.mean(np.concatenate(held)))) for name, held in found.items()}


def values(found):
    of = {f"spread_{level}_{length}": found.loc[length, level] ** 0.5 for level in ("run", "unit") for length in ("short", "long")}
    return {**of, **{f"spread_{what}": float(count) for what, count in found.attrs.items()}}


def write(path, of):
    """Replace what a profile says of the scatter."""
    text = re.sub(r"  # [^\n]*\n  spread_\w+: \{[^}]*\}\n", "", path.read_text(encoding="utf-8"))
    text += "".join(f"  # {FIELDS[name].meaning}\n  {name}: {{value: {value:.3g}, unit: \"\", measured: true,\n"
                    f"    source: \"{SOURCE}\"}}\n" for name, value in of.items() if value > 0)
    path.write_text(text, encoding="utf-8")


def main():
    root = pathlib.Path(sys.argv[1])
    files = runs(root)
    found = between(files)
    if os.environ.get("UPDATE"):
        for name in ("h100", "h200"):
            write(root / f"profiles/{name}.yaml", values(found))
    print("{runs} runs on {units} units of {groups} kinds".format(**found.attrs))
    for side, (_, row) in zip(("below", "above"), found.iterrows()):
        run, unit = (100 * row[level] ** 0.5 for level in ("run", "unit"))
        print(f"{int(row['points'])} points {side} 100 us: a run adds {run:.3f} %, a unit {unit:.3f} %")
    for name, (pairs, share) in coverage(files).items():
        print(f"another {name}: {100 * share:.1f} % of the intervals of {pairs} pairs hold")


if __name__ == "__main__":
    main()
