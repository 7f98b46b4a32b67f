"""What a further run of a job, and a further unit of a kind, adds to the variance of a time: of runs of several units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .assumptions import same_kind
from .estimates import LONG, Estimator, aligned, finish
from .pairing import partners
from .results import Results


def numbered(files: Sequence[Results]) -> tuple[pd.Series[int], pd.Series[int]]:
    """The unit (by UUID) and the kind of each run, numbered by their first runs."""
    devices = [one.devices.iloc[0] for one in files]
    unit, kind = pd.factorize(pd.Series([one["uuid"] for one in devices]))[0], np.arange(len(files))
    for run, device in enumerate(devices):
        for early in reversed(range(run)):
            if unit[early] == unit[run] or same_kind(devices[early], device):
                kind[run] = kind[early]
    return pd.Series(unit), pd.Series(kind)


def _estimates(files: Sequence[Results]) -> list[pd.DataFrame]:
    """Finished estimates, in each file, of the points of the last one."""
    found = []
    last = files[-1].rows[files[-1].rows["repeat"] == 0]
    for one in files:
        own = one.rows[one.rows["repeat"] == 0]
        rows = np.append(own.index, -1)[partners(last, own, files[-1].columns, one.columns)]
        found.append(finish(aligned(Estimator(one).of(own.index), rows)))
    return found


def between(files: Sequence[Results]) -> pd.DataFrame:
    """What files of one device each tell of points that all have measured, which read or write DRAM, by duration
    ("short": below 100 us, "long"): `points`, and the variances `run` and `unit` that these add (NaN: no unit has two
    runs, or no kind two units). `attrs`: how many runs, units, kinds."""
    unit, kind = numbered(files)
    found = _estimates(files)
    is_cold = np.all(
        [(one["basis"] != "none") & (one["kind"] == "device") for one in found], axis=0
    )
    y, error = (
        pd.DataFrame([one[name][is_cold].to_numpy(float) for one in found])
        for name in ("log_seconds", "error")
    )
    is_long, table = np.exp(y.mean()) >= LONG, {}
    for name, chosen in (("short", ~is_long), ("long", is_long)):
        of_runs, variance, count = (
            y.loc[:, chosen],
            error.loc[:, chosen] ** 2,
            unit.value_counts().sort_index(),
        )
        run = _added(of_runs, variance, unit)
        own = variance.groupby(unit).mean().add(np.nan_to_num(run)).div(count, axis=0)
        table[name] = {
            "points": chosen.sum(),
            "run": run,
            "unit": _added(of_runs.groupby(unit).mean(), own, kind.groupby(unit).first()),
        }
    result = pd.DataFrame.from_dict(table, orient="index")
    result.attrs = {"runs": len(files), "units": unit.nunique(), "groups": kind.nunique()}
    return result


def _added(y: pd.DataFrame, variance: pd.DataFrame, parent: pd.Series[int]) -> float:
    """The variance among rows of one parent beyond their own, over all points (columns); NaN: no row has a sibling."""
    dof = y.shape[1] * (len(y) - parent.nunique())
    squares = (y - y.groupby(parent).transform("mean")).pow(2).to_numpy().sum()
    explained = (
        variance.mul(1 - 1 / parent.groupby(parent).transform("size"), axis=0).to_numpy().sum()
    )
    return max(0.0, (squares - explained) / dof) if dof else np.nan


def values(found: pd.DataFrame) -> dict[str, float]:
    """What `between` found as the values ``spread_...`` of a profile: relative standard deviations."""
    of = {
        f"spread_{level}_{length}": float(found.loc[length, level]) ** 0.5
        for level in ("run", "unit")
        for length in ("short", "long")
    }
    return {**of, **{f"spread_{what}": float(count) for what, count in found.attrs.items()}}
