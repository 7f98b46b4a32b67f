"""The devices of one run against each other: which GPU or link is slow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from . import estimates
from .columns import texts
from .results import Results
from .statistics import MAD_TO_SD, critical
from .units import formatted, plural

LEAST = 3  # devices or pairs: of two that differ, nobody can tell which is the odd one
ALARMS = 0.002  # probability of naming any device where all are equal


@dataclass
class Fleet:
    """The devices of one product, or the pairs of devices of a run, by all points that at least three of them measured.

    `devices` has a row for each, the slowest first: `device` (row of /devices) or `pair`, `effect` (the median over points of the
    logarithm of its time over that of the median device), `low`, `high` (5th and 95th percentile of these), `z` (effect over the
    spread of devices that are alike), `points`, `agree` (beyond the threshold in its direction), `outlier`."""

    product: str
    devices: pd.DataFrame
    points: int
    spread: float  # standard deviation of the effects of equal devices
    critical: float  # outliers have |z| above this
    floor: (
        float  # standard error of a device's effect that its processes cause; 0: no device has two
    )
    nodes: int = 0


def fleets(results: Results, threshold: float = 0.01) -> list[Fleet]:
    """The products of a file, in the order of its devices. `threshold`: smaller differences do not matter."""
    rows, every = results.rows, estimates.cells(results)
    every = every[every["row"].isin(rows.index[(rows["status"] == "ok") & (rows["repeat"] == 0)])]
    found = []
    for product, members in results.devices.groupby("name", sort=False):
        own = every[every["device"].isin(members.index)]
        means = own.groupby(["row", "device"])["log_median"]
        # Each process shifts all its points by its median deviation from the mean of its device.
        shifts = (
            (own["log_median"] - means.transform("mean"))
            .groupby([own["device"], own["process"]])
            .median()
        )
        processes, devices = len(shifts), shifts.index.get_level_values("device").nunique()
        error = (
            np.sqrt((shifts**2).sum() / (processes - devices) / (processes / devices))
            if processes > devices
            else 0.0
        )
        times = means.mean().unstack().reindex(columns=members.index)
        found.append(ranked(product, times.rename_axis(columns="device"), float(error), threshold))
        found[-1].nodes = members["host"].nunique()
    return found


def links(results: Results, threshold: float = 0.01) -> Fleet | None:
    """The pairs of devices of a run, judged as devices are; None without one."""
    rows = results.rows[results.rows["repeat"] == 0]
    rows = rows[texts(rows, "pair").str.fullmatch(r"\d+-\d+")]
    rows = rows.assign(outcome=results.outcomes(rows)).query("outcome in ['measured', 'failed']")
    measured = rows["outcome"] == "measured"
    if not measured.any():
        return None
    point = rows.groupby(
        ["kernel", *(axis for axis in results.columns.axes() if axis != "pair")], dropna=False
    ).ngroup()
    times = np.log(rows["time_median"].where(measured)).groupby([point, rows["pair"]]).last()
    fleet = ranked("Links between devices", times.unstack(), 0.0, threshold)
    failed = rows.loc[~measured, "pair"].value_counts()
    fleet.devices["lacks"] = fleet.devices["pair"].map(failed).fillna(0).astype(int)
    return fleet


def ranked(product: str, log_seconds: pd.DataFrame, floor: float, threshold: float = 0.01) -> Fleet:
    """Judge devices (columns) by their times of all points (rows).

    A robust z in two steps (Rousseeuw & Leroy 1987, section 4.1): devices within 3.5 times 1.4826 MAD (Iglewicz &
    Hoaglin 1993) give the spread, never below `floor`; Student's t with Bonferroni's correction is the limit.
    """
    enough = log_seconds[log_seconds.count(axis=1) >= LEAST]
    present = int(log_seconds.notna().any().sum())  # devices that measured at all
    usual = log_seconds[log_seconds.count(axis=1) > max(1, present / 2)]
    off = enough.sub(enough.median(axis=1), axis=0)
    effect, limit = off.median(), np.log1p(threshold)
    table = pd.DataFrame(
        {
            "effect": effect,
            "low": off.quantile(0.05),
            "high": off.quantile(0.95),
            "z": np.nan,
            "points": off.count(),
            "outlier": False,
            "lacks": usual.isna().sum(),
            "agree": (off * np.where(effect < 0, -1, 1) >= limit).sum(),
        }
    )
    away = (effect - effect.median()).abs()
    alike = effect[away <= 3.5 * max(floor, MAD_TO_SD * away.median())]
    fleet = Fleet(product, table, len(enough), np.nan, np.nan, floor)
    if len(effect) >= LEAST and len(alike) > 1:
        fleet.spread = max(floor, alike.std())
        fleet.critical = float(critical(ALARMS / len(effect), len(alike) - 1))
        away = effect - alike.mean()
        table["z"] = (away / (fleet.spread * np.sqrt(1 + 1 / len(alike)))).where(away != 0, 0)
        table["outlier"] = (table["z"].abs() > fleet.critical) & (away.abs() >= limit)
    table = table.rename_axis(log_seconds.columns.name).reset_index()
    fleet.devices = table.sort_values(
        ["effect", table.columns[0]], ascending=[False, True], ignore_index=True
    )
    return fleet


def print_fleet(document: Any, results: Results, threshold: float = 0.01) -> int:
    """The report of one file; returns the number of devices and pairs that are outliers, or lack points."""
    of, faults = results.devices, 0
    document.heading(1, "The devices of a fleet")
    for fleet in fleets(results, threshold):
        count = plural(len(fleet.devices), "device")
        document.heading(2, f"{fleet.product}: {count} on {plural(fleet.nodes, 'node')}")
        names = [
            [str(device), of["host"][device], of["pci"][device] or of["uuid"][device]]
            for device in fleet.devices["device"]
        ]
        faults += _print(document, fleet, [">device", "host", "address"], names, threshold)
        if len(fleet.devices) < LEAST or not fleet.points:
            document.paragraph(
                "timing: {devices: all} in the job measures every point on every device."
            )
        elif fleet.floor > 0:
            document.paragraph(
                f"Processes alone move a device's effect by {100 * fleet.floor:.2f} %: the spread of "
                "devices is taken to be at least that."
            )
        else:
            document.paragraph(
                "One process measured on each device, so effects of devices and of processes cannot be "
                "separated: an outlier may be gone in the next run. timing: {replicates: 3} separates "
                "them."
            )
    pairs = links(results, threshold)
    if pairs:
        document.heading(2, f"{pairs.product}: {plural(len(pairs.devices), 'pair')}")
        faults += _print(
            document, pairs, ["pair"], [[pair] for pair in pairs.devices["pair"]], threshold
        )
    return faults


def _print(
    document: Any, fleet: Fleet, heads: list[str], names: list[list[str]], threshold: float
) -> int:
    count, what = len(names), heads[0].lstrip(">")
    if count < LEAST or not fleet.points:
        document.paragraph(
            f"Nothing to rank: ranking needs three {what}s that measured the same points."
        )
        return int((fleet.devices["lacks"] > 0).sum())
    rows = []
    for place, (_, row) in enumerate(fleet.devices.iterrows()):
        verdicts = [f"LACKS {plural(row['lacks'], 'point')}"] if row["lacks"] else []
        if row["outlier"]:
            verdicts.append(f"OUTLIER: {'slow' if row['effect'] > 0 else 'fast'}")
        rows.append(
            [
                str(place + 1),
                *names[place],
                formatted("{:+.2f}", 100 * np.expm1(row["effect"])),
                formatted("{:+.1f}", row["z"]),
                f"{row['agree']} of {row['points']}",
                ", ".join(verdicts),
            ]
        )
    document.texts([">rank", *heads, ">slower by, %", ">z", ">points that say so", "verdict"], rows)
    document.paragraph(
        f"{plural(fleet.points, 'point')}. A {what}'s effect is the median over points of its time relative to the median of all "
        f"{what}s. Effects of equal {what}s have a standard deviation of {100 * fleet.spread:.2f} %, and are assumed "
        f"to be normal. An outlier is at least {100 * threshold:g} % and {fleet.critical:.1f} standard errors (z) away, "
        f"which happens to one of {count} equal {what}s in one of {1 / ALARMS:.0f} runs."
    )
    return int((fleet.devices["outlier"] | (fleet.devices["lacks"] > 0)).sum())
