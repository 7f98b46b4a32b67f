"""The devices of one run against each other: which GPU or link is slow."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from . import estimates
from .frames import frame, points
from .results import Results
from .statistics import outliers

LEAST = 3  # devices or pairs: of two that differ, nobody can tell which is the odd one
ALARMS = 0.002  # probability of naming any device where all are equal
HEADS = [">slower by, %", ">z", ">points that say so", "verdict"]


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


def fleets(results: Results, threshold: float = 0.01) -> list[Fleet]:
    """The products of a file, in the order of its devices. `threshold`: smaller differences do not matter, as a
    share."""
    devices, rows = results.devices, results.rows
    every = estimates.cells(results)
    every = every[every["row"].isin(rows.index[(rows["status"] == "ok") & (rows["repeat"] == 0)])]
    found = []
    for product, members in devices.groupby("name", sort=False):
        own = every[every["device"].isin(members.index)]
        times = own.groupby(["row", "device"])["log_median"].mean().unstack().reindex(columns=members.index)
        floor = _process_error(own)
        judged = outliers(times, floor=floor, threshold=threshold, alarms=ALARMS)
        enough = times[times.count(axis=1) >= LEAST]
        off = enough.sub(enough.median(axis=1), axis=0)
        table = judged.assign(low=off.quantile(0.05), high=off.quantile(0.95)).rename_axis("device").reset_index()
        table = table.sort_values(["effect", "device"], ascending=[False, True], ignore_index=True)
        found.append(Fleet(product, table, members["host"].nunique(), len(enough), judged.attrs["spread"],
                           judged.attrs["critical"], floor))
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
    `points` and `critical`. Only `pair` where fewer than three pairs measured anything; None without a pair."""
    rows = points(frame(results))
    if "pair" not in rows:
        return None
    rows = rows[(rows["status"] == "ok") & (rows["time_median"] > 0)
                & rows["pair"].astype(str).str.fullmatch(r"\d+-\d+")]
    pairs = pd.unique(rows["pair"])
    if not len(pairs):
        return None
    if len(pairs) < LEAST:
        return pd.DataFrame({"pair": pairs})
    keys = ["kernel", *(axis for axis in results.columns.axes() if axis != "pair")]
    point = rows.groupby(keys, dropna=False).ngroup()
    times = np.log(rows["time_median"]).groupby([point, rows["pair"]]).last().unstack()[pairs]
    judged = outliers(times, floor=0.0, threshold=threshold, alarms=ALARMS)
    table = judged.rename_axis("pair").reset_index()
    table.attrs = {**judged.attrs, "points": len(times)}
    return table


def print_fleet(document: Any, results: Results, threshold: float = 0.01) -> int:
    """The report of one file; returns the number of outliers."""
    document.heading(1, "The devices of a fleet")
    outliers = sum(_print_product(document, results, fleet, threshold) for fleet in fleets(results, threshold))
    if not len(results.devices):
        document.paragraph("This file has no device.")
    pairs = links(results, threshold)
    if pairs is None:
        return outliers
    document.heading(2, f"Links between devices: {len(pairs)} pair{'' if len(pairs) == 1 else 's'}")
    if len(pairs) < LEAST:
        document.paragraph("Nothing to rank: ranking needs three pairs that measured the same points.")
        return outliers
    document.texts(["pair", *HEADS], [[row["pair"], *_judged(row)] for _, row in pairs.iterrows()])
    document.paragraph(f"{pairs.attrs['points']} points. An outlier is at least {100 * threshold:g} % and "
                       f"{pairs.attrs['critical']:.1f} standard errors (z) away.")
    return outliers + int(pairs["outlier"].sum())


def _judged(row: pd.Series) -> list[str]:
    verdict = "" if not row["outlier"] else "OUTLIER: slow" if row["effect"] > 0 else "OUTLIER: fast"
    return [*("-" if value != value else form.format(value)
              for form, value in (("{:+.2f}", 100 * np.expm1(row["effect"])), ("{:+.1f}", row["z"]))),
            f"{row['agree']} of {row['points']}", verdict]


def _print_product(document: Any, results: Results, fleet: Fleet, threshold: float) -> int:
    count, outliers, of = len(fleet.devices), int(fleet.devices["outlier"].sum()), results.devices
    document.heading(2, f"{fleet.product}: {count} device{'' if count == 1 else 's'} on {fleet.nodes} "
                     f"node{'' if fleet.nodes == 1 else 's'}")
    if count < LEAST or not fleet.points:
        document.paragraph("Nothing to rank: ranking needs three devices of a product that measured the same points. "
                           "timing: {devices: all} in the job measures every point on every device.")
        return 0
    document.texts([">rank", ">device", "host", "address", *HEADS],
                   [[str(place + 1), str(row["device"]), of["host"][row["device"]],
                     of["pci"][row["device"]] or of["uuid"][row["device"]], *_judged(row)]
                    for place, row in fleet.devices.iterrows()])
    document.paragraph(
        f"{fleet.points} points. A device's effect is the median over points of its time relative to the median of all "
        f"devices. Effects of equal devices have a standard deviation of {100 * fleet.spread:.2f} %, and are assumed "
        f"to be normal. An outlier is at least {100 * threshold:g} % and {fleet.critical:.1f} standard errors (z) away, "
        f"which happens to one of {count} equal devices in one fleet of {1 / ALARMS:.0f}.")
    document.paragraph(
        f"Processes alone move a device's effect by {100 * fleet.floor:.2f} %: the spread of devices is taken to be at "
        "least that." if fleet.floor > 0 else "One process measured on each device, so effects of devices and of "
        "processes cannot be separated: an outlier may be gone in the next run. timing: {replicates: 3} separates "
        "them.")
    return outliers
