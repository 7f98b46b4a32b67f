"""Tables of single points: predictions against measurements, repetitions of canaries, and samples."""
from __future__ import annotations

import numpy as np
import pandas as pd

from ..comparison import knows_addresses
from ..directives import Skipped
from ..laws import number, word
from . import measured, point_names, remark

NEAR = 1.15   # the factor of the band that the figure draws
CLASSES = ("addresses unknown", "host link", "addresses known")
POINTS_MAX = 8  # of a device, with their samples


def predicted(frame: pd.DataFrame) -> pd.DataFrame:
    """predicted (ms), ratio (measured over predicted), class (known addresses; host link) of measured CUDA points."""
    points = measured(frame)
    points = points[(word(points, "backend") == "cuda") & (number(points, "predicted_time") > 0)
                    & (number(points, "time_median") > 0)]
    if points.empty:
        raise Skipped("no point has a predicted time")
    kind = pd.Series(knows_addresses(points), points.index).astype(int) * 2
    kind = kind.mask(word(points, "roof").isin(["link_h2d", "link_d2h"]), 1).sort_values(kind="stable")
    points = points.loc[kind.index]
    made = points[["source", "kernel"]].assign(
        predicted=1e3 * points["predicted_time"], ratio=points["time_median"] / points["predicted_time"],
        **{"class": kind.map(CLASSES.__getitem__)})
    known = made[kind == 2]
    near = np.abs(np.log(known["ratio"])) <= np.log(NEAR)
    return remark(made, [f"Of {len(known)} points with known addresses, {near.sum()} are within 15 % of the prediction"
                         if len(known) else ""])


def canaries(frame: pd.DataFrame) -> pd.DataFrame:
    """order, quantity (time, SM clock), change, change_low, change_high (% from its first repetition on the device). Of
    several devices of one product, each kernel is named with its device."""
    points = frame[(number(frame, "canary") == 1) & (frame["status"] == "ok") & (word(frame, "source") != "")]
    points, parts = points.sort_values("repeat", kind="stable"), []
    of_source = points.groupby("source")["device"]
    kernel = points["kernel"].mask(of_source.transform("nunique") > 1, points["kernel"] + (
        of_source.rank("dense") - 1).map(", device {:.0f}".format))
    for quantity, columns in (("time", ("time_median", "time_ci_low", "time_ci_high")), ("SM clock", ("sm_clock",) * 3)):
        own, low, high = (number(points, column) for column in columns)
        base = own.groupby([points["device"], points["id"]]).transform(lambda values: values.iloc[0])
        of_time = 1.0 if quantity == "time" else np.nan  # the clock has no interval
        parts.append(points[["source"]].assign(
            kernel=kernel, quantity=quantity, order=points["repeat"], change=100 * (own / base - 1),
            change_low=100 * (low / base - of_time), change_high=100 * (high / base - of_time))[(base > 0) & (own > 0)])
    made = pd.concat(parts, ignore_index=True)
    if made.empty:
        raise Skipped("no canary was repeated")
    throttled = (word(points, "throttle") != "").sum()
    return remark(made, [f"{throttled} of {len(points)} repetitions while the clock was throttled"])


def samples(frame: pd.DataFrame) -> pd.DataFrame:
    """microseconds, deviation (% from the point's median), share (%), decile ("yes": to be marked), point."""
    rows = measured(frame)
    if not (rows["sample_count"] > 0).any():
        raise Skipped("the selected points have no samples")
    if (rows.groupby("source").size() > POINTS_MAX).any():
        raise Skipped(f"select at most {POINTS_MAX} points per device with --where")
    named, made = rows[["source", "kernel", "file_number", "sample_offset", "sample_count"]], []
    named = named.assign(point=point_names(rows))
    for row in named[named["sample_count"] > 0].itertuples():
        of, first, count = frame.attrs["results"][row.file_number], int(row.sample_offset), int(row.sample_count)
        seconds = np.sort(of.samples["seconds"].to_numpy()[first:first + count])
        at = np.arange(1, count + 1)
        made.append(pd.DataFrame({
            "microseconds": 1e6 * seconds, "deviation": 100 * (seconds / np.median(seconds) - 1),
            "share": 100 * at / count, "decile": np.where(10 * at // count > 10 * (at - 1) // count, "yes", "no"),
            "source": row.source, "kernel": row.kernel, "point": row.point}))
    return pd.concat(made, ignore_index=True)
