"""The report on the devices of a fleet, and on the links between them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..fleet import ALARMS, LEAST, Fleet, fleets, links
from ..results import Results
from ..sheet import Document
from . import number, plural, table

HEADS = [">slower by, %", ">z", ">points that say so", "verdict"]


def print_fleet(document: Document, results: Results, threshold: float = 0.01) -> int:
    """The report of one file; returns the number of outliers."""
    document.heading(1, "The devices of a fleet")
    found = fleets(results, threshold)
    outliers = sum(_print_product(document, results, fleet, threshold) for fleet in found)
    if not found:
        document.paragraph("This file has no device.")
    return outliers + _print_links(document, results, threshold)


def _judged(row: pd.Series) -> list[str]:
    verdict = "" if not row["outlier"] else "OUTLIER: slow" if row["effect"] > 0 else "OUTLIER: fast"
    return [number("{:+.2f}", 100 * np.expm1(row["effect"])), number("{:+.1f}", row["z"]),
            f"{row['agree']} of {row['points']}", verdict]


def _print_product(document: Document, results: Results, fleet: Fleet, threshold: float) -> int:
    count, outliers = len(fleet.devices), int(fleet.devices["outlier"].sum())
    document.heading(2, f"{fleet.product}: {plural(count, 'device')} on {plural(fleet.nodes, 'node')}")
    if count < LEAST or not fleet.points:
        document.paragraph("Nothing to rank: ranking needs three devices of a product that measured the same points. "
                           "timing: {devices: all} in the job measures every point on every device.")
        return 0
    document.paragraph(f"{fleet.points} points, {plural(outliers, 'outlier')}.")
    of = results.devices
    table(document, [">rank", ">device", "host", "address", *HEADS],
          [[str(place + 1), str(row["device"]), of["host"][row["device"]],
            of["pci"][row["device"]] or of["uuid"][row["device"]], *_judged(row)]
           for place, row in fleet.devices.iterrows()])
    document.paragraph("Where the variance of a sample's time comes from, mean over points, outliers included:")
    total = fleet.components.clip(lower=0).sum()
    table(document, ["level", ">standard deviation, %", ">share of the variance, %", "not known because"],
          [[name, number("{:.2f}", 100 * max(0.0, part) ** 0.5 if part == part else part),
            number("{:.0f}", 100 * max(0.0, part) / total if part == part else part),
            "" if part == part else unknown]
           for name, part, unknown in (
               ("node", fleet.components["node"], "one node" if fleet.nodes < 2 else "each node has one device"),
               ("GPU", fleet.components["device"], "one device a point"),
               ("process", fleet.components["process"], "one process a device"),
               ("sample", fleet.components["sample"], ""))])
    document.paragraph(
        "A device's effect is the median over points of its time relative to the median of all devices. Effects of "
        f"equal devices have a standard deviation of {100 * fleet.spread:.2f} %, and are assumed to be normal. An "
        f"outlier is at least {100 * threshold:g} % and {fleet.critical:.1f} standard errors (z) away, which happens "
        f"to one of {count} equal devices in one fleet of {1 / ALARMS:.0f}.")
    if fleet.floor > 0:
        document.paragraph(f"Processes alone move a device's effect by {100 * fleet.floor:.2f} %: the spread of "
                           "devices is taken to be at least that.")
    else:
        document.paragraph("One process measured on each device, so effects of devices and of processes cannot be "
                           "separated: an outlier may be gone in the next run. timing: {replicates: 3} separates them.")
    return outliers


def _print_links(document: Document, results: Results, threshold: float) -> int:
    pairs = links(results, threshold)
    if pairs is None:
        return 0
    document.heading(2, f"Links between devices: {plural(len(pairs), 'pair')}")
    if len(pairs) < LEAST:
        document.paragraph("Nothing to rank: ranking needs three pairs that measured the same points.")
        return 0
    outliers = int(pairs["outlier"].sum())
    table(document, ["pair", *HEADS], [[row["pair"], *_judged(row)] for _, row in pairs.iterrows()])
    document.paragraph(
        f"{pairs.attrs['points']} points, {plural(outliers, 'outlier')}. A pair's effect is the median over points of "
        f"its time relative to the median of all pairs. An outlier is at least {100 * threshold:g} % and "
        f"{pairs.attrs['critical']:.1f} standard errors (z) away.")
    return outliers
