"""spread.py FILE.h5... - what a further run of a job, and a further unit of the product, adds to the variance of a time: the values
`spread_...` of a device profile, by which compare, judge and history widen their intervals.

Nested analysis of variance by moments (Searle, Casella & McCulloch 1992, chapter 3) of the logarithms of the times:
runs in units in groups of units with equal roofs, less the variance that the processes of each run explain. Files are of one device each.
"""
import pathlib
import sys

if __name__ == "__main__":
    sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2] / "python/src")
import numpy as np
import pandas as pd

from warpsweep.estimates import LONG
from warpsweep.histories import estimates_of
from warpsweep.results import read

ROOFS_APART = 0.01  # units of one product whose roofs of DRAM differ by more are of two groups


def between(files):
    """What files of one device each tell of points that all have measured, which read or write DRAM, by duration
    ("short": below 100 us, "long"): `points`, and the variances `run` and `unit` that these add (NaN: no unit has two
    runs, or no group two units). `attrs`: how many runs, units, groups."""
    unit, group = _numbered(pd.DataFrame([_unit(results) for results in files]))
    found = estimates_of(files)
    is_cold = np.all([(one["basis"] != "none") & (one["kind"] == "device") for one in found], axis=0)
    y, error = (pd.DataFrame([one[name][is_cold].to_numpy(float) for one in found]) for name in ("log_seconds", "error"))
    is_long, table = np.exp(y.mean()) >= LONG, {}
    for name, chosen in (("short", ~is_long), ("long", is_long)):
        of_runs, variance, count = y.loc[:, chosen], error.loc[:, chosen] ** 2, unit.value_counts().sort_index()
        run = _added(of_runs, variance, unit)
        own = variance.groupby(unit).mean().add(np.nan_to_num(run)).div(count, axis=0)
        table[name] = {"points": chosen.sum(), "run": run,
                       "unit": _added(of_runs.groupby(unit).mean(), own, group.groupby(unit).first())}
    result = pd.DataFrame.from_dict(table, orient="index")
    result.attrs = {"runs": len(files), "units": unit.nunique(), "groups": group.nunique()}
    return result


def _added(y, variance, parent):
    """The variance among rows of one parent beyond their own, over all points (columns); NaN: no row has a sibling."""
    dof = y.shape[1] * (len(y) - parent.nunique())
    squares = (y - y.groupby(parent).transform("mean")).pow(2).to_numpy().sum()
    explained = variance.mul(1 - 1 / parent.groupby(parent).transform("size"), axis=0).to_numpy().sum()
    return max(0.0, (squares - explained) / dof) if dof else np.nan


def _unit(results):
    measured = results.rows.loc[results.rows["device"] >= 0, "device"].unique()
    if len(measured) != 1:
        sys.exit(f"{results.path}: expected a file of one device")
    return results.devices.loc[int(measured[0]), ["uuid", "peak_copy", "peak_read"]]


def _numbered(of):
    """The unit (by UUID) and the group (by the roofs of DRAM) of each run, numbered by their first runs."""
    roofs = np.log(of[["peak_copy", "peak_read"]].to_numpy(float))
    unit, group = pd.factorize(of["uuid"])[0], np.arange(len(of))
    for run in range(len(of)):
        same = np.flatnonzero(unit[:run] == unit[run])
        alike = np.flatnonzero((np.abs(roofs[:run] - roofs[run]) <= ROOFS_APART).all(axis=1))
        group[run] = group[next(iter([*same, *alike]), run)]
    return pd.Series(unit), pd.Series(group)


def main():
    found = between([read(path) for path in sys.argv[1:]])
    for side, (_, row) in zip(("below", "above"), found.iterrows()):
        run, unit = (100 * row[level] ** 0.5 for level in ("run", "unit"))
        print(f"{int(row['points'])} points {side} 100 us: a run adds {run:.3f} %, a unit {unit:.3f} %")
    values = {f"spread_{level}_{length}": found.loc[length, level] ** 0.5 for level in ("run", "unit") for length in ("short", "long")}
    values.update({f"spread_{what}": float(count) for what, count in found.attrs.items()})
    print("\n".join(f"{name}: {value:.3g}" for name, value in values.items() if value > 0))


if __name__ == "__main__":
    main()
