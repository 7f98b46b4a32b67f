#!/usr/bin/env python3
"""first_day.py FILE.h5 [DEVICE] - compare results of jobs/first_day.yaml with values that others have published.

DEVICE is B200, B300 or RTX 5090; by default, the one in the file's device name. A value is as published within 10 % of the range in
published.csv; one that is faster than that is named too. Exit code: 1 if a value differs or is missing, or a point failed; 2 if nothing is
published for the device.
"""
from __future__ import annotations

import csv
import sys
from pathlib import Path

import pandas as pd

import warpsweep

TOLERANCE = 0.10


def value_of(row: pd.Series, expression: str) -> float:
    """A column, a column times a factor, or its value per SM and cycle."""
    if expression == "flop_rate/sm/clock":
        return row["flop_rate"] / row["device.multiprocessors"] / row["sm_clock"]
    column, _, factor = expression.partition("*")
    return float(row[column]) * float(factor or 1)


def verdict(value: float, low: float, high: float) -> str:
    """`as published`, or how far the value is from the range."""
    if pd.isna(value):
        return "missing"
    if low * (1 - TOLERANCE) <= value <= high * (1 + TOLERANCE):
        return "as published"
    return f"{value / (low if value < low else high) - 1:+.0%}"


def chosen(points: pd.DataFrame, where: str) -> pd.DataFrame:
    """The points with all of the conditions `axis=word`."""
    for condition in where.split():
        column, _, word = condition.partition("=")
        if column not in points:
            return points.iloc[:0]
        wanted = 2**20 if word == "1MiB" else word
        points = points[points[column].astype(str) == str(wanted)]
    return points


def main() -> int:
    frame = warpsweep.load(sys.argv[1], device=("name", "multiprocessors", "peak_l2_read", "peak_flop_f32", "peak_flop_f16", "peak_flop_f64"))
    with open(Path(__file__).with_name("published.csv"), encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    name = str(frame["device.name"].iloc[0])
    device = sys.argv[2] if len(sys.argv) > 2 else next((row["device"] for row in published if row["device"] in name), "")
    rows = [row for row in published if row["device"] == device]
    if not rows:
        print(f"nothing is published here for {name}; name a device: {', '.join(sorted({row['device'] for row in published}))}",
              file=sys.stderr)
        return 2
    points = frame[frame["status"] == "ok"]
    wrong = 0
    print(f"{name} against published values of a {device}\n")
    print(f"{'quantity':32} {'here':>9} {'published':>15} {'unit':22} verdict")
    for row in rows:
        found = chosen(points, row["where"])
        value = max((value_of(one, row["value"]) for _, one in found.iterrows()), default=float("nan"))
        low, high = float(row["low"]), float(row["high"])
        said = verdict(value, low, high)
        wrong += said != "as published"
        span = row["low"] if low == high else f"{row['low']} to {row['high']}"
        print(f"{row['quantity']:32} {value:9.4g} {span:>15} {row['unit']:22} {said}")
    bad = frame[~frame["status"].isin(["ok", "unsupported"])]
    for _, one in bad.iterrows():
        print(f"{one['id']}: {one['status']}: {one['kernel']} {one.get('message', '')}")
    print(f"\n{len(rows) - wrong} of {len(rows)} values are as published within {TOLERANCE:.0%}; {len(bad)} points failed")
    return 1 if wrong or len(bad) else 0


if __name__ == "__main__":
    sys.exit(main())
