"""The devices of one run against each other: which GPU or link is slow, and where the variance of a time comes from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .frames import axes, frame, points
from .results import Results

LEAST = 3  # devices or pairs: of two that differ, nobody can tell which is the odd one
ALARMS = 0.002  # probability of naming any device where all are equal


@dataclass
class Fleet:
    """The devices of one product, compared by all points that at least three of them measured.

    `devices` has a row for each, the slowest first: `device` (row of /devices), `effect` (logarithm: 0.03 is 3 %
    slower), `z`, `points`, `agree` (those beyond the threshold in its direction), `outlier`, `low` and `high` (5th and
    95th percentile of the points' logarithms); NaN where it cannot be judged."""

    product: str
    devices: pd.DataFrame
    nodes: int
    points: int
    spread: float  # standard deviation of the effects of equal devices
    critical: float  # outliers have |z| above this
    floor: float  # standard error of a device's effect that its processes cause; 0: no device has two
    components: pd.Series  # variances that node, device, process and sample add; NaN: unknown


def fleets(results: Results, threshold: float = 0.01) -> list[Fleet]:
    """The products of a file, in the order of its devices. `threshold`: smaller differences do not matter, as a
    share."""
    from .estimates import cells
    from .statistics import components, outliers

    devices, rows = results.devices, results.rows
    good = np.flatnonzero((rows["status"] == "ok") & (rows["repeat"] == 0))
    every = cells(results)
    every = every[every["row"].isin(good)]
    host = pd.factorize(devices["host"])[0]
    found = []
    for product in pd.unique(devices["name"]):
        members = np.flatnonzero(devices["name"] == product)
        own = every[every["device"].isin(members)]
        times = own.groupby(["row", "device"])["log_median"].mean().unstack().reindex(columns=members)
        floor = _process_error(own)
        judged = outliers(times, floor=floor, threshold=threshold, alarms=ALARMS)
        enough = times[times.count(axis=1) >= LEAST]
        off = enough.sub(enough.median(axis=1), axis=0)
        judged = judged.assign(low=off.quantile(0.05), high=off.quantile(0.95))
        table = judged.rename_axis("device").reset_index().sort_values(["effect", "device"], ascending=[False, True])
        mean = components(own, host).mean() if len(own) else pd.Series(np.nan, ["sample", "process", "device", "node"])
        found.append(Fleet(product, table.reset_index(drop=True), len(np.unique(host[members])),
                           len(enough), judged.attrs["spread"], judged.attrs["critical"], floor, mean))
    return found


def _process_error(cells: pd.DataFrame) -> float:
    """Each process shifts all its points by its median deviation from the mean of its device."""
    off = cells["log_median"] - cells.groupby(["row", "device"])["log_median"].transform("mean")
    shifts = off.groupby([cells["device"], cells["process"]]).median()
    processes, devices = len(shifts), shifts.index.get_level_values("device").nunique()
    if processes == devices:
        return 0.0
    return float(np.sqrt((shifts**2).sum() / (processes - devices) / (processes / devices)))


def links(results: Results, threshold: float = 0.01) -> pd.DataFrame | None:
    """The pairs of devices of a run, judged as devices are: the columns of `Fleet.devices` with `pair`; `attrs` have
    `points` and `critical`. Empty columns where fewer than three pairs measured anything; None without a pair."""
    from .statistics import outliers

    rows = points(frame(results))
    if "pair" not in rows:
        return None
    rows = rows[(rows["status"] == "ok") & (rows["time_median"] > 0)
                & rows["pair"].astype(str).str.fullmatch(r"\d+-\d+")]
    pairs = pd.unique(rows["pair"])
    if not len(pairs):
        return None
    keys = ["kernel", *(axis for axis in axes(rows) if axis != "pair")]
    times = np.log(rows["time_median"]).groupby([rows.groupby(keys, dropna=False).ngroup(),
                                                 rows["pair"]]).last().unstack()[pairs]
    if len(pairs) < LEAST:
        return pd.DataFrame({"pair": pairs})
    judged = outliers(times, floor=0.0, threshold=threshold, alarms=ALARMS)
    table = judged.rename_axis("pair").reset_index()
    table.attrs = {**judged.attrs, "points": len(times)}
    return table
