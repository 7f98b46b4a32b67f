"""Distributions of the samples of a few points."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..directives import Skipped
from ..frames import axes, is_text
from .rows import measured, places, words

POINTS_MAX = 8  # of a device
CORNERS = 64    # of an outline


def point_names(rows: pd.DataFrame) -> pd.Series:
    """`copy stride 2`: kernel and axes in which the rows differ; the kernel alone if they do not."""
    named = [name for name in ("kernel", *axes(rows)) if rows[name].nunique(dropna=False) > 1]
    parts = {name: words(rows[name], rows.attrs["columns"].unit(name)) for name in named}
    for name in named:
        if not is_text(rows[name]):
            parts[name] = (name + " " + parts[name]).where(rows[name].notna(), "")
    joined = [" ".join(word for word in point if word) for point in zip(*parts.values())]
    return pd.Series(joined, rows.index).mask(lambda names: names == "", rows["kernel"]) if named else rows["kernel"]


def of_points(frame: pd.DataFrame) -> Iterator[tuple[dict[str, str], np.ndarray[Any, Any]]]:
    """source, kernel and point of each row, with its samples in seconds, ascending. Raises Skipped without samples, or
    with too many points to distinguish."""
    rows = measured(frame)
    if not (rows["sample_count"] > 0).any():
        raise Skipped("the selected points have no samples")
    if (rows.groupby("source").size() > POINTS_MAX).any():
        raise Skipped(f"select at most {POINTS_MAX} points per device with --where")
    needed = ["source", "kernel", "file_number", "sample_offset", "sample_count"]
    rows = rows[needed].assign(point=point_names(rows))[rows["sample_count"] > 0]
    for row in rows.to_dict("records"):
        first, count = int(row["sample_offset"]), int(row["sample_count"])
        taken = frame.attrs["results"][row["file_number"]].samples["seconds"].to_numpy()[first:first + count]
        yield {name: row[name] for name in ("source", "kernel", "point")}, np.sort(taken)


def samples(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """microseconds, deviation (% from the point's median), share (%), decile ("yes": to be marked), point."""
    made = []
    for named, seconds in of_points(frame):
        number, count = np.arange(1, len(seconds) + 1), len(seconds)
        decile = np.where(10 * number // count > 10 * (number - 1) // count, "yes", "no")
        made.append(pd.DataFrame({"microseconds": 1e6 * seconds, "deviation": 100 * (seconds / np.median(seconds) - 1),
                                  "share": 100 * number / count, "decile": decile, **named}))
    return pd.concat(made, ignore_index=True)


def densities(frame: pd.DataFrame, options: Mapping[str, str]) -> pd.DataFrame:
    """deviation (% from the point's median), height and lower (the edges of a violin: place, and at most 0.4 to either
    side), place, median (us), point; from the smallest to the largest sample.

    Gaussian kernels with the bandwidth of Silverman (Density Estimation, 1986, eq. 3.31): 0.9 min(deviation,
    interquartile range / 1.34) n^(-1/5).
    """
    made = []
    for named, seconds in of_points(frame):
        median = float(np.median(seconds))
        deviation = 100 * (seconds / median - 1)
        spread = float(np.std(deviation, ddof=1)) if len(deviation) > 1 else 0.0
        middle = float(np.subtract(*np.quantile(deviation, [0.75, 0.25])))
        width = 0.9 * (min(spread, middle / 1.34) if middle > 0 else spread) * len(deviation) ** -0.2
        if width > 0:
            at = np.linspace(deviation[0], deviation[-1], CORNERS)
            density = np.exp(-0.5 * ((at[:, None] - deviation) / width) ** 2).sum(axis=1)
            made.append(pd.DataFrame({"deviation": at, "half": 0.4 * density / density.max(), "median": 1e6 * median,
                                      **named}))
    if not made:
        raise Skipped("the selected points have no samples")
    table = pd.concat(made, ignore_index=True)
    place = places(table["point"])
    return table.assign(place=place, height=place + table["half"], lower=place - table["half"]).drop(columns="half")
