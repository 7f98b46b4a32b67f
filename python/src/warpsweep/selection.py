"""The rows of a figure: those that its directives ask for, with the axes that would vary within a curve pinned."""
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .directives import Directives, Skipped
from .errors import UsageError
from .figure import ACROSS
from .frames import axes, derive, is_throttled, where
from .laws import number
from .pivots import person
from .results import Columns


def select(d: Directives, frame: pd.DataFrame, conditions: Sequence[str]) -> tuple[pd.DataFrame, list[str], list[str]]:
    """The rows of a figure, its fixed axes in words, and those of them that have other values, too. Raises Skipped."""
    rows, kernel = frame, d.one("kernel")
    if "status" in rows:
        rows = rows[rows["status"] == "ok"]
    if "repeat" in rows:
        rows = rows[rows["repeat"].fillna(0) == 0]
    if kernel != "*":
        rows = rows[rows["kernel"] == kernel]
    if rows.empty:
        raise Skipped(f"no point of {kernel} was measured")
    try:
        for definition in d.all("derive"):
            rows = derive(rows, definition)
        needed = [d.one(key) for key in ("x", "place", "y", "panel", "names", "xnames", "contrast") if d.one(key)]
        for name in [*needed, *d.all("series"), *d.all("columns")]:
            if name not in rows:
                raise Skipped(f"no file has the column {name}")
        for condition in d.all("where"):
            rows = where(rows, [condition], strict=False)
            if rows.empty:
                raise Skipped(f"no measured point has {condition}")
        if not d.one("table"):
            rows = where(rows, list(conditions), strict=False)
        if rows.empty:
            raise Skipped("no point of it matches --where")
        rows, fixed, pinned = pin(d, rows)
    except UsageError as error:
        raise Skipped(str(error)) from None
    draw, table = d.one("draw", "curves"), bool(d.one("table"))
    least_x = 1 if table and draw == "dots" else 3 if draw == "curves" and not (table or d.all_axes) else 2
    for name, least in ((d.one("x"), least_x), (d.one("contrast"), 2)):
        if name and rows[name].nunique(dropna=False) < least:  # a line through two points is a table
            raise Skipped(f"fewer than {('two', 'three')[least > 2]} values of {name} were measured")
    return rows, fixed, pinned


def pin(d: Directives, rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Keep one value of each axis that varies within a curve: that with most places along x, on a tie the largest.

    Places are counted on each device, so that values measured on all are preferred. Rows of a baseline have one value
    of such an axis, which means nothing, and stay; so do rows that lack the axis. Two measured columns pin nothing.
    """
    known: Columns = rows.attrs["columns"]
    x, said, pinned = d.one("x"), [], []
    if known.role(x) != "axis":
        return rows, [], []
    baseline = where(rows, [d.one("baseline")], strict=False) if d.one("baseline") else rows[:0]
    for axis in axes(rows, varying=False):
        if axis == x or axis in d.all("series") or not (
                rows[axis].nunique(dropna=False) > 1 or d.all_axes or axis in d.all("state")):
            continue
        of_baseline = rows.index.isin(baseline.index)
        free = of_baseline & (rows.loc[of_baseline, axis].nunique(dropna=False) < 2)
        missing = rows[axis].isna() | (rows[axis] == "")
        bound, lacking, varies = rows[~free & ~missing], rows[~free & missing], rows.loc[~free, axis].nunique(dropna=False) > 1
        if varies and len(bound):
            places = {value: pd.concat([of, lacking]).groupby("source")[x].nunique(dropna=False).sum()
                      for value, of in bound.groupby(axis)}
            best = max(places, key=lambda value: (places[value], value))
            rows, bound = rows[free | missing | (rows[axis] == best)], bound[bound[axis] == best]
        # A count of 0, or of 2^40 and more, stands for "no limit" in the families.
        first = bound[axis].iloc[0] if len(bound) else 0
        if isinstance(first, str) or 0 < first < 2**40:
            said.append(f"{axis} {person(first, known.get(axis))}")
            pinned += said[-1:] * varies
    return rows, said, pinned


def measure(d: Directives, rows: pd.DataFrame, y: str, known: Columns) -> pd.DataFrame:
    """x, y, low, high of each row in the units of the columns; low and high are NaN without an interval of use."""
    points = pd.DataFrame({"x": number(rows, d.place), "y": number(rows, y)})
    role, interval = known.role(y), d.all("interval")
    median, first, last = (number(rows, name) for name in ("time_median", "time_ci_low", "time_ci_high"))
    low = high = pd.Series(np.nan, index=rows.index)
    if len(interval) > 1:
        low, high = number(rows, interval[0]), number(rows, interval[1])
    elif role == "rate" or y == "fraction_peak":
        low, high = points["y"] * median / last, points["y"] * median / first
        if y == "fraction_peak":
            low, high = number(rows, "fraction_peak_low").fillna(low), number(rows, "fraction_peak_high").fillna(high)
    unknown = (last - median > median.abs()) & (role == "rate")  # wider than the value
    inside = low <= high if d.one("draw") in ACROSS else (low <= points["y"]) & (points["y"] <= high)
    points["low"], points["high"] = low.where(inside & ~unknown), high.where(inside & ~unknown)
    points["throttled"] = is_throttled(rows) & (role in ("time", "rate"))
    return points
