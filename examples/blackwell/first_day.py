#!/usr/bin/env python3
"""first_day.py FILE.h5|PROFILE [DEVICE] - compare results of jobs/first_day.yaml, or a profile, with values that others have published.

DEVICE is B200, GB200, B300 or RTX 5090; by default, the one in the device's name. A value is as published within 10 % of the range in
published.csv; one that is faster than that is named too. Of a predicted file, or a profile (b200), what differs has a reason there, and what is
not predicted is left out. Exit code: 1 if a value differs or is missing, or a point failed; 2 if nothing is published for the device.
"""
from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

import warpsweep

TOLERANCE = 0.10
DEVICE = ("name", "multiprocessors", "memory_bytes", "peak_shared", "peak_l2_read", "peak_flop_f32", "peak_flop_f16", "peak_flop_f64")


def value_of(known: Mapping[str, Any], expression: str) -> float:
    """A quantity, per SM and cycle of its clock, or times a factor: flop_rate/sm/clock, bandwidth*1e-12."""
    name, _, factor = expression.partition("*")
    name, *units = name.split("/")
    value = float(known[name]) * float(factor or 1)
    for unit in units:
        value /= known[unit]
    return value


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


def of_points(points: pd.DataFrame, row: Mapping[str, str]) -> float:
    """The largest value of the points that the row is about."""
    return max((value_of({**one, "sm": one["device.multiprocessors"], "clock": one["sm_clock"]}, row["value"])
                for one in chosen(points, row["where"]).to_dict("records")), default=float("nan"))


def of_profile(path: str) -> tuple[str, dict[str, float]]:
    """Name and values of a profile; those at the ends of intervals are NAME.low and NAME.high."""
    profile = warpsweep.profile(path)
    ends = {f"{name}.{end}": getattr(value, end) for name, value in profile.values.items() for end in ("low", "high")}
    return profile.name, {**{name: profile[name] for name in profile.values}, **ends,
                          "sm": profile["multiprocessors"], "clock": profile["clock_max"]}


def show(rows: Iterable[Mapping[str, str]], values: Iterable[float], predicted: bool) -> int:
    """Print each value beside the published one; returns how many are wrong, and says of how many."""
    wrong = count = 0
    print(f"{'quantity':32} {'here':>9} {'published':>15} {'unit':22} verdict")
    for row, value in zip(rows, values):
        low, high = float(row["low"]), float(row["high"])
        said = verdict(value, low, high)
        if predicted and said == "missing":
            continue
        reason = row["reason"] if predicted and said != "as published" else ""
        wrong += said != "as published" and not reason
        count += 1
        span = row["low"] if low == high else f"{row['low']} to {row['high']}"
        print(f"{row['quantity']:32} {value:9.4g} {span:>15} {row['unit']:22} {said}{': ' if reason else ''}{reason}")
    print(f"\n{count - wrong} of {count} values are as published within {TOLERANCE:.0%}{' or have a reason' if predicted else ''}", end="")
    return wrong


def main() -> int:
    path, with_points = sys.argv[1], sys.argv[1].endswith(".h5")
    with open(Path(__file__).with_name("published.csv"), encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    frame = warpsweep.load(path, device=DEVICE) if with_points else pd.DataFrame()
    name, known = (str(frame["device.name"].iloc[0]), {}) if with_points else of_profile(path)
    devices = sorted({row["device"] for row in published})
    device = sys.argv[2] if len(sys.argv) > 2 else max((one for one in devices if one in name), key=len, default="")
    rows = [row for row in published if row["device"] == device and row["value" if with_points else "profile"]]
    if not rows:
        print(f"nothing is published here for {name}; name a device: {', '.join(devices)}", file=sys.stderr)
        return 2
    print(f"{name} against published values of a {device}\n")
    if not with_points:
        wrong = show(rows, (value_of(known, row["profile"]) for row in rows), True)
        print()
        return 1 if wrong else 0
    points = frame[frame["status"] == "ok"]
    wrong = show(rows, (of_points(points, row) for row in rows), name.endswith("(predicted)"))
    bad = frame[~frame["status"].isin(["ok", "unsupported"])]
    print(f"; {len(bad)} points failed")
    for _, one in bad.iterrows():
        print(f"{one['id']}: {one['status']}: {one['kernel']} {one.get('message', '')}")
    return 1 if wrong or len(bad) else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.split("\n", 1)[0])
    try:
        sys.exit(main())
    except warpsweep.UsageError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
