"""The devices of one file compared with each other: how much slower each is than the median device, and which stand out."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from . import estimates, statistics
from .results import Results

DEVICES_MIN = 3    # of two that differ, nobody can tell which is the odd one
ALARMS = 0.002     # the probability of any outlier in a fleet of equal devices
MAD_TO_SD = 1.4826
REACH = 3.5        # standard deviations from the median within which devices count as alike


@dataclass(frozen=True)
class Fleet:
    """The devices of one product, by row of /devices, the slowest first.

    ``devices`` has effect (median over points of log(time / median over devices)), low and high (its 5th and 95th
    percentile), z (effect over the standard error of a device that is like the others), outlier, points, agree (points
    that deviate by the threshold in the effect's direction) and processes. ``floor`` is the standard error that the
    processes of a device cause, ``points`` the number that at least three devices measured, ``cells`` the median of each
    process at each row: row, device, process, log_median.
    """

    product: str
    devices: pd.DataFrame
    points: int
    nodes: int
    spread: float
    critical: float
    floor: float
    threshold: float
    cells: pd.DataFrame


def fleets(results: Results, threshold: float = 0.01) -> list[Fleet]:
    """One fleet for each product of a file, in the order of /devices; threshold is the smallest effect that matters."""
    cells = estimates.cells(results)
    first = (results.rows["status"] == "ok") & (results.rows["repeat"] == 0)
    cells = cells[first.to_numpy()[cells["row"]]]
    return [_fleet(str(product), own, cells[cells["device"].isin(own.index)], threshold)
            for product, own in results.devices.groupby("name", sort=False)]


def _fleet(product: str, devices: pd.DataFrame, cells: pd.DataFrame, threshold: float) -> Fleet:
    times = cells.groupby(["row", "device"])["log_median"].mean().unstack().reindex(columns=devices.index)
    enough = times.count(axis=1) >= DEVICES_MIN
    deviation = times[enough].sub(times[enough].median(axis=1), axis=0)
    effect, least = deviation.median(), np.log1p(threshold)
    agree = np.where(effect < 0, (deviation <= -least).sum(), (deviation >= least).sum())
    floor, processes = _process_error(cells)
    judged = pd.DataFrame({"effect": effect, "low": deviation.quantile(0.05), "high": deviation.quantile(0.95),
                           "z": np.nan, "outlier": False, "points": deviation.count(), "agree": agree,
                           "processes": processes.reindex(devices.index, fill_value=0)})
    # The devices that are alike: outliers must not widen the spread that they are compared with.
    away = (effect - effect.median()).dropna()
    alike = effect[away.index[away.abs() <= REACH * max(floor, MAD_TO_SD * away.abs().median())]]
    spread = critical = np.nan
    if len(devices) >= DEVICES_MIN and len(alike) >= 2:
        spread = max(floor, float(alike.std()))
        critical = float(statistics.critical(ALARMS / len(devices), len(alike) - 1))
        off = effect - alike.mean()
        with np.errstate(divide="ignore", invalid="ignore"):
            judged["z"] = (off / (spread * np.sqrt(1 + 1 / len(alike)))).mask(off == 0, 0.0)
        judged["outlier"] = (judged["z"].abs() > critical) & (off.abs() >= least)
    return Fleet(product, judged.sort_values("effect", ascending=False, kind="stable"), int(enough.sum()),
                 devices["host"].nunique() if "host" in devices else 1, spread, critical, floor, threshold,
                 cells[["row", "device", "process", "log_median"]])


def _process_error(cells: pd.DataFrame) -> tuple[float, pd.Series]:
    """The standard error of a device's effect that its processes cause, each of which shifts all its points by its
    median deviation, and the number of processes of each device. 0 if no device has two."""
    off = cells["log_median"] - cells.groupby(["row", "device"])["log_median"].transform("mean")
    shift = off.groupby([cells["device"], cells["process"]]).median()
    processes = shift.groupby("device").size()
    free = len(shift) - len(processes)
    return (float(np.sqrt((shift**2).sum() / free / (len(shift) / len(processes)))) if free else 0.0), processes
